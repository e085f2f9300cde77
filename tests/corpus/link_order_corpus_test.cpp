// SPDX-License-Identifier: MIT
// Schedules replay to their claimed time on the network for which they were made.
#include <gtest/gtest.h>

#include <cstdlib>

#include "common/replay_traces.h"
#include "corpus/corpus.h"
#include "formats/format.h"
#include "io/input.h"
#include "sets/schedules.h"
#include "unit/passes/lowered.h"

namespace {

using namespace convert;

Picoseconds replayed(const CheckedSchedule& checked, std::vector<std::string>* notes) {
  ReplayOptions options;
  options.network.model = NetworkModel::wires;
  options.network.forwarding = Forwarding::store;
  const bool beta = checked.schedule.occupancy == Schedule::Occupancy::beta;
  options.network.occupancy = beta ? Occupancy::beta : Occupancy::alpha_beta;
  Diagnostics diagnostics;
  const auto traces = test::lower(checked.algorithm);
  const auto result = test::replay_traces(traces, network_of(checked.schedule), options, diagnostics);
  EXPECT_TRUE(result.has_value());
  *notes = result->notes;
  return result->total_ps;
}

TEST(LinkOrderCorpus, SynthesisedSchedulesTakeTheirClaimedTime) {
  REQUIRE_CORPUS();
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(corpus::root() / "synthesis")) {
    const std::string name = entry.path().filename().string();
    if (name.find(".ten.csv") == std::string::npos) continue;
    ++files;
    Diagnostics diagnostics;
    auto input = open_input(entry.path().string());
    const CheckedSchedule checked = check_and_repair(
        find_format("ten").read_schedule(input->read_rest(), name, {}, diagnostics), {}, diagnostics);
    ASSERT_EQ(diagnostics.errors(), 0U) << name;
    std::vector<std::string> notes;
    const Picoseconds got = replayed(checked, &notes);
    const Picoseconds claimed = *checked.schedule.claimed_ps;
    // Links between NPUs represent routes over switches there, which the schedule does not record.
    const bool leaves_out_switches = name.find(".npu.") != std::string::npos;
    EXPECT_LE(leaves_out_switches ? got - claimed : std::abs(got - claimed), 64)
        << name << ": 1 ps for each hop of the longest way";
    EXPECT_TRUE(notes.empty()) << name;
  }
  EXPECT_EQ(files, 7U);
}

}  // namespace
