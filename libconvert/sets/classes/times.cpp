// SPDX-License-Identifier: MIT
#include "sets/classes/times.h"

#include <algorithm>

#include "analyze/recorded/set.h"
#include "core/attr_names.h"

namespace convert {
namespace {

// Returns whether begin times of nodes differ between ranks of a class.
bool begins_vary(const RankClass& c, const ShapeSet& shapes) {
  constexpr std::uint32_t start = 2;  // after id and name, see ShapeSet::for_each_field()
  const auto varies = [&](std::uint32_t value) {
    return std::ranges::binary_search(c.values.own, value) ||
           std::ranges::binary_search(c.values.varying, value, {}, &RankValues::Varying::value);
  };
  const std::vector<std::uint32_t> begins = node_begins(c, shapes);
  for (std::size_t i = 0; i < c.shapes.size(); ++i) {
    const std::uint32_t nanos = ShapeSet::value_of(shapes[c.shapes[i]], attr::start_nanos);
    if (varies(begins[i] + start) || (nanos != no_index && varies(begins[i] + nanos))) return true;
  }
  return false;
}

}  // namespace

bool may_state_times(const MasterSet& set, const std::string& file) {
  for (std::uint32_t c = 0; c < set.classes.size(); ++c) {
    const MasterSet::Place first{c, 0};
    Trace trace = set.head(first, file);
    set.nodes(first, file, trace.nodes);
    if (states_times(trace) || begins_vary(set.classes[c], set.shapes)) return true;
  }
  return false;
}

}  // namespace convert
