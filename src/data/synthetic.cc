// SPDX-License-Identifier: Apache-2.0
#include "data/synthetic.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string_view>
#include <variant>

#include "ambidex/base.h"
#include "base/text.h"
#include "data/source.h"

namespace ambidex {
namespace {

constexpr std::string_view kPrefix = "synthetic:";

struct Word {
  std::string name;
  std::variant<int64_t*, double*> value;
  double low = 0;
  double high = 0;
};

std::vector<Word> words_of(SyntheticWords& words) {
  constexpr double kMaxSamples = 1e15;  // numbers of lookups stay below 2^63
  constexpr double kMaxSeed = 9e18;
  return {{"samples", &words.samples, 1, kMaxSamples},
          {"zipf", &words.zipf, 0, 4},
          {"auc", &words.auc, 0.51, 0.99},
          {"label_rate", &words.label_rate, 0.001, 0.999},
          {"seed", &words.seed, 0, kMaxSeed}};
}

Error bad_word(const std::string& path, const std::string& what) {
  return {ErrorKind::bad_input, fmt::format("{}: {}", quote(path), what)};
}

void set_value(const Word& word, std::string_view text, const std::string& path) {
  const auto in_range = [&](double value) { return value >= word.low && value <= word.high; };
  if (int64_t* const* whole = std::get_if<int64_t*>(&word.value)) {
    const std::optional<int64_t> value = int64_from_text(text);
    if (!value || !in_range(static_cast<double>(*value))) {
      throw bad_word(path, fmt::format("{}: expected an integer from {:.0f} to {:.0f}, got {}; "
                                       "write it in decimal digits",
                                       word.name, word.low, word.high, quote(text)));
    }
    **whole = *value;
    return;
  }
  const std::optional<double> value = double_from_text(text);
  if (!value || !in_range(*value)) {
    throw bad_word(path, fmt::format("{}: expected a number from {} to {}, got {}; write it as 0.8",
                                     word.name, word.low, word.high, quote(text)));
  }
  *std::get<double*>(word.value) = *value;
}

}  // namespace

SyntheticWords parse_synthetic(const std::string& path) {
  if (!path.starts_with(kPrefix)) {
    throw bad_word(path, fmt::format("expected a path that begins with {}, got another; only "
                                     "synthetic data has a known optimum",
                                     kPrefix));
  }
  SyntheticWords result;
  std::vector<Word> words = words_of(result);
  std::vector<std::string> names;
  for (const Word& word : words) names.push_back(word.name);
  std::vector<std::string_view> seen;
  std::string_view rest = std::string_view(path).substr(kPrefix.size());
  while (!rest.empty()) {
    const std::string_view item = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(item.size() + 1, rest.size()));
    const size_t equals = std::min(item.find('='), item.size());
    const std::string_view name = item.substr(0, equals);
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) throw bad_word(path, unknown_name("word", name, names));
    if (std::find(seen.begin(), seen.end(), name) != seen.end()) {
      throw bad_word(path, fmt::format("{}: expected it once, got it twice; remove one", name));
    }
    seen.push_back(name);
    const std::string_view value = equals < item.size() ? item.substr(equals + 1) : "";
    set_value(words[static_cast<size_t>(found - names.begin())], value, path);
  }
  return result;
}

namespace {

struct SyntheticData {
  PlantedModel planted;
  int64_t samples = 0;
  int64_t record = 0;      // the next one
  int64_t end_record = 0;  // none from it on
  std::vector<double> logits;
};

void append(SyntheticData& data, Records& records, int64_t count) {
  const PlantedModel& planted = data.planted;
  const auto before = static_cast<size_t>(records.size);
  const auto size = before + static_cast<size_t>(count);
  const size_t num_dense = planted.dense_weights.size();
  const auto num_lookups = static_cast<size_t>(planted.num_lookups);
  records.size += count;
  records.labels.resize(size);
  records.numbers.resize(size);
  records.dense.resize(size * num_dense);
  records.ids.resize(size * num_lookups);
  data.logits.resize(static_cast<size_t>(count));
  draw_records(planted, data.record, count, records.dense.data() + before * num_dense,
               records.ids.data() + before * num_lookups, data.logits.data());
  for (size_t i = before; i < size; ++i, ++data.record) {
    records.labels[i] = draw_label(planted, data.record, data.logits[i - before]);
    records.numbers[i] = data.record;
  }
}

}  // namespace

Source open_synthetic(const std::string& words, const ModelSpec& model) {
  const SyntheticWords parsed = parse_synthetic(words);
  const auto data = std::make_shared<SyntheticData>();
  data->planted = plant(parsed, model);
  data->samples = parsed.samples;
  data->end_record = parsed.samples;
  const auto go_to = [data](int64_t record) {
    data->record = std::clamp<int64_t>(record, 0, data->samples);
  };
  return {
      .read =
          [data](Records& records, int64_t max_records, BadRecords&) {
            const int64_t left = std::max<int64_t>(data->end_record - data->record, 0);
            append(*data, records, std::min(max_records, left));
          },
      .position = [data] { return SourcePosition{.record = data->record}; },
      .seek = [go_to](const SourcePosition& position) { go_to(position.record); },
      .pass_to = go_to,
      .end_before = [data](int64_t record) { data->end_record = std::min(record, data->samples); },
      .num_records = data->samples};
}

}  // namespace ambidex
