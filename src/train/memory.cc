// SPDX-License-Identifier: Apache-2.0
#include "train/memory.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "ambidex/base.h"

namespace ambidex {
namespace {

constexpr int64_t kHugePageBytes = int64_t{2} << 20;
constexpr int64_t kCacheLineBytes = 64;

}  // namespace

int64_t machine_bytes() {
  return static_cast<int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGE_SIZE);
}

void* allocate_on_huge_pages(int64_t bytes) {
  const bool is_large = bytes >= kHugePageBytes;
  const int64_t unit = is_large ? kHugePageBytes : kCacheLineBytes;
  const auto rounded = static_cast<size_t>((bytes + unit - 1) / unit * unit);
  void* block = std::aligned_alloc(static_cast<size_t>(unit), rounded);
  if (block == nullptr) throw std::bad_alloc();
  if (is_large) madvise(block, rounded, MADV_HUGEPAGE);
  return block;
}

void free_huge_pages(void* block) { std::free(block); }

Memory::Memory(int64_t bytes, const std::string& what) : bytes_(bytes) {
  if (bytes == 0) return;
  void* block = mmap(nullptr, static_cast<size_t>(bytes), PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (block == MAP_FAILED) {
    throw Error(ErrorKind::bad_input,
                fmt::format("{}: no room for {:.1f} GB ({}); fewer rows need less, as with --set "
                            "'tables.*.rows<=100000'",
                            what, static_cast<double>(bytes) / 1e9, std::strerror(errno)));
  }
  madvise(block, static_cast<size_t>(bytes), MADV_HUGEPAGE);  // a wish; refusal costs speed only
  data_ = block;
}

Memory::~Memory() {
  if (data_ != nullptr) munmap(data_, static_cast<size_t>(bytes_));
}

Memory::Memory(Memory&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

Memory& Memory::operator=(Memory&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

}  // namespace ambidex
