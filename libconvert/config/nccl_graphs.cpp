// SPDX-License-Identifier: MIT
#include "config/nccl_graphs.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <utility>

#include "config/xml_document.h"
#include "core/units.h"

namespace convert {
namespace {

constexpr std::array<std::string_view, 6> pattern_names = {"balanced tree", "split tree", "tree",
                                                           "ring",          "NVLS",       "collnet direct"};

class GraphsReader {
 public:
  GraphsReader(const std::string& file, std::string text)
      : document_(std::move(text), file, {.noun = "a graph file of NCCL", .root = "graphs"}) {}

  std::vector<NcclGraph> read() {
    const pugi::xml_node root = document_.root();
    if (std::string_view(root.name()) != "graphs")
      throw error(root, "the root is <" + std::string(root.name()) +
                            ">, not <graphs>; NCCL writes its chosen channels to NCCL_GRAPH_DUMP_FILE");
    if (const std::string_view version = root.attribute("version").value(); version != "1")
      throw error(root, "unknown version '" + shortened(version) + "' of graph files; known: 1");
    std::vector<NcclGraph> graphs;
    for (const pugi::xml_node child : elements(root)) {
      expect(child, "graph");
      graphs.push_back(read_graph(child));
    }
    return graphs;
  }

 private:
  static std::string shortened(std::string_view text) { return std::string(text.substr(0, 40)); }

  [[nodiscard]] Error error(pugi::xml_node at, const std::string& message) const {
    return input_error(document_.at(at), message, "graph");
  }

  // NCCL writes no text between elements. Text is rejected, because it could hide a removed element.
  [[nodiscard]] pugi::xml_object_range<pugi::xml_node_iterator> elements(pugi::xml_node of) const {
    for (const pugi::xml_node child : of.children()) {
      if (child.type() != pugi::node_element)
        throw error(of, "unexpected text in <" + std::string(of.name()) + ">");
    }
    return of.children();
  }

  void expect(pugi::xml_node node, std::string_view name) const {
    if (node.name() != name)
      throw error(node, "<" + shortened(node.name()) + "> instead of the expected <" + std::string(name) + ">");
  }

  // Returns a whole number, hexadecimal after 0x; -1 if the attribute is missing.
  [[nodiscard]] std::int64_t whole(pugi::xml_node node, const char* attribute, std::int64_t high) const {
    const pugi::xml_attribute found = node.attribute(attribute);
    if (!found) return -1;
    const std::string_view text = found.value();
    const bool hex = text.starts_with("0x");
    std::int64_t value = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, failure] = std::from_chars(text.data() + (hex ? 2 : 0), end, value, hex ? 16 : 10);
    if (failure == std::errc{} && stop == end && value >= 0 && value <= high) return value;
    throw error(node, std::string(attribute) + " of <" + node.name() + "> requires a whole number up to " +
                          std::to_string(high) + ", not '" + shortened(text) + "'");
  }
  [[nodiscard]] std::int64_t need(pugi::xml_node node, const char* attribute, std::int64_t high) const {
    const std::int64_t value = whole(node, attribute, high);
    if (value < 0) throw error(node, std::string("<") + node.name() + "> has no " + attribute);
    return value;
  }

  [[nodiscard]] NcclGraph read_graph(pugi::xml_node node) {
    NcclGraph graph{.id = static_cast<std::int32_t>(need(node, "id", INT32_MAX)),
                    .pattern = static_cast<std::int32_t>(need(node, "pattern", INT32_MAX)),
                    .cross_nic = static_cast<std::int32_t>(std::max<std::int64_t>(0, whole(node, "crossnic", 2))),
                    .speed_intra = shortened(node.attribute("speedintra").value()),
                    .speed_inter = shortened(node.attribute("speedinter").value()),
                    .type_intra = shortened(node.attribute("typeintra").value()),
                    .type_inter = shortened(node.attribute("typeinter").value()),
                    .where = document_.at(node)};
    const std::int64_t channels = need(node, "nchannels", INT32_MAX);
    for (const pugi::xml_node child : elements(node)) {
      expect(child, "channel");
      graph.channels.push_back(read_channel(child));
      if (graph.is_ring()) check_ring(child, graph);
    }
    if (std::cmp_not_equal(graph.channels.size(), channels))
      throw error(node, "graph " + std::to_string(graph.id) + " has " + counted(graph.channels.size(), "channel") +
                            ", not " + std::to_string(channels) + " as declared by nchannels");
    return graph;
  }

  // The GPUs of a channel are between the network device that data arrives by and the device that it leaves by.
  [[nodiscard]] NcclChannel read_channel(pugi::xml_node node) {
    NcclChannel channel;
    const auto children = elements(node);
    for (const pugi::xml_node child : children) {
      if (std::string_view(child.name()) == "net") {
        const bool first = !child.previous_sibling();
        if (!first && child.next_sibling())
          throw error(child, "a network device between GPUs; a channel may have network devices only at its ends");
        if (!child.attribute("dev")) throw error(child, "<net> has no dev");
        (first ? channel.first_net : channel.last_net) = shortened(child.attribute("dev").value());
        continue;
      }
      expect(child, "gpu");
      // Files older than NCCL 2.20 have no ranks; they number the GPUs of one host.
      const std::int64_t rank = whole(child, "rank", INT32_MAX);
      const bool by_rank = rank >= 0;
      if (!seen_gpu_) by_rank_ = by_rank;
      seen_gpu_ = true;
      if (by_rank != by_rank_) throw error(child, "some GPUs have a rank, others have no rank");
      channel.ranks.push_back(static_cast<std::int32_t>(by_rank ? rank : need(child, "dev", INT32_MAX)));
    }
    return channel;
  }

  // Checks the channel that was added last against the first channel, and renumbers its ranks relative to the
  // first rank.
  void check_ring(pugi::xml_node node, NcclGraph& graph) {
    std::vector<std::int32_t>& ranks = graph.channels.back().ranks;
    if (ranks.empty()) throw error(node, "a channel of a ring without GPUs");
    if (graph.channels.size() == 1) graph.first_rank = *std::ranges::min_element(ranks);
    const std::size_t count = graph.channels.front().ranks.size();
    std::vector<bool> seen(count, false);
    auto gpu = node.child("gpu");
    for (std::int32_t& rank : ranks) {
      const std::int64_t place = std::int64_t{rank} - graph.first_rank;
      const std::string is = (by_rank_ ? "rank " : "GPU ") + std::to_string(rank);
      if (place < 0 || std::cmp_greater_equal(place, count))
        throw error(gpu, is + " is not one of the " + counted(count, "GPU") +
                             " of the first channel, numbered from " + std::to_string(graph.first_rank) +
                             " upward");
      if (seen[static_cast<std::size_t>(place)]) throw error(gpu, is + " is repeated in a ring");
      seen[static_cast<std::size_t>(place)] = true;
      rank = static_cast<std::int32_t>(place);
      gpu = gpu.next_sibling("gpu");
    }
    if (const auto missing = std::ranges::find(seen, false); missing != seen.end())
      throw error(node, std::string(by_rank_ ? "rank " : "GPU ") +
                            std::to_string(graph.first_rank + (missing - seen.begin())) +
                            " is missing; the first channel has " + counted(count, "GPU"));
  }

  XmlDocument document_;
  bool seen_gpu_ = false;
  bool by_rank_ = false;  // ranks come from the attribute rank, not from dev
};

}  // namespace

std::vector<NcclGraph> read_nccl_graphs(const std::string& file, std::string text) {
  if (text.size() > max_nccl_graphs_bytes)
    throw input_error({.file = file}, "larger than 16 MiB, the limit of an NCCL graph file", "graph");
  return GraphsReader(file, std::move(text)).read();
}

std::string pattern_name(const NcclGraph& graph) {
  const auto i = static_cast<std::size_t>(graph.pattern) - 1;
  return i < pattern_names.size() ? std::string(pattern_names.at(i)) : "pattern " + std::to_string(graph.pattern);
}

// NCCL swaps the channels of each pair on odd hosts if this keeps rings on their rails.
std::size_t channel_of_host(const NcclGraph& graph, std::size_t ring, std::int32_t host) {
  const bool alternate = graph.cross_nic == 2 && graph.channels.size() % 2 == 0;
  return alternate && host % 2 == 1 ? ring ^ 1U : ring;
}

std::vector<std::vector<std::int32_t>> rings_of_hosts(const NcclGraph& ring, std::int32_t hosts) {
  std::vector<std::vector<std::int32_t>> rings(ring.channels.size());
  for (std::size_t c = 0; c < rings.size(); ++c) {
    for (std::int32_t host = 0; host < hosts; ++host) {
      const std::vector<std::int32_t>& chain = ring.channels[channel_of_host(ring, c, host)].ranks;
      for (const std::int32_t rank : chain)
        rings[c].push_back(host * static_cast<std::int32_t>(chain.size()) + rank);
    }
  }
  return rings;
}

}  // namespace convert
