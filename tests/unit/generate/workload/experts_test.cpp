// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <numeric>

#include "generate/workload/loads.h"
#include "small_workload.h"

namespace convert {
namespace {

const Settings of_experts = {{"model.moe.experts", "8"}, {"model.moe.per_token", "2"}, {"model.moe.ffn", "128"},
                             {"plan.data", "4"},         {"plan.expert", "4"},         {"run.sequence", "1000"}};

std::vector<std::int64_t> loads_of(const char* zipf, const char* seed = "1", std::int64_t layer = 0) {
  return expert_loads(small(with(of_experts, {{"run.imbalance.zipf", zipf}, {"run.imbalance.seed", seed}})), layer,
                      0, 1000);
}

TEST(ExpertLoads, FollowZipfsLawWithExactSums) {
  auto loads = loads_of("1");
  std::ranges::sort(loads, std::greater<>());
  // 2,000 × 1/k / (1 + 1/2 + … + 1/8): 735.87, 367.94, 245.29, 183.97, 147.17, 122.65, 105.12, 91.98.
  EXPECT_EQ(loads, (std::vector<std::int64_t>{736, 368, 245, 184, 147, 123, 105, 92}));
  EXPECT_EQ(loads_of("0"), std::vector<std::int64_t>(8, 250));
  EXPECT_EQ(loads_of("1"), loads_of("1"));
  EXPECT_NE(loads_of("1"), loads_of("1", "2"));
  EXPECT_NE(loads_of("1"), loads_of("1", "1", 3));
}

// With an exponent of 2 the first would get 1,309 of 2,000. It gets each token once, the others get the rest.
TEST(ExpertLoads, NoExpertGetsATokenTwice) {
  auto loads = loads_of("2");
  EXPECT_EQ(std::accumulate(loads.begin(), loads.end(), std::int64_t{0}), 2000);
  std::ranges::sort(loads, std::greater<>());
  EXPECT_EQ(loads[0], 1000);
  EXPECT_EQ(loads[1], 474);  // 1,000 × 1/4 / (1/4 + … + 1/64)
  loads = loads_of("100");
  std::ranges::sort(loads, std::greater<>());
  EXPECT_EQ(loads[0], 1000);
  EXPECT_EQ(loads[1], 1000);
  Workload all = small(of_experts);
  all.model.experts_per_token = 8;
  all.step.zipf = 1;
  EXPECT_EQ(expert_loads(all, 0, 0, 5), std::vector<std::int64_t>(8, 5)) << "every token to every expert";
}

struct Call {
  std::int64_t size;
  std::vector<std::int64_t> sends, receives;
};
std::vector<Call> exchanges(const Trace& t) {
  std::vector<Call> out;
  for (const Node& n : t.nodes.nodes) {
    const auto attrs = t.nodes.attributes(n);
    const Attr* const sends = find(attrs, attr::send_splits);
    if (sends == nullptr) continue;
    Call c{int_value(attrs, attr::comm_size).value, {}, {}};
    for (const std::uint64_t v : t.nodes.list(*sends)) c.sends.push_back(static_cast<std::int64_t>(v));
    for (const std::uint64_t v : t.nodes.list(*find(attrs, attr::recv_splits)))
      c.receives.push_back(static_cast<std::int64_t>(v));
    out.push_back(std::move(c));
  }
  return out;
}

TEST(UnevenExperts, SplitsOfAGroupAgree) {
  const WorkloadSet set(small(with(of_experts, {{"run.imbalance.zipf", "1"}, {"plan.pipeline", "2"}})));
  EXPECT_EQ(set.classes(), 8);
  std::vector<std::vector<Call>> calls;
  for (Rank r = 0; r < 4; ++r) calls.push_back(exchanges(set.trace(r)));
  ASSERT_EQ(calls[0].size(), 4U * 4);  // in 4 layers: there and back, forward and backward
  for (std::size_t i = 0; i < calls[0].size(); ++i) {
    for (std::size_t from = 0; from < 4; ++from) {
      const Call& c = calls[from][i];
      ASSERT_EQ(c.sends.size(), 4U);
      EXPECT_EQ(std::accumulate(c.sends.begin(), c.sends.end(), std::int64_t{0}), c.size);
      for (std::size_t to = 0; to < 4; ++to) EXPECT_EQ(c.sends[to], calls[to][i].receives[from]);
      const bool there = i % 2 == 0;
      EXPECT_EQ(there ? c.size : 1'024'000, 2 * 256 * 2 * 1000) << "each rank sends all its copies";
      EXPECT_EQ(c.sends, there ? c.sends : calls[from][i - 1].receives) << "and gets them back";
    }
  }
}

TEST(UnevenExperts, ComputeTheRowsThatTheyGet) {
  const WorkloadSet even(small(of_experts));
  const WorkloadSet set(small(with(of_experts, {{"run.imbalance.zipf", "1"}})));
  WideCount operations = 0;
  for (std::int64_t c = 0; c < set.classes(); ++c) {
    const Trace t = set.trace(static_cast<Rank>(c));
    EXPECT_EQ(set.class_of(static_cast<Rank>(c)), c);
    const std::vector<Call> calls = exchanges(t);
    const std::int64_t rows =
        std::accumulate(calls[0].receives.begin(), calls[0].receives.end(), std::int64_t{0}) / (2 * 256);
    const auto first =
        std::ranges::find(t.nodes.nodes, "experts_up", [&](const Node& n) { return std::string(t.nodes.name(n)); });
    const auto attrs = t.nodes.attributes(*first);
    EXPECT_EQ(int_value(attrs, attr::num_ops).value, 2 * rows * 256 * 2 * 128);
    EXPECT_EQ(int_value(attrs, attr::tensor_size).value, 2 * (rows * (256 + 256) + 2 * 256 * 256)) << "two experts";
    const StageFigures f = set.figures(c);
    EXPECT_EQ(f.first_rank, static_cast<Rank>(c));
    operations += f.operations * static_cast<WideCount>(set.ranks_of_class(c));
  }
  EXPECT_EQ(operations, even.figures(0).operations * 4) << "together as much as with equal loads";
}

std::vector<std::string> names_of(const StageBody& b) {
  std::vector<std::string> out;
  for (const BodyNode& n : b.nodes) out.emplace_back(b.names[n.name]);
  return out;
}

TEST(SharedExperts, StandBeforeTheOthersOnRequest) {
  const Settings shared = with(of_experts, {{"model.moe.shared", "1"}, {"model.layers", "1"}});
  const auto late = names_of(WorkloadSet(small(shared)).body(0));
  const auto early = names_of(WorkloadSet(small(with(shared, {{"plan.shared", "early"}}))).body(0));
  using Names = std::vector<std::string>;
  const auto part = [](const Names& all, std::string_view first, std::size_t count) {
    const auto at = std::ranges::find(all, first);
    return Names(at, at + static_cast<std::ptrdiff_t>(count));
  };
  EXPECT_EQ(part(late, "router", 6),
            (Names{"router", "all_to_all", "experts_up", "experts_act", "experts_down", "shared_up"}));
  EXPECT_EQ(part(early, "router", 6),
            (Names{"router", "all_to_all", "shared_up", "shared_act", "shared_down", "experts_up"}));
  EXPECT_EQ(part(early, "combine_bwd", 3), (Names{"combine_bwd", "all_to_all", "shared_down_dgrad"}));
  EXPECT_EQ(late.size(), early.size());
}

// DeepSeek-V3 sends 7,168 bytes and a scale for every 128 of these: 7,392 for each copy; results return as bf16.
TEST(Dispatch, InFp8CarriesScales) {
  Workload w = preset_workload("deepseek-v3", 0);
  w.step.micro_batches = 1;
  set_workload(w, {"plan.dispatch", "fp8"});
  const StageFigures f = WorkloadSet(w).figures(5);
  const auto all = calls(f, Collective::all_to_all, GroupKind::expert);
  EXPECT_EQ(all.count, 4U * 4);
  EXPECT_EQ(all.bytes, static_cast<WideCount>(4) * 4096 * 8 * (2 * 7392 + 2 * 14336));
  set_workload(w, {"plan.dispatch", "bf16"});
  EXPECT_EQ(calls(WorkloadSet(w).figures(5), Collective::all_to_all, GroupKind::expert).bytes,
            static_cast<WideCount>(4) * 4096 * 8 * 4 * 14336);
}

TEST(UnevenExperts, ContradictionsNameBothKeys) {
  const Settings alone = {{"model.moe.experts", "8"}, {"model.moe.per_token", "2"}, {"model.moe.ffn", "128"}};
  EXPECT_EQ(failure(with(alone, {{"run.imbalance.zipf", "1"}})),
            "run.imbalance.zipf needs plan.expert of 2 or more");
  EXPECT_EQ(failure(with(alone, {{"plan.dispatch", "fp8"}})), "plan.dispatch needs plan.expert of 2 or more");
  EXPECT_EQ(failure(with(alone, {{"plan.shared", "early"}})), "plan.shared early needs model.moe.shared");
  EXPECT_EQ(failure(with(of_experts, {{"run.imbalance.seed", "2"}})),
            "run.imbalance.seed 2 needs run.imbalance.zipf");
  for (const char* zipf : {"-1", "nan", "inf", "101", "x"})
    EXPECT_EQ(failure({{"run.imbalance.zipf", zipf}}),
              "run.imbalance.zipf: " + std::string(zipf) + ": expected a number from 0 to 100");
  EXPECT_EQ(
      failure(with(of_experts, {{"run.imbalance.zipf", "100"}})),
      "run.imbalance.zipf leaves a rank of plan.expert 4 without any of the 1000 tokens of run.sequence on each "
      "rank");
}

}  // namespace
}  // namespace convert
