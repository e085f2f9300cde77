// SPDX-License-Identifier: MIT
#include "formats/graphs/drawing.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "util/json_writer.h"

namespace convert::drawing {

const NodeParts& drawn_parts() {
  static const NodeParts parts = [] {
    NodeParts drawn = communication_parts();
    return drawn.attributes(NodeParts::On::all, drawn_names).names(NodeParts::On::all);
  }();
  return parts;
}

Drawing make_drawing(std::vector<DrawnRank> ranks) {
  Drawing d{.ranks = std::move(ranks), .messages = {}};
  std::vector<Rank> numbers;
  for (DrawnRank& r : d.ranks) {
    d.messages.push_back(std::move(r.messages));
    numbers.push_back(r.rank);
  }
  peers_to_positions(d.messages, numbers);
  return d;
}

Drawing make_drawing(std::span<const Trace> traces) {
  std::vector<DrawnRank> ranks;
  for (const Trace& t : traces) {
    DrawnRank& rank = ranks.emplace_back(t);
    rank.add(t.nodes);
    rank.finish();
  }
  return make_drawing(std::move(ranks));
}

double layout_work(const Drawing& drawing) {
  std::vector<std::uint32_t> first(drawing.ranks.size() +
                                   1);  // index of each rank's first node among the nodes of all ranks
  for (std::size_t r = 0; r < drawing.ranks.size(); ++r) first[r + 1] = first[r] + drawing.ranks[r].size();
  const std::uint32_t n = first.back();
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
  for (std::size_t r = 0; r < drawing.ranks.size(); ++r) {
    const DrawnRank& rank = drawing.ranks[r];
    DependencyReader dependencies(rank);
    for (std::uint32_t i = 0; i < rank.size(); ++i) {
      for (const DrawnParent& p : dependencies.next_parents())
        edges.emplace_back(first[r] + rank.find(p.id), first[r] + i);
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

std::int64_t duration_ns(const DrawnNode& node) {
  const auto nanos = node[attr::duration_nanos];
  if (nanos && *nanos >= 0) return *nanos;
  constexpr std::uint64_t most_us = INT64_MAX / 1000;
  return node.duration_us <= most_us ? static_cast<std::int64_t>(node.duration_us) * 1000 : -1;
}

std::pair<std::optional<std::int64_t>, std::string_view> collective_of(const DrawnNode& node) {
  static constexpr std::array<std::string_view, 10> names = {
      "ALL_REDUCE", "REDUCE",         "ALL_GATHER",           "GATHER", "SCATTER", "BROADCAST",
      "ALL_TO_ALL", "REDUCE_SCATTER", "REDUCE_SCATTER_BLOCK", "BARRIER"};
  const auto type = node[attr::comm_type];
  const auto i = static_cast<std::uint64_t>(type.value_or(-1));
  return {type, i < names.size() ? names[i] : std::string_view{}};
}

DrawnNames::DrawnNames(const DrawnRank& rank, bool many) : rank_(rank) {
  const std::string prefix = many ? "r" + std::to_string(rank.rank) + "n" : "n";
  prefix_size_ = prefix.copy(prefix_.data(), prefix_.size());
}

char* DrawnNames::write_place(std::uint32_t index, char* at) const {
  if (!std::ranges::binary_search(rank_.duplicates, index)) return at;
  *at++ = '_';
  return std::to_chars(at, at + 10, index).ptr;
}

void append_hex(unsigned char c, Writer& out) {
  static constexpr std::string_view digits = "0123456789abcdef";
  out << 'x' << digits[c >> 4U] << digits[c & 15U];
}

}  // namespace convert::drawing
