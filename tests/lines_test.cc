// SPDX-License-Identifier: Apache-2.0
// Bytes and lines of files: compression, line ends, limits, places to return to. The oracle of
// lines is std::getline.
#include "data/lines.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include "data/text_file.h"
#include "data_samples.h"

namespace ambidex {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string random_text(int64_t num_lines, uint32_t seed, uint32_t longest = 200) {
  std::mt19937 random(seed);
  std::string text;
  for (int64_t i = 0; i < num_lines; ++i) {
    const auto length = static_cast<int64_t>(random() % longest);
    for (int64_t j = 0; j < length; ++j) text += static_cast<char>('a' + random() % 26);
    text += '\n';
  }
  return text;
}

std::vector<std::string> plain_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::vector<std::string> lines_of(const std::string& path) {
  LineStream reader(path);
  std::vector<std::string> lines;
  for (std::string_view line; reader.next(line);) lines.emplace_back(line);
  return lines;
}

/// The same text in every form that a file may have, members that follow each other included.
std::vector<std::string> forms_of(const ScratchFolder& folder, const std::string& text) {
  const std::string head = text.substr(0, text.size() / 3);
  const std::string tail = text.substr(text.size() / 3);
  return {folder.write("plain", text), folder.write("gzip", gzip_of(text)),
          folder.write("zstd", zstd_of(text)),
          folder.write("gzips", gzip_of(head) + gzip_of("") + gzip_of(tail) + std::string(9, '\0')),
          folder.write("zstds", zstd_of(head) + zstd_of("") + zstd_of(tail))};
}

TEST(Lines, every_form_of_a_file_has_the_same_lines) {
  const ScratchFolder folder;
  const std::string text = random_text(20'000, 1);
  const auto expected = plain_lines(text);
  for (const std::string& path : forms_of(folder, text)) {
    EXPECT_EQ(lines_of(path), expected) << path;
  }
}

TEST(Lines, short_files_and_missing_line_ends_are_no_trouble) {
  const ScratchFolder folder;
  for (const std::string text : {"", "\n", "a", "a\n", "a\nb", "\n\na", "ab\r\ncd\r\n", "x\ry\n"}) {
    auto expected = plain_lines(text);
    for (std::string& line : expected) {
      if (line.ends_with('\r')) line.pop_back();
    }
    EXPECT_EQ(lines_of(folder.write("plain", text)), expected);
    EXPECT_EQ(lines_of(folder.write("gzip", gzip_of(text))), expected);
    EXPECT_EQ(lines_of(folder.write("zstd", zstd_of(text))), expected);
  }
  EXPECT_THAT(lines_of(folder.write("mark",
                                    "\xEF\xBB\xBF"
                                    "a\n\xEF\xBB\xBF"
                                    "b\n")),
              ElementsAre("a",
                          "\xEF\xBB\xBF"
                          "b"));
}

TEST(Lines, a_reader_returns_to_any_line_in_every_form) {
  const ScratchFolder folder;
  const std::string text = random_text(5000, 2);
  const auto expected = plain_lines(text);
  for (const std::string& path : forms_of(folder, text)) {
    LineStream reader(path);
    std::string_view line;
    std::vector<int64_t> bytes{0};
    while (reader.next(line)) bytes.push_back(reader.byte());
    EXPECT_EQ(bytes.back(), std::ssize(text));
    for (const int64_t i : {4999, 0, 1, 2500, 4000, 3999, 17}) {
      reader.seek(bytes[static_cast<size_t>(i)], i);
      ASSERT_TRUE(reader.next(line));
      EXPECT_EQ(line, expected[static_cast<size_t>(i)]) << path << " line " << i;
      EXPECT_EQ(reader.line(), i + 1);
      EXPECT_EQ(reader.byte(), bytes[static_cast<size_t>(i) + 1]);
    }
    EXPECT_THAT(message_of([&] { reader.seek(std::ssize(text) + 1, 5000); }),
                HasSubstr("was the file changed since the position was saved?"));
  }
}

TEST(Lines, lines_may_be_long_but_not_endless) {
  const ScratchFolder folder;
  const std::string longest(static_cast<size_t>(kMaxLineBytes), 'x');
  const std::string text = "a\n" + longest + "\nb\n";
  EXPECT_THAT(lines_of(folder.write("long", text)), ElementsAre("a", longest, "b"));
  for (const std::string& more : {std::string("x\n"), std::string(5 << 20, 'x')}) {
    const std::string path = folder.write("endless", "a\n" + longest + more);
    EXPECT_EQ(message_of([&] { lines_of(path); }),
              "bad_input: " + path +
                  ":2: expected lines of at most 1048576 bytes, got more; is it a text file with "
                  "line ends?");
  }
}

TEST(Lines, truncated_and_damaged_files_are_named) {
  const ScratchFolder folder;
  const std::string text = random_text(3000, 3);
  const auto message = [&](const std::string& bytes) {
    const std::string path = folder.write("broken", bytes);
    std::string said = message_of([&] { lines_of(path); });
    EXPECT_THAT(said, HasSubstr("bad_input: " + path + ": the "));
    EXPECT_THAT(said, HasSubstr("; copy or download the file again"));
    return said;
  };
  for (std::string packed : {gzip_of(text), zstd_of(text)}) {
    for (const size_t size : {packed.size() - 1, packed.size() / 2, size_t{20}}) {
      EXPECT_THAT(message(packed.substr(0, size)), HasSubstr(" stream ends early")) << size;
    }
    EXPECT_THAT(message(packed + "garbage"), HasSubstr(" stream is damaged: "));
    for (size_t i = 100; i < 160; ++i) packed[i] = static_cast<char>(packed[i] ^ 0x55);
    EXPECT_THAT(message(packed), HasSubstr(" stream is damaged: "));
  }
}

TEST(Lines, what_cannot_be_opened_is_named) {
  const ScratchFolder folder;
  const std::string path = folder.path.string();
  EXPECT_EQ(
      message_of([&] { TextFile file(path + "/none"); }),
      "not_found: " + path + "/none: cannot open: No such file or directory; give a readable file");
  EXPECT_EQ(message_of([&] { TextFile file(path); }),
            "bad_input: " + path + ": expected a file, got a folder");
  const std::string pipe = path + "/pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THAT(
      message_of([&] { TextFile file(pipe); }),
      HasSubstr("expected a plain file, got a pipe or device; data is read more than once"));
}

}  // namespace
}  // namespace ambidex
