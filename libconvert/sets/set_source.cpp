// SPDX-License-Identifier: MIT
#include "sets/set_source.h"

#include <algorithm>

#include "config/groups.h"

namespace convert {

void SetSource::check_groups() const {
  if (const auto found = groups()) (void)parse_groups(found->name, found->json, world());
}

std::optional<InputSet::Groups> SetSource::groups_to_write(Diagnostics* diagnostics) const {
  std::optional<InputSet::Groups> found = groups();
  if (!found) return std::nullopt;
  std::vector<CommGroup> groups = parse_groups(found->name, found->json, std::nullopt);
  const auto all = std::ranges::find(groups, 0, &CommGroup::id);
  if (all == groups.end()) return groups.empty() ? std::nullopt : found;
  const bool is_part = world() && all->ranks.size() < *world();
  if (diagnostics != nullptr && (is_part || !std::ranges::is_sorted(all->ranks))) {
    diagnostics->warning({.file = found->name}, "groups",
                         is_part ? "group 0 is omitted: it must contain all ranks, not some ranks"
                                 : "group 0 is omitted: it must contain all ranks in ascending order",
                         {"hint: use an id of at least 1 for this group"});
  }
  if (groups.size() == 1) return std::nullopt;
  groups.erase(all);
  found->json = groups_text(groups);
  return found;
}

std::vector<Trace> SetSource::load(unsigned jobs) {
  std::vector<Trace> traces;
  for_each_trace(jobs, [&](Trace&& t) { traces.push_back(std::move(t)); });
  return traces;
}

void read_nodes(TraceReader& reader, Trace& trace) {
  Trace batch;
  batch.rank = trace.rank;
  batch.name = trace.name;
  bool first = true;
  while (reader.next_nodes(first ? trace : batch, all_nodes)) {
    if (!first) trace.nodes.append(batch.nodes);
    first = false;
  }
}

void require_whole_set(const std::vector<Trace>& traces) {
  for (std::size_t i = 0; i < traces.size(); ++i) {
    if (traces[i].rank == i) continue;
    throw input_error({.file = traces[i].name},
                      "rank " + std::to_string(i) + " is missing: the traces must be ranks 0…n-1");
  }
}

}  // namespace convert
