// SPDX-License-Identifier: Apache-2.0
#include "runner/crash.h"

#include <signal.h>
#include <ucontext.h>
#include <unistd.h>

#include <cstring>

#include "ambidex/simt_device.h"
#include "runner/launch.h"

namespace ambidex::runner {
namespace {

constexpr size_t kStackBytes = 64 * 1024;
constexpr uintptr_t kPageBytes = 4096;
constexpr std::array kSignals{SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS};

CrashRecord* the_record = nullptr;
uintptr_t begin_of_module = 0, end_of_module = 0;

bool is_in_module(uintptr_t counter) {
  return counter >= begin_of_module && counter < end_of_module;
}

// Where the module was left, as far as its stack tells: an address of its code, above what was
// touched. The record is complete before this looks, for looking may crash too.
uintptr_t return_address(uintptr_t stack) {
  constexpr int kMaxWords = 1024;
  const auto* word = reinterpret_cast<const uintptr_t*>(stack & ~(sizeof(uintptr_t) - 1));
  for (int i = 0; i < kMaxWords; ++i) {
    if (is_in_module(word[i])) return word[i] - 1;
  }
  return 0;
}

// A fault next to the stack pointer: there is no more stack.
bool is_near(uintptr_t address, uintptr_t stack) {
  constexpr uintptr_t kNear = 64 * 1024;
  return address - stack + kNear < 2 * kNear;
}

// Only what may be done in a handler: no memory is taken, no lock, no output.
void on_crash(int signal, siginfo_t* info, void* context) {
  CrashRecord& record = *the_record;
  if (record.signal != 0) end_process(70);
  const auto* machine = static_cast<const ucontext_t*>(context);
  const auto counter = static_cast<uintptr_t>(machine->uc_mcontext.gregs[REG_RIP]);
  if (is_in_module(counter)) record.program_counter = counter - begin_of_module;
  record.address = reinterpret_cast<uintptr_t>(info->si_addr);
  const auto stack = static_cast<uintptr_t>(machine->uc_mcontext.gregs[REG_RSP]);
  record.stack_is_full = signal == SIGSEGV && is_near(record.address, stack);
  if (signal == SIGSYS) record.system_call = info->si_syscall;
  std::memcpy(record.kernel, kernel_name(), sizeof record.kernel);
  record.has_launched = has_launched();
  record.signal = signal;
  if (record.kernel[0] != '\0') {
    record.in_kernel = true;
    if (const AmbidexSimtThread* self = ambidex_simt_self()) {
      std::memcpy(record.block.data(), self->block, sizeof self->block);
      std::memcpy(record.thread.data(), self->thread, sizeof self->thread);
    }
  }
  if (record.program_counter == 0) {
    const uintptr_t above = (record.address | (kPageBytes - 1)) + 1;
    const uintptr_t from = record.stack_is_full && above > stack ? above : stack;
    if (const uintptr_t address = return_address(from)) {
      record.program_counter = address - begin_of_module;
    }
  }
  end_process(70);
}

}  // namespace

void refuse_call(const char* name) {
  if (the_record != nullptr) {
    std::strncpy(the_record->call, name, sizeof the_record->call - 1);
    the_record->has_launched = has_launched();
    the_record->signal = SIGSYS;
  }
  end_process(70);
}

void watch_this_thread() {
  thread_local bool watched = false;
  if (watched) return;
  watched = true;
  static thread_local char stack[kStackBytes];
  stack_t description{};
  description.ss_sp = stack;
  description.ss_size = kStackBytes;
  sigaltstack(&description, nullptr);
}

void watch_crashes(CrashRecord* record, uintptr_t module_begin, uintptr_t module_end) {
  the_record = record;
  begin_of_module = module_begin;
  end_of_module = module_end;
  watch_this_thread();
  struct sigaction action {};
  action.sa_sigaction = on_crash;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  for (const int signal : kSignals) sigaction(signal, &action, nullptr);
}

}  // namespace ambidex::runner
