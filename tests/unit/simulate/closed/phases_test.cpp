// SPDX-License-Identifier: MIT
// Closed phases end at the same times as phases in which each member sends its messages to another one, and in the
// same order.
#include "simulate/closed/phases.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <iostream>
#include <map>
#include <queue>
#include <string>
#include <tuple>
#include <vector>

#include "sanitized.h"
#include "unit/simulate/random_cases.h"

namespace convert::test {
namespace {

constexpr std::uint32_t members = 8;  // all ranks; a ring uses a stride coprime to this number

struct Phases {
  std::vector<ClosedPhase> phases{};
  std::vector<std::uint32_t> strides{};  // of the rings
};

// Few distinct times, so that many coincide.
class PhasesMaker {
 public:
  explicit PhasesMaker(std::uint64_t seed) : random_(seed), wires_(random_.in(0, 4)) {}

  Phases make() {
    Phases all;
    for (std::int64_t count = random_.in(1, 6); count > 0; --count) {
      if (!all.phases.empty() && random_.once_in(3)) {  // another chunk
        all.phases.push_back(all.phases.back());
        all.strides.push_back(all.strides.back());
        continue;
      }
      all.strides.push_back(random_.of({1U, 1U, 7U, 3U}));
      all.phases.push_back(phase(all.strides.back()));
    }
    return all;
  }

 private:
  Picoseconds few() { return random_.of<Picoseconds>({0, 0, 1, 1, 2, 3}); }

  ClosedPhase phase(std::uint32_t stride) {
    const bool exchanges = random_.once_in(4);
    ClosedPhase p{.ring = exchanges ? 100 : stride, .exchanges = exchanges};
    const auto ways = static_cast<std::uint32_t>(exchanges ? 3 : random_.of({1, 1, 2}));
    for (std::uint32_t w = 0; w < ways; ++w) p.ways.push_back(way(exchanges));
    const Picoseconds pass = few();
    const Picoseconds reduction = random_.once_in(2) ? few() : ClosedLeg::none;
    const auto legs = static_cast<std::uint32_t>(exchanges ? random_.of({3, 6}) : random_.in(2, 14));
    for (std::uint32_t k = 0; k < legs; ++k) {
      ClosedLeg leg{.way = exchanges ? std::min(k, 5 - k) % 3 : k % ways};
      if (exchanges) leg.distance = std::int64_t{1} << leg.way;
      if (k != 0) leg.pass = pass;
      if (k != 0 && k < legs / 2) leg.reduction = reduction;
      p.legs.push_back(leg);
    }
    return p;
  }
  // Links of a ring belong to the sender, or to the receiver; other links only to the sender.
  ClosedWay way(bool exchanges) {
    ClosedWay w;
    w.delay = random_.of<Picoseconds>({1, 1, 2, 3});
    if (wires_ == 0) return w;
    const auto wire = static_cast<std::uint32_t>(random_.in(1, wires_));
    const Picoseconds busy = random_.of<Picoseconds>({0, 1, 1, 2});
    w.hops.push_back({wire, busy, busy + random_.of<Picoseconds>({0, 0, 1})});
    if (!exchanges && random_.once_in(2)) w.hops.push_back({wire + 10, busy, busy + few()});
    return w;
  }

  Random random_;
  std::int64_t wires_;
};

// Runs all members, message by message.
class AllMembers {
 public:
  explicit AllMembers(const Phases& all) : all_(all) {}

  struct End {
    std::uint32_t rank;
    std::uint32_t phase;
    Picoseconds sent;
    Picoseconds arrival;
    std::uint32_t begin;  // rank on which its chain of messages begins, if each follows the preceding one
  };
  void run() {
    for (std::uint32_t r = 0; r < members; ++r) {
      for (std::uint32_t p = 0; p < all_.phases.size(); ++p) send(r, p, 0, r);
    }
    while (!events_.empty()) {
      const Event e = events_.top();
      events_.pop();
      now_ = e.time;
      switch (e.kind) {
        case Kind::entry: run_entry(e.index); break;
        case Kind::hop: end_hop(messages_[e.index]); break;
        case Kind::wire: free_wire(wires_[e.index]); break;
      }
    }
  }

  std::vector<End> ends{};
  std::vector<ClosedTimes::Sent> sent{};  // of rank 0
  std::vector<Picoseconds> entries{};     // also of rank 0
  std::map<std::uint32_t, Picoseconds> until{};

 private:
  enum class Kind : std::uint8_t { entry, hop, wire };
  struct Event {
    Picoseconds time;
    std::uint64_t pushed;
    Kind kind;
    std::size_t index;
    bool operator<(const Event& o) const { return std::tie(time, pushed) > std::tie(o.time, o.pushed); }
  };
  struct Message {
    std::uint32_t from, to, phase, leg, hop, begin;
    Picoseconds sent;
  };
  struct Item {
    std::uint32_t rank, phase, leg, begin;
    bool reduces;
  };
  struct Entry {
    std::uint32_t rank;
    Picoseconds time;
    std::deque<Item> items;
    bool over = false;
  };
  struct Wire {
    std::uint32_t number, rank;
    bool taken = false;
    std::deque<std::size_t> waiting{};
  };

  void push(Picoseconds delay, Kind kind, std::size_t index) {
    events_.push({now_ + delay, ++pushed_, kind, index});
  }
  const ClosedWay& way(const Message& m) const {
    const ClosedPhase& p = all_.phases[m.phase];
    return p.ways[p.legs[m.leg].way];
  }
  void send(std::uint32_t rank, std::uint32_t phase, std::uint32_t leg, std::uint32_t begin) {
    const ClosedPhase& p = all_.phases[phase];
    const std::uint32_t to = p.exchanges ? rank ^ static_cast<std::uint32_t>(p.legs[leg].distance)
                                         : (rank + all_.strides[phase]) % members;
    messages_.push_back({rank, to, phase, leg, 0, begin, now_});
    if (rank == 0) sent.push_back({phase, leg, now_});
    const std::size_t m = messages_.size() - 1;
    if (way(messages_[m]).hops.empty()) return push(way(messages_[m]).delay, Kind::hop, m);
    enter(m);
  }
  void enter(std::size_t m) {
    const Message& message = messages_[m];
    const std::uint32_t number = way(message).hops[message.hop].wire;
    const std::uint32_t owner = message.hop == 0 ? message.from : message.to;
    auto w = std::ranges::find_if(wires_, [&](const Wire& x) { return x.number == number && x.rank == owner; });
    if (w == wires_.end()) w = wires_.insert(w, {.number = number, .rank = owner});
    if (w->taken) return w->waiting.push_back(m);
    transmit(*w, m);
  }
  void transmit(Wire& w, std::size_t m) {
    Message& message = messages_[m];
    const WireHop& hop = way(message).hops[message.hop];
    message.sent = now_;
    w.taken = true;
    push(hop.arrival, Kind::hop, m);
    push(hop.busy, Kind::wire, static_cast<std::size_t>(&w - wires_.data()));
  }
  void free_wire(Wire& w) {
    w.taken = false;
    if (w.rank == 0) until[w.number] = now_;
    if (w.waiting.empty()) return;
    const std::size_t m = w.waiting.front();
    w.waiting.pop_front();
    transmit(w, m);
  }
  void end_hop(Message& message) {
    const auto m = static_cast<std::size_t>(&message - messages_.data());
    if (message.hop + 1 < way(message).hops.size()) {
      ++message.hop;
      return enter(m);
    }
    const std::vector<ClosedLeg>& legs = all_.phases[message.phase].legs;
    if (message.leg + 1 == legs.size())
      return ends.push_back({message.to, message.phase, message.sent, now_, message.begin});
    const ClosedLeg& next = legs[message.leg + 1];
    add(next.pass, {message.to, message.phase, message.leg + 1, message.begin, next.reduction != ClosedLeg::none});
  }
  void add(Picoseconds delay, const Item& item) {
    const Picoseconds time = now_ + delay;
    auto e = std::ranges::find_if(entries_,
                                  [&](const Entry& x) { return !x.over && x.rank == item.rank && x.time == time; });
    if (e == entries_.end()) {
      e = entries_.insert(e, {.rank = item.rank, .time = time, .items = {}});
      if (item.rank == 0) entries.push_back(time);
      push(delay, Kind::entry, entries_.size() - 1);
    }
    e->items.push_back(item);
  }
  void run_entry(std::size_t e) {
    while (!entries_[e].items.empty()) {
      Item item = entries_[e].items.front();
      entries_[e].items.pop_front();
      if (item.reduces) {
        item.reduces = false;
        add(all_.phases[item.phase].legs[item.leg].reduction, item);
      } else {
        send(item.rank, item.phase, item.leg, item.begin);
      }
    }
    entries_[e].over = true;
  }

  const Phases& all_;
  std::vector<Message> messages_;
  std::vector<Entry> entries_;
  std::vector<Wire> wires_;
  std::priority_queue<Event> events_;
  std::uint64_t pushed_ = 0;
  Picoseconds now_ = 0;
};

std::string text_of(const Phases& all) {
  std::string text;
  for (std::size_t i = 0; i < all.phases.size(); ++i) {
    const ClosedPhase& p = all.phases[i];
    text += (p.exchanges ? "\nexchange" : "\nstride " + std::to_string(all.strides[i])) + ", legs";
    for (const ClosedLeg& l : p.legs)
      text += " " + std::to_string(l.pass) + "+" + std::to_string(l.reduction) + "w" + std::to_string(l.way);
    for (const ClosedWay& w : p.ways) {
      text += "; way " + std::to_string(w.delay);
      for (const WireHop& h : w.hops)
        text += " " + std::to_string(h.wire) + ":" + std::to_string(h.busy) + "," + std::to_string(h.arrival);
    }
  }
  return text;
}

// Returns the rank on which the chain that leads to this end on a rank has begun.
std::uint32_t begin_of(const Phases& all, const ClosedTimes::Last& last, std::uint32_t rank) {
  if (all.phases[last.phase].exchanges) return rank ^ static_cast<std::uint32_t>(last.distance);
  const auto steps = static_cast<std::uint32_t>(last.distance) % members;
  return (rank + members * members - all.strides[last.phase] * steps) % members;
}

void expect_same(const Phases& all, const ClosedTimes& times) {
  AllMembers every(all);
  every.run();
  ASSERT_EQ(times.last.size(), all.phases.size());
  std::vector<std::tuple<std::uint32_t, Picoseconds, Picoseconds>> own;
  std::vector<std::tuple<std::uint32_t, Picoseconds, Picoseconds>> ends;
  for (std::uint32_t r = 0; r < members; ++r) {
    own.clear();
    for (const ClosedTimes::Last& l : times.last) own.emplace_back(l.phase, l.sent, l.arrival);
    ends.clear();
    for (const AllMembers::End& e : every.ends) {
      if (e.rank == r) ends.emplace_back(e.phase, e.sent, e.arrival);
    }
    EXPECT_EQ(own, ends) << "rank " << r;
  }
  std::ranges::sort(every.entries);
  EXPECT_EQ(times.entries, every.entries);
  ASSERT_EQ(times.sent.size(), every.sent.size());
  for (std::size_t i = 0; i < every.sent.size(); ++i) {
    EXPECT_EQ(times.sent[i].phase, every.sent[i].phase);
    EXPECT_EQ(times.sent[i].leg, every.sent[i].leg);
    EXPECT_EQ(times.sent[i].time, every.sent[i].time);
  }
  for (const ClosedTimes::Wire& w : times.wires) EXPECT_EQ(w.until, every.until[w.wire]) << "link " << w.wire;
  // Ends of all ranks are in the order in which their chains have begun.
  using Place = std::tuple<Picoseconds, Picoseconds, std::uint32_t, std::size_t>;
  Place before{-1, 0, 0, 0};
  for (const AllMembers::End& e : every.ends) {
    const auto last = std::ranges::find(times.last, e.phase, &ClosedTimes::Last::phase);
    if (last->has_open_place) continue;
    const Place place{e.arrival, e.sent, begin_of(all, *last, e.rank),
                      static_cast<std::size_t>(last - times.last.begin())};
    EXPECT_LE(before, place) << "phase " << e.phase << " of rank " << e.rank;
    before = place;
  }
}

TEST(ClosedPhases, EndAsOnAllMembers) {
  std::uint64_t settled = 0;
  std::uint64_t open = 0;
  const auto rounds = test::rounds<std::uint64_t>(4000);
  for (std::uint64_t seed = 1; seed <= rounds; ++seed) {
    const Phases all = PhasesMaker(seed).make();
    std::vector<const ClosedPhase*> phases;
    for (const ClosedPhase& p : all.phases) phases.push_back(&p);
    const ClosedTimes times = closed_times(phases);
    if (!times.settled) continue;
    ++settled;
    for (const ClosedTimes::Last& l : times.last) open += l.has_open_place ? 1 : 0;
    SCOPED_TRACE("seed " + std::to_string(seed) + text_of(all));
    expect_same(all, times);
    if (testing::Test::HasFailure()) return;
  }
  std::cout << settled << " of " << rounds << " settled, with " << open << " ends in open places\n";
  EXPECT_GE(settled, rounds / 5);
}

}  // namespace
}  // namespace convert::test
