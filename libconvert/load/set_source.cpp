// SPDX-License-Identifier: MIT
#include "load/set_source.h"

#include "config/groups.h"

namespace convert {

void SetSource::check_groups(std::uint32_t ranks) const {
  if (const auto found = groups()) (void)parse_groups(found->name, found->json, ranks);
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
