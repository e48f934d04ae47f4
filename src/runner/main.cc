// SPDX-License-Identifier: Apache-2.0
// ambidex-simt <request.json >answer.json: runs a module of ambidex-clang's in the SIMT executor.
// Not for people; `ambidex port` asks it. docs/runner.md has the documents.
#include <unistd.h>

#include <iostream>

#include "base/json_reply.h"
#include "runner/crash.h"
#include "runner/request.h"
#include "runner/supervise.h"

void ambidex::runner::end_process(int status) { _exit(status); }

int main(int argc, char**) {
  using namespace ambidex;
  end_with_parent();
  return serve_json(std::cin, std::cout, std::cerr,
                    argc == 1 ? "" : "usage: ambidex-simt <request.json",
                    [](const nlohmann::json& request) {
                      return runner::supervise(runner::read_request(request));
                    });
}
