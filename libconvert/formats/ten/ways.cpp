// SPDX-License-Identifier: MIT
#include "formats/ten/ways.h"

#include <algorithm>
#include <compare>
#include <map>
#include <string>
#include <unordered_map>

#include "core/diagnostic.h"
#include "core/units.h"

namespace convert {
namespace {

using Transfer = Schedule::Transfer;

// Data that passes a switch: a departure continues an arrival with an equal passage.
struct Passage {
  std::uint32_t device = 0;
  Schedule::Op op = Schedule::Op::copy;
  std::uint64_t cargo = 0;  // the chunk, or the number of a set of several chunks
  friend auto operator<=>(const Passage&, const Passage&) = default;
};

// A transfer to or from a switch.
struct Visit {
  Passage what;
  std::int64_t time = 0;
  std::int32_t id = 0;
  std::uint32_t transfer = 0;
  friend auto operator<=>(const Visit&, const Visit&) = default;
};

class Joiner {
 public:
  explicit Joiner(Schedule& s)
      : s_(s), next_(s.transfers.size(), no_index), taken_(s.transfers.size()), reached_(s.transfers.size()) {}

  void run(std::span<const Continuation> continuations) {
    pair_named(continuations);
    pair_others();
    std::vector<Transfer> joined;
    std::size_t legs = 0;
    for (std::uint32_t i = 0; i < s_.transfers.size(); ++i) {
      if (is_switch(s_.transfers[i].src)) continue;
      joined.push_back(join(i, legs));
    }
    if (legs != s_.transfers.size()) {
      // The remaining transfers cycle between switches forever.
      for (std::uint32_t i = 0; i < s_.transfers.size(); ++i) {
        if (!reached_[i]) throw error(i, "does not come from an NPU");
      }
    }
    s_.transfers = std::move(joined);
  }

 private:
  [[nodiscard]] bool is_switch(std::uint32_t device) const { return device >= s_.nodes; }
  [[nodiscard]] Error error(std::uint32_t i, const std::string& what) const {
    const Transfer& t = s_.transfers[i];
    return input_error({.file = s_.file, .line = t.line}, describe(s_, t) + ' ' + what, "R8");
  }
  [[nodiscard]] Passage passage(std::uint32_t device, const Transfer& t) {
    if (t.more.count == 0) return {device, t.op, t.chunk};
    std::vector<std::uint32_t> chunks;
    for (std::uint32_t k = 0; k < chunk_count(t); ++k) chunks.push_back(chunk_at(s_, t, k));
    std::ranges::sort(chunks);
    const auto number = sets_.try_emplace(std::move(chunks), sets_.size()).first->second;
    return {device, t.op, (number + 1) << 32U};
  }

  void pair_named(std::span<const Continuation> continuations) {
    std::unordered_map<std::int32_t, std::uint32_t> index;
    if (!continuations.empty()) {
      for (std::uint32_t i = 0; i < s_.transfers.size(); ++i) index.emplace(s_.transfers[i].id, i);
    }
    for (const Continuation& c : continuations) {
      const auto from = index.find(c.after);
      if (from == index.end())
        throw error(c.transfer, "continues " + std::to_string(c.after) + ", which is missing");
      const Transfer& before = s_.transfers[from->second];
      const Transfer& t = s_.transfers[c.transfer];
      if (before.dst != t.src || !is_switch(t.src) || passage(t.src, before) != passage(t.src, t))
        throw error(c.transfer,
                    "cannot continue " + describe(s_, before) + ": they have no switch, chunk or op in common");
      if (next_[from->second] != no_index)
        throw error(c.transfer, "continues a transfer that is continued already");
      pair(from->second, c.transfer);
    }
  }

  void pair(std::uint32_t arrival, std::uint32_t departure) {
    next_[arrival] = departure;
    taken_[departure] = true;
    const Transfer& before = s_.transfers[arrival];
    const Transfer& t = s_.transfers[departure];
    if (s_.time == Schedule::Time::order) return;
    constexpr std::int64_t relative = 1'000'000;
    const std::int64_t off =
        s_.time == Schedule::Time::steps ? 0 : std::max<std::int64_t>(1, (before.end - before.start) / relative);
    if (t.start < before.end - off)
      throw error(departure, "leaves switch " + std::to_string(t.src) + " before " + describe(s_, before) +
                                 " has arrived there");
  }

  void pair_others() {
    std::vector<Visit> arrivals;
    std::vector<Visit> departures;
    for (std::uint32_t i = 0; i < s_.transfers.size(); ++i) {
      const Transfer& t = s_.transfers[i];
      if (is_switch(t.dst) && next_[i] == no_index) arrivals.push_back({passage(t.dst, t), t.end, t.id, i});
      if (is_switch(t.src) && !taken_[i]) departures.push_back({passage(t.src, t), t.start, t.id, i});
    }
    std::ranges::sort(arrivals);
    std::ranges::sort(departures);
    for (std::size_t k = 0; k < std::max(arrivals.size(), departures.size()); ++k) {
      const bool both = k < arrivals.size() && k < departures.size();
      if (!both || arrivals[k].what != departures[k].what) throw unpaired(arrivals, departures, k);
      pair(arrivals[k].transfer, departures[k].transfer);
    }
  }

  // Returns the error for a visit without a partner: of the two that differ at `k`, the visit with the lesser
  // passage.
  [[nodiscard]] Error unpaired(std::span<const Visit> arrivals, std::span<const Visit> departures,
                               std::size_t k) const {
    const bool stays = k >= departures.size() || (k < arrivals.size() && arrivals[k].what < departures[k].what);
    const Visit& alone = stays ? arrivals[k] : departures[k];
    const auto same = [&](const Visit& v) { return v.what == alone.what; };
    return error(alone.transfer, std::string(stays ? "is not forwarded by" : "is sent by") + " switch " +
                                     std::to_string(alone.what.device) + ", which receives it " +
                                     times(std::ranges::count_if(arrivals, same)) + " and sends it " +
                                     times(std::ranges::count_if(departures, same)) +
                                     ": a switch neither stores nor copies chunks");
  }
  static std::string times(std::ptrdiff_t n) { return n == 1 ? "once" : std::to_string(n) + " times"; }

  // Returns the transfer over the whole route that begins with leg `i`; counts its legs.
  Transfer join(std::uint32_t i, std::size_t& legs) {
    Transfer out = s_.transfers[i];
    const std::size_t first = s_.hops.size();
    for (std::uint32_t at = i;; at = next_[at]) {
      const Transfer& t = s_.transfers[at];
      reached_[at] = true;
      ++legs;
      s_.hops.push_back({t.start, t.end, t.id, t.dst, t.line});
      out.dst = t.dst;
      out.end = t.end;
      if (!is_switch(t.dst)) break;
    }
    if (out.dst == out.src) throw error(i, "returns to its source");
    if (s_.hops.size() == first + 1) {
      s_.hops.pop_back();
    } else {
      out.way = {static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(s_.hops.size() - first)};
    }
    return out;
  }

  Schedule& s_;
  std::vector<std::uint32_t> next_;  // by transfer: the transfer that continues it
  std::vector<bool> taken_;          // by transfer: whether it continues another one
  std::vector<bool> reached_;
  std::map<std::vector<std::uint32_t>, std::uint64_t> sets_;  // sets of several chunks
};

}  // namespace

void join_ways(Schedule& schedule, std::span<const Continuation> continuations) {
  if (schedule.switches != 0) Joiner(schedule).run(continuations);
}

std::vector<Continuation> needed_continuations(const Schedule& schedule, std::span<const Leg> legs) {
  if (schedule.hops.empty()) return {};
  Schedule apart = schedule;
  apart.transfers.clear();
  apart.hops.clear();
  std::unordered_map<std::int32_t, std::int32_t> before;  // by id of a leg: id of the previous leg
  for (const Leg& leg : legs) {
    Transfer t = schedule.transfers[leg.transfer];
    t.id = leg.id;
    t.src = leg.src;
    t.dst = leg.dst;
    t.start = leg.start;
    t.end = leg.end;
    t.way = {};
    apart.transfers.push_back(t);
    if (leg.hop != 0) before.emplace(leg.id, leg_at(schedule, leg.transfer, leg.hop - 1).id);
  }
  const std::vector<Transfer> written = apart.transfers;
  join_ways(apart, {});
  std::unordered_map<std::int32_t, std::int32_t> guessed;
  for (std::uint32_t i = 0; i < apart.transfers.size(); ++i) {
    for (std::uint32_t h = 1; h < leg_count(apart.transfers[i]); ++h)
      guessed.emplace(leg_at(apart, i, h).id, leg_at(apart, i, h - 1).id);
  }
  std::vector<Continuation> needed;
  for (std::uint32_t i = 0; i < written.size(); ++i) {
    const auto own = before.find(written[i].id);
    if (own != before.end() && guessed.at(own->first) != own->second) needed.push_back({i, own->second});
  }
  return needed;
}

}  // namespace convert
