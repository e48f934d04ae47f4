// SPDX-License-Identifier: Apache-2.0
// Descriptions by name, compiled in, or from a user's file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ambidex {

struct DataFile {
  std::string where;  // path, as messages show it
  std::string text;
};

/// Names of the embedded files of `folder` ("data/devices/"), sorted.
std::vector<std::string> data_file_ids(std::string_view folder);

/// The embedded file of that name, or a file: a path with "/" or ending in ".yaml". `what` is the
/// word for it in a message.
///   throws Error(not_found) with the nearest names, Error(bad_input) on a file that cannot be read
DataFile load_data_file(std::string_view folder, std::string_view what,
                        const std::string& name_or_path);

}  // namespace ambidex
