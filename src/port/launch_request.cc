// SPDX-License-Identifier: Apache-2.0
#include "port/launch_request.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/files.h"

namespace ambidex {
namespace {

constexpr int64_t kMaxContentBytes = int64_t{4} << 30;

std::string hex_of(const std::string& bytes) {
  std::string digits;
  for (const char byte : bytes) digits += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return digits;
}

nlohmann::json argument_of(const TracedLaunch& launch, size_t index) {
  nlohmann::json pointers = nlohmann::json::array();
  for (const TracedPointer& pointer : launch.pointers) {
    if (pointer.parameter != static_cast<int64_t>(index) || pointer.buffer < 0) continue;
    pointers.push_back(
        {{"at", pointer.at}, {"buffer", pointer.buffer}, {"offset", pointer.offset}});
  }
  return {{"hex", hex_of(launch.arguments[index])}, {"pointers", std::move(pointers)}};
}

nlohmann::json buffer_of(const TracedBuffer& buffer, const std::string& path, int poison) {
  nlohmann::json unwritten = nlohmann::json::array();
  for (const ByteRange& range : buffer.unwritten) unwritten.push_back({range.begin, range.end});
  write_file(path, buffer.before);
  nlohmann::json row = {
      {"name", buffer.name}, {"variable", buffer.variable},       {"bytes", buffer.before.size()},
      {"file", path},        {"unwritten", std::move(unwritten)}, {"poison", poison}};
  if (buffer.addresses) row["addresses"] = to_json(*buffer.addresses);
  return row;
}

}  // namespace

nlohmann::json launch_request(const TracedLaunch& launch, const std::string& symbol,
                              const std::string& folder, int poison) {
  std::filesystem::create_directories(folder);
  nlohmann::json arguments = nlohmann::json::array(), buffers = nlohmann::json::array();
  for (size_t i = 0; i < launch.arguments.size(); ++i) arguments.push_back(argument_of(launch, i));
  for (size_t i = 0; i < launch.buffers.size(); ++i) {
    buffers.push_back(buffer_of(launch.buffers[i], fmt::format("{}/in{}.bin", folder, i), poison));
  }
  return {{"kernel", symbol},
          {"grid", launch.grid},
          {"block", launch.block},
          {"dynamic_shared_bytes", launch.dynamic_shared_bytes},
          {"cooperative", launch.cooperative},
          {"arguments", std::move(arguments)},
          {"buffers", std::move(buffers)}};
}

std::vector<std::string> buffers_of(const nlohmann::json& answer) {
  std::vector<std::string> contents;
  for (const auto& row : answer.value("buffers", nlohmann::json::array())) {
    contents.push_back(read_file(row.at("contents").get<std::string>(), kMaxContentBytes));
    if (row.contains("addresses")) set_stand_ins(addresses_of(row["addresses"]), contents.back());
  }
  return contents;
}

}  // namespace ambidex
