// SPDX-License-Identifier: MIT
#include "generate/graph_file.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <vector>

#include "config/collective_rules.h"
#include "config/nccl_graphs.h"
#include "core/algorithm/named_net.h"
#include "core/attr_names.h"
#include "core/units.h"
#include "core/words.h"
#include "io/input.h"
#include "util/log.h"

namespace tools {

using namespace convert;

namespace {

constexpr std::int64_t most_ranks = 1 << 16;

struct GraphOperand {
  std::string path;
  std::int64_t hosts = 1;
};

// Splits "graph:FILE,hosts=N".
GraphOperand operand_of(const std::string& text) {
  constexpr std::string_view key = ",hosts=";
  GraphOperand operand{.path = text.substr(graph_prefix.size())};
  if (const std::size_t at = operand.path.rfind(key); at != std::string::npos) {
    const std::string number = operand.path.substr(at + key.size());
    const auto hosts = parse_int(number);
    if (!hosts || *hosts < 1 || *hosts > most_ranks)
      throw usage_error("--algorithm " + text + ": hosts requires an integer from 1 to 65536, not '" + number +
                        "'");
    operand = {.path = operand.path.substr(0, at), .hosts = *hosts};
  }
  if (operand.path.empty())
    throw usage_error("--algorithm " + text + ": give a graph file of NCCL, such as graph:graphs.xml,hosts=2");
  return operand;
}

// Returns "graph 0, ring: 2 channels of 20 GB/s (NVL), 24 GB/s between hosts (PIX)".
std::string described(const NcclGraph& g) {
  return "graph " + std::to_string(g.id) + ", " + pattern_name(g) + ": " + counted(g.channels.size(), "channel") +
         " of " + g.speed_intra + " GB/s (" + g.type_intra + "), " + g.speed_inter + " GB/s between hosts (" +
         g.type_inter + ")";
}

void tell(const std::vector<NcclGraph>& graphs, const NcclGraph& taken) {
  for (const NcclGraph& g : graphs) {
    log_info(described(g) + (&g == &taken ? "" : ", not used"));
    if (&g != &taken) continue;
    for (std::size_t c = 0; c < g.channels.size(); ++c) {
      const NcclChannel& channel = g.channels[c];
      std::string line = "channel " + std::to_string(c) + ":";
      if (!channel.first_net.empty()) line += " net " + channel.first_net + ",";
      for (const std::int32_t rank : channel.ranks) line += ' ' + std::to_string(g.first_rank + rank);
      if (!channel.last_net.empty()) line += ", net " + channel.last_net;
      log_info(line);
    }
    if (g.first_rank != 0)
      log_info("ranks are numbered from " + std::to_string(g.first_rank) + ", which is rank 0 of the first host");
  }
}

// Returns the ring, which NCCL writes first. Throws Error(input) if the file has none.
const NcclGraph& ring_of(const std::string& file, const std::vector<NcclGraph>& graphs) {
  const auto ring = std::ranges::find_if(graphs, &NcclGraph::is_ring);
  if (ring != graphs.end() && !ring->channels.empty()) return *ring;
  if (ring != graphs.end()) throw input_error(ring->where, "the ring has no channels: NCCL found none", "graph");
  std::vector<std::string> others;
  for (const NcclGraph& g : graphs) others.push_back(pattern_name(g));
  if (others.empty()) throw input_error({.file = file}, "contains no graph", "graph");
  throw input_error(
      graphs.front().where,
      "contains no ring, only " + join(others) +
          ", which are not algorithms: trees between hosts and sums in switches are chosen when a job "
          "starts and are in no file",
      "graph");
}

void warn(const NcclGraph& ring, std::int64_t hosts, Context& context) {
  const bool leaves = std::ranges::any_of(
      ring.channels, [](const NcclChannel& c) { return !c.first_net.empty() || !c.last_net.empty(); });
  if (leaves == (hosts > 1)) return;
  const std::string message =
      leaves
          ? "the rings use the network, so the file is for one of several hosts; add ,hosts=N after the file, or "
            "the rings close inside the host"
          : "the rings do not use the network: NCCL chose them for one host, and may choose other rings for "
            "hosts=" +
                std::to_string(hosts);
  context.diagnostics.warning(ring.where, "graph", message);
}

// Returns the number of a network device, decimal or hexadecimal with 0x; -1 if the file names none.
std::int64_t net_of(const std::string& text) {
  const bool hex = text.starts_with("0x");
  const char* const end = text.data() + text.size();
  std::int64_t number = -1;
  const auto [stop, failure] = std::from_chars(text.data() + (hex ? 2 : 0), end, number, hex ? 16 : 10);
  return failure == std::errc{} && stop == end && number >= 0 ? number : -1;
}

// Returns the network devices of the sends of each threadblock, by rank.
std::vector<std::vector<GraphAlgorithm::Nets>> nets_of(const Algorithm& algorithm, const NcclGraph& ring) {
  const auto each = static_cast<std::int32_t>(ring.channels.front().ranks.size());  // ranks of a host
  std::vector<std::vector<GraphAlgorithm::Nets>> nets;
  for (std::int32_t rank = 0; rank < algorithm.ranks(); ++rank) {
    auto& of_rank = nets.emplace_back();
    for (const Threadblock& tb : algorithm.threadblocks(algorithm.gpus[static_cast<std::size_t>(rank)])) {
      const auto ring_of_tb = static_cast<std::size_t>(tb.chan) % ring.channels.size();
      const bool leaves = tb.send >= 0 && tb.send / each != rank / each;
      const auto channel = [&](std::int32_t host) -> const NcclChannel& {
        return ring.channels[channel_of_host(ring, ring_of_tb, host)];
      };
      of_rank.emplace_back();
      if (leaves)
        of_rank.back() = {net_of(channel(rank / each).last_net), net_of(channel(tb.send / each).first_net)};
    }
  }
  return nets;
}

}  // namespace

bool GraphAlgorithm::has_nets() const {
  return std::ranges::any_of(nets, [](const auto& of_rank) {
    return std::ranges::any_of(of_rank, [](const Nets& n) { return n.net >= 0 || n.net_to >= 0; });
  });
}

void GraphAlgorithm::name_nets(Trace& trace) const {
  NodeTable& table = trace.nodes;
  for (Node& node : table.nodes) {
    const IntValue tb = int_value(table.attributes(node), attr::tb_id);
    if (node.type != NodeType::comm_send || !tb) continue;
    const Nets named = nets.at(trace.rank).at(static_cast<std::size_t>(tb.value));
    if (named.net < 0 && named.net_to < 0) continue;
    const Range old = node.attrs;
    node.attrs.begin = static_cast<std::uint32_t>(table.attrs.size());
    for (std::uint32_t i = 0; i < old.count; ++i) table.attrs.push_back(Attr(table.attrs[old.begin + i]));
    if (named.net >= 0) table.add_int(named_net, Kind::int32_val, named.net);
    if (named.net_to >= 0) table.add_int(named_net_to, Kind::int32_val, named.net_to);
    node.attrs.count = static_cast<std::uint32_t>(table.attrs.size()) - node.attrs.begin;
  }
}

bool names_graph_file(const GenerateOptions& o) { return o.algorithm && o.algorithm->starts_with(graph_prefix); }

GraphAlgorithm graph_algorithm(const GenerateOptions& o, Collective collective, Context& context) {
  CollectiveRequest request = algorithm_request(o, collective, context);
  if (!request.dims.empty() || !request.dim_algorithms.empty())
    throw usage_error(std::string(request.dims.empty() ? "--dim-algorithms" : "--dims") +
                      " cannot be combined with --algorithm graph:FILE, whose file defines the ranks");
  const GraphOperand operand = operand_of(*o.algorithm);
  const auto input = open_input(operand.path);
  const std::vector<NcclGraph> graphs = read_nccl_graphs(input->name(), input->read_rest());
  const NcclGraph& ring = ring_of(input->name(), graphs);
  const std::int64_t ranks = operand.hosts * static_cast<std::int64_t>(ring.channels.front().ranks.size());
  if (o.npus && *o.npus != ranks)
    throw usage_error("--npus " + std::to_string(*o.npus) + ": the graph file has " +
                      counted(static_cast<std::uint64_t>(ranks), "rank") +
                      (operand.hosts > 1 ? " on " + std::to_string(operand.hosts) + " hosts" : ""));
  if (ranks < 2)
    throw input_error(ring.where, "the ring has one GPU; add ,hosts=N after the file to join N hosts", "graph");
  if (ranks > most_ranks)
    throw usage_error(std::to_string(ranks) + " ranks are too many; the limit is " + std::to_string(most_ranks));
  tell(graphs, ring);
  warn(ring, operand.hosts, context);
  request.algorithm = "graph";
  request.ranks = static_cast<std::int32_t>(ranks);
  GraphAlgorithm made{.algorithm =
                          build_on_rings(request, rings_of_hosts(ring, static_cast<std::int32_t>(operand.hosts)))};
  made.nets = nets_of(made.algorithm, ring);
  return made;
}

}  // namespace tools
