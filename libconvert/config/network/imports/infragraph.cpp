// SPDX-License-Identifier: MIT
// Converts InfraGraph 2 infrastructures to networks, with all nodes and edges that a document expands to.
#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>

#include "config/network/bandwidth_hint.h"
#include "config/network/imports/graph_draft.h"
#include "config/network/imports/import.h"
#include "config/network/imports/infragraph_model.h"
#include "config/network/wire_list.h"
#include "core/words.h"

namespace convert {
namespace {

constexpr std::size_t max_infra_nodes = 1 << 21;
constexpr int max_nesting = 16;  // of nested devices

struct InfraNode {
  std::string name;
  std::string_view choice;
};

struct InfraJoin {
  std::uint32_t a;
  std::uint32_t b;
  double bytes_per_ns;
  Picoseconds latency_ps;
  const Location* where;
};

class InfraExpansion {
 public:
  InfraExpansion(const ImportSource& source, const InfraDocument& document, const InfraLink& defaults)
      : source_(source), document_(document), defaults_(defaults) {}

  NetworkConfig expand() {
    std::uint64_t total = 0;
    for (const InfraInstance& instance : document_.instances) {
      if (!document_.devices.contains(instance.device))
        throw error(instance.where,
                    "instance '" + instance.name + "' has unknown device '" + instance.device + "'");
      total += size_of(document_.devices.at(instance.device), instance.where, 0) *
               static_cast<std::uint64_t>(instance.count);
      if (total > max_infra_nodes) throw error(instance.where, "more than 2^21 nodes");
    }
    for (const InfraInstance& instance : document_.instances) {
      for (std::int64_t i = 0; i < instance.count; ++i)
        add_nodes(indexed(instance.name, i), document_.devices.at(instance.device), instance.where);
    }
    for (const InfraInstance& instance : document_.instances) {
      for (std::int64_t i = 0; i < instance.count; ++i)
        add_device_edges(indexed(instance.name, i), document_.devices.at(instance.device));
    }
    for (const InfraEdge& edge : document_.edges) {
      add_edge(edge, find_link(document_.links, edge), infrastructure_end(edge.ep1), infrastructure_end(edge.ep2));
    }
    return make_network();
  }

 private:
  [[nodiscard]] static Error error(const Location& at, const std::string& message) {
    return input_error(at, message, "network");
  }
  static std::string indexed(const std::string& name, std::int64_t i) { return name + '.' + std::to_string(i); }

  // A component that is a device has the name of this device.
  const InfraDevice* device_of(const InfraComponent& c, const Location& where) const {
    if (c.choice != "device") return nullptr;
    const auto found = document_.devices.find(c.name);
    if (found == document_.devices.end()) throw error(where, "component '" + c.name + "' is an unknown device");
    return &found->second;
  }

  // Returns one more than the number of nodes of a device, at most max_infra_nodes + 1.
  std::uint64_t size_of(const InfraDevice& device, const Location& where, int depth) {
    if (const auto known = sizes_.find(&device); known != sizes_.end()) return known->second;
    if (depth == max_nesting) throw error(where, "device '" + device.name + "' nests devices more than 16 deep");
    std::uint64_t size = 1;
    for (const InfraComponent& c : device.components) {
      const InfraDevice* const inner = device_of(c, where);
      size += static_cast<std::uint64_t>(c.count) * (inner == nullptr ? 1 : size_of(*inner, where, depth + 1));
      size = std::min<std::uint64_t>(size, max_infra_nodes + 1);
    }
    sizes_.emplace(&device, size);
    return size;
  }

  void add_nodes(const std::string& prefix, const InfraDevice& device, const Location& where) {
    for (const InfraComponent& c : device.components) {
      const InfraDevice* const inner = device_of(c, where);
      for (std::int64_t i = 0; i < c.count; ++i) {
        const std::string name = prefix + '.' + indexed(c.name, i);
        if (inner != nullptr) {
          add_nodes(name, *inner, where);
          continue;
        }
        if (!index_.emplace(name, static_cast<std::uint32_t>(nodes_.size())).second)
          throw error(where, "node " + name + " is repeated");
        nodes_.push_back({name, c.choice});
      }
    }
  }
  // Bounds the work for small documents with large counts.
  void steps(std::int64_t n, const Location& where) {
    constexpr std::int64_t most = 1 << 24;
    if ((steps_ += n) > most) throw error(where, "the expanded document exceeds the limit of 2^24 elements");
  }

  void add_device_edges(const std::string& prefix, const InfraDevice& device) {
    for (const InfraEdge& edge : device.edges) {
      add_edge(edge, find_link(device.links, edge), device_end(prefix, device, edge.ep1),
               device_end(prefix, device, edge.ep2));
    }
    for (const InfraComponent& c : device.components) {
      const InfraDevice* const inner = device_of(c, {.file = source_.name});
      for (std::int64_t i = 0; inner != nullptr && i < c.count; ++i)
        add_device_edges(prefix + '.' + indexed(c.name, i), *inner);
    }
  }

  // Returns the indices that a Python slice selects from `count` elements.
  std::vector<std::int64_t> take(const InfraEnd::Part& part, std::int64_t count, const Location& where) {
    const std::string written = part.name + (part.slice.empty() ? "" : "[" + part.slice + "]");
    const auto refuse = [&](const std::string& why) { return error(where, "'" + written + "' " + why); };
    std::int64_t first = 0;
    std::int64_t end = count;
    std::int64_t step = 1;
    if (!part.slice.empty()) {
      const std::vector<std::string> pieces = split(part.slice, ':');
      if (pieces.size() > 3) throw refuse("is not a slice; examples: [0:8], [0:8:2] or [3]");
      for (std::size_t i = 0; i < pieces.size(); ++i) {
        if (pieces[i].empty() && pieces.size() > 1) continue;
        const auto n = parse_plain(pieces[i], INT32_MAX);
        if (!n) throw refuse("is not a slice; examples: [0:8], [0:8:2] or [3]");
        (i == 0 ? first : i == 1 ? end : step) = static_cast<std::int64_t>(*n);
      }
      if (pieces.size() == 1) end = first + 1;
    }
    if (step < 1) throw refuse("has a step of 0");
    if (end > count || first >= end)
      throw refuse("is out of range; the number of elements is " + std::to_string(count) + ", counted from 0");
    std::vector<std::int64_t> taken;
    steps((end - first + step - 1) / step, where);
    for (std::int64_t i = first; i < end; i += step) taken.push_back(i);
    return taken;
  }

  std::vector<std::uint32_t> device_end(const std::string& prefix, const InfraDevice& device, const InfraEnd& end) {
    std::vector<std::string> names = {prefix};
    const InfraDevice* at = &device;
    for (const InfraEnd::Part& part : end.component) {
      if (at == nullptr) throw error(end.where, "'" + part.name + "' follows a component that is not a device");
      const auto c = std::ranges::find(at->components, part.name, &InfraComponent::name);
      if (c == at->components.end())
        throw error(end.where, "device '" + at->name + "' has no component '" + part.name + "'");
      const std::vector<std::int64_t> taken = take(part, c->count, end.where);
      std::vector<std::string> longer;
      steps(static_cast<std::int64_t>(names.size() * taken.size()), end.where);
      for (const std::string& name : names) {
        for (const std::int64_t i : taken) longer.push_back(name + '.' + indexed(part.name, i));
      }
      names.swap(longer);
      at = device_of(*c, end.where);
    }
    if (at != nullptr)
      throw error(end.where, "'" + end.component.back().name + "' is a device; name its component too");
    std::vector<std::uint32_t> nodes;
    nodes.reserve(names.size());
    for (const std::string& name : names) nodes.push_back(index_.at(name));
    return nodes;
  }

  std::vector<std::uint32_t> infrastructure_end(const InfraEnd& end) {
    if (end.instance.size() != 1)
      throw error(end.where, "an end of an edge between instances must name one instance");
    const InfraEnd::Part& part = end.instance.front();
    const auto instance = std::ranges::find(document_.instances, part.name, &InfraInstance::name);
    if (instance == document_.instances.end()) throw error(end.where, "unknown instance '" + part.name + "'");
    std::vector<std::uint32_t> nodes;
    for (const std::int64_t i : take(part, instance->count, end.where)) {
      const std::vector<std::uint32_t> more =
          device_end(indexed(part.name, i), document_.devices.at(instance->device), end);
      nodes.insert(nodes.end(), more.begin(), more.end());
    }
    return nodes;
  }

  InfraLink find_link(const std::map<std::string, InfraLink>& links, const InfraEdge& edge) {
    const auto found = links.find(edge.link);
    if (found == links.end()) throw error(edge.where, "unknown link '" + edge.link + "'");
    InfraLink link = found->second;
    if (!link.bytes_per_ns) link.bytes_per_ns = defaults_.bytes_per_ns;
    if (!link.bytes_per_ns)
      throw error(edge.where, "link '" + edge.link + "' has no bandwidth; set a default, as in -n " +
                                  source_.file.path + ",bw=50GB/s");
    link.latency_ps = link.latency_ps ? link.latency_ps : defaults_.latency_ps;
    in_transfers_ = in_transfers_ || link.in_transfers;
    return link;
  }

  void add_edge(const InfraEdge& edge, const InfraLink& link, const std::vector<std::uint32_t>& a,
                const std::vector<std::uint32_t>& b) {
    std::set<std::pair<std::uint32_t, std::uint32_t>> seen;  // an edge has no direction
    const auto join = [&](std::uint32_t x, std::uint32_t y) {
      steps(1, edge.where);
      if (x == y || !seen.insert(std::minmax(x, y)).second) return;
      if (joins_.size() == max_listed_wires / 2) throw error(edge.where, "more than 2^19 edges");
      joins_.push_back({x, y, *link.bytes_per_ns, link.latency_ps.value_or(0), &edge.where});
    };
    if (edge.scheme == InfraScheme::one_to_one) {
      if (a.size() != b.size())
        throw error(edge.where, "one2one of " + std::to_string(a.size()) + " and " + std::to_string(b.size()) +
                                    "; both ends must have equal length");
      for (std::size_t i = 0; i < a.size(); ++i) join(a[i], b[i]);
    } else if (edge.scheme == InfraScheme::many_to_many) {
      for (const std::uint32_t x : a) {
        for (const std::uint32_t y : b) join(x, y);
      }
    } else {
      std::vector<std::uint32_t> ring = a;
      if (a != b) ring.insert(ring.end(), b.begin(), b.end());
      for (std::size_t i = 0; i < ring.size(); ++i) join(ring[i], ring[(i + 1) % ring.size()]);
    }
  }

  // NPUs are the nodes of choice xpu. Other nodes with an edge are switches, except memories.
  NetworkConfig make_network() {
    std::vector<char> used(nodes_.size(), 0);
    const auto is_memory = [&](std::uint32_t n) { return nodes_[n].choice == "memory"; };
    std::erase_if(joins_, [&](const InfraJoin& j) { return is_memory(j.a) || is_memory(j.b); });
    for (const InfraJoin& j : joins_) used[j.a] = used[j.b] = 1;
    std::vector<Device> devices(nodes_.size(), 0);
    std::vector<std::string> names;
    Device npus = 0;
    for (std::uint32_t n = 0; n < nodes_.size(); ++n) {
      if (nodes_[n].choice == "xpu") devices[n] = npus++;
    }
    std::uint64_t dropped = 0;
    for (std::uint32_t n = 0; n < nodes_.size(); ++n) {
      if (nodes_[n].choice == "xpu") continue;
      if (used[n] == 0) {
        ++dropped;
        continue;
      }
      devices[n] = npus + static_cast<Device>(names.size());
      names.push_back(nodes_[n].name);
    }
    if (npus == 0) throw error({.file = source_.name}, "no component is an xpu, so the network has no NPUs");
    GraphDraft draft(npus, names.size(), {.file = source_.name});
    draft.set_switch_names(names);
    std::uint64_t parallel = 0;
    for (const InfraJoin& j : joins_) {
      GraphWire wire{
          .from = devices[j.a], .to = devices[j.b], .bytes_per_ns = j.bytes_per_ns, .latency_ps = j.latency_ps};
      parallel += draft.add_up(wire, *j.where) ? 1 : 0;
      std::swap(wire.from, wire.to);
      draft.add_up(wire, *j.where);
    }
    NetworkConfig config{.source = source_.name};
    config.graph = draft.finish();
    if (parallel != 0)
      config.notes.push_back(counted(parallel, "edge") + " parallel to another edge: bandwidths are summed");
    if (in_transfers_) config.notes.emplace_back("bandwidths in GT/s are read as GB/s: one byte for each transfer");
    if (dropped != 0)
      config.remarks.push_back(counted(dropped, "node") + " omitted: memories, and nodes without an edge");
    return config;
  }

  const ImportSource& source_;
  const InfraDocument& document_;
  const InfraLink& defaults_;
  std::unordered_map<const InfraDevice*, std::uint64_t> sizes_;
  std::vector<InfraNode> nodes_;
  std::unordered_map<std::string, std::uint32_t> index_;
  std::vector<InfraJoin> joins_;
  std::int64_t steps_ = 0;
  bool in_transfers_ = false;
};

bool sniff_infragraph(std::string_view text) {
  if (is_binary_infragraph(text)) return true;
  return mentions_key(text, "devices") &&
         (mentions_key(text, "instances") || mentions_key(text, "components") || mentions_key(text, "ep1"));
}

NetworkConfig read_infragraph_network(const ImportSource& source) {
  InfraLink defaults;
  const auto wants = [&](const std::string& what) {
    return usage_error("network '" + source.file.path + "': " + what);
  };
  if (const std::optional<std::string> bw = source.file.get("bw")) {
    defaults.bytes_per_ns = parse_bytes_per_ns(*bw);
    if (!defaults.bytes_per_ns)
      throw wants("bw requires a rate such as 50GB/s, not '" + *bw + "'" + bandwidth_hint(*bw));
  }
  if (const std::optional<std::string> lat = source.file.get("lat")) {
    defaults.latency_ps = parse_time(*lat);
    if (!defaults.latency_ps) throw wants("lat requires a time such as 500ns, not '" + *lat + "'");
  }
  const bool binary = is_binary_infragraph(source.text);
  const InfraDocument document =
      binary ? read_binary_infragraph(source.name, source.text) : read_infragraph(source.name, source.text);
  return InfraExpansion(source, document, defaults).expand();
}

}  // namespace

extern const NetworkImport infragraph_import;
const NetworkImport infragraph_import = {
    .noun = "an InfraGraph", .keys = {"bw", "lat"}, .sniff = sniff_infragraph, .read = read_infragraph_network};

}  // namespace convert
