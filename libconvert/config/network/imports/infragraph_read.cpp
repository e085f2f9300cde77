// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <utility>

#include "config/network/imports/infragraph_model.h"
#include "config/network/wire_graph.h"
#include "core/words.h"

namespace convert {
namespace {

const YamlSubject infragraph_yaml = {
    .noun = "InfraGraph file",
    .rule = "network",
    .is_empty = "empty; an InfraGraph file requires devices, links, instances and edges",
    .max_keys = 64,
    .max_depth = 12};

class InfraReader {
 public:
  explicit InfraReader(const std::string& file) : file_(file) {}

  [[nodiscard]] InfraDocument read(const YamlNode& root) const {
    InfraDocument document;
    for_each(root, "devices", [&](const YamlNode& node) {
      InfraDevice device = read_device(node);
      const std::string name = device.name;
      if (!document.devices.emplace(name, std::move(device)).second)
        throw error(node, "device '" + name + "' is repeated");
    });
    document.links = read_links(root);
    for_each(root, "instances", [&](const YamlNode& node) {
      const std::string name = need_text(node, "name");
      if (std::ranges::find(document.instances, name, &InfraInstance::name) != document.instances.end())
        throw error(node, "instance '" + name + "' is repeated");
      document.instances.push_back(
          {.name = name, .device = need_text(node, "device"), .count = need_count(node), .where = place(node)});
    });
    document.edges = read_edges(root);
    return document;
  }

 private:
  [[nodiscard]] Location place(const YamlNode& at) const {
    return {.file = file_, .line = at.line, .column = at.column};
  }
  [[nodiscard]] Error error(const YamlNode& at, const std::string& message) const {
    return yaml_error(file_, at, message);
  }

  // Calls `use` for the elements of a list of maps; none if the key is missing.
  template <typename Use>
  void for_each(const YamlNode& map, const std::string& key, const Use& use) const {
    const YamlNode* const list = map.find(key);
    if (list == nullptr || (list->kind == YamlNode::Kind::scalar && list->text.empty())) return;
    if (list->kind != YamlNode::Kind::list) throw error(*list, key + " requires a list of maps");
    for (const YamlNode& node : list->items) {
      if (node.kind != YamlNode::Kind::map) throw error(node, "an element of " + key + " must be a map");
      use(node);
    }
  }

  [[nodiscard]] const YamlNode& need(const YamlNode& map, const std::string& key) const {
    const YamlNode* const node = map.find(key);
    if (node == nullptr) throw error(map, "key " + key + " is missing");
    return *node;
  }
  [[nodiscard]] std::string need_text(const YamlNode& map, const std::string& key) const {
    const YamlNode& node = need(map, key);
    if (node.kind == YamlNode::Kind::scalar && !node.text.empty()) return node.text;
    throw error(node, key + " requires a name");
  }
  [[nodiscard]] std::int64_t need_count(const YamlNode& map) const {
    const YamlNode& node = need(map, "count");
    const auto count = node.kind == YamlNode::Kind::scalar ? parse_plain(node.text, INT32_MAX) : std::nullopt;
    if (!count) throw error(node, "count requires a non-negative whole number");
    return static_cast<std::int64_t>(*count);
  }

  [[nodiscard]] InfraDevice read_device(const YamlNode& node) const {
    InfraDevice device{.name = need_text(node, "name")};
    for_each(node, "components", [&](const YamlNode& part) {
      const std::string name = need_text(part, "name");
      if (part.find("choice") == nullptr && part.find("type") != nullptr) throw error(part, infragraph_1_text);
      if (std::ranges::find(device.components, name, &InfraComponent::name) != device.components.end())
        throw error(part, "component '" + name + "' is repeated");
      device.components.push_back({.name = name, .count = need_count(part), .choice = need_text(part, "choice")});
    });
    device.links = read_links(node);
    device.edges = read_edges(node);
    return device;
  }

  [[nodiscard]] std::map<std::string, InfraLink> read_links(const YamlNode& map) const {
    std::map<std::string, InfraLink> links;
    for_each(map, "links", [&](const YamlNode& node) {
      const std::string name = need_text(node, "name");
      if (!links.emplace(name, read_link(node)).second) throw error(node, "link '" + name + "' is repeated");
    });
    return links;
  }

  [[nodiscard]] InfraLink read_link(const YamlNode& node) const {
    InfraLink link;
    const YamlNode* const physical = node.find("physical");
    if (physical == nullptr || physical->kind != YamlNode::Kind::map) return link;
    constexpr std::array<std::pair<const char*, double>, 3> rates = {
        {{"gigabits_per_second", 1.0 / 8}, {"gigabytes_per_second", 1}, {"gigatransfers_per_second", 1}}};
    constexpr std::array<std::pair<const char*, double>, 3> times = {{{"ms", 1e6}, {"us", 1e3}, {"ns", 1}}};
    if (const auto rate = read_choice(*physical, "bandwidth", rates)) {
      if (!(rate->first > 0)) throw error(*physical->find("bandwidth"), "bandwidth requires a positive number");
      link.bytes_per_ns = rate->first;
      link.in_transfers = rate->second == 2;
    }
    if (const auto time = read_choice(*physical, "latency", times)) {
      if (!(time->first >= 0 && time->first < 1e15))
        throw error(*physical->find("latency"), "latency requires a non-negative time");
      link.latency_ps = round_to_ps(time->first);
    }
    return link;
  }

  // Returns the value of {choice: UNIT, UNIT: NUMBER} times the unit, and the index of the unit; choice is
  // optional.
  [[nodiscard]] std::optional<std::pair<double, std::size_t>> read_choice(
      const YamlNode& physical, const std::string& key,
      const std::array<std::pair<const char*, double>, 3>& units) const {
    const YamlNode* const node = physical.find(key);
    if (node == nullptr || (node->kind == YamlNode::Kind::scalar && node->text.empty())) return std::nullopt;
    if (node->kind != YamlNode::Kind::map) throw error(*node, key + " requires a map of a unit and a number");
    const YamlNode* const choice = node->find("choice");
    for (std::size_t i = 0; i < units.size(); ++i) {
      const YamlNode* const value = node->find(units.at(i).first);
      if (value == nullptr || (choice != nullptr && choice->text != units.at(i).first)) continue;
      const auto number = value->kind == YamlNode::Kind::scalar ? parse_number(value->text) : std::nullopt;
      if (!number) throw error(*value, std::string(units.at(i).first) + " requires a number");
      return std::pair(*number * units.at(i).second, i);
    }
    throw error(*node, key + " requires one of " + units[0].first + ", " + units[1].first + ", " + units[2].first);
  }

  [[nodiscard]] std::vector<InfraEdge> read_edges(const YamlNode& map) const {
    std::vector<InfraEdge> edges;
    for_each(map, "edges", [&](const YamlNode& node) {
      InfraEdge edge{.ep1 = read_end(need(node, "ep1")), .ep2 = read_end(need(node, "ep2")), .where = place(node)};
      const std::string scheme = need_text(node, "scheme");
      const std::vector<std::string> schemes = {"one2one", "many2many", "ring"};
      const auto found = std::ranges::find(schemes, scheme);
      if (found == schemes.end())
        throw error(need(node, "scheme"), "unknown scheme '" + scheme + "'" + hint_for(scheme, schemes));
      edge.scheme = static_cast<InfraScheme>(found - schemes.begin());
      edge.link = need_text(node, "link");
      edges.push_back(std::move(edge));
    });
    return edges;
  }

  [[nodiscard]] InfraEnd read_end(const YamlNode& node) const {
    if (node.kind != YamlNode::Kind::map) throw error(node, "an end of an edge must be a map with a component");
    InfraEnd end{.where = place(node)};
    const auto take = [&](const char* key, std::vector<InfraEnd::Part>& parts) {
      if (const YamlNode* const text = node.find(key); text != nullptr && !text->text.empty())
        read_parts(*text, parts);
    };
    take("instance", end.instance);
    take("device", end.component);
    (void)need_text(node, "component");
    take("component", end.component);
    return end;
  }

  // Splits "cx5[0:2].port[0]".
  void read_parts(const YamlNode& node, std::vector<InfraEnd::Part>& parts) const {
    for (const std::string& piece : split(node.text, '.')) {
      const std::size_t open = piece.find('[');
      const std::string name = piece.substr(0, open);
      if (name.empty() || (open != std::string::npos && !piece.ends_with(']')))
        throw error(node, "'" + node.text + "' is not a name with a slice, such as xpu[0:8]");
      parts.push_back({name, open == std::string::npos ? "" : piece.substr(open + 1, piece.size() - open - 2)});
      if (open != std::string::npos && parts.back().slice.empty())
        throw error(node, "an empty slice in '" + node.text + "'");
    }
  }

  const std::string& file_;
};

}  // namespace

InfraDocument read_infragraph(const std::string& name, std::string_view text) {
  return infragraph_of_tree(name, parse_yaml_tree(name, text, infragraph_yaml));
}

InfraDocument infragraph_of_tree(const std::string& name, const YamlNode& root) {
  return InfraReader(name).read(root);
}

}  // namespace convert
