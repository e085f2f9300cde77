// SPDX-License-Identifier: MIT
#include "collectives/group.h"

namespace convert::collectives {
namespace {

// Threadblocks with a peer on one channel of a GPU, in the runtimes.
constexpr std::int32_t peers_per_channel = 32;

}  // namespace

std::int32_t direct_channels(std::int32_t members) {
  return (members - 1 + peers_per_channel - 1) / peers_per_channel;
}

Hop distance_link(const Group& g, std::int32_t member, std::int32_t distance) {
  return {g.rank(member), g.rank((member + distance) % g.size()), g.channel + (distance - 1) / peers_per_channel,
          distance, distance};
}

void direct_reduce_scatter(ProgramBuilder& b, const Group& g) {
  const std::int32_t n = g.size();
  Round round;
  for (std::int32_t t = 1; t < n; ++t) {
    for (std::int32_t i = 0; i < n; ++i) round.add(distance_link(g, i, t), Arrival::reduce, g.part((i + t) % n));
  }
  b.run(round);
}

void direct_all_gather(ProgramBuilder& b, const Group& g) {
  const std::int32_t n = g.size();
  Round round;
  for (std::int32_t t = 1; t < n; ++t) {
    for (std::int32_t i = 0; i < n; ++i) round.add(distance_link(g, i, t), Arrival::store, g.part(i));
  }
  b.run(round);
}

}  // namespace convert::collectives
