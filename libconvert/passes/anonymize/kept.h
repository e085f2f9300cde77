// SPDX-License-Identifier: MIT
// Lists the attributes of nodes that an anonymised trace keeps: what replays and the rules on sets read.
#pragma once

#include <cstdint>

#include "core/trace.h"

namespace convert {

// What an attribute tells, which decides what becomes of it.
enum class AttributeRole : std::uint8_t {
  none,      // it is dropped
  kept,      // it stays as it is
  number,    // an integer that stays
  flags,     // a list of bool that stays
  rank,      // an integer that names a rank
  group,     // a text that names a process group
  thread,    // an integer that is renumbered
  size,      // an integer: bytes, or operations
  sizes,     // a list of integers
  turns,     // a list of integers: turns on links, or devices between them
  scope,     // an integer: whose turns those are
  rules,     // a text of letters, one for each data dependency: dep_rules
  step,      // a text of few that the steps of algorithms know: what they do, and which buffers
  tensors,   // a list of texts: names of tensors and their bytes in turn
  duration,  // nanoseconds
  delay,     // nanoseconds
  start,     // nanoseconds
};
[[nodiscard]] AttributeRole role_of(Name attribute);
// Returns whether it says the order in which sends take the links of one network.
[[nodiscard]] constexpr bool is_link_order(AttributeRole role) {
  return role == AttributeRole::turns || role == AttributeRole::scope;
}
// Returns whether a value of this kind can be what the role says. Others are dropped: they may hold words.
[[nodiscard]] bool fits(AttributeRole role, Kind kind);

// Sets an integer, in a kind that holds it.
void set_number(Attr& a, std::int64_t value);

}  // namespace convert
