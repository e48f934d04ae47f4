// SPDX-License-Identifier: Apache-2.0
#include <clang/Basic/LangOptions.h>
#include <clang/Lex/Lexer.h>

#include <algorithm>
#include <utility>

#include "frontend/source_view.h"

namespace ambidex {
namespace {

TokenKind kind_of(const clang::Token& token) {
  switch (token.getKind()) {
    case clang::tok::raw_identifier:
      return TokenKind::word;
    case clang::tok::numeric_constant:
      return TokenKind::number;
    case clang::tok::char_constant:
    case clang::tok::wide_char_constant:
    case clang::tok::utf8_char_constant:
    case clang::tok::utf16_char_constant:
    case clang::tok::utf32_char_constant:
      return TokenKind::character;
    case clang::tok::unknown:
      return TokenKind::other;
    default:
      return clang::tok::isStringLiteral(token.getKind()) ? TokenKind::text : TokenKind::sign;
  }
}

clang::LangOptions language() {
  clang::LangOptions options;
  options.CPlusPlus = options.CPlusPlus11 = options.CPlusPlus14 = options.CPlusPlus17 = true;
  options.CUDA = options.Bool = options.LineComment = options.RawStringLiterals = true;
  options.Digraphs = true;
  return options;
}

// As everyone looks for brackets and the #.
std::string_view without_digraphs(std::string_view text) {
  static constexpr std::pair<std::string_view, std::string_view> kDigraphs[] = {
      {"<%", "{"}, {"%>", "}"}, {"<:", "["}, {":>", "]"}, {"%:", "#"}, {"%:%:", "##"}};
  for (const auto& [digraph, sign] : kDigraphs) {
    if (text == digraph) return sign;
  }
  return text;
}

// Words, and at which of them a line starts.
void lex(SourceFile& file, std::vector<bool>& starts) {
  static const clang::LangOptions kLanguage = language();
  const std::string& text = *file.text;
  const char* begin = text.c_str();
  const auto origin = clang::SourceLocation::getFromRawEncoding(1);
  clang::Lexer lexer(origin, kLanguage, begin, begin, begin + text.size());
  clang::Token token;
  int64_t line = 1;
  size_t line_start = 0;
  size_t counted = 0;
  for (;;) {
    const bool at_end = lexer.LexFromRawLexer(token);
    if (token.is(clang::tok::eof)) break;
    const size_t offset = token.getLocation().getRawEncoding() - origin.getRawEncoding();
    for (; counted < offset; ++counted) {
      if (text[counted] != '\n') continue;
      ++line;
      line_start = counted + 1;
    }
    if (token.isNot(clang::tok::comment)) {
      starts.push_back(token.isAtStartOfLine());
      const std::string_view written = std::string_view(text).substr(offset, token.getLength());
      file.tokens.push_back({.text = without_digraphs(written),
                             .first = static_cast<int64_t>(offset),
                             .last = static_cast<int64_t>(offset + token.getLength()),
                             .kind = kind_of(token),
                             .line = line,
                             .column = static_cast<int64_t>(offset - line_start) + 1});
    }
    if (at_end) break;
  }
}

void find_directives(SourceFile& file, const std::vector<bool>& starts) {
  const auto size = std::ssize(file.tokens);
  for (int64_t i = 0; i < size; ++i) {
    if (!starts[static_cast<size_t>(i)] || file.tokens[static_cast<size_t>(i)].text != "#")
      continue;
    int64_t last = i + 1;
    while (last < size && !starts[static_cast<size_t>(last)]) ++last;
    for (int64_t k = i; k < last; ++k) file.tokens[static_cast<size_t>(k)].directive = true;
    Directive directive{.line = {i, last}, .rest = {std::min(i + 2, last), last}};
    if (i + 1 < last) directive.name = file.tokens[static_cast<size_t>(i + 1)].text;
    file.directives.push_back(directive);
    i = last - 1;
  }
}

bool names_amd(std::string_view word) {
  static constexpr std::string_view kNames[] = {
      "__HIP__",    "__HIPCC__",        "__HIP_PLATFORM_AMD__", "__HIP_PLATFORM_HCC__",
      "USE_ROCM",   "GGML_USE_HIP",     "BUILD_WITH_HIP",       "__HIP_DEVICE_COMPILE__",
      "USE_HIP",    "GGML_USE_HIPBLAS", "__AMDGCN__",           "__HIP_ROCclr__",
      "__gfx942__", "__gfx950__",       "__gfx90a__",           "__gfx908__"};
  return std::find(std::begin(kNames), std::end(kNames), word) != std::end(kNames);
}

// Whether the branch that the directive opens is compiled by HIP only: positive tests, one at least
// on each side of an ||.
bool opens_amd(const SourceFile& file, const Directive& directive) {
  if (directive.name == "ifndef" || directive.name == "else") return false;
  bool amd = false;
  for (int64_t i = directive.rest.first; i < directive.rest.last; ++i) {
    const Token& token = file.tokens[static_cast<size_t>(i)];
    if (token.text == "!" || (token.text == "||" && !amd)) return false;
    amd = token.text != "||" && (amd || names_amd(token.text));
  }
  return amd;
}

void mark_amd_only(SourceFile& file) {
  std::vector<bool> open;  // per #if that is open
  size_t next = 0;
  const auto any = [&] { return std::find(open.begin(), open.end(), true) != open.end(); };
  for (int64_t i = 0; i < std::ssize(file.tokens); ++i) {
    while (next < file.directives.size() && file.directives[next].line.last <= i) {
      const Directive& directive = file.directives[next++];
      if (directive.name.starts_with("if")) {
        open.push_back(opens_amd(file, directive));
      } else if (directive.name.starts_with("el") && !open.empty()) {
        open.back() = opens_amd(file, directive);
      } else if (directive.name == "endif" && !open.empty()) {
        open.pop_back();
      }
    }
    file.tokens[static_cast<size_t>(i)].amd_only = any();
  }
}

Macro macro_of(const SourceFile& file, size_t index, const Directive& directive) {
  const auto at = [&](int64_t i) -> const Token& { return file.tokens[static_cast<size_t>(i)]; };
  const Token& name = at(directive.rest.first);
  Macro macro{.name = std::string(name.text), .file = index, .line = name.line};
  int64_t i = directive.rest.first + 1;
  // A parameter list touches the name.
  macro.function_like = i < directive.rest.last && at(i).text == "(" && at(i).first == name.last;
  if (macro.function_like) {
    for (++i; i < directive.rest.last && at(i).text != ")"; ++i) {
      if (at(i).text == "...") macro.parameters.emplace_back("__VA_ARGS__");
      if (at(i).kind == TokenKind::word) macro.parameters.emplace_back(at(i).text);
    }
    i = std::min(i + 1, directive.rest.last);
  }
  macro.body = {i, directive.rest.last};
  return macro;
}

}  // namespace

SourceFile lexed(std::string path, std::string text) {
  SourceFile file;
  file.path = std::move(path);
  file.text = std::make_shared<const std::string>(std::move(text));
  std::vector<bool> starts;
  lex(file, starts);
  find_directives(file, starts);
  mark_amd_only(file);
  return file;
}

std::vector<Macro> macros_of(const std::vector<SourceFile>& files) {
  std::vector<Macro> macros;
  for (size_t i = 0; i < files.size(); ++i) {
    for (const Directive& directive : files[i].directives) {
      if (directive.name != "define" || directive.rest.first == directive.rest.last) continue;
      macros.push_back(macro_of(files[i], i, directive));
    }
  }
  return macros;
}

std::string evidence_at(const SourceFile& file, int64_t line) {
  const std::string& text = *file.text;
  size_t start = 0;
  for (int64_t i = 1; i < line && start != std::string::npos; ++i) {
    start = text.find('\n', start);
    if (start != std::string::npos) ++start;
  }
  if (start == std::string::npos) return "";
  const size_t first = text.find_first_not_of(" \t", start);
  if (first == std::string::npos) return "";
  const size_t end = std::min(text.find_first_of("\r\n", first), text.size());
  return text.substr(first, std::min<size_t>(end - first, 200));
}

}  // namespace ambidex
