// SPDX-License-Identifier: Apache-2.0
#include "port/repair_sse.h"

#include "ambidex/base.h"

namespace ambidex::repair {
namespace {

constexpr size_t kMaxEventBytes = size_t{4} << 20;

}  // namespace

std::vector<SseEvent> SseReader::take(std::string_view bytes) {
  std::vector<SseEvent> events;
  for (const char byte : bytes) {
    const bool is_rest = byte == '\n' && after_return_;
    after_return_ = byte == '\r';
    if (is_rest) continue;
    if (byte == '\n' || byte == '\r') {
      end_line(events);
    } else {
      line_ += byte;
    }
    if (line_.size() + event_.data.size() > kMaxEventBytes) {
      throw Error(ErrorKind::bad_input, "the endpoint sends an event of more than 4 MiB");
    }
  }
  return events;
}

void SseReader::end_line(std::vector<SseEvent>& events) {
  if (line_.empty()) {
    if (has_data_) events.push_back(std::move(event_));
    event_ = {};
    has_data_ = false;
    return;
  }
  const size_t colon = line_.find(':');
  const std::string_view field = std::string_view(line_).substr(0, colon);
  std::string_view value;
  if (colon != std::string::npos) value = std::string_view(line_).substr(colon + 1);
  if (value.starts_with(' ')) value.remove_prefix(1);
  if (field == "event") event_.event = value;
  if (field == "data") {
    if (has_data_) event_.data += '\n';
    event_.data += value;
    has_data_ = true;
  }
  line_.clear();
}

}  // namespace ambidex::repair
