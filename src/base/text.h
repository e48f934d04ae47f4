// SPDX-License-Identifier: Apache-2.0
// Reading numbers from text and putting foreign text into messages.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ambidex {

/// `"text"` made safe for one line of a terminal: control characters as \xNN, cut after 60 bytes.
std::string quote(std::string_view text);

/// `text` made safe for one line of a terminal, whole: control characters as \xNN.
std::string printable(std::string_view text);

/// The same without blanks and ends of lines at its end.
std::string single_line(std::string_view text);

/// The same as `printable` of lines of text or JSON: as \u00NN, and ends of lines and tabs stay.
std::string printable_lines(std::string_view text);

/// "1 edit", "2 edits".
std::string num_of(int64_t count, std::string_view noun);

/// Lower case of ASCII letters; other bytes as they are. Does not read the locale.
std::string to_lower(std::string_view text);

/// The whole of `text` as a decimal integer; nothing on other characters or overflow.
std::optional<int64_t> int64_from_text(std::string_view text);

/// The whole of `text` as a finite decimal number ("3.2e12"); nothing otherwise.
std::optional<double> double_from_text(std::string_view text);

}  // namespace ambidex
