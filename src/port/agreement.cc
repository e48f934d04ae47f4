// SPDX-License-Identifier: Apache-2.0
#include "port/agreement.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "port/verification.h"

namespace ambidex {
namespace {

// What the further runs say of one buffer; runs with other buffers say nothing.
void add_further(const FurtherRuns& further, size_t buffer, BufferPair& pair) {
  for (const BufferViews& run : further.orders) {
    if (buffer < run.size()) pair.orders.push_back(run[buffer]);
  }
  for (const BufferViews& run : further.roundings) {
    if (buffer < run.size()) pair.roundings.push_back(run[buffer]);
  }
}

BufferPair pair_of(const TracedLaunch& launch, const BufferViews& original, const BufferViews& port,
                   size_t buffer) {
  return {.launch = &launch,
          .buffer = static_cast<int64_t>(buffer),
          .original = original[buffer],
          .port = port[buffer],
          .orders = {},
          .roundings = {}};
}

// Buffers whose order is nobody's, those with the same bits among them: by what stands together.
void compare_unordered(const KernelView& view, const TracedLaunch& launch,
                       const BufferViews& original, const BufferViews& port,
                       const FurtherRuns& runs, Agreement& agreement) {
  std::vector<UnorderedBuffer> buffers;
  std::vector<std::vector<std::string>> kept(original.size());
  for (size_t b = 0; b < original.size(); ++b) {
    BufferPair pair = pair_of(launch, original, port, b);
    add_further(runs, b, pair);
    if (auto rows = unordered_buffer(view, pair, kept[b])) buffers.push_back(std::move(*rows));
  }
  RowsAgreement rows = compare_rows(buffers);
  agreement.difference = std::move(rows.difference);
  agreement.unbound = std::move(rows.unbound);
}

// A variable that the second launch's module has and the first one's has not.
std::string other_variable(const TracedLaunch& first, const TracedLaunch& second) {
  for (const TracedBuffer& buffer : second.buffers) {
    if (buffer.variable.empty()) continue;
    const bool known = std::any_of(first.buffers.begin(), first.buffers.end(),
                                   [&](const auto& b) { return b.variable == buffer.variable; });
    if (!known) return buffer.variable;
  }
  return "";
}

// What a run leaves, with `before` where an element holds nothing but a filling of fresh memory.
std::string without_poison(Element element, std::string_view before, std::string_view after) {
  std::string kept(after);
  const auto stride = static_cast<size_t>(element_bytes(element));
  if (before.size() != after.size()) return kept;
  for (size_t at = 0; at + stride <= kept.size(); at += stride) {
    for (const int poison : kPoisons) {
      const auto is_poison = [&](char byte) { return byte == static_cast<char>(poison); };
      const std::string_view bytes = after.substr(at, stride);
      if (std::all_of(bytes.begin(), bytes.end(), is_poison)) {
        kept.replace(at, stride, before.substr(at, stride));
      }
    }
  }
  return kept;
}

// What one case shows of a buffer that the original changes.
void add_seen(const KernelView& view, const BufferPair& pair, const Difference& difference,
              std::vector<OutputSeen>& outputs) {
  const auto& before = pair.launch->buffers[static_cast<size_t>(pair.buffer)].before;
  if (before == pair.original) return;
  const Element element = element_of_buffer(view, *pair.launch, pair.buffer);
  const std::string after = without_poison(element, before, pair.original);
  if (before == after) return;
  add_output(outputs,
             {.name = name_of_buffer(view, *pair.launch, pair.buffer),
              .element = element,
              .error_class = is_float(element) ? std::max(view.error_class, difference.error_class)
                                               : ErrorClass::exact,
              .num_different = difference.num_different,
              .has_number = is_float(element) && has_new_number(element, before, after),
              .worst = difference.worst});
}

}  // namespace

Agreement compare_buffers(const KernelView& view, const TracedLaunch& launch,
                          const BufferViews& original, const BufferViews& port,
                          const std::function<FurtherRuns()>& further) {
  Agreement agreement;
  std::optional<FurtherRuns> runs;
  bool unordered = false;
  for (size_t b = 0; b < original.size(); ++b) {
    BufferPair pair = pair_of(launch, original, port, b);
    if (pair.original == pair.port) {
      add_seen(view, pair, {}, agreement.outputs);
      continue;
    }
    agreement.same_bits = false;
    if (!runs) runs = further();
    add_further(*runs, b, pair);
    const Difference difference = compare_buffer(view, pair);
    add_seen(view, pair, difference, agreement.outputs);
    if (difference.contradicted) {
      agreement.contradicted = difference.message;
      continue;
    }
    unordered = unordered || difference.unordered;
    if (difference.right) continue;
    agreement.difference = difference.message;
    agreement.first = difference.first;
    return agreement;
  }
  if (unordered && agreement.contradicted.empty()) {
    compare_unordered(view, launch, original, port, *runs, agreement);
  }
  return agreement;
}

BufferViews after(const TracedLaunch& launch) {
  BufferViews contents;
  for (const TracedBuffer& buffer : launch.buffers) contents.emplace_back(buffer.after);
  return contents;
}

std::string launch_difference(const TracedLaunch& original, const TracedLaunch& port) {
  if (kernel_stem(original.kernel) != kernel_stem(port.kernel)) {
    return fmt::format("is of {}, the original's is of {}", port.kernel, original.kernel);
  }
  if (original.grid != port.grid || original.block != port.block) {
    return fmt::format("has {} blocks of {} threads, the original's has {} of {}",
                       fmt::join(port.grid, "x"), fmt::join(port.block, "x"),
                       fmt::join(original.grid, "x"), fmt::join(original.block, "x"));
  }
  if (const std::string extra = other_variable(original, port); !extra.empty()) {
    return fmt::format(
        "runs beside a device variable {} that the original has not; results are "
        "compared with the same variables only: take it out",
        quote(extra));
  }
  if (const std::string missing = other_variable(port, original); !missing.empty()) {
    return fmt::format("runs without the original's device variable {}", quote(missing));
  }
  if (original.arguments.size() != port.arguments.size()) {
    return fmt::format("has {} parameters, the original's has {}", port.arguments.size(),
                       original.arguments.size());
  }
  if (original.buffers.size() != port.buffers.size()) {
    return fmt::format("is given {} buffers, the original's {}", port.buffers.size(),
                       original.buffers.size());
  }
  return "";
}

}  // namespace ambidex
