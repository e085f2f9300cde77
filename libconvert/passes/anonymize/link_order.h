// SPDX-License-Identifier: MIT
// Keeps the link order of a schedule's sends, as attributes or as control dependencies.
#pragma once

#include <string>

#include "core/trace.h"

namespace convert {

// Returns the id of the network that a trace is scheduled for, or an empty text. An id that may contain words
// counts as missing.
[[nodiscard]] std::string scheduled_network_of(const Metadata& metadata);

// Returns the forwarding mode of that network's switches if it is a known word, else an empty text.
[[nodiscard]] std::string scheduled_forwarding_of(const Metadata& metadata);

// Sets the scope of sequence numbers (link_scope) on sends that had it only from their merged collective, as
// merged_instance is dropped.
void tell_turn_scopes(NodeTable& nodes);

// Makes each send depend on its predecessor in link order, with the same destination rank and first link, unless it
// already depends on a send to that rank. `nodes`: all nodes of a rank.
void wait_in_turn(NodeTable& nodes);

}  // namespace convert
