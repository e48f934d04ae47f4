// SPDX-License-Identifier: Apache-2.0
#include "base/data_files.h"

#include <fmt/format.h>

#include "ambidex/base.h"
#include "base/embedded.h"
#include "base/files.h"
#include "base/text.h"
#include "base/yaml.h"

namespace ambidex {
namespace {

constexpr std::string_view kSuffix = ".yaml";

bool is_path(std::string_view name) {
  return name.find('/') != std::string_view::npos || name.ends_with(kSuffix);
}

}  // namespace

std::vector<std::string> data_file_ids(std::string_view folder) {
  std::vector<std::string> ids;
  for (const EmbeddedFile& file : embedded_files()) {
    if (!file.path.starts_with(folder) || !file.path.ends_with(kSuffix)) continue;
    std::string_view id = file.path.substr(folder.size());
    id.remove_suffix(kSuffix.size());
    ids.emplace_back(id);
  }
  return ids;
}

DataFile load_data_file(std::string_view folder, std::string_view what,
                        const std::string& name_or_path) {
  if (is_path(name_or_path)) return {name_or_path, read_file(name_or_path, kMaxYamlBytes)};
  const std::string path = fmt::format("{}{}{}", folder, name_or_path, kSuffix);
  for (const EmbeddedFile& file : embedded_files()) {
    if (file.path == path) return {path, std::string(file.contents)};
  }
  throw Error(ErrorKind::not_found, unknown_name(what, name_or_path, data_file_ids(folder)));
}

}  // namespace ambidex
