// SPDX-License-Identifier: MIT
// Reduce-scatters and all-gathers among a group of ranks: building blocks of all-reduces and hierarchical
// collectives.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "collectives/builder.h"

namespace convert::collectives {

// Ranks that share data split into shards (`parts`). Member j has the sum of shard j after a reduce-scatter, and
// holds shard j before an all-gather. Groups that work at the same time use separate channels.
struct Group {
  std::vector<std::int32_t> ranks;
  std::vector<std::vector<Chunks>> parts;
  std::int32_t channel = 0;  // the first channel

  [[nodiscard]] std::int32_t size() const { return static_cast<std::int32_t>(ranks.size()); }
  [[nodiscard]] std::int32_t rank(std::int32_t member) const { return ranks[static_cast<std::size_t>(member)]; }
  [[nodiscard]] const std::vector<Chunks>& part(std::int32_t j) const { return parts[static_cast<std::size_t>(j)]; }
};

// Appends chunks to a list; merges them with the last entry if they are adjacent.
void append_chunks(const Chunks& chunks, std::vector<Chunks>& to);
// Returns the list with the chunks of shards [begin, end) appended in the same way.
[[nodiscard]] std::vector<Chunks> with_parts(const Group& group, std::int32_t begin, std::int32_t end,
                                             std::vector<Chunks> list = {});
// Returns the group with members and shards in reverse order.
[[nodiscard]] Group reversed(Group group);
// Returns the largest power of two that is at most n ≥ 1.
[[nodiscard]] std::int32_t floor_power_of_two(std::int32_t n);

// Add n-1 rounds on one channel in which every member sends to the next.
void ring_reduce_scatter(AlgorithmBuilder& b, const Group& g);
void ring_all_gather(AlgorithmBuilder& b, const Group& g);

// Returns the number of channels of `direct`: one per 32 peers.
[[nodiscard]] std::int32_t direct_channels(std::int32_t members);
// Returns the hop from `member` to the member `distance` positions ahead (1…n-1). The receiving threadblock is the
// one for the member `distance` positions back.
[[nodiscard]] Hop distance_hop(const Group& g, std::int32_t member, std::int32_t distance);
// Add one round in which every member sends to every other member.
void direct_reduce_scatter(AlgorithmBuilder& b, const Group& g);
void direct_all_gather(AlgorithmBuilder& b, const Group& g);
// Adds one round in which every member sends shard 0 to every other member and sums what it receives.
void direct_one_shot(AlgorithmBuilder& b, const Group& g);

// Add log2 n rounds on one channel. If n is not a power of two, members from floor_power_of_two(n) on give their
// data to a partner first and get the result last. They own no shard if there are only floor_power_of_two(n)
// shards.
void halving_reduce_scatter(AlgorithmBuilder& b, const Group& g);
void doubling_all_gather(AlgorithmBuilder& b, const Group& g);

// A reduce-scatter and its all-gather, which together form an all-reduce or one dimension of a hierarchical
// all-reduce.
struct GroupScheme {
  std::string_view name;
  void (*reduce_scatter)(AlgorithmBuilder&, const Group&);
  void (*all_gather)(AlgorithmBuilder&, const Group&);
  std::int32_t (*channels)(std::int32_t members);
};
[[nodiscard]] constexpr std::int32_t one_channel(std::int32_t /*members*/) { return 1; }
inline constexpr GroupScheme ring_scheme{"ring", ring_reduce_scatter, ring_all_gather, one_channel};
inline constexpr GroupScheme direct_scheme{"direct", direct_reduce_scatter, direct_all_gather, direct_channels};
inline constexpr GroupScheme halving_doubling_scheme{"halving_doubling", halving_reduce_scatter,
                                                     doubling_all_gather, one_channel};
inline constexpr const GroupScheme* group_schemes[] = {&ring_scheme, &direct_scheme, &halving_doubling_scheme};
// Returns the scheme with the given name in any spelling. Throws Error(usage) if the name is unknown.
[[nodiscard]] const GroupScheme& find_scheme(std::string_view name);

}  // namespace convert::collectives
