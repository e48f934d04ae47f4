// SPDX-License-Identifier: Apache-2.0
#include "simt/memory.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>

#include "ambidex/base.h"

namespace ambidex {
namespace simt {
namespace {

constexpr int64_t kPageBytes = 4096;
constexpr int64_t kMaxGuardBytes = int64_t{16} << 20;

int64_t round_up(int64_t num_bytes) {
  return (num_bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
}

// As wide as the allocation, so that an index that is off by a row still falls into it.
int64_t guard_bytes(int64_t num_bytes) {
  return std::clamp(round_up(num_bytes), kPageBytes, kMaxGuardBytes);
}

uint8_t first_state(const SimtRegion& region) {
  return kValid | (region.initialised ? kInitialised : 0) | (region.writable ? 0 : kReadOnly);
}

void consider(Nearest& nearest, int64_t& distance, uintptr_t address, const SimtRegion& region,
              uintptr_t begin, int64_t num_bytes, bool released) {
  const int64_t away = distance_to(begin, num_bytes, address);
  if (away > distance || (away == distance && released)) return;
  distance = away;
  nearest = {region, begin, num_bytes, released};
}

}  // namespace

Reservation::Reservation(int64_t num_bytes) : num_bytes_(num_bytes) {
  void* address = mmap(nullptr, static_cast<size_t>(num_bytes), PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (address == MAP_FAILED) {
    throw Error(ErrorKind::device_failure,
                fmt::format("the executor's memory: {} bytes of address space refused ({}); ask "
                            "for less, or raise the limit (ulimit -v)",
                            num_bytes, std::strerror(errno)));
  }
  begin_ = static_cast<uint8_t*>(address);
}

Reservation::~Reservation() { munmap(begin_, static_cast<size_t>(num_bytes_)); }

int64_t distance_to(uintptr_t begin, int64_t num_bytes, uintptr_t address) {
  if (address < begin) return static_cast<int64_t>(begin - address);
  const auto offset = static_cast<int64_t>(address - begin);
  return offset < num_bytes ? 0 : offset - num_bytes + 1;
}

bool find_nearest(SimtMemory::State& memory, uintptr_t address, Nearest& nearest) {
  const std::lock_guard lock(memory.mutex);
  int64_t distance = INT64_MAX;
  auto after = memory.allocations.upper_bound(address);
  if (after != memory.allocations.end()) {
    consider(nearest, distance, address, after->second.region, after->first,
             after->second.num_bytes, after->second.released);
  }
  if (after != memory.allocations.begin()) {
    const auto& [begin, allocation] = *std::prev(after);
    consider(nearest, distance, address, allocation.region, begin, allocation.num_bytes,
             allocation.released);
  }
  for (const Variable& variable : memory.variables) {
    consider(nearest, distance, address, variable.region, variable.begin, variable.num_bytes,
             false);
  }
  return distance != INT64_MAX;
}

}  // namespace simt

using namespace simt;

uint8_t* SimtMemory::State::variable_shadow_at(uintptr_t address, int64_t size) {
  const auto after =
      std::upper_bound(variables.begin(), variables.end(), address,
                       [](uintptr_t at, const Variable& variable) { return at < variable.begin; });
  if (after == variables.begin()) return nullptr;
  Variable& variable = *std::prev(after);
  const uintptr_t offset = address - variable.begin;
  if (offset > static_cast<uintptr_t>(variable.num_bytes) ||
      variable.num_bytes - static_cast<int64_t>(offset) < size) {
    return nullptr;
  }
  return variable.shadow.data() + offset;
}

SimtMemory::SimtMemory(int64_t max_bytes)
    : state_(std::make_unique<State>(round_up(std::max(max_bytes, int64_t{1})))) {}

SimtMemory::~SimtMemory() = default;

namespace {

// A released allocation with room for `num_bytes`; 0 if there is none.
uintptr_t reuse(SimtMemory::State& state, int64_t num_bytes) {
  for (auto& [begin, allocation] : state.allocations) {
    if (!allocation.released || allocation.capacity_bytes < num_bytes) continue;
    auto* bytes = reinterpret_cast<uint8_t*>(begin);
    madvise(bytes, static_cast<size_t>(allocation.capacity_bytes), MADV_DONTNEED);
    std::memset(state.known.begin() + (bytes - state.data.begin()), 0,
                static_cast<size_t>(allocation.capacity_bytes));
    return begin;
  }
  return 0;
}

}  // namespace

void* SimtMemory::allocate(int64_t num_bytes, SimtRegion region) {
  if (num_bytes < 0) {
    throw Error(ErrorKind::bad_input,
                fmt::format("memory for {}: {} bytes; ask for 0 or more", region.name, num_bytes));
  }
  const std::lock_guard lock(state_->mutex);
  Allocation allocation{std::move(region), num_bytes, 0};
  if (num_bytes > state_->num_bytes) num_bytes = state_->num_bytes;  // no overflow below
  const int64_t guard = guard_bytes(num_bytes);
  const int64_t first = state_->used_bytes == 0 ? guard : 0;
  int64_t capacity = std::max(round_up(num_bytes), kPageBytes);
  uintptr_t begin = 0;
  if (first + capacity + guard <= state_->num_bytes - state_->used_bytes) {
    begin = reinterpret_cast<uintptr_t>(state_->data.begin()) + state_->used_bytes + first;
    state_->used_bytes += first + capacity + guard;
  } else {
    begin = reuse(*state_, num_bytes);
    if (begin != 0) capacity = state_->allocations.at(begin).capacity_bytes;
  }
  if (begin == 0) {
    throw Error(ErrorKind::device_failure,
                fmt::format("memory for {}: {} bytes with their guard zones do not fit into what "
                            "is left of the executor's {}; release some, or give it more",
                            allocation.region.name, allocation.num_bytes, state_->num_bytes));
  }
  allocation.capacity_bytes = capacity;
  std::memset(state_->shadow_at(begin, num_bytes), first_state(allocation.region),
              static_cast<size_t>(num_bytes));
  state_->allocations[begin] = std::move(allocation);
  return reinterpret_cast<void*>(begin);
}

bool SimtMemory::release(void* begin) {
  const std::lock_guard lock(state_->mutex);
  const auto found = state_->allocations.find(reinterpret_cast<uintptr_t>(begin));
  if (found == state_->allocations.end() || found->second.released) return false;
  found->second.released = true;
  std::memset(state_->shadow_at(found->first, found->second.num_bytes), kReleased,
              static_cast<size_t>(found->second.num_bytes));
  madvise(begin, static_cast<size_t>(found->second.capacity_bytes), MADV_DONTNEED);
  return true;
}

void SimtMemory::add(void* begin, int64_t num_bytes, SimtRegion region) {
  const std::lock_guard lock(state_->mutex);
  Variable variable{std::move(region), reinterpret_cast<uintptr_t>(begin), num_bytes, {}};
  variable.shadow.assign(static_cast<size_t>(num_bytes), first_state(variable.region));
  auto& all = state_->variables;
  const auto after = std::find_if(
      all.begin(), all.end(), [&](const Variable& other) { return other.begin > variable.begin; });
  all.insert(after, std::move(variable));
}

void SimtMemory::remove(void* begin) {
  const std::lock_guard lock(state_->mutex);
  std::erase_if(state_->variables, [&](const Variable& variable) {
    return variable.begin == reinterpret_cast<uintptr_t>(begin);
  });
}

void SimtMemory::add_shared(SimtSharedVariable variable) {
  state_->shared.push_back(std::move(variable));
}

void SimtMemory::clear_shared() { state_->shared.clear(); }

const std::vector<SimtSharedVariable>& SimtMemory::shared() const { return state_->shared; }

void SimtMemory::set_initialised(const void* begin, int64_t num_bytes, bool initialised) {
  const auto address = reinterpret_cast<uintptr_t>(begin);
  uint8_t* shadow = state_->shadow_at(address, num_bytes);
  for (int64_t i = 0; shadow != nullptr && i < num_bytes; ++i) {
    const auto bit = static_cast<uint8_t>(kInitialised * (shadow[i] & kValid));
    shadow[i] = static_cast<uint8_t>(initialised ? shadow[i] | bit : shadow[i] & ~bit);
  }
}

void SimtMemory::copy_initialised(const void* target, const void* source, int64_t num_bytes) {
  uint8_t* to = state_->shadow_at(reinterpret_cast<uintptr_t>(target), num_bytes);
  const uint8_t* from = state_->shadow_at(reinterpret_cast<uintptr_t>(source), num_bytes);
  if (to == nullptr || from == nullptr) return;
  const std::vector<uint8_t> states(from, from + num_bytes);  // the ranges may overlap
  for (int64_t i = 0; i < num_bytes; ++i) {
    if ((to[i] & kValid) == 0) continue;
    to[i] = static_cast<uint8_t>((to[i] & ~kInitialised) | (states[i] & kInitialised));
  }
}

namespace {

// Of the bytes that `wanted` takes, by their shadow.
template <class Wanted>
std::vector<std::array<int64_t, 2>> ranges_of(const uint8_t* shadow, int64_t num_bytes,
                                              Wanted wanted) {
  std::vector<std::array<int64_t, 2>> ranges;
  for (int64_t i = 0; shadow != nullptr && i < num_bytes; ++i) {
    if (!wanted(shadow[i])) continue;
    if (ranges.empty() || ranges.back()[1] != i) ranges.push_back({i, i});
    ranges.back()[1] = i + 1;
  }
  return ranges;
}

}  // namespace

std::vector<std::array<int64_t, 2>> SimtMemory::uninitialised_ranges(const void* begin,
                                                                     int64_t num_bytes) const {
  return ranges_of(state_->shadow_at(reinterpret_cast<uintptr_t>(begin), num_bytes), num_bytes,
                   [](uint8_t state) { return (state & kInitialised) == 0; });
}

std::vector<std::array<int64_t, 2>> SimtMemory::written_ranges(const void* begin,
                                                               int64_t num_bytes) const {
  return ranges_of(state_->shadow_at(reinterpret_cast<uintptr_t>(begin), num_bytes), num_bytes,
                   [](uint8_t state) { return (state & kWritten) != 0; });
}

std::optional<SimtPlace> SimtMemory::find(const void* address) const {
  Nearest nearest;
  const auto at = reinterpret_cast<uintptr_t>(address);
  if (!find_nearest(*state_, at, nearest) || nearest.released ||
      distance_to(nearest.begin, nearest.num_bytes, at) != 0) {
    return std::nullopt;
  }
  return SimtPlace{nearest.region, reinterpret_cast<void*>(nearest.begin), nearest.num_bytes};
}

}  // namespace ambidex
