// SPDX-License-Identifier: Apache-2.0
#include "cli/parse.h"

#include <fmt/format.h>

#include <algorithm>

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

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

std::string unknown_word(const CLI::App& app, const std::string& word) {
  const CLI::App& verb = innermost(app);
  if (is_option(word)) {
    return unknown_name("option", word.substr(0, word.find('=')), option_names(verb));
  }
  const auto names = verb_names(verb);
  if (names.empty()) return fmt::format("{}: one word too many: \"{}\"", path_of(verb), word);
  return unknown_name("verb", word, names);
}

std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

}  // namespace

Error parse_error(const CLI::App& app, const CLI::ParseError& error) {
  const std::string help = fmt::format("; see {} --help", path_of(innermost(app)));
  const auto left = app.remaining(true);
  if (!left.empty()) return {ErrorKind::bad_input, unknown_word(app, left.front()) + help};
  return {ErrorKind::bad_input, one_line(error.what()) + help};
}

}  // namespace ambidex
