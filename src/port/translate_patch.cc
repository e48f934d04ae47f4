// SPDX-License-Identifier: Apache-2.0
// A translated tree as a unified diff, made from its edits: no search for what has changed.
#include <fmt/format.h>

#include <algorithm>

#include "port/translate.h"

namespace ambidex {
namespace {

constexpr int64_t kContext = 3;

// Lines with their ends; the last may have none.
std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return lines;
}

// Lines [first, last) of the old text and what they become.
struct Change {
  int64_t first = 0;
  int64_t last = 0;
  std::string text;
};

int64_t line_of(const std::vector<int64_t>& starts, int64_t offset) {
  return std::upper_bound(starts.begin(), starts.end(), offset) - starts.begin() - 1;
}

std::string text_between(const TranslatedFile& file, int64_t from, int64_t to,
                         const std::vector<const TranslateEdit*>& edits) {
  std::string out;
  int64_t at = from;
  for (const TranslateEdit* edit : edits) {
    out.append(file.text, static_cast<size_t>(at), static_cast<size_t>(edit->offset - at));
    out += edit->replacement;
    at = edit->offset + edit->length;
  }
  return out.append(file.text, static_cast<size_t>(at), static_cast<size_t>(to - at));
}

// Whole lines that edits touch, those of edits on one line together.
std::vector<Change> changes_of(const TranslatedFile& file,
                               const std::vector<std::string_view>& lines) {
  std::vector<int64_t> starts{0};
  for (const std::string_view line : lines) {
    starts.push_back(starts.back() + static_cast<int64_t>(line.size()));
  }
  std::vector<Change> changes;
  std::vector<const TranslateEdit*> group;
  const auto last_line = std::ssize(lines);
  const auto close = [&] {
    if (group.empty()) return;
    Change& change = changes.back();
    const auto start = [&](int64_t line) { return starts[static_cast<size_t>(line)]; };
    change.text = text_between(file, start(change.first), start(change.last), group);
    group.clear();
  };
  for (const TranslateEdit& edit : file.edits) {
    if (edit.carried) continue;
    const int64_t first = std::min(line_of(starts, edit.offset), last_line);
    const int64_t end = std::max(edit.offset, edit.offset + edit.length - 1);
    const int64_t last = std::min(line_of(starts, end) + 1, last_line);
    if (group.empty() || first >= changes.back().last) {
      close();
      changes.push_back({first, last, ""});
    }
    changes.back().last = std::max(changes.back().last, last);
    group.push_back(&edit);
  }
  close();
  return changes;
}

// Lines that both sides have at the ends of a change are no change.
void trim(Change& change, const std::vector<std::string_view>& lines) {
  const std::string whole = change.text;
  std::vector<std::string_view> fresh = lines_of(whole);
  size_t skip = 0;
  while (skip < fresh.size() && change.first < change.last &&
         fresh[skip] == lines[static_cast<size_t>(change.first)]) {
    ++skip;
    ++change.first;
  }
  fresh.erase(fresh.begin(), fresh.begin() + static_cast<int64_t>(skip));
  while (!fresh.empty() && change.first < change.last &&
         fresh.back() == lines[static_cast<size_t>(change.last - 1)]) {
    fresh.pop_back();
    --change.last;
  }
  std::string text;
  for (const std::string_view line : fresh) text += line;
  change.text = std::move(text);
}

void append_line(std::string& out, char mark, std::string_view line) {
  out += mark;
  out += line;
  if (!line.ends_with('\n')) out += "\n\\ No newline at end of file\n";
}

std::string range(int64_t first, int64_t num) {
  // An empty range names the line before it.
  return fmt::format("{},{}", num == 0 ? first : first + 1, num);
}

// Changes [from, to) are close enough to share a hunk.
void append_hunk(std::string& out, const std::vector<std::string_view>& lines,
                 const std::vector<Change>& changes, size_t from, size_t to, int64_t shift) {
  const int64_t first = std::max<int64_t>(0, changes[from].first - kContext);
  const int64_t last = std::min(std::ssize(lines), changes[to - 1].last + kContext);
  std::string body;
  int64_t num_new = 0;
  int64_t at = first;
  const auto keep = [&](int64_t until) {
    for (; at < until; ++at, ++num_new) append_line(body, ' ', lines[static_cast<size_t>(at)]);
  };
  for (size_t i = from; i < to; ++i) {
    keep(changes[i].first);
    for (; at < changes[i].last; ++at) append_line(body, '-', lines[static_cast<size_t>(at)]);
    for (const std::string_view line : lines_of(changes[i].text)) {
      append_line(body, '+', line);
      ++num_new;
    }
  }
  keep(last);
  out += fmt::format("@@ -{} +{} @@\n", range(first, last - first), range(first + shift, num_new));
  out += body;
}

std::string hunks_of(const TranslatedFile& file) {
  const auto lines = lines_of(file.text);
  std::vector<Change> changes = changes_of(file, lines);
  for (Change& change : changes) trim(change, lines);
  std::string out;
  int64_t shift = 0;
  for (size_t i = 0; i < changes.size();) {
    size_t to = i + 1;
    while (to < changes.size() && changes[to].first - changes[to - 1].last <= 2 * kContext) ++to;
    append_hunk(out, lines, changes, i, to, shift);
    for (; i < to; ++i) {
      shift += std::ssize(lines_of(changes[i].text)) - (changes[i].last - changes[i].first);
    }
  }
  return out;
}

// As git quotes it: C's escapes, where a patch could not be read otherwise, or a terminal would
// obey it.
std::string quoted(const std::string& path) {
  static constexpr std::string_view kNamed = "\a\b\t\n\v\f\r\"\\";
  static constexpr std::string_view kLetters = "abtnvfr\"\\";
  std::string out;
  for (const char letter : path) {
    const auto byte = static_cast<unsigned char>(letter);
    if (const size_t at = kNamed.find(letter); at != std::string_view::npos) {
      out += {'\\', kLetters[at]};
    } else if (byte < 0x20 || byte >= 0x7f) {
      out += fmt::format("\\{:03o}", byte);
    } else {
      out += letter;
    }
  }
  return out == path ? path : '"' + out + '"';
}

// In the lines of --- and +++, where a date may follow the name.
std::string dated(const std::string& path) {
  const std::string name = quoted(path);
  return name.starts_with('"') || name.find(' ') == std::string::npos ? name : name + "\t";
}

std::string new_file(const TranslatedFile& file) {
  const auto lines = lines_of(file.new_text);
  std::string out = fmt::format(
      "diff --git {} {}\nnew file mode 100644\n--- /dev/null\n+++ {}\n@@ -0,0 +1,{} @@\n",
      quoted("a/" + file.new_name), quoted("b/" + file.new_name), dated("b/" + file.new_name),
      lines.size());
  for (const std::string_view line : lines) append_line(out, '+', line);
  return out;
}

}  // namespace

std::string patch_of(const TranslatedTree& tree) {
  std::string out;
  for (const TranslatedFile& file : tree.files) {
    const std::string hunks = hunks_of(file);
    const bool is_renamed = file.new_name != file.name;
    if ((hunks.empty() && !is_renamed) || !file.link.empty()) continue;
    const std::string before = "a/" + file.name, after = "b/" + file.new_name;
    out += fmt::format("diff --git {} {}\n", quoted(before), quoted(after));
    if (is_renamed) {
      out +=
          fmt::format("rename from {}\nrename to {}\n", quoted(file.name), quoted(file.new_name));
    }
    if (!hunks.empty())
      out += fmt::format("--- {}\n+++ {}\n{}", dated(before), dated(after), hunks);
  }
  for (const TranslatedFile& file : tree.support) out += new_file(file);
  return out;
}

}  // namespace ambidex
