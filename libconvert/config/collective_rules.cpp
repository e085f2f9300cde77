// SPDX-License-Identifier: MIT
#include "config/collective_rules.h"

#include <algorithm>
#include <set>

#include "collectives/collective.h"
#include "config/system.h"
#include "config/yaml_tree.h"
#include "core/collective.h"
#include "core/diagnostic.h"
#include "core/units.h"
#include "core/words.h"
#include "util/glob.h"

namespace convert {
namespace {

// A barrier carries no data.
bool carries(Collective c) { return in_traces(c) && c != Collective::barrier; }

bool is_all(std::string_view text) { return same_name(text, "all"); }

// Reads "all" or the name of a collective. Returns the error, or an empty string.
std::string read_type(std::string_view text, CollectiveSelection& which, bool (*known)(Collective) = carries) {
  if (is_all(text)) return "";
  which.type = parse_collective(text, known);
  if (which.type) which.type = without_block(*which.type);
  return which.type ? "" : "'" + std::string(text) + "' is not one of all, " + join(names_of(known));
}

constexpr std::string_view size_conditions = "size>=BYTES, size>BYTES, size<BYTES or size<=BYTES";

// Returns the sign at the beginning of `text`: ">=", ">", "<=" or "<"; empty if there is no sign.
std::string_view size_sign(std::string_view text) {
  const bool has_sign = text.starts_with('>') || text.starts_with('<');
  return text.substr(0, !has_sign ? 0 : text.substr(1).starts_with('=') ? 2 : 1);
}

// Parses ">=1MiB" or "<64MiB". Returns false for other texts.
bool take_size(std::string_view text, CollectiveSelection& which) {
  const std::string_view sign = size_sign(text);
  const auto bytes = parse_bytes(text.substr(sign.size()));
  if (sign.empty() || !bytes) return false;
  const bool from_next = sign == ">" || sign == "<=";
  (sign[0] == '>' ? which.min_bytes : which.end_bytes) = from_next ? std::min(*bytes, INT64_MAX - 1) + 1 : *bytes;
  return true;
}

constexpr const char* graph_advice =
    "graph files require a conversion: write an algorithm with et-generate -a graph:FILE -o algorithm.xml, and "
    "name it";

void set_algorithm(CollectiveRule& rule, std::string_view text) {
  rule.native = text.starts_with(native_prefix);
  rule.builtin = names_library_algorithm(text) || same_name(text.substr(0, text.find(',')), "synthesized");
  rule.algorithm = text.substr(rule.native ? native_prefix.size() : 0);
}

// Returns whether a rule begins with a selection of collectives, unlike a path, a list of options, and a prefix
// such as "astra:".
bool has_selection(std::string_view text) {
  const std::size_t end = text.find_first_of(":=,/.");
  if (end == std::string_view::npos) return names_collectives(text);
  if (text[end] != ':' && text[end] != '=') return false;
  const std::string_view begin = text.substr(0, end + 1);
  return begin != native_prefix && begin != graph_prefix;
}

class RuleParser {
 public:
  explicit RuleParser(const std::string& text) : text_(text), rest_(text) {}

  CollectiveRule parse() {
    CollectiveRule rule{.text = text_};
    if (has_selection(text_)) {
      read_selection(rule.which, carries);
      if (rest_.size() < 2) throw wrong("no algorithm after '='");
      rest_.remove_prefix(1);
    }
    set_algorithm(rule, rest_);
    if (rule.algorithm.starts_with(graph_prefix)) throw usage_error("'" + text_ + "': " + graph_advice);
    if (rule.algorithm.empty()) throw wrong("no algorithm" + (rule.native ? " after 'astra:'" : std::string()));
    return rule;
  }
  CollectiveSelection parse_selection() {
    example_ = "an example is all_reduce:pg=3:size>=1MiB";
    CollectiveSelection which;
    read_selection(which, in_traces);
    if (!rest_.empty()) throw wrong("unexpected text after the conditions");
    return which;
  }

 private:
  [[nodiscard]] Error wrong(const std::string& why) const {
    return usage_error("'" + text_ + "': " + why + "; " + example_);
  }
  void read_selection(CollectiveSelection& which, bool (*known)(Collective)) {
    const std::string bad_type = read_type(take_until(":="), which, known);
    if (!bad_type.empty()) throw wrong(bad_type);
    while (!rest_.empty() && rest_.front() == ':') {
      rest_.remove_prefix(1);
      condition(which);
    }
    if (which.min_bytes >= which.end_bytes) throw wrong("no size satisfies the conditions");
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
      const std::string name = std::string(key) + sign.substr(0, 1);
      if (!seen_.insert(name).second) throw wrong("'" + name + "' is repeated");
      if (key == "size" ? take_size(value, which) : take(key, value, which)) return;
      throw wrong("'" + std::string(key) + value + "' is not a condition" +
                  (key == "size" ? "; conditions of the size are " + std::string(size_conditions) : ""));
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
  std::string example_ = "an example is all_reduce:pg=3:size>=1MiB=ring8.xml";
  std::set<std::string> seen_;
};

const YamlSubject map_yaml{
    .noun = "merge map", .rule = "merge", .is_empty = "empty; a merge map requires the key rules", .max_keys = 8};

// ASTRA-sim's map has numeric keys, etkit's map is {rules: [ … ]}.
bool is_map_of_nodes(std::string_view text) {
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n{-'\""), text.size()));
    if (!text.starts_with('#')) break;
    text.remove_prefix(std::min(text.find('\n'), text.size()));
  }
  return !text.empty() && text.front() >= '0' && text.front() <= '9';
}

class MapReader {
 public:
  explicit MapReader(const std::string& file) : file_(file) {}
  CollectiveRule read(const YamlNode& entry) {
    if (entry.kind != YamlNode::Kind::map)
      throw error(entry, "a rule must be a map, such as {collective: all_reduce, …}");
    check_yaml_keys(file_, entry, {"collective", "pg", "size", "node", "name", "algorithm", "chunks"}, map_yaml);
    CollectiveRule rule{.text = file_ + ":" + std::to_string(entry.line)};
    if (const YamlNode* n = scalar(entry, "collective")) {
      const std::string bad_type = read_type(n->text, rule.which);
      if (!bad_type.empty()) throw error(*n, bad_type);
    }
    if (const YamlNode* n = scalar(entry, "pg")) rule.which.group = n->text;
    if (const YamlNode* n = scalar(entry, "name")) rule.which.name = n->text;
    if (const YamlNode* n = scalar(entry, "node")) {
      rule.which.node = parse_unsigned(n->text);
      if (!rule.which.node) throw error(*n, "node requires a node id");
    }
    if (const YamlNode* n = entry.find("size")) {
      read_size(*n, rule.which);
      if (rule.which.min_bytes >= rule.which.end_bytes) throw error(*n, "no size satisfies the conditions");
    }
    if (const YamlNode* n = scalar(entry, "chunks")) {
      const auto chunks = parse_int(n->text);
      if (!chunks || *chunks < 1 || *chunks > max_instances)
        throw error(*n, "chunks requires a number from 1 to " + std::to_string(max_instances));
      rule.chunks = static_cast<std::uint32_t>(*chunks);
    }
    const YamlNode* const algorithm = scalar(entry, "algorithm");
    if (algorithm == nullptr) throw error(entry, "a rule requires the key algorithm: a name, a file or a set");
    set_algorithm(rule, algorithm->text);
    if (rule.algorithm.starts_with(graph_prefix)) throw error(*algorithm, graph_advice);
    if (rule.algorithm.empty()) throw error(*algorithm, "no algorithm after '" + algorithm->text + "'");
    rule.where = {.file = file_, .line = algorithm->line, .column = algorithm->column};
    return rule;
  }

 private:
  [[nodiscard]] Error error(const YamlNode& at, const std::string& message) const {
    return input_error({.file = file_, .line = at.line, .column = at.column}, message, "merge");
  }
  // Returns the scalar of a key; null if the key is absent.
  const YamlNode* scalar(const YamlNode& entry, std::string_view key) const {
    const YamlNode* node = entry.find(key);
    if (node != nullptr && (node->kind != YamlNode::Kind::scalar || node->text.empty()))
      throw error(*node, std::string(key) + " requires a single value");
    return node;
  }
  // Reads ">=1MiB", or a list of such conditions.
  void read_size(const YamlNode& node, CollectiveSelection& which) const {
    const auto one = [&](const YamlNode& n) {
      if (n.kind != YamlNode::Kind::scalar || !take_size(n.text, which))
        throw error(n, "size requires conditions such as '>=1MiB' or '<64MiB'");
    };
    if (node.kind == YamlNode::Kind::list) {
      for (const YamlNode& n : node.items) one(n);
    } else {
      one(node);
    }
  }

  const std::string& file_;
};

}  // namespace

bool names_collectives(std::string_view text) { return is_all(text) || parse_collective(text, in_traces); }

bool CollectiveSelection::fits(Collective t, std::string_view of_group, std::int64_t bytes, NodeId id,
                               std::string_view node_name) const {
  const auto plain = [](std::string_view g) { return g.empty() ? std::string_view("0") : g; };
  return takes(t) && (!group || plain(*group) == plain(of_group)) && bytes >= min_bytes && bytes < end_bytes &&
         (!node || *node == id) && (name.empty() || matches_glob(name, node_name));
}

CollectiveRule parse_collective_rule(const std::string& text) { return RuleParser(text).parse(); }

CollectiveSelection parse_collective_selection(const std::string& text) {
  return RuleParser(text).parse_selection();
}

std::vector<CollectiveRule> parse_rule_map(const std::string& file, std::string_view text) {
  if (is_map_of_nodes(text)) {
    std::vector<CollectiveRule> rules;
    for (auto& [node, prefix] : parse_per_node_map(file, text)) {
      CollectiveRule& rule = rules.emplace_back();
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
    throw input_error(place_of(list == nullptr ? root : *list), "rules requires a list of maps", "merge");
  if (list->items.empty()) throw input_error(place_of(*list), "rules is empty", "merge");
  std::vector<CollectiveRule> rules;
  MapReader reader(file);
  for (const YamlNode& entry : list->items) rules.push_back(reader.read(entry));
  return rules;
}

}  // namespace convert
