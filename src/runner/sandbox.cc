// SPDX-License-Identifier: Apache-2.0
#include "runner/sandbox.h"

#include <errno.h>
#include <fmt/format.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <cstring>

#include "ambidex/base.h"

namespace ambidex::runner {
namespace {

constexpr std::array kAllowed{
    // memory
    SCMP_SYS(brk), SCMP_SYS(munmap), SCMP_SYS(madvise),
    // threads and signals of this process
    SCMP_SYS(futex), SCMP_SYS(exit), SCMP_SYS(exit_group), SCMP_SYS(set_robust_list),
    SCMP_SYS(rseq), SCMP_SYS(set_tid_address), SCMP_SYS(sched_yield), SCMP_SYS(sched_getaffinity),
    SCMP_SYS(rt_sigaction), SCMP_SYS(rt_sigprocmask), SCMP_SYS(rt_sigreturn), SCMP_SYS(sigaltstack),
    SCMP_SYS(restart_syscall), SCMP_SYS(getpid), SCMP_SYS(gettid), SCMP_SYS(membarrier),
    // time
    SCMP_SYS(clock_gettime), SCMP_SYS(clock_getres), SCMP_SYS(gettimeofday), SCMP_SYS(time),
    SCMP_SYS(clock_nanosleep), SCMP_SYS(nanosleep), SCMP_SYS(getrandom),
    // files that are open
    SCMP_SYS(read), SCMP_SYS(write), SCMP_SYS(writev), SCMP_SYS(lseek), SCMP_SYS(close)};

// Libraries ask and go on without an answer.
constexpr std::array kDenied{SCMP_SYS(fstat),   SCMP_SYS(newfstatat), SCMP_SYS(ioctl),
                             SCMP_SYS(sysinfo), SCMP_SYS(getrusage),  SCMP_SYS(prlimit64)};

void add(scmp_filter_ctx filter, uint32_t action, int call) {
  if (seccomp_rule_add(filter, action, call, 0) != 0) {
    throw Error(ErrorKind::unsupported, "seccomp: a rule of the sandbox was not taken");
  }
}

void add_if(scmp_filter_ctx filter, int call, scmp_arg_cmp condition) {
  if (seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, 1, condition) != 0) {
    throw Error(ErrorKind::unsupported, "seccomp: a rule of the sandbox was not taken");
  }
}

void add_rules(scmp_filter_ctx filter) {
  for (const int call : kAllowed) add(filter, SCMP_ACT_ALLOW, call);
  for (const int call : kDenied) add(filter, SCMP_ACT_ERRNO(EPERM), call);
  // No code is made at run time, and only threads, not processes.
  add_if(filter, SCMP_SYS(mmap), SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0));
  add_if(filter, SCMP_SYS(mprotect), SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0));
  add(filter, SCMP_ACT_ALLOW, SCMP_SYS(mremap));
  add_if(filter, SCMP_SYS(clone), SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, CLONE_THREAD));
  add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3));  // its flags cannot be looked at
  add_if(filter, SCMP_SYS(tgkill),
         SCMP_A0(SCMP_CMP_EQ, static_cast<scmp_datum_t>(getpid())));  // abort()
}

}  // namespace

void limit_resources(int64_t address_space_bytes, double max_seconds, int64_t file_bytes) {
  const auto limit = [](auto resource, int64_t value) {
    const rlimit both{static_cast<rlim_t>(value), static_cast<rlim_t>(value)};
    if (setrlimit(resource, &both) != 0) {
      throw Error(ErrorKind::unsupported,
                  fmt::format("setrlimit: {}; the limits of the caller are lower than those asked "
                              "for",
                              std::strerror(errno)));
    }
  };
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_AS, address_space_bytes);
  limit(RLIMIT_FSIZE, file_bytes);
  limit(RLIMIT_CPU, std::llround(std::ceil(max_seconds)) * 256 + 1);  // of all threads
}

void enter_sandbox() {
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
    throw Error(ErrorKind::unsupported, "prctl(NO_NEW_PRIVS) failed: no sandbox here");
  }
  scmp_filter_ctx filter = seccomp_init(SCMP_ACT_TRAP);
  check(filter != nullptr, "seccomp_init makes a filter");
  add_rules(filter);
  const int failure = seccomp_load(filter);
  seccomp_release(filter);
  if (failure != 0) {
    throw Error(ErrorKind::unsupported,
                fmt::format("seccomp: {}: no sandbox here; run in one of another kind and say "
                            "trusted, or use a kernel with seccomp",
                            std::strerror(-failure)));
  }
}

}  // namespace ambidex::runner
