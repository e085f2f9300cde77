// SPDX-License-Identifier: MIT
#include "passes/ten/from_replay.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/units.h"
#include "passes/provenance.h"
#include "passes/ten/chunk_sizes.h"

namespace convert {
namespace {

constexpr std::int64_t no_chunk = -1;

// Name of a chunk, independent of its position: in reductions its index in the whole buffer, else that index and
// the rank that it comes from.
using ChunkName = std::int64_t;

struct SentMessage {
  Rank src = 0;
  Rank dst = 0;
  Picoseconds arrival = 0;
  std::int64_t bytes = 0;
  NodeId node = 0;  // sending node
  std::vector<ChunkName> chunks{};
  std::vector<bool> added{};  // by chunk: the receiver adds it to its content
  std::vector<std::uint32_t> groups{};
};

// The chunk that a slot of a rank holds, the message that brought it, and its position in that message.
struct Content {
  ChunkName chunk = no_chunk;
  std::uint32_t message = no_index;
  std::uint32_t place = 0;
};

class Watcher {
 public:
  Watcher(std::span<const Trace> traces, const Timeline& timeline, Schedule frame, bool drawn)
      : traces_(traces), timeline_(timeline), out_(std::move(frame)), drawn_(drawn) {}

  ReplayNames names() && { return std::move(names_); }

  Schedule run() {
    read_headers();
    index_nodes();
    for (const Event& e : events()) take(e);
    const bool known = collective_ != Collective::custom && collective_ != Collective::gather &&
                       collective_ != Collective::scatter && collective_ != Collective::reduce;
    out_.collective = known && in_schedules(collective_) ? collective_ : Collective::custom;
    name_chunks();
    add_transfers();
    if (out_.collective == Collective::custom) end_where_they_are();
    const auto& chunks = out_.chunks;
    if (!chunks.empty() &&
        std::ranges::all_of(chunks, [&](const Schedule::Chunk& c) { return c.bytes == chunks.front().bytes; })) {
      out_.chunk_bytes = chunks.front().bytes;
      for (Schedule::Chunk& c : out_.chunks) c.bytes.reset();
    }
    return std::move(out_);
  }

 private:
  struct Event {
    Picoseconds time;
    bool begins;
    Rank rank;
    NodeId node;
    const Slice* slice;
    friend bool operator<(const Event& a, const Event& b) {
      return std::tie(a.time, a.begins, a.rank, a.node) < std::tie(b.time, b.begins, b.rank, b.node);
    }
  };
  struct Place {
    Rank rank;
    std::size_t index;
  };

  void read_headers() {
    require_all_ranks(traces_);
    for (const Trace& t : traces_) {
      Algorithm own;
      Gpu gpu;
      if (!read_header(t, own, gpu)) {
        const bool native =
            std::ranges::any_of(t.nodes.nodes, [](const Node& n) { return n.type == NodeType::comm_coll; });
        throw provenance_error(
            t,
            std::string("the trace carries no chunk provenance (metadata msccl.*), so no schedule can be written "
                        "from its replay") +
                (native ? "; its collectives run inside the simulator, so replay a trace of the algorithm, such as "
                          "the output of et-generate all_reduce"
                        : ""));
      }
      if (t.rank == 0) header_ = std::move(own);
      gpus_.push_back(std::move(gpu));
    }
    read_relays();
    using enum Collective;
    const Collective c = collective_;
    reduces_ = c == all_reduce || c == reduce_scatter || c == reduce || (drawn_ && c == custom && adds_up());
    const std::size_t ranks = participants_.size();
    if ((c == all_gather || c == reduce_scatter || c == all_to_all) &&
        std::cmp_not_equal(header_.chunks % ranks, 0)) {
      throw provenance_error(traces_.front(), std::string(name(c)) + " requires a multiple of " +
                                                  counted(ranks, "chunk") + ", one shard per rank, but there are " +
                                                  std::to_string(header_.chunks));
    }
    if (out_.nodes < traces_.size()) out_.nodes = static_cast<std::uint32_t>(traces_.size());
  }

  // Returns whether some step reduces.
  [[nodiscard]] bool adds_up() const {
    return std::ranges::any_of(traces_, [](const Trace& t) {
      return std::ranges::any_of(t.nodes.nodes, [&](const Node& n) {
        const auto type = string_value(t.nodes, t.nodes.attributes(n), attr::step_type);
        const auto step = type ? parse_step_type(*type) : std::nullopt;
        return step && reduces(*step);
      });
    });
  }

  void read_relays() {
    check_relays(traces_.front(), header_, traces_.size());
    collective_ = claimed_collective(header_);
    place_.assign(traces_.size(), no_index);
    for (Rank r = 0; r < traces_.size(); ++r) {
      if (std::ranges::binary_search(header_.relays, static_cast<std::int32_t>(r))) continue;
      place_[r] = static_cast<std::uint32_t>(participants_.size());
      participants_.push_back(r);
    }
    out_.relays.assign(header_.relays.begin(), header_.relays.end());
  }

  [[nodiscard]] bool relayed() const { return !header_.relays.empty(); }

  void index_nodes() {
    index_of_.resize(traces_.size());
    slots_.resize(traces_.size());
    for (const Trace& t : traces_) {
      for (std::size_t i = 0; i < t.nodes.nodes.size(); ++i) index_of_[t.rank].emplace(t.nodes.nodes[i].id, i);
    }
  }

  // Returns the initial content of a slot. Called when a step first touches the slot, since the metadata may claim
  // any number of slots. `buffer` and `offset` are as changed by at().
  [[nodiscard]] Content initial(Rank rank, Buffer buffer, std::int64_t offset) const {
    if (place_[rank] == no_index) return {};                       // a relay
    const bool custom = header_.collective == Collective::custom;  // also if there are relays
    const bool aliased = header_.inplace && !custom;
    if (buffer != (aliased ? Buffer::output : Buffer::input)) return {};
    const auto ranks = static_cast<std::int32_t>(traces_.size());
    const std::int64_t count =
        custom ? gpus_[rank].i_chunks : input_chunks(header_.collective, header_.chunks, ranks);
    if (aliased && header_.collective == Collective::all_gather) offset -= rank * part();
    if (offset < 0 || offset >= count) return {};
    // With relays, the input has room for the chunks of all ranks.
    if (relayed() && collective_ != Collective::custom && offset >= header_.chunks) return {};
    if (relayed() && collective_ == Collective::all_gather && offset / part() != place_[rank]) return {};
    return {reduces_ ? offset : static_cast<std::int64_t>(rank) * (std::int64_t{1} << 32U) + offset, no_index};
  }

  // Returns the number of chunks in a rank's shard.
  [[nodiscard]] std::int64_t part() const {
    return header_.chunks / static_cast<std::int64_t>(participants_.size());
  }

  std::vector<Event> events() const {
    std::vector<Event> out;
    for (const Slice& s : timeline_.slices) {
      if (s.lane == Lane::send) out.push_back({s.begin_ps, true, s.rank, s.node, &s});
      if (s.lane != Lane::send) out.push_back({s.end_ps, false, s.rank, s.node, &s});
    }
    std::sort(out.begin(), out.end());
    return out;
  }

  void take(const Event& e) {
    const auto found = index_of_[e.rank].find(e.node);
    if (found == index_of_[e.rank].end()) return;
    const Place p{e.rank, found->second};
    const Trace& t = traces_[p.rank];
    if (find(t.nodes.attributes(t.nodes.nodes[p.index]), attr::step_type) == nullptr) return;
    const Step step = parse_step(t, p.index);
    switch (t.nodes.nodes[p.index].type) {
      case NodeType::comm_send: return send(p, step, *e.slice);
      case NodeType::comm_recv: return receive(p, step, *e.slice);
      default: return compute(p, step);
    }
  }

  void send(const Place& p, const Step& step, const Slice& slice) {
    if (step.cnt < 1) throw error(p, "moves no chunk");
    // A message arrives when its send ends, whether or not its receive has started.
    SentMessage m{.src = p.rank,
                  .dst = static_cast<Rank>(slice.peer),
                  .arrival = slice.end_ps,
                  .bytes = slice.bytes,
                  .node = slice.node};
    // A step that receives first has put the chunk into its destination; rrs stores nothing and sends its source.
    const Buffer buffer = writes_dst(step.type) ? step.dst_buf : step.src_buf;
    const std::int64_t offset = writes_dst(step.type) ? step.dst_off : step.src_off;
    for (std::int32_t j = 0; j < step.cnt; ++j) {
      const Content c = at(p.rank, buffer, std::int64_t{offset} + j);
      if (c.chunk == no_chunk) throw error(p, "sends a chunk before it is written");
      m.chunks.push_back(c.chunk);
    }
    m.added.resize(m.chunks.size());
    by_flow_[slice.flow] = static_cast<std::uint32_t>(messages_.size());
    messages_.push_back(std::move(m));
  }

  void receive(const Place& p, const Step& step, const Slice& slice) {
    const auto flow = by_flow_.find(slice.flow);
    if (flow == by_flow_.end()) throw error(p, "receives a message that was not sent");
    SentMessage& m = messages_[flow->second];
    if (reduces(step.type)) m.added.assign(m.chunks.size(), true);
    const Buffer buffer = reduces(step.type) ? step.src_buf : step.dst_buf;
    const std::int64_t offset = reduces(step.type) ? step.src_off : step.dst_off;
    for (std::size_t j = 0; j < m.chunks.size(); ++j) {
      Content& c = at(p.rank, buffer, offset + static_cast<std::int64_t>(j));
      if (reduces(step.type)) check_sum(p, m.chunks[j], c);
      if (!reduces(step.type)) c = {m.chunks[j], flow->second, static_cast<std::uint32_t>(j)};
    }
  }

  // Follows chunks that are moved and added within a rank.
  void compute(const Place& p, const Step& step) {
    if (!writes_dst(step.type)) return;
    for (std::int32_t j = 0; j < step.cnt; ++j) {
      const Content from = at(p.rank, step.src_buf, std::int64_t{step.src_off} + j);
      Content& to = at(p.rank, step.dst_buf, std::int64_t{step.dst_off} + j);
      if (step.type == StepType::re) {
        check_sum(p, from.chunk, to);
        if (from.message != no_index) messages_[from.message].added[from.place] = true;
      } else {
        to = from;
      }
    }
  }

  // Checks that a chunk is added to itself.
  void check_sum(const Place& p, ChunkName chunk, const Content& to) const {
    if (to.chunk == no_chunk) throw error(p, "adds to a chunk before it is written");
    if (to.chunk != chunk) throw error(p, "reduces two different chunks into one");
  }

  [[nodiscard]] Error error(const Place& p, const std::string& what) const {
    return input_error(location_of(traces_[p.rank], p.index),
                       "node " + std::to_string(traces_[p.rank].nodes.nodes[p.index].id) + ' ' + what,
                       "provenance");
  }

  // Returns the content of a slot. In place, input and output are one buffer; slots are those positions in the
  // larger one.
  [[nodiscard]] Content& at(Rank rank, Buffer buffer, std::int64_t offset) {
    if (header_.inplace && buffer != Buffer::scratch && header_.collective != Collective::custom) {
      if (header_.collective == Collective::all_gather && buffer == Buffer::input) offset += rank * part();
      if (header_.collective == Collective::reduce_scatter && buffer == Buffer::output) offset += rank * part();
      buffer = Buffer::output;
    }
    const auto [slot, added] = slots_[rank].try_emplace({buffer, offset});
    if (added) slot->second = initial(rank, buffer, offset);
    return slot->second;
  }

  // Merges chunks that are always in the same messages into one chunk.
  void name_chunks() {
    std::map<ChunkName, std::vector<std::uint32_t>> in;  // messages of each chunk
    for (std::uint32_t m = 0; m < messages_.size(); ++m) {
      for (const ChunkName c : messages_[m].chunks) in[c].push_back(m);
    }
    std::map<std::vector<std::uint32_t>, std::uint32_t> groups;
    std::vector<std::uint64_t> parts;  // by group: number of the collective's chunks in it
    std::map<ChunkName, std::uint32_t> group_of;
    for (const auto& [name, list] : in) {
      const auto [at, added] = groups.try_emplace(list, static_cast<std::uint32_t>(groups.size()));
      group_of[name] = at->second;
      if (added) add_chunk(name);
      if (added) parts.push_back(0);
      ++parts[at->second];
    }
    for (SentMessage& m : messages_) {
      for (const ChunkName c : m.chunks) m.groups.push_back(group_of.at(c));
      std::ranges::sort(m.groups);
      m.groups.erase(std::unique(m.groups.begin(), m.groups.end()), m.groups.end());
    }
    size_chunks(parts);
  }

  void size_chunks(const std::vector<std::uint64_t>& parts) {
    std::vector<CarriedChunks> carried;
    for (const SentMessage& m : messages_) carried.push_back({m.bytes, m.groups});
    convert::size_chunks(carried, parts, out_.chunks);
    for (const SentMessage& m : messages_) check_message(m);
  }

  void check_message(const SentMessage& m) const {
    const std::string what = "a message from rank " + std::to_string(m.src) + " to " + std::to_string(m.dst);
    const auto added = static_cast<std::size_t>(std::ranges::count(m.added, true));
    if (added != 0 && added != m.added.size()) {
      throw input_error({.file = out_.file},
                        what + " carries " + counted(m.added.size(), "chunk") + ", but its receiver reduces only " +
                            std::to_string(added) + " of these; a schedule has one operation per transfer",
                        "provenance");
    }
    std::int64_t bytes = 0;
    for (const std::uint32_t g : m.groups) bytes += *out_.chunks[g].bytes;
    const auto sound = [&](std::uint32_t g) { return *out_.chunks[g].bytes > 0; };
    if (bytes == m.bytes && std::ranges::all_of(m.groups, sound)) return;
    throw input_error({.file = out_.file},
                      what + " has " + counted(m.bytes, "byte") +
                          ", but the sizes of its chunks in other messages add up to " + std::to_string(bytes) +
                          "; choose a size= that is a multiple of the number of chunks",
                      "provenance");
  }

  // Adds a chunk; the collective defines where it begins and ends.
  void add_chunk(ChunkName name) {
    const auto origin = static_cast<std::uint32_t>(reduces_ ? 0 : name >> 32U);
    const std::int64_t index = reduces_ ? name : name & 0xffffffff;
    Schedule::Chunk c{.id = static_cast<std::int64_t>(out_.chunks.size()), .bytes = {}, .pre = {}, .post = {}};
    using enum Collective;
    c.pre = reduces_ ? Schedule::NodeSet{.all = true} : one(origin);
    if (collective_ == reduce_scatter || collective_ == all_to_all) {
      c.post = one(participants_[static_cast<std::size_t>(index / part())]);
    } else {
      c.post = {.all = true};
    }
    out_.chunks.push_back(c);
    names_.chunks.emplace_back(origin, index);
  }

  // Without a postcondition, a chunk ends at every node that receives it, except for relays and nodes that reduce
  // it and pass it on. If this leaves one node for each chunk of a reduction, the collective is a reduction with a
  // root.
  void end_where_they_are() {
    std::vector<std::vector<std::uint32_t>> nodes(out_.chunks.size());
    const auto each_chunk = [&](const Schedule::Transfer& t, const auto& take) {
      for (std::uint32_t k = 0; k < chunk_count(t); ++k) take(chunk_at(out_, t, k));
    };
    for (const auto& t : out_.transfers) each_chunk(t, [&](std::uint32_t c) { nodes[c].push_back(t.dst); });
    if (reduces_) {
      std::set<std::pair<std::uint32_t, std::uint32_t>> passed_on;
      for (const auto& t : out_.transfers) each_chunk(t, [&](std::uint32_t c) { passed_on.insert({c, t.src}); });
      for (std::uint32_t c = 0; c < nodes.size(); ++c) {
        std::erase_if(nodes[c], [&](std::uint32_t n) { return passed_on.contains({c, n}); });
      }
    }
    bool one_each = collective_ == Collective::reduce;
    for (std::uint32_t c = 0; c < out_.chunks.size(); ++c) {
      std::erase_if(nodes[c], [&](std::uint32_t n) { return is_relay(out_, n); });
      std::sort(nodes[c].begin(), nodes[c].end());
      nodes[c].erase(std::unique(nodes[c].begin(), nodes[c].end()), nodes[c].end());
      out_.chunks[c].post = {
          .all = false,
          .of = {static_cast<std::uint32_t>(out_.members.size()), static_cast<std::uint32_t>(nodes[c].size())}};
      out_.members.insert(out_.members.end(), nodes[c].begin(), nodes[c].end());
      one_each = one_each && nodes[c].size() == 1;
    }
    if (one_each) out_.collective = Collective::reduce;
  }

  [[nodiscard]] Schedule::NodeSet one(std::uint32_t node) {
    out_.members.push_back(node);
    return {.all = false, .of = {static_cast<std::uint32_t>(out_.members.size() - 1), 1}};
  }

  void add_transfers() {
    const WireIndex wires(out_);
    find_ways();
    for (std::uint32_t i = 0; i < messages_.size(); ++i) {
      const SentMessage& m = messages_[i];
      const Range more{static_cast<std::uint32_t>(out_.carried.size()),
                       static_cast<std::uint32_t>(m.groups.size() - 1)};
      out_.carried.insert(out_.carried.end(), m.groups.begin() + 1, m.groups.end());
      Schedule::Transfer t{.end = m.arrival,
                           .src = m.src,
                           .dst = m.dst,
                           .chunk = m.groups.front(),
                           .more = more,
                           .op = m.added.front() ? Schedule::Op::reduce : Schedule::Op::copy,
                           .line = i};
      if (can_be_drawn(i)) {
        t.way = {static_cast<std::uint32_t>(out_.hops.size()), static_cast<std::uint32_t>(ways_[i].size())};
        for (const HopSlice* h : ways_[i])
          out_.hops.push_back({.start = h->begin_ps, .end = h->end_ps, .id = 0, .to = h->to});
        t.start = ways_[i].front()->begin_ps;
      } else {
        const std::uint32_t l = wires.find(m.src, m.dst);
        if (l == no_index) throw no_link(m);
        t.start = std::max<Picoseconds>(0, m.arrival - rounded_ps(hop_ps(out_.wires[l], m.bytes)));
      }
      out_.transfers.push_back(t);
    }
    std::ranges::sort(out_.transfers, [](const auto& a, const auto& b) {
      return std::tie(a.start, a.src, a.dst, a.end, a.chunk) < std::tie(b.start, b.src, b.dst, b.end, b.chunk);
    });
    for (Schedule::Transfer& t : out_.transfers) {
      const SentMessage& m = messages_[std::exchange(t.line, 0)];
      names_.sends.emplace_back(m.src, m.node);
    }
    number_legs();
    Picoseconds end = 0;
    for (const auto& t : out_.transfers) end = std::max(end, t.end);
    out_.claimed_ps = end;
  }

  // Numbers the legs of transfers on each link in the order in which they start.
  void number_legs() {
    std::vector<Leg> legs;
    for (std::uint32_t i = 0; i < out_.transfers.size(); ++i) {
      for (std::uint32_t h = 0; h < leg_count(out_.transfers[i]); ++h) legs.push_back(leg_at(out_, i, h));
    }
    std::ranges::stable_sort(legs, {}, [](const Leg& l) { return std::tuple(l.start, l.src, l.dst); });
    for (std::uint32_t id = 0; id < legs.size(); ++id) {
      Schedule::Transfer& t = out_.transfers[legs[id].transfer];
      if (legs[id].hop == 0) t.id = static_cast<std::int32_t>(id);
      if (t.way.count != 0) out_.hops[t.way.begin + legs[id].hop].id = static_cast<std::int32_t>(id);
    }
  }

  // Finds the hops of each message. Messages with the same ranks, size and arrival are matched in order of sending.
  void find_ways() {
    ways_.resize(messages_.size());
    if (out_.switches == 0 && !drawn_) return;
    using Key = std::tuple<Rank, Rank, Picoseconds, std::int64_t>;  // source, destination, arrival, bytes
    std::map<std::uint32_t, std::vector<const HopSlice*>> hops;     // by message
    for (const HopSlice& h : timeline_.hops) hops[h.message].push_back(&h);
    std::map<Key, std::vector<std::uint32_t>> alike;
    for (const auto& [message, way] : hops)
      alike[{way[0]->src, way[0]->dst, way.back()->end_ps, way[0]->bytes}].push_back(message);
    std::map<Key, std::size_t> taken;
    for (std::uint32_t i = 0; i < messages_.size(); ++i) {
      const SentMessage& m = messages_[i];
      const Key key{m.src, m.dst, m.arrival, m.bytes};
      const auto at = alike.find(key);
      std::size_t& next = taken[key];
      if (at != alike.end() && next < at->second.size()) ways_[i] = hops[at->second[next++]];
    }
  }
  // Returns whether a schedule can express the route of a message: over switches or, for drawing, any route.
  [[nodiscard]] bool can_be_drawn(std::uint32_t message) const {
    const auto& way = ways_[message];
    if (way.size() < 2) return false;
    return drawn_ ||
           std::all_of(way.begin(), way.end() - 1, [&](const HopSlice* h) { return h->to >= out_.nodes; });
  }
  [[nodiscard]] Error no_link(const SentMessage& m) const {
    return input_error({.file = out_.file},
                       "rank " + std::to_string(m.src) + " sends to " + std::to_string(m.dst) +
                           ", but the network has no link between them; choose a network with this link, such as "
                           "fully_connected, or an algorithm that sends only to neighbours",
                       "network");
  }

  std::span<const Trace> traces_;
  const Timeline& timeline_;
  Schedule out_;
  bool drawn_;
  ReplayNames names_;
  Algorithm header_;
  std::vector<Gpu> gpus_;
  Collective collective_ = Collective::custom;  // of all ranks except relays
  std::vector<Rank> participants_;
  std::vector<std::uint32_t> place_;  // by rank: its position among the participants; no_index for a relay
  bool reduces_ = false;
  std::vector<std::unordered_map<NodeId, std::size_t>> index_of_;  // by rank
  std::vector<std::map<std::pair<Buffer, std::int64_t>, Content>> slots_;
  std::unordered_map<std::uint64_t, std::uint32_t> by_flow_;  // message of a slice's flow
  std::vector<SentMessage> messages_;
  std::vector<std::vector<const HopSlice*>> ways_;  // by message, if they are known
};

}  // namespace

Schedule fill_from_replay(std::span<const Trace> traces, const Timeline& timeline, Schedule frame, bool drawn,
                          ReplayNames* names) {
  Watcher watcher(traces, timeline, std::move(frame), drawn);
  Schedule schedule = watcher.run();
  if (names != nullptr) *names = std::move(watcher).names();
  return schedule;
}

}  // namespace convert
