// SPDX-License-Identifier: Apache-2.0
// All functions of a view, and what their values can depend on: the thread, the lane, the width of
// the hardware's waves, a mask of lanes. A sound guess by names, not a proof: a variable has one
// answer for its whole function.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>

#include "frontend/syntax.h"

namespace ambidex::syntax {

/// What a value depends on; bits.
enum Dependence : uint32_t {
  kOnThread = 1,    // differs between the threads of a block
  kOnLane32 = 2,    // a lane of 32: thread & 31
  kOnWarp32 = 4,    // a warp of 32: thread / 32
  kOnHardware = 8,  // the width of the hardware's waves
  kOnWaveId = 16,   // thread / warpSize
  kOnMask = 32,     // a mask of lanes of the hardware's wave
  kOnClock = 64,
};

/// How wide the type of a variable is.
enum class Width : uint8_t { unknown, deduced, narrow, bits32, bits64 };

struct Variable {
  Width width = Width::unknown;
  bool pointer = false;
  bool array = false;
  bool shared = false;
  bool is_volatile = false;
  bool parameter = false;
  bool outside = false;  // at namespace or class scope
  std::vector<Span> bounds;
  Span type;
  Span init;
  int name_at = -1;
  const Words* words = nullptr;
  uint32_t depends = 0;
};

struct Assignment {
  int target = -1;       // the word at the left end: a in a.x[i] = ...
  bool element = false;  // a[...] or *a or a->b
  Span left;
  Span right;
  int sign = 0;  // the =
};

struct FunctionFacts {
  std::map<std::string, Variable> variables;
  std::vector<Assignment> assignments;
  uint32_t returns = 0;  // Dependence of the result, its arguments left out
  Width return_width = Width::unknown;
  std::set<std::string> callees;  // of the user's functions and macros
  int component = 0;              // functions that call each other, however indirectly
  bool has_barrier = false;       // here or in a callee
};

struct Program {
  const SourceView* view = nullptr;
  std::vector<std::unique_ptr<Words>> words;
  std::vector<Function> functions;
  std::vector<FunctionFacts> facts;                           // per function
  std::unordered_map<std::string, std::vector<int>> by_name;  // functions and macros
  std::map<std::string, Variable> globals;
  std::map<std::string, std::pair<const Words*, Span>>
      aliases;  // typedef, using: the words of the type
  std::unordered_map<const Words*, std::vector<int>> functions_in;  // by body.first

  const FunctionFacts& facts_of(const Function& function) const {
    return facts[static_cast<size_t>(&function - functions.data())];
  }
};

/// The innermost function whose body holds word `at`, or null.
const Function* function_at(const Program& program, const Words& words, int at);

/// The macros and functions of that name; empty if there are none.
const std::vector<int>& named(const Program& program, std::string_view name);

Program program_of(const SourceView& view);

/// The variable that `name` means in `function`, or null.
const Variable* variable(const Program& program, const Function& function, std::string_view name);

/// What the value of `span` depends on.
uint32_t depends_of(const Program& program, const Function& function, Span span);

/// Whether the value of `span` is a mask of lanes itself, not a count or a test of one.
bool is_mask(const Program& program, const Function& function, Span span);

/// The value of a constant expression of integers, macros and constants.
std::optional<int64_t> constant_of(const Program& program, const Words& words, Span span);

/// Whether `span` names the width of the hardware's waves, also through macros and constants.
bool names_hardware_width(const Program& program, const Words& words, Span span);

/// Whether `span` is 32 as the width of a warp: a literal, or a constant with that value.
bool is_32(const Program& program, const Words& words, Span span);

Width width_of(const Program& program, const Words& words, Span type);

/// The width of a whole expression as CUDA types it, as far as its words tell.
Width width_of_value(const Program& program, const Function& function, Span span);

enum class BarrierKind : uint8_t { none, block, named, grid };
/// What `call` waits for itself, callees left out.
BarrierKind barrier_of(const Program& program, const Function& function, const Call& call);

/// The name of what `call` calls, past macros that are another name for it.
std::string_view name_of_call(const Program& program, const Words& words, const Call& call);

/// The text of an asm statement's strings.
std::string asm_text(const Words& words, const Call& call);
bool is_asm(std::string_view name);

/// One round over all functions; whether anything is new.
bool spread_dependences(Program& program);

/// Extracts variables and assignments of a span of statements.
void collect_variables(const Program& program, const Function& function, FunctionFacts& facts);
void collect_declarations(const Program& program, const Words& words, Span statement,
                          std::map<std::string, Variable>& into);

}  // namespace ambidex::syntax
