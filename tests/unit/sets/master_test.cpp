// SPDX-License-Identifier: MIT
// Class-compressed sets: nothing is lost, damage is an error, and proofs by classes agree with the rules rank by
// rank.
#include "formats/master/master.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "common/class_set.h"
#include "config/groups.h"
#include "core/master/builder.h"
#include "formats/master/layout.h"
#include "generate/workload/workload.h"
#include "passes/class_proof.h"
#include "sanitized.h"
#include "sets/check.h"
#include "sets/classes/encoder.h"
#include "sets/classes/set.h"
#include "sets/classes/stand_ins.h"
#include "sets/sink.h"
#include "split_sets.h"

namespace convert {
namespace {

using test::et_bytes;

MasterSet master_of(const std::vector<Trace>& traces, std::string groups = {}) {
  MasterSet set = test::by_classes(traces);
  set.groups = std::move(groups);
  return set;
}

std::string written(const MasterSet& set) {
  std::string bytes;
  const auto out = memory_output(bytes);
  write_master(set, *out);
  out->close();
  return bytes;
}
MasterSet read(std::string_view bytes) {
  const auto input = memory_input("set.etm", bytes);
  return read_master(*input);
}

std::vector<Trace> traces_of(const MasterSet& set) {
  std::vector<Trace> out;
  for (std::uint64_t i = 0; i < set.ranks(); ++i) {
    out.push_back(set.head(set.place(i), "set.etm"));
    set.nodes(set.place(i), "set.etm", out.back().nodes);
  }
  return out;
}

// Representatives become each of their ranks. Checks 16 ranks.
void expect_stand_ins(const MasterSet& set) {
  const StandIns stand_ins(set, "set.etm");
  for (std::uint64_t i = 0; i < std::min<std::uint64_t>(set.ranks(), 16); ++i) {
    const StandIns::Place place = stand_ins.place(i);
    Trace expected = set.head(set.place(i), "set.etm");
    set.nodes(set.place(i), "set.etm", expected.nodes);
    Trace found = stand_ins.read(place.stand_in);
    stand_ins.become(place, found);
    EXPECT_EQ(found.rank, expected.rank);
    EXPECT_TRUE(et_bytes(found) == et_bytes(expected));
  }
}

// A trace with an attribute of each kind, unknown fields, inputs, dangling dependencies, ids that jump back.
Trace odd_trace(std::mt19937& random, Rank rank) {
  Trace t;
  t.rank = rank;
  t.metadata.version = random() % 2 == 0 ? "" : "0.0.4";
  t.metadata.unknown = random() % 2 == 0 ? ""
                                         : std::string(
                                               "\x9a\x06\x03"
                                               "abc",
                                               6);
  t.metadata.table.add_string(Name("of rank"), std::to_string(rank));
  const std::size_t nodes = random() % 4;
  for (std::size_t n = 0; n < nodes; ++n) {
    Node& node =
        t.nodes.add_node(random(), static_cast<NodeType>(random() % 9), random() % 2 == 0 ? "12" : "n\xff");
    node.start_us = random();
    node.duration_us = random();
    for (std::size_t d = random() % 3; d > 0; --d) t.nodes.add_data_dep(random());
    for (std::size_t d = random() % 3; d > 0; --d) t.nodes.add_ctrl_dep(random());
    for (int k = 2; k <= static_cast<int>(Kind::bytes_list); ++k) {
      const Kind kind = k == 2 ? Kind::none : static_cast<Kind>(k);
      Attr a{.name = Name("a" + std::to_string(k % 20)), .kind = kind};
      const Kind scalar = is_list(kind) ? scalar_of(kind) : kind;
      const bool narrow = scalar == Kind::float_val || scalar == Kind::uint32_val || scalar == Kind::fixed32_val;
      const auto bits = [&] {
        if (scalar == Kind::bool_val) return static_cast<std::uint64_t>(random() % 2);
        if (narrow) return static_cast<std::uint64_t>(random());
        return static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int32_t>(random())));
      };
      const auto text = [&] { return t.nodes.add_text(random() % 2 == 0 ? "7" : std::string("x\0y", 3)); };
      if (is_list(kind)) {
        a.size = static_cast<std::uint32_t>(random() % 3);
        a.bits = is_text(scalar) ? t.nodes.texts.size() : t.nodes.numbers.size();
        for (std::uint32_t i = 0; i < a.size; ++i) {
          if (is_text(scalar)) {
            t.nodes.texts.push_back(text());
          } else {
            t.nodes.numbers.push_back(bits());
          }
        }
      } else if (is_text(kind)) {
        const Text s = text();
        a.size = s.size;
        a.bits = s.offset;
      } else if (kind != Kind::none) {
        a.bits = bits();
      }
      if (random() % 8 == 0) {
        t.nodes.extras.push_back({text(), t.nodes.add_text(std::string("\x9a\x06\x01z", 4)), {}});
        a.extra = static_cast<std::uint32_t>(t.nodes.extras.size());
      }
      t.nodes.attrs.push_back(a);
    }
    t.nodes.end_node();
    if (random() % 2 == 0) {
      t.nodes.io.push_back({t.nodes.add_text("[1]"), t.nodes.add_text("[[2]]"), t.nodes.add_text("[\"f\"]"), {}});
      (random() % 2 == 0 ? t.nodes.nodes.back().inputs : t.nodes.nodes.back().outputs) =
          static_cast<std::uint32_t>(t.nodes.io.size());
    }
  }
  return t;
}

TEST(Master, LosesNothingOfOddTraces) {
  std::mt19937 random(1);
  for (int round = 0; round < 60; ++round) {
    std::vector<Trace> traces;
    for (Rank rank : {3U, 1U, 8U}) traces.push_back(odd_trace(random, rank));
    if (round % 2 == 0) {  // a class of two that differ in all numbers
      traces.push_back(traces[0]);
      traces.back().rank = 4;
      for (Node& n : traces.back().nodes.nodes) n.start_us = random(), n.id += random();
    }
    const std::vector<Trace> back = traces_of(read(written(master_of(traces))));
    ASSERT_EQ(back.size(), traces.size());
    for (std::size_t i = 0; i < traces.size(); ++i) {
      EXPECT_EQ(back[i].rank, traces[i].rank);
      EXPECT_EQ(et_bytes(back[i]), et_bytes(traces[i]));
    }
  }
}

const std::vector<std::vector<WorkloadSetting>> plans = {
    {{"plan.tensor", "2"}, {"plan.pipeline", "2"}, {"plan.data", "2"}, {"run.micro_batches", "3"}},
    {{"plan.tensor", "2"}, {"plan.sequence_parallel", "true"}, {"plan.data", "4"}, {"plan.shard", "zero1"}},
    {{"plan.context", "4"}, {"plan.data", "2"}, {"plan.pipeline", "2"}, {"run.micro_batches", "2"}},
    {{"plan.pipeline", "4"}, {"plan.chunks", "2"}, {"plan.order", "interleaved"}, {"run.micro_batches", "4"}},
    {{"plan.data", "4"}, {"plan.shard", "zero3"}},
};

WorkloadSet small_set(const std::vector<WorkloadSetting>& settings) {
  Workload w = preset_workload("llama3-8b", 8);
  w.plan = {};
  w.step = {.sequence = 64, .operations = OperationCount::model};
  set_workload(w, {"model.layers", "8"});
  for (const WorkloadSetting& s : settings) set_workload(w, s);
  return WorkloadSet(w);
}

// Plans whose ranks differ in other ways than by stage.
std::vector<WorkloadSet> odd_sets() {
  std::vector<WorkloadSet> out;
  const auto add = [&](const char* preset, std::int64_t npus, const std::vector<WorkloadSetting>& settings) {
    Workload w = preset_workload(preset, npus);
    for (const WorkloadSetting& s : settings) set_workload(w, s);
    out.emplace_back(w);
  };
  add("mixtral-8x7b", 64, {{"model.layers", "4"}, {"run.sequence", "64"}, {"run.imbalance.zipf", "1"}});
  add("mlp", 16, {{"plan.tensor", "4"}, {"plan.data", "4"}});
  add("dlrm-mlperf", 8, {});
  add("llama3-8b", 8,
      {{"model.layers", "2"},
       {"plan.data", "6"},
       {"run.mode", "both"},
       {"plan.shard", "ddp"},
       {"run.tokens", "3"},
       {"run.micro_batches", "2"},
       {"plan.disaggregate.prefill", "2"},
       {"plan.disaggregate.decode", "4"}});
  add("llama3-8b", 8, {{"model.layers", "2"}, {"plan.shard", "zero3"}, {"plan.hsdp", "4"}});
  return out;
}

TEST(Master, OfAWorkloadIsThatOfItsRanks) {
  std::vector<WorkloadSet> sets = odd_sets();
  for (const auto& settings : plans) sets.push_back(small_set(settings));
  for (const WorkloadSet& workload : sets) {
    SCOPED_TRACE(workload.workload().name);
    std::vector<Trace> ranks;
    for (Rank r = 0; r < workload.ranks(); ++r) ranks.push_back(workload.trace(r));
    const MasterSet made = workload.master();
    const std::vector<Trace> back = traces_of(read(written(made)));
    ASSERT_EQ(back.size(), ranks.size());
    for (Rank r = 0; r < workload.ranks(); ++r) EXPECT_EQ(et_bytes(back[r]), et_bytes(ranks[r]));
    EXPECT_LE(master_of(ranks).classes.size(), made.classes.size());
    EXPECT_EQ(made.groups, workload.group_count() == 0 ? "" : groups_text(workload.groups()));
  }
}

// Shared nodes are encoded once; the tar equals the tar of the ranks one by one.
TEST(Master, IsWrittenAsItsRanksAre) {
  std::mt19937 random(4);
  std::vector<Trace> odd;
  for (Rank rank = 0; rank < 4; ++rank) {
    odd.push_back(odd_trace(random, 0));
    if (rank % 2 == 1) odd.back() = odd[rank - 1];
    odd.back().rank = rank;
    if (rank == 3 && !odd.back().nodes.nodes.empty()) odd.back().nodes.nodes[0].id += 5;
  }
  std::vector<std::vector<Trace>> sets = {odd};
  const WorkloadSet workload = small_set(plans[0]);
  sets.emplace_back();
  for (Rank r = 0; r < workload.ranks(); ++r) sets.back().push_back(workload.trace(r));
  for (const auto& traces : sets) {
    const MasterSet set = master_of(traces);
    const auto write = [](SetSource& source) {
      std::string bytes;
      for (const auto& [rank, et] : test::set_bytes(source).ranks) bytes += et;
      return bytes;
    };
    test::HeldSet held(traces);
    ClassSet classes("held", set);
    EXPECT_EQ(write(classes), write(held));
    std::string by_class;
    ClassEncoder encoder(set, "held");
    const Format& chakra = find_format("chakra");
    for (std::uint64_t i = 0; i < set.ranks(); ++i) {
      const auto writer = chakra.write({});
      const Trace head = set.head(set.place(i), "held");
      writer->begin_rank(head, 0, false, by_class);
      encoder.nodes(head.rank, *writer, by_class);
      writer->end_rank(by_class);
    }
    EXPECT_EQ(by_class, write(held));
  }
}

TEST(Master, CutAndDamagedFilesAreErrors) {
  std::mt19937 random(2);
  const std::string bytes =
      written(master_of({odd_trace(random, 0), odd_trace(random, 1), odd_trace(random, 2)}, "{\"1\":[0,2]}\n"));
  const auto error_of = [](std::string_view text) -> std::string {
    try {
      (void)traces_of(read(text));
      return "";
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), Error::Kind::input);
      EXPECT_EQ(e.where().file, "set.etm");
      EXPECT_EQ(e.rule(), "master");
      return e.what();
    }
  };
  EXPECT_EQ(error_of(bytes), "");
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_NE(error_of(std::string_view(bytes).substr(0, size)), "") << size;
  EXPECT_EQ(error_of(bytes + "x"), "unexpected bytes after the master trace");
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x41);
    // Some bits of a frame are unused.
    if (error_of(damaged).empty()) {
      EXPECT_EQ(written(read(damaged)), bytes) << at;
    }
  }
  std::string newer = bytes;
  newer[10] = 2;
  EXPECT_EQ(error_of(newer),
            "this master trace was written by a newer etkit: its format is version 2, this etkit reads version 1");
}

// Sections that can be unpacked, but contain data that no writer writes.
TEST(Master, ScrambledSectionsAreErrorsOrSets) {
  std::mt19937 random(5);
  const std::string bytes = written(small_set(plans[0]).master());
  struct Section {
    std::string name;
    std::string payload;
  };
  std::vector<Section> sections;
  const auto input = memory_input("set.etm", bytes);
  blocks::Reader reader(*input, master_file::kind);
  while (const auto block = reader.next()) sections.push_back({block->name, std::string(block->payload)});
  std::size_t errors = 0;
  for (int round = 0; round < test::rounds(4000); ++round) {
    std::vector<Section> scrambled = sections;
    for (std::uint64_t n = 1 + random() % 3; n > 0; --n) {
      std::string& payload = scrambled[random() % scrambled.size()].payload;
      // Counts and shapes are at the beginning.
      const std::size_t at =
          random() % (random() % 2 == 0 ? payload.size() : std::min<std::size_t>(payload.size(), 40));
      switch (random() % 3) {
        case 0: payload[at] = static_cast<char>(random()); break;
        case 1: payload.erase(at, 1); break;
        default: payload.insert(at, 1, static_cast<char>(random()));
      }
    }
    std::string file;
    const auto out = memory_output(file);
    blocks::Writer writer(*out, master_file::kind);
    for (const Section& s : scrambled) writer.block(s.name, 1, s.payload);
    writer.finish();
    out->close();
    try {
      const MasterSet set = read(file);
      expect_stand_ins(set);
    } catch (const Error& e) {
      EXPECT_EQ(e.where().file, "set.etm") << e.what();
      ++errors;
    }
  }
  EXPECT_GT(errors, test::rounds(1000U));
}

std::string findings(SetSource& source) {
  Diagnostics diagnostics;
  (void)check(source, {}, diagnostics);
  std::string out;
  for (const Diagnostic& d : diagnostics.all()) out += format_diagnostic(d) + '\n';
  return out;
}

// Makes one change to one rank, or to all of its class; or to the groups.
void mutate(std::mt19937& random, const WorkloadSet& workload, std::vector<Trace>& traces,
            std::vector<CommGroup>& groups) {
  if (random() % 8 == 0) {
    std::vector<std::uint32_t>& a = groups[random() % groups.size()].ranks;
    std::vector<std::uint32_t>& b = groups[random() % groups.size()].ranks;
    std::swap(a[random() % a.size()], b[random() % b.size()]);
    return;
  }
  const auto rank = static_cast<Rank>(random() % traces.size());
  const bool whole_class = random() % 2 == 0;
  const std::size_t nodes = traces[rank].nodes.nodes.size();
  const std::size_t at = random() % nodes, other = random() % nodes;
  const std::uint64_t what = random() % 6, by = 1 + random() % 3;
  for (Trace& t : traces) {
    if (t.rank != rank && (!whole_class || workload.class_of(t.rank) != workload.class_of(rank))) continue;
    Node& n = t.nodes.nodes[at];
    const auto edit = [&](Name name) {
      for (std::uint32_t i = n.attrs.begin; i < n.attrs.begin + n.attrs.count; ++i) {
        Attr& a = t.nodes.attrs[i];
        if (a.name != name) continue;
        if (a.kind == Kind::string_val) {
          const Text text = t.nodes.add_text(std::to_string(1 + (at + by) % groups.size()));
          a.bits = text.offset;
          a.size = text.size;
        } else {
          a.bits = (a.bits + by) % (name == attr::comm_dst || name == attr::comm_src ? traces.size() : 1000);
        }
      }
    };
    switch (what) {
      case 0: edit(attr::comm_size); break;
      case 1: edit(attr::comm_tag); break;
      case 2: edit(attr::comm_dst); break;
      case 3: edit(attr::pg_name); break;
      case 4: n.ctrl_deps.count = 0; break;
      default: {  // it waits for another one, which may create a cycle
        const auto begin = static_cast<std::uint32_t>(t.nodes.deps.size());
        t.nodes.deps.push_back(t.nodes.nodes[other].id);
        n.ctrl_deps = {begin, 1};
      }
    }
  }
}

// Sets that are proved by classes have no findings, for any change.
TEST(Master, ProofsByClassAreTrue) {
  std::mt19937 random(3);
  std::size_t proved = 0, refused = 0, with_findings = 0;
  for (const auto& settings : plans) {
    const WorkloadSet workload = small_set(settings);
    std::vector<Trace> ranks;
    for (Rank r = 0; r < workload.ranks(); ++r) ranks.push_back(workload.trace(r));
    for (int round = 0; round < test::rounds(120); ++round) {
      std::vector<Trace> traces = ranks;
      std::vector<CommGroup> groups = workload.groups();
      for (std::uint64_t changes = round == 0 ? 0 : 1 + random() % 2; changes > 0; --changes)
        mutate(random, workload, traces, groups);
      const std::string json = groups_text(groups);
      const MasterSet set = master_of(traces, json);
      expect_stand_ins(set);
      test::HeldSet held(traces, json);
      std::optional<Error> defect;
      const auto lists = group_lists(held, static_cast<Rank>(traces.size()), defect);
      const bool holds = !defect && proved_by_classes(set, "set", RuleSet::all(), &*lists);
      const std::string found = findings(held);
      EXPECT_TRUE(holds || round > 0);
      EXPECT_TRUE(!holds || found.empty()) << found;
      (holds ? proved : refused) += 1;
      with_findings += found.empty() ? 0 : 1;
      ClassSet classes("held", set);
      EXPECT_EQ(findings(classes).empty(), found.empty());
    }
  }
  EXPECT_GT(proved, test::rounds(20U));
  EXPECT_GT(refused, test::rounds(100U));
  EXPECT_GT(with_findings, test::rounds(100U));
}

}  // namespace
}  // namespace convert
