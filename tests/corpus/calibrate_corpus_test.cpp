// SPDX-License-Identifier: MIT
// Ten machines, calibrated from their hardware and the corpus' measurements: errors at most 1.1 × the errors of the
// prototype + 0.5 points, in each band; constants within 10 % of the shipped ones where the data determine them.
#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "calibrate/calibration.h"
#include "calibrate/selection.h"
#include "corpus.h"
#include "machine/chosen.h"
#include "machine/constants.h"
#include "machine/write.h"

namespace {

using namespace convert;

struct CorpusMachine {
  const char* name;
  MachineNode node;
  std::optional<MachineFabric> fabric;
  std::int64_t nvls_channels;           // 0: none
  std::vector<const char*> selections;  // as on the command line of et-calibrate
  ErrorByBand formulas, between_sizes;  // of the prototype (results_given.txt)
};

std::vector<CorpusMachine> corpus_machines() {
  const MachineFabric ib400{.adapters = 8, .bytes_per_ns = 50};
  const MachineFabric ib200{.adapters = 8, .bytes_per_ns = 25};
  const MachineFabric efa{.adapters = 32, .bytes_per_ns = 12.5};
  const MachineFabric rack{.adapters = 72, .bytes_per_ns = 50, .call_bytes_per_ns = 400};
  return {
      {"dgx-h100",
       {8, 450},
       ib400,
       16,
       {"set=S2+P1+N1+N2", "set=X0,overhead=fit,collective=all_gather+reduce_scatter+all_to_all",
        "set=X1,overhead=fit,collective=all_gather+reduce_scatter+all_to_all",
        "set=X1,overhead=fit,collective=all_reduce,ranks=2+4"},
       {24.1, 10.3, 3.4},
       {29.8, 11.4, 1.5}},
      {"h100-xla", {8, 450}, std::nullopt, 16, {"set=X0+X1"}, {27.4, 10.4, 3.0}, {27.0, 11.9, 1.6}},
      {"dgx-b200",
       {8, 900},
       ib400,
       24,
       {"set=N12", "set=X2,overhead=fit,collective=all_gather+reduce_scatter+all_to_all",
        "set=X2,overhead=fit,collective=all_reduce,ranks=2+4"},
       {16.3, 10.7, 5.3},
       {22.2, 13.3, 3.2}},
      {"gb200-nvl72", {72, 900}, rack, 24, {"set=X3+N14+N17"}, {17.1, 12.8, 5.7}, {3.7, 6.2, 2.6}},
      {"dgx-a100", {8, 300}, ib200, 0, {"set=S1+P2,machine=a100+a100-vtrain"}, {4.1, 7.7, 2.8}, {5.2, 9.2, 2.7}},
      {"mi300x-node",
       {8, 64, true},
       ib400,
       0,
       {"set=N20+N23", "set=X5,overhead=fit"},
       {14.0, 10.7, 3.9},
       {13.6, 10.3, 2.6}},
      {"mi300x-xla", {8, 64, true}, std::nullopt, 0, {"set=X5"}, {16.0, 10.9, 3.2}, {8.4, 7.2, 1.4}},
      {"mi355x-node",
       {8, 76.8, true},
       ib400,
       0,
       {"set=N24", "set=X6,overhead=fit"},
       {17.1, 12.3, 4.5},
       {11.9, 8.5, 1.6}},
      {"aws-p5", {8, 450}, efa, 16, {"set=S3+S2"}, {11.1, 0.8, 0.9}, {8.5, 1.5, 1.3}},
      {"gcp-a3mega", {8, 450}, ib200, 16, {"set=N8+S2"}, {6.2, 4.2, 1.7}, {5.1, 4.1, 0.9}},
  };
}

Machine hardware_of(const CorpusMachine& c) {
  Machine m;
  m.name = c.name;
  m.node = c.node;
  m.fabric = c.fabric;
  if (c.nvls_channels > 0) m.library.nvls.emplace().channels = c.nvls_channels;
  return m;
}

struct MeasuredMachine {
  BenchmarkCurves curves;
  std::set<std::string> harness;
};
MeasuredMachine measured_of(const CorpusMachine& c) {
  const std::string path = (corpus::root() / "machines" / "given.csv").string();
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  MeasuredMachine all;
  for (const char* selection : c.selections) {
    const BenchmarkSelection parsed = parse_benchmark_selection(path + "," + selection);
    Diagnostics diagnostics;
    BenchmarkReadOptions options = parsed.read;
    options.gpus_of_node = c.node.gpus;
    SelectedCurves selected =
        select_curves(parsed, read_benchmark(path, text.str(), options, diagnostics), c.node.gpus, diagnostics);
    for (BenchmarkCurve& curve : selected.curves) {
      if (selected.fits_harness) all.harness.insert(curve.set);
      all.curves.push_back(std::move(curve));
    }
  }
  return all;
}

void expect_within(const BandErrors& errors, const ErrorByBand& of_prototype, const std::string& what) {
  const ErrorByBand found = errors.percent();
  for (std::size_t band = 0; band < found.size(); ++band)
    EXPECT_LE(*found.at(band), *of_prototype.at(band) * 1.1 + 0.5) << what << ", band " << band;
}

TEST(CalibrateCorpus, ErrorsAreThoseOfThePrototype) {
  REQUIRE_CORPUS();
  for (const CorpusMachine& c : corpus_machines()) {
    const MeasuredMachine measured = measured_of(c);
    const Calibration made = calibrate(hardware_of(c), measured.curves, {.fit = {.harness = measured.harness}});
    expect_within(made.formulas, c.formulas, std::string(c.name) + ", formulas");
    expect_within(made.between_sizes, c.between_sizes, std::string(c.name) + ", tables");
  }
}

// The presets of the corpus were made by the prototype from the same data.
TEST(CalibrateCorpus, ConstantsAreThoseOfThePresets) {
  REQUIRE_CORPUS();
  for (const CorpusMachine& c : corpus_machines()) {
    const MeasuredMachine measured = measured_of(c);
    const FittedMachine fitted = fit_machine(hardware_of(c), measured.curves, {.harness = measured.harness});
    const std::string name = c.name;
    if (name == "h100-xla" || name == "mi300x-xla") continue;  // for tests of the prototype only
    if (name == "gb200-nvl72") continue;  // the prototype fits an outlier of N17, which is omitted here
    Machine preset = choose_machine("machine:" + name)->machine();
    Machine own = fitted.machine;
    const std::set<std::string> undetermined(fitted.undetermined.begin(), fitted.undetermined.end());
    for (const LibraryConstant& constant : library_constants()) {
      if (!fitted.fitted.contains(constant.name()) || undetermined.contains(constant.name())) continue;
      const double expected = constant.of(preset.library);
      EXPECT_NEAR(constant.of(own.library), expected, 0.1 * expected) << name << ' ' << constant.name();
    }
  }
}

// Other owners' measurements, which are no part of the preset.
TEST(CalibrateCorpus, AnotherNodeOfTheType) {
  REQUIRE_CORPUS();
  const auto machine = choose_machine("machine:dgx-h100");
  const CorpusMachine c{"dgx-h100", {8, 450}, {}, 0, {"set=S16,machine=h100-vllm+h100-triton"}, {}, {}};
  const MeasuredMachine measured = measured_of(c);
  BandErrors errors;
  for (const ComparedCall& call : compare_calls(*machine, measured.curves))
    errors.add(call.bytes, call.predicted_ns, call.measured_ns);
  EXPECT_EQ(errors.count(), 20U);
  const ErrorByBand found = errors.percent();
  EXPECT_LE(*found[0], 8);
  EXPECT_LE(*found[1], 10);
  EXPECT_LE(*found[2], 3.5);
}

}  // namespace
