// SPDX-License-Identifier: Apache-2.0
// A signal in loaded code as a record that the supervising process reads.
#pragma once

#include <array>
#include <cstdint>

namespace ambidex::runner {

/// In memory that both processes share. The loaded code can write to it, too: the reader believes
/// no more of it than that the run has failed.
struct CrashRecord {
  int signal = 0;  // 0: none
  int system_call = -1;
  uint64_t address = 0;          // that was touched
  uint64_t program_counter = 0;  // relative to the module; 0 outside of it
  std::array<uint32_t, 3> block{}, thread{};
  bool in_kernel = false;
  bool stack_is_full = false;
  bool has_launched = true;  // a kernel, or tried to; known where a handler has run
  char kernel[512] = "";
  char call[32] = "";  // forbidden, by its name; else `system_call` has its number
};

/// Handlers for crashes and forbidden system calls; each ends the process with 70.
void watch_crashes(CrashRecord* record, uintptr_t module_begin, uintptr_t module_end);

/// Ends the process as by a forbidden system call, whose name is that of a function here: libraries
/// make some of them with all signals blocked, so that no handler would see them.
[[noreturn]] void refuse_call(const char* name);

/// Ends this process at once, without destructors; safe in a handler. In main.cc, the one file that
/// may end a process.
[[noreturn]] void end_process(int status);

/// Gives the calling thread a stack for the handler, once: the one in use may be what failed.
void watch_this_thread();

}  // namespace ambidex::runner
