// SPDX-License-Identifier: Apache-2.0
#include "data/batch_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "ambidex/base.h"
#include "base/random.h"

namespace ambidex {
namespace {

constexpr uint64_t kShufflePurpose = 2;

/// In [0, bound), from random bits: the high half of their product.
uint64_t below(uint64_t bits, uint64_t bound) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<uint64_t>((static_cast<Wide>(bits) * bound) >> 64);
}

void clear(Records& records) {
  records.size = 0;
  records.labels.clear();
  records.dense.clear();
  records.ids.clear();
  records.numbers.clear();
}

template <class T>
void copy_row(const std::vector<T>& from, int64_t row, int64_t width, std::vector<T>& to) {
  const auto begin = from.begin() + row * width;
  to.insert(to.end(), begin, begin + width);
}

template <class T>
void move_row(std::vector<T>& values, int64_t from, int64_t to, int64_t width) {
  std::copy_n(values.begin() + from * width, width, values.begin() + to * width);
}

}  // namespace

BatchStream::BatchStream(Source source, RecordLayout layout, StreamOptions options)
    : source_(std::move(source)), layout_(std::move(layout)), options_(std::move(options)) {
  bad_.num_allowed = options_.data.skip_bad;
  windows_to_pass_ = options_.data.rank;
  range_ = range_of(options_.split, options_.data.part);
  source_.end_before(range_.end);
}

/// Goes to the part's first record if it is still ahead.
void BatchStream::enter_part() {
  if (source_.position().record >= range_.first) return;
  if (part_begin_) {
    source_.seek(*part_begin_);
    return;
  }
  source_.pass_to(range_.first);
  part_begin_ = source_.position();
}

/// Of the records from `begin` on, those of the part; only a random split mixes it with others.
void BatchStream::keep_part(int64_t begin) {
  if (options_.split.spec.kind != SplitKind::random) return;
  const int64_t num_dense = std::ssize(layout_.dense);
  int64_t kept = begin;
  for (int64_t row = begin; row < window_.size; ++row) {
    const int64_t number = window_.numbers[static_cast<size_t>(row)];
    if (!is_in_part(options_.split, options_.data.part, number)) continue;
    if (row != kept) {
      move_row(window_.labels, row, kept, 1);
      move_row(window_.dense, row, kept, num_dense);
      move_row(window_.ids, row, kept, layout_.num_lookups);
      move_row(window_.numbers, row, kept, 1);
    }
    ++kept;
  }
  window_.size = kept;
  window_.labels.resize(static_cast<size_t>(kept));
  window_.dense.resize(static_cast<size_t>(kept * num_dense));
  window_.ids.resize(static_cast<size_t>(kept * layout_.num_lookups));
  window_.numbers.resize(static_cast<size_t>(kept));
}

bool BatchStream::read_window() {
  window_position_ = source_.position();
  window_skipped_ = bad_.count;
  in_window_ = 0;
  clear(window_);
  enter_part();
  while (window_.size < options_.window) {
    // Never beyond the window's last sample: the next window begins where this one ends.
    const int64_t size = window_.size;
    source_.read(window_, options_.window - size, bad_);
    if (window_.size == size) break;
    keep_part(size);
  }
  num_part_samples_ += window_.size;
  return window_.size > 0;
}

void BatchStream::order_window() {
  order_.resize(static_cast<size_t>(window_.size));
  std::iota(order_.begin(), order_.end(), 0);
  if (!options_.data.shuffle) return;
  uint64_t key = random_key(static_cast<uint64_t>(options_.data.seed), kShufflePurpose);
  key = random_key(key, static_cast<uint64_t>(epoch_));
  key = random_key(key, static_cast<uint64_t>(window_position_.record));
  for (size_t i = order_.size(); i > 1; --i) {
    std::swap(order_[i - 1], order_[below(random_bits(key, i), i)]);
  }
}

bool BatchStream::read_own_window() {
  for (; windows_to_pass_ > 0; --windows_to_pass_) {
    if (!read_window()) return false;
  }
  if (!read_window()) return false;
  windows_to_pass_ = options_.data.num_ranks - 1;
  order_window();
  return true;
}

void BatchStream::take(int64_t row) {
  ++pending_.size;
  pending_.labels.push_back(window_.labels[static_cast<size_t>(row)]);
  pending_.numbers.push_back(window_.numbers[static_cast<size_t>(row)]);
  copy_row(window_.dense, row, std::ssize(layout_.dense), pending_.dense);
  copy_row(window_.ids, row, layout_.num_lookups, pending_.ids);
}

/// The pending samples, feature by feature.
void BatchStream::finish(Batch& batch) {
  batch.size = pending_.size;
  batch.labels = pending_.labels;
  batch.numbers = pending_.numbers;
  batch.dense = pending_.dense;
  batch.ids.resize(pending_.ids.size());
  for (const IdColumn& column : layout_.ids) {
    const int32_t* from = pending_.ids.data() + column.first;
    int32_t* to = batch.ids.data() + batch.size * column.first;
    for (int64_t row = 0; row < batch.size; ++row) {
      for (int64_t i = 0; i < column.lookups; ++i) *to++ = from[i];
      from += layout_.num_lookups;
    }
  }
  clear(pending_);
  ++num_batches_;
}

/// False, unless an epoch without any batch is a mistake of the caller's.
bool BatchStream::end_epoch() {
  const DataOptions& data = options_.data;
  if (!is_from_start_ || num_batches_ > 0) return false;
  if (num_part_samples_ == 0) {
    const bool is_all = data.part == SplitPart::all || options_.split.spec.kind == SplitKind::none;
    const std::string_view remedy =
        is_all ? "give a file that has some" : "give more data or change data.split";
    throw Error(ErrorKind::bad_input,
                fmt::format("{}: no samples in part \"{}\" ({} unreadable); {}", data.path,
                            name_of(data.part), bad_.count, remedy));
  }
  if (data.drop_partial && data.num_ranks == 1) {
    throw Error(ErrorKind::bad_input,
                fmt::format("{}: {} samples in part \"{}\" do not fill a batch of {}; choose a "
                            "smaller batch",
                            data.path, num_part_samples_, name_of(data.part), data.batch));
  }
  return false;
}

bool BatchStream::next(Batch& batch) {
  while (pending_.size < options_.data.batch) {
    if (in_window_ == window_.size && !read_own_window()) break;
    const int64_t wanted = options_.data.batch - pending_.size;
    const int64_t end = std::min(window_.size, in_window_ + wanted);
    for (; in_window_ < end; ++in_window_) take(order_[static_cast<size_t>(in_window_)]);
  }
  const bool is_full = pending_.size == options_.data.batch;
  if (pending_.size == 0 || (!is_full && options_.data.drop_partial)) return end_epoch();
  finish(batch);
  return true;
}

void BatchStream::seek(const DataPosition& position) {
  clear(window_);
  clear(pending_);
  source_.seek({.file = position.window_file,
                .byte = position.window_byte,
                .line = position.window_line,
                .record = position.window_record});
  bad_.count = position.num_skipped;
  in_window_ = 0;
  num_part_samples_ = 0;
  num_batches_ = 0;
  epoch_ = position.epoch;
  window_position_ = {};
  window_skipped_ = 0;
  windows_to_pass_ = position.window_record == 0 ? options_.data.rank : 0;
}

void BatchStream::restore(const DataPosition& position) {
  const auto values = {position.epoch,       position.window_record, position.window_byte,
                       position.window_file, position.window_line,   position.in_window,
                       position.num_skipped};
  if (std::ranges::any_of(values, [](int64_t value) { return value < 0; })) {
    throw Error(ErrorKind::bad_input,
                fmt::format("{}: a saved position with a number below 0; the file that holds it is "
                            "damaged",
                            options_.data.path));
  }
  seek(position);
  is_from_start_ = position.window_record == 0 && position.in_window == 0;
  if (is_from_start_) return;
  read_own_window();  // at the end of an epoch there is none
  if (position.in_window > window_.size) {
    throw Error(ErrorKind::bad_input,
                fmt::format("{}: the saved position is behind the end of the data; was the file "
                            "changed since?",
                            options_.data.path));
  }
  in_window_ = position.in_window;
}

DataPosition BatchStream::position() const {
  return {.epoch = epoch_,
          .window_record = window_position_.record,
          .window_byte = window_position_.byte,
          .window_file = window_position_.file,
          .window_line = window_position_.line,
          .in_window = in_window_,
          .num_skipped = window_skipped_};
}

}  // namespace ambidex
