// SPDX-License-Identifier: Apache-2.0
#include "runner/json_program.h"

#include <fmt/format.h>

#include <iostream>
#include <iterator>
#include <string>

#include "ambidex/base.h"

namespace ambidex::runner {
namespace {

int fail(ErrorKind kind, std::string_view message) {
  std::cerr << name_of(kind) << ": " << message << "\n";
  return exit_code(kind);
}

}  // namespace

int run_json_program(int argc, const char* name,
                     const std::function<nlohmann::json(const nlohmann::json&)>& answer) {
  if (argc != 1) return fail(ErrorKind::bad_input, fmt::format("usage: {} <request.json", name));
  try {
    const std::string text{std::istreambuf_iterator<char>(std::cin), {}};
    const auto request = nlohmann::json::parse(text, nullptr, false);
    if (request.is_discarded()) throw Error(ErrorKind::bad_input, "stdin: not a JSON document");
    const nlohmann::json out = answer(request);
    std::cout << out.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) << "\n";
    return std::cout.flush() ? 0 : fail(ErrorKind::device_failure, "stdout: cannot be written");
  } catch (const Error& error) {
    return fail(error.kind, error.what());
  } catch (const nlohmann::json::exception& error) {
    return fail(ErrorKind::bad_input, std::string("request: ") + error.what());
  } catch (const std::exception& error) {
    return fail(ErrorKind::internal, error.what());
  }
}

}  // namespace ambidex::runner
