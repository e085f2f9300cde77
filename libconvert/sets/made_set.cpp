// SPDX-License-Identifier: MIT
#include "sets/made_set.h"

#include <utility>

#include "sets/sink.h"

namespace convert {

// Ranks [next, end), each made when it is asked for.
class MadeSet::Reader : public TraceReader {
 public:
  Reader(const MadeSet& set, Rank first, Rank end) : set_(set), next_(first), end_(end) {}

  bool next_rank(Trace& out) override {
    if (next_ == end_) return false;
    out = set_.make_(next_++);
    std::swap(out.nodes, pending_);
    out.nodes.clear();
    return true;
  }
  bool next_nodes(Trace& out, std::size_t /*max_nodes*/) override {
    out.nodes.clear();
    std::swap(out.nodes, pending_);
    return !out.nodes.nodes.empty();
  }

 private:
  const MadeSet& set_;
  Rank next_;
  Rank end_;
  NodeTable pending_;
};

MadeSet::MadeSet(std::string name, Rank ranks, std::function<Trace(Rank)> make)
    : name_(std::move(name)), ranks_(ranks), make_(std::move(make)) {}

std::unique_ptr<TraceReader> MadeSet::open_rank(std::size_t i) {
  const auto rank = static_cast<Rank>(i);
  return std::make_unique<Reader>(*this, rank, rank + 1);
}

std::unique_ptr<TraceReader> MadeSet::open_all() { return std::make_unique<Reader>(*this, 0, ranks_); }

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
