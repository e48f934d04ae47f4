// SPDX-License-Identifier: Apache-2.0
// What a model's endpoint sends: events, JSON of both protocols, replies, patches; and transcripts.
#include "fuzz/fuzz.h"
#include "port/code_words.h"
#include "port/repair_cheats.h"
#include "port/repair_patch.h"
#include "port/repair_protocol.h"
#include "port/repair_transcript.h"

AMBIDEX_FUZZ(text) {
  using namespace ambidex;
  using namespace ambidex::repair;
  for (const Protocol protocol : {Protocol::openai, Protocol::anthropic}) {
    SseReader events;
    Reading reading;
    for (size_t at = 0; at < text.size(); at += 7) {
      for (const SseEvent& event : events.take(text.substr(at, 7))) {
        read_event(protocol, event, reading);
      }
    }
  }
  error_text(text);
  check(code::without_comments(text).size() == text.size(), "every byte keeps its place");
  static const std::string kSource = "int f(int x) {\n  return 2 * x;  // twice\n}\nint g;\n";
  static const std::vector<Body> kBodies{{"a.hip", "f", 0, 14, 41, 1, 3}};
  const Patch patch = apply(parse_reply(text).edits, {{"a.hip", kSource}}, kBodies);
  for (const auto& [name, after] : patch.files) {
    check(after.starts_with("int f(int x) {") && after.ends_with("}\nint g;\n"),
          "nothing changes outside of the body");
    cheat_in({.original = kSource, .before = kSource, .after = after, .sizes = {"x"}});
  }
  Replay(text, "fuzz.jsonl");
}
