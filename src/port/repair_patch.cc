// SPDX-License-Identifier: Apache-2.0
#include "port/repair_patch.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <set>

#include "base/text.h"
#include "port/code_words.h"

namespace ambidex::repair {
namespace {

constexpr std::string_view kFormat =
    "expected FILE name, then <<<<<<< SEARCH, lines, =======, lines, >>>>>>> REPLACE";

std::string_view next_line(std::string_view& text) {
  const size_t end = text.find('\n');
  std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::string_view trimmed(std::string_view line) {
  while (line.starts_with(' ') || line.starts_with('\t')) line.remove_prefix(1);
  while (line.ends_with(' ') || line.ends_with('\t')) line.remove_suffix(1);
  return line;
}

// Lines up to the marker; nothing if it never comes.
std::optional<std::string> lines_until(std::string_view& text, std::string_view marker) {
  std::string lines;
  while (!text.empty()) {
    const std::string_view line = next_line(text);
    if (trimmed(line).starts_with(marker)) return lines;
    lines.append(line);
    lines += '\n';
  }
  return std::nullopt;
}

// The bytes of `text` that a search means.
struct Match {
  int64_t begin = 0, end = 0;
  bool inside(const Body& body) const { return begin >= body.begin && end <= body.end; }
};

std::vector<Match> matches_of(const code::Words& words, std::string_view text,
                              const code::Words& search) {
  std::vector<Match> matches;
  for (int64_t i = 0; i + search.size() <= words.size(); ++i) {
    int64_t same = 0;
    while (same < search.size() && words.text(i + same) == search.text(same)) ++same;
    if (same < search.size()) continue;
    const std::string_view last = words.text(i + same - 1);
    matches.push_back(
        {words.text(i).data() - text.data(), last.data() + last.size() - text.data()});
  }
  return matches;
}

struct Located {
  size_t body = 0;
  Match match;
  std::string replace;
};

std::string allowed_names(const std::vector<Body>& bodies) {
  std::vector<std::string> names;
  for (const Body& body : bodies)
    names.push_back(fmt::format("{} in {}", body.function, body.file));
  return fmt::format("{}", fmt::join(names, ", "));
}

// Puts the edit into `located`, or says why it cannot be.
std::string locate(const Edit& edit, const Texts& texts, const std::vector<Body>& bodies,
                   std::vector<Located>& located) {
  const bool allowed = std::any_of(bodies.begin(), bodies.end(),
                                   [&](const Body& body) { return body.file == edit.file; });
  const auto found = texts.find(edit.file);
  if (!allowed || found == texts.end()) {
    return fmt::format("FILE {} may not be changed; only the bodies of {} may", quote(edit.file),
                       allowed_names(bodies));
  }
  const code::Words search = code::words_of(edit.search);
  if (search.words.empty()) return "SEARCH holds no code: repeat the lines to be replaced";
  std::vector<Located> inside;
  const std::vector<Match> all = matches_of(code::words_of(found->second), found->second, search);
  for (const Match& match : all) {
    for (size_t i = 0; i < bodies.size(); ++i) {
      if (bodies[i].file != edit.file || !match.inside(bodies[i])) continue;
      inside.push_back({i, match, edit.replace});
    }
  }
  if (inside.empty() && all.empty()) return "SEARCH is not in the source as it was shown";
  if (inside.empty()) {
    return fmt::format(
        "SEARCH lies outside of what may be changed: only the bodies of {}, without "
        "their heads and braces, may",
        allowed_names(bodies));
  }
  if (inside.size() > 1) {
    return fmt::format("SEARCH is {} times in the source; repeat more lines", inside.size());
  }
  located.push_back(std::move(inside[0]));
  return "";
}

// A body that stands between its braces whatever its neighbours hold.
bool is_closed(const std::string& body) {
  std::string braced = "{";
  braced.append(body).append("}");
  const code::Words words = code::words_of(braced);
  return words.whole && code::closing(words, 0) == words.size() - 1;
}

std::string size_fault(const std::vector<Edit>& edits, const PatchLimits& limits) {
  int64_t num_bytes = 0, num_lines = 0;
  for (const Edit& edit : edits) {
    num_bytes += std::ssize(edit.replace);
    num_lines += std::count(edit.replace.begin(), edit.replace.end(), '\n');
  }
  if (num_bytes <= limits.max_bytes && num_lines <= limits.max_lines) return "";
  return fmt::format("the patch is too large: {} lines of {} bytes, at most {} of {} are taken",
                     num_lines, num_bytes, limits.max_lines, limits.max_bytes);
}

std::string overlap_fault(std::vector<Located>& located, const std::vector<Body>& bodies) {
  std::sort(located.begin(), located.end(), [&](const Located& a, const Located& b) {
    return std::tie(bodies[a.body].file, a.match.begin) <
           std::tie(bodies[b.body].file, b.match.begin);
  });
  for (size_t i = 1; i < located.size(); ++i) {
    if (bodies[located[i - 1].body].file == bodies[located[i].body].file &&
        located[i].match.begin < located[i - 1].match.end) {
      return "two edits change the same words; make them one";
    }
  }
  return "";
}

BodyChange changed_body(const std::string& text, const Body& body, size_t index,
                        const std::vector<Located>& located) {
  BodyChange change{.body = body, .before = {}, .after = {}};
  const auto piece = [&](int64_t begin, int64_t end) {
    return text.substr(static_cast<size_t>(begin), static_cast<size_t>(end - begin));
  };
  change.before = piece(body.begin, body.end);
  int64_t at = body.begin;
  for (const Located& one : located) {
    if (one.body != index) continue;
    std::string_view replace = one.replace;
    const size_t last_line =
        replace.substr(0, replace.empty() ? 0 : replace.size() - 1).rfind('\n');
    const bool ends_in_comment = replace.find("//", last_line + 1) != std::string_view::npos;
    if (replace.ends_with('\n') && !ends_in_comment) replace.remove_suffix(1);
    // The first line stands where the words that it replaces stood.
    while (replace.starts_with(' ') || replace.starts_with('\t')) replace.remove_prefix(1);
    change.after += piece(at, one.match.begin);
    change.after += replace;
    at = one.match.end;
  }
  change.after += piece(at, body.end);
  return change;
}

}  // namespace

Reply parse_reply(std::string_view text) {
  Reply reply;
  std::string file, cannot;
  while (!text.empty()) {
    const std::string_view line = trimmed(next_line(text));
    if (line.starts_with("FILE ")) file = trimmed(line.substr(5));
    if (line.starts_with("CANNOT:")) cannot = trimmed(line.substr(7));
    if (!line.starts_with("<<<<<<<")) continue;
    const auto search = lines_until(text, "=======");
    const auto replace = search ? lines_until(text, ">>>>>>>") : std::nullopt;
    if (!replace || file.empty()) {
      return {
          .edits = {},
          .gave_up = {},
          .fault = fmt::format(
              "{}; {}", file.empty() ? "a block without FILE" : "a block without end", kFormat)};
    }
    reply.edits.push_back({file, *search, *replace});
  }
  if (reply.edits.empty() && !cannot.empty()) reply.gave_up = cannot;
  if (reply.edits.empty() && cannot.empty())
    reply.fault = fmt::format("no edit in it; {}", kFormat);
  return reply;
}

Patch apply(const std::vector<Edit>& edits, const Texts& texts, const std::vector<Body>& bodies,
            const PatchLimits& limits) {
  Patch patch{.files = {}, .changes = {}, .fault = size_fault(edits, limits)};
  std::vector<Located> located;
  for (size_t i = 0; i < edits.size() && patch.fault.empty(); ++i) {
    const std::string fault = locate(edits[i], texts, bodies, located);
    if (!fault.empty()) patch.fault = fmt::format("edit {}: {}", i + 1, fault);
  }
  if (patch.fault.empty()) patch.fault = overlap_fault(located, bodies);
  std::set<size_t> touched;
  for (const Located& one : located) touched.insert(one.body);
  // From the back, so that places before a change stay.
  for (auto body = touched.rbegin(); body != touched.rend() && patch.fault.empty(); ++body) {
    const Body& span = bodies[*body];
    const std::string& text = texts.at(span.file);
    BodyChange change = changed_body(text, span, *body, located);
    if (!is_closed(change.after)) {
      patch.fault = fmt::format("{}: its braces, comments or literals no longer close within it",
                                span.function);
      break;
    }
    std::string& now = patch.files.try_emplace(span.file, text).first->second;
    now.replace(static_cast<size_t>(span.begin), change.before.size(), change.after);
    patch.changes.push_back(std::move(change));
  }
  if (patch.fault.empty() && std::all_of(patch.changes.begin(), patch.changes.end(),
                                         [](const auto& c) { return c.before == c.after; })) {
    patch.fault = "the patch changes nothing";
  }
  return patch.fault.empty() ? patch : Patch{.files = {}, .changes = {}, .fault = patch.fault};
}

}  // namespace ambidex::repair
