// SPDX-License-Identifier: Apache-2.0
// What a process gives up before it runs code that nobody vouches for. For good: nothing here can
// be undone, and threads that are made later have given up the same.
#pragma once

#include <cstdint>

namespace ambidex::runner {

/// Address space, processor time and bytes of a file of this process; no core dumps.
void limit_resources(int64_t address_space_bytes, double max_seconds, int64_t file_bytes);

/// From here on: memory, threads, clocks, and writing to what is open already. Any other system
/// call ends the process by SIGSYS; a few that libraries try and can do without fail with EPERM.
///   throws Error(unsupported) if the kernel has no seccomp
void enter_sandbox();

}  // namespace ambidex::runner
