// SPDX-License-Identifier: Apache-2.0
// The readers of names and numbers. What the user typed ends up in the message, so the message is
// held to one line.
#include "base/text.h"
#include "fuzz/fuzz.h"

namespace {

template <class Read>
void expect_one_line(Read read) {
  try {
    read();
  } catch (const ambidex::Error& error) {
    const std::string_view message = error.what();
    ambidex::check(message.find('\n') == message.npos, "a message has two lines");
    throw;
  }
}

}  // namespace

AMBIDEX_FUZZ(text) {
  ambidex::int64_from_text(text);
  ambidex::double_from_text(text);
  const bool is_layout = text.size() < 3;
  expect_one_line([&] {
    if (is_layout) {
      ambidex::layout_from_name(text);
    } else {
      ambidex::dtype_from_name(text);
    }
  });
}
