// SPDX-License-Identifier: MIT
#include "passes/ten/flow.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <tuple>

#include "core/units.h"
#include "passes/ten/sums.h"

namespace convert {
namespace {

using Transfer = Schedule::Transfer;
constexpr std::uint64_t dense_slots = std::uint64_t{1} << 26U;

class Follower {
 public:
  Follower(const Schedule& s, Diagnostics& diagnostics) : s_(s), diagnostics_(diagnostics), slots_(s), sums_(s) {}

  Flow run() {
    const std::size_t n = s_.transfers.size();
    flow_.parents.resize(n);
    flow_.redundant.resize(cargo_count(s_));
    flow_.late.resize(n);
    in_flight_.resize(cargo_count(s_));
    departed_.resize(cargo_count(s_));
    flow_.order.reserve(n);
    reduces_ = std::ranges::any_of(s_.transfers, [](const Transfer& t) { return t.op == Schedule::Op::reduce; });
    place_chunks();
    std::vector<Event> events;
    events.reserve(2 * n);
    for (std::uint32_t i = 0; i < n; ++i) {
      const Transfer& t = s_.transfers[i];
      // A transfer arrives after its start, even if it is very short.
      events.push_back({std::max(t.end - tolerance(s_, t.end - t.start), t.start + 1), false, t.id, i});
      events.push_back({t.start, true, t.id, i});
    }
    std::sort(events.begin(), events.end());
    for (const Event& e : events) {
      if (e.departs) {
        depart(e.transfer);
      } else {
        arrive(e.transfer);
      }
    }
    check_end();
    return std::move(flow_);
  }

 private:
  struct Slot {
    bool known = false;  // the initial content has been looked up
    bool holds = false;
    bool given = false;  // its sum has been passed on
    Sums::Id value = 0;
    std::vector<std::uint32_t> parents;  // transfers that made it: one copy, or any number of reductions
  };
  struct Event {
    std::int64_t time;
    bool departs;     // arrivals come first at equal times
    std::int32_t id;  // of the transfer
    std::uint32_t transfer;
    friend bool operator<(const Event& a, const Event& b) {
      return std::tie(a.time, a.departs, a.id) < std::tie(b.time, b.departs, b.id);
    }
  };

  void place_chunks() {
    held_.resize(slots_.size());
    for (const Schedule::Chunk& c : s_.chunks) {
      holders_.push_back(common(s_, c.pre, c.post));
      missing_ += size_of(s_, c.post) - holders_.back();
    }
  }

  void depart(std::uint32_t i) {
    const Transfer& t = s_.transfers[i];
    flow_.order.push_back(i);
    flow_.late[i] = missing_ == 0 && !reduces_;
    Range& parents = flow_.parents[i];
    parents.begin = static_cast<std::uint32_t>(flow_.parent_list.size());
    for (std::uint32_t k = 0; k < chunk_count(t); ++k) depart(t, cargo_at(s_, i, k), chunk_at(s_, t, k));
    const auto begin = flow_.parent_list.begin() + parents.begin;
    if (t.more.count > 0) {  // several chunks may have come together
      std::sort(begin, flow_.parent_list.end());
      flow_.parent_list.erase(std::unique(begin, flow_.parent_list.end()), flow_.parent_list.end());
    }
    parents.count = static_cast<std::uint32_t>(flow_.parent_list.size()) - parents.begin;
  }

  void depart(const Transfer& t, std::size_t cargo, std::uint32_t chunk) {
    Slot& slot = at(t.src, chunk);
    departed_[cargo] = slot.holds && !slot.given;
    if (!departed_[cargo]) {
      const std::string what = t.more.count == 0 ? "the chunk" : "chunk " + std::to_string(s_.chunks[chunk].id);
      error(t, "R4",
            "starts " + (slot.given ? "after node " + std::to_string(t.src) + " has passed its sum" +
                                          (t.more.count == 0 ? "" : " of " + what) + " on"
                                    : "before node " + std::to_string(t.src) + " holds " + what));
      return;
    }
    in_flight_[cargo] = slot.value;
    flow_.parent_list.insert(flow_.parent_list.end(), slot.parents.begin(), slot.parents.end());
    slot.given = t.op == Schedule::Op::reduce;
  }

  void arrive(std::uint32_t i) {
    const Transfer& t = s_.transfers[i];
    for (std::uint32_t k = 0; k < chunk_count(t); ++k) arrive(i, cargo_at(s_, i, k), chunk_at(s_, t, k));
  }

  void arrive(std::uint32_t i, std::size_t cargo, std::uint32_t chunk) {
    const Transfer& t = s_.transfers[i];
    Slot& slot = at(t.dst, chunk);
    if (!departed_[cargo]) {  // reported at its start
      slot.holds = true;
      return;
    }
    if (t.op == Schedule::Op::reduce) {
      if (!slot.holds || slot.given) {
        const std::string what =
            t.more.count == 0 ? "a chunk that" : "chunk " + std::to_string(s_.chunks[chunk].id) + ", which";
        return error(t, "R5",
                     "reduces into " + what + " node " + std::to_string(t.dst) +
                         (slot.given ? " has passed on" : " does not hold"));
      }
      slot.value = sums_.add(slot.value, in_flight_[cargo]);
      slot.parents.push_back(i);
      return;
    }
    if (slot.holds && !slot.given && (!reduces_ || slot.value == in_flight_[cargo])) {
      flow_.redundant[cargo] = true;
      return;
    }
    if (!slot.holds) count_holder(t.dst, chunk);
    slot = {.known = true, .holds = true, .given = false, .value = in_flight_[cargo], .parents = {i}};
  }

  void count_holder(std::uint32_t node, std::uint32_t chunk) {
    if (!contains(s_, s_.chunks[chunk].post, node)) return;
    ++holders_[chunk];
    --missing_;
  }

  void check_end() {
    const bool sums = s_.collective == Collective::reduce_scatter || s_.collective == Collective::all_reduce ||
                      s_.collective == Collective::reduce;
    for (std::uint32_t c = 0; c < s_.chunks.size(); ++c) {
      const Schedule::NodeSet& post = s_.chunks[c].post;
      const std::uint32_t lacking = size_of(s_, post) - holders_[c];
      if (lacking == 0 && !sums) continue;
      std::string wrong;
      Sums::Id sound = no_index;
      // Stops at the first wrong node. Each node before it received a transfer, which bounds the loop.
      if (post.all) {
        for (std::uint32_t n = 0; n < s_.nodes && wrong.empty(); ++n) {
          if (!is_relay(s_, n)) wrong = wrong_at(c, n, sums, sound);
        }
      } else {
        for (const std::uint32_t n : listed(s_, post)) {
          if (wrong.empty()) wrong = wrong_at(c, n, sums, sound);
        }
      }
      if (wrong.empty()) continue;
      if (lacking > 1) wrong += "; " + counted(lacking, "node") + " lack it";
      diagnostics_.error({.file = s_.file, .line = s_.chunks[c].line}, "R6",
                         "chunk " + std::to_string(s_.chunks[c].id) + ' ' + wrong);
    }
  }

  // Returns the defect of a node that must hold the chunk, or its complete sum; empty if it does. `sound`: a sum of
  // the chunk that is known to be complete.
  [[nodiscard]] std::string wrong_at(std::uint32_t chunk, std::uint32_t node, bool sums, Sums::Id& sound) {
    const Schedule::Chunk& c = s_.chunks[chunk];
    Slot untouched;
    untouched.holds = contains(s_, c.pre, node);
    untouched.value = Sums::single(node);
    const Slot& slot = slots_.has(node, chunk) ? at(node, chunk) : untouched;
    if (!slot.holds) return "does not reach node " + std::to_string(node);
    if (!sums || slot.value == sound) return {};
    const std::string wrong = sums_.difference(slot.value, c.pre);
    if (!wrong.empty()) return "at node " + std::to_string(node) + ' ' + wrong;
    sound = slot.value;
    return {};
  }

  [[nodiscard]] Slot& at(std::uint32_t node, std::uint32_t chunk) {
    Slot& slot = held_[slots_.of(node, chunk)];
    if (!slot.known) {
      slot.known = true;
      slot.holds = contains(s_, s_.chunks[chunk].pre, node);
      slot.value = Sums::single(node);
    }
    return slot;
  }

  void error(const Transfer& t, const char* rule, const std::string& what) {
    diagnostics_.error({.file = s_.file, .line = t.line}, rule, describe(s_, t) + ' ' + what);
  }

  const Schedule& s_;
  Diagnostics& diagnostics_;
  ChunkSlots slots_;
  Sums sums_;
  std::vector<Slot> held_;
  std::vector<std::uint32_t> holders_;  // by chunk: number of nodes that must hold it at the end, and do
  std::vector<Sums::Id> in_flight_;     // by cargo_at()
  std::vector<bool> departed_;
  std::uint64_t missing_ = 0;  // chunks that have not yet reached all their destinations
  bool reduces_ = false;
  Flow flow_;
};

}  // namespace

Flow follow(const Schedule& schedule, Diagnostics& diagnostics) { return Follower(schedule, diagnostics).run(); }

std::int64_t tolerance(const Schedule& schedule, std::int64_t duration) {
  constexpr std::int64_t relative = 1'000'000;
  return schedule.time == Schedule::Time::continuous ? std::max<std::int64_t>(1, duration / relative) : 0;
}

void sort_by_node(const Schedule& schedule, std::vector<std::uint32_t>& order, std::uint32_t Transfer::*node) {
  const auto of = [&](std::uint32_t i) { return schedule.transfers[i].*node; };
  std::uint32_t most = 0;
  for (const std::uint32_t i : order) most = std::max(most, of(i));
  if (most > 4 * order.size()) {
    std::ranges::stable_sort(order, [&](std::uint32_t a, std::uint32_t b) { return of(a) < of(b); });
    return;
  }
  std::vector<std::uint32_t> next(std::size_t{most} + 2);
  for (const std::uint32_t i : order) ++next[of(i) + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  std::vector<std::uint32_t> sorted(order.size());
  for (const std::uint32_t i : order) sorted[next[of(i)]++] = i;
  order = std::move(sorted);
}

// Files mostly list the transfers of a link in order of time.
std::vector<std::uint32_t> by_ends(const Schedule& schedule) {
  std::vector<std::uint32_t> order(schedule.transfers.size());
  std::iota(order.begin(), order.end(), 0U);
  sort_by_node(schedule, order, &Transfer::dst);
  sort_by_node(schedule, order, &Transfer::src);
  const auto before = [&](std::uint32_t a, std::uint32_t b) {
    const Transfer& x = schedule.transfers[a];
    const Transfer& y = schedule.transfers[b];
    return std::tie(x.src, x.dst, x.start, x.id) < std::tie(y.src, y.dst, y.start, y.id);
  };
  if (!std::ranges::is_sorted(order, before)) std::ranges::sort(order, before);
  return order;
}

std::vector<Leg> legs_by_wire(const Schedule& schedule) {
  std::vector<Leg> legs;
  legs.reserve(schedule.transfers.size() + schedule.hops.size());
  for (const std::uint32_t i : by_ends(schedule)) {
    for (std::uint32_t h = 0; h < leg_count(schedule.transfers[i]); ++h) legs.push_back(leg_at(schedule, i, h));
  }
  const auto before = [](const Leg& a, const Leg& b) {
    return std::tie(a.src, a.dst, a.start, a.id) < std::tie(b.src, b.dst, b.start, b.id);
  };
  if (!std::ranges::is_sorted(legs, before)) std::ranges::sort(legs, before);
  return legs;
}

ChunkSlots::ChunkSlots(const Schedule& schedule) : chunks_(schedule.chunks.size()) {
  dense_ = schedule.nodes * chunks_ <= dense_slots && schedule.nodes * chunks_ <= 64 * (cargo_count(schedule) + 1);
  if (dense_) {
    dense_size_ = schedule.nodes * chunks_;
    return;
  }
  keys_.reserve(2 * cargo_count(schedule));
  for (const Transfer& t : schedule.transfers) {
    for (std::uint32_t k = 0; k < chunk_count(t); ++k) {
      keys_.push_back(key(t.src, chunk_at(schedule, t, k)));
      keys_.push_back(key(t.dst, chunk_at(schedule, t, k)));
    }
  }
  std::ranges::sort(keys_);
  keys_.erase(std::unique(keys_.begin(), keys_.end()), keys_.end());
}

std::size_t ChunkSlots::of(std::uint32_t node, std::uint32_t chunk) const {
  if (dense_) return key(node, chunk);
  return static_cast<std::size_t>(std::lower_bound(keys_.begin(), keys_.end(), key(node, chunk)) - keys_.begin());
}

bool ChunkSlots::has(std::uint32_t node, std::uint32_t chunk) const {
  return dense_ || std::ranges::binary_search(keys_, key(node, chunk));
}

}  // namespace convert
