// SPDX-License-Identifier: Apache-2.0
// Edits: made, put in order, and rendered.
#include <algorithm>

#include "frontend/translate.h"

namespace ambidex {
namespace {

// At one place insertions come first, then the longer edit.
bool is_before(const Edit& a, const Edit& b) {
  if (a.first != b.first) return a.first < b.first;
  const bool a_inserts = a.first == a.last;
  const bool b_inserts = b.first == b.last;
  if (a_inserts || b_inserts) return a_inserts && !b_inserts;
  return a.last > b.last;
}

// Whether `inner` is copied into the replacement of `outer`.
bool is_carried(const Edit& outer, const Edit& inner) {
  return std::any_of(outer.pieces.begin(), outer.pieces.end(), [&](const Piece& piece) {
    return piece.first >= 0 && piece.first <= inner.first && inner.last <= piece.last;
  });
}

bool conflicts(const Edit& outer, const Edit& edit) {
  if (outer.first == edit.first && outer.last == edit.last && edit.last > edit.first) return true;
  if (outer.last <= edit.first || outer.first >= edit.last) return false;
  return !is_carried(outer, edit);
}

// Drops what crosses an edit that stays, and what an edit that stays throws away. Sets `parents`:
// the innermost edit that carries it, or -1.
std::vector<Edit> kept(std::vector<Edit>& edits, std::vector<int64_t>& parents) {
  std::stable_sort(edits.begin(), edits.end(), is_before);
  std::vector<Edit> out;
  std::vector<int64_t> open;  // of `out`, those that reach to here
  for (Edit& edit : edits) {
    while (!open.empty() && out[static_cast<size_t>(open.back())].last <= edit.first) {
      open.pop_back();
    }
    if (!open.empty() && conflicts(out[static_cast<size_t>(open.back())], edit)) continue;
    parents.push_back(open.empty() ? -1 : open.back());
    if (edit.last > edit.first) open.push_back(std::ssize(out));
    out.push_back(std::move(edit));
  }
  return out;
}

std::string_view slice(const Words& words, int64_t first, int64_t last) {
  return std::string_view(*words.file.text)
      .substr(static_cast<size_t>(first), static_cast<size_t>(last - first));
}

std::string text_of(const Words& words, const std::vector<Edit>& edits, size_t index);

// [first, last) of the source with the edits inside of it; those before `from` are not.
std::string rendered(const Words& words, const std::vector<Edit>& edits, size_t from, int64_t first,
                     int64_t last) {
  std::string out;
  int64_t at = first;
  for (size_t i = from; i < edits.size() && edits[i].first <= last; ++i) {
    if (edits[i].first < at || edits[i].last > last) continue;
    out += slice(words, at, edits[i].first);
    out += text_of(words, edits, i);
    at = edits[i].last;
  }
  return out += slice(words, at, last);
}

std::string text_of(const Words& words, const std::vector<Edit>& edits, size_t index) {
  std::string out;
  for (const Piece& piece : edits[index].pieces) {
    out +=
        piece.first < 0 ? piece.text : rendered(words, edits, index + 1, piece.first, piece.last);
  }
  return out;
}

}  // namespace

void replace_word(Translation& translation, int64_t index, std::string text, std::string_view rule,
                  std::string_view hazard, std::string note) {
  translation.edits.push_back({.first = translation.words.first(index),
                               .last = translation.words.last(index),
                               .pieces = {{.text = std::move(text)}},
                               .rule = std::string(rule),
                               .hazard = std::string(hazard),
                               .note = std::move(note)});
}

void insert_at(Translation& translation, int64_t offset, std::string text, std::string_view rule,
               std::string_view hazard, std::string note) {
  translation.edits.push_back({.first = offset,
                               .last = offset,
                               .pieces = {{.text = std::move(text)}},
                               .rule = std::string(rule),
                               .hazard = std::string(hazard),
                               .note = std::move(note)});
}

void refuse_word(Translation& translation, int64_t index, std::string_view rule,
                 std::string_view hazard, std::string reason) {
  translation.refusals.push_back({.offset = translation.words.first(index),
                                  .hazard = std::string(hazard),
                                  .rule = std::string(rule),
                                  .reason = std::move(reason)});
}

std::vector<PlainEdit> resolved(const Words& words, std::vector<Edit>& edits) {
  std::vector<int64_t> parents;
  edits = kept(edits, parents);
  std::vector<PlainEdit> out;
  for (size_t i = 0; i < edits.size(); ++i) {
    PlainEdit plain{.first = edits[i].first, .last = edits[i].last, .edit = &edits[i]};
    plain.is_carried = parents[i] >= 0;
    if (!plain.is_carried) plain.text = text_of(words, edits, i);
    out.push_back(std::move(plain));
  }
  return out;
}

}  // namespace ambidex
