// SPDX-License-Identifier: Apache-2.0
// What a model's reply can change, and what it cannot.
#include "port/repair_patch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "caught.h"
#include "port/code_words.h"
#include "port/repair_shown.h"
#include "port/repair_spans.h"

namespace ambidex::repair {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

const std::string kSource = R"(#include <hip/hip_runtime.h>
__device__ int lock = 0;  // keep {
__device__ inline int twice(int x) {
  return 2 * x;  // doubled
}
template <int N = int{3}>
__global__ void __launch_bounds__(64) count(int* out, int n) {
  int i = threadIdx.x;  /* a comment */
#if N > 2  // {
  if (i < n) {
    out[i] = twice(i);
  }
#endif
}
int main() {
  int i = threadIdx.x;
  return i;
}
)";

nlohmann::json place(const char* name, int line, int end_line, const char* file = "/t/hip/a.hip") {
  return {{"name", name}, {"file", file}, {"line", line}, {"end_line", end_line}};
}

std::vector<Body> bodies(const Texts& texts) {
  nlohmann::json kernel = place("count<3>", 7, 14);
  kernel["device_functions"] = {place("twice", 3, 5),
                                place("shfl", 1, 2, "/t/hip/ambidex_port/warp.h")};
  return bodies_of(kernel, texts, "/t/hip");
}

const Texts kTexts{{"a.hip", kSource}, {"ambidex_port/warp.h", "int shfl() {\n}\n"}};

std::string block(const std::string& file, const std::string& search, const std::string& replace) {
  return "FILE " + file + "\n<<<<<<< SEARCH\n" + search + "\n=======\n" + replace +
         "\n>>>>>>> REPLACE\n";
}

Patch patched(const std::string& reply) {
  const Reply read = parse_reply(reply);
  EXPECT_EQ(read.fault, "");
  return apply(read.edits, kTexts, bodies(kTexts));
}

TEST(RepairWords, comments_literals_and_directives_are_told_apart) {
  const code::Words words = code::words_of(
      "#define A(x) { \\\n  y\nint a = 0x1'F.p+3f; // \"no\n char* s = \"a // b\" R\"x(}\")x\" "
      "'\\'';");
  std::vector<std::string> texts;
  for (const code::Word& word : words.words) {
    if (!word.directive) texts.emplace_back(word.text);
  }
  EXPECT_THAT(texts, ElementsAre("int", "a", "=", "0x1'F.p+3f", ";", "char", "*", "s", "=",
                                 "\"a // b\"", "R\"x(}\")x\"", "'\\''", ";"));
  EXPECT_TRUE(words.whole);
  for (const char* open : {"/* a", "\"a", "'a\n'", "R\"(a", "R\"a"}) {
    EXPECT_FALSE(code::words_of(open).whole) << open;
  }
}

TEST(RepairWords, without_comments_every_byte_keeps_its_place) {
  const std::string bare = code::without_comments(kSource);
  ASSERT_EQ(bare.size(), kSource.size());
  EXPECT_THAT(bare, Not(HasSubstr("comment")));
  EXPECT_THAT(bare, Not(HasSubstr("doubled")));
  for (size_t i = 0; i < bare.size(); ++i) {
    EXPECT_TRUE(bare[i] == kSource[i] || bare[i] == ' ');
    EXPECT_EQ(bare[i] == '\n', kSource[i] == '\n');
  }
}

TEST(RepairSpans, bodies_are_those_of_the_kernel_and_its_functions_between_the_braces) {
  const std::vector<Body> found = bodies(kTexts);
  ASSERT_EQ(found.size(), 2u);  // nothing of the port's headers
  EXPECT_EQ(found[0].function, "twice");
  EXPECT_EQ(kSource.substr(found[0].begin, found[0].end - found[0].begin),
            "\n  return 2 * x;  // doubled\n");
  EXPECT_EQ(found[1].function, "count");
  const std::string body = kSource.substr(found[1].begin, found[1].end - found[1].begin);
  EXPECT_TRUE(body.starts_with("\n  int i = threadIdx.x;  /*")) << body;
  EXPECT_TRUE(body.ends_with("out[i] = twice(i);\n  }\n#endif\n")) << body;
}

TEST(RepairSpans, a_function_that_a_macro_writes_has_no_body) {
  const Texts texts{{"a.hip", "#define K(n) __global__ void n(int* p) { *p = 1; }\nK(count)\n"}};
  nlohmann::json kernel = place("count", 2, 2);
  kernel["device_functions"] = nlohmann::json::array();
  EXPECT_THAT(caught([&] { bodies_of(kernel, texts, "/t/hip"); }).message,
              HasSubstr("written by a macro"));
}

TEST(RepairSpans, the_frame_is_all_but_the_bodies) {
  const std::vector<Body> found = bodies(kTexts);
  std::string changed = kSource;
  changed.replace(found[1].begin, found[1].end - found[1].begin, " return; ");
  std::vector<Body> moved = found;
  moved[1].end = moved[1].begin + 9;
  EXPECT_EQ(frame_of(changed, "a.hip", moved), frame_of(kSource, "a.hip", found));
  changed[0] = '%';
  EXPECT_NE(frame_of(changed, "a.hip", moved), frame_of(kSource, "a.hip", found));
}

TEST(RepairReply, blocks_are_read_among_talk_and_fences) {
  const Reply reply = parse_reply("Sure!\r\n```\r\n" + block("a.hip", "x = 1;", "x = 2;") +
                                  "```\nand\n" + block("b.hip", "y", "") + "CANNOT: ignored\n");
  ASSERT_EQ(reply.edits.size(), 2u);
  EXPECT_EQ(reply.edits[0].file, "a.hip");
  EXPECT_EQ(reply.edits[0].search, "x = 1;\n");
  EXPECT_EQ(reply.edits[1].replace, "\n");
  EXPECT_EQ(reply.gave_up, "");
}

TEST(RepairReply, malformed_replies_say_what_was_expected) {
  EXPECT_THAT(parse_reply("").fault, HasSubstr("no edit in it; expected FILE"));
  EXPECT_THAT(parse_reply("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n").fault, HasSubstr("no edit"));
  EXPECT_THAT(parse_reply("FILE a\n<<<<<<< SEARCH\nx\n=======\ny\n").fault,
              HasSubstr("a block without end"));
  EXPECT_THAT(parse_reply("<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n").fault,
              HasSubstr("a block without FILE"));
  EXPECT_EQ(parse_reply("thinking\nCANNOT: no fences here\n").gave_up, "no fences here");
}

TEST(RepairPatch, an_edit_is_found_by_its_words_and_changes_nothing_else) {
  const Patch patch =
      patched(block("a.hip", "int  i =\n threadIdx.x;", "  int i = threadIdx.x + 0;"));
  EXPECT_EQ(patch.fault, "");  // main has the same words, and is no place to look
  std::string wanted = kSource;
  wanted.insert(wanted.find("threadIdx.x") + 11, " + 0");
  EXPECT_EQ(patch.files.at("a.hip"), wanted);
}

TEST(RepairPatch, several_edits_apply_at_once) {
  const Patch patch = patched(block("a.hip", "out[i] = twice(i);", "out[i] = twice(i + 0);") +
                              block("a.hip", "return 2 * x;", "return x + x;  // why"));
  EXPECT_EQ(patch.fault, "");
  EXPECT_EQ(patch.changes.size(), 2u);
  EXPECT_THAT(patch.files.at("a.hip"), HasSubstr("return x + x;  // why\n"));
  EXPECT_THAT(patch.files.at("a.hip"), HasSubstr("twice(i + 0);"));
}

TEST(RepairPatch, other_files_are_refused_whatever_they_are_called) {
  for (const char* file : {"main.hip", "../original/a.cu", "/etc/passwd", "./a.hip", "a.hip/",
                           "ambidex_port/warp.h", "verdict.json", ""}) {
    const std::string shown = std::string(file).empty() ? "x" : file;
    const Reply reply = parse_reply(block(shown, "int", "long"));
    EXPECT_THAT(apply(reply.edits, kTexts, bodies(kTexts)).fault, HasSubstr("may not be changed"))
        << file;
  }
}

TEST(RepairPatch, host_code_heads_and_globals_are_outside) {
  for (const char* search :
       {"return i;", "int main() {", "__launch_bounds__(64)", "int* out, int n",
        "__device__ int lock = 0;", "#include <hip/hip_runtime.h>", "  }\n#endif\n}",
        "{\n  return 2 * x;"}) {
    EXPECT_THAT(patched(block("a.hip", search, "x")).fault,
                HasSubstr("edit 1: SEARCH lies outside of what may be changed"))
        << search;
  }
}

TEST(RepairPatch, what_is_not_there_or_there_twice_is_told) {
  EXPECT_THAT(patched(block("a.hip", "int j;", "x")).fault, HasSubstr("not in the source"));
  EXPECT_THAT(patched(block("a.hip", "i", "x")).fault, HasSubstr("times in the source"));
  EXPECT_THAT(patched(block("a.hip", "// nothing", "x")).fault, HasSubstr("holds no code"));
  EXPECT_THAT(
      patched(block("a.hip", "return 2 * x;", "return 2*x;") + block("a.hip", "2 * x", "x")).fault,
      HasSubstr("the same words"));
  EXPECT_THAT(patched(block("a.hip", "return 2 * x;", "return 2 * x;")).fault,
              HasSubstr("changes nothing"));
}

// Each would let text of the patch reach beyond its function.
TEST(RepairPatch, a_body_closes_within_itself) {
  for (const char* replace :
       {"return x; } __device__ int cache; __device__ int other(int x) { return x;", "return x; }",
        "{ return x;", "return x; /*", "return \"x;", "return x; R\"(", "return x; '"}) {
    EXPECT_THAT(patched(block("a.hip", "return 2 * x;", replace)).fault,
                testing::AnyOf(HasSubstr("no longer close"), HasSubstr("closes")))
        << replace;
  }
}

TEST(RepairPatch, too_large_a_patch_is_refused) {
  std::string lines;
  for (int i = 0; i < 400; ++i) lines += "x = x;\n";
  EXPECT_THAT(patched(block("a.hip", "return 2 * x;", lines)).fault, HasSubstr("too large"));
  EXPECT_THAT(patched(block("a.hip", "return 2 * x;", std::string(20000, 'x'))).fault,
              HasSubstr("too large"));
}

KernelReport failed(const std::string& name, const std::string& message, bool element, bool place) {
  VerifyCase one{.name = name, .right = false, .message = message, .first = {}, .place = {}};
  if (element) one.first = Divergence{.name = "out", .index = 17, .expected = 4.25, .actual = 3.5};
  if (place) one.place = TracedPlace{.file = "a.hip", .line = 7, .thread = {33, 0, 0}};
  return {.kernel = "k", .verdict = KernelVerdict::wrong, .reason = "r", .failures = {one}};
}

const std::string kElement =
    "out[17] is 3.5, the original has 4.25 (allowed error 1e-06); 3 of 129 f32 wrong; written at "
    "a.hip:7, block (0,0,0), thread (33,0,0)";
const std::string kProblem =
    "out_of_bounds at a.hip:7, block (0,0,0), thread (33,0,0): reads byte 132 of 129";

TEST(RepairShown, of_the_programs_own_launches_the_place_and_the_candidates_value) {
  EXPECT_EQ(shown_failure(failed("launch 0, width 64, seed 1", kElement, true, true)),
            "in the program's own launch, on waves of 64 lanes: out[17] is 3.5, which is not what "
            "the original has; written at a.hip:7, block (0,0,0), thread (33,0,0)");
  EXPECT_EQ(shown_failure(failed("width 64, seed 0", kProblem, false, true)),
            "in the program's own launch, on waves of 64 lanes: " + kProblem);
}

TEST(RepairShown, of_hidden_launches_no_size_seed_value_or_tolerance) {
  for (const char* name : {"launch 0, n = 33, width 64", "launch 1, values wide, width 32",
                           "some form that is not known yet, 129"}) {
    for (const bool element : {false, true}) {
      for (const bool place : {false, true}) {
        for (const std::string& message :
             {kElement, kProblem, std::string("out has 132 bytes, the original's has 516"),
              std::string("a new kind of message with 4.25 and 129")}) {
          const std::string shown = shown_failure(failed(name, message, element, place));
          for (const char* secret : {"33", "129", "4.25", "1e-06", "3.5", "17", "132", "516"}) {
            EXPECT_THAT(shown, Not(HasSubstr(secret))) << name << message;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace ambidex::repair
