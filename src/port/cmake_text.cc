// SPDX-License-Identifier: Apache-2.0
#include "port/cmake_text.h"

#include <algorithm>
#include <cctype>

namespace ambidex {
namespace {

struct Reader {
  std::string_view text;
  size_t at = 0;
  std::optional<SyntaxFault> fault = std::nullopt;

  bool ends() const { return at >= text.size() || fault; }
  char now() const { return text[at]; }
  void fail(size_t where, std::string what) {
    if (!fault) fault = SyntaxFault{where, std::move(what)};
  }
};

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

// "[==[" at `at`: the number of "="; none if no bracket opens there.
std::optional<size_t> bracket_at(std::string_view text, size_t at) {
  if (at >= text.size() || text[at] != '[') return std::nullopt;
  size_t i = at + 1;
  while (i < text.size() && text[i] == '=') ++i;
  if (i >= text.size() || text[i] != '[') return std::nullopt;
  return i - at - 1;
}

// Behind the bracket that opens at reader.at.
void skip_bracket(Reader& reader, size_t num_equals) {
  const std::string close = "]" + std::string(num_equals, '=') + "]";
  const size_t end = reader.text.find(close, reader.at + num_equals + 2);
  if (end == std::string_view::npos) {
    reader.fail(reader.at, "a bracket that is not closed");
    return;
  }
  reader.at = end + close.size();
}

void skip_comment(Reader& reader) {
  ++reader.at;
  if (const auto equals = bracket_at(reader.text, reader.at)) return skip_bracket(reader, *equals);
  while (!reader.ends() && reader.now() != '\n') ++reader.at;
}

void skip_spaces(Reader& reader) {
  while (!reader.ends()) {
    if (is_space(reader.now())) {
      ++reader.at;
    } else if (reader.now() == '#') {
      skip_comment(reader);
    } else {
      return;
    }
  }
}

// Behind the quote that closes the one at reader.at.
void skip_quoted(Reader& reader) {
  const size_t begin = reader.at++;
  while (!reader.ends() && reader.now() != '"') reader.at += reader.now() == '\\' ? 2 : 1;
  if (reader.at >= reader.text.size()) return reader.fail(begin, "a quote that is not closed");
  ++reader.at;
}

CmakeArgument argument(std::string_view text, CmakeQuoting quoting, size_t outer_begin,
                       size_t outer_end, size_t margin) {
  CmakeArgument out{.quoting = quoting,
                    .begin = outer_begin + margin,
                    .end = outer_end - margin,
                    .outer_begin = outer_begin,
                    .outer_end = outer_end,
                    .text = {}};
  out.text = text.substr(out.begin, out.end - out.begin);
  return out;
}

// Unquoted, with the quotes and $(...) that CMake takes in the midst of one.
CmakeArgument read_unquoted(Reader& reader) {
  const size_t begin = reader.at;
  while (!reader.ends()) {
    const char c = reader.now();
    if (is_space(c) || c == '(' || c == ')' || c == '#') break;
    if (c == '"') {
      skip_quoted(reader);
    } else if (c == '$' && reader.at + 1 < reader.text.size() &&
               reader.text[reader.at + 1] == '(') {
      const size_t close = reader.text.find(')', reader.at);
      reader.at = close == std::string_view::npos ? reader.text.size() : close + 1;
    } else {
      reader.at += c == '\\' ? 2 : 1;
    }
  }
  reader.at = std::min(reader.at, reader.text.size());
  return argument(reader.text, CmakeQuoting::none, begin, reader.at, 0);
}

CmakeArgument read_argument(Reader& reader) {
  const size_t begin = reader.at;
  if (reader.now() == '"') {
    skip_quoted(reader);
    return reader.fault ? CmakeArgument{}
                        : argument(reader.text, CmakeQuoting::quotes, begin, reader.at, 1);
  }
  if (const auto equals = bracket_at(reader.text, begin)) {
    skip_bracket(reader, *equals);
    return reader.fault
               ? CmakeArgument{}
               : argument(reader.text, CmakeQuoting::brackets, begin, reader.at, *equals + 2);
  }
  return read_unquoted(reader);
}

void read_arguments(Reader& reader, CmakeCommand& command) {
  int64_t depth = 1;
  const size_t open = reader.at++;
  while (depth > 0) {
    skip_spaces(reader);
    if (reader.fault) return;
    if (reader.ends()) return reader.fail(open, "a parenthesis that is not closed");
    const char c = reader.now();
    if (c == '(' || c == ')') {
      depth += c == '(' ? 1 : -1;
      ++reader.at;
      if (depth > 0) {
        command.arguments.push_back(
            argument(reader.text, CmakeQuoting::none, reader.at - 1, reader.at, 0));
      }
    } else {
      command.arguments.push_back(read_argument(reader));
    }
  }
  command.end = reader.at;
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

// Words of arguments, with the generator expressions that reach over several of them.
struct Words {
  std::string_view text;
  std::vector<BuildWord> words = {};
  std::vector<bool> commas = {};  // of each open $<: whether commas separate
  std::vector<bool> heads = {};   // of each open $<: still before its ":"
  size_t begin = 0;               // of the word at hand
  std::string word = "";
  bool open = false;

  void flush(size_t end, std::string_view joiner) {
    if (open) {
      words.push_back({.begin = begin,
                       .end = end,
                       .outer_begin = begin,
                       .outer_end = 0,
                       .text = word,
                       .joiner = joiner});
    }
    open = false;
    word.clear();
  }
  void take(size_t at, char c) {
    if (!open) begin = at;
    open = true;
    word += c;
  }
};

// After "$<": commas separate unless what follows is a condition or takes any content.
bool has_commas(std::string_view rest) {
  for (const std::string_view literal : {"$<", "0:", "1:", "BUILD_INTERFACE:", "INSTALL_INTERFACE:",
                                         "BUILD_LOCAL_INTERFACE:", "SHELL_PATH:", "LINK_ONLY:"}) {
    if (rest.starts_with(literal)) return false;
  }
  return true;
}

// The length of "${...}" or "$ENV{...}" at `at`; 0 if none is there.
size_t reference_length(std::string_view text, size_t at, size_t end) {
  if (text[at] != '$') return 0;
  size_t i = at + 1;
  while (i < end && is_name_char(text[i])) ++i;
  if (i >= end || text[i] != '{') return 0;
  int64_t depth = 0;
  for (; i < end; ++i) {
    if (text[i] == '{') ++depth;
    if (text[i] == '}' && --depth == 0) return i + 1 - at;
  }
  return 0;
}

// A step of generator expressions at `i`; its length, 0 if none is there.
size_t expression_step(Words& out, size_t i, size_t end, std::string_view joiner) {
  const char c = out.text[i];
  if (c == '$' && i + 1 < end && out.text[i + 1] == '<') {
    out.flush(i, joiner);
    out.commas.push_back(has_commas(out.text.substr(i + 2, end - i - 2)));
    out.heads.push_back(true);
    return 2;
  }
  if (out.commas.empty()) return 0;
  if (c == '>') {
    out.flush(i, joiner);
    out.commas.pop_back();
    out.heads.pop_back();
    return 1;
  }
  const bool ends_head = c == ':' && out.heads.back();
  if (ends_head) out.heads.back() = false;
  if (!ends_head && !(c == ',' && out.commas.back())) return 0;
  out.flush(i, joiner);
  return 1;
}

// The length of a quote for the shell at `at`: ", ', \" or \\\"; 0 if none is there.
size_t quote_length(std::string_view text, size_t at, size_t end) {
  for (const std::string_view quote : {"\"", "'", "\\\"", "\\\\\\\""}) {
    if (text.substr(at, end - at).starts_with(quote)) return quote.size();
  }
  return 0;
}

void split_argument(Words& out, const CmakeArgument& argument, std::string_view joiner) {
  const bool is_quoted = argument.quoting == CmakeQuoting::quotes;
  size_t quote_end = 0;  // behind \"..\" or "..." within the argument
  const size_t begin = argument.begin + (argument.text.starts_with("SHELL:") ? 6 : 0);
  for (size_t i = begin; i < argument.end; ++i) {
    const char c = out.text[i];
    if (const size_t length = quote_length(out.text, i, argument.end); length != 0) {
      if (!out.open) out.begin = i;  // grouping alone: what is within goes on with the word
      out.open = true;
      i += length - 1;
      quote_end = quote_end == 0 ? i : 0;
      continue;
    }
    if (quote_end == 0) {
      const size_t step = expression_step(out, i, argument.end, joiner);
      if (step != 0) {
        i += step - 1;
        continue;
      }
      if ((c == ';') || (is_quoted && is_space(c))) {
        out.flush(i, joiner);
        continue;
      }
    }
    const size_t length = std::max<size_t>(reference_length(out.text, i, argument.end), 1);
    for (size_t k = 0; k < length; ++k) out.take(i + k, out.text[i + k]);
    i += length - 1;
  }
  out.flush(argument.end, joiner);
}

std::string_view own_joiner(const CmakeArgument& argument, bool is_in_expression) {
  const std::string_view text = argument.text;
  if (text.starts_with("SHELL:")) return " ";
  if (text.find(';') != std::string_view::npos || is_in_expression) return ";";
  if (argument.quoting == CmakeQuoting::none) return text.starts_with("$<") ? ";" : " ";
  return text.find(' ') == std::string_view::npos ? ";" : " ";
}

}  // namespace

CmakeText read_cmake(std::string_view text) {
  CmakeText out;
  Reader reader{.text = text};
  if (text.starts_with("\xEF\xBB\xBF")) reader.at = 3;
  while (true) {
    skip_spaces(reader);
    if (reader.ends()) break;
    CmakeCommand command{.name = {}, .begin = reader.at, .end = 0, .arguments = {}};
    while (!reader.ends() && is_name_char(reader.now())) ++reader.at;
    command.name = lower(text.substr(command.begin, reader.at - command.begin));
    while (!reader.ends() && (reader.now() == ' ' || reader.now() == '\t')) ++reader.at;
    if (command.name.empty() || reader.ends() || reader.now() != '(') {
      reader.fail(command.begin, "neither a command nor a comment");
      break;
    }
    read_arguments(reader, command);
    if (reader.fault) break;
    out.commands.push_back(std::move(command));
  }
  out.fault = reader.fault;
  return out;
}

std::vector<BuildWord> cmake_words(std::string_view text, const CmakeCommand& command, size_t first,
                                   std::string_view joiner) {
  Words out{.text = text};
  for (size_t i = first; i < command.arguments.size(); ++i) {
    const CmakeArgument& argument = command.arguments[i];
    if (argument.quoting == CmakeQuoting::brackets) continue;
    const std::string_view between =
        joiner.empty() ? own_joiner(argument, !out.commas.empty()) : joiner;
    const size_t num_before = out.words.size();
    split_argument(out, argument, between);
    for (size_t k = num_before; k < out.words.size(); ++k) {
      BuildWord& word = out.words[k];
      const bool is_all = word.begin == argument.begin && word.end == argument.end;
      if (!is_all && argument.quoting != CmakeQuoting::none) continue;
      word.outer_begin = is_all ? argument.outer_begin : word.begin;
      word.outer_end = is_all ? argument.outer_end : word.end;
    }
  }
  return out.words;
}

}  // namespace ambidex
