// SPDX-License-Identifier: MIT
#include "simulate/symmetry/rounding.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "simulate/system/rounds.h"

namespace convert {
namespace {

// Returns the maximum number of links along a dimension from one NPU to another, or to the next.
double most_hops(const NetworkDim& d, bool to_next) {
  const auto n = static_cast<std::uint32_t>(d.npus);
  if (to_next && n > 1) return std::max(hops(d.topology, 0, 1, n), hops(d.topology, n - 1, 0, n));
  double most = 1;
  for (std::uint32_t to = 1; to < n; ++to) most = std::max(most, static_cast<double>(hops(d.topology, 0, to, n)));
  return most;
}

class RoundingBound {
 public:
  explicit RoundingBound(const LinkedProgram& program) : program_(program) {
    const bool whole_ns = program.options.network.model != NetworkModel::wires;
    for (const NetworkDim& d : program.network.dims) {
      to_next_.push_back(way_along(d, true));
      to_any_.push_back(way_along(d, false));
      anywhere_.hops += to_any_.back().hops;
      anywhere_.ps_per_byte += to_any_.back().ps_per_byte;
    }
    unit_ps_ = whole_ns ? static_cast<double>(ps_per_ns) : 1;
  }

  [[nodiscard]] double of(const CollectivePlan& plan) const {
    double most = 0;
    for (const auto& phases : plan.orders) {
      double ps = 0;
      for (const PhasePlan& p : phases) ps += of(p);
      most = std::max(most, ps);
    }
    return most * static_cast<double>(plan.chunks);
  }

 private:
  // Upper bound of a message's route; empty in an ideal network.
  struct Way {
    double hops = 0;
    double ps_per_byte = 0;
  };
  static Way way_along(const NetworkDim& d, bool to_next) {
    const double count = most_hops(d, to_next);
    return {count, count * static_cast<double>(ps_per_ns) / d.bytes_per_ns};
  }
  [[nodiscard]] const Way& way_of(const PhasePlan& p) const {
    if (p.group_ring || p.dim >= to_any_.size()) return anywhere_;
    const NetworkDim& d = program_.network.dims[p.dim];
    if (p.members != d.npus) return anywhere_;
    return (p.algorithm == NativeAlgorithm::ring ? to_next_ : to_any_)[p.dim];
  }
  // Returns the difference in bytes of the messages of a member, summed over all rounds: one byte per shard.
  [[nodiscard]] static double bytes_of(const PhasePlan& p) {
    if (p.algorithm != NativeAlgorithm::halving_doubling) return static_cast<double>(rounds(p));
    const double parts = p.members - 1;
    return p.op == Collective::all_reduce ? 2 * parts : parts;
  }
  [[nodiscard]] double of(const PhasePlan& p) const {
    const double bytes = bytes_of(p);
    const auto messages = static_cast<double>(rounds(p));
    const Way& way = way_of(p);
    double ps = bytes * way.ps_per_byte + messages * way.hops * unit_ps_;
    if (program_.model.local_mem_bytes_per_s != 0) {
      constexpr double passes = 3;  // see SystemModel::reduction
      ps += passes * (bytes / program_.model.local_mem_bytes_per_s * 1e12 + messages * ps_per_ns);
    }
    return ps;
  }

  const LinkedProgram& program_;
  std::vector<Way> to_next_;  // by dimension
  std::vector<Way> to_any_;   // by dimension
  Way anywhere_;
  double unit_ps_ = 0;
};

}  // namespace

Picoseconds rounding_bound(const LinkedProgram& program, const std::vector<CalledCollective>& runs) {
  const RoundingBound bound(program);
  std::vector<std::optional<double>> of_plan(program.plans.size());
  double sum = 0;
  for (const CalledCollective& c : runs) {
    const CollectivePlan& plan = program.plans[c.run.plan];
    if (!plan.rounded) continue;
    std::optional<double>& known = of_plan[c.run.plan];
    if (!known) known = bound.of(plan);
    sum += *known;
  }
  return static_cast<Picoseconds>(std::ceil(std::min(sum, 9e18)));
}

}  // namespace convert
