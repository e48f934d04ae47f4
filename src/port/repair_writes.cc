// SPDX-License-Identifier: Apache-2.0
#include "port/repair_writes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

namespace ambidex::repair {
namespace {

constexpr int kMaxLaunchesPerKernel = 2;
constexpr int kNumOrders = 3;  // of the original's blocks and waves

using Ranges = std::vector<ByteRange>;  // in order, apart

// Bytes that are in both.
Ranges common(const Ranges& a, const Ranges& b) {
  Ranges both;
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const ByteRange part{std::max(a[i].begin, b[j].begin), std::min(a[i].end, b[j].end)};
    if (part.begin < part.end) both.push_back(part);
    ++(a[i].end < b[j].end ? i : j);
  }
  return both;
}

// The first byte of `wanted` that is not in `got`.
std::optional<int64_t> first_missing(const Ranges& wanted, const Ranges& got) {
  size_t j = 0;
  for (const ByteRange& range : wanted) {
    for (int64_t at = range.begin; at < range.end;) {
      while (j < got.size() && got[j].end <= at) ++j;
      if (j == got.size() || got[j].begin > at) return at;
      at = got[j].end;
    }
  }
  return std::nullopt;
}

// What the original writes whatever the order, of each buffer; none if it is not clean.
std::vector<Ranges> always_written(const TracedLaunch& launch, RunManner how) {
  std::vector<Ranges> always;
  for (int seed = 0; seed < kNumOrders; ++seed) {
    how.seed = static_cast<uint64_t>(seed);
    const Replayed run = replay(launch, launch.symbol, how);
    if (run.status != "ended" || !run.problems.empty()) return {};
    if (always.empty()) always = run.written;
    for (size_t i = 0; i < always.size(); ++i) always[i] = common(always[i], run.written[i]);
  }
  return always;
}

std::string unwritten_by(const TracedLaunch& launch, const std::string& symbol,
                         const WriteRequest& request) {
  const std::vector<Ranges> wanted = always_written(launch, request.original);
  const Replayed port = replay(launch, symbol, request.port);
  for (size_t i = 0; i < wanted.size() && i < port.written.size(); ++i) {
    const auto missing = first_missing(wanted[i], port.written[i]);
    if (!missing) continue;
    return fmt::format("byte {} of {} is not written, as the original does", *missing,
                       launch.buffers[i].name);
  }
  return "";
}

}  // namespace

std::string unwritten_in(const WriteRequest& request) {
  const Trace original = run_program(request.original);
  std::map<std::string, std::string> symbols;
  for (const TracedLaunch& launch : run_program(request.port).launches) {
    symbols.try_emplace(kernel_base_name(launch.kernel), launch.symbol);
  }
  std::map<std::string, int> num_launches;
  for (const TracedLaunch& launch : original.launches) {
    const std::string kernel = kernel_base_name(launch.kernel);
    const auto symbol = symbols.find(kernel);
    if (!request.kernels.contains(kernel) || symbol == symbols.end() ||
        ++num_launches[kernel] > kMaxLaunchesPerKernel) {
      continue;
    }
    if (std::string fault = unwritten_by(launch, symbol->second, request); !fault.empty()) {
      return fmt::format("{}: {}", kernel, fault);
    }
  }
  return "";
}

}  // namespace ambidex::repair
