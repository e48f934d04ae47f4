// SPDX-License-Identifier: Apache-2.0
#include "port/nvcc_flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "base/word_list.h"
#include "port/nvcc_flag_table.h"

namespace ambidex {
namespace {

// A flag as it stands: its name, its value, and how many words it takes.
struct Found {
  const NvccFlag* flag = nullptr;
  std::string name, value;
  size_t num_words = 1;
  bool lacks_value = false;
};

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

std::optional<Found> as_row(const NvccFlag& flag, const std::vector<BuildWord>& words, size_t at) {
  const std::string& word = words[at].text;
  Found found{.flag = &flag, .name = {}, .value = {}};
  const size_t equals = word.find('=');
  if (flag.value != FlagValue::none && equals != std::string::npos) {
    found.name = word.substr(0, equals);
    found.value = word.substr(equals + 1);
    if (!lists(flag.names, found.name)) return std::nullopt;
  } else {
    if (!lists(flag.names, word)) return std::nullopt;
    found.name = word;
    const bool has_next = at + 1 < words.size();
    const bool takes_next =
        flag.value == FlagValue::any ||
        (flag.value == FlagValue::optional_number && has_next && is_number(words[at + 1].text));
    found.lacks_value = takes_next && !has_next;
    if (takes_next && has_next) {
      found.value = words[at + 1].text;
      found.num_words = 2;
    }
  }
  if (!flag.only.empty() && (found.lacks_value || !lists(flag.only, found.value)))
    return std::nullopt;
  return found;
}

std::optional<Found> flag_at(const std::vector<BuildWord>& words, size_t at, bool is_nvcc) {
  if (!words[at].text.starts_with('-')) return std::nullopt;
  for (const NvccFlag& flag : nvcc_flags()) {
    if (flag.is_common && !is_nvcc) continue;
    if (std::optional<Found> found = as_row(flag, words, at)) return found;
  }
  return std::nullopt;
}

bool is_architecture_value(const std::string& value) {
  static constexpr std::array<std::string_view, 5> kStarts{"arch=compute_", "sm_", "compute_",
                                                           "lto_", "arch="};
  if (value == "native" || value == "all" || value == "all-major") return true;
  if (value.find('%') != std::string::npos) return false;
  const auto* const start =
      std::find_if(kStarts.begin(), kStarts.end(),
                   [&](std::string_view text) { return value.starts_with(text); });
  const size_t rest = start == kStarts.end() ? 0 : start->size();
  if (rest == 0) return value.starts_with('$') || value.starts_with('@');
  return value.size() > rest && value.back() != '_';
}

// Flags with commas between, "-Wall,-O2"; a comma behind a backslash is part of a flag.
std::vector<std::string> comma_list(const std::string& value) {
  std::vector<std::string> flags(1);
  int64_t depth = 0;  // of $(...) and ${...}
  for (size_t i = 0; i < value.size(); ++i) {
    const char c = value[i];
    if (c == '(' || c == '{') ++depth;
    if (c == ')' || c == '}') --depth;
    if (c == '\\' && i + 1 < value.size() && value[i + 1] == ',') {
      flags.back() += value[++i];
    } else if (depth == 0 && (c == ',' || c == ' ')) {
      flags.emplace_back();
    } else {
      flags.back() += c;
    }
  }
  std::erase(flags, "");
  return flags;
}

struct Run {
  const std::vector<BuildWord>& words;
  BuildDraft& draft;
  FlagsSeen seen = {};
  bool in_architectures = false;  // the word before was one

  size_t begin(size_t at, size_t num) const {
    return is_whole(at, num) ? words[at].outer_begin : words[at].begin;
  }
  size_t end(size_t at, size_t num) const {
    const BuildWord& last = words[at + num - 1];
    return is_whole(at, num) ? last.outer_end : last.end;
  }
  bool is_whole(size_t at, size_t num) const {
    return fills(words[at]) && fills(words[at + num - 1]);
  }
  static bool fills(const BuildWord& word) {
    return word.outer_begin <= word.begin && word.outer_end >= word.end && word.outer_end > 0;
  }
};

// Two words of which one alone stands in quotes with others: an edit would cut the quotes.
bool cuts_quotes(const Run& run, size_t at, size_t num) {
  const BuildWord& first = run.words[at];
  const BuildWord& last = run.words[at + num - 1];
  return num > 1 && Run::fills(first) != Run::fills(last);
}

std::string joined(const std::vector<std::string>& flags, std::string_view joiner,
                   std::string_view before = "") {
  std::string text;
  for (const std::string& flag : flags) {
    if (!text.empty()) text += joiner;
    if (!before.empty()) text += std::string(before) + std::string(joiner);
    text += flag;
  }
  return text;
}

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> words(1);
  for (const char c : text) {
    if (c == ' ') {
      words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  return words;
}

void put(Run& run, size_t at, const Found& found, const std::string& text) {
  const NvccFlag& flag = *found.flag;
  const std::string_view rule = flag.hazard == "N12"                      ? "build.fast-math"
                                : flag.action == FlagAction::architecture ? "build.architecture"
                                : flag.names == "-x --x"                  ? "build.language"
                                                                          : "build.flag";
  const BuildWhy why{rule, flag.hazard, flag.note};
  const size_t begin = run.begin(at, found.num_words);
  const size_t end = run.end(at, found.num_words);
  if (text.empty()) {
    remove(run.draft, begin, end, why);
  } else {
    replace(run.draft, begin, end, text, why);
  }
}

void refuse_flag(Run& run, size_t at, const Found& found, std::string_view reason) {
  const std::string value = found.value.empty() ? "" : " " + found.value;
  refuse(run.draft, run.words[at].begin, found.flag->hazard.empty() ? "N21" : found.flag->hazard,
         fmt::format("{}{}: {}", found.name, value, reason));
}

void translate_architecture(Run& run, size_t at, const Found& found, std::string_view joiner) {
  if (!is_architecture_value(found.value)) {
    if (found.value.empty() || found.value.find('%') != std::string::npos ||
        found.value.ends_with('_')) {
      refuse(run.draft, run.words[at].begin, "R08",
             fmt::format("{} {}: a flag in parts; name --offload-arch and its GPUs in full",
                         found.name, found.value));
    }
    return;  // a flag of another compiler, "-arch x86_64"
  }
  run.seen.architecture = true;
  const bool is_code = found.name == "-code" || found.name == "--gpu-code";
  put(run, at, found, run.in_architectures || is_code ? "" : joined(split(kOffloadArchs), joiner));
  run.in_architectures = true;
}

void translate_host_flags(Run& run, size_t at, const Found& found, std::string_view joiner) {
  const std::vector<std::string> flags = comma_list(found.value);
  const bool is_computed =
      found.value.find("subst") != std::string::npos ||
      (run.draft.joins_by_commas && found.value.find('$') != std::string::npos);
  const bool is_msvc = std::any_of(flags.begin(), flags.end(),
                                   [](const std::string& flag) { return flag.starts_with('/'); });
  if (flags.empty() || is_computed || is_msvc) {
    refuse_flag(run, at, found, "name the flags of the host's compiler without it, one by one");
    return;
  }
  put(run, at, found, joined(flags, joiner));
}

void translate_one(Run& run, size_t at, const Found& found) {
  const NvccFlag& flag = *found.flag;
  const std::string_view joiner = run.words[at].joiner;
  const bool is_prefix = found.lacks_value && found.name == "-Xlinker";  // of $(addprefix)
  if (is_prefix) return;
  if (found.lacks_value) return refuse_flag(run, at, found, "its value is not beside it; name it");
  if (cuts_quotes(run, at, found.num_words)) {
    return refuse_flag(run, at, found, "flag and value are quoted apart; write NAME=VALUE");
  }
  switch (flag.action) {
    case FlagAction::architecture:
      return translate_architecture(run, at, found, joiner);
    case FlagAction::host_flags:
      return translate_host_flags(run, at, found, joiner);
    case FlagAction::linker_flags: {
      const std::vector<std::string> flags = comma_list(found.value);
      if (flags.size() < 2 && found.name == "-Xlinker") return;
      return put(run, at, found, joined(flags, joiner, "-Xlinker"));
    }
    case FlagAction::refuse:
      return refuse_flag(run, at, found, flag.text);
    case FlagAction::leave_out:
      return put(run, at, found, "");
    case FlagAction::relocatable:
      run.seen.relocatable = run.seen.is_translated = true;
      break;
    case FlagAction::put:
      break;
  }
  std::string text = joined(split(flag.text), joiner);
  if (const size_t value = text.find('$'); value != std::string::npos) {
    text.replace(value, 1, found.value);
  }
  put(run, at, found, text);
}

}  // namespace

FlagsSeen translate_flags(const std::vector<BuildWord>& words, bool is_nvcc, BuildDraft& draft) {
  Run run{.words = words, .draft = draft};
  for (size_t at = 0; at < words.size();) {
    const std::optional<Found> found = flag_at(words, at, is_nvcc);
    const bool is_architecture = found && found->flag->action == FlagAction::architecture;
    if (!is_architecture) run.in_architectures = false;
    if (!found) {
      if (words[at].text == "-fgpu-rdc") run.seen.relocatable = true;
      if (words[at].text.starts_with("--offload-arch=")) run.seen.architecture = true;
      if (words[at].text.starts_with("arch=compute_")) {
        refuse(draft, words[at].begin, "R08",
               fmt::format("{}: a flag in parts; name --offload-arch and its GPUs in full",
                           words[at].text));
      }
      ++at;
      continue;
    }
    translate_one(run, at, *found);
    at += found->num_words;
  }
  return run.seen;
}

}  // namespace ambidex
