// SPDX-License-Identifier: Apache-2.0
#include "runner/host_calls.h"

#include <fmt/format.h>
#include <setjmp.h>

#include <mutex>

#include "ambidex/base.h"
#include "port/module_abi.h"
#include "runner/crash.h"

namespace {

struct AtExit {
  void (*function)(void*) = nullptr;
  void* argument = nullptr;
};

std::mutex exits_mutex;
std::vector<AtExit> exits;
jmp_buf exit_target;
int exit_value = 0;

}  // namespace

// What the module's calls of exit, atexit and __cxa_atexit were renamed to.
extern "C" {
[[noreturn]] void ambidex_host_exit(int status) {
  exit_value = status & 0xff;
  longjmp(exit_target, 1);
}

int ambidex_host_cxa_atexit(void (*function)(void*), void* argument, void*) {
  const std::lock_guard lock(exits_mutex);
  exits.push_back({function, argument});
  return 0;
}

int ambidex_host_atexit(void (*function)()) {
  return ambidex_host_cxa_atexit([](void* call) { reinterpret_cast<void (*)()>(call)(); },
                                 reinterpret_cast<void*>(function), nullptr);
}
}

// What starts other programs was renamed too: the C library blocks signals before it does, so that
// the sandbox would end the run without a name. No call comes to anything, whatever its arguments.
extern "C" {
[[noreturn]] void ambidex_host_system() { ambidex::runner::refuse_call("system"); }
[[noreturn]] void ambidex_host_popen() { ambidex::runner::refuse_call("popen"); }
[[noreturn]] void ambidex_host_posix_spawn() { ambidex::runner::refuse_call("posix_spawn"); }
[[noreturn]] void ambidex_host_posix_spawnp() { ambidex::runner::refuse_call("posix_spawnp"); }
}

namespace ambidex::runner {
namespace {

using Main = int (*)(int, char**, char**);

void call_main(const Module& module, Main function, const std::vector<std::string>& arguments) {
  std::vector<std::string> words{"program"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  char* no_environment[] = {nullptr};
  if (setjmp(exit_target) == 0) {
    run_constructors(module);
    exit_value = function(static_cast<int>(words.size()), argv.data(), no_environment) & 0xff;
  }
}

// Destructors may register further ones; one that calls exit ends here too.
void call_exits() {
  while (!exits.empty()) {
    const AtExit last = exits.back();
    exits.pop_back();
    if (setjmp(exit_target) == 0) last.function(last.argument);
  }
}

}  // namespace

void run_constructors(const Module& module) {
  for (void (*constructor)() : module.constructors) constructor();
}

int run_program(const Module& module, const std::string& function,
                const std::vector<std::string>& arguments) {
  void* address = find_function(module, function.empty() ? kHostMain : function);
  if (address == nullptr) {
    throw Error(ErrorKind::not_found,
                function.empty()
                    ? std::string("the module has no main; name a function, or run one kernel")
                    : fmt::format("the module has no host function \"{}\"; give its mangled name, "
                                  "and do not make it static",
                                  function));
  }
  call_main(module, reinterpret_cast<Main>(address), arguments);
  call_exits();
  return exit_value;
}

}  // namespace ambidex::runner
