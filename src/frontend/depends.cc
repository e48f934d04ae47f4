// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "frontend/program.h"

namespace ambidex::syntax {
namespace {

constexpr int kMaxDepth = 40;  // of parentheses in a mask expression

bool makes_mask(std::string_view name) {
  return name.starts_with("__ballot") || name == "__activemask" || name.starts_with("__match_a");
}

bool is_cast(std::string_view name) {
  return name == "static_cast" || name == "reinterpret_cast" || name == "unsigned" ||
         name == "int" || name == "uint32_t" || name == "int32_t";
}

// What an intrinsic's result depends on, whatever its arguments; none if it is no intrinsic.
std::optional<uint32_t> intrinsic(std::string_view name) {
  if (name == "__syncthreads_or" || name == "__syncthreads_and" || name == "__syncthreads_count") {
    return 0;
  }
  if (makes_mask(name)) return kOnThread | kOnHardware;
  if (name.starts_with("__shfl") || name.starts_with("__any") || name.starts_with("__all") ||
      name.starts_with("atomic") || name.starts_with("__reduce_")) {
    return kOnThread;
  }
  if (name == "__lane_id" || name == "__laneid") return kOnThread | kOnHardware;
  if (name == "clock" || name == "clock64" || name == "wall_clock64") return kOnThread | kOnClock;
  return std::nullopt;
}

std::optional<uint32_t> member(std::string_view name) {
  if (name == "thread_rank" || name == "thread_index") return kOnThread;
  if (name == "meta_group_rank") return kOnThread | kOnWarp32;
  if (name == "size" || name == "num_threads" || name == "meta_group_size" ||
      name == "group_index" || name == "group_dim" || name == "block_rank" ||
      name == "num_blocks") {
    return 0;
  }
  if (name == "any" || name == "all" || name == "ballot" || name.starts_with("shfl")) {
    return kOnThread;
  }
  return std::nullopt;
}

class Walk {
 public:
  Walk(const Program& program, const Function& function)
      : program_(program), function_(function), words_(*function.words) {}

  uint32_t value(Span span) {
    uint32_t depends = 0;
    for (int i = span.first; i < span.last; ++i) depends |= word(i, span.last);
    return depends & kOnThread ? depends | lanes(span) : depends;
  }

 private:
  // One word and what belongs to it; moves `i` to its last.
  uint32_t word(int& i, int last) {
    if (!words_.is_word(i)) return 0;
    const std::string_view text = words_.text(i);
    const std::string_view before = words_.text(i - 1);
    const bool is_member = before == "." || before == "->";
    if (is_member) {
      return words_.text(i + 1) == "(" ? of_member(text, i - 2) : 0;
    }
    if (text == "threadIdx") return kOnThread;
    if (text == "warpSize") return kOnHardware;
    int open = i + 1;
    if (words_.text(open) == "<") {
      const int past = past_angles(words_, open, last);
      if (past > 0 && words_.text(past) == "(") open = past;
    }
    if (words_.text(open) == "(" && words_.partner[static_cast<size_t>(open)] >= 0) {
      const int close = words_.partner[static_cast<size_t>(open)];
      if (const auto known = intrinsic(text)) {
        i = std::max(i, close);
        return *known;
      }
      return called(text) & ~kOnMask;  // and its arguments, which come next
    }
    const Variable* found = variable(program_, function_, text);
    if (found == nullptr) return called(text) & ~kOnMask;  // a macro
    return of_variable(*found);
  }

  uint32_t of_member(std::string_view name, int receiver) const {
    const uint32_t depends = member(name).value_or(0);
    if (name != "thread_rank") return depends;
    const Variable* group = variable(program_, function_, words_.text(receiver));
    const bool tile =
        group != nullptr && (has_word(*group->words, group->init, "tiled_partition") ||
                             has_word(*group->words, group->type, "thread_block_tile"));
    return tile ? depends | kOnLane32 : depends;
  }

  uint32_t called(std::string_view name) const {
    uint32_t depends = 0;
    for (const int index : named(program_, name)) {
      if (&program_.functions[static_cast<size_t>(index)] == &function_) continue;
      depends |= program_.facts[static_cast<size_t>(index)].returns;
    }
    return depends;
  }

  // What a shared variable holds is the same for all that read the same place.
  static uint32_t of_variable(const Variable& found) {
    return found.shared ? 0 : found.depends & ~kOnMask;
  }

  // thread & 31, thread / 32 and the like anywhere in `span`.
  uint32_t lanes(Span span) const {
    uint32_t depends = 0;
    for (int i = span.first; i + 1 < span.last; ++i) {
      const std::string_view sign = words_.text(i);
      if (sign != "&" && sign != "%" && sign != "/" && sign != ">>") continue;
      const Span operand = operand_after(i + 1, span.last);
      const bool hardware = names_hardware_width(program_, words_, operand);
      const int64_t value = hardware ? 0 : constant_of(program_, words_, operand).value_or(0);
      if ((sign == "&" && value == 31) || (sign == "%" && value == 32)) depends |= kOnLane32;
      if ((sign == ">>" && value == 5) || (sign == "/" && value == 32)) depends |= kOnWarp32;
      if (hardware && (sign == "/" || sign == ">>")) depends |= kOnWaveId | kOnHardware;
      if (hardware) depends |= kOnHardware;
    }
    return depends;
  }

  Span operand_after(int first, int last) const {
    if (words_.text(first) == "(") {
      const int close = words_.partner[static_cast<size_t>(first)];
      return {first, close > first && close < last ? close + 1 : first + 1};
    }
    int end = first + 1;
    while (end + 1 < last && words_.text(end) == "::") end += 2;
    return {first, end};
  }

  const Program& program_;
  const Function& function_;
  const Words& words_;
};

bool ends_mask(std::string_view sign) {
  static const std::set<std::string_view> kSigns{"==", "!=", "<", ">", "<=", ">=", "&&", "||", "!"};
  return kSigns.contains(sign);
}

class MaskWalk {
 public:
  MaskWalk(const Program& program, const Function& function)
      : program_(program), function_(function), words_(*function.words) {}

  bool value(Span span, int depth) {
    while (span.last - span.first > 1 && words_.text(span.first) == "(" &&
           words_.partner[static_cast<size_t>(span.first)] == span.last - 1) {
      ++span.first;
      --span.last;
    }
    if (depth > kMaxDepth || shifts_half(span)) return false;
    bool found = false;
    for (int i = span.first; i < span.last; ++i) {
      const std::string_view text = words_.text(i);
      if (text == "?") {
        found = false;  // what came was the condition
      } else if (text == "<<" || text == ">>") {
        i = std::max(i, operand_end(i + 1, span.last) - 1);
      } else if (text == "(" || text == "[" || text == "{") {
        const int close = words_.partner[static_cast<size_t>(i)];
        if (close < 0 || close >= span.last) continue;
        if (text == "(") found = value({i + 1, close}, depth + 1) || found;
        i = close;
      } else if (words_.is_word(i)) {
        found = word(i, span.last, depth) || found;
      } else if (ends_mask(text) && !has_question(span, i)) {
        return false;
      }
    }
    return found;
  }

 private:
  // A 64-lane ballot moved so that its own 32 lanes come first: right as it is.
  bool shifts_half(Span span) const {
    for (int i = span.first; i < span.last; ++i) {
      if (words_.text(i) != ">>") continue;
      const Span amount{i + 1, operand_end(i + 1, span.last)};
      for (int k = amount.first; k + 1 < amount.last; ++k) {
        if (words_.text(k) == "&" && is_32(program_, words_, {k + 1, k + 2})) return true;
      }
    }
    return false;
  }

  bool has_question(Span span, int from) const {
    for (int i = from; i < span.last; ++i) {
      if (words_.text(i) == "?") return true;
    }
    return false;
  }

  int operand_end(int at, int last) const {
    if (at >= last) return last;
    const int partner = words_.partner[static_cast<size_t>(at)];
    return partner > at && partner < last ? partner + 1 : at + 1;
  }

  bool word(int& i, int last, int depth) {
    const std::string_view text = words_.text(i);
    const std::string_view before = words_.text(i - 1);
    int open = i + 1;
    if (words_.text(open) == "<") {
      const int past = past_angles(words_, open, last);
      if (past > 0 && words_.text(past) == "(") open = past;
    }
    const bool call = words_.text(open) == "(" && open < last;
    const int close = call ? words_.partner[static_cast<size_t>(open)] : -1;
    if (close > 0) {
      const int name = i;
      i = close;
      if (before == "." || before == "->") return false;
      if (makes_mask(text)) return true;
      if (is_cast(text)) return value({open + 1, close}, depth + 1);
      return returns_mask(words_.text(name));
    }
    if (before == "." || before == "->") return false;
    const Variable* found = variable(program_, function_, text);
    return found != nullptr ? (found->depends & kOnMask) != 0 : returns_mask(text);
  }

  bool returns_mask(std::string_view name) const {
    for (const int index : named(program_, name)) {
      if (program_.facts[static_cast<size_t>(index)].returns & kOnMask) return true;
    }
    return false;
  }

  const Program& program_;
  const Function& function_;
  const Words& words_;
};

}  // namespace

uint32_t depends_of(const Program& program, const Function& function, Span span) {
  return Walk(program, function).value(span);
}

bool is_mask(const Program& program, const Function& function, Span span) {
  return MaskWalk(program, function).value(span, 0);
}

}  // namespace ambidex::syntax
