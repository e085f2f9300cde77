// SPDX-License-Identifier: MIT
#include "passes/ten/retime.h"

#include <algorithm>
#include <queue>
#include <string>
#include <tuple>
#include <unordered_map>

#include "core/units.h"

namespace convert {
namespace {

using Time = Schedule::Time;
using Transfer = Schedule::Transfer;

// Time of a leg, and time for which it occupies its link.
struct Duration {
  std::int64_t hop = 0;
  std::int64_t busy = 0;
};

constexpr std::int64_t longest = std::int64_t{1} << 61U;

std::int64_t times(std::int64_t steps, Picoseconds step) {
  std::int64_t out = 0;
  return __builtin_mul_overflow(steps, step, &out) ? longest : std::min(out, longest);
}

Duration duration_of(const Schedule& s, const WireIndex& wires, const Leg& t) {
  const std::uint32_t l = wires.find(t.src, t.dst);
  const auto bytes = bytes_of(s, s.transfers[t.transfer]);
  if (l != no_index && bytes && s.wires[l].bandwidth_gib_per_s > 0) {
    const std::int64_t hop = std::max<std::int64_t>(1, rounded_ps(hop_ps(s.wires[l], *bytes)));
    if (s.occupancy == Schedule::Occupancy::alpha_beta) return {hop, hop};
    return {hop, std::min<std::int64_t>(hop, rounded_ps(serialization_ps(s.wires[l], *bytes)))};
  }
  const Picoseconds step = s.step_ps.value_or(ps_per_us);
  if (s.time == Time::steps) {
    const std::int64_t hop = times(t.end - t.start, step);
    return {hop, s.occupancy == Schedule::Occupancy::beta ? std::min(hop, step) : hop};
  }
  const std::int64_t hop = s.time == Time::continuous ? t.end - t.start : step;
  return {hop, hop};
}

class Retimer {
 public:
  Retimer(const Schedule& s, Diagnostics& diagnostics)
      : s_(s), diagnostics_(diagnostics), wires_(s), slots_(s), order_(legs_by_wire(s)) {}

  Schedule run() {
    out_ = s_;
    out_.time = Time::continuous;
    set_up();
    for (std::uint32_t q = 0; q < queues_.size(); ++q) serve(q, 0);
    while (!arrivals_.empty() || !free_.empty()) {
      // Arrivals first: a chunk that arrives now can leave now.
      if (!arrivals_.empty() && (free_.empty() || arrivals_.top().first <= free_.top().first)) {
        const auto [time, leg] = arrivals_.top();
        arrivals_.pop();
        arrive(order_[leg], time);
      } else {
        const auto [time, queue] = free_.top();
        free_.pop();
        serve(queue, time);
      }
    }
    if (started_ != order_.size()) {
      report_stuck();
      return s_;
    }
    out_.step_ps.reset();
    out_.claimed_ps.reset();
    return std::move(out_);
  }

 private:
  struct Slot {
    bool holds = false;
    bool given = false;
    std::uint32_t reductions = 0;       // not yet done
    bool gives = false;                 // its sum is passed on at some time
    bool gets = false;                  // a copy arrives at some time
    bool copied = false;                // one has arrived
    std::vector<std::uint32_t> queues;  // queues whose head waits for this chunk
  };
  struct Queue {             // of a link
    std::uint32_t next = 0;  // into order_
    std::uint32_t end = 0;
    std::int64_t free = 0;
  };
  using Arrival = std::pair<std::int64_t, std::uint32_t>;  // time, leg

  void set_up() {
    held_.resize(slots_.size());
    reached_.resize(s_.transfers.size());
    queue_of_.resize(s_.hops.size());
    for (std::uint32_t k = 0; k < order_.size(); ++k) {
      const Leg& leg = order_[k];
      if (k == 0 || order_[k - 1].src != leg.src || order_[k - 1].dst != leg.dst) {
        queues_.push_back({.next = k, .end = k});
      }
      ++queues_.back().end;
      if (leg.hop != 0) queue_of_[s_.transfers[leg.transfer].way.begin + leg.hop] = queue_number();
    }
    for (const Transfer& t : s_.transfers) {
      for (std::uint32_t k = 0; k < chunk_count(t); ++k) expect(t, chunk_at(s_, t, k));
    }
  }

  void expect(const Transfer& t, std::uint32_t chunk) {
    for (const std::uint32_t node : {t.src, t.dst}) {
      held_[slots_.of(node, chunk)].holds = contains(s_, s_.chunks[chunk].pre, node);
    }
    Slot& to = held_[slots_.of(t.dst, chunk)];
    if (t.op == Schedule::Op::reduce) {
      ++to.reductions;
      held_[slots_.of(t.src, chunk)].gives = true;
    } else {
      to.gets = true;
    }
  }

  // Starts the head of a link's queue if the link is free and the chunks are available; otherwise serve() is called
  // again when they are.
  void serve(std::uint32_t queue, std::int64_t now) {
    Queue& q = queues_[queue];
    if (q.next == q.end || q.free > now) return;
    const Leg& leg = order_[q.next];
    if (!(leg.hop == 0 ? can_begin(s_.transfers[leg.transfer], queue) : reached_[leg.transfer] == leg.hop)) return;
    const Duration d = duration_of(s_, wires_, leg);
    std::int64_t end = 0;
    if (__builtin_add_overflow(now, d.hop, &end))
      throw input_error({.file = s_.file, .line = leg.line}, "the schedule takes longer than 106 days");
    set_times(leg, now, end);
    q.free = now + d.busy;
    arrivals_.emplace(end, q.next);
    ++q.next;
    ++started_;
    if (q.next != q.end) free_.emplace(q.free, queue);
  }
  // Returns whether all chunks of a transfer are available, so that it starts. Otherwise the queue is served when
  // they arrive.
  bool can_begin(const Transfer& t, std::uint32_t queue) {
    for (std::uint32_t k = 0; k < chunk_count(t); ++k) {
      Slot& slot = held_[slots_.of(t.src, chunk_at(s_, t, k))];
      if (ready(slot, t.op)) continue;
      slot.queues.push_back(queue);
      return false;
    }
    for (std::uint32_t k = 0; k < chunk_count(t); ++k)
      held_[slots_.of(t.src, chunk_at(s_, t, k))].given = t.op == Schedule::Op::reduce;
    return true;
  }
  void set_times(const Leg& leg, std::int64_t start, std::int64_t end) {
    Transfer& t = out_.transfers[leg.transfer];
    if (leg.hop == 0) t.start = start;
    if (leg.hop + 1 == leg_count(t)) t.end = end;
    if (t.way.count == 0) return;
    Schedule::Hop& hop = out_.hops[t.way.begin + leg.hop];
    hop.start = start;
    hop.end = end;
  }

  void arrive(const Leg& leg, std::int64_t now) {
    reached_[leg.transfer] = leg.hop + 1;
    const Transfer& t = s_.transfers[leg.transfer];
    if (leg.hop + 1 == leg_count(t)) return arrive(t, now);
    serve(queue_of_[t.way.begin + leg.hop + 1], now);
  }
  // Receives all chunks of a transfer before any of these is passed on.
  void arrive(const Transfer& t, std::int64_t now) {
    for (std::uint32_t k = 0; k < chunk_count(t); ++k) {
      Slot& slot = held_[slots_.of(t.dst, chunk_at(s_, t, k))];
      if (t.op == Schedule::Op::reduce) {
        --slot.reductions;
      } else {
        slot.holds = true;
        slot.given = false;
        slot.copied = true;
      }
    }
    std::vector<std::uint32_t> waiting;
    for (std::uint32_t k = 0; k < chunk_count(t); ++k) {
      Slot& slot = held_[slots_.of(t.dst, chunk_at(s_, t, k))];
      if (!whole(slot)) continue;
      waiting.insert(waiting.end(), slot.queues.begin(), slot.queues.end());
      slot.queues.clear();
    }
    for (const std::uint32_t queue : waiting) serve(queue, now);
  }

  [[nodiscard]] static bool whole(const Slot& slot) { return slot.holds && !slot.given && slot.reductions == 0; }
  // Returns whether a transfer can start with the chunk. If a sum is passed on and comes back, copies send the
  // returned chunk.
  [[nodiscard]] static bool ready(const Slot& slot, Schedule::Op op) {
    return whole(slot) && (op == Schedule::Op::reduce || slot.copied || !slot.gives || !slot.gets);
  }

  void report_stuck() {
    std::size_t told = 0;
    constexpr std::size_t most = 20;
    for (const Queue& q : queues_) {
      if (q.next == q.end || told == most) continue;
      const Leg& t = order_[q.next];
      diagnostics_.error(
          {.file = s_.file, .line = t.line}, "R4",
          describe(s_, t) + " never starts: node " + std::to_string(t.src) + " waits for the chunk forever");
      ++told;
    }
  }

  const Schedule& s_;
  Diagnostics& diagnostics_;
  WireIndex wires_;
  ChunkSlots slots_;
  [[nodiscard]] std::uint32_t queue_number() const { return static_cast<std::uint32_t>(queues_.size() - 1); }

  std::vector<Leg> order_;
  std::vector<Slot> held_;
  std::vector<Queue> queues_;
  std::vector<std::uint32_t> queue_of_;  // by hop, except for the first hop of each route
  std::vector<std::uint32_t> reached_;   // by transfer: number of legs that have arrived
  std::priority_queue<Arrival, std::vector<Arrival>, std::greater<>> arrivals_;
  std::priority_queue<Arrival, std::vector<Arrival>, std::greater<>> free_;  // time, queue
  Schedule out_;
  std::size_t started_ = 0;
};

}  // namespace

Schedule retime(const Schedule& schedule, Diagnostics& diagnostics) { return Retimer(schedule, diagnostics).run(); }

Schedule repair(const Schedule& schedule, const Flow& flow, Diagnostics& diagnostics) {
  Schedule kept = schedule;
  kept.transfers.clear();
  kept.carried.clear();
  for (std::uint32_t i = 0; i < schedule.transfers.size(); ++i) {
    Transfer t = schedule.transfers[i];
    t.more = {static_cast<std::uint32_t>(kept.carried.size()), 0};
    bool first = true;
    for (std::uint32_t k = 0; k < chunk_count(schedule.transfers[i]); ++k) {
      if (flow.redundant[cargo_at(schedule, i, k)]) continue;
      const std::uint32_t chunk = chunk_at(schedule, schedule.transfers[i], k);
      if (first) {
        t.chunk = chunk;
      } else {
        kept.carried.push_back(chunk);
        ++t.more.count;
      }
      first = false;
    }
    if (!first) kept.transfers.push_back(t);
  }
  Schedule out = retime(kept, diagnostics);
  std::ranges::sort(out.transfers, [](const Transfer& a, const Transfer& b) {
    return std::tie(a.start, a.src, a.dst, a.id) < std::tie(b.start, b.src, b.dst, b.id);
  });
  return out;
}

Picoseconds replayed_time(const Schedule& schedule, const Flow& flow) {
  const WireIndex wires(schedule);
  std::vector<Leg> legs;
  for (const std::uint32_t i : flow.order) {
    for (std::uint32_t h = 0; h < leg_count(schedule.transfers[i]); ++h) legs.push_back(leg_at(schedule, i, h));
  }
  // The dependencies of a leg start before it.
  if (!schedule.hops.empty()) std::ranges::stable_sort(legs, {}, &Leg::start);
  std::vector<std::int64_t> end(schedule.transfers.size());  // of its last leg so far
  std::unordered_map<std::uint64_t, std::int64_t> free;      // by link
  std::int64_t last = 0;
  for (const Leg& leg : legs) {
    std::int64_t& wire = free[std::uint64_t{leg.src} << 32U | leg.dst];
    std::int64_t start = std::max(wire, end[leg.transfer]);
    if (leg.hop == 0) {
      for (const std::uint32_t p : flow.parents_of(leg.transfer)) start = std::max(start, end[p]);
    }
    const Duration d = duration_of(schedule, wires, leg);
    end[leg.transfer] = std::min(longest, start) + d.hop;
    wire = std::min(longest, start) + d.busy;
    last = std::max(last, end[leg.transfer]);
  }
  return last;
}

}  // namespace convert
