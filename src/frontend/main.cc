// SPDX-License-Identifier: Apache-2.0
// ambidex-clang COMMAND <request.json >answer.json: what the porting tool needs of clang. Not for
// people; `ambidex port` asks it.
#include <unistd.h>

#include <iostream>
#include <iterator>

#include "ambidex/base.h"
#include "frontend/commands.h"

namespace ambidex {
namespace {

nlohmann::json answer(std::string_view name) {
  const std::string text{std::istreambuf_iterator<char>(std::cin), {}};
  const auto request = nlohmann::json::parse(text, nullptr, false);
  if (request.is_discarded()) throw Error(ErrorKind::bad_input, "stdin: not a JSON document");
  for (const FrontendCommand& command : kCommands) {
    if (command.name == name) return command.answer(request);
  }
  std::vector<std::string> names;
  for (const FrontendCommand& command : kCommands) names.emplace_back(command.name);
  throw Error(ErrorKind::not_found, unknown_name("command", name, names));
}

int fail(ErrorKind kind, std::string_view message) {
  std::cerr << name_of(kind) << ": " << message << "\n";
  return exit_code(kind);
}

int run(int argc, char** argv) {
  if (argc != 2) return fail(ErrorKind::bad_input, "usage: ambidex-clang COMMAND <request.json");
  try {
    std::cout << answer(argv[1]).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)
              << "\n";
    return 0;
  } catch (const Error& error) {
    return fail(error.kind, error.what());
  } catch (const nlohmann::json::exception& error) {
    return fail(ErrorKind::bad_input, std::string("request: ") + error.what());
  } catch (const std::exception& error) {
    return fail(ErrorKind::internal, error.what());
  }
}

}  // namespace
}  // namespace ambidex

int main(int argc, char** argv) { return ambidex::run(argc, argv); }
