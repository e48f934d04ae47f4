// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>

#include "ambidex/base.h"

namespace ambidex {
namespace {

struct KindRow {
  std::string_view name;
  int exit_code;
};

// In the order of ErrorKind.
constexpr std::array<KindRow, 5> kKinds{{
    {"bad_input", 2},
    {"not_found", 3},
    {"unsupported", 4},
    {"device_failure", 5},
    {"internal", 70},
}};

const KindRow& row_of(ErrorKind kind) { return kKinds.at(static_cast<size_t>(kind)); }

// The folder that a library was built in is nobody's business but the builder's.
std::string_view without_folder(std::string_view path) {
  const size_t slash = path.find_last_of('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

}  // namespace

std::string_view name_of(ErrorKind kind) { return row_of(kind).name; }

int exit_code(ErrorKind kind) { return row_of(kind).exit_code; }

void check(bool condition, std::string_view sentence, std::source_location where) {
  if (condition) return;
  throw Error(ErrorKind::internal,
              fmt::format("{}:{}: {}; please report this", without_folder(where.file_name()),
                          where.line(), sentence));
}

}  // namespace ambidex
