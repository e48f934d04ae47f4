// SPDX-License-Identifier: Apache-2.0
// ambidex-clang COMMAND <request.json >answer.json: what the porting tool needs of clang. Not for
// people; `ambidex port` asks it.
#include <iostream>
#include <iterator>

#include "base/json_reply.h"
#include "frontend/commands.h"

namespace ambidex {
namespace {

nlohmann::json answer(std::string_view name, const nlohmann::json& request) {
  for (const FrontendCommand& command : kCommands) {
    if (command.name == name) return command.answer(request);
  }
  std::vector<std::string> names;
  for (const FrontendCommand& command : kCommands) names.emplace_back(command.name);
  throw Error(ErrorKind::not_found, unknown_name("command", name, names));
}

}  // namespace
}  // namespace ambidex

int main(int argc, char** argv) {
  using namespace ambidex;
  end_with_parent();
  JsonReply reply =
      failed_reply(ErrorKind::bad_input, "usage: ambidex-clang COMMAND <request.json");
  if (argc == 2) {
    const std::string request{std::istreambuf_iterator<char>(std::cin), {}};
    reply = json_reply(request, [&](const nlohmann::json& json) { return answer(argv[1], json); });
  }
  std::cerr << reply.err;
  std::cout << reply.out << std::flush;
  return reply.exit_code;
}
