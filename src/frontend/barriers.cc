// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "frontend/program.h"

namespace ambidex::syntax {
namespace {

bool is_group_of(const Program& program, const Function& function, std::string_view name,
                 std::string_view type, std::string_view maker) {
  const Variable* found = variable(program, function, name);
  return found != nullptr && (has_word(*found->words, found->type, type) ||
                              has_word(*found->words, found->init, maker));
}

// x.sync(), this_grid().sync(), cg::sync(x)
BarrierKind barrier_of_group(const Program& program, const Function& function, int at) {
  const Words& words = *function.words;
  std::string_view name = words.text(at);
  if (name == ")") {
    const int open = words.partner[static_cast<size_t>(at)];
    name = words.text(open - 1);
    if (name == "this_thread_block") return BarrierKind::block;
    return name == "this_grid" ? BarrierKind::grid : BarrierKind::none;
  }
  if (is_group_of(program, function, name, "thread_block", "this_thread_block")) {
    // a tile's initialiser names the block that it divides
    return is_group_of(program, function, name, "thread_block_tile", "tiled_partition")
               ? BarrierKind::none
               : BarrierKind::block;
  }
  if (is_group_of(program, function, name, "grid_group", "this_grid")) return BarrierKind::grid;
  return BarrierKind::none;
}

BarrierKind barrier_of_asm(const std::string& text) {
  size_t at = std::string::npos;
  for (const char* name : {"bar.", "barrier."}) at = std::min(at, text.find(name));
  if (at == std::string::npos || text.find("mbarrier") != std::string::npos ||
      text.find("bar.warp") != std::string::npos || text.find("membar") != std::string::npos) {
    return BarrierKind::none;
  }
  if (text.find(".cluster", at) != std::string::npos) return BarrierKind::none;
  const size_t space = text.find_first_of(" \t", at);
  const size_t end = text.find_first_of(";\"", at);
  if (space == std::string::npos) return BarrierKind::named;
  std::string operand = text.substr(space, end == std::string::npos ? end : end - space);
  std::erase_if(operand, [](char c) { return c == ' ' || c == '\t'; });
  const bool whole_block = operand == "0" && text.find("arrive") == std::string::npos;
  return whole_block ? BarrierKind::block : BarrierKind::named;
}

// cub::BlockReduce<...>(...).Sum(...) waits for the block; so does a variable of such a type.
bool is_block_collective(const Program& program, const Function& function, const Call& call) {
  const Words& words = *function.words;
  std::string_view type = words.text(call.name - 2);
  if (type == ")") {
    const int open = words.partner[static_cast<size_t>(call.name - 2)];
    type = words.text(open - 1);
    for (int i = open - 1; type == ">" && i > open - 40 && i > 0; --i) {
      if (words.text(i) == "<") type = words.text(i - 1);
    }
  }
  const auto alias = program.aliases.find(std::string(type));
  if (alias != program.aliases.end()) {
    const auto& [where, span] = alias->second;
    for (int i = span.first; i < span.last; ++i) {
      if (where->text(i).starts_with("Block") && where->text(i - 1) == "::" &&
          where->text(i - 2) == "cub") {
        return true;
      }
    }
  }
  static const std::set<std::string_view> kTypes{"BlockReduce", "BlockScan", "BlockRadixSort",
                                                 "BlockExchange", "BlockHistogram"};
  return kTypes.contains(type);
}

}  // namespace

bool is_asm(std::string_view name) { return name == "asm" || name == "__asm__" || name == "__asm"; }

std::string asm_text(const Words& words, const Call& call) {
  std::string text;
  const int close = words.partner[static_cast<size_t>(call.open)];
  for (int i = call.open + 1; i < close && words.token(i).kind == TokenKind::text; ++i) {
    text += words.text(i);
  }
  std::erase(text, '"');
  return text;
}

std::string_view name_of_call(const Program& program, const Words& words, const Call& call) {
  std::string_view name = words.text(call.name);
  for (int depth = 0; depth < 4; ++depth) {
    std::string_view next;
    for (const int index : named(program, name)) {
      const Function& macro = program.functions[static_cast<size_t>(index)];
      const bool alias = macro.macro != nullptr && !macro.macro->function_like &&
                         macro.body.last == 1 && macro.words->is_word(0);
      if (alias) next = macro.words->text(0);
    }
    if (next.empty()) break;
    name = next;
  }
  return name;
}

BarrierKind barrier_of(const Program& program, const Function& function, const Call& call) {
  const Words& words = *function.words;
  const std::string_view name = name_of_call(program, words, call);
  if (name.starts_with("__syncthreads")) return BarrierKind::block;
  if (name == "__barrier_sync" || name == "__barrier_sync_count" ||
      name == "__named_barrier_sync") {
    return BarrierKind::named;
  }
  if (is_asm(name)) return barrier_of_asm(asm_text(words, call));
  if (name == "sync" && call.member) return barrier_of_group(program, function, call.name - 2);
  if (name == "sync" && call.arguments.size() == 1) {
    return barrier_of_group(program, function, call.arguments[0].last - 1);
  }
  if (call.member && is_block_collective(program, function, call)) return BarrierKind::block;
  return BarrierKind::none;
}

}  // namespace ambidex::syntax
