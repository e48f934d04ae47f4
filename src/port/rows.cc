// SPDX-License-Identifier: Apache-2.0
#include "port/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <tuple>

namespace ambidex {
namespace {

using Group = std::vector<const UnorderedBuffer*>;

constexpr int64_t kMostPerRow = 16;  // elements of a buffer beside one of another

int64_t rows_of(const UnorderedBuffer& buffer) {
  return static_cast<int64_t>(buffer.original.size()) / buffer.row_bytes;
}

struct Row {
  std::string exact;            // integers, bytes, and which floats are no numbers
  std::vector<double> numbers;  // floats
  int64_t index = 0;
  bool operator<(const Row& other) const {
    return std::tie(exact, numbers) < std::tie(other.exact, other.numbers);
  }
};

struct Rows {
  std::vector<Row> rows;           // sorted
  std::vector<double> tolerances;  // of each number of a row, of its own size
  std::vector<double> floors;      // the same, whatever the size
};

void add_cells(const UnorderedBuffer& buffer, std::string_view cells, Row& row) {
  if (!is_float(buffer.element)) {
    row.exact += cells;
    return;
  }
  const auto stride = static_cast<size_t>(element_bytes(buffer.element));
  for (size_t at = 0; at < cells.size(); at += stride) {
    const double number =
        decode(buffer.element, reinterpret_cast<const std::byte*>(cells.data() + at));
    row.exact += std::isnan(number) ? 'n' : ' ';
    row.numbers.push_back(std::isnan(number) ? 0 : number);
  }
}

// Torn rows are looked for here; how exact numbers must be, each buffer's own comparison says.
void add_tolerances(const Group& group, int64_t num_rows, Rows& all) {
  constexpr double kElementwise = 16, kOther = 1024;  // times the spacing of the type's numbers
  size_t next = 0;
  for (const UnorderedBuffer* buffer : group) {
    if (!is_float(buffer->element)) continue;
    const int64_t bytes = static_cast<int64_t>(buffer->original.size()) / num_rows;
    const bool elementwise = buffer->error_class == ErrorClass::elementwise;
    const double part = element_epsilon(buffer->element) * (elementwise ? kElementwise : kOther);
    for (int64_t i = 0; i < bytes / element_bytes(buffer->element); ++i, ++next) {
      double largest = 0;
      for (const Row& row : all.rows) {
        if (std::isfinite(row.numbers[next])) {
          largest = std::max(largest, std::fabs(row.numbers[next]));
        }
      }
      all.tolerances.push_back(part);
      all.floors.push_back(elementwise ? 0 : part * largest);
    }
  }
}

using Contents = std::function<std::string_view(const UnorderedBuffer&)>;

Rows read_rows(const Group& group, int64_t num_rows, const Contents& contents) {
  Rows all;
  all.rows.resize(static_cast<size_t>(num_rows));
  for (const UnorderedBuffer* buffer : group) {
    const std::string_view bytes = contents(*buffer);
    const size_t stride = buffer->original.size() / static_cast<size_t>(num_rows);
    for (size_t i = 0; i < all.rows.size(); ++i) {
      add_cells(*buffer, bytes.substr(i * stride, stride), all.rows[i]);
    }
  }
  for (size_t i = 0; i < all.rows.size(); ++i) all.rows[i].index = static_cast<int64_t>(i);
  std::sort(all.rows.begin(), all.rows.end());
  add_tolerances(group, num_rows, all);
  return all;
}

bool is_close(double a, double b, double part, double floor) {
  return a == b || std::fabs(a - b) <= part * std::max(std::fabs(a), std::fabs(b)) + floor;
}

bool is_same(const Rows& all, const Row& a, const Row& b) {
  if (a.exact != b.exact || a.numbers.size() != b.numbers.size()) return false;
  for (size_t i = 0; i < a.numbers.size(); ++i) {
    if (!is_close(a.numbers[i], b.numbers[i], all.tolerances[i], all.floors[i])) return false;
  }
  return true;
}

// The first row of `others` that `all` has not; each is used once. Numbers that are equal but for
// rounding may have been sorted otherwise, so that the neighbours are tried, too.
std::optional<Row> first_foreign(const Rows& all, const Rows& others) {
  constexpr size_t kNeighbours = 64;
  std::vector<bool> used(all.rows.size());
  for (size_t i = 0; i < others.rows.size(); ++i) {
    const Row& row = others.rows[i];
    size_t found = used.size();
    for (size_t distance = 0; distance < kNeighbours && found == used.size(); ++distance) {
      for (const size_t at : {i + distance, i - distance}) {  // below 0 it wraps, to beyond the end
        if (at < used.size() && !used[at] && is_same(all, all.rows[at], row)) found = at;
      }
      if (row.numbers.empty()) break;  // sorted by all that counts
    }
    if (found == used.size()) return row;
    used[found] = true;
  }
  return std::nullopt;
}

std::string names_of(const Group& group) {
  std::vector<std::string> names;
  for (const UnorderedBuffer* buffer : group) names.push_back(buffer->name);
  return fmt::format("{}", fmt::join(names, " and "));
}

struct Outcome {
  bool binds = false;
  std::string difference;
};

// What the original writes together, the port must.
Outcome judge_group(const Group& group, int64_t num_rows) {
  const Rows original =
      read_rows(group, num_rows, [](const UnorderedBuffer& buffer) { return buffer.original; });
  const size_t num_orders = group[0]->orders.size();
  for (size_t order = 0; order < num_orders; ++order) {
    const Rows again = read_rows(
        group, num_rows, [&](const UnorderedBuffer& buffer) { return buffer.orders[order]; });
    if (first_foreign(original, again)) return {};
  }
  const Rows port =
      read_rows(group, num_rows, [](const UnorderedBuffer& buffer) { return buffer.port; });
  const auto foreign = first_foreign(original, port);
  if (!foreign) return {.binds = true, .difference = {}};
  return {
      .binds = true,
      .difference = fmt::format("element {} of {}: the original leaves no such row in any order; "
                                "what it writes together has come apart",
                                foreign->index, names_of(group))};
}

// Whether every run has left as many bytes.
bool is_whole(const UnorderedBuffer& buffer, size_t num_orders) {
  const auto whole = [&](std::string_view run) { return run.size() == buffer.original.size(); };
  return whole(buffer.port) && buffer.orders.size() == num_orders && num_orders > 0 &&
         std::all_of(buffer.orders.begin(), buffer.orders.end(), whole) && rows_of(buffer) > 1;
}

// All that can stand beside the rows of the shortest.
Group beside(const Group& all, int64_t num_rows) {
  Group group;
  for (const UnorderedBuffer* buffer : all) {
    const int64_t rows = rows_of(*buffer);
    if (rows % num_rows == 0 && rows / num_rows <= kMostPerRow) group.push_back(buffer);
  }
  return group;
}

void judge_pairs(const Group& group, int64_t num_rows, RowsAgreement& agreement) {
  for (size_t i = 0; i < group.size(); ++i) {
    for (size_t j = i + 1; j < group.size(); ++j) {
      const Group pair{group[i], group[j]};
      const Outcome outcome = judge_group(pair, num_rows);
      if (!outcome.binds) agreement.unbound.push_back(names_of(pair));
      if (agreement.difference.empty()) agreement.difference = outcome.difference;
    }
  }
}

}  // namespace

RowsAgreement compare_rows(const std::vector<UnorderedBuffer>& buffers) {
  RowsAgreement agreement;
  if (buffers.empty()) return agreement;
  Group all;
  for (const UnorderedBuffer& buffer : buffers) {
    if (is_whole(buffer, buffers[0].orders.size())) all.push_back(&buffer);
  }
  std::map<int64_t, Group> by_rows;
  for (const UnorderedBuffer* buffer : all) by_rows[rows_of(*buffer)].push_back(buffer);
  for (const auto& [num_rows, same] : by_rows) {
    const Group group = beside(all, num_rows);
    if (group.size() > same.size()) {
      const Outcome outcome = judge_group(group, num_rows);
      if (agreement.difference.empty()) agreement.difference = outcome.difference;
      if (outcome.binds) continue;
    }
    if (same.size() == 1 && same[0]->row_bytes == element_bytes(same[0]->element)) continue;
    const Outcome outcome = judge_group(same, num_rows);
    if (agreement.difference.empty()) agreement.difference = outcome.difference;
    if (outcome.binds) continue;
    if (same.size() == 1) agreement.unbound.push_back("the parts of " + same[0]->name);
    judge_pairs(same, num_rows, agreement);
  }
  return agreement;
}

}  // namespace ambidex
