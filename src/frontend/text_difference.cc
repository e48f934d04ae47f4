// SPDX-License-Identifier: Apache-2.0
#include "frontend/text_difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "base/text.h"

namespace ambidex {
namespace {

// Bytes of each file that only the host can run.
std::vector<std::vector<bool>> host_bytes(const PassText& text) {
  std::vector<std::vector<bool>> all(text.files.size());
  for (const bool device : {false, true}) {  // what a device function holds is the device's
    for (const TextRange& range : text.ranges) {
      if (range.device != device) continue;
      std::vector<bool>& bytes = all[range.file];
      if (bytes.size() < range.end) bytes.resize(range.end);
      std::fill(bytes.begin() + range.begin, bytes.begin() + range.end, !device);
    }
  }
  return all;
}

// Indices of the tokens that may be the GPU's.
std::vector<size_t> device_tokens(const PassText& text) {
  const std::vector<std::vector<bool>> host = host_bytes(text);
  std::vector<size_t> indices;
  bool after_host = false;
  for (size_t i = 0; i < text.tokens.size(); ++i) {
    const TextToken& token = text.tokens[i];
    const std::vector<bool>& bytes = host[token.place.file];
    const bool is_host = token.place.offset < bytes.size() && bytes[token.place.offset];
    const bool ends_host = after_host && token.text == ";";  // of a declaration
    if (!is_host && !ends_host) indices.push_back(i);
    after_host = is_host;
  }
  return indices;
}

// A condition of a file that may be read several times.
using ConditionKey = std::tuple<std::string, uint32_t, int>;

std::map<ConditionKey, bool> values_of(const PassText& text, size_t token) {
  std::map<ConditionKey, bool> values;
  std::map<std::pair<uint32_t, uint32_t>, int> times;
  for (const TextCondition& condition : text.conditions) {
    if (condition.token > token) continue;
    const TextPlace& place = condition.place;
    const int time = times[{place.file, place.offset}]++;
    values[{text.files[place.file], place.line, time}] = condition.value;
  }
  return values;
}

struct Decision {
  std::string file;
  uint32_t line = 0;
  bool in_a = false;
};

// The last condition before the tokens that has come out differently.
std::optional<Decision> decision_behind(const PassText& a, size_t token_a, const PassText& b,
                                        size_t token_b) {
  const std::map<ConditionKey, bool> others = values_of(b, token_b);
  std::map<std::pair<uint32_t, uint32_t>, int> times;
  std::optional<Decision> found;
  for (const TextCondition& condition : a.conditions) {
    if (condition.token > token_a) break;
    const TextPlace& place = condition.place;
    const int time = times[{place.file, place.offset}]++;
    const auto other = others.find({a.files[place.file], place.line, time});
    if (other == others.end() || other->second == condition.value) continue;
    found = Decision{a.files[place.file], place.line, condition.value};
  }
  return found;
}

std::string text_at(const PassText& text, const std::vector<size_t>& indices, size_t i) {
  return i < indices.size() ? quote(text.tokens[indices[i]].text) : "nothing more";
}

}  // namespace

bool same_tokens(const PassText& a, const PassText& b) {
  return std::equal(a.tokens.begin(), a.tokens.end(), b.tokens.begin(), b.tokens.end(),
                    [](const TextToken& x, const TextToken& y) { return x.text == y.text; });
}

std::optional<TextDifference> first_difference(const PassText& a, const std::string& name_a,
                                               const PassText& b, const std::string& name_b) {
  const std::vector<size_t> of_a = device_tokens(a), of_b = device_tokens(b);
  size_t i = 0;
  while (i < of_a.size() && i < of_b.size() && a.tokens[of_a[i]].text == b.tokens[of_b[i]].text) {
    ++i;
  }
  if (i == of_a.size() && i == of_b.size()) return std::nullopt;
  const size_t at_a = i < of_a.size() ? of_a[i] : a.tokens.size();
  const size_t at_b = i < of_b.size() ? of_b[i] : b.tokens.size();
  if (const auto decision = decision_behind(a, at_a, b, at_b)) {
    return TextDifference{decision->file, decision->line,
                          fmt::format("this condition is {} {} and {} {}", decision->in_a, name_a,
                                      !decision->in_a, name_b)};
  }
  const PassText& text = i < of_a.size() ? a : b;
  const TextPlace& place = text.tokens[i < of_a.size() ? at_a : at_b].place;
  return TextDifference{text.files[place.file], place.line,
                        fmt::format("the preprocessor leaves {} {} and {} {}", text_at(a, of_a, i),
                                    name_a, text_at(b, of_b, i), name_b)};
}

}  // namespace ambidex
