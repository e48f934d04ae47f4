// SPDX-License-Identifier: Apache-2.0
// ambidex-gpu <request.json >answer.json: one launch on a real GPU, where there is one. Not for
// people; `ambidex port` asks it. docs/runner.md has the documents.
#include <iostream>
#include <iterator>

#include "base/json_reply.h"
#include "runner/gpu_launch.h"

int main(int argc, char**) {
  using namespace ambidex;
  end_with_parent();
  JsonReply reply = failed_reply(ErrorKind::bad_input, "usage: ambidex-gpu <request.json");
  if (argc == 1) {
    const std::string request{std::istreambuf_iterator<char>(std::cin), {}};
    reply = json_reply(request, runner::answer_for_gpu);
  }
  std::cerr << reply.err;
  std::cout << reply.out << std::flush;
  return reply.exit_code;
}
