// SPDX-License-Identifier: Apache-2.0
#include "cli/parse.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "base/text.h"

namespace ambidex {
namespace {

bool is_option(std::string_view word) { return word.size() > 1 && word.front() == '-'; }

// The verb that the words of the command line had led to when they stopped making sense.
const CLI::App& innermost(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? app : innermost(*chosen.back());
}

std::string path_of(const CLI::App& app) {
  const CLI::App* parent = app.get_parent();
  return parent == nullptr ? app.get_name() : path_of(*parent) + " " + app.get_name();
}

std::vector<std::string> verb_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(verb->get_name());
  }
  return names;
}

// Long names for long words: nobody who wrote "--versoin" meant "-h".
std::vector<std::string> option_names(const CLI::App& app, bool is_long) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : is_long ? option->get_lnames() : option->get_snames()) {
      names.push_back((is_long ? "--" : "-") + name);
    }
  }
  return names;
}

std::string unknown_word(const CLI::App& verb, const std::string& word) {
  if (word.starts_with('-') && double_from_text(word)) {
    return fmt::format("{}: unexpected negative number {}; sizes and counts start at 1",
                       path_of(verb), quote(word));
  }
  if (is_option(word)) {
    const std::string name = word.substr(0, word.find('='));
    return unknown_name("option", name, option_names(verb, word.starts_with("--")));
  }
  const auto names = verb_names(verb);
  const bool is_root = verb.get_parent() == nullptr;
  if (is_root || !names.empty()) return unknown_name("verb", word, names);
  return fmt::format("{}: one word too many: {}", path_of(verb), quote(word));
}

// CLI11 words it as "A subcommand is required".
std::string missing_verb(const CLI::App& verb) {
  const auto names = verb_names(verb);
  if (names.empty()) return "no verb";
  return fmt::format("no verb after \"{}\"; one of: {}", path_of(verb), fmt::join(names, ", "));
}

std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

std::string sentence_of(const CLI::App& app, const CLI::App& verb, const CLI::ParseError& error) {
  const auto left = app.remaining(true);
  if (!left.empty()) return unknown_word(verb, left.front());
  const bool misses_verb = verb.get_require_subcommand_min() > 0 && verb.get_subcommands().empty();
  return misses_verb ? missing_verb(verb) : one_line(error.what());
}

}  // namespace

Error parse_error(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& verb = innermost(app);
  return {ErrorKind::bad_input,
          fmt::format("{}; see {} --help", sentence_of(app, verb, error), path_of(verb))};
}

CLI::Validator at_least(int64_t least) {
  const auto complaint = [least](const std::string& text) -> std::string {
    const std::optional<int64_t> value = int64_from_text(text);
    if (value && *value >= least) return "";
    return fmt::format("expected a whole number of at least {}, got {}", least, quote(text));
  };
  return {complaint, "COUNT", "at_least"};
}

CLI::Validator within(double least, double most) {
  const auto complaint = [least, most](const std::string& text) -> std::string {
    const std::optional<double> value = double_from_text(text);
    if (value && *value >= least && *value <= most) return "";
    return fmt::format("expected a number from {:g} to {:g}, got {}", least, most, quote(text));
  };
  return {complaint, "NUMBER", "within"};
}

void refuse_empty_words(CLI::App& verb) {
  const auto complaint = [](const std::string& text) -> std::string {
    return text.empty() ? "expected a word that is not empty" : "";
  };
  for (CLI::Option* option : verb.get_options()) {
    if (option->get_expected_max() > 0) option->check(CLI::Validator(complaint, "", "not_empty"));
  }
}

}  // namespace ambidex
