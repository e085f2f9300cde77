// SPDX-License-Identifier: MIT
#include "simulate/symmetry/symmetry.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "simulate/program/link.h"
#include "simulate/symmetry/group_shifts.h"

namespace convert {

std::uint32_t ChannelOrbits::number(const ChannelKey& key) {
  const std::uint32_t found = index_.find_or_add(keys_, key);
  if (found == parent_.size()) parent_.push_back(found);
  return found;
}

bool ChannelOrbits::tell_sources() {
  std::vector<std::pair<std::uint32_t, Rank>> sources;
  for (std::uint32_t c = 0; c < keys_.size(); ++c) sources.emplace_back(find(c), keys_[c].src);
  std::sort(sources.begin(), sources.end());
  return std::adjacent_find(sources.begin(), sources.end()) == sources.end();
}

std::uint32_t representative_wire(const ProductWires& numbers, const Symmetry& symmetry, std::uint32_t wire) {
  const ProductWires::Dim& d = numbers.dim_of(wire);
  const Rank owner = d.by_ports.quotient(wire - d.first_wire);
  std::uint32_t port = d.by_ports.remainder(wire - d.first_wire);
  if (with(d.topology, [](auto t) { return t.port_is_coordinate; })) {
    const Rank to = owner + (port - numbers.coordinate(d, owner)) * d.stride;  // modulo 2^32
    port = numbers.coordinate(d, symmetry.back_by_own(to, owner));
  }
  return d.first_wire + symmetry.representative(owner) * d.ports + port;
}

namespace {

// Numbers class rings of groups by group, and other class rings by dimension after them.
void number_class_rings(LinkedProgram& reduced, const Equivalence& equivalence) {
  for (CollectivePlan& plan : reduced.plans) {
    const std::uint32_t group = plan.call.group;
    for (std::vector<PhasePlan>& order : plan.orders) {
      for (PhasePlan& p : order) {
        if (p.algorithm != NativeAlgorithm::ring) continue;
        if (p.group_ring) {
          p.class_ring = equivalence.class_rings_of_groups[group] ? group : 0;
        } else if (equivalence.class_rings_along[p.dim]) {
          p.class_ring = static_cast<std::uint32_t>(reduced.groups.size()) + p.dim;
        }
      }
    }
  }
}

// Returns whether the phase is a chain of more than one message, each sent after the previous one.
bool is_chain(const PhasePlan& p) {
  return (p.algorithm == NativeAlgorithm::ring || p.algorithm == NativeAlgorithm::halving_doubling) && p.steps > 1;
}

// Returns whether all members of the phase have one representative, in each instance of the phase.
bool is_closed(const ReplayProgram& program, const Symmetry& ranks, const CollectivePlan& plan,
               const PhasePlan& p) {
  if (p.group_ring) {
    const std::vector<Rank>& members = program.groups[plan.call.group].ranks;
    const Rank first = ranks.representative(members.front());
    return std::ranges::all_of(members, [&](Rank r) { return ranks.representative(r) == first; });
  }
  for (Rank r = 0; r < program.ranks.size(); ++r) {
    if (r / p.stride % p.members != 0) continue;
    for (std::uint32_t i = 1; i < p.members; ++i) {
      if (ranks.representative(r + i * p.stride) != ranks.representative(r)) return false;
    }
  }
  return true;
}

// Marks the phases that may be closed, if no requested result requires single messages.
void mark_closed(LinkedProgram& reduced, const ReplayProgram& program, const Symmetry& ranks) {
  const ReplayOptions& options = program.options;
  if (!options.whole_rings || options.until || options.traffic || options.explain || options.network.count_wires ||
      options.system->rendezvous || program.model.shared_bus)
    return;
  std::map<std::pair<std::uint32_t, std::uint32_t>, bool> known;  // by stride and members
  for (CollectivePlan& plan : reduced.plans) {
    for (std::vector<PhasePlan>& order : plan.orders) {
      for (PhasePlan& p : order) {
        // Chunks begin the first phase together; in later phases they meet.
        if (&p != &order.front() && plan.chunks > 1) break;
        if (p.group_ring) {
          p.closed = is_chain(p) && is_closed(program, ranks, plan, p);
          continue;
        }
        const auto [at, is_new] = known.try_emplace({p.stride, p.members}, false);
        if (is_new) at->second = is_closed(program, ranks, plan, p);
        p.closed = at->second && is_chain(p);
      }
    }
  }
}

}  // namespace

LinkedProgram reduce(const ReplayProgram& program, const Equivalence& equivalence) {
  const Symmetry& s = equivalence.ranks;
  const auto channel = [&](const ChannelKey& key) {
    ChannelKey framed = key;
    framed.src = s.representative(key.src);
    framed.dst = s.back(key.dst, key.src, false);
    if (equivalence.orbits != nullptr) framed.tag = equivalence.orbits->of(key);
    return framed;
  };
  LinkedProgram reduced = link(program, {.runs = [&](Rank r) { return s.representative(r) == r; },
                                         .peer = [&](Rank r) { return s.representative(r); },
                                         .channel = channel});
  reduced.options.network.wires_like = static_cast<std::uint32_t>(program.ranks.size() / s.classes());
  for (CollectivePlan& plan : reduced.plans) plan.rounded = equivalence.rounded && has_remainder(program, plan);
  if (equivalence.has_class_rings()) number_class_rings(reduced, equivalence);
  mark_closed(reduced, program, s);
  while (reduced.ranks.back().code == nullptr) reduced.ranks.pop_back();
  return reduced;
}

}  // namespace convert
