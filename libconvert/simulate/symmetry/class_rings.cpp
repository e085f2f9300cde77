// SPDX-License-Identifier: MIT
#include "simulate/symmetry/class_rings.h"

#include <bit>

namespace convert {

bool takes_class_rings(const CommonProgram& program) {
  const ReplayOptions& options = program.options;
  return !options.explain && !options.traffic && !options.system->rendezvous && !program.model.shared_bus;
}

ClassRings::ClassRings(const CommonProgram& program, const Symmetry& symmetry)
    : program_(program),
      symmetry_(symmetry),
      has_wires_(!program.network.ideal &&
                 (program.options.network.model != NetworkModel::unaware || program.options.network.watch_ports)) {}

bool ClassRings::add(std::uint32_t ring, std::span<const Rank> members) {
  for (std::size_t i = 0; i < members.size(); ++i) {
    const Rank next = members[i + 1 == members.size() ? 0 : i + 1];
    if (!add(ring, false, members[i], next) || !add(ring, true, next, members[i])) return false;
  }
  return true;
}

bool ClassRings::add(std::uint32_t ring, bool backwards, Rank from, Rank to) {
  const std::optional<Way> found = way(from, to);
  if (!found) return false;
  const auto [known, added] = ways_.try_emplace({ring, backwards, symmetry_.representative(from)}, *found);
  return added || known->second == *found;
}

// Returns nothing for a route over links that do not belong to its ends.
std::optional<ClassRings::Way> ClassRings::way(Rank from, Rank to) const {
  Way way{.to = symmetry_.representative(to)};
  if (program_.network.ideal) return way;
  for (std::size_t d = 0; d < program_.network.dims.size(); ++d) {
    const NetworkDim& dim = program_.network.dims[d];
    const auto npus = static_cast<Rank>(dim.npus);
    const Rank a = from % npus;
    const Rank b = to % npus;
    from /= npus;
    to /= npus;
    if (a == b) continue;
    if (way.dims == 0) way.hops = static_cast<std::uint32_t>(hops(dim.topology, a, b, npus));
    way.dims |= std::uint64_t{1} << d;
    if (!has_wires_) return way;  // other dimensions are free
    if (!has_switch(dim.topology)) return std::nullopt;
  }
  if (std::popcount(way.dims) > 1) return std::nullopt;
  return way;
}

}  // namespace convert
