// SPDX-License-Identifier: Apache-2.0
#include "port/compare.h"

#include <fmt/format.h>

#include <algorithm>
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

// Elements sorted by their bytes: what is equal for results that come in any order.
std::string sorted(std::span<const std::byte> bytes, int64_t stride) {
  std::vector<std::string> elements;
  for (size_t at = 0; at < bytes.size(); at += static_cast<size_t>(stride)) {
    elements.emplace_back(reinterpret_cast<const char*>(bytes.data()) + at,
                          static_cast<size_t>(stride));
  }
  std::sort(elements.begin(), elements.end());
  std::string all;
  for (const std::string& element : elements) all += element;
  return all;
}

Difference wrong(std::string message) {
  return {.same_bits = false, .right = false, .message = std::move(message), .first = {}};
}

Difference compare_unordered(const std::string& name, Element element, const BufferPair& pair) {
  const int64_t stride = element_bytes(element);
  const std::string a = sorted(whole_elements(pair.original, stride), stride);
  const std::string b = sorted(whole_elements(pair.port, stride), stride);
  if (a == b) return {.same_bits = false, .right = true, .message = {}, .first = {}};
  return wrong(
      fmt::format("{} holds other elements than the original's, whatever their order", name));
}

Output output_of(const KernelView& view, Element element, const BufferPair& pair) {
  const int64_t stride = element_bytes(element);
  ErrorClass error_class = is_float(element) ? view.error_class : ErrorClass::exact;
  if (pair.order_dependent && error_class == ErrorClass::elementwise) {
    error_class = ErrorClass::reorder;
  }
  Output output{.element = element,
                .original = whole_elements(pair.original, stride),
                .port = whole_elements(pair.port, stride),
                .oracle = {},
                .others = {},
                .error_class = error_class,
                .num_terms = static_cast<int64_t>(pair.original.size()) / stride};
  for (const std::string_view other : pair.others) {
    if (other.size() == pair.original.size()) {
      output.others.push_back(whole_elements(other, stride));
    }
  }
  return output;
}

std::string describe(const std::string& name, Element element, const Judgement& judgement) {
  if (element == Element::bytes) {
    return fmt::format("byte {} of {} is {:#04x}, the original has {:#04x}; {} bytes differ",
                       judgement.first_wrong, name, static_cast<int>(judgement.got),
                       static_cast<int>(judgement.wanted), judgement.num_wrong);
  }
  return fmt::format("{}[{}] is {}, the original has {} (allowed error {:.3g}); {} of {} {} wrong",
                     name, judgement.first_wrong, judgement.got, judgement.wanted,
                     judgement.allowed, judgement.num_wrong, judgement.num_elements,
                     name_of(element));
}

}  // namespace

KernelViews views_of(const nlohmann::json& facts) {
  KernelViews views;
  for (const auto& kernel : facts.at("kernels")) {
    KernelView view;
    for (const auto& parameter : kernel.at("parameters")) {
      view.names.push_back(parameter.at("name"));
      view.elements.push_back(element_from_name(parameter.at("element").get<std::string>()));
    }
    if (kernel.at("reorders")) view.error_class = ErrorClass::reorder;
    if (kernel.at("approximates")) view.error_class = ErrorClass::approximate;
    views.emplace(kernel_base_name(kernel.at("name")), std::move(view));
  }
  return views;
}

Element element_of_buffer(const KernelView& view, const TracedLaunch& launch, int64_t buffer) {
  const int64_t parameter = telling_parameter(view, launch, buffer);
  const bool named = parameter >= 0 && static_cast<size_t>(parameter) < view.names.size();
  return named ? view.elements[static_cast<size_t>(parameter)] : Element::bytes;
}

Difference compare_buffer(const KernelView& view, const BufferPair& pair) {
  if (pair.original == pair.port) return {};
  const int64_t parameter = telling_parameter(view, *pair.launch, pair.buffer);
  const bool named = parameter >= 0 && static_cast<size_t>(parameter) < view.names.size();
  const std::string name = named ? view.names[static_cast<size_t>(parameter)]
                                 : pair.launch->buffers[static_cast<size_t>(pair.buffer)].name;
  const Element element = named ? view.elements[static_cast<size_t>(parameter)] : Element::bytes;
  if (pair.original.size() != pair.port.size()) {
    return wrong(fmt::format("{} has {} bytes, the original's has {}", name, pair.port.size(),
                             pair.original.size()));
  }
  if (pair.order_dependent && !is_float(element)) return compare_unordered(name, element, pair);
  const Output output = output_of(view, element, pair);
  const Judgement judgement = judge(output);
  if (judgement.right()) return {.same_bits = false, .right = true, .message = {}, .first = {}};
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

}  // namespace ambidex
