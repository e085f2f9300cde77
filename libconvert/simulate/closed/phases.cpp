// SPDX-License-Identifier: MIT
#include "simulate/closed/phases.h"

#include <algorithm>
#include <deque>
#include <tuple>

#include "simulate/engine/engine.h"

namespace convert {
namespace {

// Origin of an event's causal chain: the beginning of all phases (number 0), or an event of undetermined order, on
// the member at the given distance along a ring. As in OrderWatch, simultaneous events come in the same order on
// all members if they have the same origin; the order of other simultaneous events is undetermined.
struct ClosedOrigin {
  std::uint64_t event = 0;
  std::uint64_t ring = 0;  // ring of the distance
  std::int64_t distance = 0;
  friend bool operator==(const ClosedOrigin&, const ClosedOrigin&) = default;
};

// Origin as seen from the owner of a link, and the link's position: hop `hop` of a message over `distance` on
// `ring`.
struct AtWire {
  ClosedOrigin origin{};
  std::uint64_t ring = 0;
  std::uint32_t hop = 0;
  std::int64_t distance = 0;
  friend bool operator==(const AtWire&, const AtWire&) = default;
};

class ClosedRun {
 public:
  explicit ClosedRun(const std::vector<const ClosedPhase*>& phases) {
    for (const ClosedPhase* phase : phases) parts_.push_back({.phase = phase});
  }

  ClosedTimes run() {
    for (std::uint32_t p = 0; p < parts_.size(); ++p) send(p);
    while (!events_.empty()) {
      std::pop_heap(events_.begin(), events_.end(), later);
      const Event e = events_.back();
      events_.pop_back();
      begin_turn(e);
      switch (e.kind) {
        case Kind::entry: run_item(e.index); break;
        case Kind::hop: end_hop(e.index); break;
        case Kind::wire_free: leave(e.index); break;
      }
    }
    for (const Wire& w : wires_) times_.wires.push_back({w.number, w.until});
    std::ranges::sort(times_.entries);  // found in the order of message arrival
    return std::move(times_);
  }

 private:
  enum class Kind : std::uint8_t { entry, hop, wire_free };
  struct Event {
    Picoseconds time = 0;
    std::uint64_t pushed = 0;
    std::uint32_t item = 0;  // for entries
    Kind kind = Kind::entry;
    std::uint32_t index = 0;  // of a part or a link
    std::uint64_t turn = 0;   // turn in which the event was pushed, as in OrderWatch
  };
  // State of a phase: one message or pass of the phase is in progress.
  struct Part {
    const ClosedPhase* phase = nullptr;
    std::uint32_t leg = 0;
    std::uint32_t hop = 0;
    bool reduced = false;  // only the end of the current leg's pass remains
    ClosedOrigin origin{};
    Picoseconds sent = 0;
  };
  struct Wire {
    std::uint32_t number = 0;
    bool taken = false;
    std::deque<std::uint32_t> waiting{};  // parts
    AtWire frees{};                       // origin of the event that frees the link
    std::uint64_t turn = 0;
    std::vector<std::pair<AtWire, bool>> touches{};  // in that turn: origin, and whether a message came
    Picoseconds until = 0;
  };
  struct Entry {
    Picoseconds time = 0;
    std::uint64_t pushed = 0;
    std::uint32_t items = 0;
    std::uint32_t done = 0;
    std::uint64_t turn = 0;        // turn in which the entry was pushed
    std::uint64_t registered = 0;  // turn of the last item
    ClosedOrigin by{};             // origin of the last item
    ClosedOrigin origin{};
  };

  static bool later(const Event& a, const Event& b) {
    return std::tie(a.time, a.pushed, a.item) > std::tie(b.time, b.pushed, b.item);
  }
  void push(Event e) {
    events_.push_back(e);
    std::push_heap(events_.begin(), events_.end(), later);
  }
  void push(Picoseconds delay, Kind kind, std::uint32_t index) {
    push({.time = EventQueue::sum(now_, delay),
          .pushed = ++pushed_,
          .item = 0,
          .kind = kind,
          .index = index,
          .turn = turn_});
  }
  void begin_turn(const Event& e) {
    if (e.time != now_ || e.turn != pushed_in_) ++turn_;
    now_ = e.time;
    pushed_in_ = e.turn;
  }

  static const ClosedLeg& leg_of(const Part& part) { return part.phase->legs[part.leg]; }
  static const MessageWay& way_of(const Part& part) { return part.phase->ways[leg_of(part).way]; }

  // Returns the origin as seen from the receiver of the part's message.
  ClosedOrigin at_receiver(const Part& part) {
    const ClosedLeg& leg = leg_of(part);
    const ClosedOrigin& o = part.origin;
    if (o.ring != 0 && o.ring != part.phase->ring) return open_place();
    return {o.event, part.phase->ring,
            part.phase->exchanges ? o.distance ^ leg.distance : o.distance + leg.distance};
  }
  ClosedOrigin open_place() { return {.event = ++open_places_}; }

  void send(std::uint32_t p) {
    Part& part = parts_[p];
    part.hop = 0;
    part.sent = now_;
    times_.sent.push_back({p, part.leg, now_});
    if (way_of(part).hops.empty()) return push(way_of(part).delay, Kind::hop, p);
    enter(p);
  }
  void enter(std::uint32_t p) {
    const Part& part = parts_[p];
    const std::uint32_t w = wire(way_of(part).hops[part.hop].wire);
    const AtWire at = touch(wires_[w], at_wire(part), true);
    if (wires_[w].taken) return wires_[w].waiting.push_back(p);
    transmit(w, p, at);
  }
  static AtWire at_wire(const Part& part) {
    return {part.origin, part.phase->ring, part.hop, leg_of(part).distance};
  }
  // Records that a message comes to a link, or frees it. Returns the origin of the events that follow. The arrival
  // of a message commutes with the end of another, as in WireWatch, but the events that follow then have
  // undetermined order.
  AtWire touch(Wire& wire, const AtWire& at, bool comes) {
    if (wire.turn != turn_) wire.touches.clear();
    wire.turn = turn_;
    bool is_open = false;
    for (const auto& [other, came] : wire.touches) {
      if (other == at) continue;
      is_open = true;
      if (came == comes) times_.settled = false;
    }
    wire.touches.emplace_back(at, comes);
    AtWire result = at;
    if (is_open) result.origin = open_place();
    return result;
  }
  // Lets a part take the link because of the event with origin `by`.
  void transmit(std::uint32_t w, std::uint32_t p, const AtWire& by) {
    Part& part = parts_[p];
    const WireHop& hop = way_of(part).hops[part.hop];
    const AtWire own = at_wire(part);
    const bool in_its_frame = std::tie(by.ring, by.hop, by.distance) == std::tie(own.ring, own.hop, own.distance);
    if (by.origin != part.origin || !in_its_frame) part.origin = in_its_frame ? by.origin : open_place();
    part.sent = now_;
    wires_[w].taken = true;
    wires_[w].frees = by;
    push(hop.arrival, Kind::hop, p);
    push(hop.busy, Kind::wire_free, w);
  }
  void leave(std::uint32_t w) {
    Wire& wire = wires_[w];
    const AtWire by = touch(wire, wire.frees, false);
    wire.taken = false;
    wire.until = now_;
    if (wire.waiting.empty()) return;
    const std::uint32_t p = wire.waiting.front();
    wire.waiting.pop_front();
    transmit(w, p, by);
  }
  void end_hop(std::uint32_t p) {
    Part& part = parts_[p];
    if (part.hop + 1 < way_of(part).hops.size()) {
      ++part.hop;
      return enter(p);
    }
    if (now_ == 0) times_.settled = false;  // these ends are in the entry of the beginning
    part.origin = at_receiver(part);
    if (part.leg + 1 == part.phase->legs.size()) return end(p);
    ++part.leg;
    part.reduced = false;
    if (leg_of(part).pass == 0) meet_entry(part.origin);
    add_item(leg_of(part).pass, p);
  }
  void end(std::uint32_t p) {
    const Part& part = parts_[p];
    if (part.sent == now_ || part.sent == 0) times_.settled = false;  // an immediate arrival must keep its position
    if (last_turn_ == turn_ && part.origin != last_origin_) times_.settled = false;
    // If two last messages are sent at one time and arrive at one time, their turns are unknown: the second
    // message of a member can come after the first message of the next member.
    const bool are_together = !times_.last.empty() && times_.last.back().arrival == now_ &&
                              std::ranges::any_of(times_.last, [&](const ClosedTimes::Last& l) {
                                return l.arrival == now_ && l.sent == part.sent;
                              });
    if (are_together && last_turn_ != turn_) times_.settled = false;
    last_turn_ = turn_;
    last_origin_ = part.origin;
    times_.last.push_back({p, part.sent, now_, part.origin.distance, part.origin.event != 0});
  }

  // Records that an item is added to the entry of this time, which may be run in this turn.
  void meet_entry(const ClosedOrigin& origin) {
    if (run_turn_ == turn_ && run_origin_ != origin) times_.settled = false;
    const auto entry = std::ranges::find(entries_, now_, &Entry::time);
    if (entry != entries_.end() && entry->turn == pushed_in_ && entry->origin != origin) times_.settled = false;
  }
  // Registers the end of the part's pass, or of one step of the pass.
  void add_item(Picoseconds delay, std::uint32_t p) {
    const Picoseconds time = EventQueue::sum(now_, delay);
    auto entry = std::ranges::find(entries_, time, &Entry::time);
    const ClosedOrigin by = parts_[p].origin;
    if (entry == entries_.end()) {
      times_.entries.push_back(time);
      entries_.push_back(
          {.time = time, .pushed = ++pushed_, .turn = turn_, .registered = turn_, .by = by, .origin = by});
      entry = entries_.end() - 1;
    } else if (entry->registered == turn_ && entry->by != by) {
      times_.settled = false;
    }
    entry->registered = turn_;
    entry->by = by;
    parts_[p].origin = entry->origin;
    push({.time = time,
          .pushed = entry->pushed,
          .item = entry->items++,
          .kind = Kind::entry,
          .index = p,
          .turn = entry->turn});
  }
  void run_item(std::uint32_t p) {
    Part& part = parts_[p];
    run_turn_ = turn_;
    run_origin_ = part.origin;
    if (leg_of(part).reduction != ClosedLeg::none && !part.reduced) {
      part.reduced = true;
      add_item(leg_of(part).reduction, p);
    } else {
      send(p);
    }
    const auto entry = std::ranges::find(entries_, now_, &Entry::time);
    if (++entry->done == entry->items) entries_.erase(entry);
  }

  std::uint32_t wire(std::uint32_t number) {
    const auto at = std::ranges::find(wires_, number, &Wire::number);
    if (at != wires_.end()) return static_cast<std::uint32_t>(at - wires_.begin());
    wires_.push_back({.number = number});
    return static_cast<std::uint32_t>(wires_.size() - 1);
  }

  std::vector<Part> parts_;
  std::vector<Wire> wires_;
  std::vector<Entry> entries_;
  std::vector<Event> events_;  // heap
  std::uint64_t pushed_ = 0;
  std::uint64_t open_places_ = 0;
  Picoseconds now_ = 0;
  std::uint64_t turn_ = 1;
  std::uint64_t pushed_in_ = 0;  // turn in which this turn's events were pushed
  std::uint64_t last_turn_ = 0;  // last turn in which a phase ended
  ClosedOrigin last_origin_{};   // origin of that end
  std::uint64_t run_turn_ = 0;   // last turn in which an entry was run
  ClosedOrigin run_origin_{};    // origin of that entry
  ClosedTimes times_;
};

}  // namespace

std::vector<std::int64_t> closed_shape(const std::vector<const ClosedPhase*>& phases) {
  std::vector<std::int64_t> shape;
  std::vector<std::uint64_t> rings;
  std::vector<std::uint32_t> wires;
  const auto place_in = [](auto& all, auto one) {
    const auto at = std::ranges::find(all, one);
    const std::ptrdiff_t place = at - all.begin();
    if (at == all.end()) all.push_back(one);
    return place;
  };
  for (const ClosedPhase* phase : phases) {
    shape.insert(shape.end(), {place_in(rings, phase->ring), phase->exchanges ? 1 : 0,
                               static_cast<std::int64_t>(phase->legs.size())});
    for (const ClosedLeg& leg : phase->legs)
      shape.insert(shape.end(), {leg.pass, leg.reduction, leg.distance, leg.way});
    for (const ClosedWay& way : phase->ways) {
      shape.insert(shape.end(), {way.delay, static_cast<std::int64_t>(way.hops.size())});
      for (const WireHop& hop : way.hops)
        shape.insert(shape.end(), {place_in(wires, hop.wire), hop.busy, hop.arrival});
    }
  }
  return shape;
}

ClosedTimes closed_times(const std::vector<const ClosedPhase*>& phases) { return ClosedRun(phases).run(); }

}  // namespace convert
