// SPDX-License-Identifier: Apache-2.0
#include "runner/request.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "ambidex/base.h"
#include "base/files.h"

namespace ambidex::runner {
namespace {

[[noreturn]] void refuse(const std::string& key, const std::string& expected,
                         const nlohmann::json& got) {
  throw Error(ErrorKind::bad_input,
              fmt::format("{}: expected {}, got {}", key, expected, got.dump().substr(0, 80)));
}

template <class T>
T number(const nlohmann::json& json, const std::string& key, T otherwise, double low, double high) {
  const auto found = json.find(key);
  if (found == json.end()) return otherwise;
  if (!found->is_number()) refuse(key, "a number", *found);
  const double value = found->get<double>();
  if (!(value >= low && value <= high)) {
    refuse(key, fmt::format("a number from {} to {}", low, high), *found);
  }
  return found->get<T>();
}

template <class T>
T word(const nlohmann::json& json, const std::string& key, T otherwise,
       const std::vector<std::pair<std::string, T>>& words) {
  const auto found = json.find(key);
  if (found == json.end()) return otherwise;
  std::vector<std::string> names;
  for (const auto& [name, value] : words) {
    if (found->is_string() && *found == name) return value;
    names.push_back(name);
  }
  if (!found->is_string()) refuse(key, "a word", *found);
  throw Error(ErrorKind::bad_input,
              fmt::format("{}: {}", key, unknown_name(key, found->get<std::string>(), names)));
}

std::array<uint32_t, 3> extents(const nlohmann::json& json, const std::string& key) {
  const auto found = json.find(key);
  if (found == json.end()) return {1, 1, 1};
  if (!found->is_array() || found->size() != 3) refuse(key, "three numbers", *found);
  std::array<uint32_t, 3> out{};
  for (size_t i = 0; i < 3; ++i) {
    if (!found->at(i).is_number_unsigned() || found->at(i).get<uint64_t>() > 0xffffffffull) {
      refuse(key, "three numbers below 2^32", *found);
    }
    out[i] = found->at(i).get<uint32_t>();
  }
  return out;
}

std::string bytes_of_hex(const std::string& hex, const std::string& key) {
  const auto digit = [&](char letter) -> int {
    const size_t at = std::string_view("0123456789abcdef").find(letter);
    if (at == std::string_view::npos) refuse(key, "hexadecimal digits, two a byte", hex);
    return static_cast<int>(at);
  };
  if (hex.size() % 2 != 0) refuse(key, "hexadecimal digits, two a byte", hex);
  std::string bytes;
  for (size_t i = 0; i < hex.size(); i += 2) {
    bytes += static_cast<char>(digit(hex[i]) * 16 + digit(hex[i + 1]));
  }
  return bytes;
}

template <class T>
std::string bytes_of(const nlohmann::json& value) {
  const T number = value.get<T>();
  std::string bytes(sizeof(T), '\0');
  std::memcpy(bytes.data(), &number, sizeof(T));
  return bytes;
}

// {"f32": 1.5}, {"hex": "00ff"}, {"buffer": 0, "offset": 4}, {"hex", "pointers": [{at, buffer}]}
Argument read_argument(const nlohmann::json& json, size_t num_buffers) {
  Argument argument;
  const auto pointer = [&](const nlohmann::json& row, int64_t at) {
    const int64_t buffer =
        number<int64_t>(row, "buffer", 0, 0, static_cast<double>(num_buffers) - 1);
    argument.pointers.push_back({at, buffer, number<int64_t>(row, "offset", 0, -1e15, 1e15)});
  };
  if (json.contains("buffer")) {
    argument.bytes.assign(8, '\0');
    pointer(json, 0);
  } else if (json.contains("hex")) {
    argument.bytes = bytes_of_hex(json["hex"].get<std::string>(), "hex");
    for (const auto& row : json.value("pointers", nlohmann::json::array())) {
      const double last = static_cast<double>(argument.bytes.size()) - 8;
      pointer(row, number<int64_t>(row, "at", 0, 0, last));
    }
  } else if (json.contains("f32")) {
    argument.bytes = bytes_of<float>(json["f32"]);
  } else if (json.contains("f64")) {
    argument.bytes = bytes_of<double>(json["f64"]);
  } else if (json.contains("i32")) {
    argument.bytes = bytes_of<int32_t>(json["i32"]);
  } else if (json.contains("i64")) {
    argument.bytes = bytes_of<int64_t>(json["i64"]);
  } else {
    refuse("arguments", "an object with buffer, hex, f32, f64, i32 or i64", json);
  }
  return argument;
}

void read_unwritten(const nlohmann::json& json, Buffer& buffer) {
  const auto most = static_cast<int64_t>(buffer.contents.size());
  for (const auto& range : json.value("unwritten", nlohmann::json::array())) {
    const bool is_pair = range.is_array() && range.size() == 2 && range[0].is_number_integer() &&
                         range[1].is_number_integer();
    if (!is_pair) refuse("unwritten", "[begin, end)", range);
    const auto begin = range[0].get<int64_t>(), end = range[1].get<int64_t>();
    if (begin < 0 || end < begin || end > most) refuse("unwritten", "bytes of the file", range);
    std::fill(buffer.contents.begin() + begin, buffer.contents.begin() + end,
              static_cast<char>(buffer.poison));
    buffer.unwritten.push_back({begin, end});
  }
}

// [at, buffer, offset]
void read_addresses(const nlohmann::json& json, Buffer& buffer) {
  buffer.holds_addresses = json.contains("addresses");
  for (const auto& row : json.value("addresses", nlohmann::json::array())) {
    const bool is_address =
        row.is_array() && row.size() == 3 &&
        std::all_of(row.begin(), row.end(), [](const auto& number) {
          return number.is_number_integer() && number.template get<int64_t>() >= 0;
        });
    if (!is_address || row[0].get<int64_t>() + 8 > buffer.num_bytes) {
      refuse("addresses", "[at, buffer, offset] within the buffer", row);
    }
    buffer.addresses.push_back({row[0], row[1], row[2]});
  }
}

Buffer read_buffer(const nlohmann::json& json, const Limits& limits) {
  Buffer buffer;
  buffer.name = json.value("name", "buffer");
  buffer.variable = json.value("variable", "");
  const double most = static_cast<double>(limits.max_memory_bytes);
  buffer.num_bytes = number<int64_t>(json, "bytes", 0, 0, most);
  buffer.poison = number<int>(json, "poison", 0xa5, 0, 255);
  buffer.initialised = json.value("initialised", false);
  buffer.element_bytes = number<int64_t>(json, "element_bytes", 1, 1, 1 << 20);
  buffer.file = json.value("file", "");
  if (!buffer.file.empty()) buffer.contents = read_file(buffer.file, limits.max_memory_bytes);
  if (static_cast<int64_t>(buffer.contents.size()) > buffer.num_bytes) {
    throw Error(ErrorKind::bad_input,
                fmt::format("{}: {} bytes do not fit into the {} of buffer {}; give it more",
                            buffer.file, buffer.contents.size(), buffer.num_bytes, buffer.name));
  }
  read_unwritten(json, buffer);
  read_addresses(json, buffer);
  return buffer;
}

Watch read_watch(const nlohmann::json& json, const std::vector<Buffer>& buffers) {
  Watch watch;
  if (!json.contains("watch")) return watch;
  const nlohmann::json& row = json["watch"];
  const double last = static_cast<double>(buffers.size()) - 1;
  watch.buffer = number<int64_t>(row, "buffer", 0, 0, last);
  const int64_t most = buffers[static_cast<size_t>(watch.buffer)].num_bytes;
  watch.offset = number<int64_t>(row, "offset", 0, 0, static_cast<double>(most));
  watch.num_bytes = number<int64_t>(row, "bytes", 1, 1, static_cast<double>(most - watch.offset));
  return watch;
}

LaunchRequest read_launch(const nlohmann::json& json, const Limits& limits) {
  LaunchRequest launch;
  launch.kernel = json.at("kernel").get<std::string>();
  launch.grid = extents(json, "grid");
  launch.block = extents(json, "block");
  launch.dynamic_shared_bytes = number<int64_t>(json, "dynamic_shared_bytes", 0, 0, 1e9);
  launch.cooperative = json.value("cooperative", false);
  for (const auto& row : json.value("buffers", nlohmann::json::array())) {
    launch.buffers.push_back(read_buffer(row, limits));
  }
  for (const auto& row : json.value("arguments", nlohmann::json::array())) {
    launch.arguments.push_back(read_argument(row, launch.buffers.size()));
  }
  launch.watch = read_watch(json, launch.buffers);
  return launch;
}

ExecutorOptions read_options(const nlohmann::json& json) {
  ExecutorOptions options;
  options.wave_width = number<int>(json, "wave_width", 32, 32, 64);
  if (options.wave_width != 32 && options.wave_width != 64) {
    refuse("wave_width", "32 or 64", json["wave_width"]);
  }
  options.lockstep = word<bool>(json, "convergence", options.wave_width == 64,
                                {{"independent", false}, {"lockstep", true}});
  options.lockstep_volatile = json.value("lockstep_volatile", false);
  options.lenient_shuffles = json.value("lenient_shuffles", false);
  options.checked = json.value("checked", true);
  options.counted = json.value("counted", false);
  options.seed = number<uint64_t>(json, "seed", 0, 0, 1.8e19);
  options.workers = number<int>(json, "workers", 1, 1, 256);
  options.max_problems = number<int>(json, "max_problems", 16, 1, 10000);
  options.rounding = word<Rounding>(json, "rounding", Rounding::nearest,
                                    {{"nearest", Rounding::nearest},
                                     {"up", Rounding::up},
                                     {"down", Rounding::down},
                                     {"mixed", Rounding::mixed}});
  return options;
}

Limits read_limits(const nlohmann::json& json) {
  Limits limits;
  limits.trusted = json.value("trusted", false);
  limits.sandbox = json.value("sandbox", true);
  limits.max_seconds = number<double>(json, "max_seconds", 60, 0.001, 1e6);
  limits.max_memory_bytes =
      number<int64_t>(json, "max_memory_bytes", limits.max_memory_bytes, 1 << 20, 1e13);
  limits.max_output_bytes =
      number<int64_t>(json, "max_output_bytes", limits.max_output_bytes, 0, 1e12);
  if (!limits.sandbox && !limits.trusted) {
    throw Error(ErrorKind::bad_input,
                "sandbox: false needs trusted: true, the word that the code is your own");
  }
  return limits;
}

}  // namespace

Request read_request(const nlohmann::json& json) {
  Request request;
  request.module = json.at("module").get<std::string>();
  request.folder = json.value("folder", "");
  request.options = read_options(json);
  request.limits = read_limits(json);
  request.device = json.value("device", request.options.wave_width == 64 ? "mi300x" : "h200");
  request.poison = number<int>(json, "poison", 0xa5, 0, 255);
  request.mode = word<Mode>(json, "mode", Mode::program,
                            {{"program", Mode::program}, {"launch", Mode::launch}});
  if (request.mode == Mode::launch) {
    request.launch = read_launch(json.at("launch"), request.limits);
  } else {
    const nlohmann::json program = json.value("program", nlohmann::json::object());
    request.program.function = program.value("function", "");
    request.program.arguments = program.value("arguments", std::vector<std::string>{});
    request.program.record = word<Record>(
        program, "record", Record::none,
        {{"none", Record::none}, {"hashes", Record::hashes}, {"contents", Record::contents}});
  }
  const bool writes = request.mode == Mode::launch || request.program.record == Record::contents;
  if (writes && request.folder.empty()) {
    throw Error(ErrorKind::bad_input, "folder: expected where to write contents of buffers");
  }
  return request;
}

}  // namespace ambidex::runner
