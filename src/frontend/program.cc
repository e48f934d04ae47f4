// SPDX-License-Identifier: Apache-2.0
#include "frontend/program.h"

#include <algorithm>
#include <numeric>

namespace ambidex::syntax {
namespace {

constexpr int kMaxRounds = 6;  // of a fixed point over calls

std::set<std::string> device_words_of(const SourceView& view) {
  std::set<std::string> words{"__device__", "__global__"};
  for (const Macro& macro : view.macros) {
    const SourceFile& file = view.files[macro.file];
    for (int64_t i = macro.body.first; i < macro.body.last; ++i) {
      const std::string_view text = file.tokens[static_cast<size_t>(i)].text;
      if (text == "__device__") words.insert(macro.name);
    }
  }
  return words;
}

void add_macros(const SourceView& view, Program& program) {
  for (const Macro& macro : view.macros) {
    auto words = std::make_unique<Words>();
    words->file = &view.files[macro.file];
    for (int64_t i = macro.body.first; i < macro.body.last; ++i) {
      words->tokens.push_back(&words->file->tokens[static_cast<size_t>(i)]);
    }
    match_brackets(*words);
    program.functions.push_back(function_of(macro, *words));
    program.words.push_back(std::move(words));
  }
}

// Functions of every variant; those that are the same in two are taken once.
void add_functions(const SourceView& view, Program& program) {
  const std::set<std::string> device_words = device_words_of(view);
  for (const SourceFile& file : view.files) {
    std::set<std::tuple<const Token*, const Token*, int>> seen;
    for (auto& words : variants_of(file, view.hip)) {
      std::map<int, int> moved;  // index in `found` to index in the program
      std::vector<Function> found = functions_of(*words, device_words);
      for (int i = 0; i < std::ssize(found); ++i) {
        Function& function = found[static_cast<size_t>(i)];
        const Span whole{function.head.first, function.body.last};
        if (whole.empty()) continue;
        const bool fresh = seen.emplace(&words->token(whole.first), &words->token(whole.last - 1),
                                        whole.last - whole.first)
                               .second;
        const auto parent = moved.find(function.parent);
        if (!fresh && (function.parent < 0 || parent == moved.end())) continue;
        if (function.parent >= 0) function.parent = parent->second;
        moved[i] = static_cast<int>(program.functions.size());
        program.functions.push_back(std::move(function));
      }
      program.words.push_back(std::move(words));
    }
  }
}

void add_alias(const Words& words, int at, Program& program) {
  int end = at;
  while (end < std::ssize(words.tokens) && words.text(end) != ";") {
    if (words.text(end) == "{" || words.text(end) == "}") return;
    ++end;
  }
  if (words.text(at) == "using" && words.is_word(at + 1) && words.text(at + 2) == "=") {
    program.aliases.try_emplace(std::string(words.text(at + 1)), &words, Span{at + 3, end});
  } else if (words.text(at) == "typedef" && end - at > 2 && words.is_word(end - 1)) {
    program.aliases.try_emplace(std::string(words.text(end - 1)), &words, Span{at + 1, end - 1});
  }
}

// Declarations outside of functions, aliases anywhere.
void add_globals(const Words& words, Program& program) {
  int start = 0;
  const auto& inside = program.functions_in[&words];
  size_t next = 0;
  for (int i = 0; i < std::ssize(words.tokens); ++i) {
    const std::string_view text = words.text(i);
    if (text == "using" || text == "typedef") add_alias(words, i, program);
    while (next < inside.size() &&
           program.functions[static_cast<size_t>(inside[next])].body.last < i) {
      ++next;
    }
    if (next < inside.size() &&
        program.functions[static_cast<size_t>(inside[next])].body.first <= i) {
      start = i + 1;
      continue;
    }
    if (text == "{" && words.text(i - 1) != "=") start = i + 1;
    if (text == "}") start = i + 1;
    if (text == ":" && words.is_word(i - 1)) start = i + 1;  // public:
    if (text != ";") continue;
    std::map<std::string, Variable> found;
    collect_declarations(program, words, {start, i}, found);
    for (auto& [name, variable] : found) {
      variable.outside = true;
      program.globals.try_emplace(name, variable);
    }
    start = i + 1;
  }
}

void index_names(Program& program) {
  for (int i = 0; i < std::ssize(program.functions); ++i) {
    const Function& function = program.functions[static_cast<size_t>(i)];
    if (!function.lambda) program.by_name[function.name].push_back(i);
    program.functions_in[function.words].push_back(i);
  }
  for (auto& [words, indices] : program.functions_in) {
    std::stable_sort(indices.begin(), indices.end(), [&](int a, int b) {
      return program.functions[static_cast<size_t>(a)].body.first <
             program.functions[static_cast<size_t>(b)].body.first;
    });
  }
}

// enum { kLanes = 32 }: constants, wherever they stand.
void add_enumerators(const Words& words, Program& program) {
  for (int i = 0; i < std::ssize(words.tokens); ++i) {
    if (words.text(i) != "enum") continue;
    int open = i + 1;
    while (open < i + 6 && words.text(open) != "{" && words.text(open) != ";") ++open;
    const int close = words.text(open) == "{" ? words.partner[static_cast<size_t>(open)] : -1;
    if (close < 0) continue;
    for (const Span one : split_commas(words, {open + 1, close})) {
      if (words.text(one.first + 1) != "=") continue;
      program.globals.try_emplace(
          std::string(words.text(one.first)),
          Variable{.init = {one.first + 2, one.last}, .name_at = one.first, .words = &words});
    }
  }
}

// The user's functions and macros that a function names.
void find_callees(Program& program) {
  for (size_t i = 0; i < program.functions.size(); ++i) {
    const Function& function = program.functions[i];
    FunctionFacts& facts = program.facts[i];
    for (int k = function.body.first; k < function.body.last; ++k) {
      if (!function.words->is_word(k)) continue;
      const std::string name(function.words->text(k));
      if (name != function.name && program.by_name.contains(name)) facts.callees.insert(name);
    }
  }
}

// Functions that call each other get one number. Constants and types are no calls.
void find_components(Program& program) {
  std::vector<int> root(program.functions.size());
  std::iota(root.begin(), root.end(), 0);
  const auto top = [&](int i) {
    while (root[static_cast<size_t>(i)] != i) i = root[static_cast<size_t>(i)];
    return i;
  };
  for (int i = 0; i < std::ssize(program.functions); ++i) {
    const Function& function = program.functions[static_cast<size_t>(i)];
    if (function.parent >= 0) root[static_cast<size_t>(top(i))] = top(function.parent);
    if (function.host && !function.device) continue;  // joins kernels that have nothing in common
    for (const std::string& name : program.facts[static_cast<size_t>(i)].callees) {
      for (const int callee : program.by_name[name]) {
        const Function& other = program.functions[static_cast<size_t>(callee)];
        if (other.macro != nullptr && !other.macro->function_like) continue;
        root[static_cast<size_t>(top(i))] = top(callee);
      }
    }
  }
  for (int i = 0; i < std::ssize(program.functions); ++i) {
    program.facts[static_cast<size_t>(i)].component = top(i);
  }
}

bool calls_barrier(const Program& program, const Function& function, const FunctionFacts& facts) {
  for (const Call& call : function.calls) {
    const BarrierKind kind = barrier_of(program, function, call);
    if (kind == BarrierKind::block || kind == BarrierKind::grid) return true;
  }
  for (const std::string& name : facts.callees) {
    for (const int index : named(program, name)) {
      if (program.facts[static_cast<size_t>(index)].has_barrier) return true;
    }
  }
  return false;
}

void find_barriers(Program& program) {
  bool changed = true;
  for (int round = 0; changed && round < 32; ++round) {
    changed = false;
    for (size_t i = 0; i < program.functions.size(); ++i) {
      FunctionFacts& facts = program.facts[i];
      if (facts.has_barrier || !calls_barrier(program, program.functions[i], facts)) continue;
      facts.has_barrier = changed = true;
    }
  }
}

}  // namespace

const std::vector<int>& named(const Program& program, std::string_view name) {
  static const std::vector<int> kNone;
  const auto found = program.by_name.find(std::string(name));
  return found == program.by_name.end() ? kNone : found->second;
}

const Function* function_at(const Program& program, const Words& words, int at) {
  const auto indices = program.functions_in.find(&words);
  if (indices == program.functions_in.end()) return nullptr;
  const auto body_of = [&](int index) -> const Function& {
    return program.functions[static_cast<size_t>(index)];
  };
  auto next =
      std::upper_bound(indices->second.begin(), indices->second.end(), at,
                       [&](int place, int index) { return place < body_of(index).body.first; });
  while (next != indices->second.begin()) {
    const Function& function = body_of(*--next);
    if (at < function.body.last) return &function;
    if (function.parent < 0) return nullptr;
  }
  return nullptr;
}

const Variable* variable(const Program& program, const Function& function, std::string_view name) {
  const std::string key(name);
  for (const Function* at = &function;;) {
    const FunctionFacts& facts = program.facts_of(*at);
    const auto found = facts.variables.find(key);
    if (found != facts.variables.end()) return &found->second;
    if (at->parent < 0) break;
    at = &program.functions[static_cast<size_t>(at->parent)];
  }
  const auto global = program.globals.find(key);
  return global == program.globals.end() ? nullptr : &global->second;
}

Program program_of(const SourceView& view) {
  Program program{.view = &view};
  add_macros(view, program);
  add_functions(view, program);
  program.facts.resize(program.functions.size());
  index_names(program);
  for (const auto& words : program.words) {
    const auto first = words->tokens.empty() ? nullptr : words->tokens[0];
    if (first == nullptr || first->directive) continue;
    add_globals(*words, program);
    add_enumerators(*words, program);
  }
  for (size_t i = 0; i < program.functions.size(); ++i) {
    const Function& function = program.functions[i];
    collect_variables(program, function, program.facts[i]);
    if (function.macro == nullptr) {
      program.facts[i].return_width =
          width_of(program, *function.words, {function.head.first, function.name_at});
    }
  }
  find_callees(program);
  find_components(program);
  find_barriers(program);
  for (int round = 0; round < kMaxRounds && spread_dependences(program); ++round) {
  }
  return program;
}

}  // namespace ambidex::syntax
