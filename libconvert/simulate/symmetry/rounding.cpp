// SPDX-License-Identifier: MIT
#include "simulate/symmetry/rounding.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "simulate/system/rounds.h"

namespace convert {
namespace {

// Returns the most links from one NPU to another along a dimension.
double most_hops(const NetworkDim& d) {
  double most = 1;
  const auto n = static_cast<std::uint32_t>(d.npus);
  for (std::uint32_t to = 1; to < n; ++to) most = std::max(most, static_cast<double>(hops(d.topology, 0, to, n)));
  return most;
}

class Bound {
 public:
  explicit Bound(const LinkedProgram& program) : program_(program) {
    const bool whole_ns = program.options.network.model != NetworkModel::wires;
    for (const NetworkDim& d : program.network.dims) {
      const double count = most_hops(d);
      hops_ += count;
      ps_per_byte_ += count * static_cast<double>(ps_per_ns) / d.bytes_per_ns;
    }
    unit_ps_ = whole_ns ? static_cast<double>(ps_per_ns) : 1;
    if (program.network.ideal) ps_per_byte_ = unit_ps_ = 0;
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
  // Returns how many bytes the messages of a place differ by, all rounds together: a byte for each part.
  [[nodiscard]] static double bytes_of(const PhasePlan& p) {
    if (p.algorithm != NativeAlgorithm::halving_doubling) return static_cast<double>(rounds(p));
    const double parts = p.members - 1;
    return p.op == Collective::all_reduce ? 2 * parts : parts;
  }
  [[nodiscard]] double of(const PhasePlan& p) const {
    const double bytes = bytes_of(p);
    const auto messages = static_cast<double>(rounds(p));
    double ps = bytes * ps_per_byte_ + messages * hops_ * unit_ps_;
    if (program_.model.local_mem_bytes_per_s != 0) {
      constexpr double passes = 3;  // see SystemModel::reduction
      ps += passes * (bytes / program_.model.local_mem_bytes_per_s * 1e12 + messages * ps_per_ns);
    }
    return ps;
  }

  const LinkedProgram& program_;
  double hops_ = 0;
  double ps_per_byte_ = 0;
  double unit_ps_ = 0;
};

}  // namespace

Picoseconds rounding_bound(const LinkedProgram& program, const std::vector<CalledCollective>& runs) {
  const Bound bound(program);
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
