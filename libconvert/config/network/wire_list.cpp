// SPDX-License-Identifier: MIT
#include "config/network/wire_list.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "config/network/bandwidth_hint.h"
#include "config/network/routes.h"
#include "core/diagnostic.h"
#include "core/units.h"
#include "core/words.h"

namespace convert {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_decimal(char c) { return c >= '0' && c <= '9'; }
bool is_number(std::string_view s) { return !s.empty() && std::all_of(s.begin(), s.end(), is_decimal); }

// Returns a name without its trailing digits.
std::string_view stem(std::string_view s) {
  while (!s.empty() && is_decimal(s.back())) s.remove_suffix(1);
  return s;
}

struct Rates {
  std::optional<double> bytes_per_ns;
  std::optional<Picoseconds> latency_ps;
  std::optional<std::uint32_t> weight;
};

class Reader {
 public:
  Reader(const std::string& file, const YamlNode& root) : file_(file), root_(root) {}

  WireGraph read() {
    refuse_active_switches();
    check_yaml_keys(file_, root_, wire_list_keys);
    read_devices();
    if (const YamlNode* participants = root_.find("participants")) read_participants(*participants);
    if (const YamlNode* defaults = root_.find("defaults")) {
      if (defaults->kind != YamlNode::Kind::map)
        throw error(*defaults, "defaults requires a map, such as { bandwidth: 50GB/s, latency: 500ns }");
      check_yaml_keys(file_, *defaults, {"bandwidth", "latency", "weight"});
      defaults_ = read_rates(*defaults);
    }
    const YamlNode& wires = need("links");
    if (wires.kind != YamlNode::Kind::list) throw error(wires, "links requires a list of maps");
    for (const YamlNode& wire : wires.items) read_wire(wire);
    check_connected();
    return std::move(graph_);
  }

 private:
  // Switches that do more than forward would make other algorithms optimal.
  void refuse_active_switches() const {
    for (const char* key : {"nvls", "multicast", "sharp"}) {
      if (const YamlNode* node = root_.find(key))
        throw error(*node,
                    std::string(key) +
                        ": switches that copy or reduce data (NVLS, SHARP) are not supported; remove the key to "
                        "model them as forwarding switches");
    }
  }

  [[nodiscard]] Error error(const YamlNode& at, const std::string& message) const {
    return yaml_error(file_, at, message);
  }
  [[nodiscard]] const YamlNode& need(const std::string& key) const {
    const YamlNode* node = root_.find(key);
    if (node == nullptr) throw input_error({.file = file_}, "key " + key + " is missing", "network");
    return *node;
  }

  void read_devices() {
    const YamlNode& npus = need("npus");
    const auto n = npus.kind == YamlNode::Kind::scalar ? parse_int(npus.text) : std::nullopt;
    if (!n || *n < 2 || *n > max_npus) {
      throw error(npus, "npus requires a whole number from 2 to " + std::to_string(max_npus));
    }
    graph_.npus = static_cast<std::uint32_t>(*n);
    if (const YamlNode* switches = root_.find("switches")) read_switches(*switches);
    const std::uint64_t entries = std::uint64_t{graph_.npus} * graph_.devices();
    if (entries > max_route_entries) throw error(npus, too_many_routes(graph_));
  }

  void read_participants(const YamlNode& node) {
    if (node.kind == YamlNode::Kind::list && node.items.empty()) throw error(node, "participants requires NPUs");
    graph_.participants = read_end(node);
    std::ranges::sort(graph_.participants);
    const auto twice = std::ranges::adjacent_find(graph_.participants);
    if (twice != graph_.participants.end()) throw error(node, graph_.device_name(*twice) + " is repeated");
    if (graph_.participants.back() >= graph_.npus)
      throw error(node, graph_.device_name(graph_.participants.back()) + " is a switch; participants are NPUs");
  }

  void read_switches(const YamlNode& node) {
    if (node.kind == YamlNode::Kind::scalar) {
      const std::optional<std::int64_t> count = parse_int(node.text);
      if (!count || *count < 0 || *count > max_switches)
        throw error(node, "switches requires a list of names, or the number of switches");
      for (std::int64_t i = 0; i < *count; ++i) add_switch(node, "switch" + std::to_string(i));
      return;
    }
    if (node.kind == YamlNode::Kind::map) throw error(node, "unexpected map");
    for (const YamlNode& entry : node.items) {
      if (entry.kind != YamlNode::Kind::scalar) throw error(entry, "switches requires names");
      for_each_name(entry, max_switches, [&](const std::string& name) { add_switch(entry, name); });
    }
  }

  void add_switch(const YamlNode& at, const std::string& name) {
    const bool good = !name.empty() && is_letter(name[0]) && std::all_of(name.begin(), name.end(), [](char c) {
      return is_letter(c) || is_decimal(c) || c == '_' || c == '.';
    });
    if (!good)
      throw error(at, "a switch name must be a letter, then letters, digits, '_' or '.', not '" + name + "'");
    if (stem(name) == "npu" && is_number(std::string_view(name).substr(3)))
      throw error(at, "'" + name + "' is the name of an NPU, not of a switch");
    if (graph_.switches == max_switches) throw error(at, "more than 2^20 switches");
    if (!switches_.emplace(name, graph_.devices()).second) throw error(at, "switch '" + name + "' is repeated");
    graph_.switch_names.push_back(name);
    ++graph_.switches;
  }

  // Expands names: "leaf0..3" is leaf0, leaf1, leaf2, leaf3; "0..7" is the NPUs 0 to 7; other names stand for
  // themselves.
  template <typename Use>
  void for_each_name(const YamlNode& node, std::int64_t max_count, const Use& use) const {
    const std::string_view text = node.text;
    const std::size_t dots = text.find("..");
    if (dots == std::string_view::npos) {
      use(node.text);
      return;
    }
    const std::string_view prefix = stem(text.substr(0, dots));
    std::string_view last_text = text.substr(dots + 2);
    if (last_text.substr(0, prefix.size()) == prefix) last_text.remove_prefix(prefix.size());
    const std::optional<std::int64_t> first = parse_int(text.substr(prefix.size(), dots - prefix.size()));
    const std::optional<std::int64_t> last = parse_int(last_text);
    const auto has_zeros = [](std::string_view digits) { return digits.size() > 1 && digits[0] == '0'; };
    if (!first || !last || !is_number(last_text) || *last < *first || has_zeros(last_text) ||
        has_zeros(text.substr(prefix.size(), dots - prefix.size())))
      throw error(node, "'" + node.text + "' is not a range; examples: 0..7 or leaf0..3");
    if (*last - *first >= max_count) throw error(node, "'" + node.text + "' is longer than the limit");
    for (std::int64_t i = *first; i <= *last; ++i) use(std::string(prefix) + std::to_string(i));
  }

  Rates read_rates(const YamlNode& map) const {
    Rates rates;
    if (const YamlNode* node = map.find("bandwidth")) {
      if (node->kind == YamlNode::Kind::scalar) rates.bytes_per_ns = parse_bytes_per_ns(node->text);
      if (!rates.bytes_per_ns)
        throw error(*node,
                    "bandwidth requires a rate such as 50GB/s" + not_this(*node) + bandwidth_hint(node->text));
    }
    if (const YamlNode* node = map.find("latency")) {
      const auto ps = node->kind == YamlNode::Kind::scalar ? parse_time(node->text) : std::nullopt;
      const bool has_unit = ps && (*ps == 0 || !is_decimal(node->text.back()));
      if (!has_unit || node->text.back() == '.')
        throw error(*node, "latency requires a time with its unit such as 500ns" + not_this(*node));
      rates.latency_ps = ps;
    }
    if (const YamlNode* node = map.find("weight")) {
      const auto weight =
          node->kind == YamlNode::Kind::scalar ? parse_plain(node->text, max_wire_weight) : std::nullopt;
      if (!weight || *weight == 0)
        throw error(
            *node, "weight requires a whole number from 1 to " + std::to_string(max_wire_weight) + not_this(*node));
      rates.weight = static_cast<std::uint32_t>(*weight);
    }
    return rates;
  }
  static std::string not_this(const YamlNode& node) {
    return node.kind == YamlNode::Kind::scalar ? ", not '" + node.text + "'" : "";
  }

  void read_wire(const YamlNode& wire) {
    static const std::vector<std::string> keys = {"between", "from", "to", "bandwidth", "latency", "weight"};
    if (wire.kind != YamlNode::Kind::map)
      throw error(wire, "a link must be a map, such as { between: [0, 1], bandwidth: 50GB/s }");
    check_yaml_keys(file_, wire, keys);
    const Rates own = read_rates(wire);
    const auto bytes_per_ns = own.bytes_per_ns ? own.bytes_per_ns : defaults_.bytes_per_ns;
    if (!bytes_per_ns) throw error(wire, "the link has no bandwidth; add it to the link or to defaults");
    const GraphWire common{.bytes_per_ns = *bytes_per_ns,
                           .latency_ps = own.latency_ps.value_or(defaults_.latency_ps.value_or(0)),
                           .weight = own.weight.value_or(defaults_.weight.value_or(1))};
    const YamlNode* between = wire.find("between");
    const YamlNode* from = wire.find("from");
    const YamlNode* to = wire.find("to");
    if ((between != nullptr) == (from != nullptr) || (from != nullptr) != (to != nullptr))
      throw error(wire, "a link requires between (both directions), or from and to (one direction)");
    if (between != nullptr) {
      if (between->kind != YamlNode::Kind::list || between->items.size() != 2)
        throw error(*between, "between requires two ends, such as [0, 1]");
      from = &between->items.front();
      to = &between->items.back();
    }
    const std::vector<Device> sources = read_end(*from);
    const std::vector<Device> targets = read_end(*to);
    for (const Device a : sources) {
      for (const Device b : targets) {
        add_wire(wire, a, b, common);
        if (between != nullptr) add_wire(wire, b, a, common);
      }
    }
  }

  // Reads a device, a range of devices, or a list of both.
  std::vector<Device> read_end(const YamlNode& node) const {
    if (node.kind == YamlNode::Kind::map) throw error(node, "unexpected map");
    std::vector<Device> devices;
    const auto read = [&](const YamlNode& entry) {
      if (entry.kind != YamlNode::Kind::scalar) throw error(entry, "the end of a link must be a device");
      for_each_name(entry, max_npus, [&](const std::string& name) {
        devices.push_back(device(entry, name));
        if (devices.size() > max_listed_wires) throw error(entry, "more than 2^20 devices at an end of a link");
      });
    };
    if (node.kind == YamlNode::Kind::scalar) {
      read(node);
    } else {
      if (node.items.empty()) throw error(node, "the link has no device at this end");
      for (const YamlNode& entry : node.items) read(entry);
    }
    return devices;
  }

  [[nodiscard]] Device device(const YamlNode& at, const std::string& name) const {
    const std::string_view digits = std::string_view(name).substr(stem(name) == "npu" ? 3 : 0);
    if (is_number(digits)) {
      const std::optional<std::int64_t> npu = parse_int(digits);
      if (npu && *npu < graph_.npus) return static_cast<Device>(*npu);
      throw error(at, "NPU " + std::string(digits) + " is not among the " + counted(graph_.npus, "NPU") +
                          ", 0 to " + std::to_string(graph_.npus - 1));
    }
    if (const auto found = switches_.find(name); found != switches_.end()) return found->second;
    throw error(at, "unknown device '" + name + "'" +
                        did_you_mean(name, graph_.switch_names,
                                     "; a device is the number of an NPU or the name of a switch under switches"));
  }

  void add_wire(const YamlNode& at, Device from, Device to, GraphWire wire) {
    wire.from = from;
    wire.to = to;
    if (wire.from == wire.to) throw error(at, "a link from " + graph_.device_name(wire.from) + " to itself");
    const auto [first, is_new] = lines_.emplace(std::uint64_t{wire.from} << 32 | wire.to, at.line);
    if (!is_new) {
      throw error(at, "a second link from " + graph_.device_name(wire.from) + " to " + graph_.device_name(wire.to) +
                          ", first given in line " + std::to_string(first->second) +
                          "; merge parallel links into one with the sum of their bandwidths");
    }
    if (graph_.wires.size() == max_listed_wires) throw error(at, "more than 2^20 links");
    graph_.wires.push_back(wire);
  }

  void check_connected() const {
    std::vector<char> used(graph_.devices(), 0);
    for (const GraphWire& l : graph_.wires) used[l.from] = used[l.to] = 1;
    for (Device d = graph_.npus; d < graph_.devices(); ++d) {
      if (used[d] == 0) throw error(*root_.find("switches"), graph_.device_name(d) + " has no link");
    }
    if (const auto pair = find_unreachable(graph_)) {
      throw error(need("links"), "there is no route from " + graph_.device_name(pair->first) + " to " +
                                     graph_.device_name(pair->second));
    }
  }

  const std::string& file_;
  const YamlNode& root_;
  WireGraph graph_;
  Rates defaults_;
  std::unordered_map<std::string, Device> switches_;
  std::unordered_map<std::uint64_t, std::uint32_t> lines_;  // by (from, to)
};

}  // namespace

WireGraph parse_wire_list(const std::string& file, const YamlNode& root) { return Reader(file, root).read(); }

}  // namespace convert
