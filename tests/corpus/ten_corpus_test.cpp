// SPDX-License-Identifier: MIT
// The schedules of the corpus: read, checked, proved, replayed on their own links, written and read again, compared
// with the reference's tables.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "common/replay_traces.h"
#include "config/network/network.h"
#include "corpus/corpus.h"
#include "formats/format.h"
#include "io/input.h"
#include "passes/lower/export.h"
#include "passes/lower/lower.h"
#include "passes/ten/check.h"
#include "passes/ten/retime.h"
#include "passes/verify/verify.h"
#include "sets/schedules.h"
#include "simulate/engine/replay.h"
#include "unit/passes/lowered.h"

namespace {

using namespace convert;
using test::lower;

std::filesystem::path folder() { return corpus::root() / "ten"; }

Schedule read(const std::filesystem::path& path, Diagnostics& diagnostics) {
  auto input = open_input(path.string());
  return find_format("ten").read_schedule(input->read_rest(), path.filename().string(), {}, diagnostics);
}

std::string written(const Schedule& s, const std::string& form) {
  std::string out;
  find_format("ten").write_schedule(
      s, FormatOptions(std::vector<std::pair<std::string, std::string>>{{"form", form}}), out);
  return out;
}

std::string text(const Diagnostics& diagnostics) {
  std::string out;
  for (const Diagnostic& d : diagnostics.all()) {
    if (out.size() < 2000) out += format_diagnostic(d) + "\n";
  }
  return out;
}

void expect_proved(const StepGraph& p, const std::string& name) {
  Diagnostics diagnostics;
  verify(p, {.dataflow = true, .collective = {}, .soft = Severity::error}, diagnostics);
  EXPECT_EQ(diagnostics.errors(), 0U) << name << "\n" << text(diagnostics);
}

ReplayResult on_wires(const std::vector<Trace>& traces, const Schedule& s) {
  ReplayOptions options;
  options.network.model = NetworkModel::wires;
  options.network.occupancy = s.occupancy == Schedule::Occupancy::beta ? Occupancy::beta : Occupancy::alpha_beta;
  Diagnostics diagnostics;
  auto result = test::replay_traces(traces, network_of(s), options, diagnostics);
  EXPECT_EQ(diagnostics.errors(), 0U) << text(diagnostics);
  return std::move(*result);
}

Picoseconds ps(const std::string& us) { return static_cast<Picoseconds>(std::llround(std::stod(us) * 1e6)); }

// All data in the reference's tables about a schedule follows from the file.
TEST(TenCorpus, GoldenSchedulesAreProvedAndTakeTheirTime) {
  REQUIRE_CORPUS();
  std::size_t files = 0;
  Picoseconds worst = 0;
  for (auto& row : corpus::read_table(folder() / "schedules" / "INDEX.tsv")) {
    for (const std::string form : {"json", "csv"}) {
      const std::string name = row["file"] + "." + form;
      ++files;
      Diagnostics diagnostics;
      const Schedule s = read(folder() / "schedules" / name, diagnostics);
      EXPECT_EQ(std::to_string(s.nodes), row["npus"]) << name;
      EXPECT_EQ(std::to_string(s.wires.size()), row["links"]) << name;
      EXPECT_EQ(std::to_string(s.chunks.size()), row["chunks"]) << name;
      EXPECT_EQ(std::to_string(s.chunk_bytes.value_or(0)), row["chunk_size_B"]) << name;
      EXPECT_EQ(std::to_string(s.transfers.size()), row["transfers"]) << name;
      EXPECT_EQ(convert::name(s.collective), row["collective"]) << name;
      const Picoseconds time = ps(row["collective_time_us"]);
      EXPECT_EQ(s.claimed_ps, time) << name;
      EXPECT_EQ(written_time(s), time) << name;

      Schedule timed;
      const Flow flow = check_schedule(s, timed, diagnostics);
      EXPECT_EQ(diagnostics.errors(), 0U) << name << "\n" << text(diagnostics);
      EXPECT_NEAR(static_cast<double>(replayed_time(timed, flow)), static_cast<double>(time), 20) << name;

      const CheckedSchedule checked = check_and_repair(s, {}, diagnostics);
      const std::vector<Trace> traces = lower(checked.algorithm);
      expect_proved(make_step_graph(checked.algorithm), name);
      expect_proved(make_step_graph(traces, diagnostics), name);
      const ReplayResult result = on_wires(traces, s);
      EXPECT_EQ(result.status, ReplayStatus::complete) << name;
      // Times in files and of hops are exact to 1 ps, so the longest path may differ by 1 ps per transfer.
      const Picoseconds off = std::abs(result.total_ps - time);
      EXPECT_LE(off, 16) << name;
      worst = std::max(worst, off);
      EXPECT_EQ(result.npus.size(), s.nodes);
    }
  }
  EXPECT_EQ(files, 84U);
  RecordProperty("worst_ps", static_cast<int>(worst));
}

TEST(TenCorpus, GoldenSchedulesRunAsMscclPrograms) {
  REQUIRE_CORPUS();
  for (auto& row : corpus::read_table(folder() / "schedules" / "INDEX.tsv")) {
    Diagnostics diagnostics;
    const CheckedSchedule checked =
        check_and_repair(read(folder() / "schedules" / (row["file"] + ".json"), diagnostics), {}, diagnostics);
    const Algorithm direct = runnable(checked.algorithm, diagnostics);
    expect_proved(make_step_graph(direct), row["file"]);
    const Algorithm raised = export_algorithm(lower(checked.algorithm), diagnostics);
    expect_proved(make_step_graph(raised), row["file"]);
    EXPECT_EQ(raised.steps.size(), direct.steps.size()) << row["file"];
    EXPECT_EQ(diagnostics.errors(), 0U) << text(diagnostics);
  }
}

// As schedules, as traces and as MSCCL-IR: all work is proportional to the number of transfers.
TEST(TenCorpus, SchedulesOfManyTransfersAreProved) {
  REQUIRE_CORPUS();
  const std::map<std::string, std::size_t> transfers{{"mesh_8x8.all_reduce.paired.coarse.ten.csv.gz", 16'128},
                                                     {"mesh_8x8.all_reduce.paired.ten.csv.gz", 129'024}};
  for (const auto& [name, count] : transfers) {
    Diagnostics diagnostics;
    const CheckedSchedule checked =
        check_and_repair(read(corpus::root() / "synthesis" / name, diagnostics), {}, diagnostics);
    ASSERT_EQ(diagnostics.errors(), 0U) << text(diagnostics);
    EXPECT_EQ(checked.algorithm.transfers.size(), count) << name;
    const auto expect_proved_in_linear_work = [&](const StepGraph& p) {
      VerifyOptions options;
      options.dataflow = true;
      options.search_budget = 40 * std::uint64_t{p.step_count()};
      verify(p, options, diagnostics);
      EXPECT_EQ(diagnostics.errors(), 0U) << name << text(diagnostics);
    };
    expect_proved_in_linear_work(make_step_graph(checked.algorithm));
    expect_proved_in_linear_work(make_step_graph(runnable(checked.algorithm, diagnostics)));
    const std::vector<Trace> traces = lower(checked.algorithm);
    expect_proved_in_linear_work(make_step_graph(traces, diagnostics));
  }
}

TEST(TenCorpus, BothSpellingsSayTheSame) {
  REQUIRE_CORPUS();
  for (auto& row : corpus::read_table(folder() / "schedules" / "INDEX.tsv")) {
    Diagnostics diagnostics;
    const Schedule json = read(folder() / "schedules" / (row["file"] + ".json"), diagnostics);
    Schedule csv = read(folder() / "schedules" / (row["file"] + ".csv"), diagnostics);
    const std::string canonical = written(json, "json");
    const auto again = [&](const std::string& bytes) {
      return find_format("ten").read_schedule(bytes, "again", {}, diagnostics);
    };
    EXPECT_EQ(written(again(canonical), "json"), canonical) << row["file"];
    EXPECT_EQ(written(again(written(json, "csv")), "json"), canonical) << row["file"];
    csv.meta = json.meta;  // these CSV files have no meta
    EXPECT_EQ(written(csv, "json"), canonical) << row["file"];
  }
}

TEST(TenCorpus, StepsAreSchedulesToo) {
  REQUIRE_CORPUS();
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder() / "schedules_steps")) {
    if (entry.path().extension() != ".csv") continue;
    ++files;
    Diagnostics diagnostics;
    const Schedule s = read(entry.path(), diagnostics);
    EXPECT_EQ(s.time, Schedule::Time::steps);
    const CheckedSchedule checked = check_and_repair(s, {}, diagnostics);
    EXPECT_EQ(diagnostics.errors(), 0U) << entry.path() << text(diagnostics);
    ASSERT_GT(checked.algorithm.ranks(), 0) << entry.path();
    const std::vector<Trace> traces = lower(checked.algorithm);
    expect_proved(make_step_graph(traces, diagnostics), entry.path());
    if (const auto time = written_time(s)) {
      EXPECT_NEAR(static_cast<double>(on_wires(traces, s).total_ps), static_cast<double>(*time), 20)
          << entry.path();
    }
  }
  EXPECT_GT(files, 0U);
}

TEST(TenCorpus, BrokenSchedulesAreRefusedForTheirReason) {
  REQUIRE_CORPUS();
  std::size_t files = 0;
  for (auto& row : corpus::read_table(folder() / "schedules_invalid" / "expected.tsv")) {
    for (const std::string form : {"json", "csv"}) {
      const auto path = folder() / "schedules_invalid" / (row["file (json and csv)"] + "." + form);
      ASSERT_TRUE(std::filesystem::exists(path)) << path;
      ++files;
      Diagnostics diagnostics;
      const Schedule s = read(path, diagnostics);
      Schedule timed;
      (void)check_schedule(s, timed, diagnostics);
      std::set<std::string> rules;
      for (const Diagnostic& d : diagnostics.all()) rules.insert(d.rule);
      const std::string rule = row["rule that must be among the findings"].substr(0, 2);
      EXPECT_TRUE(rules.contains(rule)) << path << text(diagnostics);
      EXPECT_EQ(diagnostics.errors() != 0, row["verdict"] == "INVALID") << path << text(diagnostics);
    }
  }
  EXPECT_EQ(files, 22U);
}

// Impossible times claimed by TACOS v1.3.0: in the order on the links they take longer.
TEST(TenCorpus, AcausalSchedulesAreRepaired) {
  REQUIRE_CORPUS();
  const std::map<std::string, Picoseconds> times = {{"mesh2d_hetero_3x3", 74'114'582},
                                                    {"mesh2d_hetero_5x5", 214'833'331}};
  for (const auto& [name, time] : times) {
    for (const std::string form : {"json", "csv"}) {
      Diagnostics diagnostics;
      const auto path = folder() / "schedules_invalid" / (name + ".all_gather.acausal_v130." + form);
      ScheduleOptions options;
      options.repair = true;
      const CheckedSchedule checked = check_and_repair(read(path, diagnostics), options, diagnostics);
      EXPECT_EQ(diagnostics.errors(), 0U) << text(diagnostics);
      EXPECT_EQ(written_time(checked.schedule), time) << path;
      const std::vector<Trace> traces = lower(checked.algorithm);
      expect_proved(make_step_graph(traces, diagnostics), path);
      EXPECT_NEAR(static_cast<double>(on_wires(traces, checked.schedule).total_ps), static_cast<double>(time), 10);
    }
  }
}

// The nine times of ASTRA-sim's congestion-aware backend, for custom collectives with dependencies on links.
TEST(TenCorpus, TakesAsLongAsAstraSays) {
  REQUIRE_CORPUS();
  struct Case {
    const char* file;
    const char* network;
    Picoseconds ns[3];
  };
  const std::vector<Case> cases = {{"ring_8", "ring:8,bw=50GiB/s,lat=500ns", {80124, 80128, 160252}},
                                   {"full_8", "fully_connected:8,bw=50GiB/s,lat=500ns", {20031, 20032, 40063}},
                                   {"ring_4_c2", "ring:4,bw=100GiB/s,lat=0ns", {29295, 29297, 58592}}};
  for (const Case& c : cases) {
    std::size_t k = 0;
    for (const std::string collective : {"all_gather", "reduce_scatter", "all_reduce"}) {
      const std::string name = std::string(c.file) + "." + collective + ".json";
      Diagnostics diagnostics;
      const CheckedSchedule checked =
          check_and_repair(read(folder() / "schedules" / name, diagnostics), {}, diagnostics);
      ReplayOptions options;
      options.network.model = NetworkModel::aware;
      options.issue = IssueMode::algorithm;
      const auto result =
          test::replay_traces(lower(checked.algorithm), find_network(c.network), options, diagnostics);
      ASSERT_TRUE(result) << text(diagnostics);
      EXPECT_EQ(result->total_ps, c.ns[k++] * ps_per_ns) << name;
    }
  }
}

std::string warnings(const std::filesystem::path& path, Schedule& s) {
  Diagnostics diagnostics;
  s = read(path, diagnostics);
  if (!s.chunk_bytes) s.chunk_bytes = 1 << 20;
  const CheckedSchedule checked = check_and_repair(s, {}, diagnostics);
  EXPECT_EQ(diagnostics.errors(), 0U) << path << text(diagnostics);
  EXPECT_GT(checked.algorithm.ranks(), 0) << path;
  expect_proved(make_step_graph(lower(checked.algorithm), diagnostics), path);
  return text(diagnostics);
}

TEST(TenCorpus, ForeignSchedulesAreReadAndTheirFlawsNamed) {
  REQUIRE_CORPUS();
  const auto foreign = folder() / "foreign";
  Schedule s;
  const std::map<std::string, int> redundant = {
      {"hypercube3d_2x2x2_c2", 16}, {"mesh2d_3x3", 9}, {"mesh2d_5x5", 25}, {"torus2d_4x4", 16}};
  for (const auto& [name, count] : redundant) {
    const std::string all = warnings(foreign / "tacos_csv_2024" / (name + ".csv"), s);
    EXPECT_NE(all.find(" " + std::to_string(count) + " transfers bring copies to nodes that already hold them"),
              std::string::npos)
        << name << all;
    EXPECT_EQ(s.time, Schedule::Time::order);
  }
  std::size_t timed = 0;
  for (const auto& entry : std::filesystem::directory_iterator(foreign / "emmay78_timed_csv")) {
    ++timed;
    const std::string all = warnings(entry.path(), s);
    const bool too_much = entry.path().string().find("multiple_5") != std::string::npos;
    EXPECT_EQ(all.find("0.156259 µs too much") != std::string::npos, too_much) << entry.path() << all;
    EXPECT_EQ(all.find("claims to take") != std::string::npos, too_much) << entry.path() << all;
  }
  EXPECT_EQ(timed, 4U);
  EXPECT_EQ(warnings(foreign / "teccl" / "mesh_4.json", s), "");
  EXPECT_EQ(s.transfers.size(), 240U);
  EXPECT_TRUE(s.relays.empty());
  EXPECT_EQ(written_time(s), Picoseconds{8} * 1'000'000 * ps_per_us);
  EXPECT_EQ(warnings(foreign / "teccl" / "ndv2_schedule.json", s), "");
  EXPECT_EQ(s.nodes, 16U);
  EXPECT_EQ(s.relays, std::vector<std::uint32_t>{0}) << "the nodes are 1 to 15";
}

// R4 to R6 prove that the paths meet every demand. Two solutions count chunks twice that are sent once.
TEST(TenCorpus, AllToAllsOfTecclAreProved) {
  REQUIRE_CORPUS();
  const auto foreign = folder() / "foreign" / "teccl_alltoall";
  struct Want {
    const char* file;
    std::uint32_t nodes;
    std::size_t demands, parts;
    const char* warning;
  };
  const std::vector<Want> files = {
      {"dgx2_2_slow_16kb", 34, 992, 2, "7 flows with less volume than the paths through it"},
      {"dgx2_2_slow_256kb", 34, 992, 1, ""},
      {"ndv2_2_fast_1kb", 16, 210, 10, ""},
      {"ndv2_2_fast_early_stop_4kb", 16, 210, 4, "100 flows with less volume than the paths through it"},
      {"ndv2_2_slow_16kb", 16, 210, 1, ""},
      {"ndv2_2_slow_1mb", 16, 210, 1, ""},
      {"ndv2_2_slow_256kb", 16, 210, 1, ""},
      {"ndv2_2_slow_64kb", 16, 210, 1, ""},
  };
  for (const Want& want : files) {
    Schedule s;
    const std::string all = warnings(foreign / (std::string(want.file) + ".json.gz"), s);
    EXPECT_EQ(all.empty(), *want.warning == '\0') << want.file << all;
    EXPECT_NE(all.find(want.warning), std::string::npos) << want.file << all;
    EXPECT_EQ(s.nodes, want.nodes) << want.file;
    EXPECT_EQ(s.chunks.size(), want.demands * want.parts) << want.file;
    EXPECT_EQ(s.collective, Collective::all_to_all) << want.file;
  }
}

}  // namespace
