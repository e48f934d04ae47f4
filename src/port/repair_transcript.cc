// SPDX-License-Identifier: Apache-2.0
#include "port/repair_transcript.h"

#include <fmt/format.h>

#include "ambidex/base.h"
#include "base/json_depth.h"
#include "base/text.h"
#include "port/sha256.h"

namespace ambidex::repair {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kVersion = 1;
constexpr int64_t kMaxBytes = int64_t{256} << 20;

Json messages_of(const ModelRequest& request) {
  Json messages = Json::array();
  for (const ModelMessage& message : request.messages) {
    messages.push_back({{"role", message.role}, {"text", message.text}});
  }
  return messages;
}

Json retries_of(const Answer& answer) {
  Json retries = Json::array();
  for (const Retry& retry : answer.retries) {
    retries.push_back({{"why", retry.why}, {"pause_seconds", retry.pause_seconds}});
  }
  return retries;
}

// ", ambidex 1.2.3", as far as the first line says it.
std::string made_by(const Json& row) {
  const auto version = row.find("ambidex");
  if (version == row.end() || !version->is_string()) return "";
  return ", ambidex " + printable(version->get<std::string>());
}

constexpr double kMostSeconds = 1e6;               // as of --seconds
constexpr int64_t kMostTokens = int64_t{1} << 53;  // which doubles hold, and sums do not overflow

template <class Number>
Number within(const Json& row, const char* key, Number least, Number most) {
  const auto value = row.at(key).get<Number>();
  if (value >= least && value <= most) return value;
  throw Error(ErrorKind::bad_input,
              fmt::format("\"{}\" is {}, and has to be from {} to {}", key, value, least, most));
}

int64_t count_of(const Json& row, const char* key, int64_t least = 0) {
  return within(row, key, least, kMostTokens);
}

void check_version(const Json& row) {
  const auto version = row.at("version").get<int64_t>();
  if (version == kVersion) return;
  throw Error(ErrorKind::bad_input,
              fmt::format("is a transcript of version {}, and this ambidex, {}, reads version {}; "
                          "replay it with the one that made it{}",
                          version, AMBIDEX_VERSION, kVersion, made_by(row)));
}

Turn turn_of(const Json& row) {
  Turn turn;
  turn.answer.reply = {.text = row.at("reply").get<std::string>(),
                       .end = reply_end_from_name(row.at("end").get<std::string>()),
                       .num_input_tokens = count_of(row, "num_input_tokens"),
                       .num_output_tokens = count_of(row, "num_output_tokens")};
  turn.answer.fault = row.at("fault").get<std::string>();
  turn.answer.broke_off = row.at("broke_off").get<bool>();
  for (const Json& retry : row.at("retries")) {
    turn.answer.retries.push_back(
        {.why = retry.at("why").get<std::string>(),
         .pause_seconds = within(retry, "pause_seconds", 0.0, kMostSeconds)});
  }
  turn.num_tokens = count_of(row, "num_tokens");
  turn.key = row.at("key").get<uint64_t>();
  return turn;
}

// What is to be had from it, checked.
Json start_of(const Json& row) {
  check_version(row);
  return {{"port_sha256", row.at("port_sha256").get<std::string>()},
          {"model", row.at("model").get<std::string>()},
          {"protocol", row.at("protocol").get<std::string>()},
          {"num_turns", count_of(row, "num_turns", 1)},
          {"num_tokens", count_of(row, "num_tokens", 1)},
          {"max_seconds", within(row, "max_seconds", 0.001, kMostSeconds)},
          {"native", row.value("native", false)},
          {"devices", row.value("devices", std::vector<std::string>())}};
}

}  // namespace

std::string hash_of(const ModelRequest& request) {
  return sha256(Json{{"system", request.system}, {"messages", messages_of(request)}}.dump(
      -1, ' ', false, Json::error_handler_t::replace));
}

Json to_json(const Turn& turn) {
  return {{"kind", "turn"},
          {"program", turn.program},
          {"kernels", turn.kernels},
          {"request_sha256", hash_of(turn.request)},
          {"system", turn.request.system},
          {"messages", messages_of(turn.request)},
          {"retries", retries_of(turn.answer)},
          {"fault", turn.answer.fault},
          {"broke_off", turn.answer.broke_off},
          {"reply", turn.answer.reply.text},
          {"end", name_of(turn.answer.reply.end)},
          {"num_input_tokens", turn.answer.reply.num_input_tokens},
          {"num_output_tokens", turn.answer.reply.num_output_tokens},
          {"num_tokens", turn.num_tokens},
          {"key", turn.key},
          {"candidate_sha256", turn.candidate_sha256},
          {"gate", turn.gate},
          {"reason", turn.reason}};
}

Transcript::Transcript(const std::string& path, Json start) : file_(path) {
  Json line{{"kind", "start"}, {"version", kVersion}, {"ambidex", AMBIDEX_VERSION}};
  line.update(start);
  write(line);
}

void Transcript::add(const Turn& turn) { write(to_json(turn)); }

void Transcript::finish(const Json& end) {
  Json line{{"kind", "end"}};
  line.update(end);
  write(line);
  file_.close();
}

void Transcript::write(const Json& line) {
  file_.write(line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
}

Replay::Replay(const std::string& path) : where_(path) { read(read_file(path, kMaxBytes)); }

Replay::Replay(std::string_view text, std::string where) : where_(std::move(where)) { read(text); }

void Replay::read(std::string_view text) {
  for (int64_t number = 1; !text.empty(); ++number) {
    const size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    try {
      const Json row = parse_foreign_json<Json>(line);
      const auto kind = row.at("kind").get<std::string>();
      if (kind == "start") {
        start_ = start_of(row);
        made_by_ = made_by(row);
      }
      if (kind != "turn") continue;
      turns_.push_back(turn_of(row));
      hashes_.push_back(row.at("request_sha256").get<std::string>());
    } catch (const Error& error) {
      throw Error(error.kind, fmt::format("{}:{}: {}", where_, number, error.what()));
    } catch (const nlohmann::json::exception&) {
      throw Error(ErrorKind::bad_input,
                  fmt::format("{}:{}: not a line of a transcript; name a transcript.jsonl of "
                              "`ambidex port repair`",
                              where_, number));
    }
  }
}

std::optional<Turn> Replay::next(const ModelRequest& request) {
  if (next_ >= turns_.size()) return std::nullopt;
  if (hashes_[next_] != hash_of(request)) {
    throw Error(ErrorKind::bad_input,
                fmt::format("{}: turn {} answers another request; the sources, or the words that "
                            "Ambidex finds for them, are not those of the transcript{}",
                            where_, next_ + 1, made_by_));
  }
  return turns_[next_++];
}

}  // namespace ambidex::repair
