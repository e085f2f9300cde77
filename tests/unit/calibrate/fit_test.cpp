// SPDX-License-Identifier: MIT
#include "calibrate/fit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "calibrate/calibration.h"
#include "calibrate/pattern_search.h"
#include "core/diagnostic.h"
#include "machine/constants.h"
#include "machine/file.h"
#include "machine/write.h"

namespace {

using namespace convert;

Machine hardware(bool nvls = true) {
  Machine m;
  m.name = "made";
  m.node = {.gpus = 8, .port_bytes_per_ns = 450};
  m.fabric = MachineFabric{.adapters = 8, .bytes_per_ns = 50};
  if (nvls) m.library.nvls.emplace();
  return m;
}

// A library unlike the defaults.
Machine truth() {
  Machine m = hardware();
  m.library.launch_ns = 14'000;
  m.library.ring = {{1'100, 0.21}, {2'300, 0.5}, {4'700, 0.88}};
  m.library.nvls->latency_ns = 25'000;
  m.library.nvls->share = 0.7;
  m.library.messages.Simple = {1'500, 0.7};
  m.library.across.ring.Simple = {20'000, 0.8};
  return m;
}

// Returns what a benchmark of the machine would print.
BenchmarkCurve curve_of(const Machine& m, Collective collective, std::uint32_t ranks, std::uint32_t nodes,
                        const std::string& set = "made", double harness_ns = 0) {
  BenchmarkCurve c{.set = set, .collective = collective, .ranks = ranks, .nodes = nodes};
  for (double bytes = 1024; bytes <= 8.0 * (1 << 30); bytes *= 2) c.bytes.push_back(bytes);
  c.times_ns.resize(c.bytes.size());
  call_times(m, c.call(), {}, c.bytes, c.times_ns);
  for (double& t : c.times_ns) t += harness_ns;
  return c;
}

BenchmarkCurves curves_of(const Machine& m) {
  BenchmarkCurves all;
  for (const std::uint32_t n : {2U, 4U, 8U}) {
    for (const Collective c :
         {Collective::all_reduce, Collective::all_gather, Collective::reduce_scatter, Collective::all_to_all})
      all.push_back(curve_of(m, c, n, 1));
  }
  for (const std::uint32_t nodes : {2U, 4U}) {
    for (const Collective c : {Collective::all_reduce, Collective::all_gather, Collective::all_to_all})
      all.push_back(curve_of(m, c, 8 * nodes, nodes));
  }
  return all;
}

TEST(PatternSearch, FindsTheLeastWithinBounds) {
  const std::vector<SearchVariable> variables = {{-5, 5, 0}, {-1, 1, 0.5}, {-5, 5, 0}};
  for (int start = 0; start < 4; ++start) {
    const std::vector<double> at = pattern_search(std::span<const SearchVariable>(variables), start, [](auto x) {
      return (x[0] - 2) * (x[0] - 2) + (x[1] + 3) * (x[1] + 3) + (x[2] - x[0]) * (x[2] - x[0]);
    });
    EXPECT_NEAR(at[0], 2, 0.02);
    EXPECT_EQ(at[1], -1);  // its least is beyond the bound
    EXPECT_NEAR(at[2], 2, 0.02);
  }
}

// The fit of exact times of a library finds them again to a few percent, at all sizes.
TEST(Fit, FindsAKnownLibrary) {
  const Machine m = truth();
  const BenchmarkCurves curves = curves_of(m);
  const FittedMachine fitted = fit_machine(hardware(), curves, {});
  const ErrorByBand errors = errors_of_formulas(fitted.machine, curves).percent();
  for (const auto& e : errors) EXPECT_LT(*e, 3);
  EXPECT_NEAR(fitted.machine.library.launch_ns, 14'000, 1'400);
  EXPECT_NEAR(fitted.machine.library.ring.Simple.share, 0.88, 0.04);
  EXPECT_NEAR(fitted.machine.library.across.ring.Simple.share, 0.8, 0.04);
  EXPECT_LT(fitted.machine.library.ring.LL.step_ns, fitted.machine.library.ring.LL128.step_ns);
  EXPECT_LT(fitted.machine.library.ring.LL128.step_ns, fitted.machine.library.ring.Simple.step_ns);
}

TEST(Fit, DoesNotDependOnJobs) {
  const BenchmarkCurves curves = curves_of(truth());
  const auto text = [&](unsigned jobs) {
    return machine_yaml(fit_machine(hardware(), curves, {.jobs = jobs}).machine, {});
  };
  EXPECT_EQ(text(1), text(2));
}

TEST(Fit, FindsTheTimeOfTheHarness) {
  const Machine m = truth();
  BenchmarkCurves curves = curves_of(m);
  curves.push_back(curve_of(m, Collective::all_gather, 8, 1, "python", 150'000));
  const FittedMachine fitted = fit_machine(hardware(), curves, {.harness = {"python"}});
  EXPECT_NEAR(fitted.machine.harness_ns.at("python"), 150'000, 3'000);
  const std::vector<MeasuredCall> table = table_of(fitted.machine, std::span(&curves.back(), 1));
  ASSERT_FALSE(table.empty());
  EXPECT_GE(table.front().time_ns, 4 * 140'000);  // small calls measure the harness
}

TEST(Fit, KeepsConstantsWithoutData) {
  Machine base = hardware();
  base.library.messages.launch_ns = 77'000;
  base.library.across.depth = 3;
  const BenchmarkCurves curves = {curve_of(truth(), Collective::all_reduce, 8, 1)};
  const FittedMachine fitted = fit_machine(base, curves, {});
  EXPECT_EQ(fitted.machine.library.messages.launch_ns, 77'000);
  EXPECT_EQ(fitted.machine.library.across.depth, 3);
  EXPECT_FALSE(fitted.fitted.contains("messages.launch"));
  EXPECT_TRUE(fitted.fitted.contains("launch"));
}

TEST(Fit, ShortCurvesAreForTheTableOnly) {
  BenchmarkCurve c = curve_of(truth(), Collective::all_reduce, 8, 1);
  c.bytes.resize(3);
  c.times_ns.resize(3);
  EXPECT_FALSE(is_fitted(c));
  const Calibration made = calibrate(hardware(), std::span(&c, 1), {});
  EXPECT_EQ(made.machine.measured.size(), 3U);
  EXPECT_EQ(made.machine.library.launch_ns, LibraryCosts{}.launch_ns);
  ASSERT_FALSE(made.notes.empty());
  EXPECT_EQ(made.notes.front().text,
            "made: all_reduce of 8 ranks has 3 sizes from 1 KiB to 4 KiB: for the table only, the fit requires 4 "
            "sizes over a factor of 64");
}

TEST(Calibration, RefusesTwoMachines) {
  const BenchmarkCurve a = curve_of(truth(), Collective::all_reduce, 8, 1, "a");
  BenchmarkCurve b = a;
  b.set = "b";
  for (double& t : b.times_ns) t *= 1.2;
  const BenchmarkCurves curves = {a, b};
  EXPECT_THROW((void)calibrate(hardware(), curves, {}), Error);
  EXPECT_NO_THROW((void)calibrate(hardware(), curves, {.accepts_conflicts = true}));
}

TEST(Calibration, NotesBandwidthsThatTheHardwareLacks) {
  Machine fast = truth();
  fast.node.port_bytes_per_ns = 900;
  fast.library.nvls.reset();
  const BenchmarkCurves curves = {curve_of(fast, Collective::all_gather, 8, 1)};
  std::string warnings;
  for (const CalibrationNote& note : notes_of_data(hardware(false), curves, {}))
    if (note.kind == NoteKind::warning) warnings += note.text;
  EXPECT_NE(warnings.find("more than a port of 450GB/s"), std::string::npos) << warnings;
}

// A machine is written with all digits and read back the same.
TEST(MachineText, IsReadBack) {
  Machine m = fit_machine(hardware(), curves_of(truth()), {}).machine;
  m.about = "made: \"by hand\" # 1";
  m.sources = {"N1: https://example.org/a#b"};
  m.gpu = "h100";
  m.fabric->call_bytes_per_ns = 400;
  m.fabric->leaf = 4;
  m.fabric->over = 2;
  m.harness_ns = {{"a b", 1'234.5}};
  m.library.program.rates.at(2) = ProgramRate{1'500, 10.9};
  m.tables = {"made.csv"};
  m.measured = {{Collective::all_gather, 16, 2, 4096, 21'500.123}, {Collective::all_reduce, 8, 1, 1 << 20, 30'000}};
  m.accuracy = {ErrorByBand{1.25, std::nullopt, 30}, std::nullopt, ErrorByBand{2, 3, 4}};
  const std::string yaml = machine_yaml(m, {"launch", "tree.LL.share"});
  const std::string csv = machine_csv(m.measured);
  const Machine back = parse_machine("made.yml", yaml, [&](const std::string& name, bool) {
    return MachineText{name, csv, {}};
  });
  for (const LibraryConstant& c : library_constants()) {
    Machine a = m, b = back;
    EXPECT_EQ(c.of(a.library), c.of(b.library)) << c.name();
  }
  EXPECT_EQ(machine_yaml(back, {"launch", "tree.LL.share"}), yaml);
  EXPECT_EQ(machine_csv(back.measured), csv);
  EXPECT_EQ(back.about, m.about);
  EXPECT_EQ(back.sources, m.sources);
  EXPECT_EQ(back.harness_ns, m.harness_ns);
  EXPECT_NE(yaml.find("launch: 14"), std::string::npos) << yaml;
  EXPECT_NE(yaml.find("# default, not determined by the data: launch"), std::string::npos) << yaml;
  EXPECT_NE(yaml.find("accuracy: { sizes: [1.3, none, 30], model: [2, 3, 4] }"), std::string::npos) << yaml;
}

}  // namespace
