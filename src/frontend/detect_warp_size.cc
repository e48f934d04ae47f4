// SPDX-License-Identifier: Apache-2.0
// W09 and W10: the width of a warp where it has to be a constant, or on the host.
#include <algorithm>

#include "frontend/kernel_detectors.h"

namespace ambidex::syntax {
namespace {

void add_constant(const Words& words, int at, const std::string& where,
                  std::vector<Finding>& findings) {
  findings.push_back(finding(
      words, at, "W09", Severity::s2, FixKind::library,
      "the width of the hardware's waves in " + where +
          ": warpSize is no constant in ROCm 7, and not there on the host; use the port's constant "
          "for kernels and a query of the device on the host"));
}

// The first word of `span` that names the width, or -1.
int hardware_word(const Program& program, const Words& words, Span span) {
  for (int i = span.first; i < span.last; ++i) {
    if (words.is_word(i) && names_hardware_width(program, words, {i, i + 1})) return i;
  }
  return -1;
}

// Template arguments and parameters, static_assert, case, if constexpr, constexpr, enumerators.
void detect_constants(const Program& program, const Words& words, std::vector<Finding>& findings) {
  const int size = static_cast<int>(std::ssize(words.tokens));
  const auto look = [&](Span span, const char* where) {
    const int at = hardware_word(program, words, span);
    if (at >= 0) add_constant(words, at, where, findings);
  };
  for (int i = 0; i < size; ++i) {
    const std::string_view text = words.text(i);
    const int partner = words.partner[static_cast<size_t>(i)];
    if (text == "<" && words.is_word(i - 1)) {
      const int past = past_angles(words, i, size);
      const std::string_view next = words.text(past);
      const bool list = past > 0 && (next == "(" || next == "::" || next == ">" || next == ";" ||
                                     next == "<<<" || next == "," || words.is_word(past));
      if (list) look({i + 1, past - 1}, "a template argument");
    }
    if (partner > i && (words.text(i - 1) == "static_assert" || words.text(i - 1) == "constexpr")) {
      look({i + 1, partner}, "a constant expression");
    }
    if (text == "{" && partner > i && i >= 2 && has_word(words, {std::max(0, i - 4), i}, "enum")) {
      look({i + 1, partner}, "an enumerator");
    }
    if (text == "case") look({i + 1, std::min(i + 2, size)}, "a case label");
    if (text == "constexpr" && words.text(i + 1) != "(") {
      int end = i;
      while (end < size && words.text(end) != ";" && words.text(end) != "{") ++end;
      int sign = i;
      while (sign < end && words.text(sign) != "=") ++sign;
      look({sign, end}, "a constexpr");
    }
  }
}

void detect_bounds(const Program& program, const std::map<std::string, Variable>& variables,
                   std::vector<Finding>& findings) {
  for (const auto& [name, variable] : variables) {
    for (const Span bound : variable.bounds) {
      const int at = hardware_word(program, *variable.words, bound);
      if (at >= 0) add_constant(*variable.words, at, "an array bound", findings);
    }
  }
}

void detect_old_macro(const SourceFile& file, std::vector<Finding>& findings) {
  for (const Token& token : file.tokens) {
    if (!token.text.starts_with("__AMDGCN_WAVEFRONT_SIZE")) continue;
    const bool tested =
        token.directive &&
        std::any_of(file.directives.begin(), file.directives.end(),
                    [&](const Directive& directive) {
                      return (directive.name.starts_with("if") || directive.name == "elif") &&
                             &file.tokens[static_cast<size_t>(directive.line.first)] <= &token &&
                             &token <= &file.tokens[static_cast<size_t>(directive.line.last - 1)];
                    });
    findings.push_back(finding_at(
        file, token, "W09", tested ? Severity::s0 : Severity::s2, FixKind::library,
        tested ? "clang 22 no longer defines this macro: the other branch is taken in silence; use "
                 "the port's constant for kernels and a query of the device on the host"
               : "clang 22 no longer defines this macro; use the port's constant for kernels and a "
                 "query of the device on the host"));
  }
}

bool is_gate(std::string_view word) {
  return word == "__GFX9__" || word == "__GFX10__" || word == "__GFX11__" || word == "__GFX12__" ||
         (word.starts_with("__gfx") && word.ends_with("__"));
}

// Lines [first, last] of an #if on the device's architecture.
struct Gate {
  const SourceFile* file = nullptr;
  const Token* test = nullptr;
  const Token* inner_test = nullptr;  // of an #if within
  bool has_else = false;
  int64_t first = 0;
  int64_t last = 0;
  std::set<std::string> names;  // that it defines
};

std::vector<Gate> gates_of(const SourceFile& file) {
  std::vector<Gate> done;
  std::vector<Gate> open;
  for (const Directive& directive : file.directives) {
    const Token& hash = file.tokens[static_cast<size_t>(directive.line.first)];
    const bool opens = directive.name.starts_with("if");
    if (opens) open.push_back({.file = &file, .first = hash.line});
    if (opens || directive.name == "elif") {
      for (int64_t i = directive.rest.first; i < directive.rest.last && !open.empty(); ++i) {
        const Token& token = file.tokens[static_cast<size_t>(i)];
        if (is_gate(token.text) && open.back().test == nullptr) open.back().test = &token;
      }
    }
    if (open.empty()) continue;
    if (directive.name.starts_with("el")) open.back().has_else = true;
    if (directive.name != "endif") continue;
    Gate gate = open.back();
    open.pop_back();
    gate.last = hash.line;
    if (gate.test == nullptr && gate.has_else) gate.test = gate.inner_test;
    if (gate.test == nullptr) continue;
    if (!open.empty()) open.back().inner_test = gate.test;
    done.push_back(gate);
  }
  return done;
}

void name_what_gates_define(const Program& program, std::vector<Gate>& gates) {
  for (Gate& gate : gates) {
    for (const Macro& macro : program.view->macros) {
      const bool inside = &program.view->files[macro.file] == gate.file &&
                          gate.first < macro.line && macro.line < gate.last;
      if (inside) gate.names.insert(macro.name);
    }
    for (const auto& [name, variable] : program.globals) {
      if (variable.words->file != gate.file) continue;
      const int64_t line = variable.words->token(variable.name_at).line;
      if (gate.first < line && line < gate.last) gate.names.insert(name);
    }
    for (const Function& function : program.functions) {
      if (function.words->file != gate.file || function.lambda || function.macro != nullptr ||
          function.body.empty()) {
        continue;
      }
      const int64_t begin = function.words->token(function.name_at).line;
      const int64_t end = function.words->token(function.body.last - 1).line;
      if (begin <= gate.first && gate.last <= end + 1) gate.names.insert(function.name);
    }
  }
}

void add_gate(const Gate& gate, const Words& words, int at, std::vector<Finding>& findings) {
  const std::string name(words.text(at));
  findings.push_back(finding(
      words, at, "W10", Severity::s0, FixKind::library,
      "\"" + name + "\" is chosen by " + std::string(gate.test->text) +
          ", which is defined in device passes only: on the host it takes the other value; ask the "
          "device on the host"));
  findings.push_back(finding_at(
      *gate.file, *gate.test, "W10", Severity::s0, FixKind::library,
      std::string(gate.test->text) + " is defined in device passes only, and \"" + name +
          "\", which it decides, is used on the host: the two disagree; ask the device on the "
          "host"));
}

}  // namespace

void detect_warp_size(const Kernels& kernels, std::vector<Finding>& findings) {
  const Program& program = kernels.program;
  for (const auto& words : program.words) {
    const bool macro = !words->tokens.empty() && words->tokens[0]->directive;
    if (!macro) detect_constants(program, *words, findings);
  }
  detect_bounds(program, program.globals, findings);
  for (const auto& [name, variable] : program.globals) {
    const int at = hardware_word(program, *variable.words, variable.init);
    if (at >= 0) add_constant(*variable.words, at, "an initialiser", findings);
  }
  std::vector<Gate> gates;
  for (const SourceFile& file : program.view->files) {
    detect_old_macro(file, findings);
    for (Gate& gate : gates_of(file)) gates.push_back(std::move(gate));
  }
  name_what_gates_define(program, gates);
  for (const Function& function : program.functions) {
    detect_bounds(program, program.facts_of(function).variables, findings);
    if (!function.host || function.macro != nullptr) continue;
    const int at = hardware_word(program, *function.words, function.body);
    if (at >= 0 && !function.device) add_constant(*function.words, at, "host code", findings);
    for (int i = function.body.first; i < function.body.last; ++i) {
      for (const Gate& gate : gates) {
        if (function.words->is_word(i) &&
            gate.names.contains(std::string(function.words->text(i)))) {
          add_gate(gate, *function.words, i, findings);
        }
      }
    }
  }
}

}  // namespace ambidex::syntax
