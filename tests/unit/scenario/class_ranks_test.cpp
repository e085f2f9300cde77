// SPDX-License-Identifier: MIT
// A class-compressed set compiles to the same program as its ranks one by one, for any group names.
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/class_set.h"
#include "common/error_text.h"
#include "common/findings.h"
#include "common/scratch.h"
#include "core/attr_names.h"
#include "core/master/pack.h"
#include "formats/master/master.h"
#include "scenario/scenario.h"

namespace convert {
namespace {

// Names of the groups of a rank's calls, in order; nothing: no group is named.
using CallGroups = std::vector<std::optional<std::string>>;

std::vector<Trace> calling(const std::vector<CallGroups>& ranks) {
  std::vector<Trace> traces(ranks.size());
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    traces[r].rank = static_cast<Rank>(r);
    traces[r].name = MasterSet::name_of(traces[r].rank, "set.etm");
    NodeTable& t = traces[r].nodes;
    for (const std::optional<std::string>& group : ranks[r]) {
      t.add_node(t.nodes.size(), NodeType::comm_coll, "call");
      t.add_int(attr::comm_type, Kind::int64_val, static_cast<std::int64_t>(Collective::all_reduce));
      t.add_int(attr::comm_size, Kind::int64_val, 1024);
      if (group) t.add_string(attr::pg_name, *group);
      t.end_node();
    }
  }
  return traces;
}

// Scenario with four groups of all ranks.
Scenario with_groups() {
  Scenario scenario = make_scenario({.workload = "w", .network = "ring:4,bw=50GB/s,lat=1us"});
  auto system = std::make_shared<ReplaySystem>(*scenario.options.system);
  for (std::int64_t id = 1; id <= 4; ++id) system->groups.push_back({.id = id, .ranks = {0, 1, 2, 3}});
  scenario.options.system = system;
  return scenario;
}

// Returns, by rank, the ids of the groups that it calls, or the error.
template <class Load>
std::string loaded_groups(const Load& load) {
  Diagnostics diagnostics;
  std::string text;
  try {
    const LoadedReplay replay = load(diagnostics);
    for (const RankProgram& rank : replay ? replay.program->ranks : std::vector<RankProgram>()) {
      for (const Op& op : rank.code->ops)
        text += std::to_string(replay.program->groups[replay.program->plans[rank.plans[op.channel]].call.group].id);
      text += ' ';
    }
  } catch (const Error& e) {
    text = test::text_of(e);
  }
  return text + test::findings_text(diagnostics);
}

// Does the same for a class-compressed set; the set is saved as "set.etm".
std::string groups_by_classes(const MasterSet& set) {
  const test::Scratch scratch;
  std::string bytes;
  const auto out = memory_output(bytes);
  write_master(set, *out);
  out->close();
  const std::string file = scratch.write("set.etm", bytes);
  std::string text = loaded_groups([&](Diagnostics& diagnostics) {
    TraceSource source({.operands = {file}, .hash = false}, diagnostics);
    return load_replay(source, with_groups(), 1, diagnostics);
  });
  for (std::size_t at = 0; (at = text.find(file)) != std::string::npos;) text.replace(at, file.size(), "set.etm");
  return text;
}

void expect_groups(const std::vector<CallGroups>& ranks, const std::string& groups) {
  const std::vector<Trace> traces = calling(ranks);
  EXPECT_EQ(loaded_groups([&](Diagnostics& d) { return load_replay(traces, with_groups(), 1, d); }), groups);
  EXPECT_EQ(groups_by_classes(test::by_classes(traces)), groups);
}

TEST(ClassRanks, GroupsHaveSeveralNames) {
  expect_groups({{"1"}, {"2"}, {"3"}, {"4"}}, "1 2 3 4 ");
  expect_groups({{"0"}, {"1"}, {"2"}, {"3"}}, "0 1 2 3 ");
  expect_groups({{""}, {"01"}, {"02"}, {"03"}}, "0 1 2 3 ");
  expect_groups({{""}, {""}, {"02"}, {"02"}}, "0 0 2 2 ");
  const std::nullopt_t none = std::nullopt;
  expect_groups({{"0", none}, {"1", none}, {"2", none}, {"3", none}}, "00 10 20 30 ");
  expect_groups({{"0", ""}, {"1", ""}, {"2", ""}, {"3", ""}}, "00 10 20 30 ");
  expect_groups({{"1", "01"}, {"2", "01"}, {"3", "01"}, {"4", "01"}}, "11 21 31 41 ");
}

TEST(ClassRanks, NamesOfNoGroupAreErrors) {
  const std::string behind = " is not in the communicator groups [groups]\n";
  expect_groups({{"2"}, {"3"}, {"4"}, {"5"}}, "set.etm rank 3: error: node 0: group 5" + behind);
  expect_groups({{""}, {""}, {"pp"}, {"pp"}}, "set.etm rank 2: error: node 0: group pp" + behind +
                                                  "set.etm rank 3: error: node 0: group pp" + behind);
}

TEST(ClassRanks, DamagedMetadataHasItsPlace) {
  std::vector<Trace> traces = calling({{"1"}, {"1"}, {"2"}, {"2"}});
  for (Trace& t : traces) t.metadata.table.add_string(attr::input_file, "7");
  MasterSet set = test::by_classes(traces);
  ASSERT_EQ(set.classes.size(), 1U);
  std::vector<std::uint64_t>& values = set.classes[0].metadata.first;
  ASSERT_EQ(values.back(), packed_number(7));
  values.back() = packed_number(largest_packed_number + 1);
  EXPECT_EQ(groups_by_classes(set), "set.etm: damaged class-compressed set: rank 0 has too long a number");
}

}  // namespace
}  // namespace convert
