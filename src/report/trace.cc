// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "ambidex/report.h"

namespace ambidex {
namespace {

std::string json_text(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

std::string trace_json(const Timeline& timeline) {
  // Times are in microseconds; three decimals are nanoseconds.
  std::string out = fmt::format(
      "{{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n"
      "{{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":1,\"args\":{{\"name\":{}}}}}",
      json_text(timeline.process));
  for (const Timeline::Span& span : timeline.spans) {
    out += fmt::format(
        ",\n{{\"name\":{},\"cat\":{},\"ph\":\"X\",\"ts\":{:.3f},\"dur\":{:.3f},\"pid\":1,"
        "\"tid\":{}}}",
        json_text(span.name), json_text(span.category), span.start_seconds * 1e6,
        span.duration_seconds * 1e6, span.thread);
  }
  return out + "\n]}\n";
}

}  // namespace ambidex
