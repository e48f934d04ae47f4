// SPDX-License-Identifier: Apache-2.0
// R01, R03, R04, R05, R06, R13: sizes of launches, and what kernels say of them.
#include <fmt/format.h>

#include <map>

#include "frontend/detector.h"
#include "frontend/launch_facts.h"

namespace ambidex {
namespace {

constexpr int64_t kLdsBytes = 65536;  // gfx942; 163,840 on gfx950
constexpr int64_t kMaxWorkItems = int64_t{1} << 32;
constexpr int64_t kMaxThreads = 1024;
constexpr int64_t kMaxBlocksYZ = 65535;

struct Kernels {
  std::map<std::string, int64_t> bound;         // by name, constant ones
  std::map<std::string, int64_t> static_bytes;  // of shared arrays
};

Kernels kernels_in(const SourceView& view) {
  Kernels kernels;
  for (const SourceFile& file : view.files) {
    const std::vector<SharedArray> arrays = shared_arrays_of(view, file);
    for (const KernelHead& kernel : kernels_of(file)) {
      const std::string name(text_at(file, kernel.name));
      for (const SharedArray& array : arrays) {
        const bool inside = kernel.body.first <= array.at && array.at < kernel.body.last;
        if (inside) kernels.static_bytes[name] += array.bytes;
      }
      if (kernel.bounds.first >= kernel.bounds.last) continue;
      const auto arguments = arguments_of(file, kernel.bounds.first - 1);
      const auto bound = constant_in(view, file, arguments.front());
      if (bound) kernels.bound[name] = *bound;
    }
  }
  return kernels;
}

void look_at_shared_arrays(const FileLook& look) {
  std::map<int64_t, int64_t> total;  // by the kernel's body, 0 outside of kernels
  const std::vector<KernelHead> kernels = kernels_of(look.file);
  for (const SharedArray& array : shared_arrays_of(look.view, look.file)) {
    int64_t body = 0;
    for (const KernelHead& kernel : kernels) {
      if (kernel.body.first <= array.at && array.at < kernel.body.last) body = kernel.body.first;
    }
    const int64_t before = body == 0 ? 0 : total[body];
    total[body] = before + array.bytes;
    if (before + array.bytes <= kLdsBytes || before > kLdsBytes) continue;
    look.add(array.at, "R01", Severity::s2, FixKind::agent,
             fmt::format("{} bytes of static shared memory; the limit is 65,536 on gfx942 and "
                         "163,840 on gfx950: does not compile; use smaller tiles",
                         before + array.bytes));
  }
}

void look_at_dynamic_bytes(const FileLook& look, const Kernels& kernels, const Launch& launch) {
  if (launch.config.size() < 3) return;
  const auto bytes = constant_in(look.view, look.file, launch.config[2]);
  if (!bytes) return;
  const auto found = kernels.static_bytes.find(launch.kernel);
  const int64_t fixed = found == kernels.static_bytes.end() ? 0 : found->second;
  if (*bytes + fixed <= kLdsBytes) return;
  look.add(launch.at, "R01", Severity::s0, FixKind::agent,
           fmt::format("{} bytes of dynamic and {} of static shared memory; gfx942 has 65,536: the "
                       "launch fails, or is dropped silently; use smaller tiles",
                       *bytes, fixed));
}

/// Values of the opt-in, `cudaFuncSetAttribute(k, ...MaxDynamicSharedMemorySize, bytes)`, and of
/// `config.dynamicSmemBytes = bytes`.
void look_at_requests(const FileLook& look) {
  for (int64_t i = 0; i < std::ssize(look.file.tokens); ++i) {
    const std::string_view name = text_at(look.file, i);
    std::optional<int64_t> bytes;
    if (name == "cudaFuncSetAttribute" && call_open(look.file, i) >= 0) {
      const auto arguments = arguments_of(look.file, call_open(look.file, i));
      if (arguments.size() != 3) continue;
      const std::string which = spelled(look.file, arguments[1]);
      if (which.find("MaxDynamicSharedMemorySize") == std::string::npos) continue;
      bytes = constant_in(look.view, look.file, arguments[2]);
    } else if (name == "dynamicSmemBytes" && text_at(look.file, i + 1) == "=") {
      const TokenRange statement = statement_around(look.file, i);
      bytes = constant_in(look.view, look.file, {i + 2, statement.last});
    }
    if (!bytes || *bytes <= kLdsBytes) continue;
    look.add(i, "R01", name == "dynamicSmemBytes" ? Severity::s0 : Severity::s1, FixKind::agent,
             fmt::format("{} bytes of shared memory; gfx942 has 65,536: fails at run time; use "
                         "smaller tiles",
                         *bytes));
  }
}

void look_at_bounds(const FileLook& look) {
  for (int64_t i = 0; i < std::ssize(look.file.tokens); ++i) {
    if (text_at(look.file, i) != "__launch_bounds__" || text_at(look.file, i + 1) != "(") continue;
    const size_t count = arguments_of(look.file, i + 1).size();
    if (count >= 2) {
      look.add(i, "R03", Severity::s3, FixKind::rule,
               "the second argument means waves for each execution unit on AMD; write "
               "ceil(blocks * threads / 256)");
    }
    if (count >= 3) {
      look.add(i, "R04", Severity::s2, FixKind::rule,
               "HIP has no third argument (blocks of a cluster): does not compile");
    }
  }
}

void look_at_kernels(const FileLook& look, const std::vector<Launch>& launches) {
  for (const KernelHead& kernel : kernels_of(look.file)) {
    if (kernel.has_bounds || kernel.body.first == 0) continue;
    const std::string_view name = text_at(look.file, kernel.name);
    std::optional<int64_t> threads;
    for (const Launch& launch : launches) {
      if (launch.kernel != name || launch.config.size() < 2) continue;
      const auto volume =
          constant_volume(look.view, look.file, dimensions_of(look.file, launch.config[1]));
      if (volume) threads = std::max(threads.value_or(0), *volume);
    }
    look.add(kernel.at, "R04", Severity::s3, FixKind::rule,
             threads
                 ? fmt::format("kernel {} has no launch bounds and is launched with {} threads; "
                               "without a bound of {} it gets 128 vector registers",
                               name, *threads, *threads)
                 : fmt::format("kernel {} has no launch bounds: it must allow 1024 threads and "
                               "gets 128 vector registers",
                               name));
  }
}

void look_at_work_items(const FileLook& look, const Launch& launch) {
  const auto grid = dimensions_of(look.file, launch.config[0]);
  const auto block = dimensions_of(look.file, launch.config[1]);
  const auto threads = constant_volume(look.view, look.file, block);
  const auto x = constant_in(look.view, look.file, grid[0]);
  if (x && threads && *x > kMaxWorkItems / *threads) {
    look.add(launch.at, "R05", Severity::s0, FixKind::rule_if_proved,
             "more than 2^32 work items: the packet's field is cut silently");
    return;
  }
  const CountFacts count = count_facts(look.view, look.file, grid[0]);
  if (count.constant || count.capped) return;
  if (count.wide) {
    look.add(launch.at, "R05", Severity::s0, FixKind::rule_if_proved,
             "a grid made from a 64-bit count without a cap: above 2^32 work items the packet's "
             "field is cut silently; cap it if the kernel strides over the grid");
  } else if (count.divisor > 1 && threads && *threads / count.divisor > 2) {
    look.add(launch.at, "R05", Severity::s1, FixKind::rule_if_proved,
             fmt::format("{} threads for each {} elements and no cap: more than 2^32 work items "
                         "from {} elements on",
                         *threads, count.divisor, kMaxWorkItems / *threads * count.divisor));
  }
}

void look_at_limits(const FileLook& look, const Kernels& kernels, const Launch& launch) {
  const auto grid = dimensions_of(look.file, launch.config[0]);
  const auto block = dimensions_of(look.file, launch.config[1]);
  for (size_t i = 1; i < 3; ++i) {
    if (grid[i].first >= grid[i].last) continue;
    const auto blocks = constant_in(look.view, look.file, grid[i]);
    const CountFacts count = count_facts(look.view, look.file, grid[i]);
    if ((blocks && *blocks > kMaxBlocksYZ) || (!blocks && count.wide && !count.capped)) {
      look.add(launch.at, "R06", Severity::s1, FixKind::rule,
               fmt::format("grid.{} may pass 65,535 blocks; limits differ by runtime; loop over it",
                           i == 1 ? 'y' : 'z'));
    }
  }
  const auto threads = constant_volume(look.view, look.file, block);
  if (!threads) return;
  const auto bound = kernels.bound.find(launch.kernel);
  const auto z = constant_in(look.view, look.file, block[2]);
  if (*threads > kMaxThreads || (z && *z > 64)) {
    look.add(launch.at, "R06", Severity::s1, FixKind::rule,
             fmt::format("a block of {} threads is above the limits; the launch fails", *threads));
  } else if (bound != kernels.bound.end() && *threads > bound->second) {
    look.add(launch.at, "R06", Severity::s1, FixKind::rule,
             fmt::format("{} threads, and the kernel's launch bound is {}: the launch fails",
                         *threads, bound->second));
  }
}

void look_at_macros(const FileLook& look, const Launch& launch) {
  if (!look.file.tokens[static_cast<size_t>(launch.at)].directive) return;
  look.add(
      launch.at, "R13", Severity::s2, FixKind::rule,
      "a launch inside a macro: tools that rewrite <<<>>> skip or break it; keep it, HIP takes "
      "it as it is");
}

}  // namespace

void detect_launch(const SourceView& view, std::vector<Finding>& findings) {
  const Kernels kernels = kernels_in(view);
  for (const SourceFile& file : view.files) {
    const FileLook look{view, file, findings};
    const std::vector<Launch> launches = all_launches_of(file);
    look_at_shared_arrays(look);
    look_at_requests(look);
    look_at_bounds(look);
    look_at_kernels(look, launches);
    for (const Launch& launch : launches) {
      look_at_dynamic_bytes(look, kernels, launch);
      look_at_macros(look, launch);
      if (launch.config.size() < 2) continue;
      look_at_work_items(look, launch);
      look_at_limits(look, kernels, launch);
    }
  }
}

}  // namespace ambidex
