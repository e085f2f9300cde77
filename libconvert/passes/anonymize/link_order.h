// SPDX-License-Identifier: MIT
// Keeps the order in which sends of a schedule take links, as attributes that stay or as control dependencies.
#pragma once

#include <string>

#include "core/trace.h"

namespace convert {

// Returns the id of the network that a trace is scheduled for, if it is one: it may hold no words. Else an empty
// text.
[[nodiscard]] std::string scheduled_network_of(const Metadata& metadata);

// Returns how the switches of that network forward, if that is one of the known words. Else an empty text.
[[nodiscard]] std::string scheduled_forwarding_of(const Metadata& metadata);

// Tells the scope of turns (link_scope) of sends that had it from their merged collective, which is not kept.
void tell_turn_scopes(NodeTable& nodes);

// Lets sends wait for the one before them to the same rank over the same first link, in the order of their turns,
// unless they wait for one to that rank already. Takes the nodes of a whole rank.
void wait_in_turn(NodeTable& nodes);

}  // namespace convert
