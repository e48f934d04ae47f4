// SPDX-License-Identifier: Apache-2.0
// Floating-point arithmetic of PTX in C++.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/word_list.h"
#include "frontend/ptx_rewrite.h"

namespace ambidex {
namespace {

// What the modifiers of an instruction ask for, besides its type.
struct Manner {
  std::string rounding;  // rn rz rm rp approx full, or none
  bool flushes = false, saturates = false, relu = false, keeps_nan = false;
};

std::optional<Manner> manner_of(const PtxInstruction& in) {
  Manner out;
  const size_t num = in.modifiers.empty() ? 0 : in.modifiers.size() - 1;
  const bool known =
      read_modifiers({in.modifiers.data(), num}, "rn rz rm rp approx full", out.rounding,
                     {{"ftz", &out.flushes},
                      {"sat", &out.saturates},
                      {"relu", &out.relu},
                      {"NaN", &out.keeps_nan}});
  if (!known) return {};
  return out;
}

// CUDA's suffix of a rounding: rp is up, rm is down.
std::string_view direction_of(std::string_view rounding) {
  if (rounding == "rp") return "ru";
  return rounding == "rm" ? "rd" : rounding;
}

struct Form {
  std::string_view mnemonic;
  std::string_view roundings;  // "": none; separated by spaces, - for none
  std::string_view types;
  size_t num_inputs;
  std::string_view text;  // {r} the direction, {d} "d" of f64, {f} "f" of f32
};

// add, mul and fma without a word on rounding are to nearest, and may be fused.
constexpr std::array<Form, 33> kForms{{
    {"add", "-", "f32 f64", 2, "{0} + {1}"},
    {"sub", "-", "f32 f64", 2, "{0} - {1}"},
    {"mul", "-", "f32 f64", 2, "{0} * {1}"},
    {"add", "rn rz rm rp", "f32 f64", 2, "ambidex_port::{d}add_{r}({0}, {1})"},
    {"sub", "rn rz rm rp", "f32 f64", 2, "ambidex_port::{d}sub_{r}({0}, {1})"},
    {"mul", "rn rz rm rp", "f32 f64", 2, "ambidex_port::{d}mul_{r}({0}, {1})"},
    {"fma", "rn", "f32 f64", 3, "fma{f}({0}, {1}, {2})"},
    {"mad", "rn", "f32 f64", 3, "fma{f}({0}, {1}, {2})"},
    {"fma", "rz rm rp", "f32 f64", 3, "ambidex_port::fma{f}_{r}({0}, {1}, {2})"},
    {"div", "rn rz rm rp", "f32 f64", 2, "ambidex_port::{d}div_{r}({0}, {1})"},
    {"div", "approx full", "f32", 2, "{0} / {1}"},
    {"rcp", "rn rz rm rp", "f32 f64", 1, "ambidex_port::{d}rcp_{r}({0})"},
    {"sqrt", "rn rz rm rp", "f32 f64", 1, "ambidex_port::{d}sqrt_{r}({0})"},
    {"neg", "-", "f32 f64", 1, "-({0})"},
    {"abs", "-", "f32 f64", 1, "fabs{f}({0})"},
    {"copysign", "-", "f32 f64", 2, "copysign{f}({1}, {0})"},
    {"ex2", "approx", "f32", 1, "ambidex_port::ex2_approx({0})"},
    {"lg2", "approx", "f32", 1, "ambidex_port::lg2_approx({0})"},
    {"rcp", "approx", "f32", 1, "ambidex_port::rcp_approx({0})"},
    {"rsqrt", "approx", "f32", 1, "ambidex_port::rsqrt_approx({0})"},
    {"rsqrt", "approx", "f64", 1, "rsqrt({0})"},
    {"sqrt", "approx", "f32", 1, "ambidex_port::sqrt_approx({0})"},
    {"sin", "approx", "f32", 1, "ambidex_port::sin_approx({0})"},
    {"cos", "approx", "f32", 1, "ambidex_port::cos_approx({0})"},
    {"tanh", "approx", "f32", 1, "ambidex_port::tanh_approx({0})"},
    {"add", "- rn", "f16 f16x2 bf16 bf16x2", 2, "ambidex_port::add_{t}({0}, {1})"},
    {"sub", "- rn", "f16 f16x2 bf16 bf16x2", 2, "ambidex_port::sub_{t}({0}, {1})"},
    {"mul", "- rn", "f16 f16x2 bf16 bf16x2", 2, "ambidex_port::mul_{t}({0}, {1})"},
    {"fma", "rn", "f16 f16x2 bf16 bf16x2", 3, "ambidex_port::fma_{t}({0}, {1}, {2})"},
    {"neg", "-", "f16 f16x2 bf16 bf16x2", 1, "ambidex_port::neg_{t}({0})"},
    {"abs", "-", "f16 f16x2 bf16 bf16x2", 1, "ambidex_port::abs_{t}({0})"},
    {"ex2", "approx", "f16 f16x2 bf16 bf16x2", 1, "ambidex_port::ex2_{t}({0})"},
    {"tanh", "approx", "f16 f16x2 bf16 bf16x2", 1, "ambidex_port::tanh_{t}({0})"},
}};

std::string filled(std::string_view text, const std::vector<std::string>& values,
                   const std::string& type, std::string_view direction) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '{') {
      out += text[i];
      continue;
    }
    const char what = text[i + 1];
    if (what == 'r') out += direction;
    if (what == 'd') out += type == "f64" ? "d" : "f";
    if (what == 'f') out += type == "f64" ? "" : "f";
    if (what == 't') out += type;
    if (what >= '0' && what <= '9') out += values[static_cast<size_t>(what - '0')];
    i += 2;
  }
  return out;
}

bool is_half(const std::string& type) { return type.find("16") != std::string::npos; }

// Of a number and a NaN the number, unless .NaN asks otherwise.
std::optional<std::string> extreme_of(const PtxInstruction& in, const Manner& manner,
                                      const std::vector<std::string>& values,
                                      const std::string& type) {
  if (values.size() != 2 || !manner.rounding.empty()) return {};
  const std::string end = is_half(type)      ? (manner.keeps_nan ? "_nan_" : "_") + type
                          : manner.keeps_nan ? "_nan"
                                             : "_number";
  return fmt::format("ambidex_port::{}{}({}, {})", in.mnemonic, end, values[0], values[1]);
}

std::optional<std::string> plain_of(const PtxInstruction& in, const Manner& manner,
                                    const std::vector<std::string>& values,
                                    const std::string& type) {
  if (in.mnemonic == "min" || in.mnemonic == "max") return extreme_of(in, manner, values, type);
  if (manner.keeps_nan) return {};
  for (const Form& form : kForms) {
    const std::string rounding = manner.rounding.empty() ? "-" : manner.rounding;
    if (form.mnemonic != in.mnemonic || form.num_inputs != values.size()) continue;
    if (!lists(form.roundings, rounding) || !lists(form.types, type)) continue;
    return filled(form.text, values, type, direction_of(manner.rounding));
  }
  return {};
}

}  // namespace

std::optional<PtxMeaning> float_meaning_of(const PtxScope& scope,
                                           const PtxInstruction& instruction) {
  const std::string type = type_suffix(instruction);
  const bool half = type == "f16" || type == "f16x2" || type == "bf16" || type == "bf16x2";
  if (!half && type != "f32" && type != "f64") return {};
  const auto manner = manner_of(instruction);
  if (!manner || instruction.operands.size() < 2 || instruction.operands.size() > 4) return {};
  if ((manner->relu && !half) || (type == "f64" && (manner->flushes || manner->saturates))) {
    return {};
  }
  const std::string end = half ? "_" + type : "";
  const auto wrapped = [&](std::string_view name, const std::string& text) {
    return fmt::format("ambidex_port::{}{}({})", name, end, text);
  };
  std::vector<std::string> values;
  for (size_t i = 1; i < instruction.operands.size(); ++i) {
    const auto value = value_of(scope, instruction.operands[i], type);
    if (!value) return {};
    values.push_back(manner->flushes ? wrapped("ftz", *value) : *value);
  }
  auto text = plain_of(instruction, *manner, values, type);
  if (!text) return {};
  if (manner->flushes) text = wrapped("ftz", *text);
  if (manner->saturates) text = half ? wrapped("sat", *text) : wrapped("saturate", *text);
  if (manner->relu) text = wrapped("relu", *text);
  return PtxMeaning{*text, type, "float"};
}

}  // namespace ambidex
