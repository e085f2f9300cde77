// SPDX-License-Identifier: MIT
#include "collectives/group.h"

namespace convert::collectives {
namespace {

// Threadblocks with a peer on one channel of a GPU, in the runtimes.
constexpr std::int32_t peers_per_channel = 32;

// Adds a round in which member i sends part(i, j) to each member j.
template <class Part>
void exchange(ProgramBuilder& b, const Group& g, Arrival arrival, const Part& part) {
  Round round;
  for (std::int32_t t = 1; t < g.size(); ++t) {
    for (std::int32_t i = 0; i < g.size(); ++i)
      round.add(distance_link(g, i, t), arrival, g.part(part(i, (i + t) % g.size())));
  }
  b.run(round);
}

}  // namespace

std::int32_t direct_channels(std::int32_t members) {
  return (members - 1 + peers_per_channel - 1) / peers_per_channel;
}

Hop distance_link(const Group& g, std::int32_t member, std::int32_t distance) {
  return {g.rank(member), g.rank((member + distance) % g.size()), g.channel + (distance - 1) / peers_per_channel,
          distance, distance};
}

void direct_reduce_scatter(ProgramBuilder& b, const Group& g) {
  exchange(b, g, Arrival::reduce, [](std::int32_t, std::int32_t to) { return to; });
}

void direct_all_gather(ProgramBuilder& b, const Group& g) {
  exchange(b, g, Arrival::store, [](std::int32_t from, std::int32_t) { return from; });
}

// The messages leave before anything is added to what they carry.
void direct_one_shot(ProgramBuilder& b, const Group& g) {
  exchange(b, g, Arrival::reduce, [](std::int32_t, std::int32_t) { return 0; });
}

}  // namespace convert::collectives
