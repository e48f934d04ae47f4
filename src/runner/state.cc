// SPDX-License-Identifier: Apache-2.0
#include "runner/state.h"

#include <unistd.h>

#include <algorithm>

#include "ambidex/base.h"

namespace ambidex::runner {
namespace {

Runtime* the_runtime = nullptr;

}  // namespace

Runtime& runtime() {
  check(the_runtime != nullptr, "the runtime is set before loaded code runs");
  return *the_runtime;
}

void set_runtime(Runtime* state) { the_runtime = state; }

double seconds_since_start() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - runtime().start).count();
}

double seconds_left() {
  return std::max(0.005, runtime().request.limits.max_seconds - seconds_since_start());
}

nlohmann::json Blobs::append(const void* bytes, int64_t count) {
  const nlohmann::json place = {{"at", num_bytes}, {"bytes", count}};
  const auto* from = static_cast<const char*>(bytes);
  int64_t left = count;
  while (left > 0) {
    const ssize_t taken = ::write(descriptor, from, static_cast<size_t>(left));
    if (taken <= 0) {
      throw Error(ErrorKind::bad_input,
                  "contents of buffers do not fit; record hashes, or allow more bytes");
    }
    from += taken;
    left -= taken;
  }
  num_bytes += count;
  return place;
}

Where where_is(const Runtime& state, const void* begin, size_t num_bytes) {
  const auto place = state.memory->find(begin);
  if (!place) return {};
  const auto offset = static_cast<const char*>(begin) - static_cast<const char*>(place->begin);
  Where where{MemoryKind::device, offset + static_cast<int64_t>(num_bytes) <= place->num_bytes,
              true};
  const auto given = state.allocations.find(reinterpret_cast<uintptr_t>(place->begin));
  if (given != state.allocations.end()) where.kind = given->second.kind;
  if (state.managed_variables.contains(place->begin)) where.kind = MemoryKind::managed;
  return where;
}

void note_order(Runtime& state, std::string what) {
  constexpr size_t kMost = 4096;
  if (state.host_order.size() < kMost) state.host_order.push_back(std::move(what));
}

void add_refusal(Runtime& state, const std::string& kernel, const std::string& message) {
  state.problems.push_back({{"kind", "refused"},
                            {"kernel", kernel},
                            {"launch", state.num_launches},
                            {"block", {0, 0, 0}},
                            {"thread", {0, 0, 0}},
                            {"program_counter", 0},
                            {"other_program_counter", 0},
                            {"message", message}});
}

void add_variables(Runtime& state) {
  for (const Variable& variable : state.module.variables) {
    if (variable.num_bytes == 0) continue;
    if (variable.managed) state.managed_variables.insert(variable.address);
    state.memory->add(variable.address, variable.num_bytes,
                      {.name = variable.name,
                       .element_bytes = 1,
                       .initialised = true,
                       .writable = !variable.constant});
  }
}

}  // namespace ambidex::runner
