// SPDX-License-Identifier: MIT
#include "synthesis/bounds/report.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "core/units.h"
#include "core/words.h"
#include "util/json_writer.h"

namespace convert {
namespace {

constexpr std::size_t most_shown = 8;

std::string fraction_text(const Fraction& f) {
  return std::to_string(f.numerator) + (f.denominator == 1 ? "" : "/" + std::to_string(f.denominator));
}

std::string rate_text(const SynthesisProblem& p, const Crossing& c) {
  return fraction_text(us_per_byte(p.graph, c)) + " µs/byte";
}

// Names the links by the smaller of the two sets of devices that they join.
std::string place_text(const SynthesisProblem& p, const Crossing& c) {
  if (c.devices.empty())
    return std::string(c.into ? "all links into " : "all links out of ") + devices_text(p.wires, p.participants);
  if (2 * c.devices.size() <= p.graph.devices) return "out of " + devices_text(p.wires, c.devices);
  const DeviceCut others = opposite({.devices = c.devices}, p.graph.devices);
  return "into " + devices_text(p.wires, others.devices);
}

std::string size_text(const SynthesisProblem& p) {
  switch (p.collective) {
    case Collective::all_reduce:
    case Collective::broadcast:
    case Collective::reduce: return format_bytes(p.bytes);
    case Collective::all_to_all: return format_bytes(p.shard_bytes) + " from each to each";
    default: return format_bytes(p.shard_bytes) + " each";
  }
}

std::string_view words(BoundKind kind) {
  switch (kind) {
    case BoundKind::two_phase: return "reduce-scatter, then all-gather";
    case BoundKind::together: return "bandwidth and latency";
    case BoundKind::slots: return "whole shards";
    default: return name(kind);
  }
}

// Returns "by lengths of links, mainly on 3>4, 4>3": the links with the largest length × bandwidth that make
// up nine tenths of the sum, unless they are most of the links.
std::string lengths_text(const SynthesisProblem& p, const LengthBound& lengths) {
  std::vector<std::uint32_t> links(p.graph.links.size());
  std::iota(links.begin(), links.end(), 0U);
  const auto weight = [&](std::uint32_t l) { return lengths.lengths[l] * p.graph.links[l].bandwidth; };
  std::ranges::stable_sort(links, std::greater<>(), weight);
  std::int64_t sum = 0;
  std::size_t count = 0;
  while (sum < lengths.capacity / 10 * 9) sum += weight(links[count++]);
  if (2 * count > links.size()) return " by lengths of all links";
  std::vector<std::string> words;
  for (std::size_t i = 0; i < std::min(count, most_shown); ++i) {
    const LinkGraph::Link& l = p.graph.links[links[i]];
    words.push_back(p.wires.device_name(l.from) + ">" + p.wires.device_name(l.to));
  }
  return " by lengths of links, mainly on " + join(words) +
         (count > most_shown ? ", ... (" + std::to_string(count) + " of " + std::to_string(links.size()) + ")"
                             : "");
}

// Returns "bandwidth 65.0117 us = 31/500000 us/byte: into NPU 0", without the parts that the bound lacks.
std::string bound_text(const SynthesisProblem& p, const Bound& b) {
  std::string text = std::string(words(b.kind)) + " " + format_time(b.time);
  if (b.ends)
    return text + " from " + devices_text(p.wires, {&b.ends->first, 1}) + " to " +
           devices_text(p.wires, {&b.ends->second, 1});
  if (b.lengths) return text + lengths_text(p, *b.lengths);
  std::vector<std::string> rates, places;
  for (const Crossing& c : b.crossings) {
    rates.push_back(rate_text(p, c));
    places.push_back(place_text(p, c));
  }
  if (b.kind != BoundKind::together && b.kind != BoundKind::slots) text += " = " + join(rates, " + ");
  return places.empty() ? text : text + ": " + join(places, ", then ");
}

void write_links(JsonWriter& w, const SynthesisProblem& p, const std::vector<std::uint32_t>& links,
                 const LengthBound* lengths) {
  w.key("links").begin_array();
  for (const std::uint32_t l : links) {
    const LinkGraph::Link& link = p.graph.links[l];
    w.line(6).begin_object();
    w.member("from", p.wires.device_name(link.from)).member("to", p.wires.device_name(link.to));
    w.member("bytes_per_s", link.bandwidth * p.graph.unit);
    w.key("latency_us").raw(format_exact(link.latency_ps, ps_per_us));
    if (lengths != nullptr) w.member("length", lengths->lengths[l]);
    w.end_object();
  }
  w.end_array();
}

void write_crossing(JsonWriter& w, const SynthesisProblem& p, const Crossing& c) {
  const Fraction rate = us_per_byte(p.graph, c);
  w.line(4).begin_object();
  w.member("parts", c.parts).member("part_bytes", c.part_bytes);
  w.member("numerator", rate.numerator).member("denominator_MBps", rate.denominator);
  w.member("bytes_per_s", c.bandwidth * p.graph.unit);
  if (c.devices.empty()) {
    w.member(c.into ? "into" : "out_of", "all NPUs that take part");
  } else {
    w.key("devices").begin_array();
    for (const Device d : c.devices) w.value(p.wires.device_name(d));
    w.end_array();
  }
  write_links(w, p, c.links, nullptr);
  w.end_object();
}

void write_lengths(JsonWriter& w, const SynthesisProblem& p, const LengthBound& lengths) {
  w.member("part_bytes", p.shard_bytes).member("distance", lengths.distance);
  w.member("capacity", lengths.capacity).member("unit_bytes_per_s", p.graph.unit);
  std::vector<std::uint32_t> links;
  for (std::uint32_t l = 0; l < lengths.lengths.size(); ++l) {
    if (lengths.lengths[l] != 0) links.push_back(l);
  }
  write_links(w, p, links, &lengths);
}

void write_bound(JsonWriter& w, const SynthesisProblem& p, const Bound& b) {
  w.line(2).begin_object();
  w.member("bound", name(b.kind));
  w.key("us").raw(format_exact(b.time, ps_per_us));
  w.member("limits_all", b.limits);
  if (b.ends) {
    w.member("from", p.wires.device_name(b.ends->first));
    w.member("to", p.wires.device_name(b.ends->second));
  }
  if (b.lengths) write_lengths(w, p, *b.lengths);
  if (!b.crossings.empty()) {
    w.key("crossings").begin_array();
    for (const Crossing& c : b.crossings) write_crossing(w, p, c);
    w.end_array();
  }
  w.end_object();
}

}  // namespace

std::string devices_text(const WireGraph& wires, std::span<const Device> devices) {
  std::vector<std::string> words;
  std::size_t npus = 0, switches = 0;
  for (std::size_t i = 0; i < devices.size();) {
    std::size_t end = i + 1;
    while (end < devices.size() && devices[end] == devices[end - 1] + 1 && devices[end] < wires.npus) ++end;
    if (devices[i] < wires.npus) {
      words.push_back(std::to_string(devices[i]) + (end - i > 1 ? "-" + std::to_string(devices[end - 1]) : ""));
      npus += end - i;
    } else {
      words.push_back(wires.device_name(devices[i]));
      ++switches;
    }
    i = end;
  }
  const bool all = words.size() <= most_shown;
  if (!all) words.resize(most_shown);
  std::string text = (npus > 1 ? "NPUs " : npus == 1 ? "NPU " : "") + join(words);
  if (all) return text;
  text += ", ... (" + counted(npus, "NPU");
  return text +
         (switches == 0 ? "" : " and " + std::to_string(switches) + (switches == 1 ? " switch" : " switches")) +
         ")";
}

std::string bounds_text(const SynthesisProblem& p, const Bounds& bounds) {
  std::string text = std::string(name(p.collective)) + ", " + counted(p.size(), "NPU") + ", " + size_text(p) + ": ";
  if (bounds.all.empty()) return text + "nothing to move\n";
  std::vector<std::string> short_ones, lines;
  for (const Bound& b : bounds.all) {
    const bool is_short =
        b.kind == BoundKind::latency || b.kind == BoundKind::bandwidth || b.kind == BoundKind::slots;
    // Shown only if the worst cut with latency is another one.
    const Bound* bandwidth = bounds.find(BoundKind::bandwidth);
    if (b.kind == BoundKind::together && bandwidth != nullptr &&
        b.crossings.size() == bandwidth->crossings.size() &&
        (b.crossings.empty() || b.crossings[0].devices == bandwidth->crossings[0].devices))
      continue;
    (is_short ? short_ones : lines).push_back(bound_text(p, b));
  }
  text += format_time(bounds.lower) + " at least (" + join(short_ones) + ")\n";
  for (const std::string& line : lines) text += "  " + line + "\n";
  return text;
}

std::string bounds_json(const SynthesisProblem& p, const Bounds& bounds) {
  std::string out;
  JsonWriter w(out);
  w.begin_object();
  w.line(1).member("collective", name(p.collective)).line(1).member("network", p.source);
  w.line(1).key("npus").begin_array();
  for (const Device d : p.participants) w.value(d);
  w.end_array();
  if (has_root(p.collective)) w.line(1).member("root", p.root);
  w.line(1).member("bytes", p.bytes).line(1).member("shard_bytes", p.shard_bytes);
  w.line(1).key("lower_bound_us").raw(format_exact(bounds.lower, ps_per_us));
  w.line(1).key("bounds").begin_array();
  for (const Bound& b : bounds.all) write_bound(w, p, b);
  w.line(1).end_array();
  w.line().end_object();
  return out + "\n";
}

}  // namespace convert
