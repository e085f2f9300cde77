// SPDX-License-Identifier: MIT
// Random algorithms merged into random workloads: the result is valid if both are.
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "choices.h"
#include "collectives/collective.h"
#include "fuzzer.h"
#include "passes/merge/merge.h"
#include "proof_fuzzing.h"

namespace {

using namespace convert;
using namespace convert::fuzzing;

std::size_t findings(const std::vector<Trace>& traces, const GroupLists& groups) {
  Diagnostics rules;
  std::vector<TraceSummary> summaries;
  for (const Trace& t : traces) summaries.push_back(summarise(t, check_trace(t, RuleSet::all(), rules)));
  check_set(summaries, RuleSet::all(), rules, &groups);
  return rules.errors();
}

// Steps that all ranks of a group take equally, with random dependencies on earlier steps.
std::vector<Trace> make_workload(Choices& c, std::uint32_t ranks, const GroupLists& groups) {
  std::vector<Trace> traces(ranks);
  for (Rank r = 0; r < ranks; ++r) {
    traces[r].rank = r;
    traces[r].name = "fuzz." + std::to_string(r) + ".et";
  }
  std::vector<NodeId> last(ranks, 0);
  const NodeId stride = 1 + c.below(3);
  constexpr std::uint32_t most_steps = 12;
  for (NodeId id = 1; id < most_steps && !c.empty(); ++id) {
    const std::uint32_t kind = c.below(4);
    const std::uint32_t which = c.below(static_cast<std::uint32_t>(groups.size()) + 1);
    const std::int64_t bytes = 64 + std::int64_t{c.below(250)} * 7;
    const std::uint32_t dep = c.below(8);
    auto group = groups.begin();
    std::advance(group, which == 0 ? 0 : which - 1);
    for (Rank r = 0; r < ranks; ++r) {
      if (kind != 0 && which != 0 &&
          std::find(group->second.begin(), group->second.end(), r) == group->second.end())
        continue;
      NodeTable& t = traces[r].nodes;
      t.add_node(id * stride, kind == 0 ? NodeType::comp : NodeType::comm_coll, "n");
      if (last[r] != 0) (dep % 2 == 0 ? t.add_data_dep(last[r]) : t.add_ctrl_dep(last[r]));
      if (kind != 0) {
        t.add_int(attr::comm_type, Kind::int64_val,
                  kind == 1   ? 0
                  : kind == 2 ? static_cast<int>(Collective::all_gather)
                              : static_cast<int>(Collective::reduce_scatter));
        t.add_int(attr::comm_size, Kind::int64_val, bytes);
        if (which != 0) t.add_string(attr::pg_name, group->first);
      }
      t.end_node();
      last[r] = id * stride;
    }
  }
  return traces;
}

}  // namespace

FUZZER(merge) {
  constexpr std::size_t most = 200;
  Choices c({reinterpret_cast<const char*>(data), std::min(size, most)});
  const std::uint32_t ranks = 2 + c.below(5);
  GroupLists groups;
  for (std::uint32_t g = c.below(3); g > 0; --g) {
    std::vector<Rank>& list = groups[std::to_string(g)];
    const Rank first = c.below(ranks), members = 2 + c.below(ranks - 1), step = 1 + c.below(ranks);
    for (Rank i = 0; i < members; ++i) {
      const Rank r = (first + i * step) % ranks;
      if (std::find(list.begin(), list.end(), r) == list.end()) list.push_back(r);
    }
    if (list.size() < 2) groups.erase(std::to_string(g));
  }
  const std::uint32_t chunks = 1 + c.below(3);
  const std::uint32_t slices = 1 + c.below(2);
  const std::uint32_t family = c.below(3);
  const std::uint32_t kept = c.below(5);
  const bool spread = c.below(2) == 0;
  const std::vector<Trace> workload = make_workload(c, ranks, groups);
  if (findings(workload, groups) != 0) return 0;

  MergePlan plan;
  plan.ranks = ranks;
  plan.groups["0"];
  for (const auto& [name, list] : groups) plan.groups[name].ranks = list;
  plan.most_chunks = chunks;
  plan.tags = max_channels;
  std::uint64_t calls = 0;
  for (auto& [name, group] : plan.groups) {
    group.first_call = calls;
    const auto census = count_collectives(workload[group.ranks.empty() ? 0 : group.ranks.front()].nodes);
    const auto at = census.groups.find(name);
    if (at != census.groups.end()) calls += at->second.calls;
  }
  std::map<std::pair<Collective, std::uint32_t>, MergeChoice> choices;
  for (const Collective collective : {Collective::all_reduce, Collective::all_gather, Collective::reduce_scatter}) {
    for (std::uint32_t n = 2; n <= ranks; ++n) {
      const char* const names[] = {"ring", "direct", "halving_doubling"};
      const Algorithm a = build_collective({.collective = collective,
                                            .algorithm = names[family],
                                            .ranks = static_cast<std::int32_t>(n),
                                            .chunks = static_cast<std::int32_t>(slices)});
      choices[{collective, n}] = {.algorithm = static_cast<std::uint32_t>(plan.algorithms.size()),
                                  .chunks = chunks};
      MergeAlgorithm& added = plan.algorithms.emplace_back();
      added.source = names[family];
      added.places = n;
      added.tags = max_channels;
      added.load = [t = lowered(a, std::nullopt)](std::uint32_t p) { return t[p]; };
      if (spread) added.flow = [flow = ChunkFlow::of(a)] { return flow ? &*flow : nullptr; };
    }
  }
  plan.choose = [&](const MergeCall& call) -> const MergeChoice* {
    if (kept != 0 && call.node % 5 == kept) return nullptr;
    return &choices.at({call.type, call.members});
  };

  std::vector<Trace> merged;
  for (const Trace& t : workload) {
    MergedRank rank(plan, t);
    Trace out;
    out.rank = t.rank;
    out.name = t.name;
    std::uint64_t nodes = t.nodes.nodes.size() - rank.counts().merged + rank.counts().added;
    for (Trace part; rank.next(part, 1 + size % 50);) out.nodes.append(part.nodes);
    check(out.nodes.nodes.size() == nodes, "another number of nodes than was counted");
    merged.push_back(std::move(out));
  }
  check(findings(merged, groups) == 0, "a merged workload that is not valid");
  return 0;
}
