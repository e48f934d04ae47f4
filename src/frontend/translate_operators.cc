// SPDX-License-Identifier: Apache-2.0
// A program's own operators of float3 and its like. HIP has them too, element by element: of two
// vectors += -= *= /= are members there and * and / friends, so that calls are ambiguous beside a
// program's. Those with HIP's meaning are left to HIP; others are refused.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "frontend/translate.h"

namespace ambidex {
namespace {

constexpr std::string_view kGuard =
    "#if !defined(__HIP_PLATFORM_AMD__)  // HIP has this operator\n";

struct Operator {
  std::string_view op;    // "+=", "*"
  std::string type;       // "float3"
  std::string_view a, b;  // the parameters
  int64_t open = 0;       // the body's bracket
  bool is_compound() const { return op.size() == 2; }
};

bool is_vector(std::string_view type) {
  static constexpr std::array<std::string_view, 12> kElements{
      "char", "uchar", "short",    "ushort",    "int",   "uint",
      "long", "ulong", "longlong", "ulonglong", "float", "double"};
  if (type.empty() || type.back() < '2' || type.back() > '4') return false;
  return std::find(kElements.begin(), kElements.end(), type.substr(0, type.size() - 1)) !=
         kElements.end();
}

// `const float3& a` -> the vector's type and the name; none if it is something else.
bool read_parameter(const Words& words, TokenRange range, std::string& type,
                    std::string_view& name) {
  for (int64_t i = range.first; i < range.last; ++i) {
    const std::string_view word = words.text(i);
    if (is_vector(word)) {
      type = word;
    } else if (words.is_word(i) && word != "const" && word != "struct") {
      name = word;
    } else if (!words.is_word(i) && word != "&") {
      return false;
    }
  }
  return !type.empty() && !name.empty();
}

// The free function of two vectors that is defined at word `i`; no `op` if there is none.
Operator operator_at(const Words& words, int64_t i) {
  static constexpr std::array<std::string_view, 6> kOperators{"+=", "-=", "*=", "/=", "*", "/"};
  Operator found;
  if (words.text(i) != "operator" || words.at(i).directive || words.text(i + 2) != "(") return {};
  const auto* op = std::find(kOperators.begin(), kOperators.end(), words.text(i + 1));
  if (op == kOperators.end()) return {};
  found.open = words.partner_of(i + 2) + 1;
  const auto arguments = arguments_of(words, i + 2);
  std::string other;
  if (arguments.size() != 2 || words.text(found.open) != "{" ||
      !read_parameter(words, arguments[0], found.type, found.a) ||
      !read_parameter(words, arguments[1], other, found.b) || other != found.type) {
    return {};
  }
  found.op = *op;
  return found;
}

std::string joined(const Words& words, int64_t first, int64_t last) {
  std::string text;
  for (int64_t i = first; i < last; ++i) text += words.text(i);
  return text;
}

// Whether the body is a.x op b.x and so on for each element, and nothing else.
bool is_elementwise(const Words& words, const Operator& it) {
  std::string compound, list;
  for (int i = 0; i < it.type.back() - '0'; ++i) {
    const std::string term = fmt::format("{0}.{2}{3}{1}.{2}", it.a, it.b, "xyzw"[i], it.op);
    compound += term + ";";
    list += (i > 0 ? "," : "") + term;
  }
  const std::string body = joined(words, it.open + 1, words.partner_of(it.open));
  if (it.is_compound())
    return body == compound || body == fmt::format("{}return{};", compound, it.a);
  return body == fmt::format("returnmake_{}({});", it.type, list) ||
         body == fmt::format("return{}({});", it.type, list) ||
         body == fmt::format("return{}{{{}}};", it.type, list) ||
         body == fmt::format("return{{{}}};", list);
}

// The first word of the declaration that holds word `i`.
int64_t start_of_declaration(const Words& words, int64_t i) {
  while (i > 0 && !words.at(i - 1).directive) {
    const std::string_view before = words.text(i - 1);
    if (before == ";" || before == "}" || before == "{") break;
    --i;
  }
  return i;
}

bool is_in_class(const Words& words, int64_t first) {
  return words.text(first - 1) == ":" || words.text(first) == "friend";
}

}  // namespace

void translate_operators(Translation& translation) {
  const Words& words = translation.words;
  for (int64_t i = 0; i < words.size(); ++i) {
    const Operator found = operator_at(words, i);
    if (found.op.empty() || words.at(i).amd_only) continue;
    const int64_t first = start_of_declaration(words, i);
    if (is_in_class(words, first) || words.partner_of(found.open) < 0) continue;
    const int64_t begin = words.first(first), end = words.last(words.partner_of(found.open));
    const std::string_view before =
        std::string_view(*words.file.text).substr(0, static_cast<size_t>(begin));
    if (before.ends_with(kGuard)) continue;
    if (is_elementwise(words, found)) {
      const bool is_first = before.empty() || before.ends_with('\n');
      // Of the first word, not before it: an include that is added there belongs above.
      translation.edits.push_back(
          {.first = begin,
           .last = words.last(first),
           .pieces = {{.text = (is_first ? "" : "\n") + std::string(kGuard)},
                      {.text = "", .first = begin, .last = words.last(first)}},
           .rule = "type.vector-operator",
           .hazard = "N21",
           .note = "beside HIP's the call is ambiguous"});
      insert_at(translation, end, "\n#endif", "type.vector-operator", "N21");
    } else {
      refuse_word(translation, i, "type.vector-operator", "N21",
                  fmt::format("HIP has operator{} of two {} already, element by element: beside "
                              "this one calls of it are ambiguous; give it a name",
                              found.op, found.type));
    }
  }
}

}  // namespace ambidex
