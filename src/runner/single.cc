// SPDX-License-Identifier: Apache-2.0
#include "runner/single.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "ambidex/base.h"
#include "runner/addresses.h"

namespace ambidex::runner {
namespace {

// Storage of a variable, which then has the contents that are given.
void* variable_of(Runtime& state, const Buffer& buffer) {
  for (const Variable& variable : state.module.variables) {
    if (variable.name != buffer.variable || variable.file < 0) continue;
    if (variable.num_bytes != buffer.num_bytes) {
      throw Error(ErrorKind::bad_input,
                  fmt::format("variable {} has {} bytes, got {}", buffer.variable,
                              variable.num_bytes, buffer.num_bytes));
    }
    std::memcpy(variable.address, buffer.contents.data(), buffer.contents.size());
    return variable.address;
  }
  throw Error(ErrorKind::not_found, fmt::format("the module has no variable {}", buffer.variable));
}

void* lay_out(Runtime& state, const Buffer& buffer) {
  if (!buffer.variable.empty()) return variable_of(state, buffer);
  void* begin = state.memory->allocate(
      buffer.num_bytes, {.name = buffer.name, .element_bytes = buffer.element_bytes});
  const auto given = static_cast<int64_t>(buffer.contents.size());
  std::memcpy(begin, buffer.contents.data(), buffer.contents.size());
  std::memset(static_cast<char*>(begin) + given, buffer.poison,
              static_cast<size_t>(buffer.num_bytes - given));
  state.memory->set_initialised(begin, buffer.initialised ? buffer.num_bytes : given, true);
  for (const auto& [first, last] : buffer.unwritten) {
    state.memory->set_initialised(static_cast<char*>(begin) + first, last - first, false);
  }
  return begin;
}

std::string value_of(const Argument& argument, const std::vector<void*>& buffers) {
  std::string value = argument.bytes;
  for (const PointerArgument& pointer : argument.pointers) {
    const char* address =
        static_cast<char*>(buffers[static_cast<size_t>(pointer.buffer)]) + pointer.offset;
    std::memcpy(value.data() + pointer.at, &address, sizeof address);
  }
  return value;
}

// Where each buffer lies is known once all are laid out.
void set_addresses(const std::vector<Buffer>& asked, const std::vector<void*>& buffers) {
  for (size_t i = 0; i < asked.size(); ++i) {
    for (const PointerArgument& pointer : asked[i].addresses) {
      if (static_cast<size_t>(pointer.buffer) >= buffers.size()) {
        throw Error(ErrorKind::bad_input,
                    fmt::format("addresses of buffer {}: there is no buffer {}, only {}", i,
                                pointer.buffer, buffers.size()));
      }
      const char* address =
          static_cast<char*>(buffers[static_cast<size_t>(pointer.buffer)]) + pointer.offset;
      std::memcpy(static_cast<char*>(buffers[i]) + pointer.at, &address, sizeof address);
    }
  }
}

void check_arguments(const Kernel& kernel, const std::vector<Argument>& arguments) {
  if (arguments.size() != kernel.parameters.size()) {
    throw Error(ErrorKind::bad_input, fmt::format("{} takes {} arguments, got {}", kernel.name,
                                                  kernel.parameters.size(), arguments.size()));
  }
  for (size_t i = 0; i < arguments.size(); ++i) {
    const auto given = static_cast<int64_t>(arguments[i].bytes.size());
    if (given == kernel.parameters[i].num_bytes) continue;
    throw Error(ErrorKind::bad_input, fmt::format("argument {} ({}) of {} has {} bytes, got {}", i,
                                                  kernel.parameters[i].name, kernel.name,
                                                  kernel.parameters[i].num_bytes, given));
  }
}

// Ranges of bytes that differ from before.
nlohmann::json changed(const char* now, const std::string& before) {
  nlohmann::json ranges = nlohmann::json::array();
  size_t begin = 0;
  while (begin < before.size()) {
    if (now[begin] == before[begin]) {
      ++begin;
      continue;
    }
    size_t end = begin + 1;
    while (end < before.size() && now[end] != before[end]) ++end;
    ranges.push_back({begin, end});
    begin = end;
  }
  return ranges;
}

int64_t index_of(const std::vector<void*>& buffers, const void* begin) {
  const auto found = std::find(buffers.begin(), buffers.end(), begin);
  return found == buffers.end() ? -1 : found - buffers.begin();
}

KernelCall call_of(const Runtime& state, const SingleLaunch& single, void** arguments) {
  const LaunchRequest& asked = state.request.launch;
  KernelCall call{.kernel = single.kernel, .launch = {}, .arguments = arguments, .watch = {}};
  call.launch.grid = asked.grid;
  call.launch.block = asked.block;
  call.launch.dynamic_shared_bytes = asked.dynamic_shared_bytes;
  call.launch.cooperative = asked.cooperative;
  if (asked.watch.buffer >= 0) {
    call.watch.begin =
        static_cast<const char*>(single.buffers[static_cast<size_t>(asked.watch.buffer)]) +
        asked.watch.offset;
    call.watch.num_bytes = asked.watch.num_bytes;
  }
  return call;
}

std::string_view refusal(Status status) {
  switch (status) {
    case kInvalidConfiguration:
      return "invalid configuration: threads per block, blocks, or work-items are out of range";
    case kInvalidValue:
      return "invalid value: more dynamic shared memory than the device gives";
    case kLaunchOutOfResources:
    case kLaunchFailure:
      return "more threads in a block than __launch_bounds__ of the kernel allows";
    case kCooperativeLaunchTooLarge:
      return "too many blocks for a cooperative launch";
    default:
      return "refused";
  }
}

}  // namespace

SingleLaunch prepare_launch(Runtime& state) {
  const LaunchRequest& asked = state.request.launch;
  SingleLaunch single;
  single.kernel = &find_kernel(state.module, asked.kernel);
  check_arguments(*single.kernel, asked.arguments);
  for (const Buffer& buffer : asked.buffers) single.buffers.push_back(lay_out(state, buffer));
  set_addresses(asked.buffers, single.buffers);
  for (const Argument& argument : asked.arguments) {
    single.values.push_back(value_of(argument, single.buffers));
  }
  // A caller that builds its own launch has asked for what it needs.
  state.dynamic_opt_in[single.kernel] = asked.dynamic_shared_bytes;
  return single;
}

nlohmann::json run_launch(Runtime& state, const SingleLaunch& single) {
  const LaunchRequest& asked = state.request.launch;
  std::vector<std::string> values = single.values;
  std::vector<void*> arguments;
  for (std::string& value : values) arguments.push_back(value.data());
  const KernelCall call = call_of(state, single, arguments.data());
  if (const Status status = judge(state, call); status != kSuccess) {
    throw Error(ErrorKind::bad_input, fmt::format("launch of {} on {}: {}", single.kernel->name,
                                                  state.limits.name, refusal(status)));
  }
  std::vector<std::string> before;
  for (size_t i = 0; i < single.buffers.size(); ++i) {
    before.emplace_back(static_cast<const char*>(single.buffers[i]),
                        static_cast<size_t>(asked.buffers[i].num_bytes));
  }
  run_kernel(state, call, Record::none);
  nlohmann::json rows = nlohmann::json::array();
  AddressSpan span;
  for (size_t i = 0; i < single.buffers.size(); ++i) {
    span.add(single.buffers[i], asked.buffers[i].num_bytes);
  }
  for (size_t i = 0; i < single.buffers.size(); ++i) {
    const Buffer& buffer = asked.buffers[i];
    const auto* now = static_cast<const char*>(single.buffers[i]);
    nlohmann::json row = {{"name", buffer.name},
                          {"bytes", buffer.num_bytes},
                          {"contents", state.blobs.append(now, buffer.num_bytes)},
                          {"changed", changed(now, before[i])}};
    if (buffer.holds_addresses) {
      row["addresses"] = addresses_in(
          *state.memory, span, now, buffer.num_bytes,
          [&](const SimtPlace& place) { return index_of(single.buffers, place.begin); });
    }
    if (state.request.options.checked) {
      row["written"] = state.memory->written_ranges(now, buffer.num_bytes);
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace ambidex::runner
