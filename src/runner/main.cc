// SPDX-License-Identifier: Apache-2.0
// ambidex-simt <request.json >answer.json: runs a module of ambidex-clang's in the SIMT executor.
// Not for people; `ambidex port` asks it. docs/runner.md has the documents.
#include <unistd.h>

#include "runner/crash.h"
#include "runner/json_program.h"
#include "runner/request.h"
#include "runner/supervise.h"

void ambidex::runner::end_process(int status) { _exit(status); }

int main(int argc, char**) {
  return ambidex::runner::run_json_program(argc, "ambidex-simt", [](const nlohmann::json& request) {
    return ambidex::runner::supervise(ambidex::runner::read_request(request));
  });
}
