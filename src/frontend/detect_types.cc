// SPDX-License-Identifier: Apache-2.0
// N02 (elements of fragments), N08, N23, N24: hazards of types, as far as words tell them.
#include <fmt/format.h>

#include <algorithm>

#include "frontend/detector.h"
#include "frontend/launch_facts.h"

namespace ambidex {
namespace {

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// The variable before a `.` or `->`, over [...]; -1 after a call or a cast.
int64_t base_of_member(const SourceFile& file, int64_t dot) {
  int64_t i = dot - 1;
  while (text_at(file, i) == "]") {
    int depth = 0;
    for (; i > 0 && dot - i < 200; --i) {
      depth += text_at(file, i) == "]" ? 1 : text_at(file, i) == "[" ? -1 : 0;
      if (depth == 0) break;
    }
    --i;
  }
  return is_word_at(file, i) ? i : -1;
}

/// `(*reinterpret_cast<half2*>(p)).x`, `__floats2half2_rn(a, b).x`: what stands in or before the
/// brackets that end before the dot.
bool call_before_gives_half2(const SourceFile& file, int64_t dot) {
  if (text_at(file, dot - 1) != ")" && text_at(file, dot - 1) != "]") return false;
  int depth = 0;
  int64_t i = dot - 1;
  for (; i > 0 && dot - i < 60; --i) {
    const std::string_view text = text_at(file, i);
    if (text == ";" || text == "{" || text == "}") return false;
    depth += text == ")" || text == "]" ? 1 : text == "(" || text == "[" ? -1 : 0;
    if (depth == 0) break;
  }
  const std::string_view callee = text_at(file, i - 1);
  if (contains(callee, "half2") && !callee.ends_with("2half2") && !contains(callee, "half22")) {
    return !contains(callee, "2float2");
  }
  if (contains(callee, "2half2") || contains(callee, "2bfloat162")) return true;
  const std::string inside = spelled(file, {i, dot});
  if (contains(inside, "cast < half2 *") || contains(inside, "cast < const half2 *") ||
      contains(inside, "( half2 * )") || contains(inside, "bfloat162 *")) {
    return true;
  }
  return callee == ">" && contains(spelled(file, {i - 4, i}), "half2 *");
}

bool is_half2_type(std::string_view type) {
  return contains(type, "half2") || contains(type, "bfloat162") || contains(type, "Half2");
}

/// `auto v = p[i]` of a pointer to half2; not `auto f = __half22float2(v)`.
bool is_made_from_half2(const SourceFile& file, TokenRange init) {
  for (int64_t i = init.first; i < init.last; ++i) {
    if (contains(text_at(file, i), "2float")) return false;
    if (is_half2_type(text_at(file, i))) return true;
  }
  const std::string root = root_name(file, init);
  const Declared declared = declaration_of(file, init.first, root);
  return declared.found && is_half2_type(declared.type);
}

void look_at_half2_member(const FileLook& look, int64_t at) {
  const std::string_view member = text_at(look.file, at);
  if (member != "x" && member != "y") return;
  const std::string_view dot = text_at(look.file, at - 1);
  if (dot != "." && dot != "->") return;
  const std::string_view before = text_at(look.file, at - 2);
  if (before.ends_with("Idx") || before == "blockDim" || before == "gridDim") return;
  bool is_half2 = call_before_gives_half2(look.file, at - 1);
  const int64_t base = base_of_member(look.file, at - 1);
  if (base >= 0) {
    const Declared declared = declaration_of(look.file, base, text_at(look.file, base));
    is_half2 |= declared.found && is_half2_type(declared.type);
    is_half2 |= contains(declared.type, "auto") && is_made_from_half2(look.file, declared.init);
  }
  if (!is_half2) return;
  look.add(at, "N08", Severity::s0, FixKind::rule,
           fmt::format(".{} of a packed half: HIP's member was an unsigned short, and its bits are "
                       "converted as an integer; use __{}2float or __{}2half",
                       member, member == "x" ? "low" : "high", member == "x" ? "low" : "high"));
}

/// `(half)0x3c00`, `__half(0x3c00)`.
void look_at_half_bits(const FileLook& look, int64_t at) {
  const std::string_view word = text_at(look.file, at);
  if (word != "half" && word != "__half" && word != "__nv_bfloat16" && word != "nv_bfloat16")
    return;
  const bool cast = text_at(look.file, at - 1) == "(" && text_at(look.file, at + 1) == ")";
  const std::string_view value = text_at(look.file, at + 2);
  const bool constructs = text_at(look.file, at + 1) == "(" || text_at(look.file, at + 1) == "{";
  if (!(cast || constructs) || !(value.starts_with("0x") || value.starts_with("0X"))) return;
  look.add(at, "N08", Severity::s0, FixKind::rule,
           fmt::format("{} from {}: the number in one runtime, its bits in another; use "
                       "__ushort_as_half",
                       word, value));
}

/// The words of a fragment's type, also through `using Frag = wmma::fragment<...>`.
std::string fragment_type(const SourceFile& file, int64_t base) {
  const Declared declared = declaration_of(file, base, text_at(file, base));
  if (!declared.found) return "";
  if (contains(declared.type, "fragment")) return declared.type;
  for (int64_t i = 0; i + 3 < base; ++i) {
    if (text_at(file, i) != "using" || text_at(file, i + 2) != "=") continue;
    if (!contains(declared.type, text_at(file, i + 1))) continue;
    const std::string type = spelled(file, statement_around(file, i));
    if (contains(type, "fragment")) return type;
  }
  return "";
}

bool near_num_elements(const SourceFile& file, int64_t at) {
  for (int64_t i = std::max<int64_t>(0, at - 60); i < at + 20; ++i) {
    if (text_at(file, i) == "num_elements") return true;
  }
  return false;
}

/// Whether all elements are treated alike: `c.x[i] = alpha * c.x[i] + beta`.
bool is_uniform(const SourceFile& file, int64_t at) {
  TokenRange statement = statement_around(file, at);
  while (statement.first < at && contains("for", text_at(file, statement.first))) {
    ++statement.first;
  }
  const std::string_view index = text_at(file, at + 2);
  std::string type;
  for (int64_t i = at - 4; i < statement.last; ++i) {
    const std::string_view text = text_at(file, i);
    const bool element = text == "x" && text_at(file, i + 1) == "[";
    if (element) {
      const int64_t base = base_of_member(file, i - 1);
      const std::string its = base < 0 ? "" : fragment_type(file, base);
      if (text_at(file, i + 2) != index || text_at(file, i + 3) != "]") return false;
      if (!type.empty() && its != type) return false;
      type = its;
      i += 3;
    } else if (i > at && (text == "[" || text == "threadIdx" || text == "lane" || text == index)) {
      return false;
    }
  }
  return is_word_at(file, at + 2) && near_num_elements(file, at);
}

void look_at_fragment_element(const FileLook& look, int64_t at) {
  if (text_at(look.file, at) != "x" || text_at(look.file, at + 1) != "[") return;
  if (text_at(look.file, at - 1) != "." && text_at(look.file, at - 1) != "->") return;
  const int64_t base = base_of_member(look.file, at - 1);
  const bool is_fragment =
      base >= 0 && (!fragment_type(look.file, base).empty() || near_num_elements(look.file, at));
  if (!is_fragment) return;
  const bool uniform = is_uniform(look.file, at);
  look.add(at, "N02", uniform ? Severity::s2 : Severity::s0,
           uniform ? FixKind::rule : FixKind::agent,
           uniform ? "elements of a fragment, all treated alike: right in any order"
                   : "an element of a fragment by its position: rocWMMA spreads fragments over 64 "
                     "lanes in another order; go through shared memory");
}

/// One `long` that is neither long long nor long double.
int64_t lone_long(const SourceFile& file, TokenRange range) {
  for (int64_t i = range.first; i < range.last; ++i) {
    if (text_at(file, i) != "long") continue;
    const std::string_view next = text_at(file, i + 1);
    if (next == "long") {
      ++i;
      continue;
    }
    if (next != "double") return i;
  }
  return -1;
}

constexpr std::string_view kLong =
    "long has 4 bytes on Windows and 8 on Linux; use int32_t or int64_t across host and device";

void look_at_struct(const FileLook& look, std::string_view name) {
  for (int64_t i = 0; i + 2 < std::ssize(look.file.tokens); ++i) {
    if (text_at(look.file, i) != "struct" || text_at(look.file, i + 1) != name) continue;
    int64_t open = i + 2;
    while (text_at(look.file, open) != "{" && text_at(look.file, open) != ";" && open < i + 12) {
      ++open;
    }
    if (text_at(look.file, open) != "{") continue;
    const int64_t field = lone_long(look.file, {open, closing(look.file, open)});
    if (field >= 0) look.add(field, "N23", Severity::s3, FixKind::none, std::string(kLong));
  }
}

void look_at_kernel_types(const FileLook& look) {
  for (const KernelHead& kernel : kernels_of(look.file)) {
    for (const TokenRange& parameter : kernel.parameters) {
      const int64_t at = lone_long(look.file, parameter);
      if (at >= 0) look.add(at, "N23", Severity::s3, FixKind::none, std::string(kLong));
      for (int64_t i = parameter.first; i < parameter.last; ++i) {
        if (is_word_at(look.file, i)) look_at_struct(look, text_at(look.file, i));
      }
    }
  }
}

void look_at_sizes(const FileLook& look, int64_t at) {
  const std::string_view word = text_at(look.file, at);
  if (word == "sizeof" && text_at(look.file, at + 1) == "(") {
    const int64_t close = closing(look.file, at + 1);
    const bool plain = close > 0 && close - at < 6 && lone_long(look.file, {at + 2, close}) >= 0;
    if (plain) look.add(at, "N23", Severity::s3, FixKind::none, std::string(kLong));
  }
  if (word != "__align__" || text_at(look.file, at + 1) != "(") return;
  const auto bytes = constant_in(look.view, look.file, {at + 2, closing(look.file, at + 1)});
  if (!bytes || *bytes <= 16) return;
  look.add(at, "N23", Severity::s3, FixKind::none,
           fmt::format("aligned to {} bytes: as a kernel's argument it moves the fields after it; "
                       "check sizes by static_assert",
                       *bytes));
}

/// `tile[32][33]`, `tile[N][N + 1]`, `tile[N][N + kPad]`.
void look_at_padding(const FileLook& look) {
  for (const SharedArray& array : shared_arrays_of(look.view, look.file)) {
    if (array.bounds.size() < 2) continue;
    const TokenRange last = array.bounds.back();
    const auto value = constant_in(look.view, look.file, last);
    bool padded = value && *value > 16 && *value % 2 == 1;
    for (int64_t i = last.first; i < last.last; ++i) padded |= text_at(look.file, i) == "+";
    if (!padded) continue;
    look.add(array.at, "N24", Severity::s3, FixKind::agent,
             "padding tuned for 32 banks of 4 bytes: CDNA4 has 64, and an odd row length forbids "
             "wide reads");
  }
}

}  // namespace

void detect_types(const SourceView& view, std::vector<Finding>& findings) {
  for (const SourceFile& file : view.files) {
    const FileLook look{view, file, findings};
    look_at_kernel_types(look);
    look_at_padding(look);
    for (int64_t i = 0; i < std::ssize(file.tokens); ++i) {
      if (file.tokens[static_cast<size_t>(i)].kind != TokenKind::word) continue;
      look_at_half2_member(look, i);
      look_at_half_bits(look, i);
      look_at_fragment_element(look, i);
      look_at_sizes(look, i);
    }
  }
}

}  // namespace ambidex
