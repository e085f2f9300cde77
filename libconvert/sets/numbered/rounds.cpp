// SPDX-License-Identifier: MIT
#include "sets/numbered/rounds.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "passes/rules/whole_set/whole_set.h"
#include "passes/trace_summary.h"
#include "sets/check.h"
#include "util/parallel.h"

namespace convert {
namespace {

constexpr std::uint64_t most_nodes = std::uint64_t{1} << 24U;  // about 1 GB of summaries

// Returns the round of each node and meeting; those on and behind cycles come last.
std::vector<std::uint32_t> rounds_of(const rules::WholeSet& whole) {
  std::vector<std::uint32_t> open(whole.size(), 0), rounds(whole.size(), no_index), ready;
  for (std::uint32_t i = 0; i < whole.size(); ++i)
    whole.for_children(i, [&](std::uint32_t child) { ++open[child]; });
  for (std::uint32_t i = 0; i < whole.size(); ++i) {
    if (open[i] == 0) ready.push_back(i);
  }
  for (std::uint32_t round = 0; !ready.empty(); ++round) {
    std::vector<std::uint32_t> next;
    for (const std::uint32_t i : ready) {
      rounds[i] = round;
      whole.for_children(i, [&](std::uint32_t child) {
        if (--open[child] == 0) next.push_back(child);
      });
    }
    ready = std::move(next);
  }
  return rounds;
}

}  // namespace

SetRounds::SetRounds(const KeptRanks& ranks, SetSource& source, unsigned jobs, Diagnostics& diagnostics) {
  std::vector<TraceSummary> summaries;
  std::uint64_t nodes = 0;
  bool recorded = true;
  for_each_ordered(
      jobs, ranks.size(),
      [&](std::size_t i) {
        TraceSummary summary = summarise(ranks.read(i));
        if (!summary.recorded) return summary;
        TraceSummary head;  // all that is asked of it
        head.rank = summary.rank;
        head.recorded = true;
        head.size = summary.size;
        return head;
      },
      [&](std::size_t, TraceSummary&& summary) {
        nodes += summary.size;
        recorded = recorded && summary.recorded;
        if (nodes > most_nodes) summaries.clear();
        if (nodes <= most_nodes) summaries.push_back(std::move(summary));
      });
  if (recorded) return;
  if (nodes > most_nodes) {
    diagnostics.warning({.file = source.base_name()}, "param",
                        "more than " + std::to_string(most_nodes) +
                            " nodes: each rank gets an order of its own, in which ranks might wait for each other");
    return;
  }
  std::ranges::sort(summaries, {}, &TraceSummary::rank);
  for (std::size_t r = 0; r < summaries.size(); ++r) {
    if (summaries[r].rank != r || summaries[r].recorded) return;
  }
  std::optional<Error> defect;
  const auto groups = group_lists(source, static_cast<std::uint32_t>(summaries.size()), defect);
  const rules::WholeSet whole(summaries, groups ? &*groups : nullptr);
  rounds_ = rounds_of(whole);
  for (Rank r = 0; r <= summaries.size(); ++r) base_.push_back(whole.base(r));
}

std::span<const std::uint32_t> SetRounds::of(Rank rank) const {
  if (std::size_t{rank} + 1 >= base_.size()) return {};
  return std::span(rounds_).subspan(base_[rank], base_[rank + 1] - base_[rank]);
}

}  // namespace convert
