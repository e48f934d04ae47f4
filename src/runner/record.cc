// SPDX-License-Identifier: Apache-2.0
#include "runner/record.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "port/content_hash.h"
#include "port/traffic.h"
#include "runner/addresses.h"

namespace ambidex::runner {
namespace {

std::string hex(const char* bytes, int64_t count) {
  std::string out;
  for (int64_t i = 0; i < count; ++i) {
    out += fmt::format("{:02x}", static_cast<unsigned char>(bytes[i]));
  }
  return out;
}

std::string_view bytes_at(const char* begin, int64_t count) {
  return {begin, static_cast<size_t>(count)};
}

// Beyond so many the last one goes on to the end of the buffer.
constexpr size_t kMaxRanges = 65536;

nlohmann::json unwritten_ranges(const SimtMemory& memory, const char* begin, int64_t num_bytes) {
  auto ranges = memory.uninitialised_ranges(begin, num_bytes);
  if (ranges.size() > kMaxRanges) {
    ranges.resize(kMaxRanges);
    ranges.back()[1] = num_bytes;
  }
  return ranges;
}

}  // namespace

nlohmann::json counts_text(const SimtCounts& counts) {
  return {{"threads", counts.threads},
          {"waves", counts.waves},
          {"barriers", counts.barriers},
          {"named_barriers", counts.named_barriers},
          {"grid_barriers", counts.grid_barriers},
          {"wave_collectives", counts.wave_collectives},
          {"shuffles", counts.shuffles},
          {"votes", counts.votes},
          {"wave_barriers", counts.wave_barriers},
          {"other_collectives", counts.other_collectives},
          {"diverged_collectives", counts.diverged_collectives},
          {"collective_lanes", counts.collective_lanes},
          {"ordered_accesses", counts.ordered_accesses},
          {"fences", counts.fences},
          {"yields", counts.yields}};
}

LaunchRecorder::LaunchRecorder(Runtime& state, const KernelCall& call, Record record)
    : state_(state), record_(record) {
  row_ = {{"kernel", call.kernel->name},
          {"symbol", call.kernel->symbol},
          {"grid", call.launch.grid},
          {"block", call.launch.block},
          {"dynamic_shared_bytes", call.launch.dynamic_shared_bytes},
          {"cooperative", call.launch.cooperative},
          {"arguments", nlohmann::json::array()},
          {"pointers", nlohmann::json::array()},
          {"buffers", nlohmann::json::array()}};
  if (record == Record::none) return;
  for (size_t i = 0; i < call.kernel->parameters.size(); ++i) {
    const Parameter& parameter = call.kernel->parameters[i];
    const auto* value = static_cast<const char*>(call.arguments[i]);
    row_["arguments"].push_back(hex(value, parameter.num_bytes));
    for (const Pointer& pointer : parameter.pointers) {
      add_pointer(static_cast<int64_t>(i), pointer, value);
    }
  }
  add_variables();
  follow_addresses();
}

// Words of two and four bytes hold no addresses.
bool LaunchRecorder::may_hold_addresses(size_t buffer) const {
  const std::set<int64_t>& known = buffers_[buffer].element_bytes;
  return known.empty() || std::any_of(known.begin(), known.end(), [](int64_t num_bytes) {
           return num_bytes != 2 && num_bytes != 4;
         });
}

// Memory that the kernel comes to by an address in memory is given to it, too.
void LaunchRecorder::follow_addresses() {
  constexpr size_t kMaxBuffers = 1024;
  const BufferIndex index_of = [&](const SimtPlace& place) -> int64_t {
    const int64_t known = known_buffer(place);
    return known >= 0 || buffers_.size() >= kMaxBuffers ? known : add_buffer(place);
  };
  const AddressSpan span = span_of_program(state_);
  for (size_t i = 0; i < buffers_.size(); ++i) {
    if (!may_hold_addresses(i)) continue;
    const Known buffer = buffers_[i];
    nlohmann::json rows =
        addresses_in(*state_.memory, span, buffer.begin, buffer.num_bytes, index_of);
    row_["buffers"][i]["addresses"] = std::move(rows);
  }
}

// What a kernel finds in variables of the module is part of what it is given.
void LaunchRecorder::add_variables() {
  for (const Variable& variable : state_.module.variables) {
    if (variable.file < 0 || variable.num_bytes == 0) continue;  // literals are no state
    const auto place = state_.memory->find(variable.address);
    if (!place) continue;
    const int64_t index = add_buffer(*place);
    row_["buffers"][static_cast<size_t>(index)]["variable"] = variable.name;
  }
}

void LaunchRecorder::add_pointer(int64_t parameter, const Pointer& pointer, const char* value) {
  void* address = nullptr;
  std::memcpy(&address, value + pointer.offset, sizeof address);
  const auto place = state_.memory->find(address);
  nlohmann::json row = {{"parameter", parameter},
                        {"at", pointer.offset},
                        {"const", pointer.is_const},
                        {"element_bytes", pointer.element_bytes},
                        {"buffer", -1},
                        {"offset", 0}};
  if (place) {
    const int64_t buffer = add_buffer(*place);
    buffers_[static_cast<size_t>(buffer)].element_bytes.insert(pointer.element_bytes);
    row["buffer"] = buffer;
    row["offset"] = static_cast<char*>(address) - static_cast<char*>(place->begin);
  }
  row_["pointers"].push_back(std::move(row));
}

int64_t LaunchRecorder::known_buffer(const SimtPlace& place) const {
  for (size_t i = 0; i < buffers_.size(); ++i) {
    if (buffers_[i].begin == place.begin) return static_cast<int64_t>(i);
  }
  return -1;
}

int64_t LaunchRecorder::add_buffer(const SimtPlace& place) {
  if (const int64_t known = known_buffer(place); known >= 0) return known;
  auto* begin = static_cast<char*>(place.begin);
  buffers_.push_back({begin, place.num_bytes});
  const auto allocation = state_.allocations.find(reinterpret_cast<uintptr_t>(begin));
  nlohmann::json row = {
      {"name", place.region.name},
      {"allocation",
       allocation == state_.allocations.end() ? int64_t{-1} : allocation->second.number},
      {"bytes", place.num_bytes},
      {"hash_before", content_hash(bytes_at(begin, place.num_bytes))}};
  row["unwritten"] = unwritten_ranges(*state_.memory, begin, place.num_bytes);
  if (record_ == Record::contents) row["before"] = state_.blobs.append(begin, place.num_bytes);
  row_["buffers"].push_back(std::move(row));
  return static_cast<int64_t>(buffers_.size()) - 1;
}

void LaunchRecorder::finish(const SimtReport& report, double seconds) {
  row_["seconds"] = seconds;
  row_["num_problems"] = report.problems.size();
  row_["counts"] = counts_text(report.counts);
  if (state_.request.options.counted) row_["traffic"] = to_json(report.traffic);
  row_["output_is_cut"] = report.output_is_cut;
  const AddressSpan span = span_of_program(state_);
  for (size_t i = 0; i < buffers_.size(); ++i) {
    nlohmann::json& row = row_["buffers"][i];
    if (row.contains("addresses")) {
      row["addresses_after"] =
          addresses_in(*state_.memory, span, buffers_[i].begin, buffers_[i].num_bytes,
                       [&](const SimtPlace& place) { return known_buffer(place); });
    }
    row["hash_after"] = content_hash(bytes_at(buffers_[i].begin, buffers_[i].num_bytes));
    if (record_ == Record::contents) {
      row["after"] = state_.blobs.append(buffers_[i].begin, buffers_[i].num_bytes);
    }
  }
  state_.launches.push_back(std::move(row_));
}

}  // namespace ambidex::runner
