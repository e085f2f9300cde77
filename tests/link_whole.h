// SPDX-License-Identifier: MIT
// Links a rank and makes all its nodes at once.
#pragma once

#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "passes/link/link.h"

namespace convert {

struct LinkedTrace {
  Trace trace;
  std::vector<GroupTable::Group> groups;  // groups in which the rank communicates or that its traces contain
  LinkReport report;
};

[[nodiscard]] inline LinkedTrace link(Trace host, std::optional<Profile> device,
                                      const std::vector<ProcessGroup>& groups, const LinkOptions& options) {
  LinkedRank rank(std::move(host), std::move(device), groups, options);
  LinkedTrace out;
  rank.head(out.trace);
  (void)rank.next_nodes(out.trace, std::numeric_limits<std::size_t>::max());
  out.groups = rank.groups();
  out.report = rank.report();
  return out;
}

}  // namespace convert
