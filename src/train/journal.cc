// SPDX-License-Identifier: Apache-2.0
#include "train/journal.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "train/run_folder.h"

namespace ambidex {
namespace {

double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace

Journal::Journal(const std::string& run)
    : log_(log_file(run)), events_(event_file(run, wall_seconds()), wall_seconds()) {}

void Journal::add(const LogLine& line) {
  log_.add(line);
  std::vector<std::string> tags;
  std::vector<Scalar> scalars;
  tags.reserve(line.values.size());  // scalars point into it
  for (const LogValue& value : line.values) {
    tags.push_back(fmt::format("{}/{}", line.kind, value.name));
    scalars.push_back({tags.back(), value.value});
  }
  events_.add(line.step, wall_seconds(), scalars);
}

void Journal::add(int64_t step, std::string kind, const Metrics& metrics) {
  LogLine line{.step = step, .kind = std::move(kind)};
  visit_fields(
      [&](std::string_view name, auto value) {
        line.values.push_back({std::string(name), static_cast<double>(value)});
      },
      metrics);
  add(line);
}

}  // namespace ambidex
