// SPDX-License-Identifier: MIT
#include "diff/inputs.h"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "analyze/diff/groups.h"
#include "common/source.h"
#include "config/groups.h"
#include "sets/classes/compare.h"
#include "sets/source.h"
#include "util/log.h"
#include "util/parallel.h"

namespace tools {
namespace {

using namespace convert;

// Reads the ranks of one set, one at a time.
class RankFeed {
 public:
  RankFeed(const DiffOptions& o, std::size_t side, Context& context)
      : source_(source_of_side(o, side), context.diagnostics) {}
  [[nodiscard]] TraceSource& source() { return source_; }
  // Returns the number of ranks, after all have been read.
  [[nodiscard]] std::uint64_t ranks() const {
    return source_.master() != nullptr ? source_.master()->ranks() : seen_.size();
  }
  // Returns the known process groups.
  [[nodiscard]] SetGroups groups() const {
    SetGroups out{.ranks = source_.world() ? *source_.world() : ranks()};
    if (const auto found = source_.groups()) {
      for (CommGroup& g : parse_groups(found->name, found->json, std::nullopt))
        out.groups.emplace(g.id, std::move(g.ranks));
    }
    return out;
  }

  // Reads one more rank and keeps it for next() or take().
  void read_ahead() {
    if (std::optional<Trace> trace = read()) {
      const Rank number = trace->rank;
      early_.emplace(number, std::move(*trace));
    }
  }
  // Returns a rank that take() has not returned, kept ranks first; nothing at the end.
  std::optional<Trace> next() {
    if (!early_.empty()) {
      auto node = early_.extract(early_.begin());
      return std::move(node.mapped());
    }
    return read();
  }
  // Returns the rank of that number and keeps the ranks before it; nothing if the set does not have it.
  std::optional<Trace> take(Rank rank) {
    if (auto node = early_.extract(rank)) return std::move(node.mapped());
    while (std::optional<Trace> trace = read()) {
      if (trace->rank == rank) return trace;
      const Rank number = trace->rank;
      early_.emplace(number, std::move(*trace));
    }
    return std::nullopt;
  }

 private:
  std::optional<Trace> read() {
    if (!reader_) reader_ = source_.open_all();
    Trace trace;
    if (!reader_->next_rank(trace)) return std::nullopt;
    if (!seen_.insert(trace.rank).second)
      throw input_error({.file = source_.base_name()}, "rank " + std::to_string(trace.rank) + " occurs twice");
    read_nodes(*reader_, trace);
    return trace;
  }

  TraceSource source_;
  std::unique_ptr<TraceReader> reader_;
  std::map<Rank, Trace> early_;
  std::set<Rank> seen_;
};

void tell(const Difference& all) {
  log_info(counted(all.ranks, "rank") + " compared, " + counted(all.nodes_a, "node") + " and " +
           std::to_string(all.nodes_b));
}

// A single rank does not determine the groups of its set.
void compare_groups_of(const RankFeed& a, const RankFeed& b, const DiffWishes& wishes, Difference& to) {
  if (wishes.times || wishes.ignores("groups")) return;
  SetGroups of_a = a.groups(), of_b = b.groups();
  const bool told = (a.ranks() > 1 || !of_a.groups.empty()) && (b.ranks() > 1 || !of_b.groups.empty());
  if (told) compare_groups(std::move(of_a), std::move(of_b), wishes, to);
}

Difference compare_sets(RankFeed& a, RankFeed& b, DiffWishes wishes, Context& context) {
  Difference all;
  if (!a.source().prepare(false) || !b.source().prepare(false) || context.failed()) return all;
  if (!wishes.ranks.empty()) wishes.groups = groups_in_b(a.groups(), b.groups(), wishes);
  const MasterSet *const classes_a = a.source().master(), *const classes_b = b.source().master();
  if (classes_a != nullptr && classes_b != nullptr) {
    all = compare_by_classes(*classes_a, a.source().base_name(), *classes_b, b.source().base_name(), wishes,
                             context.jobs());
    compare_groups_of(a, b, wishes, all);
    tell(all);
    return all;
  }
  std::array<RankFeed*, 2> feeds = {&a, &b};
  const auto read_both = [&](std::size_t i) {
    feeds.at(i)->read_ahead();
    return true;
  };
  Partners partners(wishes);
  while (true) {
    for_each_ordered(std::min(context.jobs(), 2U), 2, read_both, [](std::size_t, bool) {});
    std::optional<Trace> trace = a.next();
    if (!trace) break;
    std::optional<Trace> other = b.take(partners.in_b(trace->rank));
    if (other) {
      all.append(compare_traces(*trace, *other, wishes));
    } else {
      all.ranks_only_a.push_back(trace->rank);
    }
  }
  while (const std::optional<Trace> trace = b.next()) all.ranks_only_b.push_back(trace->rank);
  compare_groups_of(a, b, wishes, all);
  tell(all);
  return all;
}

}  // namespace

SourceOptions source_of_side(const DiffOptions& o, std::size_t side) {
  if (o.operands[0] == "-" && o.operands[1] == "-") throw usage_error("only one of A and B can be standard input");
  return {.operands = {o.operands[side]},
          .from = o.from,
          .any_ranks = true,
          .groups = o.groups.value_or(""),
          .hash = false,
          .runs = true};
}

void refuse_run_and_set(const DiffOptions& o, const TraceSource& a, const TraceSource& b) {
  const bool first = a.holds_run();
  if (first == b.holds_run()) return;
  throw usage_error(o.operands[first ? 0 : 1] + " is a run and " + o.operands[first ? 1 : 0] +
                    " is a trace set; compare two inputs of one kind (et-replay -o x.run makes a run)");
}

Difference compare(const DiffOptions& o, const DiffWishes& wishes, Context& context) {
  RankFeed a(o, 0, context), b(o, 1, context);
  refuse_run_and_set(o, a.source(), b.source());
  if (!a.source().holds_run()) return compare_sets(a, b, wishes, context);
  const Run run_a = a.source().read_run(), run_b = b.source().read_run();
  return compare_runs(run_a, run_b, wishes);
}

}  // namespace tools
