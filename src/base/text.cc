// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <system_error>

#include "ambidex/base.h"

namespace ambidex {
namespace {

// Longer words are no typing errors, and the distance costs their square.
constexpr size_t kMaxWordLength = 64;

int64_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<int64_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (size_t i = 0; i < a.size(); ++i) {
    int64_t diagonal = row[0];
    row[0] = static_cast<int64_t>(i) + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      const int64_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

}  // namespace

std::vector<std::string> nearest_names(std::string_view word, std::span<const std::string> known,
                                       int count) {
  // Case is folded: "H20" is as near to "h200" as "h20" is.
  const std::string folded = to_lower(word.substr(0, kMaxWordLength));
  std::vector<std::pair<int64_t, size_t>> ranked;
  ranked.reserve(known.size());
  for (size_t i = 0; i < known.size(); ++i) {
    ranked.emplace_back(edit_distance(folded, to_lower(known[i])), i);
  }
  std::sort(ranked.begin(), ranked.end());
  ranked.resize(std::min(ranked.size(), static_cast<size_t>(std::max(count, 0))));
  std::vector<std::string> names;
  names.reserve(ranked.size());
  for (const auto& [distance, index] : ranked) names.push_back(known[index]);
  return names;
}

namespace {

/// Control characters as `mark` and two digits, those of C1 too, which are two bytes in UTF-8;
/// `kept` stay.
std::string escaped(std::string_view text, std::string_view mark, std::string_view kept) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : 0);
    const bool is_control = byte < 0x20 || byte == 0x7f;
    if (is_control && kept.find(text[i]) == std::string_view::npos) {
      out += fmt::format("{}{:02x}", mark, byte);
    } else if (byte == 0xc2 && next >= 0x80 && next < 0xa0) {
      out += fmt::format("{}{:02x}", mark, next);
      ++i;
    } else {
      out += text[i];
    }
  }
  return out;
}

/// A word in a message. Known names, too, can come from a foreign file's header.
std::string shortened(std::string_view text) {
  constexpr size_t kMaxBytes = 60;
  return escaped(text.substr(0, kMaxBytes), "\\x", "") + (text.size() > kMaxBytes ? "..." : "");
}

}  // namespace

std::string printable(std::string_view text) { return escaped(text, "\\x", ""); }

std::string printable_lines(std::string_view text) { return escaped(text, "\\u00", "\n\t"); }

std::string unknown_name(std::string_view what, std::string_view word,
                         std::span<const std::string> known) {
  const std::string sentence = fmt::format("no {} {}", what, quote(word));
  if (known.empty()) return sentence;
  std::vector<std::string> nearest = nearest_names(word, known);
  for (std::string& name : nearest) name = shortened(name);
  return fmt::format("{}; nearest: {}", sentence, fmt::join(nearest, ", "));
}

std::string quote(std::string_view text) { return fmt::format("\"{}\"", shortened(text)); }

std::string single_line(std::string_view text) {
  return printable(text.substr(0, text.find_last_not_of(" \t\r\n") + 1));
}

std::string num_of(int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string to_lower(std::string_view text) {
  std::string out(text);
  for (char& letter : out) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  }
  return out;
}

std::optional<int64_t> int64_from_text(std::string_view text) {
  int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

std::optional<double> double_from_text(std::string_view text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

}  // namespace ambidex
