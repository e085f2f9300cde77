// SPDX-License-Identifier: MIT
#include "passes/ten/holdings.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "core/diagnostic.h"
#include "passes/ten/flow.h"
#include "passes/ten/play.h"
#include "passes/verify/step_graph.h"
#include "passes/verify/values.h"

namespace convert {
namespace {

class HoldingsFollower {
 public:
  explicit HoldingsFollower(const Schedule& s)
      : s_(s), slots_(s), sets_(std::max<std::uint32_t>(1, s.nodes)), sums_(has_sums(s)) {}

  Holdings run() {
    held_.resize(slots_.size());
    in_flight_.assign(cargo_count(s_), no_index);
    out_.cargo.assign(cargo_count(s_), 0);
    for (const Event& e : events()) e.departs ? depart(e.transfer) : arrive(e.transfer);
    std::ranges::stable_sort(out_.changes, {}, &Holdings::Change::time);
    return std::move(out_);
  }

 private:
  struct Slot {
    bool known = false;  // the initial content has been looked up
    std::uint32_t value = no_index;
  };
  struct Event {
    std::int64_t time;
    bool departs;  // arrivals come first at equal times
    std::int32_t id;
    std::uint32_t transfer;
    friend bool operator<(const Event& a, const Event& b) {
      return std::tie(a.time, a.departs, a.id) < std::tie(b.time, b.departs, b.id);
    }
  };

  // Returns starts and ends as in follow() of flow.h.
  [[nodiscard]] std::vector<Event> events() const {
    std::vector<Event> events;
    events.reserve(2 * s_.transfers.size());
    for (std::uint32_t i = 0; i < s_.transfers.size(); ++i) {
      const Schedule::Transfer& t = s_.transfers[i];
      events.push_back({std::max(t.end - tolerance(s_, t.end - t.start), t.start + 1), false, t.id, i});
      events.push_back({t.start, true, t.id, i});
    }
    std::sort(events.begin(), events.end());
    return events;
  }

  void depart(std::uint32_t i) {
    const Schedule::Transfer& t = s_.transfers[i];
    for (std::uint32_t k = 0; k < chunk_count(t); ++k)
      in_flight_[cargo_at(s_, i, k)] = at(t.src, chunk_at(s_, t, k)).value;
  }

  void arrive(std::uint32_t i) {
    const Schedule::Transfer& t = s_.transfers[i];
    for (std::uint32_t k = 0; k < chunk_count(t); ++k) {
      const std::size_t cargo = cargo_at(s_, i, k);
      const std::uint32_t chunk = chunk_at(s_, t, k);
      const std::uint32_t come = in_flight_[cargo];
      Slot& slot = at(t.dst, chunk);
      const bool adds = t.op == Schedule::Op::reduce;
      if (come != no_index && (!adds || slot.value != no_index))
        slot.value = adds ? sets_.unite(slot.value, come) : come;
      out_.cargo[cargo] = slot.value == no_index ? 0 : size_of(slot.value);
      out_.changes.push_back({.time = t.end, .node = t.dst, .chunk = chunk, .held = out_.cargo[cargo]});
    }
  }

  [[nodiscard]] Slot& at(std::uint32_t node, std::uint32_t chunk) {
    Slot& slot = held_[slots_.of(node, chunk)];
    if (!std::exchange(slot.known, true) && contains(s_, s_.chunks[chunk].pre, node)) slot.value = sums_ ? node : 0;
    return slot;
  }

  // Returns the number of contributions in a set; negative if some are duplicates.
  [[nodiscard]] std::int32_t size_of(RankSets::Id set) {
    if (set < s_.nodes) return 1;
    if (set >= sizes_.size()) sizes_.resize(std::size_t{set} + 1);
    if (sizes_[set] != 0) return sizes_[set];
    std::int32_t n = 0;
    for (std::uint32_t r = 0; r < s_.nodes; ++r) n += sets_.contains(set, r) ? 1 : 0;
    return sizes_[set] = sets_.doubled(set) ? -std::max(1, n) : n;
  }

  const Schedule& s_;
  ChunkSlots slots_;
  RankSets sets_;
  bool sums_;
  std::vector<Slot> held_;
  std::vector<std::uint32_t> in_flight_;  // by cargo_at(): a set; no_index: nothing
  std::vector<std::int32_t> sizes_;       // by set
  Holdings out_;
};

using NodeTimes = std::vector<std::unordered_map<NodeId, const Slice*>>;  // by rank

NodeTimes times_of(std::size_t ranks, const Timeline& timeline) {
  NodeTimes times(ranks);
  for (const Slice& s : timeline.slices) {
    if (s.rank < ranks) times[s.rank].emplace(s.node, &s);
  }
  return times;
}

// Returns when each step has received and computed its data: the start of its send, else the end of its last node.
std::vector<Picoseconds> ready_times(std::span<const Trace> traces, const StepGraphBuilder& made, std::size_t steps,
                                     const NodeTimes& times) {
  std::vector<Picoseconds> ready(steps, 0);
  for (std::uint32_t s = 0; s < steps; ++s) {
    const std::size_t rank = made.rank_of(s);
    const StepGraphBuilder::StepNodes& nodes = made.nodes()[s];
    const bool sends = nodes.send != no_index;
    const auto slice = times[rank].find(traces[rank].nodes.nodes[sends ? nodes.send : nodes.last].id);
    if (slice == times[rank].end()) continue;
    ready[s] = sends ? slice->second->begin_ps : slice->second->end_ps;
  }
  return ready;
}

}  // namespace

bool has_sums(const Schedule& s) {
  return s.collective == Collective::all_reduce || s.collective == Collective::reduce_scatter ||
         s.collective == Collective::reduce ||
         std::ranges::any_of(s.transfers, [](const auto& t) { return t.op == Schedule::Op::reduce; });
}

bool needs_stored(const Schedule& s) {
  return std::ranges::any_of(s.transfers, [](const auto& t) { return t.way.count != 0; });
}

Holdings holdings_of(const Schedule& schedule) { return HoldingsFollower(schedule).run(); }

Holdings holdings_of_replay(std::span<const Trace> traces, const Timeline& timeline, const Schedule& schedule,
                            const ReplayNames& names) {
  StepGraphBuilder made(static_cast<std::int32_t>(traces.size()));
  for (const Trace& t : traces) made.add(t);
  Diagnostics ignored;  // replayed steps are always ordered
  const StepNames nameless{.locate = [](std::uint32_t) { return Location{}; },
                           .describe = [](std::uint32_t) { return std::string(); },
                           .locate_rank = [](std::int32_t) { return Location{}; }};
  const StepGraph graph = made.finish(nameless, ignored);
  const NodeTimes times = times_of(traces.size(), timeline);
  const Play played = play(graph, ready_times(traces, made, graph.step_count(), times));

  // chunk of the schedule, by chunk of the algorithm's run
  std::unordered_map<std::uint32_t, std::uint32_t> chunk_of;
  for (std::uint32_t c = 0; c < names.chunks.size(); ++c) {
    const auto [rank, index] = names.chunks[c];
    chunk_of.emplace(static_cast<std::uint32_t>(played.stride * rank + index), c);
  }
  Holdings out;
  for (const Play::Change& c : played.changes) {
    const auto at = chunk_of.find(c.chunk);
    if (at == chunk_of.end() || c.time < 0) continue;
    out.changes.push_back(
        {.time = c.time, .node = static_cast<std::uint32_t>(c.rank), .chunk = at->second, .held = c.held});
  }
  std::vector<std::unordered_map<NodeId, const Play::Message*>> messages(traces.size());
  for (const Play::Message& m : played.messages) {
    const std::size_t rank = made.rank_of(m.send_step);
    messages[rank].emplace(traces[rank].nodes.nodes[made.nodes()[m.send_step].send].id, &m);
  }
  out.cargo.assign(cargo_count(schedule), 0);
  for (std::uint32_t i = 0; i < schedule.transfers.size(); ++i) {
    const auto [rank, node] = names.sends[i];
    const auto message = messages[rank].find(node);
    if (message == messages[rank].end()) continue;
    const Schedule::Transfer& t = schedule.transfers[i];
    for (std::uint32_t j = 0; j < message->second->cargo.count; ++j) {
      const Play::Cargo& cargo = played.cargo[message->second->cargo.begin + j];
      const auto chunk = chunk_of.find(cargo.chunk);
      if (chunk == chunk_of.end()) continue;
      for (std::uint32_t k = 0; k < chunk_count(t); ++k) {
        if (chunk_at(schedule, t, k) == chunk->second) out.cargo[cargo_at(schedule, i, k)] = cargo.held;
      }
    }
  }
  return out;
}

}  // namespace convert
