// SPDX-License-Identifier: MIT
#include "sets/derived/relaxing.h"

#include <algorithm>
#include <vector>

#include "passes/trace_summary.h"
#include "sets/check.h"

namespace convert {
namespace {

class RelaxingReader final : public TraceReader {
 public:
  RelaxingReader(std::unique_ptr<TraceReader> reader, const Cuts& cuts) : reader_(std::move(reader)), cuts_(cuts) {}

  bool next_rank(Trace& out) override { return reader_->next_rank(out); }
  bool next_nodes(Trace& out, std::size_t max_nodes) override {
    if (!reader_->next_nodes(out, max_nodes)) return false;
    if (const auto of = cuts_.find(out.rank); of != cuts_.end()) cut_dependencies(out.nodes, of->second);
    return true;
  }

 private:
  std::unique_ptr<TraceReader> reader_;
  const Cuts& cuts_;
};

}  // namespace

Relaxation find_relaxation(SetSource& source, unsigned jobs) {
  using Known = std::pair<TraceSummary, RecordedOrder>;
  std::vector<Known> ranks;
  source.for_each_rank(
      jobs,
      [](TraceReader& reader, Trace& trace) {
        read_nodes(reader, trace);
        return Known(summarise(trace), recorded_order(trace));
      },
      [&](Known&& rank) { ranks.push_back(std::move(rank)); });
  std::sort(ranks.begin(), ranks.end(), [](const Known& a, const Known& b) { return a.first.rank < b.first.rank; });
  std::vector<TraceSummary> summaries;
  std::vector<RecordedOrder> orders;
  for (Known& rank : ranks) {
    if (rank.first.rank != summaries.size()) return {};
    summaries.push_back(std::move(rank.first));
    orders.push_back(std::move(rank.second));
  }
  std::optional<Error> defect;
  const auto groups = group_lists(source, static_cast<std::uint32_t>(ranks.size()), defect);
  return relax(summaries, orders, groups ? &*groups : nullptr);
}

std::unique_ptr<TraceReader> RelaxedSource::wrap(std::unique_ptr<TraceReader> reader) const {
  return std::make_unique<RelaxingReader>(std::move(reader), cuts_);
}

}  // namespace convert
