// SPDX-License-Identifier: Apache-2.0
// ambidex-gpu <request.json >answer.json: one launch on a real GPU, where there is one. Not for
// people; `ambidex port` asks it. docs/runner.md has the documents.
#include "runner/gpu_launch.h"
#include "runner/json_program.h"

int main(int argc, char**) {
  return ambidex::runner::run_json_program(argc, "ambidex-gpu", ambidex::runner::answer_for_gpu);
}
