// SPDX-License-Identifier: Apache-2.0
// N01: PTX in asm statements. One instruction at a time, by patterns of what C++ says instead.
#include <fmt/format.h>

#include <algorithm>

#include "frontend/ptx.h"
#include "frontend/ptx_rewrite.h"
#include "frontend/translate.h"

namespace ambidex {
namespace {

bool starts_asm(const Words& words, int64_t i) {
  const std::string_view text = words.text(i);
  return text == "asm" || text == "__asm__" || text == "__asm";
}

// The bracket of `asm volatile goto (`; -1 if there is none.
int64_t bracket_of(const Words& words, int64_t i) {
  for (int64_t k = i + 1; k < i + 5; ++k) {
    if (words.text(k) == "(") return k;
    if (!words.is_word(k)) return -1;
  }
  return -1;
}

struct Range {
  int64_t first = 0;  // bytes
  int64_t last = 0;
};

// Operands where they stand in the source.
std::vector<Range> operands_in(const Words& words, TokenRange range,
                               const AsmStatement& statement) {
  const std::string_view source = words.source(range);
  const int64_t start = words.first(range.first);
  std::vector<Range> operands;
  size_t at = source.find('"');
  for (const auto* list : {&statement.outputs, &statement.inputs}) {
    for (const AsmOperand& operand : *list) {
      at = source.find("(" + operand.expression, at);
      if (at == std::string_view::npos) return {};
      const int64_t first = start + static_cast<int64_t>(at) + 1;
      at += 1 + operand.expression.size();
      operands.push_back({first, start + static_cast<int64_t>(at)});
    }
  }
  return operands;
}

// P of the nearest `__cvta_generic_to_shared(P)` in words [first, last), from the end.
Range pointer_in(const Words& words, int64_t first, int64_t last) {
  for (int64_t i = last; i-- > first;) {
    if (words.text(i) != "__cvta_generic_to_shared" || words.text(i + 1) != "(") continue;
    const int64_t close = words.partner_of(i + 1);
    if (close > i + 2) return {words.first(i + 2), words.last(close - 1)};
  }
  return {};
}

// The pointer that an address of shared memory was made of: in the operand itself, or where the
// variable that it is was declared.
Range shared_pointer(const Words& words, int64_t statement, Range operand) {
  int64_t first = statement;
  while (first < words.size() && words.first(first) < operand.first) ++first;
  int64_t last = first;
  while (last < words.size() && words.last(last) <= operand.last) ++last;
  if (const Range found = pointer_in(words, first, last); found.last > 0) return found;
  if (last - first != 1) return {};
  for (int64_t i = statement - 1; i > 0 && words.device[static_cast<size_t>(i)]; --i) {
    if (words.text(i) != "=" || words.text(i - 1) != words.text(first)) continue;
    int64_t end = i + 1;
    while (end < statement && words.text(end) != ";") ++end;
    return pointer_in(words, i, end);
  }
  return {};
}

// "$1$" of a rewrite becomes the source of operand 1, where other rules have their say; "#1#" the
// pointer behind it. None if one cannot be told.
std::vector<Piece> pieces_of(const Words& words, TokenRange range, const AsmStatement& statement,
                             const std::string& text) {
  const std::vector<Range> operands = operands_in(words, range, statement);
  std::vector<Piece> pieces;
  for (size_t i = 0; i < text.size();) {
    const size_t open = std::min(text.find_first_of("$#", i), text.size());
    if (open > i) pieces.push_back({.text = text.substr(i, open - i)});
    if (open == text.size()) break;
    const size_t close = text.find(text[open], open + 1);
    const size_t index = std::stoul(text.substr(open + 1, close - open - 1));
    if (index >= operands.size()) return {};
    Range operand = operands[index];
    if (text[open] == '#') operand = shared_pointer(words, range.first, operand);
    if (operand.last == 0) return {};
    pieces.push_back({.first = operand.first, .last = operand.last});
    i = close + 1;
  }
  return pieces;
}

// Comments between the words of a statement that its replacement does not carry, each as it is.
std::string comments_in(const Words& words, TokenRange range, const std::vector<Piece>& pieces) {
  std::string out;
  for (int64_t k = range.first; k + 1 < range.last; ++k) {
    const int64_t first = words.last(k);
    const int64_t last = words.first(k + 1);
    const bool is_carried = std::any_of(pieces.begin(), pieces.end(), [&](const Piece& piece) {
      return piece.first >= 0 && piece.first <= first && last <= piece.last;
    });
    std::string_view gap =
        std::string_view(*words.file.text)
            .substr(static_cast<size_t>(first), static_cast<size_t>(last - first));
    const size_t start = gap.find('/');
    if (is_carried || start == std::string_view::npos) continue;
    gap = gap.substr(start, gap.find_last_not_of(" \t\r\n\\") + 1 - start);
    const size_t line = gap.rfind('\n');
    const size_t tail = line == std::string_view::npos ? 0 : line + 1;
    out += gap;
    out += gap.find("//", tail) != std::string_view::npos && !gap.ends_with("*/") ? "\n" : " ";
  }
  return out;
}

std::string first_of(const PtxCode& code) {
  return code.instructions.empty() ? "" : full_mnemonic(code.instructions.front());
}

void refuse_asm(Translation& translation, int64_t i, const PtxCode& code,
                const std::string& reason) {
  std::string hazard = "N01";
  for (const PtxInstruction& instruction : code.instructions) {
    const PtxRule* rule = ptx_rule(instruction);
    if (rule != nullptr && rule->treatment == PtxTreatment::agent) {
      hazard = std::string(rule->hazard);
      refuse_word(translation, i, "ptx.statement", hazard,
                  fmt::format("{}: {}", full_mnemonic(instruction), rule->statement));
      return;
    }
  }
  refuse_word(translation, i, "ptx.statement", hazard, reason);
}

}  // namespace

void translate_assembly(Translation& translation) {
  const Words& words = translation.words;
  for (int64_t i = 0; i < words.size(); ++i) {
    if (!starts_asm(words, i) || words.at(i).amd_only) continue;
    const int64_t open = bracket_of(words, i);
    const int64_t close = words.partner_of(open);
    if (open < 0 || close < 0) continue;
    const AsmStatement statement = parse_asm(words.source({i, close + 1}));
    const PtxCode code = parse_ptx(statement.text);
    if (!statement.complete || !code.problems.empty()) {
      refuse_asm(translation, i, code,
                 code.problems.empty() ? "an asm statement that cannot be read"
                                       : "PTX that cannot be read: " + code.problems[0].message);
      continue;
    }
    if (code.instructions.empty() && code.registers.empty()) {
      continue;  // asm volatile("" ::: "memory"): a barrier for the compiler on every target
    }
    if (!words.device[static_cast<size_t>(i)] && !words.at(i).directive) continue;  // the host's
    const PtxRewrite rewrite = rewritten(statement, code);
    auto pieces = pieces_of(words, {i, close + 1}, statement, rewrite.text);
    if (pieces.empty()) {
      refuse_asm(translation, i, code, fmt::format("{}: {}", first_of(code), rewrite.reason));
      continue;
    }
    const std::string comments = comments_in(words, {i, close + 1}, pieces);
    if (!comments.empty()) pieces.insert(pieces.begin(), Piece{.text = comments});
    translation.needs_port = true;
    translation.edits.push_back({.first = words.first(i),
                                 .last = words.last(close),
                                 .pieces = std::move(pieces),
                                 .rule = "ptx." + rewrite.rule,
                                 .hazard = rewrite.hazard,
                                 .note = first_of(code)});
    i = close;
  }
}

}  // namespace ambidex
