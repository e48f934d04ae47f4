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
constexpr std::array kSignals{SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS};

CrashRecord* the_record = nullptr;
uintptr_t begin_of_module = 0, end_of_module = 0;

// Only what may be done in a handler: no memory is taken, no lock, no output.
void on_crash(int signal, siginfo_t* info, void* context) {
  CrashRecord& record = *the_record;
  if (record.signal != 0) end_process(70);
  const auto* machine = static_cast<const ucontext_t*>(context);
  const auto counter = static_cast<uintptr_t>(machine->uc_mcontext.gregs[REG_RIP]);
  if (counter >= begin_of_module && counter < end_of_module) {
    record.program_counter = counter - begin_of_module;
  }
  record.address = reinterpret_cast<uintptr_t>(info->si_addr);
  if (signal == SIGSYS) record.system_call = info->si_syscall;
  std::memcpy(record.kernel, kernel_name(), sizeof record.kernel);
  record.signal = signal;
  if (record.kernel[0] != '\0') {
    record.in_kernel = true;
    if (const AmbidexSimtThread* self = ambidex_simt_self()) {
      std::memcpy(record.block.data(), self->block, sizeof self->block);
      std::memcpy(record.thread.data(), self->thread, sizeof self->thread);
    }
  }
  end_process(70);
}

}  // namespace

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
