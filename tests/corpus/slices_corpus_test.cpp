// SPDX-License-Identifier: MIT
// Slices of recordings: iterations by PyTorch's marks and by repeated calls; windows of time, which have no more
// errors than the whole.
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <random>
#include <set>

#include "common/error_text.h"
#include "corpus.h"
#include "sets/check.h"
#include "sets/derived/iterating.h"
#include "sets/derived/windowing.h"
#include "unit/sets/split_sets.h"

namespace {

using namespace convert;
namespace fs = std::filesystem;

// The linked traces of a folder, in memory.
std::unique_ptr<test::HeldSet> linked(const std::string& name) {
  const fs::path folder = corpus::root() / "pytorch" / "inputs" / name;
  SourceOptions options{.operands = {}, .hash = false};
  for (Rank r = 0;; ++r) {
    const auto file = [&](const std::string& what) {
      const std::string base = what + "_" + std::to_string(r) + ".json";
      return folder / (fs::exists(folder / base) ? base : base + ".gz");
    };
    if (!fs::exists(file("kineto"))) break;
    options.operands.push_back(file("host"));
    options.linked.push_back({.rank = r, .device = file("kineto")});
  }
  Diagnostics diagnostics;
  TraceSource source(options, diagnostics);
  std::vector<Trace> traces = source.load(1);
  const auto groups = source.groups();
  return std::make_unique<test::HeldSet>(std::move(traces), groups ? groups->json : "");
}

// The set with other names than PyTorch's marks.
test::HeldSet unmarked(SetSource& set) {
  std::vector<Trace> traces = set.load(1);
  for (Trace& t : traces) {
    for (Node& n : t.nodes.nodes) {
      if (t.nodes.name(n).starts_with("ProfilerStep#")) n.name = t.nodes.add_text("step");
    }
  }
  return test::HeldSet(std::move(traces));
}

// A recording of ResNet-50 on an A100: seven calls in each of three steps.
TEST(SlicesCorpus, IterationsOfARecording) {
  REQUIRE_CORPUS();
  const auto resnet = linked("derived_nccl2rank");
  IterationSet marked(*resnet, {.first = 5, .last = 5, .repeat = 3});
  EXPECT_EQ(marked.description(),
            (std::vector<std::string>{"3 iterations (4 to 6), from marked nodes",
                                      "they last 222.503 ms, 219.786 ms, 225.124 ms", "selected: 5, 3 times"}));
  EXPECT_EQ(marked.spread(),
            "the 3 recorded iterations last 219.786 ms to 225.124 ms; the repeated iterations are -1.2 % off the "
            "mean of all iterations");
  EXPECT_EQ(marked.load(1).at(0).nodes.nodes.size(), 3U + 3 * 9324);
  EXPECT_EQ(marked.counts().left_out, 2U * 9324);

  test::HeldSet bare = unmarked(*resnet);
  IterationSet by_period(bare, {.first = 1, .last = 1});
  EXPECT_EQ(by_period.description().at(0),
            "3 iterations (0 to 2), from a period of 7 calls, which holds for 100 %");
  IterationSet once(*resnet, {.first = 5, .last = 5});
  const std::vector<Trace> a = by_period.load(1), b = once.load(1);
  ASSERT_EQ(a.at(0).nodes.nodes.size(), b.at(0).nodes.nodes.size());
  for (std::size_t i = 0; i < a[0].nodes.nodes.size(); ++i)
    EXPECT_EQ(a[0].nodes.nodes[i].id, b[0].nodes.nodes[i].id);
}

TEST(SlicesCorpus, CallsThatDoNotRepeat) {
  REQUIRE_CORPUS();
  const auto set = linked("syn_4rank");
  IterationSet marked(*set, {.medoid = true});
  EXPECT_EQ(marked.description().at(2), "selected: 0");
  test::HeldSet bare = unmarked(*set);
  EXPECT_EQ(
      test::error_message([&] { IterationSet by_period(bare, {}); }),
      "no iterations found: no node of rank 0 is marked (ProfilerStep#k, \"iteration k\" in a name, attribute "
      "iteration), and its calls do not repeat: the best period, 12 calls, holds for 76 %, but 90 % are required");
}

std::set<std::string> error_rules(SetSource& set) {
  Diagnostics found;
  check(set, {}, found);
  std::set<std::string> rules;
  for (const Diagnostic& d : found.all()) {
    if (d.severity == Severity::error) rules.insert(d.rule);
  }
  return rules;
}

// Ten windows of a set: no window has errors that the whole does not have.
void expect_clean_windows(SetSource& set, unsigned seed) {
  const std::set<std::string> known = error_rules(set);
  std::mt19937 random(seed);
  const Picoseconds span = WindowSet(set, {}, PartialCalls::comp, 1).recorded_ps();
  for (int i = 0; i < 10; ++i) {
    std::uniform_int_distribution<Picoseconds> time(0, span);
    const Picoseconds a = time(random), b = time(random);
    const auto what = static_cast<PartialCalls>(i % 2);
    SCOPED_TRACE(std::to_string(std::min(a, b)) + ".." + std::to_string(std::max(a, b)));
    try {
      WindowSet window(set, {std::min(a, b), std::max(a, b)}, what, 1);
      for (const std::string& rule : error_rules(window)) EXPECT_TRUE(known.contains(rule)) << rule;
    } catch (const Error& e) {
      EXPECT_STREQ(e.what(), "no node ran in the window");
    }
  }
}

TEST(SlicesCorpus, WindowsAreAsCleanAsTheWhole) {
  REQUIRE_CORPUS();
  unsigned seed = 1;
  for (const char* name : {"derived_amd_mi250", "derived_event_sync_ms", "derived_event_sync_ms_ps",
                           "derived_triton", "derived_nccl2rank", "syn_4rank", "syn_4rank_deadlock", "syn_v102"}) {
    SCOPED_TRACE(name);
    expect_clean_windows(*linked(name), seed++);
  }
}

// A window over all of the time is the whole set, byte for byte.
TEST(SlicesCorpus, TheWholeTimeIsTheWholeSet) {
  REQUIRE_CORPUS();
  const auto set = linked("syn_4rank");
  WindowSet whole(*set, {}, PartialCalls::error, 1);
  EXPECT_TRUE(test::set_bytes(whole) == test::set_bytes(*set));
}

}  // namespace
