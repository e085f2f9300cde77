// SPDX-License-Identifier: MIT
#include "passes/window/partial.h"

#include <algorithm>
#include <utility>

#include "graph/collectives.h"

namespace convert {
namespace {

class PartialFinder {
 public:
  explicit PartialFinder(std::vector<WindowCalls>& ranks) : ranks_(ranks), partial_(ranks.size()) {}

  std::vector<std::vector<std::uint32_t>> run() {
    find_calls();
    find_messages();
    for (auto& nodes : partial_) std::ranges::sort(nodes);
    return std::move(partial_);
  }

 private:
  void find_calls() {
    std::map<std::string, std::vector<bool>> whole;
    for (const WindowCalls& r : ranks_) {
      for (const auto& [group, nodes] : r.calls) {
        std::vector<bool>& of_group = whole[group];
        if (of_group.size() < nodes.size()) of_group.resize(nodes.size(), true);
      }
    }
    for (const WindowCalls& r : ranks_) {
      for (const auto& [group, nodes] : r.calls) {
        std::vector<bool>& of_group = whole[group];
        for (std::size_t k = 0; k < of_group.size(); ++k) {
          if (k >= nodes.size() || !r.in[nodes[k]]) of_group[k] = false;
        }
      }
    }
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
      for (const auto& [group, nodes] : ranks_[i].calls) {
        for (std::size_t k = 0; k < nodes.size(); ++k) {
          if (ranks_[i].in[nodes[k]] && !whole[group][k]) partial_[i].push_back(nodes[k]);
        }
      }
    }
  }

  void find_messages() {
    std::vector<RankMessages> messages;
    std::vector<Rank> numbers;
    for (WindowCalls& r : ranks_) {
      messages.push_back(std::move(r.messages));
      numbers.push_back(r.rank);
    }
    peers_to_positions(messages, numbers);
    for_each_message_pair(messages, [&](const MessagePair& p) {
      const bool from = ranks_[p.from_rank].in[p.from_node], to = ranks_[p.to_rank].in[p.to_node];
      if (from && !to) partial_[p.from_rank].push_back(p.from_node);
      if (to && !from) partial_[p.to_rank].push_back(p.to_node);
    });
  }

  std::vector<WindowCalls>& ranks_;
  std::vector<std::vector<std::uint32_t>> partial_;
};

}  // namespace

WindowCalls window_calls(const Trace& trace, std::vector<bool> in) {
  WindowCalls out{.rank = trace.rank, .in = std::move(in)};
  const std::vector<std::uint32_t> order = communication_order(trace.nodes, build_graph(trace.nodes));
  out.messages = messages_of(trace.nodes, order);
  for (const GroupUse& use : collectives_of(trace.nodes, order)) {
    for (std::uint32_t k = 0; k < use.calls.size(); ++k) {
      // The group of a collective over some dimensions only depends on the network.
      if (use.details_of(k).dims_left_out == 0) out.calls[use.group].push_back(use.calls[k].node);
    }
  }
  return out;
}

std::vector<std::vector<std::uint32_t>> find_partial_nodes(std::vector<WindowCalls>& ranks) {
  return PartialFinder(ranks).run();
}

}  // namespace convert
