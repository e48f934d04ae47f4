// SPDX-License-Identifier: Apache-2.0
// Endpoints as their vendors describe them, and how they misbehave.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "caught.h"
#include "port/repair_endpoint.h"
#include "port/repair_transcript.h"
#include "scratch.h"
#include "scripted_model.h"

namespace ambidex::repair {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

const std::string kKey = "sk-secret-0123456789abcdef";

std::vector<SseEvent> events_of(std::string_view text, size_t piece) {
  SseReader reader;
  std::vector<SseEvent> events;
  for (size_t at = 0; at < text.size(); at += piece) {
    for (SseEvent& event : reader.take(text.substr(at, piece))) events.push_back(std::move(event));
  }
  return events;
}

// The examples of the standard (HTML, 9.2.6).
TEST(RepairSse, events_are_those_of_the_standard_in_pieces_of_any_size) {
  const std::string text =
      ": a comment\n\ndata: first\ndata: second\n\nevent: add\r\ndata: 73857293\r\n\r\n"
      "data:no blank\rdata\r\rid: 1\n\ndata: never ends\n";
  for (size_t piece = 1; piece < 20; ++piece) {
    EXPECT_THAT(events_of(text, piece),
                ElementsAre(SseEvent{"", "first\nsecond"}, SseEvent{"add", "73857293"},
                            SseEvent{"", "no blank\n"}))
        << piece;
  }
}

TEST(RepairSse, an_event_without_end_is_refused) {
  SseReader reader;
  const std::string piece(1 << 20, 'x');
  const Caught error = caught([&] {
    for (int i = 0; i < 6; ++i) reader.take(piece);
  });
  EXPECT_THAT(error.message, HasSubstr("4 MiB"));
}

Reading reading_of(Protocol protocol, const std::string& events) {
  Reading reading;
  for (const SseEvent& event : events_of(events, 50)) read_event(protocol, event, reading);
  return reading;
}

TEST(RepairProtocol, replies_of_both_protocols_are_put_together) {
  const std::string text = "FILE a.hip\nwith \"quotes\" and \xc3\xa9, then more";
  for (const Protocol protocol : {Protocol::openai, Protocol::anthropic}) {
    const std::string events =
        protocol == Protocol::openai ? openai_events(text, "stop") : anthropic_events(text);
    const Reading reading = reading_of(protocol, events);
    EXPECT_TRUE(reading.complete);
    EXPECT_EQ(reading.fault, "");
    EXPECT_EQ(reading.reply.text, text);
    EXPECT_EQ(reading.reply.end, ReplyEnd::done);
    EXPECT_EQ(reading.reply.num_input_tokens, 100);
    EXPECT_EQ(reading.reply.num_output_tokens, 20);
  }
}

TEST(RepairProtocol, cut_and_refused_replies_are_told) {
  EXPECT_EQ(reading_of(Protocol::openai, openai_events("x", "length")).reply.end, ReplyEnd::length);
  EXPECT_EQ(reading_of(Protocol::openai, openai_events("x", "content_filter")).reply.end,
            ReplyEnd::refusal);
  EXPECT_EQ(
      reading_of(Protocol::openai, "data: {\"choices\":[{\"delta\":{\"refusal\":\"no\"}}]}\n\n" +
                                       openai_events("", "stop"))
          .reply.end,
      ReplyEnd::refusal);
  EXPECT_EQ(reading_of(Protocol::anthropic, anthropic_events("x", "max_tokens")).reply.end,
            ReplyEnd::length);
  EXPECT_EQ(reading_of(Protocol::anthropic, anthropic_events("x", "refusal")).reply.end,
            ReplyEnd::refusal);
}

TEST(RepairProtocol, errors_within_a_stream_and_what_is_no_json_are_faults) {
  EXPECT_EQ(reading_of(Protocol::openai, "data: {\"error\":{\"message\":\"busy\"}}\n\n").fault,
            "busy");
  EXPECT_EQ(reading_of(Protocol::anthropic,
                       "data: {\"type\":\"error\",\"error\":{\"message\":\"Overloaded\"}}\n\n")
                .fault,
            "Overloaded");
  for (const Protocol protocol : {Protocol::openai, Protocol::anthropic}) {
    EXPECT_THAT(reading_of(protocol, "data: {\"choi\n\n").fault, HasSubstr("not a JSON object"));
    EXPECT_THAT(reading_of(protocol, "data: []\n\n").fault, HasSubstr("not a JSON object"));
  }
}

TEST(RepairProtocol, odd_values_are_passed_over) {
  for (const char* text :
       {"{}", "{\"choices\":3}", "{\"choices\":[]}", "{\"choices\":[7]}",
        "{\"choices\":[{\"delta\":[],\"finish_reason\":4}],\"usage\":{\"prompt_tokens\":-1}}",
        "{\"choices\":[{\"delta\":{\"content\":null,\"refusal\":null}}]}",
        "{\"type\":\"message_start\",\"message\":4}", "{\"type\":[]}",
        "{\"type\":\"content_block_delta\",\"delta\":{\"text\":{}}}"}) {
    for (const Protocol protocol : {Protocol::openai, Protocol::anthropic}) {
      const Reading reading = reading_of(protocol, std::string("data: ") + text + "\n\n");
      EXPECT_EQ(reading.reply.text, "") << text;
      EXPECT_EQ(reading.reply.num_input_tokens, 0) << text;
    }
  }
}

const ModelRequest kRequest{.system = "rules",
                            .messages = {{"user", "one"}, {"assistant", "two"}, {"user", "three"}},
                            .max_reply_tokens = 99};

TEST(RepairProtocol, requests_are_what_the_vendors_describe) {
  const json openai = json::parse(request_body(Protocol::openai, "m", kRequest));
  EXPECT_EQ(openai["model"], "m");
  EXPECT_EQ(openai["stream"], true);
  EXPECT_EQ(openai["max_tokens"], 99);
  EXPECT_EQ(openai["stream_options"]["include_usage"], true);
  ASSERT_EQ(openai["messages"].size(), 4u);
  EXPECT_EQ(openai["messages"][0], (json{{"role", "system"}, {"content", "rules"}}));
  EXPECT_EQ(openai["messages"][2], (json{{"role", "assistant"}, {"content", "two"}}));
  const json anthropic = json::parse(request_body(Protocol::anthropic, "m", kRequest));
  EXPECT_EQ(anthropic["system"], "rules");
  EXPECT_EQ(anthropic["max_tokens"], 99);
  ASSERT_EQ(anthropic["messages"].size(), 3u);
  EXPECT_EQ(anthropic["messages"][0], (json{{"role", "user"}, {"content", "one"}}));
  EXPECT_THAT(request_headers(Protocol::openai, "k"), testing::Contains("Authorization: Bearer k"));
  EXPECT_THAT(request_headers(Protocol::anthropic, "k"),
              testing::AllOf(testing::Contains("x-api-key: k"),
                             testing::Contains("anthropic-version: 2023-06-01")));
}

TEST(RepairProtocol, a_request_with_bytes_that_are_no_text_is_still_one) {
  ModelRequest request = kRequest;
  request.messages[0].text = "a\xff z";
  EXPECT_FALSE(
      json::parse(request_body(Protocol::openai, "m", request), nullptr, false).is_discarded());
  EXPECT_FALSE(
      json::parse(request_body(Protocol::anthropic, "m", request), nullptr, false).is_discarded());
}

TEST(RepairProtocol, base_urls_get_the_protocols_path) {
  EXPECT_EQ(request_url(Protocol::openai, "https://a/v1/"), "https://a/v1/chat/completions");
  EXPECT_EQ(request_url(Protocol::openai, "https://a/v1/chat/completions"),
            "https://a/v1/chat/completions");
  EXPECT_EQ(request_url(Protocol::anthropic, "https://a"), "https://a/v1/messages");
  EXPECT_EQ(request_url(Protocol::anthropic, "https://a/v1"), "https://a/v1/messages");
  EXPECT_EQ(protocol_of("https://api.anthropic.com"), Protocol::anthropic);
  EXPECT_EQ(protocol_of("https://proxy/v1/messages"), Protocol::anthropic);
  EXPECT_EQ(protocol_of("http://localhost:8000/v1"), Protocol::openai);
  EXPECT_EQ(caught([] { protocol_from_name("grpc"); }).message,
            "no protocol \"grpc\"; known: openai (chat completions), anthropic (messages)");
}

Endpoint endpoint_at(const std::string& url, Protocol protocol = Protocol::openai) {
  return {.url = url,
          .model = "m",
          .key = kKey,
          .protocol = protocol,
          .max_silent_seconds = 20,
          .first_pause_seconds = 1,
          .max_tries = 4};
}

Clock::time_point in_seconds(double seconds) {
  return Clock::now() +
         std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

// Asks with pauses that are counted and not made.
struct Asked {
  Answer answer;
  std::vector<double> pauses;
};
Asked ask_counting(const Endpoint& endpoint, double seconds = 60) {
  Asked asked;
  asked.answer = ask(endpoint, kRequest, in_seconds(seconds),
                     [&](double pause) { asked.pauses.push_back(pause); });
  return asked;
}

TEST(RepairEndpoint, both_protocols_are_spoken_over_http) {
  const ScriptedModel openai({openai_reply("hello")});
  EXPECT_EQ(ask_counting(endpoint_at(openai.url())).answer.reply.text, "hello");
  EXPECT_THAT(openai.requests()[0], HasSubstr("POST /chat/completions HTTP/1.1"));
  EXPECT_THAT(openai.requests()[0], HasSubstr("Authorization: Bearer " + kKey));
  const ScriptedModel anthropic({anthropic_reply("hello")});
  const Endpoint endpoint = endpoint_at(anthropic.url(), Protocol::anthropic);
  EXPECT_EQ(ask_counting(endpoint).answer.reply.text, "hello");
  EXPECT_THAT(anthropic.requests()[0], HasSubstr("POST /v1/messages HTTP/1.1"));
  EXPECT_THAT(anthropic.requests()[0], HasSubstr("x-api-key: " + kKey));
}

TEST(RepairEndpoint, a_rate_limit_is_waited_for_as_long_as_it_says) {
  const ScriptedModel model({{http_response(429, "Retry-After: 7\r\n", "{}")}, openai_reply("ok")});
  const Asked asked = ask_counting(endpoint_at(model.url()));
  EXPECT_EQ(asked.answer.reply.text, "ok");
  EXPECT_EQ(asked.answer.fault, "");
  EXPECT_THAT(asked.pauses, ElementsAre(7));
  ASSERT_EQ(asked.answer.retries.size(), 1u);
  EXPECT_THAT(asked.answer.retries[0].why, HasSubstr("status 429"));
}

TEST(RepairEndpoint, a_rate_limit_beyond_the_budget_ends_it) {
  const ScriptedModel model({{http_response(429, "Retry-After: 7200\r\n", "{}")}});
  const Asked asked = ask_counting(endpoint_at(model.url()));
  EXPECT_THAT(asked.answer.fault, HasSubstr("waiting 7200 s more would go beyond the budget"));
  EXPECT_TRUE(asked.pauses.empty());
  EXPECT_EQ(model.num_requests(), 1u);
}

TEST(RepairEndpoint, errors_of_the_server_are_retried_with_growing_pauses_and_not_for_ever) {
  const ScriptedModel model({{http_response(500, "", "oops")},
                             {http_response(503, "", "")},
                             {http_response(529, "", "")},
                             {http_response(502, "", "")}});
  const Asked asked = ask_counting(endpoint_at(model.url()));
  EXPECT_THAT(asked.answer.fault, HasSubstr("4 tries failed, the last: status 502"));
  EXPECT_THAT(asked.pauses, ElementsAre(1, 2, 4));
  EXPECT_EQ(model.num_requests(), 4u);
}

TEST(RepairEndpoint, silence_and_a_closed_connection_are_retried) {
  const ScriptedModel model({{"", true}, {""}, openai_reply("ok")});
  Endpoint endpoint = endpoint_at(model.url());
  endpoint.max_silent_seconds = 0.2;
  const Asked asked = ask_counting(endpoint);
  EXPECT_EQ(asked.answer.reply.text, "ok");
  EXPECT_EQ(asked.answer.fault, "");
  ASSERT_EQ(asked.answer.retries.size(), 2u);
  EXPECT_THAT(asked.answer.retries[0].why, HasSubstr("nothing came for 0.2 s"));
}

TEST(RepairEndpoint, a_stream_that_breaks_off_is_left_to_the_caller_who_counts_tokens) {
  const std::string whole = openai_events("FILE a.hip and more");
  for (const bool stalls : {false, true}) {
    const ScriptedModel model({{event_stream(whole.substr(0, whole.size() / 2)), stalls}});
    Endpoint endpoint = endpoint_at(model.url());
    endpoint.max_silent_seconds = 0.2;
    const Asked asked = ask_counting(endpoint);
    EXPECT_TRUE(asked.answer.broke_off);
    EXPECT_NE(asked.answer.fault, "");
    EXPECT_EQ(model.num_requests(), 1u);
  }
}

TEST(RepairEndpoint, a_reply_without_end_is_cut) {
  const nlohmann::json delta{{"content", std::string(65536, 'a')}};
  const std::string event =
      "data: " + nlohmann::json{{"choices", {{{"index", 0}, {"delta", delta}}}}}.dump() + "\n\n";
  std::string events;
  for (int i = 0; i < 80; ++i) events += event;  // 5 MiB
  const ScriptedModel model({{event_stream(events), true}});
  const Asked asked = ask_counting(endpoint_at(model.url()));
  EXPECT_EQ(asked.answer.reply.end, ReplyEnd::length);
  EXPECT_EQ(asked.answer.fault, "");
  EXPECT_LE(asked.answer.reply.text.size(), size_t{5} << 20);
  EXPECT_GE(asked.answer.reply.text.size(), size_t{4} << 20);
}

TEST(RepairEndpoint, an_error_that_is_no_json_is_shown) {
  const ScriptedModel model({{http_response(401, "", "<p>no such account")}});
  const Caught error = caught([&] { ask_counting(endpoint_at(model.url())); });
  EXPECT_THAT(error.message, HasSubstr("status 401: \"<p>no such account\""));
}

TEST(RepairEndpoint, the_time_is_kept_however_slowly_a_server_speaks) {
  const ScriptedModel model({{"", true}, {"", true}, {"", true}, {"", true}});
  Endpoint endpoint = endpoint_at(model.url());
  endpoint.max_silent_seconds = 1000;
  const Asked asked = ask_counting(endpoint, 0.3);
  EXPECT_THAT(asked.answer.fault, HasSubstr("the time is up"));
  EXPECT_EQ(model.num_requests(), 1u);
}

TEST(RepairEndpoint, a_refused_request_is_the_callers_error_and_never_shows_the_key) {
  const ScriptedModel model({{http_response(
      401, "", "{\"error\": {\"message\": \"Incorrect API key provided today: " + kKey + "\"}}")}});
  const Caught error = caught([&] { ask_counting(endpoint_at(model.url())); });
  EXPECT_EQ(error.kind, ErrorKind::bad_input);
  EXPECT_THAT(error.message, HasSubstr("status 401"));
  EXPECT_THAT(error.message, Not(HasSubstr("secret")));
  EXPECT_EQ(model.num_requests(), 1u);
}

TEST(RepairEndpoint, a_redirection_is_not_followed) {
  const ScriptedModel other({openai_reply("stolen")});
  const ScriptedModel model(
      {{http_response(307, "Location: " + other.url() + "/chat/completions\r\n", "")}});
  EXPECT_EQ(caught([&] { ask_counting(endpoint_at(model.url())); }).kind, ErrorKind::bad_input);
  EXPECT_EQ(other.num_requests(), 0u);
}

TEST(RepairEndpoint, a_model_that_wants_the_newer_name_of_the_limit_gets_it) {
  const ScriptedModel model(
      {{http_response(400, "", "{\"error\": {\"message\": \"use max_completion_tokens\"}}")},
       openai_reply("ok")});
  EXPECT_EQ(ask_counting(endpoint_at(model.url())).answer.reply.text, "ok");
  EXPECT_THAT(model.requests()[1], HasSubstr("\"max_completion_tokens\":99"));
}

TEST(RepairEndpoint, a_reply_that_repeats_the_key_is_cleaned) {
  const ScriptedModel model({openai_reply("the key is " + kKey + "!")});
  EXPECT_EQ(ask_counting(endpoint_at(model.url())).answer.reply.text, "the key is [key]!");
}

std::string refusal_of(const Endpoint& endpoint) {
  const Caught error = caught([&] { validate(endpoint); });
  EXPECT_EQ(error.kind, ErrorKind::bad_input);
  EXPECT_THAT(error.message, Not(HasSubstr("secret")));
  return error.message;
}

TEST(RepairEndpoint, settings_that_would_lose_the_key_or_mean_nothing_are_refused) {
  Endpoint endpoint = endpoint_at("https://api.example.com/v1");
  EXPECT_NO_THROW(validate(endpoint));
  endpoint.url = "http://api.example.com/v1";
  EXPECT_THAT(refusal_of(endpoint), HasSubstr("in the clear"));
  endpoint.url = "http://127.0.0.1.example.com/v1";
  EXPECT_THAT(refusal_of(endpoint), HasSubstr("in the clear"));
  endpoint.key = "";
  EXPECT_NO_THROW(validate(endpoint));
  for (const char* url : {"http://localhost:8000/v1", "http://[::1]:80", "http://127.0.0.1"}) {
    EXPECT_NO_THROW(validate(endpoint_at(url))) << url;
  }
  for (const char* url :
       {"https://me:secret@host/v1", "https://host/v1?key=secret", "https://h#x"}) {
    EXPECT_THAT(refusal_of(endpoint_at(url)), HasSubstr("no place in it")) << url;
  }
  for (const char* url : {"ftp://host", "host/v1", "https://", "", "https:///x"}) {
    EXPECT_THAT(refusal_of(endpoint_at(url)), HasSubstr("expected https://")) << url;
  }
  EXPECT_THAT(refusal_of(endpoint_at("https://host/a b")), HasSubstr("blanks"));
  endpoint = endpoint_at("https://host/v1");
  endpoint.key = "secret\r\nHost: evil";
  EXPECT_THAT(refusal_of(endpoint), HasSubstr("AMBIDEX_REPAIR_KEY: holds blanks"));
  endpoint = endpoint_at("https://host/v1");
  endpoint.model = "";
  EXPECT_THAT(refusal_of(endpoint), HasSubstr("AMBIDEX_REPAIR_MODEL"));
}

Turn turn_with(const std::string& reply) {
  Turn turn{.program = "p", .kernels = {"k"}, .request = kRequest, .answer = {}};
  turn.answer.reply = {
      .text = reply, .end = ReplyEnd::done, .num_input_tokens = 5, .num_output_tokens = 6};
  turn.answer.retries = {{"status 500", 2}};
  turn.num_tokens = 11;
  turn.key = 0xfedcba9876543210;
  turn.gate = "words";
  turn.reason = "no \xff text";
  return turn;
}

TEST(RepairTranscript, what_was_written_is_read_again) {
  const ScratchFolder scratch;
  const std::string path = scratch.path("t.jsonl");
  {
    Transcript transcript(path, {{"port_sha256", "0"},
                                 {"model", "m"},
                                 {"protocol", "openai"},
                                 {"num_turns", 8},
                                 {"num_tokens", 1000},
                                 {"max_seconds", 60.0}});
    transcript.add(turn_with("one\ntwo"));
    transcript.finish({{"num_turns", 1}});
  }
  Replay replay(path);
  EXPECT_EQ(replay.start()["num_turns"], 8);
  const std::optional<Turn> read = replay.next(kRequest);
  ASSERT_TRUE(read);
  const Turn& turn = *read;
  EXPECT_EQ(turn.answer.reply.text, "one\ntwo");
  EXPECT_EQ(turn.answer.reply.end, ReplyEnd::done);
  EXPECT_EQ(turn.key, 0xfedcba9876543210);
  EXPECT_EQ(turn.num_tokens, 11);
  EXPECT_EQ(to_json(turn)["retries"], to_json(turn_with("one\ntwo"))["retries"]);
  EXPECT_FALSE(replay.next(kRequest));
}

// A first line as `port repair` writes it, but for one thing.
std::string started(const std::string& key, const nlohmann::ordered_json& value) {
  nlohmann::ordered_json start{{"kind", "start"},    {"version", 1},    {"ambidex", "0.1.2"},
                               {"port_sha256", "0"}, {"model", "m"},    {"protocol", "openai"},
                               {"num_turns", 8},     {"num_tokens", 9}, {"max_seconds", 60.0}};
  start[key] = value;
  return start.dump() + "\n";
}

TEST(RepairTranscript, one_of_another_version_is_refused) {
  Replay(started("model", "m"), "t.jsonl");
  EXPECT_THAT(caught([] { Replay(started("version", 99), "t.jsonl"); }).message,
              AllOf(HasSubstr("t.jsonl:1: is a transcript of version 99"),
                    HasSubstr("the one that made it, ambidex 0.1.2")));
}

TEST(RepairTranscript, a_budget_that_nobody_can_give_is_refused) {
  for (const auto& [key, value] : std::vector<std::pair<std::string, nlohmann::ordered_json>>{
           {"num_turns", -1},
           {"num_turns", 0},
           {"num_tokens", std::numeric_limits<int64_t>::min()},
           {"num_tokens", std::numeric_limits<int64_t>::max()},
           {"max_seconds", -1.0},
           {"max_seconds", 1e300}}) {
    EXPECT_THAT(caught([&] { Replay(started(key, value), "t.jsonl"); }).message,
                HasSubstr("t.jsonl:1: \"" + key + "\" is "));
  }
  nlohmann::ordered_json turn = to_json(turn_with("x"));
  turn["num_tokens"] = -5;
  EXPECT_THAT(caught([&] {
                Replay(turn.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace),
                       "t.jsonl");
              }).message,
              HasSubstr("t.jsonl:1: \"num_tokens\" is -5"));
}

TEST(RepairTranscript, the_one_that_made_it_is_named_where_requests_part) {
  const std::string line =
      to_json(turn_with("x"))
          .dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  Replay replay(started("model", "m") + line + "\n", "t.jsonl");
  ModelRequest other = kRequest;
  other.messages[2].text = "four";
  EXPECT_THAT(caught([&] { replay.next(other); }).message,
              HasSubstr("are not those of the transcript, ambidex 0.1.2"));
}

TEST(RepairTranscript, an_answer_to_another_request_is_refused) {
  const std::string line =
      to_json(turn_with("x"))
          .dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  Replay replay(line + "\n", "t.jsonl");
  ModelRequest other = kRequest;
  other.messages[2].text = "four";
  EXPECT_THAT(caught([&] { replay.next(other); }).message,
              HasSubstr("t.jsonl: turn 1 answers another request"));
  EXPECT_THAT(caught([] { Replay("{\"kind\": \"end\"}\nnot JSON\n", "t.jsonl"); }).message,
              HasSubstr("t.jsonl:2: not a line of a transcript"));
  EXPECT_THAT(caught([] { Replay("{\"kind\": \"start\"}\n", "t.jsonl"); }).message,
              HasSubstr("t.jsonl:1: not a line"));
  EXPECT_THAT(caught([] { Replay("{\"kind\": \"turn\"}\n", "t.jsonl"); }).message,
              HasSubstr("t.jsonl:1: not a line"));
}

}  // namespace
}  // namespace ambidex::repair
