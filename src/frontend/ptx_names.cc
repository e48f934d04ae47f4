// SPDX-License-Identifier: Apache-2.0
#include "frontend/ptx_names.h"

#include <fmt/format.h>

#include <algorithm>

namespace ambidex {
namespace {

bool is_word(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

std::string_view without_percent(std::string_view name) {
  while (name.starts_with('%')) name.remove_prefix(1);
  return name;
}

std::string mark_of(size_t index) { return fmt::format("${}$", index); }

int64_t num_of(const std::string& text, const std::string& mark) {
  int64_t num = 0;
  for (size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + 1)) ++num;
  return num;
}

void exchange(std::string& text, const std::string& mark, const std::string& name) {
  for (size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at)) {
    text.replace(at, mark.size(), name);
    at += name.size();
  }
}

// Whether a statement before the last that reads `mark` may write an output: begins with one, or
// has one among its assignments.
bool is_read_late(const std::vector<std::string>& statements, size_t num_outputs,
                  const std::string& mark) {
  size_t last = 0;
  for (size_t i = 0; i < statements.size(); ++i) {
    if (num_of(statements[i], mark) > 0) last = i;
  }
  for (size_t i = 0; i < last; ++i) {
    for (size_t k = 0; k < num_outputs; ++k) {
      if (num_of(statements[i], mark_of(k) + " = ") > 0) return true;
    }
  }
  return false;
}

bool may_change(const std::string& expression) {
  return expression.find("++") != std::string::npos || expression.find("--") != std::string::npos ||
         expression.find('=') != std::string::npos || expression.find('(') != std::string::npos;
}

}  // namespace

std::string spelled(std::string_view name) {
  name = without_percent(name);
  return is_word(name) ? "ptx_" + std::string(name) : "";
}

const PtxRegister* register_of(const PtxCode& code, std::string_view name) {
  name = without_percent(name);
  for (const PtxRegister& declared : code.registers) {
    const std::string_view stem = without_percent(declared.name);
    if (declared.count == 0 && stem == name) return &declared;
    if (declared.count == 0 || !name.starts_with(stem)) continue;
    const std::string digits(name.substr(stem.size()));
    const bool is_number = !digits.empty() && digits.size() < 4 &&
                           digits.find_first_not_of("0123456789") == std::string::npos;
    if (is_number && std::stol(digits) < declared.count) return &declared;
  }
  return nullptr;
}

bool has_label(const PtxCode& code, std::string_view name) {
  const auto has = [&](const std::vector<std::string>& labels) {
    return std::find(labels.begin(), labels.end(), name) != labels.end();
  };
  return has(code.end_labels) ||
         std::any_of(code.instructions.begin(), code.instructions.end(),
                     [&](const PtxInstruction& it) { return has(it.labels); });
}

const AsmOperand* operand_of(const AsmStatement& statement, int64_t index) {
  const auto outputs = std::ssize(statement.outputs);
  if (index < 0 || index >= outputs + std::ssize(statement.inputs)) return nullptr;
  return index < outputs ? &statement.outputs[static_cast<size_t>(index)]
                         : &statement.inputs[static_cast<size_t>(index - outputs)];
}

char constraint_of(const AsmOperand& operand) {
  return operand.constraint.empty() ? '?' : operand.constraint.back();
}

std::string copies_of(const AsmStatement& statement, std::vector<std::string>& statements) {
  std::string declared;
  const size_t num_outputs = statement.outputs.size();
  for (size_t i = 0; i < num_outputs + statement.inputs.size(); ++i) {
    const AsmOperand& operand = *operand_of(statement, static_cast<int64_t>(i));
    if (constraint_of(operand) == 'n') continue;
    const std::string mark = mark_of(i), name = fmt::format("ambidex_operand{}", i);
    int64_t num = 0;
    for (const std::string& text : statements) num += num_of(text, mark);
    const bool twice = num > 1 && may_change(operand.expression);
    const bool late = i >= num_outputs && is_read_late(statements, num_outputs, mark);
    if (num == 0 || (!twice && !late)) continue;
    for (std::string& text : statements) exchange(text, mark, name);
    declared += fmt::format("{} {} = {}; ", i < num_outputs ? "auto&" : "const auto", name, mark);
  }
  return declared;
}

}  // namespace ambidex
