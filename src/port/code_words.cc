// SPDX-License-Identifier: Apache-2.0
#include "port/code_words.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace ambidex::code {
namespace {

// The longest first.
constexpr std::array<std::string_view, 31> kSigns{
    "<<<", ">>>", "<<=", ">>=", "...", "->*", "::", "->", "==", "!=", "<=",
    ">=",  "&&",  "||",  "++",  "--",  "+=",  "-=", "*=", "/=", "%=", "&=",
    "|=",  "^=",  "<<",  ">>",  "<%",  "%>",  "<:", ":>", "%:"};

bool begins_name(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || (c & 0x80) != 0;
}
bool in_name(char c) { return begins_name(c) || std::isdigit(static_cast<unsigned char>(c)) != 0; }

class Reader {
 public:
  explicit Reader(std::string_view source) : source_(source) {}

  // `on_comment(begin, end)` hears of every comment.
  template <class OnComment>
  Words read(OnComment on_comment) {
    while (at_ < source_.size()) {
      if (skip_blank()) continue;
      const size_t begin = at_;
      if (skip_comment()) {
        on_comment(begin, at_);
        continue;
      }
      const WordKind kind = take_word();
      if (line_is_fresh_ && source_[begin] == '#') directive_ = true;
      line_is_fresh_ = false;
      words_.words.push_back({source_.substr(begin, at_ - begin), kind, directive_});
    }
    return std::move(words_);
  }

 private:
  char next(size_t ahead = 0) const {
    return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0';
  }

  // Bytes of a backslash and the line end behind it; 0 if there is none here.
  size_t splice() const {
    if (next() != '\\') return 0;
    if (next(1) == '\n') return 2;
    return next(1) == '\r' && next(2) == '\n' ? 3 : 0;
  }

  bool skip_blank() {
    if (const size_t spliced = splice(); spliced > 0) {
      at_ += spliced;
      return true;
    }
    if (std::isspace(static_cast<unsigned char>(next())) == 0) return false;
    if (next() == '\n') {
      line_is_fresh_ = true;
      directive_ = false;
    }
    ++at_;
    return true;
  }

  bool skip_comment() {
    if (next() != '/' || (next(1) != '/' && next(1) != '*')) return false;
    if (next(1) == '/') {
      while (at_ < source_.size() && next() != '\n') at_ += std::max<size_t>(1, splice());
      return true;
    }
    const size_t end = source_.find("*/", at_ + 2);
    words_.whole = words_.whole && end != std::string_view::npos;
    at_ = end == std::string_view::npos ? source_.size() : end + 2;
    return true;
  }

  WordKind take_word() {
    if (begins_name(next())) return take_name();
    const bool digit = std::isdigit(static_cast<unsigned char>(next())) != 0;
    if (digit || (next() == '.' && std::isdigit(static_cast<unsigned char>(next(1))) != 0)) {
      return take_number();
    }
    if (next() == '"' || next() == '\'') return take_literal();
    for (const std::string_view sign : kSigns) {
      if (source_.substr(at_, sign.size()) != sign) continue;
      at_ += sign.size();
      return WordKind::sign;
    }
    ++at_;
    return WordKind::sign;
  }

  WordKind take_name() {
    const size_t begin = at_;
    while (in_name(next())) ++at_;
    const std::string_view name = source_.substr(begin, at_ - begin);
    constexpr std::array<std::string_view, 4> kPrefixes{"u8", "u", "U", "L"};
    const bool raw =
        name.ends_with('R') &&
        (name.size() == 1 || std::find(kPrefixes.begin(), kPrefixes.end(),
                                       name.substr(0, name.size() - 1)) != kPrefixes.end());
    if (raw && next() == '"') return take_raw();
    const bool prefix = std::find(kPrefixes.begin(), kPrefixes.end(), name) != kPrefixes.end();
    if (prefix && (next() == '"' || next() == '\'')) return take_literal();
    return WordKind::name;
  }

  WordKind take_raw() {
    const size_t open = source_.find('(', at_);
    const std::string end = open == std::string_view::npos
                                ? ""
                                : ")" + std::string(source_.substr(at_ + 1, open - at_ - 1)) + "\"";
    const size_t close = end.empty() ? open : source_.find(end, open);
    words_.whole = words_.whole && close != std::string_view::npos;
    at_ = close == std::string_view::npos ? source_.size() : close + end.size();
    return WordKind::text;
  }

  WordKind take_number() {
    while (in_name(next()) || next() == '.' || (next() == '\'' && in_name(next(1))) ||
           ((next() == '+' || next() == '-') && is_exponent(source_[at_ - 1]))) {
      ++at_;
    }
    return WordKind::number;
  }
  static bool is_exponent(char c) { return c == 'e' || c == 'E' || c == 'p' || c == 'P'; }

  WordKind take_literal() {
    const char quote = next();
    ++at_;
    while (at_ < source_.size() && next() != quote && next() != '\n') {
      at_ += next() == '\\' ? 2 : 1;
    }
    at_ = std::min(at_, source_.size());
    words_.whole = words_.whole && next() == quote;
    if (next() == quote) ++at_;
    return quote == '"' ? WordKind::text : WordKind::character;
  }

  std::string_view source_;
  size_t at_ = 0;
  bool line_is_fresh_ = true;
  bool directive_ = false;
  Words words_;
};

}  // namespace

Words words_of(std::string_view source) {
  return Reader(source).read([](size_t, size_t) {});
}

int64_t closing(const Words& words, int64_t open) {
  int64_t depth = 0;
  for (int64_t i = open; i < words.size(); ++i) {
    if (words.at(i).directive) continue;
    const std::string_view text = words.text(i);
    if (text == "(" || text == "[" || text == "{") ++depth;
    if ((text == ")" || text == "]" || text == "}") && --depth == 0) return i;
  }
  return -1;
}

size_t offset_of(const Words& words, int64_t i, std::string_view source) {
  return static_cast<size_t>(words.at(i).text.data() - source.data());
}

size_t offset_of_line(std::string_view text, int64_t line) {
  size_t at = 0;
  for (int64_t i = 1; i < line && at < text.size(); ++i) {
    const size_t end = text.find('\n', at);
    at = end == std::string_view::npos ? text.size() : end + 1;
  }
  return at;
}

std::string without_comments(std::string_view source) {
  std::string out(source);
  Reader(source).read([&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      if (out[i] != '\n' && out[i] != '\r') out[i] = ' ';
    }
  });
  return out;
}

}  // namespace ambidex::code
