// SPDX-License-Identifier: MIT
#include "sets/numbered/rounds.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "formats/set_writer.h"
#include "passes/rules/whole_set/whole_set.h"
#include "passes/trace_summary.h"
#include "sets/check.h"
#include "util/parallel.h"

namespace convert {
namespace {

constexpr int most_passes = 8;
constexpr std::uint64_t most_nodes = std::uint64_t{1} << 24U;  // about 1 GB of summaries

// Finds the round in which each node begins. Messages between two ranks are received in the order of their sends,
// unless this causes a deadlock.
class RoundFinder {
 public:
  RoundFinder(const rules::WholeSet& whole, std::span<const TraceSummary> set) : whole_(whole), set_(set) {}

  std::vector<std::uint32_t> find() {
    const bool all = run();
    std::vector<std::uint32_t> begins = find_begins();
    for (int pass = 0; all && pass < most_passes && chain_crossings(begins) && run(); ++pass) {
      begins = find_begins();
      for (const Flow& flow : chained_) {
        for (std::size_t k = 1; k < flow.size(); ++k) {
          begins[flow[k]] = std::max(begins[flow[k]], begins[flow[k - 1]] + 1);
          std::uint32_t& receive = begins[whole_.receive_of(flow[k])];
          receive = std::max(receive, begins[whole_.receive_of(flow[k - 1])] + 1);
        }
      }
    }
    return begins;
  }

 private:
  using Flow = std::vector<std::uint32_t>;  // received sends from one rank to another, in order

  template <class Visit>
  void for_next(std::uint32_t node, const Visit& visit) const {
    whole_.for_children(node, visit);
    if (!chain_.empty() && chain_[node] != no_index) visit(chain_[node]);
  }

  // Finds the round in which each node ends; no_index on and after cycles. Returns whether there are no cycles.
  bool run() {
    std::vector<std::uint32_t> open(whole_.size(), 0), ready, next;
    for (std::uint32_t i = 0; i < whole_.size(); ++i) for_next(i, [&](std::uint32_t child) { ++open[child]; });
    for (std::uint32_t i = 0; i < whole_.size(); ++i) {
      if (open[i] == 0) ready.push_back(i);
    }
    ends_.assign(whole_.size(), no_index);
    std::size_t done = 0;
    for (std::uint32_t round = 0; !ready.empty(); ++round) {
      done += ready.size();
      next.clear();
      for (const std::uint32_t i : ready) {
        ends_[i] = round;
        for_next(i, [&](std::uint32_t child) {
          if (--open[child] == 0) next.push_back(child);
        });
      }
      std::swap(ready, next);
    }
    return done == whole_.size();
  }

  // A node begins after all its dependencies on its rank have ended.
  [[nodiscard]] std::vector<std::uint32_t> find_begins() const {
    std::vector<std::uint32_t> begins(whole_.size(), 0);
    for (std::uint32_t r = 0; r < set_.size(); ++r) {
      const std::uint32_t base = whole_.base(r);
      for (std::uint32_t i = 0; i < set_[r].size; ++i) {
        const std::uint32_t end = ends_[base + i];
        for (const std::uint32_t child : set_[r].children_of(i))
          begins[base + child] = std::max(begins[base + child], end == no_index ? end : end + 1);
      }
    }
    return begins;
  }

  // Orders messages that cross others: each send, and its receive, precedes the next. Returns false if no more
  // messages cross.
  bool chain_crossings(const std::vector<std::uint32_t>& begins) {
    const auto place = [&](std::uint32_t node) { return std::pair(begins[node], node); };
    const auto receive_place = [&](std::uint32_t send) { return place(whole_.receive_of(send)); };
    const std::size_t before = chained_.size();
    for (std::uint32_t r = 0; r < set_.size(); ++r) {
      std::map<std::int32_t, Flow> flows;  // by peer
      for (const Message& m : set_[r].messages.sends) {
        const std::uint32_t send = whole_.base(r) + m.node;
        if (whole_.receive_of(send) != no_index) flows[m.peer].push_back(send);
      }
      for (auto& [peer, flow] : flows) {
        std::ranges::sort(flow, {}, place);
        if (!std::ranges::is_sorted(flow, {}, receive_place) && is_chained_.emplace(r, peer).second)
          chain(std::move(flow));
      }
    }
    return chained_.size() != before;
  }
  // On both sides, messages are mostly in program order.
  void chain(Flow flow) {
    Flow listed = flow;
    std::ranges::sort(listed);
    const auto receive = [&](std::uint32_t send) { return whole_.receive_of(send); };
    if (std::ranges::is_sorted(listed, {}, receive)) flow = std::move(listed);
    if (chain_.empty()) chain_.assign(whole_.size(), no_index);
    for (std::size_t k = 1; k < flow.size(); ++k) {
      chain_[flow[k - 1]] = flow[k];
      chain_[receive(flow[k - 1])] = receive(flow[k]);
    }
    chained_.push_back(std::move(flow));
  }

  const rules::WholeSet& whole_;
  std::span<const TraceSummary> set_;
  std::vector<std::uint32_t> ends_;
  std::vector<std::uint32_t> chain_;  // node that follows a message; empty: no constraint
  std::vector<Flow> chained_;
  std::set<std::pair<std::uint32_t, std::int32_t>> is_chained_;  // pairs of sending rank and destination
};

}  // namespace

SetRounds::SetRounds(const KeptRanks& ranks, SetSource& source, unsigned jobs, Diagnostics& diagnostics) {
  std::vector<TraceSummary> summaries;
  std::uint64_t nodes = 0;
  bool recorded = true;
  std::int64_t first = no_time;
  for_each_ordered(
      jobs, ranks.size(),
      [&](std::size_t i) {
        const Trace trace = ranks.read(i);
        const std::int64_t start = first_start_ns(trace);
        TraceSummary summary = summarise(trace);
        if (!summary.recorded) return std::pair(std::move(summary), start);
        TraceSummary head;  // only these fields are used
        head.rank = summary.rank;
        head.recorded = true;
        head.size = summary.size;
        return std::pair(std::move(head), start);
      },
      [&](std::size_t, std::pair<TraceSummary, std::int64_t>&& rank) {
        auto& [summary, start] = rank;
        if (start != no_time) first = first == no_time ? start : std::min(first, start);
        nodes += summary.size;
        recorded = recorded && summary.recorded;
        if (nodes > most_nodes) summaries.clear();
        if (nodes <= most_nodes) summaries.push_back(std::move(summary));
      });
  first_ns_ = std::max<std::int64_t>(first, 0);
  if (recorded) return;
  if (nodes > most_nodes) {
    diagnostics.warning({.file = source.base_name()}, "param",
                        "more than " + std::to_string(most_nodes) +
                            " nodes: each rank is ordered independently, which may cause a deadlock");
    return;
  }
  std::ranges::sort(summaries, {}, &TraceSummary::rank);
  for (std::size_t r = 0; r < summaries.size(); ++r) {
    if (summaries[r].rank != r || summaries[r].recorded) return;
  }
  std::optional<Error> defect;
  const auto groups = group_lists(source, static_cast<std::uint32_t>(summaries.size()), defect);
  const rules::WholeSet whole(summaries, groups ? &*groups : nullptr);
  rounds_ = RoundFinder(whole, summaries).find();
  for (Rank r = 0; r <= summaries.size(); ++r) base_.push_back(whole.base(r));
}

std::span<const std::uint32_t> SetRounds::of(Rank rank) const {
  if (std::size_t{rank} + 1 >= base_.size()) return {};
  return std::span(rounds_).subspan(base_[rank], base_[rank + 1] - base_[rank]);
}

}  // namespace convert
