// SPDX-License-Identifier: Apache-2.0
#include "base/yaml.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <utility>

#include "ambidex/base.h"
#include "base/text.h"

namespace ambidex {
namespace {

[[noreturn]] void fail(const std::string& where, int line, std::string_view message) {
  throw Error(ErrorKind::bad_input, line > 0 ? fmt::format("{}:{}: {}", where, line, message)
                                             : fmt::format("{}: {}", where, message));
}

constexpr std::string_view kPlainKey = "a key must be plain text on one line";

int line_of(const YAML::Mark& mark) { return mark.is_null() ? 0 : mark.line + 1; }

YamlNode make_node(YamlKind kind, const YAML::Mark& mark) {
  YamlNode node;
  node.kind = kind;
  node.line = line_of(mark);
  return node;
}

// The half of an entry "key: value" that has been read so far, per open map.
struct OpenNode {
  YamlNode node;
  std::string key;
  int key_line = 0;
  std::map<std::string, int> key_lines;  // of all keys so far
  bool has_key = false;
};

class TreeBuilder : public YAML::EventHandler {
 public:
  explicit TreeBuilder(const std::string& where) : where_(where) {}

  YamlNode root;

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    refuse_anchor(mark, anchor);
    add(make_node(YamlKind::null, mark));
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    fail(where_, line_of(mark), "YAML aliases are not supported; write the value out");
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    refuse_anchor(mark, anchor);
    refuse_tag(mark, tag);
    if (wants_key()) {
      start_entry(line_of(mark), value);
      return;
    }
    YamlNode node = make_node(YamlKind::scalar, mark);
    node.text = value;
    node.quoted = tag == "!";
    add(std::move(node));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(YamlKind::list, mark, tag, anchor);
  }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(YamlKind::map, mark, tag, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapEnd() override { close(); }

 private:
  void refuse_anchor(const YAML::Mark& mark, YAML::anchor_t anchor) const {
    if (anchor != 0)
      fail(where_, line_of(mark), "YAML anchors are not supported; remove the \"&\"");
  }
  void refuse_tag(const YAML::Mark& mark, const std::string& tag) const {
    if (!tag.empty() && tag != "?" && tag != "!") {
      fail(where_, line_of(mark), "YAML tags are not supported; remove the \"!\"");
    }
  }
  void open(YamlKind kind, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    refuse_anchor(mark, anchor);
    refuse_tag(mark, tag);
    const int line = line_of(mark);
    if (std::ssize(open_) >= kMaxYamlDepth) {
      fail(where_, line, fmt::format("nested deeper than {} levels", kMaxYamlDepth));
    }
    require_key(line);
    open_.emplace_back().node = make_node(kind, mark);
  }
  void close() {
    YamlNode node = std::move(open_.back().node);
    open_.pop_back();
    add(std::move(node));
  }
  bool wants_key() const {
    return !open_.empty() && open_.back().node.kind == YamlKind::map && !open_.back().has_key;
  }
  void require_key(int line) const {
    if (wants_key()) fail(where_, line, kPlainKey);
  }
  void start_entry(int line, const std::string& key) {
    const auto is_control = [](unsigned char byte) { return byte < 0x20 || byte == 0x7f; };
    if (std::any_of(key.begin(), key.end(), is_control)) fail(where_, line, kPlainKey);
    OpenNode& map = open_.back();
    const auto [first, is_new] = map.key_lines.emplace(key, line);
    if (!is_new) {
      fail(where_, line,
           fmt::format("key {} is repeated; first on line {}", quote(key), first->second));
    }
    map.key = key;
    map.key_line = line;
    map.has_key = true;
  }
  void add(YamlNode node) {
    require_key(node.line);
    if (open_.empty()) {
      root = std::move(node);
      return;
    }
    OpenNode& parent = open_.back();
    if (parent.node.kind == YamlKind::map) {
      node.key = std::exchange(parent.key, {});
      node.line = parent.key_line;  // yaml-cpp's mark of an empty value is on a later line
      parent.has_key = false;
    }
    parent.node.children.push_back(std::move(node));
  }

  const std::string& where_;
  std::vector<OpenNode> open_;
};

}  // namespace

YamlNode parse_yaml(std::string_view text, const std::string& where) {
  if (std::ssize(text) > kMaxYamlBytes) {
    fail(where, 0, fmt::format("{} bytes; at most {} are read", text.size(), kMaxYamlBytes));
  }
  TreeBuilder builder(where);
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    if (!parser.HandleNextDocument(builder)) fail(where, 0, "the file is empty");
    YamlNode root = std::move(builder.root);
    if (parser.HandleNextDocument(builder)) {
      fail(where, builder.root.line, "a second YAML document; one is expected");
    }
    return root;
  } catch (const YAML::Exception& error) {
    fail(where, line_of(error.mark), "malformed YAML: " + error.msg);
  }
}

std::string place_of(const YamlNode& node, const std::string& where) {
  return node.origin.empty() ? fmt::format("{}:{}", where, node.line) : node.origin;
}

std::string shown(const YamlNode& node) {
  if (node.kind == YamlKind::null) return "nothing";
  if (node.kind == YamlKind::list) return "a list";
  if (node.kind == YamlKind::map) return "a map";
  return quote(node.text);
}

}  // namespace ambidex
