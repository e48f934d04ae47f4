// SPDX-License-Identifier: Apache-2.0
#include "port/make_text.h"

#include <algorithm>
#include <array>

namespace ambidex {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

// A function and how many arguments it takes; the last may hold commas. 0: any number.
struct Function {
  std::string_view name;
  size_t num_arguments;
};
constexpr std::array<Function, 37> kFunctions{
    {{"subst", 3},      {"patsubst", 3},  {"strip", 1},     {"findstring", 2}, {"filter", 2},
     {"filter-out", 2}, {"sort", 1},      {"word", 2},      {"wordlist", 3},   {"words", 1},
     {"firstword", 1},  {"lastword", 1},  {"dir", 1},       {"notdir", 1},     {"suffix", 1},
     {"basename", 1},   {"addsuffix", 2}, {"addprefix", 2}, {"join", 2},       {"wildcard", 1},
     {"realpath", 1},   {"abspath", 1},   {"error", 1},     {"warning", 1},    {"shell", 1},
     {"origin", 1},     {"flavor", 1},    {"foreach", 3},   {"if", 3},         {"or", 0},
     {"and", 0},        {"call", 0},      {"eval", 1},      {"file", 2},       {"value", 1},
     {"info", 1},       {"let", 3}}};

// Behind the reference that begins with "$" at `at`, no further than `end`; npos if it does not
// close. "$$" and "$@" are two bytes.
size_t reference_end(std::string_view text, size_t at, size_t end) {
  if (at + 1 >= end) return at + 1;
  const char open = text[at + 1];
  if (open != '(' && open != '{') return at + 2;
  const char close = open == '(' ? ')' : '}';
  int64_t depth = 0;
  for (size_t i = at + 1; i < end; ++i) {
    if (text[i] == open) ++depth;
    if (text[i] == close && --depth == 0) return i + 1;
  }
  return std::string_view::npos;
}

// The length of a blank or of a continued line's end at `at`; 0 if none is there.
size_t blank_length(std::string_view text, size_t at, size_t end) {
  if (is_space(text[at])) return 1;
  if (text[at] != '\\') return 0;
  size_t i = at + 1;
  if (i < end && text[i] == '\r') ++i;
  return i < end && text[i] == '\n' ? i + 1 - at : 0;
}

struct Reader {
  std::string_view text;
  MakeLine& line;
  std::optional<SyntaxFault>& fault;
};

void read_words(Reader& reader, size_t begin, size_t end, bool is_command);

// Arguments of a call, as lists of their own.
void read_call(Reader& reader, size_t begin, size_t end) {
  const std::string_view text = reader.text;
  size_t name_end = begin + 2;
  while (name_end < end && !is_space(text[name_end]) && text[name_end] != ',') ++name_end;
  const std::string_view name = text.substr(begin + 2, name_end - begin - 2);
  const auto* const function =
      std::find_if(kFunctions.begin(), kFunctions.end(),
                   [&](const Function& known) { return known.name == name; });
  if (function == kFunctions.end() || name_end >= end - 1) {
    for (size_t i = begin + 2; i < end - 1; ++i) {  // "$(A:$(B)=...)": calls within a name
      if (text[i] != '$') continue;
      const size_t inner = reference_end(text, i, end - 1);
      if (inner != std::string_view::npos && text[i + 1] != '$') read_call(reader, i, inner);
      i = std::min(inner, end) - 1;
    }
    return;
  }
  MakeCall call{.name = name, .begin = begin, .end = end, .arguments = {}};
  size_t start = name_end;
  while (start < end - 1 && is_space(text[start])) ++start;
  size_t from = start;
  int64_t depth = 0;
  for (size_t i = start; i <= end - 1; ++i) {
    const bool ends = i == end - 1;
    if (text[i] == '(' || text[i] == '{') ++depth;
    if (!ends && (text[i] == ')' || text[i] == '}')) --depth;
    const bool is_last = call.arguments.size() + 1 == function->num_arguments;
    if (!ends && !(text[i] == ',' && depth == 0 && !is_last)) continue;
    call.arguments.push_back({from, i});
    read_words(reader, from, i, name == "shell");
    from = i + 1;
  }
  reader.line.calls.push_back(call);
}

// Words, one after the other, of [begin, end).
struct Words {
  Reader& reader;
  bool is_command = false;
  MakeList list = {};
  BuildWord word = {};
  bool open = false;

  void start(size_t at) {
    if (!open)
      word = {
          .begin = at, .end = at, .outer_begin = at, .outer_end = at, .text = "", .joiner = " "};
    open = true;
  }
  void take(size_t at, size_t length) {
    start(at);
    word.text += reader.text.substr(at, length);
  }
  void end_word(size_t at) {
    if (!open) return;
    word.end = word.outer_end = at;
    list.words.push_back(word);
    open = false;
  }
  void end_list(size_t at) {
    end_word(at);
    list.is_command = is_command;
    if (!list.words.empty()) reader.line.lists.push_back(std::move(list));
    list = {};
  }
};

// Flags in quotes, "-O3 -arch=sm_80", are a list too; an edit of all of them would need the quotes.
void read_quoted(Reader& reader, size_t begin, size_t end) {
  if (reader.text.substr(begin, end - begin).find(' ') == std::string_view::npos) return;
  const size_t before = reader.line.lists.size();
  read_words(reader, begin, end, false);
  for (size_t i = before; i < reader.line.lists.size(); ++i) {
    for (BuildWord& word : reader.line.lists[i].words) word.outer_end = 0;
  }
}

// Where the quote at `at` closes; npos if it does not: then it is a letter as others.
size_t quote_end(std::string_view text, size_t at, size_t end) {
  for (size_t i = at + 1; i < end; ++i) {
    if (text[i] == '\\' && text[at] == '"') {
      ++i;
    } else if (text[i] == text[at]) {
      return i;
    }
  }
  return std::string_view::npos;
}

// One step at `i` that is no blank and no separator; where the next begins.
size_t take_piece(Words& words, size_t i, size_t end) {
  Reader& reader = words.reader;
  const char c = reader.text[i];
  if (c == '$') {
    const size_t stop = reference_end(reader.text, i, end);
    if (stop == std::string_view::npos) {
      if (!reader.fault) reader.fault = SyntaxFault{i, "a reference that is not closed"};
      return end;
    }
    words.take(i, stop - i);
    if (stop - i > 2) read_call(reader, i, stop);
    return stop;
  }
  if (c == '"' || c == '\'') {
    const size_t stop = quote_end(reader.text, i, end);
    if (stop != std::string_view::npos) {
      words.take(i + 1, 0);
      words.word.begin = words.word.outer_begin = std::min(words.word.begin, i);
      words.word.text += reader.text.substr(i + 1, stop - i - 1);
      read_quoted(reader, i + 1, stop);
      return stop + 1;
    }
  }
  const size_t length = c == '\\' && i + 1 < end ? 2 : 1;
  words.take(i, length);
  return i + length;
}

void read_words(Reader& reader, size_t begin, size_t end, bool is_command) {
  Words words{.reader = reader, .is_command = is_command};
  for (size_t i = begin; i < end;) {
    const char c = reader.text[i];
    if (const size_t blank = blank_length(reader.text, i, end); blank != 0) {
      words.end_word(i);
      i += blank;
    } else if (c == ';' || c == '|' || c == '&') {
      words.end_list(i++);
    } else if ((c == '(' || c == ')') && !words.open) {
      words.end_list(i++);
    } else {
      i = take_piece(words, i, end);
    }
  }
  words.end_list(end);
}

// Where the logical line that begins at `begin` ends: at its last line's end.
size_t line_end(std::string_view text, size_t begin) {
  for (size_t at = begin;; ++at) {
    at = text.find('\n', at);
    if (at == std::string_view::npos) return text.size();
    size_t last = at;
    if (last > begin && text[last - 1] == '\r') --last;
    size_t num_backslashes = 0;
    while (last > begin && text[last - 1] == '\\') {
      --last;
      ++num_backslashes;
    }
    if (num_backslashes % 2 == 0) return at;
  }
}

// Where a comment begins in [begin, end); `end` if none does. In a recipe it is the shell's.
size_t comment_start(std::string_view text, size_t begin, size_t end, bool is_recipe) {
  char quote = '\0';
  for (size_t i = begin; i < end; ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == '$' && is_recipe) {
      const size_t stop = reference_end(text, i, end);
      if (stop != std::string_view::npos) i = stop - 1;
    } else if (is_recipe && (text[i] == '"' || text[i] == '\'')) {
      if (quote == '\0') {
        quote = text[i];
      } else if (quote == text[i]) {
        quote = '\0';
      }
    } else if (text[i] == '#' && quote == '\0' &&
               (!is_recipe || i == begin || is_space(text[i - 1]))) {
      return i;
    }
  }
  return end;
}

// "NAME op" at the start of a line: sets the name, and says where the value begins; 0 if it is no
// assignment.
size_t read_assignment(std::string_view text, MakeLine& line) {
  for (size_t i = line.begin; i < line.end; ++i) {
    if (text[i] == '$') {
      const size_t stop = reference_end(text, i, line.end);
      if (stop == std::string_view::npos) return 0;
      i = stop - 1;
      continue;
    }
    const bool is_colon = text[i] == ':';
    const std::string_view rest = text.substr(i, line.end - i);
    const bool is_rule = is_colon && !rest.starts_with(":=") && !rest.starts_with("::=");
    if (is_rule) return 0;
    if (!is_colon && text[i] != '=') continue;
    size_t name_end = i;
    while (name_end > line.begin &&
           std::string_view("?+! \t").find(text[name_end - 1]) != std::string_view::npos)
      --name_end;
    size_t name_begin = name_end;
    while (name_begin > line.begin && !is_space(text[name_begin - 1])) --name_begin;
    line.name = text.substr(name_begin, name_end - name_begin);
    return text.find('=', i) + 1;
  }
  return 0;
}

bool starts_with_word(std::string_view line, std::string_view word) {
  const size_t at = line.find_first_not_of(" \t");
  if (at == std::string_view::npos || !line.substr(at).starts_with(word)) return false;
  const size_t end = at + word.size();
  return end == line.size() || is_space(line[end]) || line[end] == '(';
}

void read_line(MakeText& out, std::string_view text, size_t begin, size_t end, bool in_define) {
  MakeLine line{.kind = MakeLineKind::other,
                .begin = begin,
                .end = end,
                .name = "",
                .lists = {},
                .calls = {}};
  const bool is_recipe = in_define || (begin < end && text[begin] == '\t');
  line.end = comment_start(text, begin, end, is_recipe);
  size_t value = 0;
  if (is_recipe) {
    line.kind = MakeLineKind::recipe;
  } else {
    value = read_assignment(text, line);
    if (value != 0) line.kind = MakeLineKind::assignment;
  }
  Reader reader{.text = text, .line = line, .fault = out.fault};
  if (value != 0) read_words(reader, begin, value - 1, false);
  read_words(reader, value == 0 ? begin : value, line.end, value == 0);
  out.lines.push_back(std::move(line));
}

}  // namespace

MakeText read_make(std::string_view text) {
  MakeText out;
  size_t define = std::string_view::npos;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = line_end(text, begin);
    const std::string_view line = text.substr(begin, end - begin);
    if (define != std::string_view::npos && starts_with_word(line, "endef")) {
      define = std::string_view::npos;
    } else {
      read_line(out, text, begin, end, define != std::string_view::npos);
      if (starts_with_word(line, "define")) define = begin;
    }
    begin = end + 1;
  }
  if (define != std::string_view::npos && !out.fault) {
    out.fault = SyntaxFault{define, "a define without endef"};
  }
  return out;
}

std::vector<std::string> references_in(std::string_view word) {
  std::vector<std::string> names;
  for (size_t i = 0; i + 2 < word.size(); ++i) {
    if (word[i] != '$' || (word[i + 1] != '(' && word[i + 1] != '{')) continue;
    size_t end = i + 2;
    while (end < word.size() && (is_name_char(word[end]) || word[end] == '-' || word[end] == '.'))
      ++end;
    if (end < word.size() && std::string_view(")}:").find(word[end]) != std::string_view::npos) {
      names.emplace_back(word.substr(i + 2, end - i - 2));
    }
  }
  return names;
}

}  // namespace ambidex
