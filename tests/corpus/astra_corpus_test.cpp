// SPDX-License-Identifier: MIT
// Every run of the corpus' ASTRA-sim cases: finish and exposed communication of every NPU, to the cycle.
#include <gtest/gtest.h>
#include <simdjson.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "config/network/network.h"
#include "corpus.h"
#include "scenario/inputs.h"
#include "sets/schedules.h"
#include "sets/source.h"
#include "simulate/engine/replay.h"
#include "simulate/report/report.h"

namespace {

using namespace convert;
namespace fs = std::filesystem;

using Times = std::vector<std::optional<std::uint64_t>>;  // ns by NPU

Times times_of(simdjson::dom::element array) {
  Times out;
  for (const simdjson::dom::element e : array.get_array()) {
    std::uint64_t value = 0;
    out.push_back(e.get(value) == simdjson::SUCCESS ? std::optional(value) : std::nullopt);
  }
  return out;
}

struct Outcome {
  std::string error;  // error of the input; empty: replayed
  ReplayStatus status = ReplayStatus::complete;
  Times finish{};
  Times exposed{};
  std::size_t classes = 0;
  std::string log;   // --format astra
  std::string hint;  // of a deadlock
  std::vector<AstraGap> gaps{};
};

SystemInputs inputs_of(const fs::path& dir, simdjson::dom::element entry) {
  SystemInputs inputs;
  inputs.system = (dir / "system.json").string();
  inputs.memory = (dir / "memory.json").string();
  if (fs::exists(dir / "comm_group.json")) inputs.groups = (dir / "comm_group.json").string();
  for (const simdjson::dom::element flag : entry["flags"].get_array()) {
    std::string_view all(flag);
    while (!all.empty()) {
      const std::string_view f = all.substr(0, all.find(' '));
      all.remove_prefix(std::min(all.size(), f.size() + 1));
      const std::string value(f.substr(f.find('=') + 1));
      if (f.starts_with("--num-queues-per-dim="))
        inputs.queues_per_dim = static_cast<std::uint32_t>(std::stoul(value));
      if (f.starts_with("--injection-scale=")) inputs.injection_scale = std::stod(value);
      if (f == "--rendezvous-protocol=true") inputs.rendezvous = true;
    }
  }
  return inputs;
}

// Without an order of issue, as in ASTRA-sim.
Outcome run_set(const fs::path& dir, const char* workload, const SystemInputs& inputs, std::string_view backend,
                bool symmetry) {
  Outcome out;
  Diagnostics diagnostics;
  try {
    const NetworkConfig network = find_network((dir / "network.yml").string());
    ReplayOptions options;
    options.astra = true;
    options.symmetry = symmetry;
    options.network.model = backend == "unaware" ? NetworkModel::unaware : NetworkModel::aware;
    options.system = load_system(inputs, network);
    TraceSource source({.operands = {(dir / workload).string()}, .hash = false}, diagnostics);
    if (source.prepare(false)) {
      if (const auto program = load_program(source, network, options, true, 1, diagnostics)) {
        const ReplayResult r = replay(*program);
        out.status = r.status;
        out.classes = r.classes;
        out.gaps = r.gaps.list();
        append_astra(r, out.log);
        for (const std::string& line : describe(r.waits, 20)) {
          if (line.starts_with("hint")) out.hint = line;
        }
        for (const NpuResult& n : r.npus) {
          const auto ns = [](Picoseconds t) { return static_cast<std::uint64_t>(t / ps_per_ns); };
          out.finish.push_back(n.finish_ps ? std::optional(ns(*n.finish_ps)) : std::nullopt);
          out.exposed.push_back(n.finish_ps ? std::optional(ns(n.exposed_communication_ps)) : std::nullopt);
        }
      }
    }
  } catch (const Error& e) {
    out.error = format_diagnostic(
        {.severity = Severity::error, .where = e.where(), .rule = e.rule(), .message = e.what(), .notes = {}});
  }
  if (out.error.empty() && diagnostics.errors() != 0) {
    for (const Diagnostic& d : diagnostics.all()) {
      if (d.severity == Severity::error && out.error.empty()) out.error = format_diagnostic(d);
    }
  }
  return out;
}

Outcome run_case(const fs::path& dir, simdjson::dom::element entry, std::string_view backend, bool symmetry) {
  return run_set(dir, "workload", inputs_of(dir, entry), backend, symmetry);
}

// Runs that differ from ASTRA-sim's, with the reason. The list is complete: the test fails if a listed run agrees.
const std::map<std::string, std::string>& known_differences() {
  static const std::map<std::string, std::string> known = {
      {"H_roofline_numops0|unaware", "no operations take no time; there 0/0 becomes 2^63 ns"},
      {"H_roofline_numops0|aware", "no operations take no time; there 0/0 becomes 2^63 ns"},
      {"M_no_collective_optimization|aware_md", "refused; there the result depends on an uninitialised variable"},
  };
  return known;
}

// The differences of a case, in order, and the difference of a backend that only a branch of ASTRA-sim has.
std::vector<AstraGap> gaps_of(std::vector<AstraGap> gaps, const fs::path& dir, std::string_view backend) {
  const AstraGap branch = AstraGap::several_dimensions;
  const bool several = find_network((dir / "network.yml").string()).dims.size() > 1;
  if (backend != "unaware" && several && std::find(gaps.begin(), gaps.end(), branch) == gaps.end())
    gaps.insert(gaps.begin(), branch);
  return gaps;
}

void expect_statistics(std::string_view name, const Outcome& out, simdjson::dom::element run) {
  simdjson::dom::object stats;
  if (name == "H_roofline_numops0" || run["stats"].get(stats) != simdjson::SUCCESS) return;  // a known difference
  for (const auto& [key, values] : stats) {
    std::size_t npu = 0;
    for (const simdjson::dom::element v : values.get_array()) {
      const std::string line = "sys[" + std::to_string(npu++) + "], " + std::string(key) + ": ";
      std::string_view text;
      if (v.get(text) != simdjson::SUCCESS) continue;
      EXPECT_NE(out.log.find(line + std::string(text) + "\n"), std::string::npos) << line << text;
    }
  }
}

TEST(AstraCorpus, EveryRunThatEnded) {
  REQUIRE_CORPUS();
  const fs::path root = corpus::root() / "astra";
  simdjson::dom::parser parser;
  int checked = 0;
  int symmetric = 0;
  std::size_t different = 0;
  for (const auto& [name, entry] : simdjson::dom::object(parser.load((root / "results.json").string()))) {
    for (const auto& [backend, run] : simdjson::dom::object(entry["runs"])) {
      if (std::string_view(run["status"]) != "ok") continue;
      const std::string key = std::string(name) + "|" + std::string(backend);
      SCOPED_TRACE(key);
      const fs::path dir = root / "cases" / std::string(name);
      const Outcome out = run_case(dir, entry, backend, false);
      const Outcome with = run_case(dir, entry, backend, true);
      EXPECT_EQ(with.finish, out.finish) << "with symmetry";
      EXPECT_EQ(with.exposed, out.exposed) << "with symmetry";
      symmetric += with.classes != 0 ? 1 : 0;
      ++checked;
      const bool agrees = out.finish == times_of(run["finish"]) && out.exposed == times_of(run["exposed"]);
      if (const auto known = known_differences().find(key); known != known_differences().end()) {
        EXPECT_FALSE(agrees) << "a known difference is gone: take it off the list";
        std::cout << key << ": " << known->second << "\n";
        ++different;
        continue;
      }
      EXPECT_TRUE(out.error.empty()) << out.error;
      EXPECT_EQ(out.finish, times_of(run["finish"]));
      EXPECT_EQ(out.exposed, times_of(run["exposed"]));
      EXPECT_EQ(out.gaps, gaps_of({}, dir, backend));
      EXPECT_EQ(with.gaps, out.gaps) << "with symmetry";
      expect_statistics(name, out, run);
    }
  }
  std::cout << checked << " runs, " << different << " differ, " << symmetric << " with one rank for all\n";
  EXPECT_GE(checked, 635);
  EXPECT_GE(symmetric, 390);
  EXPECT_EQ(different, known_differences().size());
}

struct Listed {
  Times finish;
  Times exposed;
};
// Columns npu, finish, exposed.
Listed read_table(const fs::path& file) {
  Listed listed;
  std::ifstream in(file);
  std::string header;
  std::getline(in, header);
  EXPECT_EQ(header, "npu\tfinish\texposed");
  for (std::uint64_t npu = 0, finish = 0, exposed = 0; in >> npu >> finish >> exposed;) {
    EXPECT_EQ(npu, listed.finish.size());
    listed.finish.emplace_back(finish);
    listed.exposed.emplace_back(exposed);
  }
  return listed;
}

// Nodes of custom collectives that become ready at the same time and compete for links.
TEST(AstraCorpus, Ties) {
  REQUIRE_CORPUS();
  std::size_t cases = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(corpus::root() / "astra" / "ties")) {
    if (!entry.is_directory()) continue;
    SCOPED_TRACE(entry.path().filename());
    SystemInputs inputs;
    inputs.system = (entry.path() / "system.json").string();
    inputs.memory = (entry.path() / "memory.json").string();
    const Listed listed = read_table(entry.path() / "aware.tsv");
    EXPECT_EQ(listed.finish.size(), 8U);
    for (const bool symmetry : {false, true}) {
      const Outcome out = run_set(entry.path(), "w", inputs, "aware", symmetry);
      EXPECT_EQ(out.error, "");
      EXPECT_EQ(out.finish, listed.finish);
      EXPECT_EQ(out.exposed, listed.exposed);
    }
    ++cases;
  }
  EXPECT_EQ(cases, 5U);
}

// Results of etkit for runs that crash, hang or stop in ASTRA-sim: a part of the error's text if the input is
// wrong; empty if the input is valid and etkit computes a result.
const std::map<std::string, std::string>& verdicts() {
  static const std::map<std::string, std::string> known = {
      {"A_all_to_all_halvingDoubling_FullyConnected8_1MB",
       "halving_doubling cannot run all_to_all; use direct or ring"},
      {"A_all_to_all_halvingDoubling_Ring8_1MB", "halving_doubling cannot run all_to_all; use direct or ring"},
      {"A_all_to_all_halvingDoubling_Switch8_1MB", "halving_doubling cannot run all_to_all; use direct or ring"},
      {"C_ar_hd_R2_1MB", ""},        // a ring of two NPUs, model aware
      {"C_ar_ring_R2_1MB", ""},      // a ring of two NPUs, model aware
      {"D_ar_ring_R4R4_aware", ""},  // two dimensions, model aware
      {"F_ar_ring_R8_ed0", ""},      // an endpoint delay of 0
      {"G_p2p_self", "a send to itself"},
      {"G_p2p_size_mismatch", "deadlock"},
      {"G_p2p_zero", "a message of zero bytes"},
      {"H_barrier_unsupported", "ASTRA-sim has no barrier; use --compat none"},
      {"H_cpu_coll", "communication with is_cpu_op set"},
      {"H_cpu_then_p2p", ""},  // fails in its statistics
      {"H_cycle", "deadlock"},
      {"H_invalid_node_root", ""},  // nodes released by an INVALID node are never issued
      {"H_metadata_node", ""},      // fails in its statistics
      {"H_missing_dep", "depends on node 99, which does not exist"},
      {"H_reduce_unsupported", "ASTRA-sim has no reduce; use --compat none"},
      {"H_roofline_missing_num_ops", "attribute num_ops is missing"},
      {"H_roofline_tensor0", "attribute num_ops is missing"},
      {"H_roofline_tensor0_mid", ""},  // nodes released by a skipped node are never issued
      {"H_roofline_tiny_first", ""},   // a time of 0 at the start
      {"I_none", "memory-type NO_MEMORY_EXPANSION"},
      {"J_out_of_order_colls", "deadlock"},
      {"K_groups_direct_S8", ""},  // the heap is corrupted after the results
      {"K_pg_unknown", "group 77 is not in the communicator groups"},
      {"K_pg_without_file", "group 1 is not defined"},
      {"L_ar_ring4_group", ""},      // a group whose ranks are not ascending
      {"L_ar_ring8_splits4", ""},    // a custom collective is one stream, for any splits
      {"M_ag_size0", ""},            // nothing to gather
      {"M_ag_size2_splits4", ""},    // less than a byte for each split
      {"M_ar_12GB_rendezvous", ""},  // sizes beyond 32 bits
      {"M_attr_double_size", "attribute comm_size is of kind double_val, not an integer"},
      {"M_dbt_n6", "double_binary_tree requires a power-of-two number of NPUs, not 6"},
      {"M_dims_all_false", "involved_dim names no dimension"},
      {"M_empty_et", "deadlock"},
      {"M_hd_n6", "halving_doubling requires a power-of-two number of NPUs, not 6"},
      {"M_missing_et", "workload.3.et): the network has 4 NPUs; add it, or use a network of 3 NPUs"},
      {"M_missing_impl", "the system has no algorithm for all_reduce; set all-reduce-implementation"},
      {"M_more_impls_than_dims", "has 2 entries, but the network has 1 dimension"},
      {"M_no_collective_optimization", "the system does not set collective-optimization"},
      {"M_no_splits", "the system does not set preferred-dataset-splits"},
      {"M_npus1", "npus_count requires whole numbers from 2"},
      // Collectives of groups without all NPUs shift the stream numbers of the others there.
      {"R_fuzz07", ""},
      {"R_fuzz14", ""},
      {"R_fuzz15", ""},
      {"R_fuzz43", ""},
      {"R_fuzz44", ""},
      {"R_fuzz55", ""},
  };
  return known;
}

// Reasons why ASTRA-sim did not compute a result.
const std::map<std::string, std::vector<AstraGap>>& causes() {
  using enum AstraGap;
  static const std::map<std::string, std::vector<AstraGap>> known = {
      {"C_ar_hd_R2_1MB", {ring_of_two}},
      {"C_ar_ring_R2_1MB", {ring_of_two}},
      {"D_ar_ring_R4R4_aware", {several_dimensions}},
      {"F_ar_ring_R8_ed0", {time_zero}},
      {"H_cpu_then_p2p", {statistics}},
      {"H_invalid_node_root", {invalid_node}},
      {"H_metadata_node", {metadata_node}},
      {"H_roofline_tensor0_mid", {invalid_node}},
      {"H_roofline_tiny_first", {time_zero}},
      {"K_groups_direct_S8", {}},  // it had printed its results before the failure
      {"L_ar_ring4_group", {custom_group_order}},
      {"L_ar_ring8_splits4", {custom_chunks}},
      {"M_ag_size0", {gathers_less_than_chunks}},
      {"M_ag_size2_splits4", {gathers_less_than_chunks}},
      {"M_ar_12GB_rendezvous", {long_rendezvous}},
      {"R_fuzz07", {uneven_group_use}},
      {"R_fuzz14", {uneven_group_use}},
      {"R_fuzz15", {uneven_group_use}},
      {"R_fuzz43", {uneven_group_use}},
      {"R_fuzz44", {uneven_group_use}},
      {"R_fuzz55", {uneven_group_use}},
  };
  return known;
}

TEST(AstraCorpus, EveryRunThatDidNotEnd) {
  REQUIRE_CORPUS();
  const fs::path root = corpus::root() / "astra";
  simdjson::dom::parser parser;
  int refused = 0;
  int computed = 0;
  for (const auto& [name, entry] : simdjson::dom::object(parser.load((root / "results.json").string()))) {
    for (const auto& [backend, run] : simdjson::dom::object(entry["runs"])) {
      if (std::string_view(run["status"]) == "ok") continue;
      SCOPED_TRACE(std::string(name) + "|" + std::string(backend));
      const auto verdict = verdicts().find(std::string(name));
      ASSERT_NE(verdict, verdicts().end());
      const fs::path dir = root / "cases" / std::string(name);
      const Outcome out = run_case(dir, entry, backend, true);
      if (verdict->second == "deadlock") {
        EXPECT_EQ(out.status, ReplayStatus::deadlock) << out.error;
        EXPECT_FALSE(out.hint.empty());
        ++refused;
      } else if (!verdict->second.empty()) {
        EXPECT_NE(out.error.find(verdict->second), std::string::npos) << out.error;
        ++refused;
      } else {
        EXPECT_TRUE(out.error.empty()) << out.error;
        EXPECT_EQ(out.status, ReplayStatus::complete);
        EXPECT_EQ(out.gaps, gaps_of(causes().at(std::string(name)), dir, backend));
        ++computed;
      }
    }
  }
  std::cout << refused << " runs refused with the cause, " << computed << " computed\n";
  EXPECT_GE(refused + computed, 90);
}

}  // namespace
