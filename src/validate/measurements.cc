// SPDX-License-Identifier: Apache-2.0
#include "ambidex/measurements.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <unordered_map>

#include "base/text.h"
#include "validate/csv.h"
#include "validate/formats.h"

namespace ambidex {
namespace {

struct TextHash {
  using is_transparent = void;
  size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
};
/// What has been read once is found again by its cells: most rows parse nothing but their time.
using Memo = std::unordered_map<std::string, int32_t, TextHash, std::equal_to<>>;

constexpr int32_t kSkipped = -1;

bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

/// Runs of digits compare as numbers: "8_16" before "16_8".
bool natural_less(std::string_view a, std::string_view b) {
  while (!a.empty() && !b.empty()) {
    const auto digits = [](std::string_view text) {
      return static_cast<size_t>(std::find_if_not(text.begin(), text.end(), is_digit) -
                                 text.begin());
    };
    const size_t num_a = digits(a);
    const size_t num_b = digits(b);
    if (num_a != num_b && num_a > 0 && num_b > 0) return num_a < num_b;
    if (a.front() != b.front()) return a.front() < b.front();
    a.remove_prefix(1);
    b.remove_prefix(1);
  }
  return a.size() < b.size();
}

struct ColumnExclusion {
  std::vector<std::pair<int, std::string>> cells;
};

std::vector<ColumnExclusion> located(const std::vector<Exclusion>& exclusions, const CsvRow& row) {
  std::vector<ColumnExclusion> out;
  for (const Exclusion& exclusion : exclusions) {
    ColumnExclusion& columns = out.emplace_back();
    for (const auto& [column, value] : exclusion.cells) {
      columns.cells.emplace_back(row.require(column), value);
    }
  }
  return out;
}

bool is_excluded(const CsvRow& row, const std::vector<ColumnExclusion>& exclusions) {
  const auto matches = [&](const ColumnExclusion& exclusion) {
    return std::all_of(exclusion.cells.begin(), exclusion.cells.end(),
                       [&](const auto& cell) { return row.cell(cell.first) == cell.second; });
  };
  return std::any_of(exclusions.begin(), exclusions.end(), matches);
}

/// All fields of a configuration, in an order that sorts.
auto fields_of(const GemmConfig& c) {
  const auto& [wave_m, wave_n, stream_k, xcc, schedule, direct, transpose, hints] = c.tensile;
  const auto& [stagger, stride, past_a, past_d, cluster, single] = hints;
  return std::tuple(c.tile.m, c.tile.n, c.tile.k, c.num_warps, c.num_stages, c.group_m, c.split_k,
                    c.amd.matrix_instr, c.amd.waves_per_eu, c.amd.kpack, wave_m, wave_n, stream_k,
                    xcc, schedule, direct, transpose, stagger, stride, past_a, past_d, cluster,
                    single);
}
auto fields_of(const MeasuredShape& shape) {
  const GemmOp& op = shape.op;  // a file never has an epilogue
  return std::tuple(shape.device, op.m, op.n, op.k, op.batch, op.dtype, op.out_dtype, op.layout,
                    op.cold);
}

void sort_configs(Measurements& measured) {
  std::vector<MeasuredConfig>& configs = measured.configs;
  std::vector<int32_t> order(configs.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
    return natural_less(configs[a].identity, configs[b].identity);
  });
  std::vector<MeasuredConfig> sorted;
  std::vector<int32_t> place(configs.size());
  std::map<decltype(fields_of(GemmConfig())), int32_t> first;
  for (const int32_t old : order) {
    const auto index = static_cast<int32_t>(sorted.size());
    place[old] = index;
    sorted.push_back(std::move(configs[old]));
    // The names of libraries are in no field either, but they are no twins.
    const bool is_library = sorted.back().config.kernel_template == KernelTemplate::library;
    sorted.back().twin =
        is_library ? index
                   : first.try_emplace(fields_of(sorted.back().config), index).first->second;
  }
  configs = std::move(sorted);
  for (MeasuredShape& shape : measured.shapes) {
    for (Timing& timing : shape.timings) timing.config = place[timing.config];
  }
}

/// Several timings of one configuration become their median.
void merge_repeats(std::vector<Timing>& timings) {
  std::sort(timings.begin(), timings.end(), [](const Timing& a, const Timing& b) {
    return std::tie(a.config, a.seconds) < std::tie(b.config, b.seconds);
  });
  size_t kept = 0;
  for (size_t begin = 0, end = 0; begin < timings.size(); begin = end) {
    while (end < timings.size() && timings[end].config == timings[begin].config) ++end;
    const double low = timings[begin + (end - begin - 1) / 2].seconds;
    const double high = timings[begin + (end - begin) / 2].seconds;
    timings[kept++] = {timings[begin].config, (low + high) / 2};
  }
  timings.resize(kept);
}

class Builder {
 public:
  Builder(CsvRow& row, const MeasurementOptions& options)
      : row_(row), options_(options), plan_(plan_columns(row)) {
    out_.format = plan_.format;
    for (const int column : plan_.config) out_.config_columns.push_back(row.columns()[column]);
    exclusions_ = located(options.exclusions, row);
  }

  Measurements read() {
    while (row_.next()) add_row();
    sort_configs(out_);
    for (MeasuredShape& shape : out_.shapes) merge_repeats(shape.timings);
    std::erase_if(out_.shapes, [](const MeasuredShape& shape) { return shape.timings.empty(); });
    return std::move(out_);
  }

 private:
  void add_row() {
    ++out_.num_rows;
    const int32_t shape = shape_index();
    if (shape == kSkipped) {
      ++out_.num_skipped_rows;
      return;
    }
    const int32_t config = config_index();
    const double seconds = row_.microseconds(plan_.time_us) * 1e-6;
    if (is_excluded(row_, exclusions_)) {
      ++out_.num_excluded_rows;
      return;
    }
    out_.shapes[shape].timings.push_back({config, seconds});
  }

  const std::string& key_of(const std::vector<int>& columns) {
    key_.clear();
    for (const int column : columns) {
      key_ += row_.cell(column);
      key_ += ',';
    }
    if (!key_.empty()) key_.pop_back();
    return key_;
  }

  int32_t shape_index() {
    const auto found = shape_memo_.find(key_of(plan_.shape));
    if (found != shape_memo_.end()) return found->second;
    std::optional<MeasuredShape> shape = shape_of(row_, plan_.format, options_.device);
    int32_t index = kSkipped;
    if (shape) {
      const auto next = static_cast<int32_t>(out_.shapes.size());
      const auto [known, is_new] = shapes_.try_emplace(fields_of(*shape), next);
      index = known->second;
      if (is_new) out_.shapes.push_back(std::move(*shape));
    }
    shape_memo_.emplace(key_, index);
    return index;
  }

  int32_t config_index() {
    const auto found = config_memo_.find(key_of(plan_.config));
    if (found != config_memo_.end()) return found->second;
    const auto index = static_cast<int32_t>(out_.configs.size());
    out_.configs.push_back({.config = config_of(row_, plan_.format), .identity = key_});
    config_memo_.emplace(key_, index);
    return index;
  }

  CsvRow& row_;
  const MeasurementOptions& options_;
  ColumnPlan plan_;
  std::vector<ColumnExclusion> exclusions_;
  std::map<decltype(fields_of(MeasuredShape())), int32_t> shapes_;
  Memo shape_memo_;
  Memo config_memo_;
  std::string key_;
  Measurements out_;
};

Measurements read_all(LineReader reader, const MeasurementOptions& options) {
  CsvRow row(reader);
  return Builder(row, options).read();
}

}  // namespace

Exclusion exclusion_from_text(std::string_view text) {
  Exclusion exclusion;
  const std::string whole(text);
  while (true) {
    const size_t end = std::min(text.find(','), text.size());
    const std::string_view cell = text.substr(0, end);
    const size_t equals = cell.find('=');
    if (equals == std::string_view::npos || equals == 0) {
      throw Error(ErrorKind::bad_input,
                  fmt::format("--exclude: expected COLUMN=VALUE[,COLUMN=VALUE], got {}; name "
                              "columns as in the file",
                              quote(whole)));
    }
    exclusion.cells.emplace_back(cell.substr(0, equals), cell.substr(equals + 1));
    text.remove_prefix(end);
    if (text.empty()) return exclusion;
    text.remove_prefix(1);
  }
}

Measurements read_measurements(const std::string& path, const MeasurementOptions& options) {
  return read_all(LineReader::from_file(path), options);
}

Measurements parse_measurements(std::string_view text, const std::string& where,
                                const MeasurementOptions& options) {
  return read_all(LineReader::from_text(text, where), options);
}

}  // namespace ambidex
