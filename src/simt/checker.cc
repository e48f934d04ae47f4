// SPDX-License-Identifier: Apache-2.0
#include "simt/checker.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <optional>

#include "simt/expected_reads.h"
#include "simt/memory.h"
#include "simt/orders.h"
#include "simt/problems.h"
#include "simt/same_values.h"
#include "simt/shared_shadow.h"

namespace ambidex::simt {
namespace {

constexpr const char* kDynamicName = "dynamic shared memory";
constexpr int64_t kMaxNearBytes = 65536;  // from a shared variable

struct SharedVariable {
  SimtSharedVariable what;
  uintptr_t begin = 0;
  SharedShadow shadow;

  uintptr_t end() const { return begin + static_cast<uintptr_t>(what.num_bytes); }
  SimtRegion region() const { return {what.name, what.element_bytes, false, true}; }
  Nearest place() const { return {region(), begin, what.num_bytes, false}; }
};

}  // namespace

/// What all blocks of a launch have in common.
struct Checker::Parts {
  SimtMemory::State* memory = nullptr;
  ProblemList* problems = nullptr;
  std::array<uint32_t, 3> block_size{};
  uint32_t wave_width = 32;
  bool lockstep_volatile = false;
  SimtWatch watch;
  std::mutex mutex;  // of the checker's blocks and of the last write
  std::optional<SimtWrite> last_write;

  bool watches(const Access& what) const {
    const auto begin = reinterpret_cast<uintptr_t>(watch.begin);
    return what.address < begin + static_cast<uintptr_t>(watch.num_bytes) &&
           begin < what.address + static_cast<uintptr_t>(what.num_bytes);
  }
};

struct BlockChecker::State {
  State(Checker::Parts& parts, uint32_t num_threads)
      : launch(parts), orders(num_threads, parts.wave_width), expected(num_threads) {}

  Checker::Parts& launch;
  Orders orders;
  ExpectedReads expected;
  SameValues same;
  std::array<uint32_t, 3> block{};
  std::vector<SharedVariable> shared;  // of modules, by address
  std::optional<SharedVariable> dynamic;
  SharedVariable* last = nullptr;  // found

  SharedVariable* find_shared(uintptr_t address);
  SharedVariable* find_near(uintptr_t address);
  std::array<uint32_t, 3> coordinates(uint32_t linear_thread) const;
  bool is_new(SimtProblemKind kind, const Access& what) const {
    return launch.problems->is_new(kind, what.program_counter);
  }
  void report(SimtProblemKind kind, const Accessor& who, const Access& what, std::string message,
              uint64_t other_program_counter = 0) const;

  Verdict out_of_bounds(const Accessor& who, const Access& what, SharedVariable* variable);
  Verdict access_global(const Accessor& who, const Access& what, uint8_t* shadow, bool copies);
  Verdict access_shared(const Accessor& who, const Access& what, SharedVariable& variable,
                        bool copies);
  Verdict access(const Accessor& who, const Access& what, bool copies);
  void note_write(const Accessor& who, const Access& what, uint8_t* shadow);
  void note_race(const Accessor& who, const Access& what, const SharedVariable& variable,
                 const Findings& findings);
  void report_race(const Accessor& who, const Access& what, const SharedVariable& variable,
                   const Findings& findings) const;
  void report_uninitialised(const Accessor& who, const Access& what, const Nearest& nearest,
                            int64_t num_bytes) const;
  bool initialised(uintptr_t address);
  void forget(uintptr_t address);
};

Checker::Checker(const SimtLaunch& launch, const SimtOptions& options, SimtMemory* memory)
    : problems_(std::make_unique<ProblemList>(options.max_problems)),
      parts_(std::make_unique<Parts>()) {
  parts_->memory = memory == nullptr ? nullptr : &memory->state();
  parts_->problems = problems_.get();
  parts_->block_size = launch.block;
  parts_->wave_width = static_cast<uint32_t>(options.wave_width);
  parts_->lockstep_volatile = options.lockstep_volatile;
  parts_->watch = options.watch;
}

Checker::~Checker() = default;

BlockChecker& Checker::add_block() {
  const auto& size = parts_->block_size;
  auto state = std::make_unique<BlockChecker::State>(*parts_, size[0] * size[1] * size[2]);
  if (parts_->memory != nullptr) {
    for (const SimtSharedVariable& variable : parts_->memory->shared) {
      const auto begin = reinterpret_cast<uintptr_t>(variable.address());
      state->shared.push_back({variable, begin, SharedShadow(variable.num_bytes)});
    }
  }
  std::sort(state->shared.begin(), state->shared.end(),
            [](const auto& a, const auto& b) { return a.begin < b.begin; });
  auto block = std::make_unique<BlockChecker>(std::move(state));
  const std::lock_guard lock(parts_->mutex);
  return *blocks_.emplace_back(std::move(block));
}

bool Checker::full() const { return problems_->full(); }
bool Checker::report(SimtProblem problem) { return problems_->add(std::move(problem)); }
std::vector<SimtProblem> Checker::take_problems() { return problems_->take(); }
std::optional<SimtWrite> Checker::last_write() const { return parts_->last_write; }

BlockChecker::BlockChecker(std::unique_ptr<State> state) : state_(std::move(state)) {}
BlockChecker::~BlockChecker() = default;

void BlockChecker::begin_block(const std::array<uint32_t, 3>& block,
                               std::span<std::byte> dynamic_shared) {
  State& state = *state_;
  state.block = block;
  const auto begin = reinterpret_cast<uintptr_t>(dynamic_shared.data());
  const auto num_bytes = static_cast<int64_t>(dynamic_shared.size());
  if (!state.dynamic || state.dynamic->begin != begin ||
      state.dynamic->what.num_bytes != num_bytes) {
    state.last = nullptr;
    state.dynamic.reset();
    if (num_bytes > 0) {
      state.dynamic = {
          {kDynamicName, num_bytes, 1, kDynamicGuardBytes}, begin, SharedShadow(num_bytes)};
    }
  }
  if (state.orders.too_late()) {
    state.orders.restart();
    for (SharedVariable& variable : state.shared) variable.shadow.restart();
    if (state.dynamic) state.dynamic->shadow.restart();
  }
  state.orders.begin_block();
}

void BlockChecker::end_block() {
  state_->same.settle();
  state_->expected.settle_all();
}

void BlockChecker::block_barrier() {
  state_->same.settle();
  state_->orders.block_barrier();
}

void BlockChecker::wave_barrier(uint32_t wave, uint64_t lanes) {
  state_->same.settle();
  state_->orders.wave_barrier(wave, lanes);
}

void BlockChecker::named_barrier(std::span<const uint32_t> arrived,
                                 std::span<const uint32_t> waiting) {
  state_->same.settle();
  state_->orders.named_barrier(arrived, waiting);
}

void BlockChecker::fence(const Accessor& who) {
  state_->same.settle();
  state_->orders.fence(who.linear_thread);
}

Verdict BlockChecker::access(const Accessor& who, const Access& what) {
  return state_->access(who, what, false);
}

Verdict BlockChecker::copy(const Accessor& who, uintptr_t target, uintptr_t source,
                           int64_t num_bytes, uint64_t program_counter) {
  if (num_bytes <= 0) return Verdict::go_on;
  Access what{source,         num_bytes,      AccessKind::read, AccessSort::plain,
              Order::relaxed, program_counter};
  if (state_->access(who, what, true) == Verdict::stop_thread) return Verdict::stop_thread;
  std::vector<bool> known(static_cast<size_t>(num_bytes));
  for (size_t i = 0; i < known.size(); ++i) known[i] = state_->initialised(source + i);
  what.address = target;
  what.kind = AccessKind::write;
  if (state_->access(who, what, false) == Verdict::stop_thread) return Verdict::stop_thread;
  for (size_t i = 0; i < known.size(); ++i) {
    if (!known[i]) state_->forget(target + i);
  }
  return Verdict::go_on;
}

SharedVariable* BlockChecker::State::find_shared(uintptr_t address) {
  const auto holds = [&](const SharedVariable& variable) {
    return address - variable.begin < static_cast<uintptr_t>(variable.what.num_bytes);
  };
  if (last != nullptr && holds(*last)) return last;
  if (dynamic && holds(*dynamic)) return last = &*dynamic;
  const auto after = std::upper_bound(shared.begin(), shared.end(), address,
                                      [](uintptr_t at, const auto& v) { return at < v.begin; });
  if (after == shared.begin() || !holds(*std::prev(after))) return nullptr;
  return last = &*std::prev(after);
}

// The nearest variable, if it is near enough to be meant.
SharedVariable* BlockChecker::State::find_near(uintptr_t address) {
  SharedVariable* nearest = nullptr;
  int64_t distance = kMaxNearBytes + 1;
  const auto consider = [&](SharedVariable& variable) {
    const int64_t away = distance_to(variable.begin, variable.what.num_bytes, address);
    if (away >= distance) return;
    nearest = &variable;
    distance = away;
  };
  for (SharedVariable& variable : shared) consider(variable);
  if (dynamic) consider(*dynamic);
  return nearest;
}

std::array<uint32_t, 3> BlockChecker::State::coordinates(uint32_t linear_thread) const {
  const auto& size = launch.block_size;
  return {linear_thread % size[0], linear_thread / size[0] % size[1],
          linear_thread / size[0] / size[1]};
}

void BlockChecker::State::report(SimtProblemKind kind, const Accessor& who, const Access& what,
                                 std::string message, uint64_t other_program_counter) const {
  launch.problems->add(
      {kind, block, who.thread, what.program_counter, other_program_counter, std::move(message)});
}

Verdict BlockChecker::State::access(const Accessor& who, const Access& what, bool copies) {
  same.settle();
  if (what.sort != AccessSort::plain) {
    orders.atomic(who.linear_thread, what.address, what.kind, what.order);
  }
  if (launch.memory != nullptr) {
    uint8_t* shadow = launch.memory->arena_shadow_at(what.address, what.num_bytes);
    if (shadow != nullptr) return access_global(who, what, shadow, copies);
  }
  if (SharedVariable* variable = find_shared(what.address)) {
    return access_shared(who, what, *variable, copies);
  }
  const auto within = [&](uintptr_t begin, uintptr_t end) {
    return what.address >= begin && what.address + static_cast<uintptr_t>(what.num_bytes) <= end;
  };
  if (within(who.stack_begin, who.stack_end)) return Verdict::go_on;
  if (what.kind == AccessKind::read && within(who.self_begin, who.self_end)) return Verdict::go_on;
  if (launch.memory != nullptr) {
    uint8_t* shadow = launch.memory->variable_shadow_at(what.address, what.num_bytes);
    if (shadow != nullptr) return access_global(who, what, shadow, copies);
  }
  return out_of_bounds(who, what, find_near(what.address));
}

// In a guard zone the access harms nobody; elsewhere it must not be made.
Verdict BlockChecker::State::out_of_bounds(const Accessor& who, const Access& what,
                                           SharedVariable* variable) {
  if (variable == nullptr && launch.memory == nullptr) return Verdict::go_on;  // of unknown memory
  const uintptr_t last_byte = what.address + static_cast<uintptr_t>(what.num_bytes) - 1;
  const bool harmless =
      variable == nullptr
          ? launch.memory->arena_shadow_at(what.address, what.num_bytes) != nullptr
          : std::max(distance_to(variable->begin, variable->what.num_bytes, what.address),
                     distance_to(variable->begin, variable->what.num_bytes, last_byte)) <=
                variable->what.guard_bytes;
  if (is_new(SimtProblemKind::out_of_bounds, what)) {
    Nearest nearest;
    bool found = launch.memory != nullptr && find_nearest(*launch.memory, what.address, nearest);
    if (variable != nullptr &&
        (!found || distance_to(variable->begin, variable->what.num_bytes, what.address) <
                       distance_to(nearest.begin, nearest.num_bytes, what.address))) {
      nearest = variable->place();
      found = true;
    }
    report(SimtProblemKind::out_of_bounds, who, what,
           bounds_text(what, found ? &nearest : nullptr));
  }
  return harmless ? Verdict::go_on : Verdict::stop_thread;
}

Verdict BlockChecker::State::access_global(const Accessor& who, const Access& what, uint8_t* shadow,
                                           bool copies) {
  const bool reads = what.kind != AccessKind::write, writes = what.kind != AccessKind::read;
  const uint8_t denied = writes ? kReadOnly | kReleased : kReleased;
  uint8_t all = kValid | kInitialised, any = 0;
  for (int64_t i = 0; i < what.num_bytes; ++i) {
    all &= shadow[i];
    any |= shadow[i];
  }
  if ((all & kValid) == 0 || (any & denied) != 0) return out_of_bounds(who, what, nullptr);
  if (writes) note_write(who, what, shadow);
  if ((all & kInitialised) != 0) return Verdict::go_on;
  if (reads && !copies && is_new(SimtProblemKind::uninitialised_read, what)) {
    Nearest nearest;
    find_nearest(*launch.memory, what.address, nearest);
    const auto num_missing = std::count_if(
        shadow, shadow + what.num_bytes, [](uint8_t state) { return (state & kInitialised) == 0; });
    report_uninitialised(who, what, nearest, num_missing);
  }
  for (int64_t i = 0; writes && i < what.num_bytes; ++i) shadow[i] |= kInitialised;
  return Verdict::go_on;
}

void BlockChecker::State::note_write(const Accessor& who, const Access& what, uint8_t* shadow) {
  for (int64_t i = 0; i < what.num_bytes; ++i) shadow[i] |= kWritten;
  if (launch.watch.num_bytes == 0 || !launch.watches(what)) return;
  const std::lock_guard lock(launch.mutex);
  launch.last_write = {block, who.thread, what.program_counter};
}

Verdict BlockChecker::State::access_shared(const Accessor& who, const Access& what,
                                           SharedVariable& variable, bool copies) {
  if (what.address + static_cast<uintptr_t>(what.num_bytes) > variable.end()) {
    return out_of_bounds(who, what, &variable);
  }
  const SharedAccess how{who.linear_thread, launch.wave_width,    what.kind,
                         what.sort,         what.program_counter, launch.lockstep_volatile};
  const auto offset = static_cast<int64_t>(what.address - variable.begin);
  if (expected.settle(who.linear_thread, what)) {
    variable.shadow.forgive_reads(offset, what.num_bytes, who.linear_thread);
  }
  Findings findings;
  variable.shadow.access(orders, offset, what.num_bytes, how, findings);
  if (what.kind == AccessKind::read && what.sort == AccessSort::plain) {
    expected.note(who.linear_thread, what);
  }
  if (findings.conflict.time != 0) note_race(who, what, variable, findings);
  if (findings.num_uninitialised > 0 && !copies) {
    report_uninitialised(who, what, variable.place(), findings.num_uninitialised);
  }
  return Verdict::go_on;
}

void BlockChecker::State::report_uninitialised(const Accessor& who, const Access& what,
                                               const Nearest& nearest, int64_t num_bytes) const {
  if (!is_new(SimtProblemKind::uninitialised_read, what)) return;
  const std::string place =
      place_text(nearest.region, nearest.begin, nearest.num_bytes, what.address);
  const std::string how_many = num_bytes == what.num_bytes
                                   ? "which nobody has written"
                                   : fmt::format("{} of which nobody has written", num_bytes);
  report(SimtProblemKind::uninitialised_read, who, what, access_text(what, place) + how_many);
}

// A race with an atomic write of a read that an exchange may follow waits for that, one of two
// other writes for the value.
void BlockChecker::State::note_race(const Accessor& who, const Access& what,
                                    const SharedVariable& variable, const Findings& findings) {
  const bool reads = what.kind == AccessKind::read && what.sort == AccessSort::plain;
  const bool after_write =
      reads && findings.conflict_writes && findings.conflict.sort == AccessSort::atomic;
  const bool after_read = what.sort == AccessSort::atomic && !findings.conflict_writes &&
                          expected.is_open(findings.conflict.thread, what.address);
  const bool of_writes = what.kind == AccessKind::write && findings.conflict_writes &&
                         what.sort != AccessSort::atomic &&
                         findings.conflict.sort != AccessSort::atomic;
  const auto report = [this, who, what, &variable, findings] {
    report_race(who, what, variable, findings);
  };
  if (of_writes) {
    same.hold(what.address, what.num_bytes, report);
  } else if (after_write || after_read) {
    expected.hold(after_write ? who.linear_thread : findings.conflict.thread, report);
  } else {
    report();
  }
}

void BlockChecker::State::report_race(const Accessor& who, const Access& what,
                                      const SharedVariable& variable,
                                      const Findings& findings) const {
  if (!is_new(SimtProblemKind::shared_race, what)) return;
  const Trace& other = findings.conflict;
  const auto thread = coordinates(other.thread);
  const uint32_t other_wave = other.thread / launch.wave_width;
  const std::string waves = who.wave == other_wave
                                ? fmt::format("both in wave {}", who.wave)
                                : fmt::format("waves {} and {}", who.wave, other_wave);
  const std::string place =
      place_text(variable.region(), variable.begin, variable.what.num_bytes, what.address);
  report(
      SimtProblemKind::shared_race, who, what,
      access_text(what, place) +
          fmt::format("which thread ({}, {}, {}) has {} with no barrier between ({})", thread[0],
                      thread[1], thread[2], findings.conflict_writes ? "written" : "read", waves),
      other.program_counter);
}

bool BlockChecker::State::initialised(uintptr_t address) {
  if (const SharedVariable* variable = find_shared(address)) {
    return variable->shadow.initialised(orders, static_cast<int64_t>(address - variable->begin));
  }
  const uint8_t* shadow = launch.memory == nullptr ? nullptr : launch.memory->shadow_at(address, 1);
  return shadow == nullptr || (*shadow & (kInitialised | kValid)) != kValid;
}

void BlockChecker::State::forget(uintptr_t address) {
  if (SharedVariable* variable = find_shared(address)) {
    variable->shadow.forget_write(static_cast<int64_t>(address - variable->begin));
    return;
  }
  uint8_t* shadow = launch.memory == nullptr ? nullptr : launch.memory->shadow_at(address, 1);
  if (shadow != nullptr) *shadow &= static_cast<uint8_t>(~kInitialised);
}

}  // namespace ambidex::simt
