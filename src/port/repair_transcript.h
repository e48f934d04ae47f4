// SPDX-License-Identifier: Apache-2.0
// What was asked, answered and decided, as lines of JSON; and the same read again instead of
// asking.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/files.h"
#include "port/repair_endpoint.h"

namespace ambidex::repair {

/// One request with what became of it.
struct Turn {
  std::string program;
  std::vector<std::string> kernels;
  ModelRequest request;
  Answer answer;
  int64_t num_tokens = 0;  // charged
  uint64_t key = 0;        // of the candidate's verification
  std::string gate;        // "" if accepted
  std::string reason;
  std::string candidate_sha256;  // of the files that the patch makes; empty without one
};

/// SHA-256 of what a request says.
std::string hash_of(const ModelRequest& request);

nlohmann::ordered_json to_json(const Turn& turn);

class Transcript {
 public:
  /// Opens a new file, whose first line is `start` with "kind", "version" and "ambidex", this
  /// version.
  Transcript(const std::string& path, nlohmann::ordered_json start);
  void add(const Turn& turn);
  void finish(const nlohmann::ordered_json& end);

 private:
  void write(const nlohmann::ordered_json& line);
  FileWriter file_;
};

/// Turns of a transcript, in order.
class Replay {
 public:
  /// throws Error(not_found) or Error(bad_input) `path:line: what`
  explicit Replay(const std::string& path);
  /// From text; `where` is the file name that messages carry.
  Replay(std::string_view text, std::string where);

  /// The first line: model and budget of the session.
  const nlohmann::ordered_json& start() const { return start_; }

  /// The next turn's answer, key and charge; nothing after the last, where the session had ended.
  ///   throws Error(bad_input) if it answers another request
  std::optional<Turn> next(const ModelRequest& request);

 private:
  void read(std::string_view text);
  std::string where_;
  nlohmann::ordered_json start_;
  std::string made_by_;  // in messages
  std::vector<Turn> turns_;
  std::vector<std::string> hashes_;
  size_t next_ = 0;
};

}  // namespace ambidex::repair
