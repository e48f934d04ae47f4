// SPDX-License-Identifier: Apache-2.0
#include "frontend/ptx.h"

namespace ambidex {
namespace {

bool is_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// x: an SSE register, for floats; r: for half words.
char host_letter(char c) { return c == 'f' || c == 'd' ? 'x' : c == 'h' ? 'r' : c; }

/// `"=f" (`: a literal of one letter and signs before a bracket is a constraint.
void exchange(std::string& source, size_t first, size_t last) {
  for (size_t at = first; at + 2 < last; ++at) {
    if (source[at] != '"') continue;
    size_t letter = at + 1;
    while (letter < last &&
           std::string_view("=+&").find(source[letter]) != std::string_view::npos) {
      ++letter;
    }
    if (letter + 1 >= last || source[letter + 1] != '"') continue;
    const size_t next = source.find_first_not_of(" \t\r\n\\", letter + 2);
    if (next >= last || source[next] != '(') continue;
    source[letter] = host_letter(source[letter]);
    at = letter + 1;
  }
}

}  // namespace

std::string with_host_constraints(std::string_view source) {
  std::string out(source);
  for (size_t at = source.find("asm"); at != std::string_view::npos;
       at = source.find("asm", at + 3)) {
    size_t start = at;
    while (start > 0 && source[start - 1] == '_') --start;
    if (start > 0 && is_name(source[start - 1])) continue;
    const AsmStatement statement = parse_asm(source.substr(start));
    exchange(out, start, start + static_cast<size_t>(statement.length));
  }
  return out;
}

}  // namespace ambidex
