// SPDX-License-Identifier: MIT
#include "machine/call_time.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/diagnostic.h"

namespace convert {

bool runs_on_rings(Collective c) {
  return c == Collective::all_reduce || c == Collective::all_gather || c == Collective::reduce_scatter ||
         c == Collective::broadcast || c == Collective::reduce;
}
bool runs_as_messages(Collective c) {
  return c == Collective::all_to_all || c == Collective::send || c == Collective::gather ||
         c == Collective::scatter;
}

namespace {

// Chunks of in-switch reductions in bytes (NCCL, src/enqueue.cc).
constexpr std::array<double, 4> nvls_chunks = {16 << 10, 32 << 10, 64 << 10, 128 << 10};

// Returns the bytes that a member sends, as a multiple of the call's.
double traffic_factor(const MachineCall& call) {
  return call.collective == Collective::send ? 1 : bus_bandwidth_factor(call.collective, call.ranks);
}

// Returns the call with one of the collectives that have formulas, if there is one.
MachineCall with_formula(MachineCall call) {
  call.collective = without_block(call.collective);
  if (call.collective == Collective::all_to_allv) call.collective = Collective::all_to_all;
  if (call.collective == Collective::recv) call.collective = Collective::send;
  if (call.collective == Collective::barrier) {  // an all_reduce of one element
    call.collective = Collective::all_reduce;
    call.bytes = 8;
  }
  return call;
}

// Bandwidths of a call, in bytes per ns.
struct Bandwidths {
  double port = 0;
  double adapters = std::numeric_limits<double>::infinity();      // of a node, as far as one call uses them
  double all_adapters = std::numeric_limits<double>::infinity();  // of a node
};

Bandwidths bandwidths(const Machine& m, const MachineCall& call) {
  Bandwidths b{.port = m.node.port_bytes_per_ns};
  if (m.node.mesh) b.port *= (call.nodes == 1 ? call.ranks : m.node.gpus) - 1;
  if (call.nodes == 1) return b;
  if (!m.fabric)
    throw input_error({.file = m.file}, "calls of more than one node, and the file has no network", "machine");
  const double share = std::min(1.0, call.ranks_of_node() / m.node.gpus);
  b.all_adapters = m.fabric->adapters * m.fabric->bytes_per_ns * share;
  if (m.fabric->leaf && call.nodes > *m.fabric->leaf) b.all_adapters /= m.fabric->over;
  b.adapters =
      m.fabric->call_bytes_per_ns ? std::min(b.all_adapters, *m.fabric->call_bytes_per_ns) : b.all_adapters;
  return b;
}

// Time of a call as a function of its bytes, for one candidate.
struct RingTime {
  double launch, latency, factor, per_byte, ranks, own;
  bool overlaps;  // LL and LL128 pass lines on as they come: latency and flow overlap
  double operator()(double bytes) const {
    const double flow = factor * bytes * per_byte;
    return launch + (overlaps ? std::sqrt(latency * latency + flow * flow) : latency + flow) + bytes / ranks * own;
  }
};
struct TreeTime {
  double start, rate;
  double operator()(double bytes) const { return start + bytes / rate; }
};
struct NvlsTime {
  double latency, depth;
  std::array<double, nvls_chunks.size()> loop, loop_ns;  // bytes and time of a round of chunks
  double operator()(double bytes) const {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t c = 0; c < loop.size(); ++c) least = std::min(least, (depth + bytes / loop[c]) * loop_ns[c]);
    return latency + least;
  }
};
struct MessageTime {
  double latency, per_byte, copied;  // copied: part of the bytes for each byte per ns
  double operator()(double bytes) const { return latency + bytes * per_byte + bytes * copied; }
};

// The candidates of a call; its bytes do not count.
class Formulas {
 public:
  Formulas(const Machine& machine, const MachineCall& call)
      : l_(machine.library),
        call_(call),
        n_(call.ranks),
        nodes_(call.nodes),
        g_(call.ranks_of_node()),
        b_(bandwidths(machine, call)) {}

  [[nodiscard]] RingTime ring(Protocol p) const {
    const double laps = call_.collective == Collective::all_reduce ? 2 : 1;
    const double across = laps * (nodes_ - 1);
    const double latency = (laps * (n_ - 1) - across) * l_.ring[p].step_ns + across * l_.across.ring[p].step_ns;
    double per_byte = 1 / (b_.port * l_.ring[p].share);
    if (call_.nodes > 1) per_byte = std::max(per_byte, 1 / (b_.adapters * l_.across.ring[p].share));
    double own = 0;
    const Collective c = call_.collective;
    if (c == Collective::all_reduce || c == Collective::all_gather) own += 1 / l_.copy_bytes_per_ns;
    if (c == Collective::all_reduce || c == Collective::reduce_scatter) own += 1 / l_.reduce_bytes_per_ns;
    return {l_.launch_ns, latency, traffic_factor(call_), per_byte, n_, own, p != Protocol::simple};
  }

  [[nodiscard]] TreeTime tree(Protocol p) const {
    const StepCost& level = l_.tree[p == Protocol::ll ? 0 : 1];
    double latency = 0, rate = b_.port * level.share;
    if (call_.nodes == 1) {
      latency = 2 * std::log2(n_) * level.step_ns;
    } else {
      latency = 2 * std::min((g_ - 1) * l_.ring[p].step_ns, std::log2(std::max(g_, 1.0)) * level.step_ns) +
                2 * std::log2(nodes_) * l_.across.ring[p].step_ns;
      rate = std::min(rate, b_.adapters * l_.across.ring[p].share / branches());
    }
    return {l_.launch_ns + latency, rate};
  }

  [[nodiscard]] NvlsTime nvls() const {
    NvlsTime t{l_.nvls->latency_ns, l_.nvls->depth, {}, {}};
    double rate = l_.nvls->share * b_.port;
    if (call_.nodes > 1) {
      const StepCost& across = l_.across.ring.Simple;
      t.latency += 2 * std::log2(nodes_) * across.step_ns;
      rate = std::min(rate, b_.adapters * across.share / branches());
      t.depth += l_.across.depth * std::log2(nodes_);
    }
    for (std::size_t c = 0; c < nvls_chunks.size(); ++c) {
      t.loop[c] = g_ * static_cast<double>(l_.nvls->channels) * nvls_chunks[c];
      t.loop_ns[c] = l_.nvls->sync_ns + t.loop[c] / rate;
    }
    return t;
  }

  // Returns whether the messages of a call of these bytes use the protocol LL.
  [[nodiscard]] bool messages_are_ll(double bytes) const {
    const bool one = call_.collective == Collective::send;
    return (one ? bytes : bytes / n_) <= static_cast<double>(l_.messages.below);
  }

  [[nodiscard]] MessageTime messages(bool ll) const {
    const StepCost& cost = ll ? l_.messages.LL : l_.messages.Simple;
    const bool one = call_.collective == Collective::send;
    const bool to_all = call_.collective == Collective::all_to_all;
    double latency = l_.messages.launch_ns + (one ? 1 : n_ - 1) * cost.step_ns;
    double per_byte = traffic_factor(call_) / (b_.port * cost.share);
    if (call_.nodes > 1) {
      const double adapters = b_.all_adapters * l_.across.messages.share;
      latency += l_.across.messages.step_ns;
      if (to_all) {
        per_byte = std::max((g_ - 1) / n_ / (b_.port * cost.share), (n_ - g_) / n_ * g_ / adapters);
      } else if (one) {
        per_byte = g_ / adapters;
      } else {
        per_byte = (n_ - g_) / n_ * g_ / adapters;
      }
    }
    return {latency, per_byte, to_all ? 1 / n_ / l_.messages.copy_bytes_per_ns : 0};
  }

 private:
  // Returns the number of a node's children in the tree of nodes.
  [[nodiscard]] double branches() const { return call_.nodes == 2 ? 1 : 2; }

  const LibraryCosts& l_;
  const MachineCall& call_;
  double n_, nodes_, g_;
  Bandwidths b_;
};

// Calls visit(algorithm, time of bytes) for each candidate of a call with a formula and several ranks, in the order
// of their precedence. `bytes` choose the protocol of messages.
template <class Visit>
void for_each_candidate(const Machine& machine, const MachineCall& call, double bytes, const Visit& visit) {
  const Formulas f(machine, call);
  if (runs_on_rings(call.collective)) {
    for (const Protocol p : protocols) visit(CallAlgorithm{CallMethod::ring, p}, f.ring(p));
  }
  if (call.collective == Collective::all_reduce) {
    for (const Protocol p : {Protocol::ll, Protocol::simple}) visit(CallAlgorithm{CallMethod::tree, p}, f.tree(p));
    if (machine.library.nvls && call.ranks_of_node() >= 3) visit(CallAlgorithm{CallMethod::nvls}, f.nvls());
  }
  if (runs_as_messages(call.collective)) {
    const bool ll = f.messages_are_ll(bytes);
    visit(CallAlgorithm{CallMethod::messages, ll ? Protocol::ll : Protocol::simple}, f.messages(ll));
  }
}

}  // namespace

std::string name(CallAlgorithm algorithm, std::uint32_t nodes) {
  const std::string protocol(name(algorithm.protocol));
  switch (algorithm.method) {
    case CallMethod::ring: return "ring " + protocol;
    case CallMethod::tree: return "tree " + protocol;
    case CallMethod::nvls: return nodes == 1 ? "nvls" : "nvls+tree";
    case CallMethod::messages: return "messages " + protocol;
    case CallMethod::copy: return "copy";
  }
  return "";
}

std::vector<CallTime> candidates(const Machine& machine, const MachineCall& any) {
  const MachineCall call = with_formula(any);
  std::vector<CallTime> found;
  if (call.ranks == 1) {
    const double launch = machine.library.launch_ns;
    found.push_back({{CallMethod::copy}, launch + call.bytes / machine.library.copy_bytes_per_ns, launch});
    return found;
  }
  for_each_candidate(machine, call, call.bytes, [&](CallAlgorithm algorithm, const auto& time) {
    found.push_back({algorithm, time(call.bytes), time(0)});
  });
  return found;
}

std::optional<CallTime> call_time(const Machine& machine, const MachineCall& call) {
  const std::vector<CallTime> all = candidates(machine, call);
  const auto least = std::ranges::min_element(all, {}, &CallTime::time_ns);
  return least == all.end() ? std::nullopt : std::optional(*least);
}

void call_times(const Machine& machine, const MachineCall& any, std::optional<CallMethod> method,
                std::span<const double> bytes, std::span<double> times_ns) {
  const MachineCall call = with_formula(any);
  if (runs_as_messages(call.collective) || call.ranks == 1) {  // a single candidate
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      MachineCall one = call;
      one.bytes = bytes[i];
      times_ns[i] = call_time(machine, one)->time_ns;
    }
    return;
  }
  std::ranges::fill(times_ns, std::numeric_limits<double>::infinity());
  for_each_candidate(machine, call, 0, [&](CallAlgorithm algorithm, const auto& time) {
    if (method && algorithm.method != *method) return;
    for (std::size_t i = 0; i < bytes.size(); ++i) times_ns[i] = std::min(times_ns[i], time(bytes[i]));
  });
}

ProgramRate program_hop(const Machine& machine, bool within, std::optional<Protocol> protocol) {
  const ProgramCost& program = machine.library.program;
  ProgramRate hop{program.step_ns, program.share * machine.node.port_bytes_per_ns};
  if (!within) {
    const StepCost& across = machine.library.across.messages;
    const MachineFabric& fabric = *machine.fabric;
    hop = {across.step_ns, across.share * fabric.adapters * fabric.bytes_per_ns / machine.node.gpus};
  }
  if (!protocol) return hop;
  if (const auto& threadblock = program.rates.at(static_cast<std::size_t>(*protocol))) {
    if (within) hop.step_ns = threadblock->step_ns;
    hop.bytes_per_ns = std::min(hop.bytes_per_ns, threadblock->bytes_per_ns);
  }
  return hop;
}

double port_capacity(const Machine& machine) {
  double share = 0;
  for (const Protocol p : protocols) share = std::max(share, machine.library.ring[p].share);
  return machine.node.port_bytes_per_ns * share * (machine.node.mesh ? machine.node.gpus - 1 : 1);
}

double adapter_capacity(const Machine& machine) {
  if (!machine.fabric) return 0;
  double share = 0;
  for (const Protocol p : protocols) share = std::max(share, machine.library.across.ring[p].share);
  return machine.fabric->adapters * machine.fabric->bytes_per_ns / machine.node.gpus * share;
}

bool has_shared_adapters(const Machine& machine) {
  return machine.fabric && machine.fabric->adapters < machine.node.gpus;
}

CallTraffic traffic(const MachineCall& any, CallMethod method) {
  const MachineCall call = with_formula(any);
  const double n = call.ranks, g = call.ranks_of_node();
  const double branches = call.nodes == 2 ? 1 : 2;
  const double own = traffic_factor(call) * call.bytes;
  CallTraffic t;
  if (call.ranks == 1) return t;
  switch (method) {
    case CallMethod::ring: t = {own, own / g}; break;
    case CallMethod::tree: t = {own, branches * call.bytes / g}; break;
    case CallMethod::nvls: t = {call.bytes * (1 + 1 / g), branches * call.bytes / g}; break;
    case CallMethod::messages: t = {(g - 1) / n * call.bytes, (n - g) / n * call.bytes}; break;
    case CallMethod::copy: break;
  }
  if (g <= 1) t.port = 0;
  if (call.nodes == 1) t.adapter = 0;
  return t;
}

}  // namespace convert
