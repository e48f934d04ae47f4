// SPDX-License-Identifier: Apache-2.0
// S03, S08: loops of device code that wait for another thread.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/word_list.h"
#include "frontend/translate.h"

namespace ambidex {
namespace {

bool contains(const Words& words, TokenRange range, std::string_view name) {
  for (int64_t i = range.first; i < range.last; ++i) {
    if (words.text(i) == name) return true;
  }
  return false;
}

bool is_atomic(std::string_view name) { return name.starts_with("atomic") || name == "try_lock"; }

bool names_one_thread(const Words& words, TokenRange condition) {
  return contains(words, condition, "threadIdx") && contains(words, condition, "==") &&
         !contains(words, condition, "||") && !contains(words, condition, "%") &&
         !contains(words, condition, "&");
}

// Whether one thread of the block at most comes here: an enclosing `if (threadIdx.x == 0)`.
bool is_single_thread(const Words& words, int64_t i) {
  for (int64_t k = i - 1; k > 0; --k) {
    const int64_t partner = words.partner_of(k);
    if (words.text(k) == ")" && words.text(partner - 1) == "if") {
      const bool encloses = k + 1 == i || (words.text(k + 1) == "{" && words.partner_of(k + 1) > i);
      if (encloses && names_one_thread(words, {partner, k})) return true;
    }
    if (partner >= 0 && partner < k) {
      k = partner;  // a group that ended before
    } else if (words.text(k) == "{" && !words.device[static_cast<size_t>(k - 1)]) {
      return false;
    }
  }
  return false;
}

struct Loop {
  TokenRange head;  // between the brackets
  TokenRange body;
  int64_t first = 0;  // words of all of it
  int64_t last = 0;
};

// The loop whose `while` or `for` is word `i`; of a do loop, its `while`.
Loop loop_at(const Words& words, int64_t i) {
  const std::string_view text = words.text(i);
  if ((text != "while" && text != "for") || words.text(i + 1) != "(") return {};
  const int64_t close = words.partner_of(i + 1);
  if (close < 0) return {};
  Loop loop{.head = {i + 2, close}, .body = {}, .first = i, .last = close + 2};
  const int64_t before = words.partner_of(i - 1);
  if (words.text(i - 1) == "}" && before > 0 && words.text(before - 1) == "do") {
    loop.body = {before + 1, i - 1};
    loop.first = before - 1;
    return loop;
  }
  if (words.text(close + 1) == "{") {
    loop.last = words.partner_of(close + 1) + 1;
  } else {
    while (loop.last < words.size() && words.text(loop.last - 1) != ";") {
      const int64_t partner = words.partner_of(loop.last - 1);
      loop.last = partner >= loop.last ? partner + 1 : loop.last + 1;
    }
  }
  loop.body = {close + 1, loop.last};
  return loop;
}

// Nothing but waiting: empty, or pauses and fences.
bool only_waits(const Words& words, TokenRange body) {
  static constexpr std::array<std::string_view, 5> kPauses{
      "__nanosleep", "__threadfence", "__threadfence_block", "__threadfence_system", "continue"};
  for (int64_t i = body.first; i < body.last; ++i) {
    if (is_any(words.text(i), kPauses)) {
      if (words.text(i + 1) == "(") i = std::max(i, words.partner_of(i + 1));
    } else if (words.text(i) != ";" && words.text(i) != "{" && words.text(i) != "}") {
      return false;
    }
  }
  return true;
}

bool holds_atomic(const Words& words, TokenRange range) {
  for (int64_t i = range.first; i < range.last; ++i) {
    if (is_atomic(words.text(i)) && words.text(i + 1) == "(") return true;
  }
  return false;
}

// `flag[i] == 0`, `*flag`, a volatile name: read, not changed, and by no function but cached loads.
bool reads_plain_memory(const Words& words, TokenRange head) {
  static constexpr std::array<std::string_view, 6> kLoads{"__ldg",  "__ldca", "__ldcg",
                                                          "__ldcs", "__ldlu", "__ldcv"};
  bool reads = false;
  for (int64_t i = head.first; i < head.last; ++i) {
    const std::string_view text = words.text(i);
    if (text == "=" || text == "++" || text == "--" ||
        (text.size() == 2 && text[1] == '=' && text != "==" && text != "!=" && text != "<=" &&
         text != ">=")) {
      return false;
    }
    const bool is_load = is_any(text, kLoads);
    if (words.is_word(i) && words.text(i + 1) == "(" && !is_load && text != "sizeof") return false;
    const bool is_star = text == "*" && !words.is_word(i - 1) && words.text(i - 1) != ")" &&
                         words.text(i - 1) != "]" && words.text(i + 1) != ")";
    reads = reads || is_load || text == "[" || is_star;
    for (int64_t k = i - 1; !reads && words.is_word(i) && k > 0 && k > i - 4000; --k) {
      if (words.text(k) != text || !words.is_word(k - 1)) continue;
      reads = contains(words, {std::max<int64_t>(k - 4, 0), k}, "volatile");
    }
  }
  return reads;
}

// A name of the head that the function declares as __shared__.
bool reads_shared(const Words& words, TokenRange head) {
  for (int64_t i = head.first; i < head.last; ++i) {
    if (words.text(i) == "[") i = std::max(i, words.partner_of(i));  // an index may be shared
    if (!words.is_word(i)) continue;
    for (int64_t k = head.first - 1; k > 0 && words.device[static_cast<size_t>(k)]; --k) {
      if (words.text(k) != "__shared__") continue;
      for (int64_t name = k + 1; name < head.first && words.text(name) != ";"; ++name) {
        if (words.text(name) == words.text(i)) return true;
      }
    }
  }
  return false;
}

// The loads of the head have become acquiring ones.
bool is_acquired(const Translation& translation, TokenRange head) {
  const Words& words = translation.words;
  return std::any_of(translation.edits.begin(), translation.edits.end(), [&](const Edit& edit) {
    return edit.rule == "memory.flag" && edit.first >= words.first(head.first) &&
           edit.last <= words.last(head.last - 1);
  });
}

void refuse_waiting(Translation& translation, int64_t i, const Loop& loop) {
  const Words& words = translation.words;
  if (!only_waits(words, loop.body)) return;
  const bool is_atomic_wait = holds_atomic(words, loop.head);
  if (!is_atomic_wait && reads_shared(words, loop.head)) {
    refuse_word(translation, i, "schedule.spin-lock", "S03",
                "a wait for what other threads of the block store in shared memory: two warps of "
                "32 are halves of one wave, which has one program counter, so the half that waits "
                "never lets the other store. Wait with __syncthreads(), which all threads reach");
    return;
  }
  if (is_atomic_wait && !is_single_thread(words, loop.first)) {
    refuse_word(translation, i, "schedule.spin-lock", "S03",
                "lanes of one wave would wait for each other here: a wave has one program counter. "
                "Let one lane after the other take the lock, with its work inside of the loop");
  } else if (!is_atomic_wait && reads_plain_memory(words, loop.head) &&
             !is_acquired(translation, loop.head)) {
    refuse_word(translation, i, "memory.flag", "S08",
                "a wait for another thread's plain store: caches of the dies of one GPU are not "
                "coherent for it. Store with ambidex_port::st_release_gpu and wait with "
                "ambidex_port::ld_acquire_gpu");
  }
}

// What an atomic works on: `&lock[b]` of `atomicCAS(&lock[b], 0, 1)`.
std::string_view target_of(const Words& words, int64_t i) {
  if (words.text(i + 1) != "(") return {};
  const auto arguments = arguments_of(words, i + 1);
  return arguments.empty() ? std::string_view() : words.source(arguments[0]);
}

// `*lock = 0;` of `lock`, `locks[b] = 0;` of `&locks[b]`, from word i on.
bool stores_to(const Words& words, int64_t i, std::string_view lock) {
  const bool is_address = lock.starts_with("&");
  const std::string_view name = is_address ? lock.substr(1) : lock;
  int64_t last = i;
  while (last < words.size() && words.source({i, last}).size() < name.size()) ++last;
  if (name.empty() || words.source({i, last}) != name || words.text(last) != "=") return false;
  return is_address || words.text(i - 1) == "*";
}

bool gives_back(const Words& words, TokenRange range, int64_t take) {
  const std::string_view lock = target_of(words, take);
  for (int64_t i = range.first; i < range.last; ++i) {
    const bool is_give = words.text(i) == "atomicExch" || words.text(i) == "atomicCAS";
    if (i != take && is_give && target_of(words, i) == lock) return true;
    if (stores_to(words, i, lock)) return true;
  }
  return false;
}

// A lock taken in a loop and given back behind it: the holder waits for the lanes that spin.
void refuse_section_behind(Translation& translation, int64_t i, const Loop& loop) {
  const Words& words = translation.words;
  int64_t end = loop.last;
  while (end < words.size() && words.device[static_cast<size_t>(end)]) ++end;
  for (int64_t k = loop.first; k < loop.last; ++k) {
    const bool takes = words.text(k) == "atomicCAS" || words.text(k) == "atomicExch";
    if (!takes || target_of(words, k).empty()) continue;
    const bool is_given_inside = gives_back(words, {loop.first, loop.last}, k);
    if (is_given_inside || !gives_back(words, {loop.last, end}, k)) continue;
    if (is_single_thread(words, loop.first)) continue;
    refuse_word(translation, i, "schedule.spin-lock", "S03",
                fmt::format("{} is taken in this loop and given back behind it: the lane that has "
                            "it would wait for those of its wave that still spin. Do its work "
                            "inside of the loop",
                            target_of(words, k)));
    return;
  }
}

}  // namespace

void translate_waits(Translation& translation) {
  const Words& words = translation.words;
  for (int64_t i = 0; i < words.size(); ++i) {
    if (!words.is_word(i) || words.at(i).amd_only || !words.device[static_cast<size_t>(i)]) {
      continue;
    }
    const Loop loop = loop_at(words, i);
    if (loop.last == 0) continue;
    const size_t before = translation.refusals.size();
    refuse_waiting(translation, i, loop);
    if (translation.refusals.size() == before) refuse_section_behind(translation, i, loop);
  }
}

}  // namespace ambidex
