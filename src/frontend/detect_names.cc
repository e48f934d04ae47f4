// SPDX-License-Identifier: Apache-2.0
// Hazards that a name alone tells: the tables of hazard_names.h, and patterns of names.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "frontend/detector.h"
#include "frontend/hazard_names.h"
#include "frontend/token_facts.h"

namespace ambidex {
namespace {

/// With any number of * in the pattern.
bool matches(std::string_view pattern, std::string_view name) {
  const size_t star = pattern.find('*');
  if (star == std::string_view::npos) return pattern == name;
  if (!name.starts_with(pattern.substr(0, star))) return false;
  pattern.remove_prefix(star + 1);
  name.remove_prefix(star);
  if (pattern.empty()) return true;
  for (size_t skip = 0; skip <= name.size(); ++skip) {
    if (matches(pattern, name.substr(skip))) return true;
  }
  return false;
}

/// Rules by the first three letters of their pattern, which no pattern has a * in.
class RuleIndex {
 public:
  explicit RuleIndex(NameUse wanted) {
    for (const auto rules : {runtime_names(), device_names()}) {
      for (const NameRule& rule : rules) {
        if ((rule.use == NameUse::include) == (wanted == NameUse::include)) add(rule);
      }
    }
  }
  const std::vector<const NameRule*>& of(std::string_view name) const { return rows_[slot(name)]; }

 private:
  static size_t slot(std::string_view name) {
    size_t hash = 0;
    for (size_t i = 0; i < 2; ++i) {
      hash = hash * 31 + (i < name.size() ? static_cast<unsigned char>(name[i]) : 0);
    }
    return hash % kSlots;
  }
  void add(const NameRule& rule) { rows_[slot(rule.pattern)].push_back(&rule); }

  static constexpr size_t kSlots = 4096;
  std::array<std::vector<const NameRule*>, kSlots> rows_;
};

const RuleIndex& words_index() {
  static const RuleIndex kIndex(NameUse::word);
  return kIndex;
}
const RuleIndex& includes_index() {
  static const RuleIndex kIndex(NameUse::include);
  return kIndex;
}

struct Look {
  const SourceFile& file;
  const std::vector<bool>& device;
  std::vector<Finding>& findings;

  void add(int64_t at, const NameRule& rule, std::string_view name) const {
    findings.push_back(finding_at(file, file.tokens[static_cast<size_t>(at)], rule.id,
                                  rule.severity, rule.fix,
                                  fmt::format("{}: {}", name, rule.message)));
  }
};

/// Not the name of something the file itself defines: `int free(...)`, `void h2exp(...)`.
bool is_declared_here(const SourceFile& file, int64_t at) {
  const std::string_view before = text_at(file, at - 1);
  if (text_at(file, at - 2) == "define") return false;  // the macro that stands for it
  static constexpr std::array<std::string_view, 5> kNotTypes{"return", "else", "do", "case",
                                                             "throw"};
  const bool after_type = is_word_at(file, at - 1) &&
                          std::find(kNotTypes.begin(), kNotTypes.end(), before) == kNotTypes.end();
  return after_type && text_at(file, at + 1) == "(";
}

bool fits_use(const Look& look, const NameRule& rule, int64_t at, bool qualified) {
  const SourceFile& file = look.file;
  switch (rule.use) {
    case NameUse::word:
      if (rule.pattern == "texture" || rule.pattern == "surface")
        return text_at(file, at + 1) == "<";
      if (rule.pattern == "tf32") return text_at(file, at - 1) == "::";
      if (rule.pattern.starts_with("matrix_") || rule.pattern == "accumulator") {
        return text_at(file, at - 1) == "<" && text_at(file, at - 2) == "fragment";
      }
      return true;
    case NameUse::call:
      return call_open(file, at) >= 0 && (qualified || !is_declared_here(file, at));
    case NameUse::device_call:
      return look.device[static_cast<size_t>(at)] && call_open(file, at) >= 0 &&
             text_at(file, at - 1) != "." && text_at(file, at - 1) != "->";
    case NameUse::space:
      return text_at(file, at + 1) == "::" || text_at(file, at - 1) == "namespace";
    case NameUse::include:
      return false;
  }
  return false;
}

void look_at_word(const Look& look, int64_t at) {
  const std::string_view word = text_at(look.file, at);
  for (const NameRule* rule : words_index().of(word)) {
    if (matches(rule->pattern, word) && fits_use(look, *rule, at, false)) look.add(at, *rule, word);
  }
  if (word != "cuda" || text_at(look.file, at + 1) != "::") return;
  const std::string name = fmt::format("cuda::{}", text_at(look.file, at + 2));
  for (const NameRule* rule : words_index().of(name)) {
    if (matches(rule->pattern, name)) look.add(at, *rule, name);
  }
}

/// `__fadd_rz`, `__dsqrt_ru`, `__double2float_rd`, `__float2half_rz`. Conversions to integers are
/// in HIP.
bool rounds_by_direction(std::string_view name) {
  if (!name.starts_with("__")) return false;
  if (!name.ends_with("_rz") && !name.ends_with("_ru") && !name.ends_with("_rd")) return false;
  const std::string_view stem = name.substr(2, name.size() - 5);
  static constexpr std::array<std::string_view, 22> kStems{
      "fadd",       "fsub",         "fmul",        "fdiv",          "frcp", "fsqrt",
      "fmaf",       "fma",          "dadd",        "dsub",          "dmul", "ddiv",
      "drcp",       "dsqrt",        "hadd",        "hsub",          "hmul", "fmaf_ieee",
      "float2half", "double2float", "double2half", "float2bfloat16"};
  if (std::find(kStems.begin(), kStems.end(), stem) != kStems.end()) return true;
  return stem.ends_with("2float") || stem.ends_with("2double") || stem.ends_with("2half");
}

/// `__vadd4`, `__vabsdiffu4`, `__vcmpgtu2`, `__vsadu4`.
bool is_simd_in_word(std::string_view name) {
  if (!name.starts_with("__v") || (!name.ends_with('2') && !name.ends_with('4'))) return false;
  const std::string_view stem = name.substr(3, name.size() - 4);
  static constexpr std::array<std::string_view, 11> kStems{
      "abs", "add", "avg", "cmp", "hadd", "max", "min", "neg", "sad", "set", "sub"};
  return std::any_of(kStems.begin(), kStems.end(),
                     [&](std::string_view it) { return stem.starts_with(it); });
}

void look_at_patterns(const Look& look, int64_t at) {
  const std::string_view word = text_at(look.file, at);
  if (rounds_by_direction(word) && text_at(look.file, at + 1) == "(") {
    const bool defined_away = text_at(look.file, at - 1) == "define";
    const NameRule rule{word,
                        NameUse::call,
                        "N14",
                        defined_away ? Severity::s0 : Severity::s2,
                        FixKind::library,
                        defined_away ? "a macro that drops the direction; results are biased"
                                     : "HIP lacks directed rounding; use an exact emulation"};
    look.add(at, rule, word);
  }
  if (is_simd_in_word(word) && text_at(look.file, at + 1) == "(") {
    look.add(at,
             {word, NameUse::call, "N15", Severity::s2, FixKind::library,
              "HIP lacks it; use ambidex_port's, with CUDA's meaning"},
             word);
  }
  const bool allocates = (word == "new" || word == "delete") &&
                         look.device[static_cast<size_t>(at)] && text_at(look.file, at - 1) != "=";
  if (allocates && text_at(look.file, at + 1) != "(") {
    look.add(at,
             {word, NameUse::device_call, "N19", Severity::s2, FixKind::library,
              "the device heap is partial on AMD; use a pool that the host sizes"},
             word);
  }
}

/// 448 and 57344 are the largest numbers of OCP's e4m3 and e5m2.
void look_at_number(const Look& look, int64_t at) {
  const std::string_view text = text_at(look.file, at);
  const bool e4m3 = text.starts_with("448");
  if (!e4m3 && !text.starts_with("57344")) return;
  const std::string_view rest = text.substr(e4m3 ? 3 : 5);
  const bool is_float = !rest.empty() && rest.find_first_not_of(".0fF") == std::string_view::npos;
  const std::string line = evidence_at(look.file, look.file.tokens[static_cast<size_t>(at)].line);
  const bool says_fp8 =
      line.find("fp8") != std::string::npos || line.find("FP8") != std::string::npos ||
      line.find("e4m3") != std::string::npos || line.find("E4M3") != std::string::npos;
  if (!(is_float && rest.front() != '0') && !(rest.empty() && says_fp8)) return;
  look.add(at,
           {text, NameUse::word, "N07", Severity::s0, FixKind::rule,
            e4m3 ? "the largest e4m3 of OCP; gfx942's FNUZ ends at 240"
                 : "the largest e5m2; as a clamp it belongs to a named format"},
           text);
}

void look_at_includes(const Look& look) {
  for (const Directive& directive : look.file.directives) {
    if (directive.name != "include" || directive.rest.first >= directive.rest.last) continue;
    std::string path;
    for (int64_t i = directive.rest.first; i < directive.rest.last; ++i) {
      path += text_at(look.file, i);
    }
    const std::string_view inner =
        std::string_view(path).substr(1, std::max<size_t>(path.size(), 2) - 2);
    const Token& token = look.file.tokens[static_cast<size_t>(directive.rest.first)];
    if (token.amd_only) continue;
    for (const NameRule* rule : includes_index().of(inner)) {
      if (inner.starts_with(rule->pattern)) look.add(directive.rest.first, *rule, path);
    }
  }
}

}  // namespace

void detect_names(const SourceView& view, std::vector<Finding>& findings) {
  for (const SourceFile& file : view.files) {
    const std::vector<bool> device = device_words(view, file);
    const Look look{file, device, findings};
    look_at_includes(look);
    for (int64_t i = 0; i < std::ssize(file.tokens); ++i) {
      const Token& token = file.tokens[static_cast<size_t>(i)];
      if (token.amd_only) continue;
      if (token.kind == TokenKind::number) look_at_number(look, i);
      if (token.kind != TokenKind::word) continue;
      look_at_word(look, i);
      look_at_patterns(look, i);
    }
  }
}

}  // namespace ambidex
