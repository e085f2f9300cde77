// SPDX-License-Identifier: MIT
#include "config/yaml_tree.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <sstream>
#include <utility>

#include "core/words.h"
#include "util/utf8.h"

namespace convert {
namespace {

constexpr std::size_t max_values = 1 << 20;
constexpr std::int64_t max_open_brackets = 1000;

// Builds the tree event by event, so that depth and size are bounded during parsing.
class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(const std::string& file, const YamlSubject& subject) : file_(file), subject_(subject) {}
  YamlNode root;

  [[nodiscard]] bool empty() const { return values_ == 0; }
  [[nodiscard]] Error error(const YAML::Mark& mark, const std::string& message) const {
    Location where{.file = file_};
    if (!mark.is_null()) {
      where.line = static_cast<std::uint32_t>(mark.line) + 1;
      where.column = static_cast<std::uint32_t>(mark.column) + 1;
    }
    return input_error(std::move(where), message, subject_.rule);
  }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (std::exchange(started_, true))
      throw error(mark, "a second document; a " + subject_.noun + " has exactly one");
  }
  void OnDocumentEnd() override {}
  // A key without a value is marked at the next token; the location of the key is used instead.
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const bool is_value = !path_.empty() && is_key();
    const YamlNode* const key = is_value ? &path_.back()->items.back() : nullptr;
    const auto [line, column] = key != nullptr ? std::pair(key->line, key->column) : std::pair(0U, 0U);
    OnScalar(mark, "", anchor, "");
    if (is_value) {
      path_.back()->items.back().line = line;
      path_.back()->items.back().column = column;
    }
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    throw error(mark, "aliases are not supported in a " + subject_.noun);
  }
  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                const std::string& value) override {
    YamlNode& node = add(mark, anchor, YamlNode::Kind::scalar);
    node.text = value;
    if (path_.empty()) {
      throw error(mark, value.empty() ? subject_.is_empty : "not a " + subject_.noun + "; expected a map");
    }
    if (is_key()) check_key(mark, value);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(mark, anchor, YamlNode::Kind::list);
  }
  void OnSequenceEnd() override { path_.pop_back(); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(mark, anchor, YamlNode::Kind::map);
  }
  void OnMapEnd() override { path_.pop_back(); }

 private:
  // Returns whether the node just added is a key of the innermost map.
  [[nodiscard]] bool is_key() const {
    return path_.back()->kind == YamlNode::Kind::map && path_.back()->items.size() % 2 == 1;
  }

  // Pointers in path_ stay valid, because only the items of the innermost node grow.
  YamlNode& add(const YAML::Mark& mark, YAML::anchor_t anchor, YamlNode::Kind kind) {
    if (anchor != 0) throw error(mark, "anchors are not supported in a " + subject_.noun);
    if (++values_ > max_values) throw error(mark, "more than 2^20 values, too many for a " + subject_.noun);
    YamlNode& node = path_.empty() ? root : path_.back()->items.emplace_back();
    node.kind = kind;
    node.line = static_cast<std::uint32_t>(mark.line) + 1;
    node.column = static_cast<std::uint32_t>(mark.column) + 1;
    return node;
  }

  void open(const YAML::Mark& mark, YAML::anchor_t anchor, YamlNode::Kind kind) {
    const bool list = kind == YamlNode::Kind::list;
    if (path_.empty() && list)
      throw error(mark, "the file is a list; a " + subject_.noun + " requires a map of keys");
    YamlNode& node = add(mark, anchor, kind);
    if (path_.size() == subject_.max_depth || (!path_.empty() && is_key())) {
      throw error(mark, list ? "unexpected list" : "unexpected map");
    }
    path_.push_back(&node);
  }

  void check_key(const YAML::Mark& mark, const std::string& key) {
    const std::vector<YamlNode>& items = path_.back()->items;
    if (items.size() > 2 * subject_.max_keys)
      throw error(mark, "more keys than a map of a " + subject_.noun + " may have");
    for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
      if (items[i].text == key) throw error(mark, "key '" + key + "' is repeated");
    }
  }

  const std::string& file_;
  const YamlSubject& subject_;
  bool started_ = false;
  std::size_t values_ = 0;
  std::vector<YamlNode*> path_;  // the open lists and maps
};

// Returns the column of a tab in the indentation of a line, or npos; line and column count from 0.
std::size_t find_tab(std::string_view text, int line) {
  std::size_t begin = 0;
  for (; line > 0 && begin != std::string_view::npos; --line) {
    begin = text.find('\n', begin);
    if (begin != std::string_view::npos) ++begin;
  }
  if (begin == std::string_view::npos) return begin;
  const std::string_view rest = text.substr(begin);
  return rest.substr(0, rest.find_first_not_of(" \t")).find('\t');
}

// Returns the offset of a bracket nested unreasonably deep, or npos. yaml-cpp would store all brackets before it
// reports the first.
std::size_t find_deep_bracket(std::string_view s) {
  std::int64_t open = 0;
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (s[i] == '[' || s[i] == '{') {
      if (++open > max_open_brackets) return i;
    } else if ((s[i] == ']' || s[i] == '}') && open > 0) {
      --open;
    }
  }
  return std::string_view::npos;
}

void check_text(const std::string& file, std::string_view text, const YamlSubject& subject) {
  if (text.size() > max_yaml_bytes)
    throw input_error({.file = file}, "larger than 4 MiB, the " + subject.noun + " limit", subject.rule);
  std::size_t bad = find_invalid_utf8(text);
  std::string what = "not UTF-8";
  if (bad == std::string_view::npos) {
    bad = text.find('\0');
    what = "a NUL byte";
  }
  if (bad == std::string_view::npos) {
    bad = find_deep_bracket(text);
    what = "brackets nested too deeply for a " + subject.noun;
  }
  if (bad != std::string_view::npos)
    throw input_error({.file = file, .offset = static_cast<std::int64_t>(bad)}, what, subject.rule);
}

}  // namespace

const YamlSubject network_yaml = {
    .noun = "network file",
    .rule = "network",
    .is_empty = "empty; a network file has the keys topology, npus_count, bandwidth and latency, or npus and links",
    .max_keys = 16};

const YamlNode* YamlNode::find(std::string_view key) const {
  for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
    if (items[i].text == key) return &items[i + 1];
  }
  return nullptr;
}

YamlNode parse_yaml_tree(const std::string& file, std::string_view text, const YamlSubject& subject) {
  check_text(file, text, subject);
  TreeBuilder builder(file, subject);
  std::istringstream stream{std::string(text)};
  try {
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const YAML::Exception& e) {
    const std::size_t tab = e.mark.is_null() ? std::string_view::npos : find_tab(text, e.mark.line);
    if (tab == std::string_view::npos) throw builder.error(e.mark, e.msg);
    YAML::Mark mark = e.mark;
    mark.column = static_cast<int>(tab);
    throw builder.error(mark, "a tab in the indentation; YAML requires spaces");
  }
  if (builder.empty() || builder.root.items.empty())
    throw input_error({.file = file}, subject.is_empty, subject.rule);
  return std::move(builder.root);
}

Error yaml_error(const std::string& file, const YamlNode& at, const std::string& message) {
  return input_error({.file = file, .line = at.line, .column = at.column}, message, network_yaml.rule);
}

void check_yaml_keys(const std::string& file, const YamlNode& map, const std::vector<std::string>& known,
                     const YamlSubject& subject) {
  for (std::size_t i = 0; i < map.items.size(); i += 2) {
    const YamlNode& key = map.items[i];
    if (std::ranges::find(known, key.text) != known.end()) continue;
    throw input_error({.file = file, .line = key.line, .column = key.column},
                      "unknown key '" + key.text + "'" + hint_for(key.text, known), subject.rule);
  }
}

}  // namespace convert
