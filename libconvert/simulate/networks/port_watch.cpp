// SPDX-License-Identifier: MIT
#include "simulate/networks/port_watch.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <ranges>
#include <tuple>

#include "simulate/symmetry/symmetry.h"

namespace convert {
namespace {

// Tolerance of comparisons: rates are sums, and delays are truncated to whole nanoseconds.
constexpr double port_tolerance = 1.01;

// Ports are scattered in memory. This number of message ends is collected and then added together, after
// prefetching their ports.
constexpr std::size_t at_once = 64;

// 1 byte/ns is 1 GB/s.
std::string rate_text(double bytes_per_ns) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.4g", bytes_per_ns);
  return text.data() + std::string(" GB/s");
}

std::uint32_t out_port(const ProductWires::Dim& d, std::uint32_t from, std::uint32_t to) {
  return with(d.topology, [&](auto t) { return t.port(from, to, d.npus); });
}

// Comparisons for heaps with the earliest on top.
constexpr auto begins_later = [](const auto& a, const auto& b) { return a.begin > b.begin; };
constexpr auto ends_later = [](const auto& a, const auto& b) { return a.end > b.end; };

}  // namespace

std::string port_text(const PortLoad& load) {
  return std::string(port_text_begin) + std::to_string(load.npu) + (load.sends ? " sends " : " receives ") +
         (load.messages == 1 ? "a message" : std::to_string(load.messages) + " messages at once") + ": " +
         rate_text(load.bytes_per_ns) + " through a port of " + rate_text(load.port_bytes_per_ns);
}

PortWatch::PortWatch(const NetworkConfig& config, const Symmetry* symmetry)
    : numbers_(config), symmetry_(symmetry), by_wire_((numbers_.wires() >> block_bits) + 1) {
  seen_.reserve(at_once);
}

void PortWatch::send(Rank src, Rank dst, double bytes_per_ns, Picoseconds now, Picoseconds begin, Picoseconds delay,
                     double latency_ns) {
  const Picoseconds latency = std::min(round_to_ps(latency_ns), delay);
  if (delay == latency) return;  // no bytes
  const End first = first_wire(src, dst);
  const End last = last_wire(src, dst);
  see(first, src, true, {begin, begin + delay - latency, bytes_per_ns}, now);
  if (last.wire != first.wire) see(last, dst, false, {begin + latency, begin + delay, bytes_per_ns}, now);
}

std::optional<PortLoad> PortWatch::worst(Picoseconds end) {
  add_seen();
  std::optional<PortLoad> worst;
  using Key = std::tuple<long long, Rank, bool, std::uint32_t>;
  Key least{};
  for (Port& port : ports_) {
    advance(port, end);
    const PortLoad& load = port.peak;
    if (load.bytes_per_ns <= load.port_bytes_per_ns * port_tolerance) continue;
    const long long excess = std::llround(load.bytes_per_ns / load.port_bytes_per_ns * 1e6);  // sums are rounded
    const Key key{-excess, load.npu, !load.sends, port.wire};
    if (worst && least < key) continue;
    worst = load;
    least = key;
  }
  return worst;
}

// Returns the port in the lowest dimension in which the two NPUs differ.
PortWatch::End PortWatch::first_wire(Rank src, Rank dst) const {
  for (const ProductWires::Dim& d : numbers_.dims()) {
    const std::uint32_t from = numbers_.coordinate(d, src);
    const std::uint32_t to = numbers_.coordinate(d, dst);
    if (from == to) continue;
    return {&d, d.first_wire + src * d.ports + out_port(d, from, to)};
  }
  return {};
}

// Returns the port in the highest dimension in which the two NPUs differ.
PortWatch::End PortWatch::last_wire(Rank src, Rank dst) const {
  const std::vector<ProductWires::Dim>& dims = numbers_.dims();
  for (const ProductWires::Dim& d : std::views::reverse(dims)) {
    const std::uint32_t from = numbers_.coordinate(d, src);
    const std::uint32_t to = numbers_.coordinate(d, dst);
    if (from == to) continue;
    if (has_switch(d.topology)) return {&d, d.first_wire + dst * d.ports + 1};
    const std::uint32_t port = out_port(d, from, to);
    const std::uint32_t before = with(d.topology, [&](auto t) { return t.before(from, to, d.npus); });
    const Rank owner = dst + (before - to) * d.stride;  // modulo 2^32
    return {&d, d.first_wire + owner * d.ports + port};
  }
  return {};
}

void PortWatch::see(End end, Rank npu, bool sends, const Flow& flow, Picoseconds now) {
  if (symmetry_ != nullptr) end.wire = representative_wire(numbers_, *symmetry_, end.wire);
  seen_.push_back({.end = end, .npu = npu, .sends = sends, .flow = flow, .now = now});
  if (seen_.size() == at_once) add_seen();
}

void PortWatch::add_seen() {
  for (const Seen& s : seen_) __builtin_prefetch(&number_of(s.end.wire));
  for (Seen& s : seen_) {
    s.port = port(s);
    __builtin_prefetch(&ports_[s.port], 1);
    __builtin_prefetch(reinterpret_cast<const char*>(&ports_[s.port]) + 64, 1);
  }
  for (const Seen& s : seen_) {
    __builtin_prefetch(ports_[s.port].to_come.data(), 1);
    __builtin_prefetch(ports_[s.port].active.data(), 1);
  }
  for (const Seen& s : seen_) add(ports_[s.port], s.flow, s.now);
  seen_.clear();
}

std::uint32_t& PortWatch::number_of(std::uint32_t wire) {
  constexpr std::uint32_t block_size = 1U << block_bits;
  std::unique_ptr<std::uint32_t[]>& block = by_wire_[wire >> block_bits];
  if (block == nullptr) block = std::make_unique<std::uint32_t[]>(block_size);
  return block[wire & (block_size - 1)];
}

// Returns the number of the port, which is created if it is new.
std::uint32_t PortWatch::port(const Seen& seen) {
  std::uint32_t& known = number_of(seen.end.wire);
  if (known != 0) return known - 1;
  Port& port = ports_.emplace_back();
  known = static_cast<std::uint32_t>(ports_.size());
  port.wire = seen.end.wire;
  port.bytes_per_ns = seen.end.dim->bytes_per_ns;
  port.peak.npu = symmetry_ == nullptr ? seen.npu : symmetry_->representative(seen.npu);
  port.peak.sends = seen.sends;
  port.peak.port_bytes_per_ns = port.bytes_per_ns;
  return known - 1;
}

void PortWatch::add(Port& port, const Flow& flow, Picoseconds now) {
  advance(port, now);
  if (!port.to_come.empty()) {  // consecutive messages are often equal
    Flow& last = port.to_come.back();
    if (std::tie(last.begin, last.end, last.bytes_per_ns) == std::tie(flow.begin, flow.end, flow.bytes_per_ns)) {
      ++last.messages;
      return;
    }
  }
  port.to_come.push_back(flow);
  std::push_heap(port.to_come.begin(), port.to_come.end(), begins_later);
}

// Starts the flows that begin before `now`: messages sent later begin later.
void PortWatch::advance(Port& port, Picoseconds now) {
  while (!port.to_come.empty() && port.to_come.front().begin < now) {
    std::pop_heap(port.to_come.begin(), port.to_come.end(), begins_later);
    const Flow flow = port.to_come.back();
    port.to_come.pop_back();
    begin(port, flow);
  }
}

void PortWatch::begin(Port& port, const Flow& flow) {
  while (!port.active.empty() && port.active.front().end <= flow.begin) {
    const Flow& ended = port.active.front();
    for (std::uint32_t i = 0; i < ended.messages; ++i) port.rate -= ended.bytes_per_ns;
    port.messages -= ended.messages;
    std::pop_heap(port.active.begin(), port.active.end(), ends_later);
    port.active.pop_back();
  }
  if (port.active.empty()) port.rate = 0;  // removes rounding errors
  port.active.push_back(flow);
  std::push_heap(port.active.begin(), port.active.end(), ends_later);
  for (std::uint32_t i = 0; i < flow.messages; ++i) port.rate += flow.bytes_per_ns;
  port.messages += flow.messages;
  if (port.rate <= port.peak.bytes_per_ns) return;
  port.peak.bytes_per_ns = port.rate;
  port.peak.messages = port.messages;
}

}  // namespace convert
