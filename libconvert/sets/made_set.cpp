// SPDX-License-Identifier: MIT
#include "sets/made_set.h"

#include <utility>

#include "formats/whole_ranks.h"
#include "sets/sink.h"

namespace convert {

MadeSet::MadeSet(std::string name, Rank ranks, std::function<Trace(Rank)> make)
    : name_(std::move(name)), ranks_(ranks), make_(std::move(make)) {}

std::unique_ptr<TraceReader> MadeSet::open_rank(std::size_t i) {
  const auto rank = static_cast<Rank>(i);
  return open(rank, rank + 1);
}

std::unique_ptr<TraceReader> MadeSet::open_all() { return open(0, ranks_); }

std::unique_ptr<TraceReader> MadeSet::open(Rank next, Rank end) const {
  return std::make_unique<WholeRanks>([this, next, end](Trace& out) mutable {
    if (next == end) return false;
    out = make_(next++);
    return true;
  });
}

void write_traces(const std::vector<Trace>& traces, const std::string& prefix) {
  if (traces.empty()) throw usage_error("there are no traces to write");
  require_whole_set(traces);
  MadeSet set("trace", static_cast<Rank>(traces.size()), [&](Rank rank) { return traces[rank]; });
  SinkOptions options;
  options.path = prefix;
  Diagnostics diagnostics;
  write_set(set, plan_sink(set, options), options, diagnostics);
}

}  // namespace convert
