// SPDX-License-Identifier: Apache-2.0
// cvt, cvta and mov that packs or unpacks, in C++.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "frontend/ptx_rewrite.h"

namespace ambidex {
namespace {

using Text = std::optional<std::string>;

struct Conversion {
  std::string to, from;
  std::string rounding;  // rn rz rm rp rna, or of a value to an integer: rni rzi rmi rpi
  bool flushes = false, saturates = false, relu = false, finite = false;
};

std::optional<Conversion> conversion_of(const PtxInstruction& in) {
  Conversion out;
  const size_t num = in.modifiers.size();
  if (num < 2) return {};
  out.to = in.modifiers[num - 2];
  out.from = in.modifiers[num - 1];
  if (type_of_ptx(out.to).empty() || type_of_ptx(out.from).empty()) return {};
  const bool known = read_modifiers({in.modifiers.data(), num - 2},
                                    "rn rz rm rp rna rni rzi rmi rpi", out.rounding,
                                    {{"ftz", &out.flushes},
                                     {"sat", &out.saturates},
                                     {"relu", &out.relu},
                                     {"satfinite", &out.finite}});
  if (!known) return {};
  return out;
}

bool is_half(const std::string& type) { return type == "f16" || type == "bf16"; }
bool is_float(const std::string& type) { return type == "f32" || type == "f64" || is_half(type); }
bool is_integer(const std::string& type) {
  return (type[0] == 'u' || type[0] == 's') && type.find('x') == std::string::npos;
}
bool to_integer(const std::string& rounding) { return rounding.ends_with('i'); }

std::string rounded(const std::string& value, const std::string& rounding, bool wide) {
  const std::string_view name = rounding == "rni"   ? "rint"
                                : rounding == "rmi" ? "floor"
                                : rounding == "rpi" ? "ceil"
                                                    : "trunc";
  return fmt::format("{}{}({})", name, wide ? "" : "f", value);
}

// Of rounding::Direction.
std::string_view way_of(const std::string& rounding) {
  if (rounding.starts_with("rz")) return "to_zero";
  if (rounding.starts_with("rn")) return "nearest";
  return rounding.starts_with("rp") ? "up" : "down";
}

// A float or double as a half: to nearest, or towards zero of a float.
Text to_half(const Conversion& how, const std::string& value, bool wide) {
  std::string text;
  if (how.rounding == "rz" && !wide) {
    text = fmt::format("ambidex_port::{}_rz({})", how.to, value);
  } else if (how.rounding == "rn" || how.rounding.empty() || to_integer(how.rounding)) {
    text = fmt::format("ambidex_port::{}_of({})", how.to, value);
  } else {
    return {};
  }
  return how.relu ? fmt::format("ambidex_port::relu_{}({})", how.to, text) : text;
}

Text from_float(const Conversion& how, std::string value) {
  const bool wide = how.from == "f64";
  if (how.flushes && how.from == "f32") value = "ambidex_port::ftz(" + value + ")";
  if (is_half(how.from)) value = fmt::format("ambidex_port::{}_value({})", how.from, value);
  if (is_integer(how.to)) {
    if (!to_integer(how.rounding)) return {};
    return fmt::format("ambidex_port::rounding::to_integer<{}, ambidex_port::rounding::{}>({})",
                       type_of_ptx(how.to), way_of(how.rounding), value);
  }
  if (to_integer(how.rounding)) {
    if (how.to != how.from) return {};
    value = rounded(value, how.rounding, wide);
  }
  if (how.saturates) {
    if (wide) return {};
    value = "ambidex_port::saturate(" + value + ")";
  }
  if (is_half(how.to)) return to_half(how, value, wide);
  if (how.to == "f64") return wide ? value : "(double)(" + value + ")";
  const bool narrows = wide && how.rounding != "rn";
  if (narrows) {
    if (how.rounding != "rz" && how.rounding != "rm" && how.rounding != "rp") return {};
    value = fmt::format("ambidex_port::rounding::to_float<ambidex_port::rounding::{}>({})",
                        way_of(how.rounding), value);
  } else if (wide) {
    value = "(float)(" + value + ")";
  }
  return how.flushes ? "ambidex_port::ftz(" + value + ")" : value;
}

Text from_integer(const Conversion& how, const std::string& value) {
  const bool wide = bits_of_ptx(how.from) == 64;
  if (is_integer(how.to)) {
    if (!how.rounding.empty()) return {};
    return how.saturates ? fmt::format("ambidex_port::clamped<{}>({})", type_of_ptx(how.to), value)
                         : fmt::format("({}){}", type_of_ptx(how.to), value);
  }
  if (how.to == "f64" && (how.rounding == "rn" || (!wide && !how.rounding.empty()))) {
    return how.saturates ? Text() : "(double)" + value;
  }
  Text out;
  if (how.rounding == "rn" && how.to == "f32") out = "(float)" + value;
  if (how.rounding == "rn" && is_half(how.to) && !wide) {
    out = fmt::format("ambidex_port::{}_of((double){})", how.to, value);
  }
  if (how.to == "f32" && !wide && how.rounding != "rn" && how.rounding.size() == 2) {
    out = fmt::format("ambidex_port::rounding::to_float<ambidex_port::rounding::{}>((double){})",
                      way_of(how.rounding), value);
  }
  if (out && how.saturates) {
    if (how.to != "f32") return {};
    out = "ambidex_port::saturate(" + *out + ")";
  }
  return out;
}

// cvt.rna.tf32.f32 and its like: bits of a float.
std::optional<PtxMeaning> tf32_of(const PtxScope& scope, const PtxInstruction& in,
                                  const Conversion& how) {
  const auto values = values_of(scope, in, "f32");
  const bool known = how.rounding == "rna" || how.rounding == "rn" || how.rounding == "rz";
  if (!values || !known || how.from != "f32" || how.relu || how.finite || how.saturates) return {};
  return PtxMeaning{fmt::format("ambidex_port::tf32_{}({})", how.rounding, (*values)[0]), "b32",
                    "float"};
}

bool is_fp8_pair(const std::string& type) { return type == "e4m3x2" || type == "e5m2x2"; }

// Two bytes of OCP's formats: from floats, the first into the upper one, and from and to f16x2.
std::optional<PtxMeaning> fp8_of(const PtxScope& scope, const PtxInstruction& in,
                                 const Conversion& how) {
  if (how.saturates || how.flushes || how.rounding != "rn") return {};
  const std::string kind =
      "ambidex_port::" + (is_fp8_pair(how.to) ? how.to : how.from).substr(0, 4);
  const std::string relu = how.relu ? "true" : "false";
  if (is_fp8_pair(how.from)) {
    const auto values = values_of(scope, in, how.from);
    if (how.to != "f16x2" || !values) return {};
    return PtxMeaning{
        fmt::format("ambidex_port::f16x2_of_fp8x2<{}>({}, {})", kind, (*values)[0], relu), how.to,
        "float"};
  }
  const bool two = how.from == "f32";
  const auto values = values_of(scope, in, two ? "f32 f32" : "f16x2");
  if (!values || !how.finite || (!two && how.from != "f16x2")) return {};
  const std::string inputs = two ? (*values)[0] + ", " + (*values)[1] : (*values)[0];
  return PtxMeaning{fmt::format("ambidex_port::fp8x2_of<{}>({}, {})", kind, inputs, relu), how.to,
                    "float"};
}

// cvt.rn.f16x2.f32 d, a, b: a becomes the upper half.
std::optional<PtxMeaning> pair_of(const PtxScope& scope, const PtxInstruction& in, Conversion how) {
  const auto values = values_of(scope, in, "f32 f32");
  const std::string type = how.to;
  how.to = type.substr(0, type.size() - 2);
  if (!values || how.from != "f32" || how.finite || how.saturates) return {};
  if (how.rounding != "rn" && how.rounding != "rz") return {};
  const Text high = from_float(how, (*values)[0]), low = from_float(how, (*values)[1]);
  if (!high || !low) return {};
  return PtxMeaning{fmt::format("(unsigned){} << 16 | {}", *high, *low), type, "float"};
}

// cvt.pack.sat.u8.s32.b32 d, a, b, c: a above b, and c's bits above them.
std::optional<PtxMeaning> pack_of(const PtxScope& scope, const PtxInstruction& in) {
  const std::string whole = full_mnemonic(in);
  const bool bytes = whole == "cvt.pack.sat.u8.s32.b32" || whole == "cvt.pack.sat.s8.s32.b32";
  const bool halves = whole == "cvt.pack.sat.u16.s32" || whole == "cvt.pack.sat.s16.s32";
  if (!bytes && !halves) return {};
  const auto values = values_of(scope, in, bytes ? "s32 s32 b32" : "s32 s32");
  if (!values) return {};
  const std::string type(type_of_ptx(in.modifiers[2]));
  const std::string raw = bytes ? "unsigned char" : "unsigned short";
  const auto piece = [&](size_t i) {
    return fmt::format("(unsigned)({})ambidex_port::clamped<{}>({})", raw, type, (*values)[i]);
  };
  std::string text = fmt::format("{} << {} | {}", piece(0), bytes ? 8 : 16, piece(1));
  if (bytes) text = fmt::format("{} << 16 | {}", (*values)[2], text);
  return PtxMeaning{text, "b32", "arithmetic"};
}

std::optional<PtxMeaning> cvt_of(const PtxScope& scope, const PtxInstruction& in) {
  if (has_modifier(in, "pack")) return pack_of(scope, in);
  const auto how = conversion_of(in);
  if (!how) return {};
  if (how->to == "tf32") return tf32_of(scope, in, *how);
  if (is_fp8_pair(how->to) || is_fp8_pair(how->from)) return fp8_of(scope, in, *how);
  if (how->to == "f16x2" || how->to == "bf16x2") return pair_of(scope, in, *how);
  const auto values = values_of(scope, in, how->from);
  if (!values || how->finite || how->rounding == "rna") return {};
  if (how->relu && !is_half(how->to)) return {};
  Text text;
  if (is_float(how->from) && (is_float(how->to) || is_integer(how->to))) {
    text = from_float(*how, (*values)[0]);
  } else if (is_integer(how->from) && (is_float(how->to) || is_integer(how->to))) {
    text = from_integer(*how, (*values)[0]);
  }
  if (!text) return {};
  return PtxMeaning{*text, how->to, is_float(how->from) ? "float" : "arithmetic"};
}

// Generic addresses are those of global memory; those of shared memory are numbers of 32 bits.
std::optional<PtxMeaning> address_of(const PtxScope& scope, const PtxInstruction& in) {
  const std::string options = options_of(in);
  const auto values = values_of(scope, in, "u64");
  if (type_suffix(in) != "u64" || !values) return {};
  if (options == "to.global" || options == "global") {
    return PtxMeaning{(*values)[0], "u64", "address"};
  }
  if (options == "to.shared" || options == "to.shared::cta") {
    return PtxMeaning{fmt::format("(unsigned long long)ambidex_port::shared_address("
                                  "(const void*)({}))",
                                  (*values)[0]),
                      "u64", "address"};
  }
  if (options != "shared" && options != "shared::cta") return {};
  return PtxMeaning{fmt::format("(unsigned long long)ambidex_port::shared_pointer<char>("
                                "(unsigned)({}))",
                                (*values)[0]),
                    "u64", "address"};
}

std::string piece_type(int bits) { return fmt::format("b{}", bits); }

// mov.b64 d, {low, high}.
std::optional<PtxMeaning> packed_of(const PtxScope& scope, const PtxInstruction& in, int bits) {
  const auto& parts = in.operands[1].parts;
  const int each = parts.empty() ? 0 : bits / static_cast<int>(parts.size());
  if (each < 8 || each * std::ssize(parts) != bits) return {};
  std::string text;
  for (size_t i = 0; i < parts.size(); ++i) {
    const Text value = value_of(scope, parts[i], piece_type(each));
    if (!value) return {};
    text += fmt::format("{}({}){}", i == 0 ? "" : " | ", type_of_ptx(piece_type(bits)), *value);
    if (i > 0) text += fmt::format(" << {}", each * static_cast<int>(i));
  }
  if (bits == 16) text = "(unsigned short)(" + text + ")";
  return PtxMeaning{text, piece_type(bits), "arithmetic"};
}

// mov.b64 {low, high}, s.
std::optional<PtxMeaning> unpacked_of(const PtxScope& scope, const PtxInstruction& in, int bits) {
  const auto& parts = in.operands[0].parts;
  const int each = parts.empty() ? 0 : bits / static_cast<int>(parts.size());
  const Text whole = value_of(scope, in.operands[1], piece_type(bits));
  if (each < 8 || each * std::ssize(parts) != bits || !whole) return {};
  std::string text =
      fmt::format("{{ const {} ambidex_whole = {}; ", type_of_ptx(piece_type(bits)), *whole);
  for (size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].text == "_") continue;
    const Text one =
        assignment(scope, parts[i],
                   fmt::format("({})(ambidex_whole >> {})", type_of_ptx(piece_type(each)),
                               each * static_cast<int>(i)),
                   piece_type(each));
    if (!one) return {};
    text += *one + "; ";
  }
  return PtxMeaning{text + "}", "", "arithmetic"};
}

std::optional<PtxMeaning> mov_of(const PtxScope& scope, const PtxInstruction& in) {
  if (in.modifiers.size() != 1 || in.operands.size() != 2) return {};
  const int bits = bits_of_ptx(in.modifiers[0]);
  if (in.modifiers[0] != piece_type(bits) || bits < 16) return {};
  if (in.operands[1].kind == PtxOperandKind::list) return packed_of(scope, in, bits);
  if (in.operands[0].kind == PtxOperandKind::list) return unpacked_of(scope, in, bits);
  return {};
}

}  // namespace

std::optional<PtxMeaning> conversion_meaning_of(const PtxScope& scope,
                                                const PtxInstruction& instruction) {
  if (instruction.mnemonic == "cvt") return cvt_of(scope, instruction);
  if (instruction.mnemonic == "cvta") return address_of(scope, instruction);
  if (instruction.mnemonic == "mov") return mov_of(scope, instruction);
  return {};
}

}  // namespace ambidex
