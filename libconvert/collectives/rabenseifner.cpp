// SPDX-License-Identifier: MIT
#include "collectives/families.h"

namespace convert::collectives {
namespace {

// Returns the i-th rank in an order that begins with the root, or in ascending order without a root.
std::int32_t member(const CollectiveRequest& r, std::int32_t i) { return (r.root.value_or(0) + i) % r.ranks; }

// Reduces the members to a power of two: the first pairs (even, odd) exchange and sum halves of their data, and the
// odd member sends its half to the even one. Returns the remaining members.
Group fold(AlgorithmBuilder& b, const CollectiveRequest& r, const Group& whole) {
  const auto parts = static_cast<std::int32_t>(whole.parts.size());
  const std::int32_t pairs = r.ranks - parts;
  Round exchange;
  Round take_over;
  Group rest = whole;
  rest.ranks.clear();
  for (std::int32_t i = 0; i < 2 * pairs; i += 2) {
    const std::int32_t even = member(r, i);
    const std::int32_t odd = member(r, i + 1);
    exchange.add(peer_hop(even, odd, whole.channel), Arrival::reduce, with_parts(whole, parts / 2, parts));
    exchange.add(peer_hop(odd, even, whole.channel), Arrival::reduce, with_parts(whole, 0, parts / 2));
    take_over.add(peer_hop(odd, even, whole.channel), Arrival::store, with_parts(whole, parts / 2, parts));
    rest.ranks.push_back(even);
  }
  b.run(exchange);
  b.run(take_over);
  for (std::int32_t i = 2 * pairs; i < r.ranks; ++i) rest.ranks.push_back(member(r, i));
  return rest;
}

// Member 0 collects the shards along a tree; blocks double each round.
void gather(AlgorithmBuilder& b, const Group& g) {
  for (std::int32_t held = 1; held < g.size(); held *= 2) {
    Round round;
    for (std::int32_t i = held; i < g.size(); i += 2 * held)
      round.add(peer_hop(g.rank(i), g.rank(i - held), g.channel), Arrival::store, with_parts(g, i, i + held));
    b.run(round);
  }
}

// Member 0, which has all data, distributes the shards along a tree; blocks halve each round.
void scatter(AlgorithmBuilder& b, const Group& g, std::int32_t members) {
  for (std::int32_t half = members / 2; half >= 1; half /= 2) {
    Round round;
    for (std::int32_t i = 0; i < members; i += 2 * half)
      round.add(peer_hop(g.rank(i), g.rank(i + half), g.channel), Arrival::store,
                with_parts(g, i + half, i + 2 * half));
    b.run(round);
  }
}

void all_reduce(AlgorithmBuilder& b, const CollectiveRequest& r, const Group& whole) {
  const Group rest = fold(b, r, whole);
  halving_reduce_scatter(b, rest);
  doubling_all_gather(b, rest);
  Round hand_out;
  for (std::int32_t i = 0; i < r.ranks - rest.size(); ++i)
    hand_out.add(peer_hop(member(r, 2 * i), member(r, 2 * i + 1), whole.channel), Arrival::store,
                 with_parts(whole, 0, rest.size()));
  b.run(hand_out);
}

void broadcast(AlgorithmBuilder& b, const CollectiveRequest& r, Group whole) {
  for (std::int32_t i = 0; i < r.ranks; ++i) whole.ranks[static_cast<std::size_t>(i)] = member(r, i);
  scatter(b, whole, floor_power_of_two(r.ranks));
  doubling_all_gather(b, whole);
}

}  // namespace

Algorithm build_rabenseifner(const CollectiveRequest& r) {
  return build_slices(r, floor_power_of_two(r.ranks), r.chunks, 1, [&](AlgorithmBuilder& b, const Group& whole) {
    if (r.collective == Collective::all_reduce) {
      all_reduce(b, r, whole);
    } else if (r.collective == Collective::broadcast) {
      broadcast(b, r, whole);
    } else {
      const Group rest = fold(b, r, whole);
      halving_reduce_scatter(b, rest);
      gather(b, rest);
    }
  });
}

}  // namespace convert::collectives
