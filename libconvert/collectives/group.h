// SPDX-License-Identifier: MIT
// Reduce-scatter and all-gather among some of the ranks: what all-reduce and the hierarchical schemes are made of.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "collectives/builder.h"

namespace convert::collectives {

// Ranks that share data in parts, on channels of their own. Member j is to end with part j of a reduce-scatter, and
// starts with it in an all-gather.
struct Group {
  std::vector<std::int32_t> ranks;
  std::vector<std::vector<Chunks>> parts;
  std::int32_t channel = 0;  // the first one

  [[nodiscard]] std::int32_t size() const { return static_cast<std::int32_t>(ranks.size()); }
  [[nodiscard]] std::int32_t rank(std::int32_t member) const { return ranks[static_cast<std::size_t>(member)]; }
  [[nodiscard]] const std::vector<Chunks>& part(std::int32_t j) const { return parts[static_cast<std::size_t>(j)]; }
};

// Chunks of parts [begin, end), neighbours as one.
void append_parts(const Group& group, std::int32_t begin, std::int32_t end, std::vector<Chunks>& to);
// The same members and parts, the other way round.
[[nodiscard]] Group reversed(Group group);
// The largest power of two that is not larger than n ≥ 1.
[[nodiscard]] std::int32_t power_below(std::int32_t n);

// n-1 rounds, each to the next member. One channel.
void ring_reduce_scatter(ProgramBuilder& b, const Group& g);
void ring_all_gather(ProgramBuilder& b, const Group& g);

// One round, every member to every other. One channel for 32 peers.
[[nodiscard]] std::int32_t direct_channels(std::int32_t members);
// To the member at that distance, 1…n-1; its threadblock receives from the one at the same distance behind.
[[nodiscard]] Hop distance_link(const Group& g, std::int32_t member, std::int32_t distance);
void direct_reduce_scatter(ProgramBuilder& b, const Group& g);
void direct_all_gather(ProgramBuilder& b, const Group& g);

// log2 n rounds; of other n than powers of two, members from power_below(n) on give their data to a partner before
// and get the result after. One channel. There may be power_below(n) parts only: then the others own none.
void halving_reduce_scatter(ProgramBuilder& b, const Group& g);
void doubling_all_gather(ProgramBuilder& b, const Group& g);

// A reduce-scatter and the all-gather that undoes it: an all-reduce, or one dimension of a hierarchical one.
struct GroupScheme {
  std::string_view name;
  void (*reduce_scatter)(ProgramBuilder&, const Group&);
  void (*all_gather)(ProgramBuilder&, const Group&);
  std::int32_t (*channels)(std::int32_t members);
};
[[nodiscard]] constexpr std::int32_t one_channel(std::int32_t /*members*/) { return 1; }
inline constexpr GroupScheme ring_scheme{"ring", ring_reduce_scatter, ring_all_gather, one_channel};
inline constexpr GroupScheme direct_scheme{"direct", direct_reduce_scatter, direct_all_gather, direct_channels};
inline constexpr GroupScheme halving_doubling_scheme{"halving_doubling", halving_reduce_scatter,
                                                     doubling_all_gather, one_channel};
inline constexpr const GroupScheme* group_schemes[] = {&ring_scheme, &direct_scheme, &halving_doubling_scheme};

}  // namespace convert::collectives
