// SPDX-License-Identifier: MIT
#include "config/merge_map.h"

#include <algorithm>
#include <utility>

#include "config/size_condition.h"
#include "config/system.h"
#include "config/yaml_tree.h"
#include "core/collective_type.h"
#include "core/diagnostic.h"
#include "core/units.h"
#include "util/glob.h"

namespace convert {
namespace {

std::string type_list() {
  std::string out;
  for (const std::string_view name : collective_type_names) {
    if (name != convert::name(CollectiveType::barrier)) out += (out.empty() ? "" : ", ") + std::string(name);
  }
  return out;
}

// Reads the name of a collective that carries something; a barrier is none.
std::optional<CollectiveType> parse_type(std::string_view text) {
  const auto type = parse_collective_type(text);
  return type == CollectiveType::barrier ? std::nullopt : type;
}

// ">=1MiB" or "<64MiB". False if it is no such condition.
bool take_size(std::string_view text, CollectiveSelection& which) {
  const auto size = parse_size_condition(text);
  if (!size) return false;
  which.min_bytes = size->min_bytes.value_or(which.min_bytes);
  which.end_bytes = size->end_bytes.value_or(which.end_bytes);
  return true;
}

class RuleParser {
 public:
  explicit RuleParser(const std::string& text) : text_(text), rest_(text) {}

  MergeRule parse(bool builtin) {
    MergeRule rule{.builtin = builtin, .text = text_};
    const std::string_view type = take_until(":=");
    if (type != "all") {
      rule.which.type = parse_type(type);
      if (!rule.which.type) throw wrong("'" + std::string(type) + "' is none of all, " + type_list());
    }
    while (!rest_.empty() && rest_.front() == ':') {
      rest_.remove_prefix(1);
      condition(rule.which);
    }
    if (rest_.size() < 2) throw wrong("no algorithm behind '='");
    rule.algorithm = rest_.substr(1);
    if (rule.which.min_bytes >= rule.which.end_bytes) throw wrong("no size is such");
    return rule;
  }

 private:
  [[nodiscard]] Error wrong(const std::string& why) const {
    return usage_error("'" + text_ + "': " + why + "; a rule is such as all_reduce:pg=3:size>=1MiB=ring8.xml");
  }
  std::string_view take_until(std::string_view ends) {
    const std::size_t end = std::min(rest_.find_first_of(ends), rest_.size());
    const std::string_view part = rest_.substr(0, end);
    rest_.remove_prefix(end);
    return part;
  }
  void condition(CollectiveSelection& which) {
    for (const std::string_view key : {"pg=", "node=", "name=", "size"}) {
      if (!rest_.starts_with(key)) continue;
      rest_.remove_prefix(key.size());
      const std::string sign(key == "size" ? size_sign(rest_) : "");
      rest_.remove_prefix(sign.size());
      const std::string value = sign + std::string(take_until(":="));
      if (key == "size" ? take_size(value, which) : take(key, value, which)) return;
      throw wrong("'" + std::string(key) + value + "' is no condition" +
                  (key == "size" ? "; those of the size are " + std::string(size_conditions) : ""));
    }
    throw wrong("'" + std::string(take_until(":=")) + "' is not pg=, node=, name=, " +
                std::string(size_conditions));
  }
  static bool take(std::string_view key, const std::string& value, CollectiveSelection& which) {
    if (value.empty()) return false;
    if (key == "pg=") which.group = value;
    if (key == "name=") which.name = value;
    if (key == "node=") {
      which.node = parse_unsigned(value);
      return which.node.has_value();
    }
    return true;
  }

  const std::string& text_;
  std::string_view rest_;
};

const YamlSubject map_yaml{.noun = "merge map", .rule = "merge", .is_empty = "says nothing", .max_keys = 8};

class MapReader {
 public:
  explicit MapReader(const std::string& file) : file_(file) {}
  MergeRule read(const YamlNode& entry);

 private:
  [[nodiscard]] Error error(const YamlNode& at, const std::string& message) const {
    return input_error({.file = file_, .line = at.line, .column = at.column}, message, "merge");
  }
  // The scalar of a key; null if it is not there.
  const YamlNode* scalar(const YamlNode& entry, std::string_view key) const {
    const YamlNode* node = entry.find(key);
    if (node != nullptr && (node->kind != YamlNode::Kind::scalar || node->text.empty()))
      throw error(*node, std::string(key) + " wants a single value");
    return node;
  }
  void read_size(const YamlNode& node, CollectiveSelection& which) const;

  const std::string& file_;
};

// ">=1MiB", or a list of such conditions.
void MapReader::read_size(const YamlNode& node, CollectiveSelection& which) const {
  const auto one = [&](const YamlNode& n) {
    if (n.kind != YamlNode::Kind::scalar || !take_size(n.text, which))
      throw error(n, "size wants conditions such as '>=1MiB' or '<64MiB'");
  };
  if (node.kind == YamlNode::Kind::list) {
    for (const YamlNode& n : node.items) one(n);
  } else {
    one(node);
  }
}

MergeRule MapReader::read(const YamlNode& entry) {
  if (entry.kind != YamlNode::Kind::map) throw error(entry, "a rule is a map, such as {collective: all_reduce, …}");
  check_yaml_keys(file_, entry, {"collective", "pg", "size", "node", "name", "algorithm", "builtin", "chunks"},
                  map_yaml);
  MergeRule rule{.text = file_ + ":" + std::to_string(entry.line)};
  if (const YamlNode* n = scalar(entry, "collective"); n != nullptr && n->text != "all") {
    rule.which.type = parse_type(n->text);
    if (!rule.which.type) throw error(*n, "'" + n->text + "' is none of all, " + type_list());
  }
  if (const YamlNode* n = scalar(entry, "pg")) rule.which.group = n->text;
  if (const YamlNode* n = scalar(entry, "name")) rule.which.name = n->text;
  if (const YamlNode* n = scalar(entry, "node")) {
    rule.which.node = parse_unsigned(n->text);
    if (!rule.which.node) throw error(*n, "node wants the id of a node");
  }
  if (const YamlNode* n = entry.find("size")) {
    read_size(*n, rule.which);
    if (rule.which.min_bytes >= rule.which.end_bytes) throw error(*n, "no size is such");
  }
  if (const YamlNode* n = scalar(entry, "chunks")) {
    const auto chunks = parse_int(n->text);
    constexpr std::int64_t most = 1 << 16;
    if (!chunks || *chunks < 1 || *chunks > most) throw error(*n, "chunks wants a number from 1 to 65536");
    rule.chunks = static_cast<std::uint32_t>(*chunks);
  }
  const YamlNode* const algorithm = scalar(entry, "algorithm");
  const YamlNode* const builtin = scalar(entry, "builtin");
  if ((algorithm == nullptr) == (builtin == nullptr))
    throw error(entry, "a rule wants either algorithm (a file or set) or builtin");
  rule.builtin = builtin != nullptr;
  const YamlNode& value = rule.builtin ? *builtin : *algorithm;
  rule.algorithm = value.text;
  rule.where = {.file = file_, .line = value.line, .column = value.column};
  return rule;
}

// ASTRA-sim's has numbers for keys, ours is {rules: [ … ]}.
bool is_map_of_nodes(std::string_view text) {
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n{-'\""), text.size()));
    if (!text.starts_with('#')) break;
    text.remove_prefix(std::min(text.find('\n'), text.size()));
  }
  return !text.empty() && text.front() >= '0' && text.front() <= '9';
}

}  // namespace

bool CollectiveSelection::fits(CollectiveType t, std::string_view of_group, std::int64_t bytes, NodeId id,
                               std::string_view node_name) const {
  const auto plain = [](std::string_view g) { return g.empty() ? std::string_view("0") : g; };
  return takes(t) && (!group || plain(*group) == plain(of_group)) && bytes >= min_bytes && bytes < end_bytes &&
         (!node || *node == id) && (name.empty() || matches_glob(name, node_name));
}

MergeRule parse_merge_rule(const std::string& text, bool builtin) { return RuleParser(text).parse(builtin); }

std::vector<MergeRule> parse_merge_map(const std::string& file, std::string_view text) {
  if (is_map_of_nodes(text)) {
    std::vector<MergeRule> rules;
    for (auto& [node, prefix] : parse_per_node_map(file, text)) {
      MergeRule& rule = rules.emplace_back();
      rule.which.node = node;
      rule.algorithm = prefix;
      rule.text = file + ": node " + std::to_string(node);
    }
    return rules;
  }
  const YamlNode root = parse_yaml_tree(file, text, map_yaml);
  check_yaml_keys(file, root, {"rules"}, map_yaml);
  const auto place_of = [&](const YamlNode& n) {
    return Location{.file = file, .line = n.line, .column = n.column};
  };
  const YamlNode* const list = root.find("rules");
  if (list == nullptr || list->kind != YamlNode::Kind::list)
    throw input_error(place_of(list == nullptr ? root : *list), "rules wants a list of maps", "merge");
  if (list->items.empty()) throw input_error(place_of(*list), "no rule is there", "merge");
  std::vector<MergeRule> rules;
  MapReader reader(file);
  for (const YamlNode& entry : list->items) rules.push_back(reader.read(entry));
  return rules;
}

}  // namespace convert
