// SPDX-License-Identifier: Apache-2.0
// ambidex-gpu <request.json >answer.json: one launch on a real GPU, where there is one. Not for
// people; `ambidex port` asks it. docs/runner.md has the documents.
#include <iostream>

#include "base/json_reply.h"
#include "runner/gpu_launch.h"

int main(int argc, char**) {
  using namespace ambidex;
  end_with_parent();
  return serve_json(std::cin, std::cout, std::cerr,
                    argc == 1 ? "" : "usage: ambidex-gpu <request.json", runner::answer_for_gpu);
}
