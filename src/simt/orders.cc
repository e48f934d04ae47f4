// SPDX-License-Identifier: Apache-2.0
#include "simt/orders.h"

#include <algorithm>
#include <bit>

namespace ambidex::simt {
namespace {

void join_into(Known& into, const Known& other) {
  for (size_t i = 0; i < into.size(); ++i) into[i] = std::max(into[i], other[i]);
}

}  // namespace

Orders::Orders(uint32_t num_threads, uint32_t wave_width)
    : num_threads_(num_threads),
      wave_width_(wave_width),
      by_wave_((num_threads + wave_width - 1) / wave_width),
      by_lane_(size_t{num_threads} * wave_width),
      far_(num_threads),
      pending_(num_threads),
      fenced_(num_threads) {}

void Orders::restart() {
  now_ = 1;
  block_begin_ = block_known_ = 0;
  std::fill(by_wave_.begin(), by_wave_.end(), 0);
  std::fill(by_lane_.begin(), by_lane_.end(), 0);
  std::fill(fenced_.begin(), fenced_.end(), 0);
  forget_fences();
}

void Orders::begin_block() {
  block_barrier();
  block_begin_ = block_known_;
}

void Orders::block_barrier() {
  block_known_ = now_++;
  forget_fences();
}

// All that they said is older than a barrier of the whole block.
void Orders::forget_fences() {
  if (!any_far_) return;
  std::fill(far_.begin(), far_.end(), nullptr);
  std::fill(pending_.begin(), pending_.end(), nullptr);
  carried_.clear();
  any_far_ = false;
}

void Orders::wave_barrier(uint32_t wave, uint64_t lanes) {
  const Time time = now_++;
  const uint32_t first = wave * wave_width_;
  const uint32_t width = std::min(wave_width_, num_threads_ - first);
  const uint64_t all = width == 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1;
  if (any_far_) join_far(first, lanes & all);
  if ((lanes & all) == all) {
    by_wave_[wave] = time;
    return;
  }
  std::array<Time, 64> merged{};
  for (uint32_t lane = 0; lane < width; ++lane) {
    if ((lanes >> lane & 1) == 0) continue;
    const Time* known = lanes_of(first + lane);
    for (uint32_t i = 0; i < width; ++i) merged[i] = std::max(merged[i], known[i]);
  }
  for (uint32_t lane = 0; lane < width; ++lane) {
    if ((lanes >> lane & 1) != 0) merged[lane] = time;
  }
  for (uint32_t lane = 0; lane < width; ++lane) {
    if ((lanes >> lane & 1) != 0) std::copy_n(merged.begin(), width, lanes_of(first + lane));
  }
}

// What one of them knows of other waves, all of them know now.
void Orders::join_far(uint32_t first, uint64_t lanes) {
  Shared all;
  for (uint64_t rest = lanes; rest != 0; rest &= rest - 1) {
    join(all, far_[first + static_cast<uint32_t>(std::countr_zero(rest))]);
  }
  for (uint64_t rest = lanes; rest != 0; rest &= rest - 1) {
    far_[first + static_cast<uint32_t>(std::countr_zero(rest))] = all;
  }
}

void Orders::join(Shared& into, const Shared& other) {
  if (!other || into == other) return;
  if (!into) {
    into = other;
    return;
  }
  auto both = std::make_shared<Known>(*into);
  join_into(*both, *other);
  into = std::move(both);
}

Known Orders::all_known(uint32_t thread, Time own) const {
  Known known = far_[thread] ? *far_[thread] : Known(num_threads_);
  const uint32_t wave = thread / wave_width_;
  const uint32_t first = wave * wave_width_;
  const Time* lanes = lanes_of(thread);
  for (uint32_t i = 0; i < std::min(wave_width_, num_threads_ - first); ++i) {
    known[first + i] = std::max({known[first + i], lanes[i], by_wave_[wave]});
  }
  known[thread] = own;
  return known;
}

void Orders::named_barrier(std::span<const uint32_t> arrived, std::span<const uint32_t> waiting) {
  const Time time = now_++;
  auto all = std::make_shared<Known>(num_threads_);
  const Known* last = nullptr;
  for (const uint32_t thread : arrived) {
    const uint32_t first = thread / wave_width_ * wave_width_;
    const Time* lanes = lanes_of(thread);
    const Time together = by_wave_[thread / wave_width_];
    for (uint32_t i = 0; i < std::min(wave_width_, num_threads_ - first); ++i) {
      (*all)[first + i] = std::max({(*all)[first + i], lanes[i], together});
    }
    if (far_[thread] && far_[thread].get() != last) join_into(*all, *far_[thread]);
    last = far_[thread].get();
  }
  for (const uint32_t thread : arrived) (*all)[thread] = time;
  const Shared known = std::move(all);
  for (const uint32_t thread : waiting) far_[thread] = known;
  any_far_ = true;
}

void Orders::fence(uint32_t thread) {
  fenced_[thread] = now_++;
  if (!pending_[thread]) return;
  join(far_[thread], pending_[thread]);
  pending_[thread] = nullptr;
}

void Orders::atomic(uint32_t thread, uintptr_t address, AccessKind kind, Order order) {
  const bool acquires = order == Order::acquire || order == Order::acquire_release;
  const bool releases = order == Order::release || order == Order::acquire_release;
  if (kind != AccessKind::write && !carried_.empty()) {
    const auto found = carried_.find(address);
    if (found != carried_.end()) join(acquires ? far_[thread] : pending_[thread], found->second);
  }
  if (kind == AccessKind::read) return;
  if (!releases && fenced_[thread] <= block_known_) return;  // nothing that others do not know
  const Time own = releases ? now_++ : fenced_[thread];
  join(carried_[address], std::make_shared<Known>(all_known(thread, own)));
  any_far_ = true;
}

bool Orders::knows_within(uint32_t thread, uint32_t other, Time time) const {
  if (thread / wave_width_ == other / wave_width_ &&
      (time <= by_wave_[thread / wave_width_] || time <= lanes_of(thread)[other % wave_width_])) {
    return true;
  }
  return far_[thread] && time <= (*far_[thread])[other];
}

}  // namespace ambidex::simt
