// SPDX-License-Identifier: Apache-2.0
#include "port/repair_cheats.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <set>

#include "base/text.h"
#include "port/code_words.h"
#include "port/repair_names.h"

namespace ambidex::repair {
namespace {

// What a patch is held against.
struct Known {
  std::set<std::string, std::less<>> words;    // of the source, in CUDA or HIP
  std::set<std::string, std::less<>> numbers;  // by value
  std::set<std::string, std::less<>> called;
  std::vector<std::string> sizes;
  bool native = false;
};

// A number by its value: "0x20u", "32" and "32ULL" are one.
std::string value_of(std::string_view number) {
  std::string text;
  for (const char c : to_lower(number)) {
    if (c != '\'') text += c;
  }
  const bool hex = text.starts_with("0x");
  while (!text.empty() &&
         (text.back() == 'u' || text.back() == 'l' || (text.back() == 'f' && !hex))) {
    text.pop_back();
  }
  char* end = nullptr;
  const bool whole =
      text.find('.') == std::string::npos && (hex || text.find('e') == std::string::npos);
  if (!whole) return text;
  const unsigned long long value = std::strtoull(text.c_str(), &end, 0);
  return *end == '\0' ? std::to_string(value) : text;
}

// Constants that waves, masks and emptiness need.
bool is_wave_constant(const std::string& value) {
  constexpr std::array<std::string_view, 17> kValues{
      "0",  "1",   "2",  "3",  "4",  "8",          "16",
      "31", "32",  "63", "64", "0.", "4294967295", "18446744073709551615",
      "1.", "0.0", "1.0"};
  return std::find(kValues.begin(), kValues.end(), value) != kValues.end();
}

// Powers of two up to 1024, and those less one: lanes, tiles and threads of native bodies.
bool is_tile_constant(const std::string& value) {
  for (int64_t power = 1; power <= 1024; power *= 2) {
    if (value == std::to_string(power) || value == std::to_string(power - 1)) return true;
  }
  return false;
}

Known known_of(const Subject& subject) {
  Known known{
      .words = {}, .numbers = {}, .called = {}, .sizes = subject.sizes, .native = subject.native};
  for (const std::string* text : {&subject.original, &subject.before}) {
    const code::Words words = code::words_of(*text);
    for (int64_t i = 0; i < words.size(); ++i) {
      known.words.emplace(words.text(i));
      if (words.at(i).kind == code::WordKind::number) known.numbers.insert(value_of(words.text(i)));
      if (words.at(i).is_name() && words.text(i + 1) == "(") known.called.emplace(words.text(i));
    }
  }
  return known;
}

// Words of `#pragma unroll`, with a number or without, at `i`; 0 if it does not stand there.
int64_t length_of_unrolling(const code::Words& words, int64_t i) {
  const auto is = [&](int64_t ahead, std::string_view text) {
    return words.text(i + ahead) == text && words.at(i + ahead).directive;
  };
  if (!is(0, "#") || !is(1, "pragma") || !is(2, "unroll")) return 0;
  int64_t length = 3;
  const bool bracket = is(length, "(");
  length += bracket ? 1 : 0;
  const bool number = i + length < words.size() && words.at(i + length).directive &&
                      words.at(i + length).kind == code::WordKind::number;
  length += number ? 1 : 0;
  return length + (bracket && is(length, ")") ? 1 : 0);
}

// Preprocessor lines and spliced lines have to stay as they are: they reach beyond a function.
std::string lines_fault(const Subject& subject) {
  const auto directives = [&](const std::string& text) {
    const code::Words words = code::words_of(text);
    std::vector<std::string> out;
    for (int64_t i = 0; i < words.size(); ++i) {
      if (subject.native) i += length_of_unrolling(words, i);
      if (i < words.size() && words.at(i).directive) out.emplace_back(words.text(i));
    }
    return out;
  };
  if (directives(subject.before) != directives(subject.after)) {
    return "preprocessor lines may not be changed, added or removed";
  }
  const auto splices = [](const std::string& text) {
    int64_t count = 0;
    for (size_t i = 0; i + 1 < text.size(); ++i) {
      count += text[i] == '\\' && (text[i + 1] == '\n' || text[i + 1] == '\r') ? 1 : 0;
    }
    return count;
  };
  if (splices(subject.after) > splices(subject.before)) return "no line may end in a backslash";
  return "";
}

std::string sign_fault(const code::Words& words, int64_t i, const Known& known) {
  const std::string_view text = words.text(i);
  constexpr std::array<std::string_view, 6> kForbidden{"<%", "%>", "<:", ":>", "%:", "<<<"};
  if (std::find(kForbidden.begin(), kForbidden.end(), text) != kForbidden.end() &&
      !known.words.contains(text)) {
    return fmt::format("{} may not be used: no launches, and no other spelling of signs", text);
  }
  if (text == "[" && words.text(i + 1) == "[" &&
      words.text(i).data() + 1 == words.text(i + 1).data()) {
    return "attributes may not be added";
  }
  if (text == "(" && words.text(i + 1) == "*" && words.text(i + 2) == ")") {
    return "pointers to functions may not be used";
  }
  return "";
}

// Names that the patch itself declares as variables: `type name =`, `, name;` ...
bool is_declared_at(const code::Words& words, int64_t i) {
  constexpr std::array<std::string_view, 8> kBehind{
      "=", ";", "[", ",", ":", "{", ")", "__attribute__"};  // typedef float F4 ...
  if (i == 0) return false;
  const std::string_view before = words.text(i - 1);
  const bool pointer = before == "*" || before == "&" || before == "&&";
  const int64_t last = i - (pointer ? 2 : 1);  // of the type
  const bool name = last >= 0 && words.at(last).is_name();
  const bool typed = name ? !is_statement_word(words.text(last))
                          : words.text(last) == ">" || words.text(last) == "," ||
                                (pointer && words.text(last) == "*");
  return typed && std::find(kBehind.begin(), kBehind.end(), words.text(i + 1)) != kBehind.end();
}

bool is_lambda_at(const code::Words& words, int64_t i) {
  return words.text(i - 1) == "auto" && words.text(i + 1) == "=" && words.text(i + 2) == "[";
}

struct Declared {
  std::set<std::string, std::less<>> names, lambdas;
};

Declared declared_in(const code::Words& words) {
  Declared declared;
  for (int64_t i = 1; i < words.size(); ++i) {
    if (!words.at(i).is_name()) continue;
    if (is_declared_at(words, i)) declared.names.emplace(words.text(i));
    if (is_lambda_at(words, i)) declared.lambdas.emplace(words.text(i));
  }
  return declared;
}

// `__attribute__((ext_vector_type(4)))` or `__attribute__((address_space(3)))`, and no other.
bool is_type_attribute(const code::Words& words, int64_t i) {
  constexpr std::array<std::string_view, 3> kForm{"__attribute__", "(", "("};
  for (size_t k = 0; k < kForm.size(); ++k) {
    if (words.text(i + static_cast<int64_t>(k)) != kForm[k]) return false;
  }
  const std::string_view what = words.text(i + 3);
  return (what == "ext_vector_type" || what == "address_space") && words.text(i + 4) == "(" &&
         words.text(i + 6) == ")" && words.text(i + 7) == ")" && words.text(i + 8) == ")";
}

std::string name_fault(const code::Words& words, int64_t i, const Known& known,
                       const Declared& declared) {
  const std::string_view name = words.text(i);
  if (known.native && is_type_attribute(words, i)) return "";
  if (known.native && is_native_name(name)) return "";
  if (is_forbidden_word(name) && !known.words.contains(name)) {
    return fmt::format("{} may not be added to device code", quote(name));
  }
  if (name == "extern" && words.text(i + 1) != "__shared__") {
    return "extern may be used for __shared__ arrays only";
  }
  if (is_allowed_name(name)) return "";
  if (known.native && name.starts_with("__builtin_")) {
    return fmt::format("{}: the executor, by which bodies are verified, does not have it",
                       quote(name));
  }
  const bool called = words.text(i + 1) == "(";
  if (called && !known.called.contains(name) && !declared.lambdas.contains(name)) {
    return fmt::format(
        "{} is called, which the original does not call; only HIP's device "
        "functions for waves, order and numbers may be added",
        quote(name));
  }
  if (known.words.contains(name) || declared.names.contains(name)) return "";
  return fmt::format(
      "{} is neither in the source nor declared by the patch nor a device function "
      "that may be added",
      quote(name));
}

bool is_size(const code::Words& words, int64_t i, const Known& known) {
  const std::string_view name = words.text(i);
  if (std::find(known.sizes.begin(), known.sizes.end(), name) != known.sizes.end()) return true;
  const std::string_view owner = words.text(i - 2);
  return words.text(i - 1) == "." && (owner == "gridDim" || owner == "blockDim");
}

bool is_comparison(std::string_view sign) {
  constexpr std::array<std::string_view, 6> kSigns{"==", "!=", "<", ">", "<=", ">="};
  return std::find(kSigns.begin(), kSigns.end(), sign) != kSigns.end();
}

// Signs by which a size can be told from another, if what comes out is compared.
bool combines(std::string_view sign) {
  constexpr std::array<std::string_view, 6> kSigns{"+", "-", "^", "%", "&", "|"};
  return is_comparison(sign) || std::find(kSigns.begin(), kSigns.end(), sign) != kSigns.end();
}

// Words [first, first + count) in one of the texts.
bool stands_in(const std::string& text, const code::Words& words, int64_t first, int64_t count) {
  const code::Words all = code::words_of(text);
  for (int64_t i = 0; i + count <= all.size(); ++i) {
    int64_t same = 0;
    while (same < count && all.text(i + same) == words.text(first + same)) ++same;
    if (same == count) return true;
  }
  return false;
}

// A number at `i` that decides by the sizes or values at hand.
std::string number_fault(const code::Words& words, int64_t i, const Known& known,
                         const Subject& subject) {
  const std::string value = value_of(words.text(i));
  const bool known_number = known.numbers.contains(value) || is_wave_constant(value);
  const std::string_view before = words.text(i - 1), behind = words.text(i + 1);
  const bool compared = is_comparison(before) || is_comparison(behind) || before == "case";
  const bool sizes = (is_size(words, i - 2, known) && combines(before)) ||
                     (is_size(words, i + 2, known) && combines(behind));
  const bool tile = known.native && !sizes && is_tile_constant(value);
  if (!known_number && !tile && (compared || sizes)) {
    return fmt::format(
        "a branch on {}, a number that the original does not have: a kernel may not "
        "know sizes or values",
        words.text(i));
  }
  const bool equal = before == "==" || before == "!=" || behind == "==" || behind == "!=";
  const int64_t first = before == "==" || before == "!=" ? i - 2 : i;
  if (equal && sizes && value != "0" && value != "1" &&
      !stands_in(subject.original, words, first, 3) &&
      !stands_in(subject.before, words, first, 3)) {
    return fmt::format(
        "a size is compared with {}, as it is not in the original: a kernel may not "
        "be made for one size",
        words.text(i));
  }
  return "";
}

std::string word_fault(const code::Words& words, int64_t i, const Known& known,
                       const Declared& declared, const Subject& subject) {
  const code::Word& word = words.at(i);
  switch (word.kind) {
    case code::WordKind::sign:
      return sign_fault(words, i, known);
    case code::WordKind::name:
      return name_fault(words, i, known, declared);
    case code::WordKind::number:
      return number_fault(words, i, known, subject);
    case code::WordKind::text:
    case code::WordKind::character:
      return known.words.contains(word.text) ? "" : "no texts or characters may be added";
  }
  return "";
}

}  // namespace

std::string cheat_in(const Subject& subject) {
  if (std::string fault = lines_fault(subject); !fault.empty()) return fault;
  const Known known = known_of(subject);
  const code::Words words = code::words_of(subject.after);
  const Declared declared = declared_in(words);
  for (int64_t i = 0; i < words.size(); ++i) {
    std::string fault = word_fault(words, i, known, declared, subject);
    if (!fault.empty()) return fault;
  }
  if (std::string fault = less_in(subject); !fault.empty()) return fault;
  return subject.native ? narrower_in(subject) : "";
}

}  // namespace ambidex::repair
