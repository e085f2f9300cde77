// SPDX-License-Identifier: MIT
// Adds classes to a set: of ranks that differ in nothing but the groups of their calls and the peers of their
// messages.
#pragma once

#include <functional>
#include <span>

#include "core/master/master_set.h"

namespace convert {

// Puts a rank's trace into a class of the set, as that of its first rank.
void pack_first(const Trace& rank, MasterSet& set, RankClass& to);

// Adds the class of `ranks`, at least one, without adding them to the order. `become` makes of `like`, or of some
// of its nodes, those of the i-th rank: it changes pg_name of collectives, and comm_src and comm_dst of
// collectives, sends and receives, and these only by type and by what these three are.
void add_class(MasterSet& to, const Trace& like, std::span<const Rank> ranks,
               const std::function<void(std::uint64_t i, Trace& trace)>& become);

}  // namespace convert
