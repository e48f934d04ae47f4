// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "frontend/syntax.h"

namespace ambidex::syntax {
namespace {

bool is_attribute_like(std::string_view word) {
  static const std::set<std::string_view> kWords{
      "__launch_bounds__", "__attribute__", "__align__",        "alignas",     "noexcept",
      "decltype",          "throw",         "requires",         "sizeof",      "explicit",
      "__declspec",        "typeof",        "__cluster_dims__", "__maxnreg__", "__block_size__"};
  return kWords.contains(word);
}

// Past a `template <...>` at `at`, or `at`.
int past_template(const Words& words, int at, int last) {
  if (words.text(at) != "template" || words.text(at + 1) != "<") return at;
  const int past = past_angles(words, at + 1, last);
  return past < 0 ? at + 1 : past;
}

Parameter parameter_of(const Words& words, Span span) {
  Parameter parameter{.type = span};
  for (int i = span.first; i < span.last; ++i) {
    if (words.text(i) == "=") {
      parameter.fallback = {i + 1, span.last};
      span.last = parameter.type.last = i;
    }
  }
  int end = span.last;  // before array bounds
  while (end > span.first && words.text(end - 1) == "]") {
    end = std::max(words.partner[static_cast<size_t>(end - 1)], span.first);
  }
  if (end - 1 > span.first && words.is_word(end - 1) && !is_keyword(words.text(end - 1))) {
    parameter.name = words.text(end - 1);
    parameter.type.last = end - 1;
  }
  return parameter;
}

std::vector<Parameter> parameters_of(const Words& words, Span span) {
  std::vector<Parameter> parameters;
  for (const Span one : split_commas(words, span)) parameters.push_back(parameter_of(words, one));
  return parameters;
}

struct Head {
  int name = -1;
  int open = -1;  // of the parameters
};

// Whether the words after a parenthesis show that it belongs to a macro before the real name:
// MACRO(256) void kernel(...).
bool leads_to_name(const Words& words, Span rest) {
  static const std::set<std::string_view> kAfterParameters{"const", "noexcept", "override",
                                                           "final", "volatile", "try"};
  return !rest.empty() && words.is_word(rest.first) &&
         !kAfterParameters.contains(words.text(rest.first)) &&
         !is_attribute_like(words.text(rest.first)) && rest.first + 1 < rest.last;
}

// The name and the parameters of the function that the words before a { declare, if they do.
Head head_of(const Words& words, Span span) {
  Head head;
  for (int i = span.first; i < span.last; ++i) {
    const std::string_view text = words.text(i);
    if (text == "=" && words.text(i - 1) != "operator") return head;
    if (text == "{") return head;
    if (text != "(") continue;
    const int close = words.partner[static_cast<size_t>(i)];
    if (close < 0 || close >= span.last) return head;
    const bool operator_name = !words.is_word(i - 1) && i - 2 >= span.first &&
                               (words.text(i - 2) == "operator" || words.text(i - 3) == "operator");
    const bool named =
        i > span.first && (words.is_word(i - 1) || operator_name || words.text(i - 1) == ">");
    const bool attribute = named && words.is_word(i - 1) && is_attribute_like(words.text(i - 1));
    if (named && !attribute && !leads_to_name(words, {close + 1, span.last}) &&
        !is_keyword(words.text(i - 1))) {
      head.name = i - 1;
      head.open = i;
      return head;
    }
    i = close;
  }
  return head;
}

bool any_word(const Words& words, Span span, const std::set<std::string>& names) {
  for (int i = span.first; i < span.last; ++i) {
    if (words.is_word(i) && names.contains(std::string(words.text(i)))) return true;
  }
  return false;
}

class Finder {
 public:
  Finder(const Words& words, const std::set<std::string>& device_words)
      : words_(words), device_words_(device_words) {}

  std::vector<Function> found() {
    scope({0, static_cast<int>(std::ssize(words_.tokens))});
    return std::move(functions_);
  }

 private:
  // Declarations of a namespace or class.
  void scope(Span span) {
    int start = span.first;
    for (int i = span.first; i < span.last; ++i) {
      const std::string_view text = words_.text(i);
      if (text == ";" || text == "}") start = i + 1;
      if (text == ":" && i > span.first && is_access(words_.text(i - 1))) start = i + 1;
      if (text == "(" || text == "[") {
        const int close = words_.partner[static_cast<size_t>(i)];
        if (text == "[" && starts_lambda(i)) lambdas({i, i + 1}, -1);
        if (close > i && close < span.last) i = close;
      }
      if (text != "{") continue;
      const int close = words_.partner[static_cast<size_t>(i)];
      const int end = close > i && close < span.last ? close : span.last;
      if (brace({start, i}, {i + 1, end})) i = end;  // else a namespace or class: walk into it
      start = i + 1;
    }
  }

  static bool is_access(std::string_view word) {
    return word == "public" || word == "private" || word == "protected";
  }

  // Whether the braces are done with.
  bool brace(Span before, Span inside) {
    const int begin = past_template(words_, before.first, before.last);
    const Head head = head_of(words_, {begin, before.last});
    if (head.name >= 0) {
      add(before, head, inside, -1);
      return true;
    }
    const bool opens = has_word(words_, {begin, before.last}, "namespace") ||
                       has_word(words_, {begin, before.last}, "extern") ||
                       has_word(words_, {begin, before.last}, "struct") ||
                       has_word(words_, {begin, before.last}, "class") ||
                       has_word(words_, {begin, before.last}, "union");
    bool assigned = false;
    for (int i = begin; i < before.last; ++i) assigned = assigned || words_.text(i) == "=";
    if (!assigned && (opens || !has_word(words_, {begin, before.last}, "enum"))) return false;
    lambdas(inside, -1);
    return true;
  }

  void add(Span before, const Head& head, Span inside, int parent) {
    const int begin = past_template(words_, before.first, before.last);
    Function function{
        .words = &words_, .name_at = head.name, .head = before, .body = inside, .parent = parent};
    function.name = words_.text(head.name);
    if (begin > before.first + 3) {
      function.template_parameters = parameters_of(words_, {before.first + 2, begin - 1});
    }
    const int close = words_.partner[static_cast<size_t>(head.open)];
    function.parameters = parameters_of(words_, {head.open + 1, close});
    mark_sides(function, before);
    finish(std::move(function));
  }

  void mark_sides(Function& function, Span before) const {
    function.global = has_word(words_, before, "__global__");
    function.device = function.global || any_word(words_, before, device_words_);
    function.host = has_word(words_, before, "__host__") || !function.device;
  }

  void finish(Function function) {
    function.block = statements_of(words_, function.body);
    function.calls = calls_in(words_, function.body);
    const int index = static_cast<int>(functions_.size());
    const Span body = function.body;
    functions_.push_back(std::move(function));
    lambdas(body, index);
  }

  bool starts_lambda(int i) const {
    if (words_.text(i) != "[" || words_.partner[static_cast<size_t>(i)] < 0) return false;
    const std::string_view before = words_.text(i - 1);
    if (i > 0 && ((words_.is_word(i - 1) && before != "return") || before == "]" || before == ")" ||
                  before == "[" || words_.text(i + 1) == "[")) {
      return false;
    }
    const int past = words_.partner[static_cast<size_t>(i)] + 1;
    return words_.text(past) == "(" || words_.text(past) == "{" || words_.is_word(past);
  }

  void lambdas(Span span, int parent) {
    for (int i = span.first; i < span.last; ++i) {
      if (!starts_lambda(i)) continue;
      const Span inside = lambda(i, parent);
      if (!inside.empty()) i = inside.last;
    }
  }

  Span lambda(int at, int parent) {
    const int past = words_.partner[static_cast<size_t>(at)] + 1;
    Function function{
        .words = &words_, .name = "lambda", .name_at = at, .lambda = true, .parent = parent};
    const int size = static_cast<int>(std::ssize(words_.tokens));
    int i = past;
    for (; i < size && words_.text(i) != "{"; ++i) {
      const std::string_view text = words_.text(i);
      if (text == ";" || text == "," || text == ")" || text == "=") return {};
      if (text != "(") continue;
      const int close = words_.partner[static_cast<size_t>(i)];
      if (close < 0) return {};
      if (!is_attribute_like(words_.text(i - 1))) {
        function.parameters = parameters_of(words_, {i + 1, close});
      }
      i = close;
    }
    if (i >= size || words_.partner[static_cast<size_t>(i)] < 0) return {};
    function.head = {at, i};
    function.body = {i + 1, words_.partner[static_cast<size_t>(i)]};
    mark_sides(function, function.head);
    if (parent >= 0 && functions_[static_cast<size_t>(parent)].device) {
      function.device = true;
      function.host = false;
    }
    const Span body = function.body;
    finish(std::move(function));
    return body;
  }

  const Words& words_;
  const std::set<std::string>& device_words_;
  std::vector<Function> functions_;
};

}  // namespace

std::vector<Function> functions_of(const Words& words, const std::set<std::string>& device_words) {
  return Finder(words, device_words).found();
}

Function function_of(const Macro& macro, const Words& words) {
  Function function{.words = &words, .name = macro.name, .device = true, .macro = &macro};
  function.body = {0, static_cast<int>(std::ssize(words.tokens))};
  for (const std::string& name : macro.parameters) function.parameters.push_back({.name = name});
  function.block = statements_of(words, function.body);
  function.calls = calls_in(words, function.body);
  return function;
}

}  // namespace ambidex::syntax
