// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "generate/workload/step.h"
#include "small_workload.h"

namespace convert {
namespace {

// Properties that steps must share: everything except tags, with dependencies as distances.
struct Shape {
  NodeType type;
  std::string name;
  Collective op;
  GroupKind group;
  Peer peer;
  std::int64_t size, operations;
  std::vector<BodyIndex> back;  // distances to dependencies, including the preceding node of its chain
  bool operator==(const Shape&) const = default;
};
Shape shape_of(const StageBody& b, std::size_t i) {
  const BodyNode& n = b.nodes[i];
  Shape s{n.type, std::string(b.names[n.name]), n.op, n.group, n.peer, n.size, n.operations, {}};
  const auto at = static_cast<BodyIndex>(i);
  for (std::uint32_t d = 0; d < n.deps; ++d) s.back.push_back(at - b.deps[n.first_dep + d]);
  if (n.after != no_node) s.back.push_back(at - n.after);
  std::ranges::sort(s.back);
  return s;
}

const Settings plans[] = {
    {{"plan.data", "4"}},
    {{"plan.data", "4"}, {"plan.shard", "zero1"}},
    {{"plan.data", "4"}, {"plan.shard", "zero2"}, {"run.micro_batches", "2"}},
    {{"plan.data", "4"}, {"plan.shard", "zero3"}, {"run.micro_batches", "2"}},
    {{"plan.data", "2"}, {"plan.shard", "zero1"}, {"model.tied", "true"}},
    {{"plan.tensor", "2"}, {"plan.sequence_parallel", "true"}, {"plan.recompute", "full"}},
    {{"plan.context", "4"}},
    {{"plan.data", "4"}, {"plan.shard", "zero1"}, {"plan.memory", "offload"}},
    {{"plan.data", "4"}, {"plan.shard", "zero3"}, {"plan.memory", "offload"}, {"run.micro_batches", "2"}},
    {{"plan.pipeline", "4"}, {"plan.order", "zb-h1"}, {"run.micro_batches", "5"}},
    {{"plan.pipeline", "2"},
     {"plan.order", "interleaved"},
     {"plan.chunks", "2"},
     {"run.micro_batches", "4"},
     {"plan.data", "2"},
     {"plan.shard", "zero1"},
     {"model.tied", "true"}},
};

TEST(WorkloadIterations, StepsAreCopiesOfEachOther) {
  for (const Settings& plan : plans) {
    Workload w = small(plan);
    const WorkloadSet one(w);
    w.step.iterations = 3;
    const WorkloadSet three(w);
    for (std::int64_t c = 0; c < one.classes(); ++c) {
      const StageBody &a = one.body(c), &b = three.body(c);
      const std::size_t period = a.nodes.size();
      ASSERT_EQ(b.nodes.size(), 3 * period);
      for (std::size_t i = 0; i < period; ++i) {
        const auto at = static_cast<BodyIndex>(i);
        EXPECT_EQ(shape_of(b, i), shape_of(a, i)) << "the first is the only one";
        Shape second = shape_of(b, period + i);
        EXPECT_EQ(shape_of(b, 2 * period + i), second);
        std::erase_if(second.back, [&](BodyIndex back) { return back > at; });  // dependencies on the preceding
                                                                                // step
        EXPECT_EQ(second, shape_of(a, i));
      }
    }
  }
}

TEST(WorkloadIterations, TagsAreAStepsOwn) {
  for (const Settings& plan : plans) {
    Workload w = small(plan);
    w.step.iterations = 3;
    const WorkloadSet set(w);
    for (std::int64_t c = 0; c < set.classes(); ++c) {
      std::set<std::pair<Peer, std::int32_t>> tags;
      std::size_t sends = 0;
      for (const BodyNode& n : set.body(c).nodes) {
        if (n.type != NodeType::comm_send) continue;
        ++sends;
        tags.emplace(n.peer, n.tag);
      }
      EXPECT_EQ(tags.size(), sends);
    }
  }
}

// Returns the dependencies, in the first step, of the first computation of a name in the second step.
std::vector<std::string> awaited(const Settings& plan, std::string_view name) {
  Workload w = small(plan);
  w.step.iterations = 2;
  const WorkloadSet set(w);
  const StageBody& b = set.body(0);
  const std::size_t period = b.nodes.size() / 2;
  std::size_t i = period;
  while (b.names[b.nodes[i].name] != name) ++i;
  std::vector<std::string> out;
  for (std::uint32_t d = 0; d < b.nodes[i].deps; ++d) {
    const auto to = static_cast<std::size_t>(b.deps[b.nodes[i].first_dep + d]);
    if (to < period) out.emplace_back(b.names[b.nodes[to].name]);
  }
  return out;
}

TEST(WorkloadIterations, ForwardPassesWaitForTheirParameters) {
  using Names = std::vector<std::string>;
  const Settings zero1 = {{"plan.data", "4"}, {"plan.shard", "zero1"}};
  EXPECT_EQ(awaited(zero1, "norm1"), Names{"all_gather params"});
  EXPECT_EQ(awaited(zero1, "embedding"), Names{"all_gather params"});
  EXPECT_EQ(awaited(zero1, "final_norm"), Names{"all_gather params"});
  EXPECT_EQ(awaited({{"plan.data", "4"}, {"plan.shard", "zero2"}}, "norm1"), Names{"all_gather params"});
  EXPECT_EQ(awaited({{"plan.data", "4"}, {"plan.shard", "zero3"}}, "all_gather emb"), Names{"optimizer"});
  EXPECT_EQ(awaited({{"plan.data", "4"}, {"plan.shard", "zero3"}}, "all_gather fwd"), Names{"optimizer"});
  EXPECT_EQ(awaited({{"plan.data", "4"}}, "norm1"), Names{});
  // Buckets of 25 MiB and more: down; up; norm2, proj and qkv; norm1 with the embedding.
  EXPECT_EQ(awaited({{"plan.data", "4"}, {"plan.shard", "zero1"}, {"model.hidden", "2048"}, {"model.ffn", "4096"}},
                    "norm1")
                .size(),
            4U);
}

TEST(WorkloadIterations, AreCountedInTheLimits) {
  EXPECT_EQ(failure({{"run.iterations", "65537"}}),
            "model.layers 8 × run.micro_batches 1 × run.iterations 65537 is more than 524288");
  EXPECT_EQ(failure({{"run.iterations", "0"}}), "run.iterations: 0: expected an integer of at least 1");
  // Rings and pipelines together at the limit: every tag fits.
  const Workload w = small({{"plan.context", "8"}, {"plan.pipeline", "8"}, {"run.iterations", "8192"}});
  check_workload(w);
  std::int32_t most = 0;
  for (const BodyNode& n : make_stage(w, PlanGroups(w.plan, false), 1).nodes) {
    if (n.type == NodeType::comm_send) {
      const bool ring = n.peer == Peer::next_context || n.peer == Peer::previous_context;
      EXPECT_EQ(ring, n.tag < 1 << 24);
      most = std::max(most, n.tag);
    }
  }
  EXPECT_EQ(most, (1 << 24) + 2 * (8192 * 8 - 6));
}

}  // namespace
}  // namespace convert
