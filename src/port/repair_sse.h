// SPDX-License-Identifier: Apache-2.0
// Server-sent events (text/event-stream) out of pieces of any size.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ambidex::repair {

struct SseEvent {
  std::string event;  // empty if it has no name
  std::string data;   // lines joined by '\n'
  bool operator==(const SseEvent&) const = default;
};

class SseReader {
 public:
  /// Events that are complete with these bytes. An event that never ends is not one.
  ///   throws Error(bad_input) if an event grows beyond 4 MiB
  std::vector<SseEvent> take(std::string_view bytes);

 private:
  void end_line(std::vector<SseEvent>& events);

  std::string line_;
  bool after_return_ = false;  // a '\n' now belongs to the '\r' before
  bool has_data_ = false;
  SseEvent event_;
};

}  // namespace ambidex::repair
