// SPDX-License-Identifier: Apache-2.0
// ambidex-simt <request.json >answer.json: runs a module of ambidex-clang's in the SIMT executor.
// Not for people; `ambidex port` asks it. docs/runner.md has the documents.
#include <unistd.h>

#include <iostream>
#include <iterator>
#include <string>

#include "ambidex/base.h"
#include "runner/crash.h"
#include "runner/request.h"
#include "runner/supervise.h"

void ambidex::runner::end_process(int status) { _exit(status); }

namespace {

int fail(ambidex::ErrorKind kind, std::string_view message) {
  std::cerr << ambidex::name_of(kind) << ": " << message << "\n";
  return ambidex::exit_code(kind);
}

nlohmann::json answer() {
  using ambidex::Error;
  using ambidex::ErrorKind;
  const std::string text{std::istreambuf_iterator<char>(std::cin), {}};
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (json.is_discarded()) throw Error(ErrorKind::bad_input, "stdin: not a JSON document");
  return ambidex::runner::supervise(ambidex::runner::read_request(json));
}

}  // namespace

int main(int argc, char**) {
  using ambidex::ErrorKind;
  if (argc != 1) return fail(ErrorKind::bad_input, "usage: ambidex-simt <request.json");
  try {
    const nlohmann::json out = answer();
    std::cout << out.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) << "\n";
    return std::cout.flush() ? 0 : fail(ErrorKind::device_failure, "stdout: cannot be written");
  } catch (const ambidex::Error& error) {
    return fail(error.kind, error.what());
  } catch (const nlohmann::json::exception& error) {
    return fail(ErrorKind::bad_input, std::string("request: ") + error.what());
  } catch (const std::exception& error) {
    return fail(ErrorKind::internal, error.what());
  }
}
