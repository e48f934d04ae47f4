// SPDX-License-Identifier: Apache-2.0
// Device code that was refused is marked where it stands, once, and nothing else is.
#include "port/refusal_marks.h"

#include <gmock/gmock.h>

#include "port/repair_patch.h"

namespace ambidex {
namespace {

std::string marked(const std::string& text, const std::vector<int64_t>& lines) {
  TranslatedFile file{.path = "a.cu",
                      .name = "a.cu",
                      .new_name = "a.hip",
                      .link = {},
                      .text = text,
                      .new_text = {},
                      .edits = {},
                      .refusals = {}};
  for (const int64_t line : lines) {
    file.refusals.push_back({.line = line, .hazard = "S03", .rule = "r", .reason = "a\nlock \\"});
  }
  mark_refusals(file);
  return edited(text, file.edits);
}

constexpr std::string_view kMark =
    "// ambidex: REFUSED S03: a lock  \n"
    "// It is as it was: on an AMD GPU it may hang or be wrong. Do not launch it.\n"
    "#ifndef AMBIDEX_ALLOW_REFUSED\n"
    "#warning \"ambidex: REFUSED S03: the function below is not ported\"\n"
    "#endif  // ambidex: REFUSED\n";

const std::string kBefore =
    "#define F(x) { x; \\\n  __device__ }\n"
    "struct S { int a[2]; };\n"
    "__device__ int table[] = {1, 2};\n"
    "namespace n {\n"
    "void host() { const char* s = \"}{\"; char c = '{'; int m = 1'000; }  // {\n";
const std::string kKernel =
    "template <class T>\n__global__ void __launch_bounds__(64) k(T* p) {\n  if (*p) { ++*p; }\n}\n";

TEST(RefusalMarks, stand_above_the_whole_of_a_kernel) {
  EXPECT_EQ(marked(kBefore + "/* k */\n" + kKernel + "}\n", {10}),
            kBefore + "/* k */\n" + std::string(kMark) + kKernel + "}\n");
}

TEST(RefusalMarks, are_made_once) {
  const std::string once = marked(kBefore + kKernel + "}\n", {9});
  EXPECT_NE(once, kBefore + kKernel + "}\n");
  EXPECT_EQ(marked(once, {14}), once);
}

TEST(RefusalMarks, are_not_for_host_code_macros_or_code_beside) {
  const std::string text = kBefore + kKernel + "}\n";
  EXPECT_EQ(marked(text, {1, 3, 4, 6, 11}), text);
}

TEST(RefusalMarks, keep_the_ends_of_lines) {
  const std::string out = marked("__global__ void k() {\r\n}\r\n", {1});
  EXPECT_EQ(std::count(out.begin(), out.end(), '\n'), std::count(out.begin(), out.end(), '\r'));
}

TEST(RefusalMarks, go_with_a_repair) {
  const std::string text =
      marked("__device__ int f() { return 1; }\n__global__ void k() { }\n", {2});
  const auto at = static_cast<int64_t>(text.find("{ }"));
  const auto first = static_cast<int64_t>(text.find("{ return"));
  const repair::Body k{.file = "a.hip",
                       .function = "k",
                       .head = at - 20,
                       .begin = at,
                       .end = at + 3,
                       .line = 7,
                       .end_line = 7};
  repair::Body f = k;
  f.begin = first;
  repair::Patch patch;
  patch.changes = {{f, "{ return 1; }", "{ return 12; }"}};
  std::string after = text;
  patch.files["a.hip"] = after.replace(static_cast<size_t>(first), 13, "{ return 12; }");
  patch = repair::without_marks(patch, {{"a.hip", text}}, {f, k});
  EXPECT_EQ(patch.files.at("a.hip"),
            "__device__ int f() { return 12; }\n__global__ void k() { }\n");
  EXPECT_THAT(repair::diff_of(patch, {{"a.hip", text}}), testing::HasSubstr("-#warning"));
}

}  // namespace
}  // namespace ambidex
