// SPDX-License-Identifier: MIT
// Adds rank classes to a set whose ranks differ only in the groups of their calls and the peers of their messages.
#pragma once

#include <functional>
#include <span>

#include "core/master/master_set.h"

namespace convert {

// Packs a rank's trace as the first rank of a class of the set.
void pack_first(const Trace& rank, MasterSet& set, RankClass& to);

// Adds the class of `ranks`, at least one, without adding the ranks to the set's order. `become` changes a copy of
// `like`, or of some of its nodes, into the i-th rank. It changes pg_name of collectives, and comm_src and comm_dst
// of collectives, sends and receives. The new values depend only on the node's type and on these three attributes.
void add_class(MasterSet& to, const Trace& like, std::span<const Rank> ranks,
               const std::function<void(std::uint64_t i, Trace& trace)>& become);

}  // namespace convert
