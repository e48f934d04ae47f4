// SPDX-License-Identifier: Apache-2.0
// Readers of data want files: those of the fuzz targets lie in memory.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <string>
#include <string_view>

#include "ambidex/base.h"

namespace ambidex {

/// A file without a place on any disk, with a path as long as the object lives.
struct MemoryFile {
  int descriptor = ::memfd_create("fuzz", MFD_CLOEXEC);
  std::string path = "/proc/self/fd/" + std::to_string(descriptor);

  explicit MemoryFile(std::string_view text) {
    check(::write(descriptor, text.data(), text.size()) == static_cast<ssize_t>(text.size()),
          "memory takes a small file");
  }
  ~MemoryFile() { ::close(descriptor); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
};

}  // namespace ambidex
