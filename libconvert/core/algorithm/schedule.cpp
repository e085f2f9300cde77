// SPDX-License-Identifier: MIT
#include "core/algorithm/schedule.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/algorithm/network_id.h"

namespace convert {

namespace {

constexpr double bytes_per_ns_of_gib = (1 << 30) / 1e9;

}  // namespace

std::string_view name(Schedule::Time t) {
  constexpr std::array<std::string_view, 3> names = {"continuous", "steps", "order"};
  return names[static_cast<std::size_t>(t)];
}

std::string_view name(Schedule::Occupancy o) { return o == Schedule::Occupancy::beta ? "beta" : "alpha_beta"; }

bool in_schedules(Collective c) {
  return in_algorithms(c) && c != Collective::all_to_allv && c != Collective::send && c != Collective::recv;
}

std::optional<Collective> parse_schedule_collective(std::string_view text) {
  const auto c = parse_collective(text, in_schedules);
  return c && text == name(*c) ? c : std::nullopt;
}

bool is_relay(const Schedule& s, std::uint32_t node) { return std::ranges::binary_search(s.relays, node); }

bool contains(const Schedule& s, const Schedule::NodeSet& set, std::uint32_t node) {
  if (set.all) return !is_relay(s, node);
  const auto nodes = listed(s, set);
  return std::ranges::binary_search(nodes, node);
}

std::uint32_t size_of(const Schedule& s, const Schedule::NodeSet& set) {
  return set.all ? s.nodes - static_cast<std::uint32_t>(s.relays.size()) : set.of.count;
}

std::uint32_t common(const Schedule& s, const Schedule::NodeSet& a, const Schedule::NodeSet& b) {
  if (a.all && b.all) return size_of(s, a);
  const Schedule::NodeSet& few = a.all ? b : a;
  const Schedule::NodeSet& other = a.all ? a : b;
  const auto nodes = listed(s, few);
  return static_cast<std::uint32_t>(
      std::ranges::count_if(nodes, [&](std::uint32_t n) { return contains(s, other, n); }));
}

std::optional<std::int64_t> bytes_of(const Schedule& s, std::uint32_t chunk) {
  return s.chunks[chunk].bytes ? s.chunks[chunk].bytes : s.chunk_bytes;
}

std::optional<std::int64_t> bytes_of(const Schedule& s, const Schedule::Transfer& t) {
  std::int64_t sum = 0;
  for (std::uint32_t k = 0; k < chunk_count(t); ++k) {
    const auto bytes = bytes_of(s, chunk_at(s, t, k));
    if (!bytes || __builtin_add_overflow(sum, *bytes, &sum)) return std::nullopt;
  }
  return sum;
}

double serialization_ps(const Schedule::Wire& wire, std::int64_t bytes) {
  constexpr double bytes_per_gib = 1 << 30;
  constexpr double ps_per_s = 1e12;
  if (wire.bandwidth_gib_per_s <= 0) return 0;
  return static_cast<double>(bytes) / (wire.bandwidth_gib_per_s * bytes_per_gib) * ps_per_s;
}

Schedule::Wire make_schedule_wire(std::uint32_t src, std::uint32_t dst, double bytes_per_ns,
                                  Picoseconds latency_ps) {
  constexpr double digits = 1e9;
  constexpr double same = 1e-14;
  const double exact = bytes_per_ns / bytes_per_ns_of_gib;
  const double rounded = std::round(exact * digits) / digits;
  return {.src = src,
          .dst = dst,
          .bandwidth_gib_per_s = std::abs(rounded - exact) <= same * exact ? rounded : exact,
          .latency_us = static_cast<double>(latency_ps) / static_cast<double>(ps_per_us)};
}

Picoseconds rounded_ps(double ps) {
  constexpr double most = 2.3e18;
  return std::llround(std::min(ps, most));
}

Leg leg_at(const Schedule& s, std::uint32_t transfer, std::uint32_t hop) {
  const Schedule::Transfer& t = s.transfers[transfer];
  if (t.way.count == 0) return {transfer, 0, t.src, t.dst, t.start, t.end, t.id, t.line};
  const std::span way(s.hops.data() + t.way.begin, t.way.count);
  const Schedule::Hop& h = way[hop];
  return {transfer, hop, hop == 0 ? t.src : way[hop - 1].to, h.to, h.start, h.end, h.id, h.line};
}

std::string describe(const Schedule& s, const Leg& leg) {
  Schedule::Transfer t = s.transfers[leg.transfer];
  t.id = leg.id;
  t.src = leg.src;
  t.dst = leg.dst;
  return describe(s, t);
}

std::string network_of_schedule(const Schedule& s) {
  if (!s.network.empty() || !s.wires_told) return s.network;
  std::vector<IdentifiedLink> links;
  for (const Schedule::Wire& w : s.wires) {
    links.push_back({w.src, w.dst, w.bandwidth_gib_per_s * bytes_per_ns_of_gib,
                     rounded_ps(w.latency_us * static_cast<double>(ps_per_us))});
  }
  return network_id(s.nodes, s.switches, std::move(links));
}

std::string describe(const Schedule& s, const Schedule::Transfer& t) {
  constexpr std::size_t most_runs = 4;
  const std::vector<IdRun> runs = chunk_runs(s, t);
  std::string chunks;
  for (std::size_t i = 0; i < std::min(runs.size(), most_runs); ++i) {
    chunks += (i == 0 ? "" : ",") + std::to_string(runs[i].first);
    if (runs[i].last != runs[i].first) chunks += "-" + std::to_string(runs[i].last);
  }
  if (runs.size() > most_runs) chunks += ",…";
  return "transfer " + std::to_string(t.id) + (t.more.count == 0 ? " (chunk " : " (chunks ") + chunks + ", " +
         std::to_string(t.src) + "->" + std::to_string(t.dst) + ")";
}

std::vector<IdRun> chunk_runs(const Schedule& s, const Schedule::Transfer& t) {
  std::vector<IdRun> runs;
  for (std::uint32_t k = 0; k < chunk_count(t); ++k) {
    const std::int64_t id = s.chunks[chunk_at(s, t, k)].id;
    if (!runs.empty() && runs.back().last < id && runs.back().last + 1 == id) {
      runs.back().last = id;
    } else {
      runs.push_back({id, id});
    }
  }
  return runs;
}

WireIndex::WireIndex(const Schedule& s)
    : wires_(rows_by_key(s.wires.size(), devices(s), [&](std::size_t i) { return s.wires[i].src; })) {
  for (std::uint32_t n = 0; n < devices(s); ++n)
    std::ranges::sort(wires_[n], {}, [&](std::uint32_t wire) { return s.wires[wire].dst; });
  for (const std::uint32_t wire : wires_.items) dst_.push_back(s.wires[wire].dst);
}

std::uint32_t WireIndex::find(std::uint32_t src, std::uint32_t dst) const {
  const auto end = dst_.begin() + wires_.begin[src + 1];
  const auto at = std::lower_bound(dst_.begin() + wires_.begin[src], end, dst);
  return at != end && *at == dst ? wires_.items[static_cast<std::size_t>(at - dst_.begin())] : no_index;
}

}  // namespace convert
