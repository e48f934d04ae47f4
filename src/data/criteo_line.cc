// SPDX-License-Identifier: Apache-2.0
#include "data/criteo_line.h"

#include <limits>

namespace ambidex {
namespace {

/// An integer that a tab or the line's end follows; `text` goes to it. Blank is 0 after the
/// transform.
inline bool parse_integer(const DenseRule& rule, const float* logs, const char*& text,
                          const char* end, float& out) {
  if (text == end || *text == '\t') {
    out = 0;
    return true;
  }
  const bool is_negative = *text == '-';
  if (is_negative) ++text;
  constexpr int64_t kMaxDigits = 9;
  const char* digits = text;
  int64_t value = 0;
  while (true) {  // stops before the end: a line is followed by its padding, which is bounded here
    const unsigned digit = static_cast<unsigned char>(*text) - unsigned{'0'};
    if (digit > 9 || text == end) break;
    value = value * 10 + digit;
    ++text;
    if (text - digits > kMaxDigits) return false;
  }
  if (text == digits || (text != end && *text != '\t')) return false;
  out = transformed_integer(rule, is_negative ? -value : value, logs);
  return true;
}

inline bool parse_id(const Modulo& modulo, const char*& text, const char* end, int32_t& out) {
  if (text == end || *text == '\t') {
    out = 0;
    return true;
  }
  if (end - text < kWordBytes) return false;
  const uint64_t word = word_at(text);
  if (!is_hex(word)) return false;
  out = static_cast<int32_t>(modulo.of(hex_value(word)));
  text += kWordBytes;
  return text == end || *text == '\t';
}

}  // namespace

bool parse_criteo_line(const CriteoPlan& plan, const char* begin, const char* end, float& label,
                       float* dense, int32_t* ids) {
  const char* text = begin;
  label = std::numeric_limits<float>::quiet_NaN();
  if (plan.has_label) {
    if (begin == end || (*begin != '0' && *begin != '1')) return false;
    label = static_cast<float>(*begin - '0');
    ++text;
  }
  bool is_tab_due = plan.has_label;  // not before a line's first field
  const auto begin_field = [&] {
    if (is_tab_due && (text == end || *text != '\t')) return false;
    text += is_tab_due ? 1 : 0;
    is_tab_due = true;
    return true;
  };
  const size_t num_dense = plan.rules.size();
  for (size_t i = 0; i < num_dense; ++i) {
    if (!begin_field() || !parse_integer(plan.rules[i], plan.logs, text, end, dense[i]))
      return false;
  }
  const size_t num_ids = plan.modulos.size();
  for (size_t i = 0; i < num_ids; ++i) {
    if (!begin_field() || !parse_id(plan.modulos[i], text, end, ids[plan.places[i]])) return false;
  }
  return text == end;
}

}  // namespace ambidex
