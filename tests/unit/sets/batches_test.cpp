// SPDX-License-Identifier: MIT
// Results for a rank are independent of the number of nodes that its reader returns at once.
#include "common/batches.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <array>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "analyze/sets/set_statistics.h"
#include "common/error_text.h"
#include "common/findings.h"
#include "formats/graphs/drawing.h"
#include "io/output.h"
#include "passes/provenance.h"
#include "passes/split/collapse.h"
#include "sanitized.h"
#include "sets/check.h"
#include "sets/derived/rankwise.h"
#include "sets/sink.h"

namespace convert {
namespace {

using test::BatchedSet;

constexpr std::size_t whole = 1000;
constexpr std::array<std::size_t, 3> sizes = {1, 2, 7};

// Calls same(text of a set) for sets of irregular ranks: the text must be equal for all batch sizes.
template <class Text>
void compare_batches(const Text& text) {
  for (std::uint32_t seed = 0; seed < test::rounds(240U); ++seed) {
    std::vector<Trace> traces;
    for (Rank r = 0; r < 1 + seed % 3; ++r) traces.push_back(test::odd_trace(r, 10 * seed + r));
    const auto text_of = [&](std::size_t nodes) -> std::string {
      BatchedSet set(traces, nodes);
      try {
        return text(set);
      } catch (const Error& error) {
        return test::text_of(error);
      }
    };
    const std::string expected = text_of(whole);
    for (const std::size_t nodes : sizes) ASSERT_EQ(text_of(nodes), expected) << "seed " << seed << ", " << nodes;
  }
}

TEST(Batches, FindingsAreThoseOfWholeRanks) {
  std::size_t findings = 0;
  compare_batches([&](SetSource& set) {
    Diagnostics diagnostics(0);
    check(set, {}, diagnostics);
    findings += diagnostics.all().size();
    std::string text;
    for (const Diagnostic& d : diagnostics.all()) text += format_diagnostic(d) + "\n";
    return text;
  });
  EXPECT_GT(findings, test::rounds(10'000U));
}

TEST(Batches, StatisticsAreThoseOfWholeRanks) {
  compare_batches([](SetSource& set) {
    const RankWishes wishes{.by = NodeKey::name, .redundant = true, .path = true};
    SetStatistics sum({.by = NodeKey::name});
    set.for_each_rank(
        1,
        [&](TraceReader& reader, Trace& trace) {
          RankCounter counter(trace, wishes);
          read_nodes(reader, trace, RankCounter::parts(), [&] { counter.add_batch(); });
          return counter.finish();
        },
        [&](RankStatistics&& rank) { sum.add(std::move(rank)); });
    Statistics all;
    for (const std::string& name : SetStatistics::section_names()) all.push_back(sum.section(name));
    return statistics_json(all, 0);
  });
}

drawing::Drawing load_drawing(SetSource& set) {
  std::vector<drawing::DrawnRank> ranks;
  set.for_each_ascending(1, drawing::read_drawn, [&](drawing::DrawnRank&& r) { ranks.push_back(std::move(r)); });
  return drawing::make_drawing(std::move(ranks));
}

TEST(Batches, DrawingsAreThoseOfWholeRanks) {
  for (const char* const name : {"dot", "graphml"}) {
    const Format& format = find_format(name);
    compare_batches([&](SetSource& set) {
      std::string text;
      format.write_drawing(load_drawing(set), {}, *memory_output(text));
      return text;
    });
  }
}

// Nodes 20 and 21 represent collective 7, and 22 represents collective 9, which no other node waits for.
std::vector<Trace> merged_set(std::vector<NodeId> waits, NodeId last = 30) {
  Trace t;
  t.name = "m.0.et";
  t.metadata.table.add_string(merged::name_of(3, merged::place), "0");
  const auto node = [&](NodeId id, const std::vector<NodeId>& deps, NodeId of = 0, std::int64_t nodes = 0) {
    t.nodes.positions.push_back(100 * t.nodes.nodes.size());
    t.nodes.add_node(id, of == 0 ? NodeType::comp : NodeType::comm_send, "n" + std::to_string(id));
    for (const NodeId d : deps) t.nodes.add_data_dep(d);
    t.nodes.add_int(attr::tensor_size, Kind::int64_val, 5);
    if (of != 0) {
      t.nodes.add_int(attr::merged_from, Kind::uint64_val, static_cast<std::int64_t>(of));
      t.nodes.add_string(attr::merged_name, "all " + std::to_string(of));
    }
    if (nodes != 0) {
      t.nodes.add_int(attr::merged_nodes, Kind::uint64_val, nodes);
      t.nodes.add_int(merged::name_of(attr::comm_size), Kind::int64_val, 64);
    }
    t.nodes.end_node();
  };
  node(1, {});
  node(8, std::move(waits));
  node(20, {1}, 7, 2);
  node(21, {20}, 7);
  node(22, {8}, 9, 1);
  node(last, {8});
  return {t};
}

std::string folded_text(const std::vector<Trace>& traces, std::size_t nodes) {
  BatchedSet set(traces, nodes);
  Diagnostics diagnostics;
  RankwiseSet folded(set, {.collapse = true}, diagnostics);
  const auto reader = folded.open_all();
  std::string text;
  Trace t;
  EXPECT_TRUE(reader->next_rank(t));
  text += std::to_string(t.metadata.table.attrs.size()) + ":";
  while (reader->next_nodes(t, 2)) {
    for (const Node& n : t.nodes.nodes) {
      text += " " + std::to_string(n.id) + std::string(t.nodes.name(n)) + "#" + std::to_string(n.attrs.count);
      for (const NodeId id : t.nodes.data_deps(n)) text += "<" + std::to_string(id);
    }
  }
  EXPECT_FALSE(reader->next_rank(t));
  return text + "; " + std::to_string(folded.counts().folded.collectives);
}

TEST(Batches, FoldedRanksAreThoseOfWholeOnes) {
  for (const std::size_t nodes : {whole, std::size_t{1}, std::size_t{2}}) {
    EXPECT_EQ(folded_text(merged_set({21}), nodes), "0: 1n1#1 7all 7#1<1 8n8#1<7 9all 9#1<8 30n30#1<8; 2");
    EXPECT_EQ(folded_text(merged_set({21}, 2), nodes), "0: 1n1#1 7all 7#1<1 8n8#1<7 2n2#1<8 9all 9#1<8; 2");
    EXPECT_EQ(folded_text({test::odd_trace(0, 5)}, nodes), folded_text({test::odd_trace(0, 5)}, whole));
  }
}

// An error is reported before the first node.
TEST(Batches, RanksThatDoNotFoldAreRefusedAtOnce) {
  for (const std::size_t nodes : {whole, std::size_t{1}, std::size_t{2}}) {
    BatchedSet set(merged_set({20}), nodes);
    Diagnostics diagnostics;
    RankwiseSet folded(set, {.collapse = true}, diagnostics);
    const auto reader = folded.open_rank(0);
    Trace t;
    EXPECT_EQ(test::error_text([&] { (void)reader->next_rank(t); }),
              "m.0.et:@0x64: node 8: depends on node 20 of merged collective 7 (all 7), which is not one of its "
              "last nodes");
  }
}

// Returns a trace with large nodes, as in recordings.
Trace wordy_trace(NodeId nodes) {
  Trace big;
  for (NodeId id = 0; id < nodes; ++id) {
    big.nodes.add_node(id, id % 16 == 7 ? NodeType::comm_coll : NodeType::comp, "aten::addmm");
    if (id > 0) big.nodes.add_data_dep(id - 1);
    if (id % 16 == 7) {
      big.nodes.add_int(attr::comm_type, Kind::int64_val, 0);
      big.nodes.add_int(attr::comm_size, Kind::int64_val, 1024);
    }
    big.nodes.add_string(attr::op_schema, std::string(200, 's'));
    big.nodes.add_string(attr::dep_rules, "s");
    for (const Name name : {attr::rf_id, attr::fw_parent, attr::seq_id, attr::scope, attr::tid, attr::num_ops})
      big.nodes.add_int(name, Kind::int64_val, static_cast<std::int64_t>(id));
    big.nodes.io.push_back({big.nodes.add_text(std::string(300, 'v')), {}, {}, {}});
    big.nodes.nodes.back().inputs = static_cast<std::uint32_t>(big.nodes.io.size());
    big.nodes.end_node();
  }
  return big;
}

// A table of kept data has few bytes per node, independent of their texts and attributes.
TEST(Batches, WhatIsKeptDoesNotGrowWithWhatNodesSay) {
  const Trace big = wordy_trace(10'000);
  const auto bytes_of = [&](const NodeParts& parts) {
    BatchedSet set({big}, 1000);
    NodeTable table;
    set.for_each_trace(1, parts, [&](Trace&& t) { table = std::move(t.nodes); });
    EXPECT_EQ(table.nodes.size(), 10'000U);
    EXPECT_TRUE(table.io.empty());
    return table.nodes.size() * sizeof(Node) + table.attrs.size() * sizeof(Attr) +
           table.deps.size() * sizeof(NodeId) + table.positions.size() * 8 + table.text.size();
  };
  constexpr std::size_t nodes = 10'000;
  const std::size_t least = nodes * (sizeof(Node) + sizeof(NodeId));
  const std::size_t calls = nodes / 16 * 2 * sizeof(Attr);
  EXPECT_LT(bytes_of(check_parts()), least + calls + 100);
  EXPECT_LT(bytes_of(RankCounter::parts()), least + calls + 100);
  EXPECT_LT(bytes_of(Collapse::parts()), least + 100);
  EXPECT_LT(bytes_of(drawing::drawn_parts()), least + nodes * 3 * sizeof(Attr) + 100);
}

// Returns the peak memory of the process since `work` began, minus its memory before.
template <class Work>
std::size_t peak_bytes(const Work& work) {
  const auto kilobytes = [](const std::string& key) {
    std::ifstream status("/proc/self/status");
    std::size_t n = 0;
    for (std::string word; status >> word;) {
      if (word == key) status >> n;
    }
    return n;
  };
  ::malloc_trim(0);
  std::ofstream("/proc/self/clear_refs") << "5";  // resets the peak
  const std::size_t before = kilobytes("VmRSS:");
  work();
  return (kilobytes("VmHWM:") - before) * 1024;
}

TEST(Batches, MemoryIsThatOfWhatIsKept) {
  if (test::sanitized || !std::ofstream("/proc/self/clear_refs")) GTEST_SKIP();
  const Trace big = wordy_trace(40'000);
  const auto peak_of = [&](const auto& work) {
    BatchedSet set({big}, 1000);
    return peak_bytes([&] { work(set); });
  };
  const std::size_t all = peak_of([](SetSource& set) { (void)set.load(1); });
  EXPECT_GT(all, 30'000'000U);
  EXPECT_LT(peak_of([](SetSource& set) {
              Diagnostics diagnostics;
              check(set, {}, diagnostics);
            }),
            all / 2);
  EXPECT_LT(peak_of([](SetSource& set) { (void)load_drawing(set); }), all / 8);
  EXPECT_LT(peak_of([](SetSource& set) {
              Diagnostics diagnostics;
              RankwiseSet folded(set, {.collapse = true}, diagnostics);
              const auto reader = folded.open_rank(0);
              Trace t;
              ASSERT_TRUE(reader->next_rank(t));
              while (reader->next_nodes(t, 1000)) {
              }
            }),
            all / 2);
}

}  // namespace
}  // namespace convert
