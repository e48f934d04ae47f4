// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "frontend/syntax.h"

namespace ambidex::syntax {
namespace {

constexpr size_t kMaxVariants = 6;

// One branch of an #if: its words, and the groups inside it.
struct Branch {
  size_t directive = 0;  // that opens it
  bool dead = false;     // under a literal 0
  int64_t first = 0;     // words
  int64_t last = 0;
  std::vector<size_t> groups;  // inside
  bool covered = false;
};

struct Group {
  std::vector<Branch> branches;
  int64_t last = 0;  // past its #endif
};

struct Conditionals {
  std::vector<Group> groups;
  std::vector<size_t> top;
};

bool is_literal(const SourceFile& file, const Directive& directive, std::string_view number) {
  return directive.rest.last == directive.rest.first + 1 &&
         file.tokens[static_cast<size_t>(directive.rest.first)].text == number;
}

Conditionals conditionals_of(const SourceFile& file) {
  Conditionals all;
  std::vector<size_t> open;
  const auto close_branch = [&](int64_t at) { all.groups[open.back()].branches.back().last = at; };
  for (size_t i = 0; i < file.directives.size(); ++i) {
    const Directive& directive = file.directives[i];
    if (directive.name.starts_with("if")) {
      const size_t group = all.groups.size();
      (open.empty() ? all.top : all.groups[open.back()].branches.back().groups).push_back(group);
      all.groups.emplace_back();
      open.push_back(group);
      all.groups[group].branches.push_back(
          {.directive = i, .dead = is_literal(file, directive, "0"), .first = directive.line.last});
    } else if (directive.name.starts_with("el") && !open.empty()) {
      close_branch(directive.line.first);
      const auto& first = file.directives[all.groups[open.back()].branches[0].directive];
      all.groups[open.back()].branches.push_back(
          {.directive = i, .dead = is_literal(file, first, "1"), .first = directive.line.last});
    } else if (directive.name == "endif" && !open.empty()) {
      close_branch(directive.line.first);
      all.groups[open.back()].last = directive.line.last;
      open.pop_back();
    }
  }
  for (const size_t group : open) {  // never closed
    all.groups[group].branches.back().last = std::ssize(file.tokens);
    all.groups[group].last = std::ssize(file.tokens);
  }
  return all;
}

class Chooser {
 public:
  Chooser(const SourceFile& file, bool hip, Conditionals& all, Words& words)
      : file_(file), hip_(hip), all_(all), words_(words) {}

  void take(int64_t first, int64_t last, const std::vector<size_t>& groups) {
    int64_t at = first;
    for (const size_t index : groups) {
      Group& group = all_.groups[index];
      take_words(at, file_.directives[group.branches[0].directive].line.first);
      choose(group);
      at = group.last;
    }
    take_words(at, last);
  }

  bool has_uncovered(const std::vector<size_t>& groups) const {
    for (const size_t group : groups) {
      for (const Branch& branch : all_.groups[group].branches) {
        if (!branch.dead && (!branch.covered || has_uncovered(branch.groups))) return true;
      }
    }
    return false;
  }

 private:
  void choose(Group& group) {
    Branch* chosen = nullptr;
    for (Branch& branch : group.branches) {
      if (branch.dead) continue;
      if (!branch.covered || has_uncovered(branch.groups)) {
        chosen = &branch;
        break;
      }
      if (chosen == nullptr) chosen = &branch;
    }
    if (chosen == nullptr) return;
    chosen->covered = true;
    take(chosen->first, chosen->last, chosen->groups);
  }

  void take_words(int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) {
      const Token& token = file_.tokens[static_cast<size_t>(i)];
      if (!token.directive && (hip_ || !token.amd_only)) words_.tokens.push_back(&token);
    }
  }

  const SourceFile& file_;
  bool hip_;
  Conditionals& all_;
  Words& words_;
};

char closing(std::string_view open) {
  if (open == "(") return ')';
  return open == "[" ? ']' : '}';
}

}  // namespace

void match_brackets(Words& words) {
  words.partner.assign(words.tokens.size(), -1);
  std::vector<int> open;
  for (int i = 0; i < std::ssize(words.tokens); ++i) {
    const std::string_view text = words.text(i);
    if (text == "(" || text == "[" || text == "{") open.push_back(i);
    if (text != ")" && text != "]" && text != "}") continue;
    // A bracket that was never closed must not swallow the rest: skip to the one that fits.
    size_t depth = open.size();
    while (depth > 0 && closing(words.text(open[depth - 1])) != text[0]) --depth;
    if (depth == 0 || (text != "}" && depth + 1 < open.size())) continue;
    words.partner[static_cast<size_t>(open[depth - 1])] = i;
    words.partner[static_cast<size_t>(i)] = open[depth - 1];
    open.resize(depth - 1);
  }
}

std::vector<std::unique_ptr<Words>> variants_of(const SourceFile& file, bool hip) {
  Conditionals all = conditionals_of(file);
  std::vector<std::unique_ptr<Words>> variants;
  for (bool more = true; more && variants.size() < kMaxVariants;) {
    auto words = std::make_unique<Words>();
    words->file = &file;
    Chooser chooser(file, hip, all, *words);
    chooser.take(0, std::ssize(file.tokens), all.top);
    more = chooser.has_uncovered(all.top);
    match_brackets(*words);
    variants.push_back(std::move(words));
  }
  return variants;
}

}  // namespace ambidex::syntax
