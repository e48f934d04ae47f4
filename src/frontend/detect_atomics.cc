// SPDX-License-Identifier: Apache-2.0
// N10, N11: atomics of floating-point numbers, and those of types that AMD has none for.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "frontend/detector.h"
#include "frontend/token_facts.h"

namespace ambidex {
namespace {

using HostParameters = std::set<std::pair<std::string, std::string>>;  // kernel, parameter

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

bool is_float_type(std::string_view type) {
  return contains(type, "float") || contains(type, "double") || contains(type, "half") ||
         contains(type, "Half");
}

bool is_integer_type(std::string_view type) {
  return contains(type, "int") || contains(type, "unsigned") || contains(type, "long") ||
         contains(type, "size_t") || contains(type, "char") || contains(type, "bool") ||
         contains(type, "short");
}

enum class Kind : uint8_t { unknown, integer, floating };

Kind kind_of_type(std::string_view type) {
  if (is_float_type(type)) return Kind::floating;
  return is_integer_type(type) ? Kind::integer : Kind::unknown;
}

/// Of an address or a value: by a cast in it, the type of the variable, or a literal.
Kind kind_of(const SourceFile& file, TokenRange range) {
  for (int64_t i = range.first; i < range.last; ++i) {
    const std::string_view text = text_at(file, i);
    const bool is_type =
        text_at(file, i + 1) == "*" && (text_at(file, i + 2) == ")" || text_at(file, i + 2) == ">");
    if (is_type) return kind_of_type(text);
  }
  const std::string name = root_name(file, range);
  if (!name.empty()) {
    const Declared declared = declaration_of(file, range.first, name);
    const bool is_auto = contains(declared.type, "auto");
    if (declared.found && is_auto && declared.init.first < declared.init.last) {
      return kind_of(file, declared.init);
    }
    return declared.found ? kind_of_type(declared.type) : Kind::unknown;
  }
  if (range.last != range.first + 1) return Kind::unknown;
  const std::string_view text = text_at(file, range.first);
  const bool is_number = !text.empty() && text.front() >= '0' && text.front() <= '9';
  if (!is_number) return Kind::unknown;
  return contains(text, ".") || contains(text, "f") ? Kind::floating : Kind::integer;
}

constexpr std::array<std::string_view, 5> kHostAllocations{
    "cudaMallocManaged", "cudaMallocHost", "cudaHostAlloc", "cudaHostGetDevicePointer",
    "hipHostMalloc"};

/// Pointers that a host or managed allocation fills in.
std::set<std::string> host_pointers(const SourceFile& file) {
  std::set<std::string> names;
  for (int64_t i = 0; i < std::ssize(file.tokens); ++i) {
    const std::string_view name = text_at(file, i);
    const bool allocates =
        std::find(kHostAllocations.begin(), kHostAllocations.end(), name) != kHostAllocations.end();
    if (!allocates || call_open(file, i) < 0) continue;
    const auto arguments = arguments_of(file, call_open(file, i));
    if (!arguments.empty()) names.insert(root_name(file, arguments[0]));
  }
  return names;
}

std::string last_word(const SourceFile& file, TokenRange range) {
  for (int64_t i = range.last - 1; i >= range.first; --i) {
    if (is_word_at(file, i)) return std::string(text_at(file, i));
  }
  return "";
}

using NamedKernels = std::multimap<std::string, std::pair<const SourceFile*, KernelHead>>;

NamedKernels kernels_by_name(const SourceView& view) {
  NamedKernels kernels;
  for (const SourceFile& file : view.files) {
    for (KernelHead& kernel : kernels_of(file)) {
      std::string name(text_at(file, kernel.name));
      kernels.emplace(std::move(name), std::pair(&file, std::move(kernel)));
    }
  }
  return kernels;
}

/// Parameters of kernels that some launch gives host or managed memory.
HostParameters host_parameters(const SourceView& view) {
  HostParameters out;
  const NamedKernels kernels = kernels_by_name(view);
  for (const SourceFile& file : view.files) {
    const std::set<std::string> pointers = host_pointers(file);
    if (pointers.empty()) continue;
    for (const Launch& launch : launches_of(file)) {
      const auto [first, last] = kernels.equal_range(launch.kernel);
      for (auto it = first; it != last; ++it) {
        const auto& [other, kernel] = it->second;
        const size_t count = std::min(kernel.parameters.size(), launch.arguments.size());
        for (size_t i = 0; i < count; ++i) {
          if (!pointers.contains(root_name(file, launch.arguments[i]))) continue;
          out.emplace(launch.kernel, last_word(*other, kernel.parameters[i]));
        }
      }
    }
  }
  return out;
}

struct Look {
  const SourceFile& file;
  const HostParameters& host;
  std::vector<KernelHead> kernels;
  std::vector<Finding>& findings;

  void add(int64_t at, std::string_view id, Severity severity, FixKind fix,
           std::string message) const {
    findings.push_back(finding_at(file, file.tokens[static_cast<size_t>(at)], id, severity, fix,
                                  std::move(message)));
  }
};

bool may_be_host_memory(const Look& look, int64_t at, const std::string& name) {
  const Declared declared = declaration_of(look.file, at, name);
  if (contains(declared.type, "__managed__")) return true;
  for (const KernelHead& kernel : look.kernels) {
    if (at < kernel.body.first || at >= kernel.body.last) continue;
    return look.host.contains({std::string(text_at(look.file, kernel.name)), name});
  }
  return false;
}

void look_at_addition(const Look& look, int64_t at, const std::vector<TokenRange>& arguments) {
  Kind kind = kind_of(look.file, arguments[0]);
  if (kind == Kind::unknown) kind = kind_of(look.file, arguments[1]);
  if (kind == Kind::integer) return;
  if (may_be_host_memory(look, at, root_name(look.file, arguments[0]))) {
    return look.add(at, "N10", Severity::s0, FixKind::none,
                    "a floating-point atomic on host or managed memory: the hardware may drop it; "
                    "use device memory");
  }
  look.add(at, "N10", Severity::s3, FixKind::none,
           kind == Kind::unknown
               ? "may be a floating-point atomic: another order of additions, other last bits"
               : "a floating-point atomic: another order of additions, other last bits; not for "
                 "fine-grained memory");
}

bool converts_bits(const SourceFile& file, TokenRange range) {
  for (int64_t i = range.first; i < range.last; ++i) {
    const std::string_view word = text_at(file, i);
    if (word.starts_with("__float_as_") || word.starts_with("__double_as_") ||
        word == "__int_as_float" || word == "__uint_as_float" || word == "__longlong_as_double" ||
        word == "__half_as_ushort") {
      return true;
    }
  }
  return false;
}

/// Pointer to float cast to pointer to int.
bool casts_float_pointer(const SourceFile& file, TokenRange range) {
  const std::string words = spelled(file, range);
  const bool is_cast = contains(words, "* )") || contains(words, "* >");
  if (!is_cast) return false;
  const Declared declared = declaration_of(file, range.first, root_name(file, range));
  return declared.found && is_float_type(declared.type);
}

void look_at_extreme(const Look& look, int64_t at, const std::vector<TokenRange>& arguments) {
  const TokenRange all{arguments.front().first, arguments.back().last};
  const bool by_bits =
      converts_bits(look.file, all) || casts_float_pointer(look.file, arguments[0]);
  const bool direct = kind_of(look.file, arguments[0]) == Kind::floating;
  if (!by_bits && !direct) return;
  look.add(at, "N11", by_bits ? Severity::s3 : Severity::s2, FixKind::library,
           by_bits ? "floats compared by their bits: right for one sign only; HIP's overloads for "
                     "float treat NaN and -0 otherwise"
                   : "CUDA has no such function for floats and HIP has: which is called, and what "
                     "it does with NaN, differs");
}

/// The type that an exchange is of, by casts and declarations of its first argument.
std::string exchanged_type(const SourceFile& file, TokenRange address) {
  std::string words = spelled(file, address);
  const std::string name = root_name(file, address);
  const bool is_cast = contains(words, "* )") || contains(words, "* >");
  if (is_cast || name.empty()) return words;
  return declaration_of(file, address.first, name).type;
}

void look_at_swap(const Look& look, int64_t at, const std::vector<TokenRange>& arguments) {
  const std::string type = exchanged_type(look.file, arguments[0]);
  if (contains(type, "short") || contains(type, "int16") || contains(type, "uint16")) {
    return look.add(at, "N11", Severity::s2, FixKind::library,
                    "a compare and swap of 16 bits: HIP has none; loop on the word that holds it");
  }
  if (contains(type, "int128") || contains(type, "longlong2") || contains(type, "int4")) {
    return look.add(at, "N11", Severity::s2, FixKind::agent,
                    "a compare and swap of 128 bits: AMD has none");
  }
  const TokenRange all{arguments.front().first, arguments.back().last};
  if (!converts_bits(look.file, all)) return;
  look.add(at, "N11", Severity::s3, FixKind::library,
           "a loop of compare and swap on a float: right and slow; HIP has the operation");
}

void look_at_call(const Look& look, int64_t at) {
  const std::string_view name = text_at(look.file, at);
  if (!name.starts_with("atomic")) return;
  const int64_t open = call_open(look.file, at);
  if (open < 0) return;
  const auto arguments = arguments_of(look.file, open);
  if (arguments.size() < 2) return;
  const std::string_view before = text_at(look.file, at - 1);
  const bool declares = is_word_at(look.file, at - 1) && before != "return" && before != "else" &&
                        text_at(look.file, at - 2) != "define";
  if (declares) return;  // a function of the user's with that name
  if (name.starts_with("atomicAdd")) look_at_addition(look, at, arguments);
  if (name.starts_with("atomicMin") || name.starts_with("atomicMax")) {
    look_at_extreme(look, at, arguments);
  }
  if (name.starts_with("atomicCAS")) look_at_swap(look, at, arguments);
}

}  // namespace

void detect_atomics(const SourceView& view, std::vector<Finding>& findings) {
  const HostParameters host = host_parameters(view);
  for (const SourceFile& file : view.files) {
    const Look look{file, host, kernels_of(file), findings};
    for (int64_t i = 0; i < std::ssize(file.tokens); ++i) {
      const Token& token = file.tokens[static_cast<size_t>(i)];
      if (token.kind == TokenKind::word && !token.amd_only) look_at_call(look, i);
    }
  }
}

}  // namespace ambidex
