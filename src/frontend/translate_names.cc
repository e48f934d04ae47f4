// SPDX-License-Identifier: Apache-2.0
// Names by the table of data/api: never in comments or strings, never members.
#include <fmt/format.h>

#include <algorithm>

#include "frontend/translate.h"
#include "port/api_table.h"

namespace ambidex {
namespace {

bool is_member(const Words& words, int64_t i) {
  const std::string_view before = words.text(i - 1);
  return before == "." || before == "->";
}

// `mine::cudaFree`; but `::cudaFree`, and `ns::` of a namespace that holds CUDA's own.
bool is_in_foreign_namespace(const Words& words, int64_t i) {
  if (words.text(i - 1) != "::" || !words.is_word(i - 2)) return false;
  const std::string_view space = words.text(i - 2);
  return space != "cub" && space != "return" && space != "else";
}

// #define NAME, #ifdef NAME, #undef NAME: a macro that is called like a function of CUDA.
bool names_macro(const Words& words, int64_t i) {
  if (!words.at(i).directive) return false;
  const std::string_view before = words.text(i - 1);
  if (before == "define" || before == "undef") return words.text(i - 2) == "#";
  if (before == "ifdef" || before == "ifndef" || before == "defined") return true;
  return before == "(" && words.text(i - 2) == "defined";
}

std::string since_note(const ApiEntry& entry) {
  std::string note = entry.note;
  if (entry.since.empty()) return note;
  if (!note.empty()) note += "; ";
  note += fmt::format("ROCm {}", entry.since);
  note += entry.until.empty() ? " or later" : fmt::format(" to {}", entry.until);
  return note;
}

// The port's header of a word that ambidex_port.h does not include, for what it includes in turn.
const char* header_of_rule(const ApiEntry& entry) {
  if (entry.rule == "type.half-function") return "ambidex_port/halves.h";
  if (entry.rule == "type.fp8-raw") return "ambidex_port/fp8_raw.h";
  if (entry.rule == "float.complex") return "ambidex_port/complex.h";
  return nullptr;
}

// A word that is a hint, with its arguments, and the space behind it.
void drop(Translation& translation, int64_t i, const ApiEntry& entry) {
  const Words& words = translation.words;
  if (names_macro(words, i)) return;
  const int64_t close = words.text(i + 1) == "(" ? words.partner_of(i + 1) : -1;
  int64_t last = words.last(close < 0 ? i : close);
  const std::string& text = *words.file.text;
  if (last < std::ssize(text) && text[static_cast<size_t>(last)] == ' ') ++last;
  translation.edits.push_back({.first = words.first(i),
                               .last = last,
                               .pieces = {{.text = ""}},
                               .rule = entry.rule,
                               .hazard = entry.hazard,
                               .note = entry.note});
}

void rename(Translation& translation, int64_t i, const ApiEntry& entry) {
  const Words& words = translation.words;
  const bool is_qualified = entry.hip.find("::") != std::string::npos;
  if (is_qualified && names_macro(words, i)) return;
  if (entry.cuda == "clock" &&
      !(words.device[static_cast<size_t>(i)] && words.text(i + 1) == "(")) {
    return;  // of the C library on the host
  }
  if (is_qualified) translation.needs_port = true;
  if (const char* header = header_of_rule(entry)) translation.port_headers.insert(header);
  if (entry.hip.starts_with("AMBIDEX_PORT_")) translation.needs_version = true;
  // The name of a version may be asked for by #ifdef, with the macro's own header before it.
  replace_word(translation, i, entry.hip, entry.rule, entry.hazard, since_note(entry));
}

// Whether the word opens a namespace of CUDA's: `cub::`, `using namespace cub;`, `namespace c =
// cub;`
bool is_namespace_use(const Words& words, int64_t i) {
  if (words.text(i + 1) == "::") return words.text(i - 1) != "::" || !words.is_word(i - 2);
  if (words.text(i + 1) != ";") return false;
  return words.text(i - 1) == "namespace" ||
         (words.text(i - 1) == "=" && words.text(i - 3) == "namespace");
}

// Names that look like a library's and are in no table.
void refuse_unknown(Translation& translation, int64_t i) {
  const Words& words = translation.words;
  const std::string_view name = words.text(i);
  for (const std::string& prefix : api_table().prefixes) {
    if (!name.starts_with(prefix) || name.size() == prefix.size()) continue;
    const char after = name[prefix.size()];
    const bool is_upper = after >= 'A' && after <= 'Z';
    if (!is_upper && !(after == '_' && prefix[0] == 'C')) continue;
    if (translation.tree.declared.contains(name)) return;
    refuse_word(translation, i, "api.unknown", "N21",
                fmt::format("{} is not in the table of CUDA's names (data/api), so that no name of "
                            "HIP is known to mean the same",
                            name));
    return;
  }
}

}  // namespace

void translate_names(Translation& translation) {
  const Words& words = translation.words;
  const ApiTable& table = api_table();
  std::set<std::string_view> refused;  // once per file and name is enough
  for (const Directive& directive : words.file.directives) {
    if (directive.name == "include") continue;
  }
  for (int64_t i = 0; i < words.size(); ++i) {
    if (words.text(i) == "include" && words.text(i - 1) == "#" && words.at(i).directive) {
      const int64_t line = words.at(i).line;
      while (i + 1 < words.size() && words.at(i + 1).line == line) ++i;
      continue;
    }
    if (!words.is_word(i) || words.at(i).amd_only || is_member(words, i)) continue;
    if (is_in_foreign_namespace(words, i)) continue;
    const ApiEntry* entry = table.find(words.text(i));
    if (entry == nullptr) {
      if (table.overloads.contains(words.text(i)) && words.text(i + 1) == "(") {
        translation.needs_port = true;
      } else {
        refuse_unknown(translation, i);
      }
    } else if (entry->kind == ApiKind::dropped) {
      drop(translation, i, *entry);
    } else if (entry->kind == ApiKind::name_space) {
      if (is_namespace_use(words, i)) {
        replace_word(translation, i, entry->hip, entry->rule, entry->hazard, since_note(*entry));
      }
    } else if (!entry->hip.empty()) {
      rename(translation, i, *entry);
    } else if (!translation.tree.declared.contains(words.text(i)) &&
               refused.insert(words.text(i)).second) {
      refuse_word(translation, i, entry->rule, entry->hazard,
                  fmt::format("{}: {}", entry->cuda, entry->note));
    }
  }
}

}  // namespace ambidex
