// SPDX-License-Identifier: Apache-2.0
#include "port/trace.h"

#include <fmt/format.h>

#include "ambidex/base.h"
#include "base/files.h"

namespace ambidex {
namespace {

constexpr int64_t kMaxContentBytes = int64_t{4} << 30;

std::string bytes_of_hex(const std::string& digits) {
  std::string bytes;
  for (size_t i = 0; i + 1 < digits.size(); i += 2) {
    bytes.push_back(static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

// One that the runtime refused, as on a device: nothing ran, and the program was told.
bool was_refused(const nlohmann::json& row) { return row.contains("error"); }

std::vector<ByteRange> ranges_of(const nlohmann::json& rows) {
  std::vector<ByteRange> ranges;
  for (const auto& row : rows) ranges.push_back({row.at(0), row.at(1)});
  return ranges;
}

TracedBuffer buffer_of(const nlohmann::json& row) {
  TracedBuffer buffer{.name = row.at("name"),
                      .variable = row.value("variable", ""),
                      .unwritten = ranges_of(row.at("unwritten")),
                      .before = read_file(row.at("before").get<std::string>(), kMaxContentBytes),
                      .after = read_file(row.at("after").get<std::string>(), kMaxContentBytes)};
  if (!row.contains("addresses")) return buffer;
  buffer.addresses = addresses_of(row.at("addresses"));
  set_stand_ins(*buffer.addresses, buffer.before);
  set_stand_ins(addresses_of(row.at("addresses_after")), buffer.after);
  return buffer;
}

TracedLaunch launch_of(const nlohmann::json& row) {
  TracedLaunch launch{.kernel = row.at("kernel"),
                      .symbol = row.at("symbol"),
                      .grid = row.at("grid"),
                      .block = row.at("block"),
                      .dynamic_shared_bytes = row.at("dynamic_shared_bytes"),
                      .cooperative = row.at("cooperative"),
                      .seconds = row.value("seconds", 0.0),
                      .num_ordered_accesses = row.at("counts").at("ordered_accesses"),
                      .arguments = {},
                      .pointers = {},
                      .buffers = {}};
  for (const auto& argument : row.at("arguments")) {
    launch.arguments.push_back(bytes_of_hex(argument));
  }
  for (const auto& pointer : row.at("pointers")) {
    launch.pointers.push_back({.parameter = pointer.at("parameter"),
                               .at = pointer.at("at"),
                               .buffer = pointer.at("buffer"),
                               .offset = pointer.at("offset"),
                               .constant = pointer.at("const")});
  }
  for (const auto& buffer : row.at("buffers")) {
    launch.buffers.push_back(buffer_of(buffer));
  }
  return launch;
}

}  // namespace

std::string written_part(const TracedBuffer& buffer) {
  std::string bytes;
  int64_t begin = 0;
  const auto add = [&](int64_t end) {
    bytes.append(buffer.before, static_cast<size_t>(begin), static_cast<size_t>(end - begin));
  };
  for (const ByteRange& range : buffer.unwritten) {
    add(range.begin);
    begin = range.end;
  }
  add(static_cast<int64_t>(buffer.before.size()));
  return bytes;
}

std::string text_of(const TracedPlace& place) {
  const std::string line =
      place.file.empty() ? "unknown line" : fmt::format("{}:{}", place.file, place.line);
  return fmt::format("{}, block ({}), thread ({})", line, fmt::join(place.block, ","),
                     fmt::join(place.thread, ","));
}

TracedPlace place_of(const nlohmann::json& row) {
  const std::array<int64_t, 3> unknown{};
  return {.file = row.value("file", ""),
          .line = row.value("line", int64_t{0}),
          .block = row.value("block", unknown),
          .thread = row.value("thread", unknown)};
}

TracedProblem problem_of(const nlohmann::json& problem) {
  return {.kind = problem.value("kind", ""),
          .kernel = problem.value("kernel", ""),
          .message = problem.value("message", ""),
          .place = place_of(problem)};
}

Trace trace_of(const nlohmann::json& answer) {
  Trace trace{.status = answer.at("status"),
              .exit_code = answer.value("exit_code", 0),
              .out = answer.value("stdout", ""),
              .err = answer.value("stderr", ""),
              .launches = {},
              .has_launched = answer.value("launched", !answer.at("launches").empty()),
              .problems = {},
              .host_order = answer.value("host_order", std::vector<std::string>()),
              .decisions = answer.value("decisions", "")};
  for (const auto& row : answer.at("launches")) {
    if (!was_refused(row)) trace.launches.push_back(launch_of(row));
  }
  for (const auto& row : answer.at("problems")) trace.problems.push_back(problem_of(row));
  return trace;
}

std::string kernel_base_name(const std::string& kernel) {
  // "void scale<float, 256>(float*, int)": the return type of templates goes, and parameters.
  std::string name = kernel.starts_with("void ") ? kernel.substr(5) : kernel;
  int depth = 0;
  for (size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '<') ++depth;
    if (name[i] == '>') --depth;
    const bool parameters =
        name[i] == '(' && depth == 0 && name.compare(i, 21, "(anonymous namespace)") != 0;
    if (parameters) return name.substr(0, i);
  }
  return name;
}

std::string kernel_stem(const std::string& kernel) {
  const std::string name = kernel_base_name(kernel);
  return name.substr(0, name.find('<'));
}

bool is_of_library(const std::string& kernel) { return kernel_stem(kernel) == kLibraryKernel; }

}  // namespace ambidex
