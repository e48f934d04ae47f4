// SPDX-License-Identifier: Apache-2.0
// ambidex-clang COMMAND <request.json >answer.json: what the porting tool needs of clang. Not for
// people; `ambidex port` asks it.
#include <iostream>

#include "base/json_reply.h"
#include "frontend/commands.h"
#include "frontend/deep_stack.h"

namespace ambidex {
namespace {

nlohmann::json answer(std::string_view name, const nlohmann::json& request) {
  for (const FrontendCommand& command : kCommands) {
    if (command.name != name) continue;
    nlohmann::json answer;
    on_deep_stack([&] { answer = command.answer(request); });
    return answer;
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
  return serve_json(std::cin, std::cout, std::cerr,
                    argc == 2 ? "" : "usage: ambidex-clang COMMAND <request.json",
                    [&](const nlohmann::json& request) { return answer(argv[1], request); });
}
