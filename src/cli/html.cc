// SPDX-License-Identifier: Apache-2.0
#include "cli/html.h"

#include <fmt/format.h>

#include <filesystem>

#include "ambidex/base.h"
#include "base/files.h"
#include "cli/console.h"

namespace ambidex {

void keep_input(const std::string& path, const std::string& input, std::string_view option) {
  std::error_code ignored;
  if (path.empty() || !std::filesystem::equivalent(path, input, ignored)) return;
  throw Error(ErrorKind::bad_input,
              fmt::format("{}: {}: is an input of this command; name another file", option, path));
}

void write_html(const std::string& path, const Page& page) {
  try {
    write_file(path, html_of(page));
  } catch (const Error& error) {
    throw Error(error.kind, fmt::format("--html: {}", error.what()));
  }
  print_note(fmt::format("wrote {}", path));
}

}  // namespace ambidex
