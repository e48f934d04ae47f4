// SPDX-License-Identifier: Apache-2.0
// What is known while one program is verified, for the files that do it: original.cc runs the
// measure, verify_program.cc the port's program, verify_cases.cc changed launches.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "port/agreement.h"
#include "port/replay.h"
#include "port/verify.h"

namespace ambidex {

/// Bytes of fresh memory, so that what is not written shows, whatever it is compared with.
inline constexpr int kPoisons[]{0xa5, 0x5a};
inline constexpr int kNumPoisons = 2;

/// The original's program with one filling of fresh memory.
struct Measure {
  Trace trace;
  bool further_known = false;  // the next two are made when there is a doubt
  std::vector<Trace> orders, roundings;
};

struct Verification {
  const VerifyRequest& request;
  std::string original_module, port_module;
  KernelViews views;
  std::array<std::optional<Measure>, kNumPoisons> measures;
  bool lockstep_volatile = false;                      // the original is warp-synchronous
  std::map<std::string, std::string> port_symbols;     // by base name
  std::map<std::string, KernelReport> reports;         // by base name
  VerifyReport report;

  const Trace& original() const { return measures[0]->trace; }
};

enum class Side : uint8_t { original, port };

/// `place` is a folder below the request's.
RunManner manner(const Verification& state, Side side, int wave_width, const std::string& place);

const KernelView& view_of(const Verification& state, const std::string& kernel);
KernelReport& report_of(Verification& state, const std::string& kernel);
void add_case(KernelReport& report, VerifyCase result, bool bit_identical);

/// Whether the request wants no more, since something is wrong already.
bool is_decided(const Verification& state);

std::string text_of(const TracedProblem& problem);

/// The first that speaks against a side; null if there is none.
const TracedProblem* first_fault(const std::vector<TracedProblem>& problems, Side side);

/// Runs the original's program. Why it cannot be the measure; "" if it can.
std::string run_original(Verification& state);

/// The original with the filling kPoisons[poison]; run if it has not been.
Measure& measure_of(Verification& state, int poison);

/// Further runs of launch `index` of the original's program.
FurtherRuns further_runs(Verification& state, int poison, size_t index);

/// The port's program beside the original's: every launch of it becomes a case.
void run_port(Verification& state, int wave_width, uint64_t seed, int poison);

/// Changed launches, in both.
void vary_launches(Verification& state);

/// Which thread has written what is wrong, as "; last written by ..."; it is noted in the case.
///   manner  in which the port ran
void locate(const Verification& state, const TracedLaunch& original, const TracedLaunch& port,
            const RunManner& manner, VerifyCase& failed);

}  // namespace ambidex
