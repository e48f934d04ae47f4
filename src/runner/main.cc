// SPDX-License-Identifier: Apache-2.0
// ambidex-simt <request.json >answer.json: runs a module of ambidex-clang's in the SIMT executor.
// Not for people; `ambidex port` asks it. docs/runner.md has the documents.
#include <unistd.h>

#include <iostream>
#include <iterator>

#include "base/json_reply.h"
#include "runner/crash.h"
#include "runner/request.h"
#include "runner/supervise.h"

void ambidex::runner::end_process(int status) { _exit(status); }

int main(int argc, char**) {
  using namespace ambidex;
  end_with_parent();
  JsonReply reply = failed_reply(ErrorKind::bad_input, "usage: ambidex-simt <request.json");
  if (argc == 1) {
    const std::string request{std::istreambuf_iterator<char>(std::cin), {}};
    reply = json_reply(request, [](const nlohmann::json& json) {
      return runner::supervise(runner::read_request(json));
    });
  }
  std::cerr << reply.err;
  if (!(std::cout << reply.out << std::flush)) {
    std::cerr << "device_failure: stdout: cannot be written\n";
    return exit_code(ErrorKind::device_failure);
  }
  return reply.exit_code;
}
