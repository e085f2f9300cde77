// SPDX-License-Identifier: MIT
#include "simulate/program/send_ways.h"

#include <algorithm>
#include <tuple>

#include "core/algorithm/named_net.h"
#include "core/algorithm/network_id.h"
#include "core/attr_names.h"
#include "core/units.h"

namespace convert {
namespace {

std::uint64_t ends_of(Device from, Device to) { return std::uint64_t{from} << 32U | to; }

// Returns the network devices that a send names; nothing if it names none.
std::optional<SendWays::Way> named_nets(const Trace& trace, const Node& send, std::uint32_t node) {
  const Attr* from = nullptr;
  const Attr* to = nullptr;
  for (const Attr& a : trace.nodes.attributes(send)) {
    if (a.name.index() < attr::count) continue;  // fast path for most attributes
    if (a.name == named_net) from = &a;
    if (a.name == named_net_to) to = &a;
  }
  if (from == nullptr && to == nullptr) return {};
  const IntValue net = int_value(from), net_to = int_value(to);
  if (!net && !net_to) return {};
  return SendWays::Way{.node = node, .net = net ? net.value : -1, .net_to = net_to ? net_to.value : -1};
}

}  // namespace

const SendWayReader::Links& SendWayReader::links() const {
  std::call_once(once_, [this] {
    WireGraph graph = build_wire_graph(network_);
    if (!options_.network.failed.empty()) remove_failed_wires(graph, options_.network.failed);
    for (const GraphWire& w : graph.wires) links_.ends.insert(ends_of(w.from, w.to));
    links_.id = network_id(graph);
    links_.switches = graph.switches != 0;
  });
  return links_;
}

SendWayReader::Use SendWayReader::use_of(const Trace& trace) const {
  if (options_.network.model != NetworkModel::wires || network_.ideal || options_.astra) return Use::none;
  if (options_.system != nullptr && options_.system->rendezvous) return Use::none;
  const AttrTable& metadata = trace.metadata.table;
  const auto id = string_value(metadata, metadata.attrs, scheduled_network);
  if (!id) return Use::none;
  const auto has_turn = [&](const Node& n) {
    return n.type == NodeType::comm_send && find(trace.nodes.attributes(n), attr::link_seq) != nullptr;
  };
  if (!std::ranges::any_of(trace.nodes.nodes, has_turn)) return Use::none;
  return same_links(*id, links().id) ? Use::own : Use::foreign;
}

NetDevices& SendWayReader::nets() const {
  std::call_once(nets_once_, [this] { nets_.emplace(network_, options_.network.failed); });
  return *nets_;
}

bool SendWayReader::knows_nets() const {
  if (options_.network.model != NetworkModel::wires || options_.astra || nets().empty()) return false;
  return options_.system == nullptr || !options_.system->rendezvous;
}

std::shared_ptr<const SendWays> SendWayReader::read_nets(const Trace& trace, const Feeder& feeder) const {
  std::shared_ptr<SendWays> out;
  for (std::uint32_t node = 0; node < feeder.size(); ++node) {
    const Node& n = trace.nodes.nodes[feeder.index_of(node)];
    if (n.type != NodeType::comm_send) continue;
    const std::optional<SendWays::Way> way = named_nets(trace, n, node);
    if (!way) continue;
    if (!knows_nets()) {
      ignores_nets_ = true;
      return nullptr;
    }
    if (out == nullptr) out = std::make_shared<SendWays>();
    out->ways.push_back(*way);
  }
  return out;
}

std::string SendWayReader::why_nets_are_ignored() const {
  if (!ignores_nets_) return {};
  if (options_.astra) return "ASTRA-sim does not support them";
  if (options_.network.model != NetworkModel::wires)
    return "the network model " + std::string(name(options_.network.model)) + " has no routes";
  if (nets().empty()) return "the network has none";
  return "with rendezvous, messages take the shortest routes";
}

std::string SendWayReader::other_forwarding(const Trace& trace) const {
  const AttrTable& metadata = trace.metadata.table;
  const auto made = string_value(metadata, metadata.attrs, scheduled_forwarding);
  if (!made || !links().switches) return {};
  const std::string_view used = name(options_.network.forwarding.value_or(Forwarding::switches));
  return *made == used ? std::string() : std::string(*made);
}

std::string SendWayReader::problem_of(const LinkWay& way, Device from, Device to) const {
  if (!way.problem.empty()) return way.problem;
  for (std::size_t hop = 0; hop < way.turns.size(); ++hop) {
    const Device next = hop == way.via.size() ? to : way.via[hop];
    if (!links().ends.contains(ends_of(from, next))) {
      return "link_via uses a link from device " + std::to_string(from) + " to " + std::to_string(next) +
             ", which the network does not have";
    }
    from = next;
  }
  return {};
}

std::shared_ptr<const SendWays> SendWayReader::read(const Trace& trace, const Feeder& feeder,
                                                    std::span<const Rank> places, NodeCompiler& with) const {
  const auto device = [&](Rank r) { return r < places.size() ? Device{places[r]} : Device{r}; };
  auto out = std::make_shared<SendWays>();
  for (std::uint32_t node = 0; node < feeder.size(); ++node) {
    const std::uint32_t index = feeder.index_of(node);
    const Node& n = trace.nodes.nodes[index];
    if (n.type != NodeType::comm_send) continue;
    const auto attributes = trace.nodes.attributes(n);
    const std::optional<LinkWay> way = link_way(trace.nodes, attributes);
    if (!way) {
      if (const auto named = knows_nets() ? named_nets(trace, n, node) : std::nullopt) out->ways.push_back(*named);
      continue;
    }
    const auto to = static_cast<Device>(int_value(attributes, attr::comm_dst).value);
    if (const std::string problem = problem_of(*way, device(trace.rank), device(to)); !problem.empty()) {
      with.error(trace, index, "attributes", problem);
      continue;
    }
    out->ways.push_back({.node = node,
                         .first_hop = static_cast<std::uint32_t>(out->hops.size()),
                         .hops = static_cast<std::uint32_t>(way->turns.size()),
                         .scope = turn_scope(attributes)});
    for (std::size_t hop = 0; hop < way->turns.size(); ++hop)
      out->hops.push_back({hop < way->via.size() ? way->via[hop] : 0, way->turns[hop]});
  }
  return out;
}

ScheduledWay TurnTable::add_way(std::uint32_t run, Device from, Device to, const SendWays& ways,
                                const SendWays::Way& way) {
  const ScheduledWay out{{static_cast<std::uint32_t>(turns_.size()), way.hops}, run};
  for (std::uint32_t hop = 0; hop < way.hops; ++hop) {
    const SendWays::Hop& h = ways.hops[way.first_hop + hop];
    const Device next = hop + 1 == way.hops ? to : h.to;
    entries_.push_back({run, ends_of(from, next), h.turn, static_cast<std::uint32_t>(turns_.size())});
    turns_.push_back({.to = next});
    from = next;
  }
  return out;
}

ScheduledWay TurnTable::add_nets(Rank from, Rank to, const SendWays::Way& way) {
  if (!nets_) nets_.emplace(network_, failed_);
  const NetDevices::Way devices = nets_->way(from, to, way);
  ScheduledWay out{.through = devices.out, .then = devices.in};
  if (out.through == no_device) out.through = std::exchange(out.then, no_device);
  names_nets_ = names_nets_ || out.through != no_device;
  return out;
}

TurnTable::Ways TurnTable::add(Rank rank, const RankCode& code,
                               const std::function<Rank(std::uint32_t node)>& peer) {
  auto out = std::make_shared<std::vector<ScheduledWay>>(code.ops.size());
  // A repeated message of one scope belongs to the next repetition of the scope.
  std::map<std::tuple<std::int64_t, Rank, std::int64_t>, std::uint32_t> seen;
  for (const SendWays::Way& way : code.ways->ways) {
    const Rank to = peer(way.node);
    if (way.hops == 0) {
      (*out)[way.node] = add_nets(rank, to, way);
      continue;
    }
    const SendWays::Hop& first = code.ways->hops[way.first_hop];
    const std::uint32_t repetition = seen[{way.scope, way.hops == 1 ? to : first.to, first.turn}]++;
    const std::uint32_t run =
        runs_.try_emplace({way.scope, repetition}, static_cast<std::uint32_t>(runs_.size())).first->second;
    (*out)[way.node] = add_way(run, rank, to, *code.ways, way);
  }
  return out;
}

TurnTable::Ways TurnTable::add_custom(std::uint32_t custom, Rank npu, const RankCode& code) {
  auto out = std::make_shared<std::vector<ScheduledWay>>(code.ops.size());
  for (const SendWays::Way& way : code.ways->ways) {
    const Rank to = code.ops[way.node].peer;
    (*out)[way.node] =
        way.hops == 0 ? add_nets(npu, to, way) : add_way(custom_run(custom), npu, to, *code.ways, way);
  }
  return out;
}

std::vector<LinkTurn> TurnTable::take() {
  const auto key = [](const Entry& e) { return std::tuple(e.run, e.ends, e.turn, e.index); };
  std::ranges::sort(entries_, {}, key);
  for (std::size_t begin = 0, end = 0; begin < entries_.size(); begin = end) {
    const auto same_link = [&](const Entry& e) {
      return e.run == entries_[begin].run && e.ends == entries_[begin].ends;
    };
    while (end < entries_.size() && same_link(entries_[end])) ++end;
    for (std::size_t i = begin; i < end; ++i) {
      turns_[entries_[i].index].number = static_cast<std::uint32_t>(i - begin);
      turns_[entries_[i].index].of = static_cast<std::uint32_t>(end - begin);
    }
  }
  entries_ = {};
  return std::move(turns_);
}

}  // namespace convert
