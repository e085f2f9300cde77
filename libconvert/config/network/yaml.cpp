// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include "config/network/imports/import.h"
#include "config/network/network.h"
#include "config/network/wire_list.h"
#include "config/yaml_tree.h"
#include "core/diagnostic.h"
#include "core/units.h"
#include "core/words.h"
#include "util/utf8.h"

namespace convert {
namespace {

constexpr std::size_t max_network_bytes = 64 << 20;
const std::vector<std::string> astra_keys = {"topology", "npus_count", "bandwidth", "latency"};
// Example value of each key.
const std::array<const char*, 4> examples = {"Ring", "8", "50", "500"};

// Returns the first key of the map that is in `keys`, or null.
const YamlNode* find_any(const YamlNode& root, const std::vector<std::string>& keys) {
  for (std::size_t i = 0; i < root.items.size(); i += 2) {
    if (std::ranges::find(keys, root.items[i].text) != keys.end()) return &root.items[i];
  }
  return nullptr;
}

// Returns a list of scalars for each of astra_keys, all of equal length.
std::array<const YamlNode*, 4> find_lists(const std::string& file, const YamlNode& root) {
  check_yaml_keys(file, root, astra_keys);
  for (std::size_t i = 0; i < root.items.size(); i += 2) {
    const YamlNode& value = root.items[i + 1];
    if (value.kind == YamlNode::Kind::map) throw yaml_error(file, value, "unexpected map");
    if (value.kind == YamlNode::Kind::scalar) {
      const std::string& key = root.items[i].text;
      const auto k = static_cast<std::size_t>(std::ranges::find(astra_keys, key) - astra_keys.begin());
      throw yaml_error(file, value,
                       key + " requires a list with one entry for each dimension, such as [ " +
                           (value.text.empty() ? examples.at(k) : value.text) + " ]");
    }
    for (const YamlNode& entry : value.items) {
      if (entry.kind == YamlNode::Kind::list) throw yaml_error(file, entry, "unexpected list");
      if (entry.kind == YamlNode::Kind::map) throw yaml_error(file, entry, "unexpected map");
    }
  }
  std::array<const YamlNode*, 4> found{};
  for (std::size_t k = 0; k < astra_keys.size(); ++k) {
    found[k] = root.find(astra_keys[k]);
    if (found[k] == nullptr) throw input_error({.file = file}, "key " + astra_keys[k] + " is missing", "network");
    if (found[k]->items.size() != found[0]->items.size()) {
      throw yaml_error(file, *found[k],
                       astra_keys[k] + " has " + counted(found[k]->items.size(), "dimension") +
                           ", but topology has " + std::to_string(found[0]->items.size()));
    }
  }
  if (found[0]->items.empty()) throw yaml_error(file, *found[0], "topology has no dimensions");
  return found;
}

Topology parse_topology(const std::string& file, const YamlNode& node) {
  std::optional<Topology> found;
  std::vector<std::string> known;
  for_each_topology([&](Topology id, auto t) {
    if (!t.in_network_yml) return;
    known.emplace_back(t.name);
    if (node.text == t.name) found = id;
  });
  if (found) return *found;
  throw yaml_error(file, node, "unknown topology '" + node.text + "'" + hint_for(node.text, known));
}

double parse_number(const std::string& file, const YamlNode& node, const std::string& key, const std::string& unit,
                    bool zero_allowed) {
  double value = 0;
  const char* end = node.text.data() + node.text.size();
  const auto [stop, error] = std::from_chars(node.text.data(), end, value);
  const bool good =
      error == std::errc{} && stop == end && std::isfinite(value) && (value > 0 || (zero_allowed && value == 0));
  if (error == std::errc::result_out_of_range)
    throw yaml_error(file, node, key + ": '" + node.text + "' is out of the range of numbers");
  if (!good) {
    throw yaml_error(file, node,
                     key + " requires a number of " + unit + (zero_allowed ? ", at least 0" : " above 0") +
                         ", not '" + node.text + "'");
  }
  return value;
}

NetworkConfig parse_astra(const std::string& file, const YamlNode& root) {
  const auto [topology, npus_count, bandwidth, latency] = find_lists(file, root);
  NetworkConfig config{.source = file};
  std::int64_t npus = 1;
  for (std::size_t d = 0; d < topology->items.size(); ++d) {
    NetworkDim dim;
    dim.topology = parse_topology(file, topology->items[d]);
    const YamlNode& count = npus_count->items[d];
    const std::optional<std::int64_t> n = parse_int(count.text);
    if (!n || *n < 2 || *n > max_npus) {
      throw yaml_error(
          file, count,
          "npus_count requires whole numbers from 2 to " + std::to_string(max_npus) + ", not '" + count.text + "'");
    }
    if ((npus *= *n) > max_npus) throw yaml_error(file, count, "more than " + std::to_string(max_npus) + " NPUs");
    dim.npus = *n;
    dim.bytes_per_ns = astra_bytes_per_ns(parse_number(file, bandwidth->items[d], "bandwidth", "GB/s", false));
    dim.latency_ns = parse_number(file, latency->items[d], "latency", "ns", true);
    config.dims.push_back(dim);
  }
  return config;
}

}  // namespace

NetworkConfig parse_network_yaml(const std::string& file, std::string_view text) {
  const YamlNode root = parse_yaml_tree(file, text);
  const YamlNode* const of_astra = find_any(root, astra_keys);
  const YamlNode* const of_list = find_any(root, wire_list_keys);
  if (of_astra != nullptr && root.find("links") != nullptr) {
    throw yaml_error(file, *of_list,
                     "'" + of_list->text + "' belongs to a list of links, but '" + of_astra->text +
                         "' to ASTRA-sim's dimensions; remove one of the two");
  }
  if (of_astra != nullptr) return parse_astra(file, root);
  if (of_list != nullptr) return {.source = file, .graph = parse_wire_list(file, root)};
  std::vector<std::string> all = astra_keys;
  all.insert(all.end(), wire_list_keys.begin(), wire_list_keys.end());
  check_yaml_keys(file, root, all);  // throws: no key is known
  return {};
}

NetworkConfig parse_network(const std::string& name, std::string_view text, const FileArgument& file) {
  text = without_mark(text);
  const NetworkImport* const import = find_import(text);
  if (import == nullptr) {
    NetworkConfig config = parse_network_yaml(name, text);
    file.check_keys({}, "a list of links or of dimensions");  // after recognising the format
    return config;
  }
  if (import->refusal != nullptr) throw input_error({.file = name}, import->refusal(text), "network");
  file.check_keys(import->keys, import->noun);
  return import->read({.name = name, .text = text, .file = file});
}

NetworkConfig read_network(Input& input, const FileArgument& file) {
  const std::string_view text = input.peek(max_network_bytes + 1);
  if (text.size() > max_network_bytes)
    throw input_error({.file = input.name()}, "larger than 64 MiB, the limit of a network file", "network");
  return parse_network(input.name(), text, file);
}

}  // namespace convert
