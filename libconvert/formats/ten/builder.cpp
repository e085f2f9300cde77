// SPDX-License-Identifier: MIT
#include "formats/ten/builder.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <tuple>
#include <utility>

#include "core/units.h"

namespace convert {

std::optional<Picoseconds> parse_ps(std::string_view text, double unit_ps) {
  constexpr auto most = static_cast<double>(most_schedule_ps);
  constexpr double exact = 1e15;  // below, two roundings of a double err by far less than half a picosecond
  const auto value = parse_number(text);
  if (!value || *value < 0 || *value * unit_ps > most) return std::nullopt;
  if (*value * unit_ps < exact) return std::llround(*value * unit_ps);
  long double precise = 0;
  (void)std::from_chars(text.data(), text.data() + text.size(), precise);
  return std::llround(precise * static_cast<long double>(unit_ps));
}

void ScheduleBuilder::add_transfer(const Schedule::Transfer& transfer, std::int64_t chunk, Schedule::Time time) {
  schedule.transfers.push_back(transfer);
  time_of_.push_back(time);
  chunk_of_.push_back(chunk);
}

void ScheduleBuilder::add_transfer(const Schedule::Transfer& transfer, std::span<const IdRun> chunks,
                                   Schedule::Time time) {
  if (chunks.size() > 1 || chunks[0].first != chunks[0].last) {
    sets_.push_back({static_cast<std::uint32_t>(schedule.transfers.size()),
                     {static_cast<std::uint32_t>(runs_.size()), static_cast<std::uint32_t>(chunks.size())}});
    runs_.insert(runs_.end(), chunks.begin(), chunks.end());
  }
  add_transfer(transfer, chunks[0].first, time);
}

Schedule::NodeSet ScheduleBuilder::add_set(std::vector<std::uint32_t> nodes, std::uint32_t line) {
  std::ranges::sort(nodes);
  const auto twice = std::ranges::adjacent_find(nodes);
  if (twice != nodes.end())
    throw error(line, "node " + std::to_string(*twice) + " occurs twice in a list of nodes");
  const Range range{static_cast<std::uint32_t>(schedule.members.size()), static_cast<std::uint32_t>(nodes.size())};
  schedule.members.insert(schedule.members.end(), nodes.begin(), nodes.end());
  return {.all = false, .of = range};
}

void ScheduleBuilder::check_node(std::uint32_t node, std::uint32_t line) const {
  if (node < schedule.nodes) return;
  throw error(line, "node " + std::to_string(node) + " does not exist; there are " +
                        std::to_string(schedule.nodes) + " nodes, numbered from 0");
}

void ScheduleBuilder::check_device(std::uint32_t device, std::uint32_t line) const {
  if (device < devices(schedule)) return;
  if (schedule.switches == 0) return check_node(device, line);
  throw error(line, "device " + std::to_string(device) + " does not exist; there are " +
                        counted(schedule.nodes, "NPU") + " and " +
                        (schedule.switches == 1 ? "1 switch" : std::to_string(schedule.switches) + " switches") +
                        ", numbered from 0");
}

// Renumbers switches to come after all NPUs, whatever their numbers in the file.
void ScheduleBuilder::renumber_switches() {
  Schedule& s = schedule;
  if (switches.empty()) return;
  if (version < 2) throw error(switches_line, "switches require version 2");
  std::ranges::sort(switches);
  if (std::ranges::adjacent_find(switches) != switches.end()) throw error(switches_line, "a switch is named twice");
  const auto count = static_cast<std::uint32_t>(switches.size());
  const bool counted_in = switches.front() < s.nodes;  // numbered among the NPUs
  const std::uint32_t all = counted_in ? s.nodes : s.nodes + count;
  if (switches.back() >= all || all > max_schedule_nodes) {
    throw error(switches_line,
                "switch " + std::to_string(switches.back()) + " does not exist: switches are numbered " +
                    (counted_in ? "below " + std::to_string(all)
                                : std::to_string(s.nodes) + " to " + std::to_string(all - 1) + ", after the NPUs"));
  }
  s.nodes = all - count;
  s.switches = count;
  if (!counted_in) return;
  std::vector<std::uint32_t> number(all);
  std::uint32_t npu = 0;
  std::uint32_t next_switch = s.nodes;
  for (std::uint32_t d = 0; d < all; ++d)
    number[d] = std::ranges::binary_search(switches, d) ? next_switch++ : npu++;
  const auto renumber = [&](std::uint32_t& d) { d = d < all ? number[d] : d; };
  for (std::uint32_t& r : s.relays) renumber(r);
  for (std::uint32_t& m : s.members) renumber(m);
  for (Schedule::Wire& w : s.wires) {
    renumber(w.src);
    renumber(w.dst);
  }
  for (Schedule::Transfer& t : s.transfers) {
    renumber(t.src);
    renumber(t.dst);
  }
  for (SwitchWay& way : ways) {
    for (std::uint32_t& d : way.via) renumber(d);
  }
}

void ScheduleBuilder::check_forwarding() const {
  if (schedule.forwarding.empty() || schedule.forwarding == "store") return;
  throw error(0, "forwarding is " + schedule.forwarding + "; only store-and-forward (store) is supported");
}

void ScheduleBuilder::add_gathered_chunks() {
  Schedule& s = schedule;
  check_nodes();
  const std::int64_t count = chunk_count.value_or(s.nodes);
  // Each chunk of an all-gather is moved.
  if (count > static_cast<std::int64_t>(s.transfers.size() + s.nodes)) {
    throw error(chunks_line, counted(count, "chunk") + ", but only " + counted(s.transfers.size(), "transfer"));
  }
  for (std::int64_t c = 0; c < count; ++c) {
    Schedule::Chunk chunk{.id = c, .bytes = {}, .pre = {}, .post = {.all = true}};
    chunk.pre = add_set({static_cast<std::uint32_t>(c % s.nodes)}, chunks_line);
    s.chunks.push_back(chunk);
  }
}

void ScheduleBuilder::guess_chunks(Diagnostics& diagnostics) {
  if (!schedule.chunks.empty()) return;
  if (schedule.collective != Collective::all_gather) {
    throw error(chunks_line,
                "the chunks are missing; list the nodes that hold each chunk at the beginning and at the end");
  }
  add_gathered_chunks();
  diagnostics.warning({.file = schedule.file, .line = chunks_line}, "R0",
                      "the file has no owners of chunks; node c mod " + std::to_string(schedule.nodes) +
                          " is taken as the owner of chunk c");
}

void ScheduleBuilder::check_nodes() {
  Schedule& s = schedule;
  if (s.nodes == 0 || s.nodes > max_schedule_nodes) {
    throw error(nodes_line, "the number of nodes must be 1 to " + std::to_string(max_schedule_nodes));
  }
  std::ranges::sort(s.relays);
  if (std::ranges::adjacent_find(s.relays) != s.relays.end()) {
    throw error(relays_line, "a relay is named twice");
  }
  for (const std::uint32_t r : s.relays) check_node(r, relays_line);
  if (s.relays.size() == s.nodes)
    throw error(relays_line, "all nodes are relays; at least one node must take part");
}

void ScheduleBuilder::check_wires() {
  Schedule& s = schedule;
  if (!s.wires_told) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> used;
    for (const auto& t : s.transfers) used.emplace_back(t.src, t.dst);
    std::ranges::sort(used);
    used.erase(std::unique(used.begin(), used.end()), used.end());
    for (const auto& [src, dst] : used) s.wires.push_back({.src = src, .dst = dst, .rounds = 0});
  }
  if (wire_count && *wire_count != static_cast<std::int64_t>(s.wires.size())) {
    throw error(wires_line,
                "there are " + counted(s.wires.size(), "link") + ", not " + std::to_string(*wire_count));
  }
  constexpr double most_gib_per_s = 1e9;
  constexpr double most_us = 1e12;
  for (const auto& l : s.wires) {
    check_device(l.src, l.line);
    check_device(l.dst, l.line);
    if (l.src == l.dst) throw error(l.line, "a link from node " + std::to_string(l.src) + " to itself");
    const bool told = l.bandwidth_gib_per_s > 0 && l.bandwidth_gib_per_s <= most_gib_per_s;
    if (s.wires_told && (!told || l.latency_us < 0 || l.latency_us > most_us)) {
      throw error(l.line, "a link's bandwidth must be more than 0 GiB/s, its latency at least 0 µs");
    }
  }
  std::vector<const Schedule::Wire*> sorted;
  for (const auto& l : s.wires) sorted.push_back(&l);
  const auto key = [](const Schedule::Wire* l) { return std::tie(l->src, l->dst); };
  std::ranges::stable_sort(sorted, [&](auto* a, auto* b) { return key(a) < key(b); });
  const auto twice = std::ranges::adjacent_find(sorted, [&](auto* a, auto* b) { return key(a) == key(b); });
  if (twice == sorted.end()) return;
  throw error(twice[1]->line, "link " + std::to_string(twice[1]->src) + "->" + std::to_string(twice[1]->dst) +
                                  " is declared twice" +
                                  (twice[0]->line > 0 ? "; first in line " + std::to_string(twice[0]->line) : ""));
}

void ScheduleBuilder::resolve_chunks() {
  Schedule& s = schedule;
  if (chunk_count && *chunk_count != static_cast<std::int64_t>(s.chunks.size())) {
    throw error(chunks_line,
                "there are " + counted(s.chunks.size(), "chunk") + ", not " + std::to_string(*chunk_count));
  }
  ChunkIndex index;
  for (std::uint32_t c = 0; c < s.chunks.size(); ++c) {
    index.emplace_back(s.chunks[c].id, c);
    for (const auto& set : {s.chunks[c].pre, s.chunks[c].post}) {
      if (set.all) continue;
      for (const std::uint32_t n : listed(s, set)) check_node(n, s.chunks[c].line);
    }
    if (size_of(s, s.chunks[c].pre) == 0) {
      throw error(s.chunks[c].line, "no node holds chunk " + std::to_string(s.chunks[c].id) + " at the beginning");
    }
    if (bytes_of(s, c).value_or(1) <= 0) throw error(s.chunks[c].line, "a chunk must have at least 1 byte");
  }
  std::ranges::sort(index);
  const auto same = [](const auto& a, const auto& b) { return a.first == b.first; };
  const auto twice = std::ranges::adjacent_find(index, same);
  if (twice != index.end()) {
    throw error(s.chunks[twice[1].second].line, "chunk " + std::to_string(twice->first) + " is declared twice");
  }
  for (std::size_t i = 0; i < s.transfers.size(); ++i) {
    const auto at = std::lower_bound(index.begin(), index.end(), std::pair{chunk_of_[i], std::uint32_t{0}});
    if (at == index.end() || at->first != chunk_of_[i]) {
      throw error(s.transfers[i].line, "transfer " + std::to_string(s.transfers[i].id) + " moves chunk " +
                                           std::to_string(chunk_of_[i]) + ", which does not exist");
    }
    s.transfers[i].chunk = at->second;
  }
  resolve_sets(index);
}

void ScheduleBuilder::resolve_sets(const ChunkIndex& index) {
  Schedule& s = schedule;
  for (const Set& set : sets_) {
    Schedule::Transfer& t = s.transfers[set.transfer];
    if (version < 2)
      throw error(t.line, "transfer " + std::to_string(t.id) + " carries several chunks, which requires version 2");
    t.more.begin = static_cast<std::uint32_t>(s.carried.size());
    for (std::uint32_t r = 0; r < set.runs.count; ++r) {
      const IdRun& run = runs_[set.runs.begin + r];
      auto at = std::lower_bound(index.begin(), index.end(), std::pair{run.first, std::uint32_t{0}});
      for (std::int64_t id = run.first; id <= run.last; ++id, ++at) {
        if (at == index.end() || at->first != id) {
          throw error(t.line, "transfer " + std::to_string(t.id) + " moves chunk " + std::to_string(id) +
                                  ", which does not exist");
        }
        if (r > 0 || id > run.first) s.carried.push_back(at->second);  // the first one is the transfer's `chunk`
      }
      if (s.carried.size() > max_carried_chunks) {
        throw error(t.line,
                    "more than " + std::to_string(max_carried_chunks) + " chunks in transfers of several chunks");
      }
    }
    t.more.count = static_cast<std::uint32_t>(s.carried.size()) - t.more.begin;
    check_set(t);
  }
}

// Throws if a chunk occurs twice, or the size of the transfer exceeds 2^63 bytes.
void ScheduleBuilder::check_set(const Schedule::Transfer& t) const {
  const Schedule& s = schedule;
  const auto more = std::span(s.carried).subspan(t.more.begin, t.more.count);
  std::vector<std::uint32_t> all(more.begin(), more.end());
  all.push_back(t.chunk);
  std::ranges::sort(all);
  const auto twice = std::ranges::adjacent_find(all);
  if (twice != all.end()) {
    throw error(t.line, "transfer " + std::to_string(t.id) + " carries chunk " +
                            std::to_string(s.chunks[*twice].id) + " twice");
  }
  const auto told = [&](std::uint32_t chunk) { return bytes_of(s, chunk).has_value(); };
  if (std::ranges::all_of(all, told) && !bytes_of(s, t))
    throw error(t.line, "transfer " + std::to_string(t.id) + " carries more than 2^63 bytes");
}

// Splits transfers over several links into one transfer per link, the form of other files.
void ScheduleBuilder::spread_ways() {
  if (ways.empty()) return;
  if (version < 2) throw error(schedule.transfers[ways.front().transfer].line, "via requires version 2");
  const WireIndex wires(schedule);
  for (const SwitchWay& way : ways) spread_way(way, wires);
  std::int64_t id = 0;
  for (const auto& t : schedule.transfers) id = std::max<std::int64_t>(id, t.id);
  for (Continuation& c : spread_) {
    if (++id > max_schedule_ids) throw error(0, "too many transfers");
    schedule.transfers[c.transfer].id = static_cast<std::int32_t>(id);
    // `after` is the index of the transfer's first link, or of the previous link, whose id was set just before.
    c.after = schedule.transfers[static_cast<std::uint32_t>(c.after)].id;
    continuations.push_back(c);
  }
}

void ScheduleBuilder::spread_way(const SwitchWay& way, const WireIndex& wires) {
  Schedule& s = schedule;
  const Schedule::Transfer whole = s.transfers[way.transfer];
  const std::string what = describe(s, whole);
  const bool order = s.time == Schedule::Time::order;
  if (order && way.turns.size() != way.via.size() + 1)
    throw error(whole.line,
                what + " requires a position on each of its " + std::to_string(way.via.size() + 1) + " links");
  const auto bytes = bytes_of(s, whole);
  if (!bytes && s.time == Schedule::Time::continuous)
    throw error(whole.line, what + " passes switches, but the size of its chunk is unknown");
  std::uint32_t last = way.transfer;
  std::uint32_t from = whole.src;
  std::int64_t start = whole.start;
  for (std::size_t i = 0; i <= way.via.size(); ++i) {
    Schedule::Transfer leg = whole;
    leg.src = from;
    leg.dst = i == way.via.size() ? whole.dst : way.via[i];
    if (i < way.via.size() && (leg.dst < s.nodes || leg.dst >= devices(s)))
      throw error(whole.line, what + " goes via " + std::to_string(leg.dst) + ", which is not a switch");
    leg.start = order ? way.turns[i] : start;
    if (i < way.via.size()) {
      const std::uint32_t wire = wires.find(leg.src, leg.dst);
      const std::int64_t takes = s.time != Schedule::Time::continuous ? 1
                                 : wire == no_index                   ? 0  // rule R1 reports it
                                                                      : rounded_ps(hop_ps(s.wires[wire], *bytes));
      leg.end = leg.start + takes;
    }
    if (!order && leg.end < leg.start + (s.time == Schedule::Time::steps ? 1 : 0))
      throw error(whole.line, what + " ends before it has passed all links of its route");
    start = leg.end;
    from = leg.dst;
    if (i == 0) {
      s.transfers[way.transfer] = leg;
      continue;
    }
    spread_.push_back({static_cast<std::uint32_t>(s.transfers.size()), static_cast<std::int32_t>(last)});
    last = static_cast<std::uint32_t>(s.transfers.size());
    s.transfers.push_back(leg);
    time_of_.push_back(time_of_[way.transfer]);
  }
}

void ScheduleBuilder::check_transfers() const {
  const Schedule& s = schedule;
  std::vector<std::pair<std::int32_t, std::uint32_t>> ids;
  for (std::uint32_t i = 0; i < s.transfers.size(); ++i) {
    const auto& t = s.transfers[i];
    check_device(t.src, t.line);
    check_device(t.dst, t.line);
    if (time_of_[i] != s.time) {
      throw error(t.line, describe(s, t) + " has times of model " + std::string(name(time_of_[i])) +
                              ", but the schedule has model " + std::string(name(s.time)));
    }
    if (t.src == t.dst) throw error(t.line, describe(s, t) + " has the same source and destination");
    if (s.time == Schedule::Time::steps && t.end <= t.start) {
      throw error(t.line, describe(s, t) + " takes 0 steps; 'steps' must be at least 1");
    }
    if (s.time == Schedule::Time::steps && step_count && t.end > *step_count) {
      throw error(t.line, describe(s, t) + " is outside of the " +
                              counted(static_cast<std::uint64_t>(*step_count), "step"));
    }
    if (t.end < t.start && s.time == Schedule::Time::continuous) {
      throw error(t.line, describe(s, t) + " ends before it starts");
    }
    ids.emplace_back(t.id, i);
  }
  std::ranges::sort(ids);
  const auto twice =
      std::ranges::adjacent_find(ids, [](const auto& a, const auto& b) { return a.first == b.first; });
  if (twice == ids.end()) return;
  throw error(s.transfers[twice[1].second].line, "transfer " + std::to_string(twice->first) + " is declared twice");
}

Schedule ScheduleBuilder::finish(const FormatOptions& options, Diagnostics& diagnostics) {
  if (const auto bytes = options.get_bytes("chunk_size")) {
    if (schedule.chunk_bytes) {
      throw usage_error("chunk_size=" + std::to_string(*bytes) + ": " + schedule.file +
                        " already states a chunk size: " + counted(*schedule.chunk_bytes, "byte"));
    }
    schedule.chunk_bytes = bytes;
  }
  if (const auto text = options.get("collective")) {
    const auto claimed = parse_collective(*text, in_schedules);  // in any spelling
    if (!claimed)
      throw usage_error("collective=" + *text + ": expected one of " + std::string(schedule_collectives));
    if (schedule.collective != Collective::custom && schedule.collective != *claimed)
      throw usage_error("collective=" + *text + ": " + schedule.file +
                        " already states a collective: " + std::string(convert::name(schedule.collective)));
    schedule.collective = *claimed;
  }
  if (schedule.chunk_bytes.value_or(1) <= 0) {
    throw error(chunk_bytes_line, "the size of a chunk must be at least 1 byte");
  }
  if (schedule.step_ps == 0) throw error(step_line, "a step must take more than 0 µs");
  check_forwarding();
  renumber_switches();
  check_nodes();
  guess_chunks(diagnostics);
  resolve_chunks();
  check_wires();
  spread_ways();
  check_transfers();
  join_ways(schedule, continuations);
  return std::move(schedule);
}

}  // namespace convert
