// SPDX-License-Identifier: MIT
// A run with slices of representatives alone gives the same results for all NPUs as a run with slices of each NPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <regex>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "analyze/findings.h"
#include "analyze/parts.h"
#include "collectives/collective.h"
#include "passes/lower/lower.h"
#include "simulate/report/collective_kind.h"
#include "simulate/report/run.h"
#include "unit/scenario/layers.h"

namespace convert {
namespace {

using test::layers;

std::vector<Trace> algorithm(Collective op, const std::string& name, std::int32_t npus) {
  const Algorithm built = build_collective({.collective = op, .algorithm = name, .ranks = npus});
  Diagnostics diagnostics;
  const Lowering lowering(built, 1 << 20, diagnostics);
  std::vector<Trace> traces(static_cast<std::size_t>(npus));
  for (Rank r = 0; r < traces.size(); ++r) {
    traces[r].rank = r;
    lowering.lower(r, traces[r]);
  }
  return traces;
}

// `alone`: each NPU has its own slices.
convert::Run run_of(const std::vector<Trace>& traces, const test::SettingList& list, bool alone) {
  const LoadedReplay loaded = test::load(traces, list, [&](Scenario& s) {
    want_run(s.options);
    s.options.most_npus_alone = 0;
    s.options.symmetry = !alone;
  });
  ReplayResult result = replay(*loaded.program);
  result.kinds = collective_kinds(*loaded.program);
  return make_run(result, &*loaded.program);
}

auto links_of(const convert::Run& run) {
  std::vector<std::tuple<std::string, std::string, std::int32_t, std::int64_t, std::uint32_t, Picoseconds>> links;
  for (const convert::Run::Link& l : run.links) {
    links.emplace_back(run.texts[l.from], run.texts[l.to], l.dim, l.bytes, l.messages, l.busy_ps);
  }
  return links;
}
auto matrix_of(const convert::Run& run) {
  std::vector<std::tuple<Rank, Rank, std::int64_t, std::uint64_t>> matrix;
  for (const convert::Run::Traffic& t : run.matrix) matrix.emplace_back(t.src, t.dst, t.bytes, t.messages);
  return matrix;
}
auto calls_of(const convert::Run& run) {
  std::vector<std::tuple<std::int64_t, std::uint32_t, std::uint32_t, Picoseconds, Picoseconds, Picoseconds, Rank>>
      calls;
  for (const convert::Run::Call& c : run.calls)
    calls.emplace_back(c.group, c.number, c.npus, c.begin_ps, c.last_begin_ps, c.end_ps, c.first_npu);
  return calls;
}
auto call_npus_of(const convert::Run& run) {
  std::vector<std::tuple<std::uint32_t, Rank, Picoseconds, Picoseconds>> all;
  for (const convert::Run::CallNpu& c : run.call_npus) all.emplace_back(c.call, c.npu, c.begin_ps, c.end_ps);
  return all;
}
auto npus_of_run(const convert::Run& run) {
  std::vector<std::tuple<Rank, Picoseconds, Picoseconds, std::uint64_t, std::int64_t, std::uint64_t>> all;
  for (const convert::Run::Npu& n : run.npus)
    all.emplace_back(n.rank, n.finish_ps, n.compute_ps, n.sends, n.bytes_sent, n.nodes_done);
  return all;
}
auto parts(const convert::Run& run) {
  std::vector<std::array<Picoseconds, part_count>> all;
  for (const NpuParts& p : parts_of(run)) all.push_back(p.ps);
  return all;
}
// Masks the NPUs of the headline: each run names one of several symmetric paths.
std::vector<std::string> texts(const convert::Run& run) {
  std::vector<std::string> all;
  for (const Finding& f : findings_of(run)) {
    const bool headline = f.rule == "headline";
    all.push_back(headline ? std::regex_replace(f.text, std::regex(" on [^;]*"), "") : f.text);
  }
  return all;
}
std::map<convert::Run::StepKind, Picoseconds> path_times(const convert::Run& run) {
  std::map<convert::Run::StepKind, Picoseconds> times;
  for (const convert::Run::Step& s : run.path) {
    if (s.time_ps > 0) times[s.kind] += s.time_ps;
  }
  return times;
}

// Compares a node's slices of an NPU and of its representative; peers are the peers of the NPU.
void compare_slices(const convert::Run& all, const convert::Run& few) {
  std::map<Rank, Rank> like;
  for (const convert::Run::Class& c : few.classes) like[c.npu] = c.like;
  using Times = std::tuple<Picoseconds, Picoseconds, Lane, std::int64_t>;
  std::map<std::pair<Rank, NodeId>, std::pair<Times, std::int32_t>> known;
  for (const Slice& s : few.timeline.slices)
    known[{s.rank, s.node}] = {{s.begin_ps, s.end_ps, s.lane, s.bytes}, s.peer};
  for (const Slice& s : all.timeline.slices) {
    const auto own = like.find(s.rank);
    const auto at = known.find({own == like.end() ? s.rank : own->second, s.node});
    ASSERT_NE(at, known.end()) << s.rank << ':' << s.node;
    EXPECT_EQ(at->second.first, Times(s.begin_ps, s.end_ps, s.lane, s.bytes)) << s.rank << ':' << s.node;
    if (own == like.end()) {
      EXPECT_EQ(at->second.second, s.peer) << s.rank << ':' << s.node;
    }
  }
}

// Its steps follow each other and add up, and each matches the work of its NPU at that time.
void check_path(const convert::Run& all, const convert::Run& few) {
  Picoseconds at = 0;
  std::map<std::pair<Rank, NodeId>, const Slice*> slices;
  for (const Slice& s : all.timeline.slices) slices[{s.rank, s.node}] = &s;
  for (const convert::Run::Step& s : few.path) {
    EXPECT_EQ(s.begin_ps, at);
    at += s.time_ps;
    ASSERT_TRUE(slices.contains({s.npu, s.node})) << s.npu << ':' << s.node;
    const Slice& slice = *slices[{s.npu, s.node}];
    EXPECT_GE(s.begin_ps, slice.begin_ps) << s.npu << ':' << s.node;
    EXPECT_LE(s.begin_ps + s.time_ps, slice.end_ps) << s.npu << ':' << s.node;
    if (s.kind == convert::Run::StepKind::message) {
      EXPECT_EQ(s.peer, slice.peer);
    }
    if (s.kind == convert::Run::StepKind::collective) {
      EXPECT_EQ(s.call, slice.call);
    }
  }
  EXPECT_EQ(at, few.total_ps);
  EXPECT_EQ(path_times(few), path_times(all));
}

// `classes`: the number of NPUs with slices.
void compare(const std::vector<Trace>& traces, const test::SettingList& settings, std::size_t classes) {
  const convert::Run all = run_of(traces, settings, true);
  const convert::Run few = run_of(traces, settings, false);
  ASSERT_EQ(all.classes.size(), 0U);
  EXPECT_EQ(traces.size() - few.classes.size(), classes);
  EXPECT_EQ(few.total_ps, all.total_ps);
  EXPECT_EQ(npus_of_run(few), npus_of_run(all));
  EXPECT_EQ(parts(few), parts(all));
  EXPECT_EQ(calls_of(few), calls_of(all));
  EXPECT_EQ(call_npus_of(few), call_npus_of(all));
  EXPECT_EQ(links_of(few), links_of(all));
  EXPECT_EQ(few.network_links, all.network_links);
  EXPECT_EQ(few.link_bin_ps, all.link_bin_ps);
  EXPECT_EQ(few.link_bins, all.link_bins);
  EXPECT_EQ(matrix_of(few), matrix_of(all));
  EXPECT_EQ(few.slack_ps.size(), few.timeline.slices.size());
  compare_slices(all, few);
  check_path(all, few);
  EXPECT_EQ(texts(few), texts(all));
}

std::vector<std::string> models() { return {"links", "aware", "unaware"}; }

TEST(Classes, TrainingOnAProduct) {
  for (const std::string& model : models()) {
    for (const auto& [network, classes] :
         std::vector<std::pair<std::string, std::size_t>>{{"torus:4x4,bw=50GB/s,lat=500ns", 1},
                                                          {"ring:16,bw=50GB/s,lat=500ns", 1},
                                                          {"ring:4,bw=50GB/s,lat=500ns+switch:4,bw=20GB/s", 1},
                                                          {"fully_connected:16,bw=5GB/s,lat=1us", 1}}) {
      SCOPED_TRACE(model + ' ' + network);
      compare(layers(16, "all_reduce:1MiB,all_gather:64KiB"), {{"network", network}, {"model", model}}, classes);
    }
  }
}

TEST(Classes, AStragglerHasOnesOwn) {
  for (const std::string& model : models()) {
    SCOPED_TRACE(model);
    compare(layers(8, "all_reduce:1MiB"),
            {{"network", "torus:4x2,bw=50GB/s,lat=500ns"}, {"model", model}, {"slow", "5=1.2x"}}, 8);
    // A row of collectives: the NPUs of each row are equivalent.
    compare(
        layers(8, "all_reduce:1MiB"),
        {{"network", "torus:4x2,bw=50GB/s,lat=500ns"}, {"model", model}, {"slow", "4=1.2x;5=1.2x;6=1.2x;7=1.2x"}},
        2);
  }
}

TEST(Classes, AlgorithmsOfMessages) {
  for (const std::string& model : models()) {
    SCOPED_TRACE(model);
    const std::string on = ":8,bw=50GB/s,lat=500ns";
    // The chunks of a ring begin at different ranks, so its nodes are in another order on each rank.
    compare(algorithm(Collective::all_reduce, "ring", 8), {{"network", "ring" + on}, {"model", model}}, 8);
    compare(algorithm(Collective::all_to_all, "direct", 8), {{"network", "switch" + on}, {"model", model}},
            model == "unaware" ? 8 : 1);
  }
}

TEST(Classes, OneNpuAndOneOfTwo) {
  compare(layers(2, "all_reduce:1KiB"), {{"network", "ring:2,bw=50GB/s,lat=500ns"}}, 1);
  compare(layers(2, "all_reduce:1KiB"), {{"network", "ring:2,bw=50GB/s,lat=500ns"}, {"slow", "0=2x"}}, 2);
}

TEST(Classes, WhatIsStoppedIsToldOfAll) {
  const test::SettingList settings = {{"network", "torus:4x4,bw=50GB/s,lat=500ns"}, {"until", "100us"}};
  const convert::Run all = run_of(layers(16, "all_reduce:1MiB"), settings, true);
  const convert::Run few = run_of(layers(16, "all_reduce:1MiB"), settings, false);
  EXPECT_EQ(few.classes.size(), 15U);
  EXPECT_EQ(parts(few), parts(all));
  EXPECT_EQ(texts(few), texts(all));
  compare_slices(all, few);
}

TEST(Classes, UpTo128NpusEachHasSlices) {
  ReplayOptions options;
  want_run(options);
  EXPECT_EQ(options.most_npus_alone, most_recorded_alone);
  // A timeline requested before contains all NPUs.
  ReplayOptions other;
  other.timeline = true;
  want_run(other);
  EXPECT_EQ(other.most_npus_alone, UINT32_MAX);
}

}  // namespace
}  // namespace convert
