// SPDX-License-Identifier: Apache-2.0
// What is known while one program is verified, for the files that do it: original.cc runs the
// measure, verify_program.cc the port's program, verify_cases.cc changed launches.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "port/agreement.h"
#include "port/contract.h"
#include "port/modules.h"
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
  bool lockstep_volatile = false;  // the original is warp-synchronous
  bool lenient_shuffles = false;   // the original reads lanes that take no part
  std::map<std::string, std::string> original_symbols, port_symbols;  // of kernels, by base name
  std::map<std::string, Contract> contracts;                          // likewise
  std::map<std::string, KernelReport> reports;                        // by base name
  std::set<std::string> notes;  // remarks that many a case would make
  // Comparisons of the modules, and how each came out in all runs that were compared: a digit each,
  // as a Trace has them. Of the port also by the kernel that was launched alone.
  std::vector<ModuleDecision> original_decisions, port_decisions;
  std::string original_seen, port_seen;
  std::map<std::string, std::string> port_seen_by_kernel;
  VerifyReport report;

  const Trace& original() const { return measures[0]->trace; }
};

enum class Side : uint8_t { original, port };

/// `place` is a folder below the request's.
RunManner manner(const Verification& state, Side side, int wave_width, const std::string& place);

const KernelView& view_of(const Verification& state, const std::string& kernel);
KernelReport& report_of(Verification& state, const std::string& kernel);
void add_case(KernelReport& report, VerifyCase result, bool bit_identical);
bool has_room(const KernelReport& report);  // for another failure

/// What a case has shown of a kernel's outputs.
void add_outputs(Verification& state, const TracedLaunch& launch,
                 const std::vector<OutputSeen>& outputs);

/// Adds what one more run has seen.
void add_seen(std::string& all, const std::string& run);

/// Kernels, by base name, of whose port a comparison came out one way in all runs and is not among
/// those of the original that did; and what it is.
std::map<std::string, std::string> undecided_kernels(const Verification& state);

/// What the original's host code orders its work by, and the port's does not, or not in that order:
/// a wait that is lost changes no result here, where work is done when it is given. "" if nothing.
std::string lost_wait(const Trace& original, const Trace& port);

/// Of the port's kernel that stands for the original's `kernel`, a base name: types among the
/// arguments of templates may have other names. Null if there is none.
const nlohmann::json* facts_of_port(const Verification& state, const std::string& kernel);

/// Kernels, by base name, whose port has fewer fences than the original, atomics that reach less
/// far, or a launch that follows sizes otherwise; and where.
std::map<std::string, std::string> unseen_faults(const Verification& state);

/// Notes buffers of a kernel that were compared each by itself.
void note_unbound(Verification& state, const std::string& kernel,
                  const std::vector<std::string>& unbound);

/// Whether the request wants no more, since something is wrong already.
bool is_decided(const Verification& state);

std::string text_of(const TracedProblem& problem);

/// The first that speaks against a side; null if there is none.
const TracedProblem* first_fault(const std::vector<TracedProblem>& problems, Side side);

/// Why the original's program cannot be the measure; "" if it can.
struct OriginalFault {
  std::string text;
  bool launches_nothing = false;    // nor tries to: it says nothing of its kernels
  bool is_beyond_executor = false;  // too slow, or not allowed there: no word against it
};
OriginalFault run_original(Verification& state);

/// The original with the filling kPoisons[poison]; run if it has not been.
Measure& measure_of(Verification& state, int poison);

/// Further runs of launch `index` of the original's program.
FurtherRuns further_runs(Verification& state, int poison, size_t index);

/// The request's contracts; each must fit the sources.
///   throws Error(bad_input)
void take_contracts(Verification& state);

/// Proposes a contract for every kernel that the program launches and that has none, and keeps
/// those that the original confirms.
void freeze_contracts(Verification& state);

/// Holds the original to the request's contracts.
///   throws Error(bad_input) if it does not keep one
void hold_contracts(Verification& state);

/// Looks for a contract of a kernel that nothing launches. Why there is none; "" if there is.
std::string propose_by_signature(Verification& state, const nlohmann::json& kernel);

/// Whether the original keeps the contract when it is launched so, in three orders and with two
/// fillings: why not, or "". What a proposal leaves open (roles, write sets) is filled in.
std::string confirm(const Verification& state, const TracedLaunch& launch, Contract& contract,
                    bool proposed);

/// What a run of the port writes beyond the kernel's contract; "" if nothing, or if there is none,
/// or if the original does so too.
std::string writes_beyond(const Verification& state, const TracedLaunch& launch,
                          const Replayed& original, const Replayed& port);

/// The formulas by which the launch was made, from the source or from the kernel's contract.
std::optional<LaunchFormulas> formulas_of(const Verification& state, const TracedLaunch& launch);

/// Kernels that nothing launches, by their contracts.
std::vector<TracedLaunch> launches_by_contract(const Verification& state);

/// Instances of templates that the program does not launch, launched as a sibling was.
std::vector<TracedLaunch> launches_of_siblings(const Verification& state);

/// The port's program beside the original's: every launch of it becomes a case.
void run_port(Verification& state, int wave_width, uint64_t seed, int poison);

/// Changed launches, in both.
void vary_launches(Verification& state);

/// Holds the executor to an NVIDIA GPU, and runs the port on an AMD GPU, where there are some.
void verify_on_gpus(Verification& state);

/// Which thread has written what is wrong, as "; last written by ..."; it is noted in the case.
///   manner  in which the port ran
void locate(const Verification& state, const TracedLaunch& original, const TracedLaunch& port,
            const RunManner& manner, VerifyCase& failed);

}  // namespace ambidex
