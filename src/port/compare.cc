// SPDX-License-Identifier: Apache-2.0
#include "port/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace ambidex {
namespace {

// The parameter that says most of a buffer's elements: one that knows its type, first of all one
// that may write.
int64_t telling_parameter(const KernelView& view, const TracedLaunch& launch, int64_t buffer) {
  int64_t best = -1;
  bool best_known = false, best_writes = false;
  for (const TracedPointer& pointer : launch.pointers) {
    if (pointer.buffer != buffer) continue;
    const auto parameter = static_cast<size_t>(pointer.parameter);
    const bool known =
        parameter < view.elements.size() && view.elements[parameter] != Element::bytes;
    if (best < 0 || known > best_known ||
        (known == best_known && !pointer.constant > best_writes)) {
      best = pointer.parameter;
      best_known = known;
      best_writes = !pointer.constant;
    }
  }
  return best;
}

std::span<const std::byte> whole_elements(std::string_view bytes, int64_t stride) {
  const auto span = std::as_bytes(std::span(bytes.data(), bytes.size()));
  return span.first(span.size() / static_cast<size_t>(stride) * static_cast<size_t>(stride));
}

// Elements sorted by their values: what is equal for results that come in any order.
std::string sorted(std::span<const std::byte> bytes, Element element) {
  const auto stride = static_cast<size_t>(element_bytes(element));
  std::vector<std::string_view> elements;
  for (size_t at = 0; at < bytes.size(); at += stride) {
    elements.emplace_back(reinterpret_cast<const char*>(bytes.data()) + at, stride);
  }
  const auto value = [&](std::string_view text) {
    return decode(element, reinterpret_cast<const std::byte*>(text.data()));
  };
  std::sort(elements.begin(), elements.end(), [&](std::string_view a, std::string_view b) {
    const double x = value(a), y = value(b);
    return x == y || std::isnan(x) || std::isnan(y) ? a < b && !(x < y || y < x) : x < y;
  });
  std::string all;
  for (const std::string_view text : elements) all += text;
  return all;
}

Difference wrong(std::string message) {
  Difference difference;
  difference.same_bits = difference.right = false;
  difference.message = std::move(message);
  return difference;
}

Difference right_otherwise() {
  Difference difference;
  difference.same_bits = false;
  return difference;
}

void note(const Judgement& judgement, ErrorClass error_class, Difference& difference) {
  difference.error_class = error_class;
  difference.num_different = judgement.num_different_bits;
  difference.worst = judgement.worst;
}

// What is compared as a buffer's elements, and what may differ in it.
struct Rules {
  Element element = Element::bytes;
  ErrorClass error_class = ErrorClass::exact;
  Element computed = Element::bytes;  // in which arithmetic is done
};

// What is stored smaller has been rounded once, unless the code computes in it.
Element computed_in(const KernelView& view, Element element) {
  const bool small = element_bytes(element) < element_bytes(Element::f32);
  return small && !view.small_arithmetic ? Element::f32 : element;
}

Rules rules_of(const KernelView& view, Element element, const BufferPair& pair) {
  if (!is_float(element)) return {element, ErrorClass::exact, element};
  const bool any_order = std::any_of(pair.orders.begin(), pair.orders.end(),
                                     [&](std::string_view run) { return run != pair.original; });
  const bool sums = any_order && view.error_class == ErrorClass::elementwise;
  return {element, sums ? ErrorClass::reorder : view.error_class, computed_in(view, element)};
}

Judgement judge_bytes(const Rules& rules, std::string_view original, std::string_view other,
                      std::span<const std::string_view> further) {
  const int64_t stride = element_bytes(rules.element);
  Output output{.element = rules.element,
                .original = whole_elements(original, stride),
                .port = whole_elements(other, stride),
                .oracle = {},
                .others = {},
                .error_class = rules.error_class,
                .computed = rules.computed,
                .num_terms = static_cast<int64_t>(original.size()) / stride};
  for (const std::string_view run : further) {
    if (run.size() == original.size()) output.others.push_back(whole_elements(run, stride));
  }
  return judge(output);
}

// In another order the original itself leaves what no rounding explains.
bool contradicts(const Rules& rules, std::string_view original, std::string_view again,
                 std::span<const std::string_view> roundings) {
  constexpr double kFarBeyond = 16;  // of what a port may differ by
  if (again.size() != original.size()) return false;
  return judge_bytes(rules, original, again, roundings).worst_ratio > kFarBeyond;
}

// Of a buffer that the original fills in an order that is nobody's: the same elements, wherever.
Difference compare_unordered(const Rules& rules, const std::string& name, const BufferPair& pair) {
  const int64_t stride = element_bytes(rules.element);
  const auto in_order = [&](std::string_view bytes) {
    return sorted(whole_elements(bytes, stride), rules.element);
  };
  std::vector<std::string> kept;
  for (const std::string_view run : pair.roundings) kept.push_back(in_order(run));
  const std::vector<std::string_view> roundings(kept.begin(), kept.end());
  const std::string original = in_order(pair.original);
  const Judgement judgement = judge_bytes(rules, original, in_order(pair.port), roundings);
  if (judgement.right()) {
    Difference difference = right_otherwise();
    difference.unordered = true;
    note(judgement, rules.error_class, difference);
    return difference;
  }
  Difference difference =
      wrong(fmt::format("{} holds other elements than the original's, whatever their order", name));
  difference.contradicted =
      std::any_of(pair.orders.begin(), pair.orders.end(), [&](std::string_view run) {
        return run.size() == pair.original.size() &&
               !judge_bytes(rules, original, in_order(run), roundings).right();
      });
  if (difference.contradicted) {
    difference.message = fmt::format(
        "what the original itself leaves in {} depends on the order of its threads", name);
  }
  return difference;
}

std::string describe(const std::string& name, Element element, const Judgement& judgement) {
  if (element == Element::bytes) {
    return fmt::format("byte {} of {} is {:#04x}, the original has {:#04x}; {} bytes differ",
                       judgement.first_wrong, name, static_cast<int>(judgement.got),
                       static_cast<int>(judgement.wanted), judgement.num_wrong);
  }
  if (judgement.leans) {
    return fmt::format(
        "{}: {:+.2g} eps of {} is the mean error, all but the same way: another rounding, scale or "
        "constant; {}[{}] is {}, the original has {}",
        name, judgement.mean_error, name_of(element), name, judgement.first_wrong, judgement.got,
        judgement.wanted);
  }
  return fmt::format("{}[{}] is {}, the original has {} (allowed error {:.3g}); {} of {} {} wrong",
                     name, judgement.first_wrong, judgement.got, judgement.wanted,
                     judgement.allowed, judgement.num_wrong, judgement.num_elements,
                     name_of(element));
}

// Of "const float *const *" it is that of a float; bytes of what are no rows of numbers.
Element element_behind(const std::string& type) {
  static const std::map<std::string, Element, std::less<>> kKnown{
      {"__half", Element::f16},
      {"__nv_bfloat16", Element::bf16},
      {"double", Element::f64},
      {"float", Element::f32},
      {"int", Element::i32},
      {"long", Element::i64},
      {"long long", Element::i64},
      {"short", Element::i16},
      {"signed char", Element::i8},
      {"unsigned char", Element::u8},
      {"unsigned int", Element::u32},
      {"unsigned long", Element::u64},
      {"unsigned short", Element::u16},
      {"unsigned long long", Element::u64}};
  std::string name;
  std::string_view rest = type;
  while (!rest.empty()) {
    const size_t end = std::min(rest.find_first_of(" *"), rest.size());
    const std::string_view word = rest.substr(0, end);
    const bool is_plain = !word.empty() && word != "const" && word != "volatile" &&
                          word.find("restrict") == std::string_view::npos;
    if (is_plain) name += fmt::format("{}{}", name.empty() ? "" : " ", word);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  const auto found = kKnown.find(name);
  const bool is_table = std::count(type.begin(), type.end(), '*') == 2;
  return is_table && found != kKnown.end() ? found->second : Element::bytes;
}

// Of a buffer that only addresses in another lead to, by the parameter that the other is behind.
Element element_of_row(const KernelView& view, const TracedLaunch& launch, int64_t buffer) {
  for (size_t i = 0; i < launch.buffers.size(); ++i) {
    const auto& addresses = launch.buffers[i].addresses;
    const bool leads = addresses && std::any_of(addresses->begin(), addresses->end(),
                                                [&](const auto& a) { return a.buffer == buffer; });
    if (!leads) continue;
    const int64_t parameter = telling_parameter(view, launch, static_cast<int64_t>(i));
    if (parameter < 0 || static_cast<size_t>(parameter) >= view.behind.size()) continue;
    return view.behind[static_cast<size_t>(parameter)];
  }
  return Element::bytes;
}

}  // namespace

KernelViews views_of(const nlohmann::json& facts) {
  KernelViews views;
  for (const auto& kernel : facts.at("kernels")) {
    KernelView view;
    for (const auto& parameter : kernel.at("parameters")) {
      view.names.push_back(parameter.at("name"));
      view.behind.push_back(element_behind(parameter.at("type").get<std::string>()));
      view.elements.push_back(element_from_name(parameter.at("element").get<std::string>()));
    }
    for (const auto& parameter : kernel.at("parameters")) {
      view.pointee_bytes.push_back(parameter.value("pointee_bytes", int64_t{0}));
      if (!parameter.contains("padding")) continue;
      Padding& padding = view.paddings.emplace_back();
      padding.stride = parameter.at("pointee_bytes");
      parameter.at("padding").get_to(padding.ranges);
    }
    if (kernel.contains("compared")) kernel.at("compared").get_to(view.compared);
    if (kernel.contains("choices")) kernel.at("choices").get_to(view.choices);
    view.small_arithmetic = kernel.value("small_arithmetic", false);
    if (kernel.at("reorders")) view.error_class = ErrorClass::reorder;
    if (kernel.at("approximates")) view.error_class = ErrorClass::approximate;
    views.emplace(kernel_base_name(kernel.at("name")), std::move(view));
  }
  return views;
}

Element element_of_buffer(const KernelView& view, const TracedLaunch& launch, int64_t buffer) {
  const int64_t parameter = telling_parameter(view, launch, buffer);
  const bool named = parameter >= 0 && static_cast<size_t>(parameter) < view.names.size();
  return named ? view.elements[static_cast<size_t>(parameter)]
               : element_of_row(view, launch, buffer);
}

std::string name_of_buffer(const KernelView& view, const TracedLaunch& launch, int64_t buffer) {
  const int64_t parameter = telling_parameter(view, launch, buffer);
  const bool named = parameter >= 0 && static_cast<size_t>(parameter) < view.names.size();
  return named ? view.names[static_cast<size_t>(parameter)]
               : launch.buffers[static_cast<size_t>(buffer)].name;
}

namespace {

// The port's bytes with the original's where structures hold nothing.
std::string without_padding(const Padding& padding, int64_t first, const BufferPair& pair) {
  std::string bytes(pair.port);
  const auto size = static_cast<int64_t>(bytes.size());
  for (int64_t at = first % padding.stride; at < size; at += padding.stride) {
    for (const auto& [begin, end] : padding.ranges) {
      for (int64_t i = at + begin; i < std::min(size, at + end); ++i) {
        bytes[static_cast<size_t>(i)] = pair.original[static_cast<size_t>(i)];
      }
    }
  }
  return bytes;
}

// With 0 where structures hold nothing.
std::string cleared(const Padding& padding, std::string_view contents) {
  std::string bytes(contents);
  const auto size = static_cast<int64_t>(bytes.size());
  for (int64_t at = 0; at < size; at += padding.stride) {
    for (const auto& [begin, end] : padding.ranges) {
      for (int64_t i = at + begin; i < std::min(size, at + end); ++i) {
        bytes[static_cast<size_t>(i)] = 0;
      }
    }
  }
  return bytes;
}

// In some order the original leaves other things than rounding would.
bool is_unordered(const Rules& rules, const BufferPair& pair) {
  return std::any_of(pair.orders.begin(), pair.orders.end(), [&](std::string_view run) {
    return contradicts(rules, pair.original, run, pair.roundings);
  });
}

}  // namespace

Difference compare_buffer(const KernelView& view, const BufferPair& given) {
  if (given.original == given.port) return {};
  BufferPair pair = given;
  std::string kept;
  for (const TracedPointer& pointer : pair.launch->pointers) {
    const auto index = static_cast<size_t>(pointer.parameter);
    if (pointer.buffer != pair.buffer || index >= view.paddings.size()) continue;
    const Padding& padding = view.paddings[index];
    if (padding.ranges.empty() || pair.original.size() != pair.port.size()) continue;
    kept = without_padding(padding, pointer.offset, pair);
    pair.port = kept;
    if (pair.original == pair.port) return right_otherwise();
    break;
  }
  const std::string name = name_of_buffer(view, *pair.launch, pair.buffer);
  const Element element = element_of_buffer(view, *pair.launch, pair.buffer);
  if (pair.original.size() != pair.port.size()) {
    return wrong(fmt::format("{} has {} bytes, the original's has {}", name, pair.port.size(),
                             pair.original.size()));
  }
  const Rules rules = rules_of(view, element, pair);
  if (is_unordered(rules, pair)) return compare_unordered(rules, name, pair);
  std::vector<std::string_view> further = pair.orders;
  further.insert(further.end(), pair.roundings.begin(), pair.roundings.end());
  const Judgement judgement = judge_bytes(rules, pair.original, pair.port, further);
  if (judgement.right()) {
    Difference difference = right_otherwise();
    note(judgement, rules.error_class, difference);
    return difference;
  }
  Difference difference = wrong(describe(name, element, judgement));
  const int64_t stride = element_bytes(element);
  difference.first = {.name = name,
                      .buffer = pair.buffer,
                      .index = judgement.first_wrong,
                      .offset = judgement.first_wrong * stride,
                      .num_bytes = stride,
                      .expected = judgement.wanted,
                      .actual = judgement.got};
  return difference;
}

std::optional<UnorderedBuffer> unordered_buffer(const KernelView& view, const BufferPair& pair,
                                                std::vector<std::string>& kept) {
  const Element element = element_of_buffer(view, *pair.launch, pair.buffer);
  const Rules rules = rules_of(view, element, pair);
  if (pair.original.size() != pair.port.size() || !is_unordered(rules, pair)) return std::nullopt;
  const int64_t parameter = telling_parameter(view, *pair.launch, pair.buffer);
  const auto index = static_cast<size_t>(std::max<int64_t>(parameter, 0));
  const int64_t stride = element_bytes(element);
  UnorderedBuffer rows{.name = name_of_buffer(view, *pair.launch, pair.buffer),
                       .element = element,
                       .error_class = rules.error_class,
                       .row_bytes = stride,
                       .original = {},
                       .port = {},
                       .orders = {}};
  if (parameter >= 0 && index < view.pointee_bytes.size() &&
      view.pointee_bytes[index] % stride == 0) {
    rows.row_bytes = std::max(stride, view.pointee_bytes[index]);
  }
  const auto size = static_cast<int64_t>(pair.original.size()) / rows.row_bytes * rows.row_bytes;
  const Padding* const padding =
      parameter >= 0 && index < view.paddings.size() && !view.paddings[index].ranges.empty()
          ? &view.paddings[index]
          : nullptr;
  const auto contents = [&](std::string_view run) {
    run = run.substr(0, static_cast<size_t>(size));
    if (padding == nullptr) return run;
    kept.push_back(cleared(*padding, run));
    return std::string_view(kept.back());
  };
  kept.reserve(kept.size() + pair.orders.size() + 2);  // views of short strings stay valid
  rows.original = contents(pair.original);
  rows.port = contents(pair.port);
  for (const std::string_view run : pair.orders) rows.orders.push_back(contents(run));
  return rows;
}

}  // namespace ambidex
