// SPDX-License-Identifier: MIT
#include "formats/graphs/drawing.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "util/json_writer.h"

namespace convert::drawing {
namespace {

DrawnRank draw(const Trace& trace) {
  using What = GraphDefect::What;
  DrawnRank r;
  r.trace = &trace;
  std::vector<GraphDefect> defects;
  r.graph = build_graph(trace.nodes, &defects);
  for (const GraphDefect& d : defects) {
    if (d.what == What::duplicate_id) r.duplicates.push_back(d.index);
    if (d.what == What::self || d.what == What::dangling) r.broken.push_back(d);
    if (d.what == What::dangling) r.missing.push_back(d.id);
  }
  std::ranges::sort(r.missing);
  r.missing.erase(std::unique(r.missing.begin(), r.missing.end()), r.missing.end());
  return r;
}

}  // namespace

const NodeParts& drawn_parts() {
  static const NodeParts parts = [] {
    NodeParts drawn = communication_parts();
    return drawn.attributes(NodeParts::On::all, drawn_names).names(NodeParts::On::all);
  }();
  return parts;
}

Drawing make_drawing(std::span<const Trace> traces) {
  Drawing d;
  std::vector<Rank> ranks;
  for (const Trace& t : traces) {
    d.ranks.push_back(draw(t));
    d.messages.push_back(messages_of(t.nodes, d.ranks.back().graph));
    ranks.push_back(t.rank);
  }
  peers_to_positions(d.messages, ranks);
  return d;
}

double layout_work(const Drawing& drawing) {
  std::vector<std::uint32_t> first(drawing.ranks.size() + 1);  // nodes of all ranks, numbered through
  for (std::size_t r = 0; r < drawing.ranks.size(); ++r)
    first[r + 1] = first[r] + static_cast<std::uint32_t>(drawing.ranks[r].graph.size());
  const std::uint32_t n = first.back();
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
  for (std::size_t r = 0; r < drawing.ranks.size(); ++r) {
    const Graph& graph = drawing.ranks[r].graph;
    for (std::uint32_t i = 0; i < graph.size(); ++i) {
      for (const Edge& e : graph.parents(i)) edges.emplace_back(first[r] + e.node, first[r] + i);
    }
  }
  for_each_message_pair(drawing.messages, [&](const MessagePair& m) {
    edges.emplace_back(first[m.from_rank] + m.from_node, first[m.to_rank] + m.to_node);
  });
  std::ranges::sort(edges);
  std::vector<std::uint32_t> begin(n + 1), waits(n), level(n);
  for (const auto& [from, to] : edges) ++begin[from + 1], ++waits[to];
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  std::vector<std::uint32_t> free;
  for (std::uint32_t i = 0; i < n; ++i) {
    if (waits[i] == 0) free.push_back(i);
  }
  for (std::size_t at = 0; at < free.size(); ++at) {
    for (std::uint32_t e = begin[free[at]]; e < begin[free[at] + 1]; ++e) {
      const std::uint32_t to = edges[e].second;
      level[to] = std::max(level[to], level[free[at]] + 1);
      if (--waits[to] == 0) free.push_back(to);
    }
  }
  double spans = 0;
  for (const auto& [from, to] : edges) spans += level[to] > level[from] ? level[to] - level[from] : 1;
  return n + spans;
}

void Writer::flush() {
  output_.write({buffer_.data(), used_});
  used_ = 0;
}

Writer& Writer::append_large(std::string_view s) {
  flush();
  output_.write(s);
  return *this;
}

std::int64_t duration_ns(const Node& node, const Facts& facts) {
  const IntValue nanos = int_value(facts[attr::duration_nanos]);
  if (nanos && nanos.value >= 0) return nanos.value;
  constexpr std::uint64_t most_us = INT64_MAX / 1000;
  return node.duration_us <= most_us ? static_cast<std::int64_t>(node.duration_us) * 1000 : -1;
}

std::pair<IntValue, std::string_view> collective_of(const Facts& facts) {
  static constexpr std::array<std::string_view, 10> names = {
      "ALL_REDUCE", "REDUCE",         "ALL_GATHER",           "GATHER", "SCATTER", "BROADCAST",
      "ALL_TO_ALL", "REDUCE_SCATTER", "REDUCE_SCATTER_BLOCK", "BARRIER"};
  const IntValue type = int_value(facts[attr::comm_type]);
  const auto i = static_cast<std::uint64_t>(type.value);
  return {type, type && i < names.size() ? names[i] : std::string_view{}};
}

DrawnNames::DrawnNames(const DrawnRank& rank, bool many) : trace_(rank.trace), duplicates_(rank.duplicates) {
  const std::string prefix = many ? "r" + std::to_string(trace_->rank) + "n" : "n";
  prefix_size_ = prefix.copy(prefix_.data(), prefix_.size());
}

char* DrawnNames::write_place(std::uint32_t index, char* at) const {
  if (!std::ranges::binary_search(duplicates_, index)) return at;
  *at++ = '_';
  return std::to_chars(at, at + 10, index).ptr;
}

void append_hex(unsigned char c, Writer& out) {
  static constexpr std::string_view digits = "0123456789abcdef";
  out << 'x' << digits[c >> 4U] << digits[c & 15U];
}

}  // namespace convert::drawing
