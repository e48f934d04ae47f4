// SPDX-License-Identifier: Apache-2.0
// The directory of a zip archive, such as numpy's .npz: members that are stored or deflated, of
// any size (zip64).
#pragma once

#include <string>
#include <vector>

#include "data/bytes.h"

namespace ambidex {

struct ZipMember {
  std::string name;
  FilePart part;
};

/// In the order of the archive's central directory.
///   throws Error(bad_input) on what is no archive, or a damaged one, and Error(unsupported) on
///   encrypted members and other compressions
std::vector<ZipMember> read_zip_directory(const ByteFile& file);

}  // namespace ambidex
