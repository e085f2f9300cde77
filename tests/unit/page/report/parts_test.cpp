// SPDX-License-Identifier: MIT
#include "page/report/parts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "analyze/diff/difference.h"
#include "analyze/fidelity/fidelity.h"
#include "analyze/findings.h"
#include "analyze/runs/sections.h"
#include "common/sample_runs.h"
#include "page/report/slices.h"

namespace convert {
namespace {

Picoseconds sum(const std::array<Picoseconds, part_count>& parts) {
  return std::accumulate(parts.begin(), parts.end(), Picoseconds{0});
}

Picoseconds part(const RunParts& parts, std::size_t npu, Part p) { return parts.npus.at(npu)[p]; }

RunParts parts_in(const Run& run) { return run_parts(run, NpuIndex(run)); }

Slice slice(Picoseconds begin, Picoseconds end, Lane lane, Rank rank = 0) {
  return {.begin_ps = begin, .end_ps = end, .rank = rank, .lane = lane};
}

void expect_adds_up(const Run& run) {
  const RunParts parts = parts_in(run);
  ASSERT_EQ(parts.npus.size(), run.npus.size());
  if (run.classes.empty()) {
    const std::vector<NpuParts> same = parts_of(run);
    for (std::size_t n = 0; n < same.size(); ++n) EXPECT_EQ(parts.npus[n].ps, same[n].ps);
  }
  std::array<Picoseconds, part_count> all{};
  for (const NpuParts& npu : parts.npus) {
    EXPECT_EQ(sum(npu.ps), window(run));
    for (std::size_t p = 0; p < all.size(); ++p) all[p] += npu.ps[p];
  }
  for (std::size_t p = 0; p < all.size(); ++p) {
    const double* bins = &parts.activity[p * activity_bins];
    const double area = std::accumulate(bins, bins + activity_bins, 0.0) / activity_bins;
    const double whole = static_cast<double>(window(run));
    if (whole > 0) {
      EXPECT_NEAR(area, static_cast<double>(all[p]) / whole, 1e-6 * (1 + area)) << p;
    }
  }
}

TEST(RunParts, AddUpToTheTotal) {
  expect_adds_up(sample::training({}));
  expect_adds_up(sample::ring(8, 14));
  expect_adds_up(sample::deadlock());
  expect_adds_up(sample::hostile());
  expect_adds_up(sample::training({1, 1, 3, 9}));
  expect_adds_up(sample::classes(1024));
  expect_adds_up(sample::training({32, 32, 4, 5}));
  expect_adds_up(convert::Run());
}

TEST(RunParts, UnionsOfEachKind) {
  convert::Run run;
  run.npus = {{.rank = 0}};
  run.total_ps = 1000;
  run.timeline.slices = {slice(0, 300, Lane::compute),   slice(100, 400, Lane::compute),
                         slice(350, 500, Lane::send),    slice(450, 600, Lane::recv),
                         slice(550, 700, Lane::memory),  slice(690, 800, Lane::cpu),
                         slice(900, 900, Lane::compute), slice(950, 2000, Lane::compute)};
  const RunParts parts = parts_in(run);
  EXPECT_EQ(part(parts, 0, Part::compute), 350 + 50);
  EXPECT_EQ(part(parts, 0, Part::overlap), 50);
  EXPECT_EQ(part(parts, 0, Part::exposed), 200);
  EXPECT_EQ(part(parts, 0, Part::waiting), 0);
  EXPECT_EQ(part(parts, 0, Part::memory), 100);
  EXPECT_EQ(part(parts, 0, Part::cpu), 100);
  EXPECT_EQ(part(parts, 0, Part::idle), 150);
}

TEST(RunParts, WaitsWhileAllThatCommunicatesWaits) {
  convert::Run run;
  run.npus = {{.rank = 0}, {.rank = 1}};
  run.total_ps = 1000;
  run.calls = {{.begin_ps = 100, .last_begin_ps = 600, .end_ps = 800}};
  run.timeline.slices = {slice(100, 800, Lane::collective), slice(600, 800, Lane::collective, 1),
                         slice(200, 500, Lane::recv), slice(400, 500, Lane::send, 1)};
  run.timeline.slices[0].call = run.timeline.slices[1].call = 0;
  run.timeline.slices[2].flow = run.timeline.slices[3].flow = 7;
  const RunParts parts = parts_in(run);
  EXPECT_EQ(parts.wait_ps, (std::vector<Picoseconds>{500, 0, 200, 0}));
  EXPECT_EQ(part(parts, 0, Part::waiting), 300 + 100);  // without the time in which the receive's message is in
                                                        // flight
  EXPECT_EQ(part(parts, 0, Part::exposed), 100 + 200);
  EXPECT_EQ(part(parts, 1, Part::waiting), 0);
}

// Statistics, differences, findings and pages have the same times for one run.
TEST(RunParts, AreTheSameInAllReports) {
  for (const convert::Run& run : {sample::training({}), sample::ring(8, 14), sample::classes(64)}) {
    const RunParts page = parts_in(run);
    std::array<double, part_count> mean{};
    for (const NpuParts& npu : page.npus) {
      for (std::size_t p = 0; p < mean.size(); ++p)
        mean[p] += static_cast<double>(npu.ps[p]) / static_cast<double>(page.npus.size());
    }
    const auto near = [](double a, double b) { EXPECT_NEAR(a, b, 1e-9 * (1 + b)); };
    const Section time = time_section(run, {});
    for (std::size_t p = 0; p < mean.size(); ++p) {
      EXPECT_EQ(time.tables.at(0).rows.at(p).at(0), Value(std::string(part_titles[p])));
      near(std::get<double>(time.tables.at(0).rows.at(p).at(1)), mean[p]);
    }
    const auto of = [&](Part part) { return mean[static_cast<std::size_t>(part)]; };
    const Fidelity fidelity = compare_run_statistics(run, run);
    near(fidelity.simulated.at(0).a.exposed_ps, of(Part::exposed));
    near(*fidelity.simulated.at(0).a.waiting_ps, of(Part::waiting));
    const auto all = static_cast<double>(page.npus.size());
    for (const Figure& f : overlap_section(run, {}).figures) {
      if (f.key == "exposed") near(static_cast<double>(std::get<std::int64_t>(f.value)), all * of(Part::exposed));
      if (f.key == "hidden" && f.unit == Unit::time)
        near(static_cast<double>(std::get<std::int64_t>(f.value)), all * of(Part::overlap));
    }
    convert::Run without = run;  // without paths a difference names the mean NPU
    without.path.clear();
    const Difference difference = compare_runs(without, without, {});
    for (std::size_t p = 0; p + 1 < mean.size(); ++p) {
      const auto part = difference.path_parts.find(std::string(part_titles[p]));
      ASSERT_NE(part, difference.path_parts.end());
      EXPECT_EQ(part->second.a_ps.get(), static_cast<Picoseconds>(mean[p])) << part->first;
    }
    for (const Finding& f : findings_of(run)) {
      if (f.rule != "bubble") continue;
      near(f.value * static_cast<double>(window(run)), of(Part::idle) + of(Part::waiting));
    }
  }
}

TEST(RunParts, NpusOfWhichOnlySlicesTell) {
  convert::Run run;
  run.total_ps = 100;
  run.timeline.slices = {slice(0, 60, Lane::compute, 7)};
  const RunParts parts = parts_in(run);
  ASSERT_EQ(parts.npus.size(), 1u);
  EXPECT_EQ(parts.npus[0].npu, 7u);
  EXPECT_EQ(part(parts, 0, Part::compute), 60);
}

TEST(RunParts, ThoseOfAClassHaveItsTimes) {
  const RunParts parts = parts_in(sample::classes(1024));
  EXPECT_EQ(parts.npus[64].ps, parts.npus[95].ps);
  EXPECT_GT(part(parts, 95, Part::compute), 0);
}

TEST(ShownTimeline, OneOfThoseThatDoTheSame) {
  const convert::Run run = sample::training({32, 32, 4, 5});
  const ShownTimeline shown = shown_timeline(run, NpuIndex(run), parts_in(run));
  ASSERT_EQ(shown.npus.size(), 2u);
  EXPECT_EQ(shown.npus[0].alike, 1023u);
  EXPECT_EQ(shown.npus[1].npu, 5u);
  EXPECT_EQ(shown.npus[1].alike, 1u);
}

TEST(ShownTimeline, ThoseOfThePathFirstWhereAllDiffer) {
  convert::Run run = sample::training({32, 8, 2, 200});
  for (Slice& s : run.timeline.slices) s.end_ps += s.rank;
  const ShownTimeline shown = shown_timeline(run, NpuIndex(run), parts_in(run));
  ASSERT_EQ(shown.npus.size(), most_npus_alone);
  EXPECT_TRUE(std::any_of(shown.npus.begin(), shown.npus.end(), [](const ShownNpu& n) { return n.npu == 200; }));
}

TEST(ShownTimeline, NoMoreSlicesThanCanBeSeenAndNoneIsLost) {
  const convert::Run run = sample::ring(100, 3000);
  const ShownTimeline shown = shown_timeline(run, NpuIndex(run), parts_in(run));
  EXPECT_LE(shown.slices.size(), most_slices);
  EXPECT_GT(shown.merged_below_ps, 0);
  std::size_t count = 0;
  for (const ShownSlice& s : shown.slices) count += s.count;
  EXPECT_EQ(count, run.timeline.slices.size());
}

}  // namespace
}  // namespace convert
