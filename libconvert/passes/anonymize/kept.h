// SPDX-License-Identifier: MIT
// Lists the node attributes that an anonymised trace keeps: the ones that replays and the rules on sets read.
#pragma once

#include <cstdint>

#include "core/trace.h"

namespace convert {

// Meaning of an attribute, which decides how it is anonymised.
enum class AttributeRole : std::uint8_t {
  none,      // dropped
  kept,      // kept unchanged
  number,    // integer, kept
  flags,     // list of bool, kept
  rank,      // integer: a rank
  group,     // text: the name of a process group
  thread,    // integer: a thread, renumbered
  size,      // integer: bytes or operations
  sizes,     // list of integers: bytes
  turns,     // list of integers: sequence numbers on links, or the devices between the links
  scope,     // integer: the scope of these sequence numbers
  rules,     // text with one letter for each data dependency (dep_rules)
  step,      // text from a fixed list that steps of algorithms use: operations and buffers
  tensors,   // list of texts: names of tensors, alternating with their bytes
  duration,  // nanoseconds
  delay,     // nanoseconds
  start,     // nanoseconds
};
[[nodiscard]] AttributeRole role_of(Name attribute);
// Returns whether the attribute describes the order of sends on the links of a network.
[[nodiscard]] constexpr bool is_link_order(AttributeRole role) {
  return role == AttributeRole::turns || role == AttributeRole::scope;
}
// Returns whether `kind` is valid for `role`. Attributes of other kinds are dropped, as they may contain words.
[[nodiscard]] bool fits(AttributeRole role, Kind kind);

// Sets an integer. Changes the attribute's kind if the value does not fit.
void set_number(Attr& a, std::int64_t value);

}  // namespace convert
