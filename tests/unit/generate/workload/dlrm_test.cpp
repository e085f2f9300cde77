// SPDX-License-Identifier: MIT
#include "generate/workload/models/dlrm.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "generate/workload/models.h"
#include "generate/workload/workload.h"

namespace convert {
namespace {

Workload recommendation(std::initializer_list<WorkloadSetting> settings = {}) {
  Workload w = preset_workload("dlrm-mlperf", 0);
  for (const WorkloadSetting& s : settings) set_workload(w, s);
  return w;
}
// Five tables of 4 columns.
Workload small_tables(std::initializer_list<WorkloadSetting> settings = {}) {
  Workload w = recommendation({{"model.tables", "100;50;40;20;20"},
                               {"model.dim", "4"},
                               {"model.bottom", "3;8;4"},
                               {"model.top", "8;1"},
                               {"run.micro_batch", "10"},
                               {"plan.data", "2"}});
  for (const WorkloadSetting& s : settings) set_workload(w, s);
  return w;
}

// "count/rows" of each rank.
std::string dealt(const Workload& w) {
  std::string out;
  for (const DealtTables& t : deal_tables(w.dlrm, w.plan.data, w.plan.deal))
    out += (out.empty() ? "" : " ") + std::to_string(t.count) + "/" + std::to_string(t.rows);
  return out;
}

// Node k of a name on a rank: for a call "size: sent; received", for a computation "operations/bytes".
std::string node_of(const WorkloadSet& set, Rank rank, std::string_view name, int k = 0) {
  const Trace t = set.trace(rank);
  for (const Node& n : t.nodes.nodes) {
    if (t.nodes.name(n) != name || k-- > 0) continue;
    const auto attrs = t.nodes.attributes(n);
    if (n.type == NodeType::comp)
      return std::to_string(int_value(attrs, attr::num_ops).value) + "/" +
             std::to_string(int_value(attrs, attr::tensor_size).value);
    std::string out = std::to_string(int_value(attrs, attr::comm_size).value);
    for (const Name splits : {attr::send_splits, attr::recv_splits}) {
      const Attr* const list = find(attrs, splits);
      if (list == nullptr) continue;
      out += ":";
      for (const std::int64_t bytes : t.nodes.list(*list)) out += " " + std::to_string(bytes);
    }
    return out;
  }
  return "";
}

// The parameters of facebookresearch/dlrm's run for MLPerf: tables of 187,767,399 rows.
TEST(Dlrm, PresetHasTheParametersOfTheRun) {
  const Workload w = recommendation();
  EXPECT_EQ(parameters_of(w), 24'034'227'072 + 2'368'897);
  const WorkloadSet set(w);
  std::int64_t sum = 0;
  for (std::int64_t c = 0; c < set.classes(); ++c) sum += set.figures(c).parameters;
  EXPECT_EQ(sum, 24'034'227'072 + 8 * std::int64_t{2'368'897}) << "matrices are on every rank";
}

TEST(Dlrm, MatricesMultiplyAsPublished) {
  const WorkloadSet set(recommendation({{"run.micro_batch", "1"}, {"plan.data", "1"}}));
  std::int64_t operations = 0;
  for (const BodyNode& n : set.body(0).nodes) {
    const std::string_view name = set.body(0).names[n.name];
    if (n.matrix && !name.starts_with("interaction") && !name.ends_with("grad")) operations += n.operations;
  }
  EXPECT_EQ(operations, 2 * std::int64_t{2'365'184});
  EXPECT_EQ(node_of(set, 0, "interaction"), "186624/7870");  // 2·27·27·128; 2·(27·128 + 479)
}

TEST(Dlrm, TablesAreDealtByTheirRowsOrAsManyToEach) {
  EXPECT_EQ(dealt(small_tables()), "2/120 3/110");
  EXPECT_EQ(dealt(small_tables({{"plan.deal", "count"}})), "5/230 5/230") << "each is cut into two";
  EXPECT_EQ(dealt(small_tables({{"plan.data", "5"}})), "1/100 1/50 1/40 1/20 1/20");
  EXPECT_EQ(dealt(small_tables({{"plan.data", "6"}})), "1/100 1/100 2/70 2/70 2/60 2/60") << "cut into two";
  EXPECT_EQ(dealt(small_tables({{"plan.data", "1"}})), "5/230");
}

// Each rank sends the rows of its tables for the samples of each other rank; 10 samples · 4 columns · 2 bytes per
// table.
TEST(Dlrm, AllToAllsOfUnequalTablesSayWhatGoesWhere) {
  const WorkloadSet set(small_tables());
  EXPECT_EQ(node_of(set, 0, "embedding"), "160/640");  // 2 tables, 20 samples, 4 columns
  EXPECT_EQ(node_of(set, 1, "embedding"), "240/960");
  EXPECT_EQ(node_of(set, 0, "all_to_all"), "320: 160 160: 160 240");
  EXPECT_EQ(node_of(set, 1, "all_to_all"), "480: 240 240: 160 240");
  EXPECT_EQ(node_of(set, 0, "all_to_all", 1), "400: 160 240: 160 160");
  EXPECT_EQ(node_of(set, 1, "all_to_all", 1), "400: 160 240: 240 240");
  EXPECT_EQ(node_of(set, 1, "embedding_update"), "240/1440");
}

TEST(Dlrm, AllToAllsOfEqualTablesAreEqual) {
  const WorkloadSet set(small_tables({{"plan.deal", "count"}}));
  for (const Rank rank : {0, 1}) {
    EXPECT_EQ(node_of(set, rank, "embedding"), "200/800");
    EXPECT_EQ(node_of(set, rank, "all_to_all"), "400");
    EXPECT_EQ(node_of(set, rank, "all_to_all", 1), "400");
  }
}

// The tables are looked up and exchanged while the bottom matrices compute; DDP's buckets are 1 MiB, then 25 MiB.
TEST(Dlrm, GradientsOfMatricesAreReducedInBuckets) {
  const StageFigures f = WorkloadSet(recommendation()).figures(0);
  const auto reduced = f.calls.at({Collective::all_reduce, GroupKind::data});
  EXPECT_EQ(reduced.count, 2U);
  EXPECT_EQ(format_wide(reduced.bytes), std::to_string(4 * 2'368'897));
  const WorkloadSet set(recommendation());
  const StageBody& b = set.body(0);
  const auto named = [&](std::string_view name) {
    return static_cast<std::size_t>(
        std::ranges::find_if(b.nodes, [&](const BodyNode& n) { return b.names[n.name] == name; }) -
        b.nodes.begin());
  };
  EXPECT_EQ(b.nodes.at(named("bottom1")).deps, 0U);
  const BodyNode& interaction = b.nodes.at(named("interaction"));
  ASSERT_EQ(interaction.deps, 2U);
  EXPECT_EQ(static_cast<std::size_t>(b.deps.at(interaction.first_dep)), named("all_to_all"));
  EXPECT_EQ(static_cast<std::size_t>(b.deps.at(interaction.first_dep + 1)), named("bottom3"));
}

TEST(Dlrm, OfOneRankSendsNothing) {
  const WorkloadSet set(recommendation({{"plan.data", "1"}}));
  EXPECT_EQ(set.group_count(), 0);
  EXPECT_TRUE(set.figures(0).calls.empty());
  EXPECT_EQ(set.figures(0).parameters, parameters_of(set.workload()));
}

std::string refused(std::initializer_list<WorkloadSetting> settings) {
  try {
    const WorkloadSet set(small_tables(settings));
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), Error::Kind::usage);
    return e.what();
  }
  return "";
}

TEST(Dlrm, ContradictionsNameBothKeys) {
  EXPECT_EQ(refused({{"model.dim", "8"}}), "model.bottom ends with 4, not with model.dim 8");
  EXPECT_EQ(refused({{"model.tables", ""}}), "model.tables is not given");
  EXPECT_EQ(refused({{"model.top", ""}}), "model.top is not given");
  EXPECT_EQ(refused({{"model.bottom", "4"}}),
            "model.bottom has 1 numbers; at least 2 are required: the input and one layer");
  EXPECT_EQ(refused({{"plan.data", "21"}}),
            "plan.data 21: 5 model.tables of model.dim 4 columns cannot be divided among this number of ranks; "
            "possible numbers: 20");
  EXPECT_EQ(refused({{"plan.data", "3"}, {"plan.deal", "count"}}),
            "plan.data 3: 5 model.tables of model.dim 4 columns cannot be divided among this number of ranks with "
            "plan.deal count; possible numbers: 2 or 4");
  EXPECT_EQ(refused({{"plan.tensor", "2"}}), "plan.tensor is for models of kind transformer or mlp, not dlrm");
  EXPECT_EQ(
      refused(
          {{"model.tables", "1099511627776"}, {"model.dim", "1099511627776"}, {"model.bottom", "1;1099511627776"}}),
      "the sizes of model are too large: numbers of bytes or operations would not fit into 63 bits");
  EXPECT_EQ(refused({{"run.micro_batch", "1099511627776"}, {"model.dim", "1024"}, {"model.bottom", "1;1024"}}),
            "the sizes of model and run are too large: numbers of bytes or operations would not fit into 63 bits");
}

}  // namespace
}  // namespace convert
