// SPDX-License-Identifier: MIT
#include "formats/drawing.h"

#include <algorithm>
#include <limits>

#include "util/json_writer.h"

namespace convert::drawing {
namespace {

// By Name::index: the slot of a drawn attribute, Facts::count for all others.
constexpr auto slot_table = [] {
  std::array<std::uint8_t, attr::detail::count> table{};
  table.fill(Facts::count);
#define SLOT(id) table[attr::id.index()] = Facts::id;
  SLOT(is_cpu_op)
  SLOT(comm_type)
  SLOT(comm_src)
  SLOT(comm_dst)
  SLOT(comm_tag)
  SLOT(comm_size)
  SLOT(pg_name)
  SLOT(num_ops)
  SLOT(tensor_size)
  SLOT(msg_chunk_cnt)
  SLOT(duration_nanos)
#undef SLOT
  return table;
}();

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
  std::sort(r.missing.begin(), r.missing.end());
  r.missing.erase(std::unique(r.missing.begin(), r.missing.end()), r.missing.end());
  r.messages = messages_of(trace.nodes, r.graph);
  return r;
}

// A drawing may hold any ranks, such as 3 and 7 of a large set: messages are matched by position among those.
void peers_to_positions(std::vector<DrawnRank>& ranks) {
  std::vector<std::pair<Rank, std::int32_t>> positions;
  positions.reserve(ranks.size());
  for (const DrawnRank& r : ranks)
    positions.emplace_back(r.trace->rank, static_cast<std::int32_t>(positions.size()));
  std::sort(positions.begin(), positions.end());
  const auto position = [&](std::int32_t peer) {
    const std::pair<Rank, std::int32_t> wanted(static_cast<Rank>(peer), 0);
    const auto at = std::lower_bound(positions.begin(), positions.end(), wanted);
    const bool found = at != positions.end() && at->first == wanted.first;
    return found ? at->second : std::numeric_limits<std::int32_t>::max();
  };
  for (DrawnRank& r : ranks) {
    for (Message& m : r.messages.sends) m.peer = position(m.peer);
    for (Message& m : r.messages.recvs) m.peer = position(m.peer);
  }
}

}  // namespace

Drawing make_drawing(std::span<const Trace> traces) {
  Drawing d;
  d.ranks.reserve(traces.size());
  for (const Trace& t : traces) d.ranks.push_back(draw(t));
  peers_to_positions(d.ranks);
  return d;
}

void for_each_message(const Drawing& drawing, const std::function<void(const MessageEdge&)>& visit) {
  std::vector<const RankMessages*> messages;
  for (const DrawnRank& r : drawing.ranks) messages.push_back(&r.messages);
  for_each_message_group(messages, [&](const MessageGroup& g) {
    for (std::size_t k = 0; k < std::min(g.sends.size(), g.recvs.size()); ++k) {
      visit({g.src, g.dst, messages[g.src]->sends[g.sends[k]].node, messages[g.dst]->recvs[g.recvs[k]].node});
    }
  });
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

void Facts::read(std::span<const Attr> attrs) {
  found_.fill(nullptr);
  for (const Attr& a : attrs) {
    if (a.name.index() >= slot_table.size()) continue;
    const std::uint8_t slot = slot_table[a.name.index()];
    if (slot < count && found_[slot] == nullptr) found_[slot] = &a;
  }
}

std::string_view collective_name(std::int64_t type) {
  static constexpr std::array<std::string_view, 10> names = {
      "ALL_REDUCE", "REDUCE",         "ALL_GATHER",           "GATHER", "SCATTER", "BROADCAST",
      "ALL_TO_ALL", "REDUCE_SCATTER", "REDUCE_SCATTER_BLOCK", "BARRIER"};
  const auto i = static_cast<std::uint64_t>(type);
  return i < names.size() ? names[i] : std::string_view{};
}

NodeNames::NodeNames(const DrawnRank& rank, bool many) : trace_(rank.trace), duplicates_(rank.duplicates) {
  const std::string prefix = many ? "r" + std::to_string(trace_->rank) + "n" : "n";
  prefix_size_ = prefix.copy(prefix_.data(), prefix_.size());
}

char* NodeNames::write_place(std::uint32_t index, char* at) const {
  if (!std::binary_search(duplicates_.begin(), duplicates_.end(), index)) return at;
  *at++ = '_';
  return std::to_chars(at, at + 10, index).ptr;
}

void append_hex(unsigned char c, Writer& out) {
  static constexpr std::string_view digits = "0123456789abcdef";
  out << 'x' << digits[c >> 4U] << digits[c & 15U];
}

}  // namespace convert::drawing
