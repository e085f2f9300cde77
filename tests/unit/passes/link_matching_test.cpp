// SPDX-License-Identifier: MIT
// Matching of calls if the host trace contains other steps than the profile.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "link_builder.h"

namespace convert::test {
namespace {

// observed: set only while there was an observer, else 0. accidental: the host's ids count the observation, the
// profile's ids count the profile.
enum class Ids { none, right, observed, accidental };
enum class Numbers { none, rising, restarting };

struct Recording {
  int steps = 8;
  int host_from = 0, host_to = 8;  // steps in the host trace
  int profile_from = 0, profile_to = 8;
  std::size_t skip = 0;          // operators of the first step that began before the observer
  std::size_t profile_skip = 0;  // … before the profiler
  std::size_t profile_end = 99;  // operators of the last step that began before the profiler ended
  Ids ids = Ids::none;
  Numbers numbers = Numbers::rising;
  bool shuffled = false;  // the events of the file
  int varying = -1;       // a step with one more operator
};

// A training program; each side recorded a part of it: a forward and a backward thread. Every operator launches a
// kernel; the last operator of a step continues after it.
class Training {
 public:
  explicit Training(const Recording& r) : r_(r), program_(2) {
    for (int s = 0; s < r.steps; ++s) step(s);
    if (!r.shuffled) return;
    std::mt19937 random(1);
    std::shuffle(program_.profile().cpu_ops.begin(), program_.profile().cpu_ops.end(), random);
  }

  LinkedTrace link() { return program_.link(); }
  // Host operators whose time is wrong or missing.
  [[nodiscard]] std::vector<std::string> misplaced(const Trace& linked) const {
    std::map<std::int64_t, std::int64_t> found;
    for (const Node& n : linked.nodes.nodes) {
      const std::int64_t id = int_of(linked, n, attr::host_id, -1);
      if (id > 3 && duration_of(linked, n) > 0) found[id] = start_of(linked, n);
    }
    std::vector<std::string> wrong;
    for (const auto& [id, start] : ran_) {
      const auto at = found.find(id);
      if (at == found.end()) {
        wrong.push_back(std::to_string(id) + " has no time");
      } else if (at->second != start) {
        wrong.push_back(std::to_string(id) + " at " + std::to_string(at->second) + " not " + std::to_string(start));
      }
    }
    return wrong;
  }
  [[nodiscard]] std::size_t observed() const { return ran_.size(); }
  // Names of the kernels of the result.
  static std::set<std::string> kernels(const Trace& linked) {
    std::set<std::string> names;
    for (const Node& n : linked.nodes.nodes) {
      if (linked.nodes.name(n).starts_with("kernel ")) names.emplace(linked.nodes.name(n));
    }
    return names;
  }
  [[nodiscard]] const std::set<std::string>& kernels() const { return kernels_; }
  Program& program() { return program_; }

 private:
  void step(int s) {
    std::int64_t sequence = r_.numbers == Numbers::restarting ? 0 : 1000 + s * 10;
    const std::int64_t base = sequence;
    time_ = 10'000 + s * 1'000'000;
    index_ = 0;
    for (int layer = 0; layer < 5; ++layer) {
      op(s, 0, layer == 4 ? "loss" : "linear", sequence, false);
      op(s, 0, "empty", -1, false);
      op(s, 0, "mm", sequence + 1, false);
      sequence += 2;
    }
    if (s == r_.varying) op(s, 0, "extra", -1, false);
    for (int i = 0; i < 4; ++i) op(s, 0, "zero_", sequence, false);
    for (std::int64_t n = sequence - 1; n >= base; --n) {
      op(s, 1, "Backward", n, true);
      op(s, 1, "mm", -1, false);
    }
    for (int i = 0; i < 6; ++i) op(s, 0, "add_", -1, false);
  }

  void op(int s, std::uint32_t thread, std::string_view name, std::int64_t sequence, bool backward) {
    if (r_.numbers == Numbers::none) sequence = -1;
    const std::int64_t start = time_;
    time_ += 1000;
    const std::size_t index = index_++;
    const bool in_host = s >= r_.host_from && s < r_.host_to && (s != r_.host_from || index >= r_.skip);
    const bool in_profile = s >= r_.profile_from && s < r_.profile_to &&
                            (s != r_.profile_from || index >= r_.profile_skip) &&
                            (s != r_.profile_to - 1 || index < r_.profile_end);
    ++global_;
    std::int64_t host_rf = 0, profile_rf = 0;
    if (r_.ids == Ids::right || (r_.ids == Ids::observed && in_host)) host_rf = profile_rf = global_;
    if (in_host) {
      ++host_count_;
      if (r_.ids == Ids::accidental) host_rf = host_count_;
      program_.node({.id = static_cast<NodeId>(10 + host_count_),
                     .name = name,
                     .caller = thread + 2,
                     .rf_id = host_rf,
                     .tid = thread + 1,
                     .forward_tid = backward ? 1 : 0,
                     .sequence = sequence});
      if (in_profile) ran_[10 + host_count_] = start;
    }
    if (!in_profile) return;
    ++profile_count_;
    if (r_.ids == Ids::accidental) profile_rf = profile_count_;
    Profile::CpuOp& event = program_.event(thread, start, start + 500, name, profile_rf);
    event.sequence = sequence;
    if (backward) event.forward_thread = 1;
    program_.call(thread, start + 100, start + 200);
    const std::string kernel = "kernel " + std::to_string(s) + '.' + std::to_string(index);
    // The last one runs after the next step began.
    const std::int64_t begin = start + 300 + (name == "add_" ? 1'000'000 : 0);
    program_.device(7, begin, begin + 100, kernel);
    if (in_host) kernels_.insert(kernel);
  }

  Recording r_;
  Program program_;
  std::int64_t time_ = 0, global_ = 5000, host_count_ = 0, profile_count_ = 0;
  std::size_t index_ = 0;
  std::map<std::int64_t, std::int64_t> ran_;  // by host id
  std::set<std::string> kernels_;
};

void expect_exact(const Recording& r) {
  Training t(r);
  const LinkedTrace l = t.link();
  EXPECT_EQ(t.misplaced(l.trace), std::vector<std::string>{});
  EXPECT_EQ(Training::kernels(l.trace), t.kernels());
  EXPECT_EQ(count(l.report, Unmatched::event_without_host), 0U);
  EXPECT_EQ(l.report.matched_by_order_unsure, 0U);
  EXPECT_FALSE(l.report.evidence.another_step);
}

TEST(LinkMatching, AStepIsFoundWhereverItIs) {
  for (int s = 0; s < 8; ++s) {
    SCOPED_TRACE(s);
    expect_exact({.host_from = s, .host_to = s + 1});
  }
}

TEST(LinkMatching, SeveralStepsAndAPartOfAStep) {
  expect_exact({.host_from = 2, .host_to = 5});
  expect_exact({.host_from = 0, .host_to = 8});
  expect_exact({.host_from = 3, .host_to = 4, .skip = 7});   // within the forward pass
  expect_exact({.host_from = 3, .host_to = 4, .skip = 25});  // within the backward pass
  expect_exact({.host_from = 3, .host_to = 6, .skip = 25});
}

TEST(LinkMatching, AProfileOfFewerStepsThanTheHostTrace) {
  Training t({.host_from = 1, .host_to = 7, .profile_from = 3, .profile_to = 5});
  const LinkedTrace l = t.link();
  EXPECT_EQ(t.misplaced(l.trace), std::vector<std::string>{});
  EXPECT_EQ(Training::kernels(l.trace), t.kernels());
  EXPECT_FALSE(l.report.window);
}

// Links the available part of an observed step of 45 operators, and never equal operators of another step.
void expect_part(const Recording& r, std::uint64_t before, std::uint64_t behind) {
  Training t(r);
  const LinkedTrace l = t.link();
  const LinkReport::Coverage& c = l.report.coverage;
  EXPECT_EQ(t.misplaced(l.trace), std::vector<std::string>{});
  EXPECT_EQ(Training::kernels(l.trace), t.kernels());
  EXPECT_EQ(c.operators, 45U);
  EXPECT_EQ(c.with_event, t.observed());
  EXPECT_EQ(c.before, before);
  EXPECT_EQ(c.behind, behind);
  EXPECT_EQ(c.before_nodes.empty(), before == 0);
  EXPECT_EQ(c.behind_nodes.empty(), behind == 0);
  if (before != 0) {
    EXPECT_EQ(c.before_nodes.low, 11);
    EXPECT_EQ(c.before_nodes.high, 10 + static_cast<std::int64_t>(before));
  }
}

TEST(LinkMatching, AProfileThatBeginsWithinTheObservedStep) {
  for (const Ids ids : {Ids::none, Ids::right, Ids::observed}) {
    for (std::size_t skip = 0; skip < 30; ++skip) {
      SCOPED_TRACE(std::to_string(static_cast<int>(ids)) + ' ' + std::to_string(skip));
      expect_part({.host_from = 3, .host_to = 4, .profile_from = 3, .profile_skip = skip, .ids = ids}, skip, 0);
    }
  }
}

TEST(LinkMatching, AProfileThatEndsWithinTheObservedStep) {
  for (const Ids ids : {Ids::none, Ids::right, Ids::observed}) {
    for (std::size_t end = 5; end <= 45; ++end) {
      SCOPED_TRACE(std::to_string(static_cast<int>(ids)) + ' ' + std::to_string(end));
      expect_part({.host_from = 3, .host_to = 4, .profile_to = 4, .profile_end = end, .ids = ids}, 0, 45 - end);
    }
  }
}

TEST(LinkMatching, TheOrderOfTheFileDoesNotMatter) {
  expect_exact({.host_from = 4, .host_to = 5, .shuffled = true});
}

// Each step has the same shape, so ids that count from different begins agree in names throughout.
TEST(LinkMatching, IdsThatAgreeByAccidentAreNotTaken) {
  expect_exact({.host_from = 4, .host_to = 5, .ids = Ids::accidental});
  Training t({.host_from = 4, .host_to = 5, .ids = Ids::accidental});
  EXPECT_EQ(t.link().report.matched_by_id, 0U);
}

TEST(LinkMatching, RightIdsNeedNoNumbers) {
  for (const Ids ids : {Ids::right, Ids::observed}) {
    for (const Numbers numbers : {Numbers::none, Numbers::rising, Numbers::restarting}) {
      Recording r{.host_from = 4, .host_to = 5, .ids = ids, .numbers = numbers};
      expect_exact(r);
      Training t(r);
      EXPECT_EQ(t.link().report.matched_by_id, t.observed());
    }
  }
}

TEST(LinkMatching, TheWindowIsReported) {
  Training t({.host_from = 2, .host_to = 3});
  const LinkedTrace l = t.link();
  ASSERT_TRUE(l.report.window);
  EXPECT_EQ(l.report.window->begin_ns, 2'000'000);
  EXPECT_EQ(l.report.window->end_ns, 2'000'000 + 44 * 1000 + 500);
  EXPECT_EQ(l.report.window->cpu_events, 7U * 45U);
  EXPECT_EQ(l.report.window->calls, 7U * 45U);
  EXPECT_EQ(l.report.window->device_events, 7U * 45U);
  EXPECT_EQ(l.report.kernel_nodes, 45U);
  EXPECT_EQ(displaced(l.trace), Lines{});
}

// Without numbers and ids, all steps are equal.
TEST(LinkMatching, PlacesThatAreAlikeAreSaid) {
  for (const Numbers numbers : {Numbers::none, Numbers::restarting}) {
    Training t({.host_from = 4, .host_to = 5, .numbers = numbers});
    const LinkedTrace l = t.link();
    EXPECT_EQ(l.report.evidence.places, 8U);
    EXPECT_EQ(l.report.matched_by_order_unsure, t.observed());      // all operators that depend on the choice
    EXPECT_EQ(count(l.report, Unmatched::event_without_host), 0U);  // one step, and no node of another
  }
}

TEST(LinkMatching, StructureDecidesWhereNumbersAreMissing) {
  Training t({.host_from = 4, .host_to = 5, .numbers = Numbers::none, .varying = 4});
  const LinkedTrace l = t.link();
  EXPECT_EQ(t.misplaced(l.trace), std::vector<std::string>{});
  EXPECT_EQ(Training::kernels(l.trace), t.kernels());
}

// "1040-1050 1000-1039 1051-1080 +1": numbers of the host trace and of the profile, and how many are between.
std::string told_step(const LinkReport& report) {
  const auto& step = report.evidence.another_step;
  if (!step) return "";
  const auto range = [](const LinkReport::Range& r) {
    return std::to_string(r.low) + "-" + std::to_string(r.high);
  };
  std::string out = range(step->host);
  for (const LinkReport::Range& r : step->profile) out += " " + range(r);
  return step->within == 0 ? out : out + " +" + std::to_string(step->within);
}

TEST(LinkMatching, AnotherStepIsMatchedByItsStructure) {
  for (const Ids ids : {Ids::none, Ids::right}) {
    Training t({.host_from = 4, .host_to = 5, .profile_from = 5, .profile_to = 6, .ids = ids});
    const LinkedTrace l = t.link();
    EXPECT_TRUE(l.report.evidence.another_step);
    EXPECT_EQ(l.report.matched_by_order, 45U);
    EXPECT_EQ(l.report.matched_by_order_unsure, 0U);
    EXPECT_EQ(told_step(l.report), "1040-1050 1050-1060");
  }
}

// Numbers left by another run between the numbers of its other steps.
TEST(LinkMatching, AStepThatWasCutOutOfTheProfileIsTold) {
  for (const Numbers numbers : {Numbers::rising, Numbers::none}) {
    Training t({.host_from = 4,
                .host_to = 5,
                .ids = numbers == Numbers::none ? Ids::right : Ids::none,
                .numbers = numbers});
    std::erase_if(t.program().profile().cpu_ops,
                  [](const Profile::CpuOp& e) { return 4'010'000 <= e.start_ns && e.start_ns < 5'010'000; });
    const LinkedTrace l = t.link();
    EXPECT_EQ(told_step(l.report),
              numbers == Numbers::none ? "5181-5225 5001-5180 5226-5360" : "1040-1050 1000-1039 1051-1080 +2");
  }
}

// "44/45 40/41": operators without a partner, among those between the first and the last of a thread with a
// partner; in the host trace and in the profile.
std::string inside(const LinkReport& report) {
  const LinkReport::Coverage& c = report.coverage;
  return std::to_string(c.inside_without) + "/" + std::to_string(c.inside) + " " + std::to_string(c.foreign) + "/" +
         std::to_string(c.profiled_inside);
}

TEST(LinkMatching, WhatOnlyOneSideHasBetweenMatchedOnesIsCounted) {
  Training same({.host_from = 4, .host_to = 5});
  EXPECT_EQ(inside(same.link().report), "0/45 0/45");
  // A part of the profile, and an operator that is only in the profile.
  Training part({.host_from = 4, .host_to = 5, .profile_from = 4, .profile_skip = 3});
  EXPECT_EQ(inside(part.link().report), "0/42 0/42");
  for (const Ids ids : {Ids::none, Ids::right}) {
    Training more({.host_from = 4, .host_to = 5, .ids = ids});
    Profile& profile = more.program().profile();
    for (Profile::CpuOp& e : profile.cpu_ops) {
      if (profile.name(e) == "empty") e.name = profile.args.add_text("detach");
    }
    EXPECT_EQ(inside(more.link().report), "5/45 5/45");
  }
}

TEST(LinkMatching, AnnotationsAndThreadsOfOneSideAreNotCounted) {
  for (const bool annotation : {true, false}) {
    Program p(3);
    p.op(0, 1000, 2000, "a");
    p.event(0, 3000, 4000, "frame", annotation ? 77 : Profile::none).annotation = annotation;
    p.event(1, 3000, 4000, "elsewhere", 78);
    p.node({.id = 50, .name = "unseen", .caller = 4, .rf_id = 79, .tid = 3});
    p.node({.id = 51, .name = "mark", .caller = 2, .rf_id = 80, .tid = 1, .scope = 7});
    p.node({.id = 60, .name = "b", .caller = 2, .rf_id = 81, .tid = 1});
    p.event(0, 5000, 6000, "b", 81);
    EXPECT_EQ(inside(p.link().report), "0/2 0/2");
  }
}

// A number that contradicts all numbers around it.
TEST(LinkMatching, AnAnchorThatContradictsTheOthersIsNotTaken) {
  Training t({.host_from = 4, .host_to = 5});
  for (Profile::CpuOp& e : t.program().profile().cpu_ops) {
    const std::string_view name = t.program().profile().name(e);
    if (name == "loss" && e.sequence == 1048)
      e.sequence = 1018;  // of the step itself
    else if (name == "loss" && e.sequence == 1018)
      e.sequence = 1048;  // of step 1
  }
  const LinkedTrace l = t.link();
  EXPECT_LE(t.misplaced(l.trace).size(), 1U);
  EXPECT_EQ(Training::kernels(l.trace), t.kernels());
}

// Many operators of one name and number, on two threads with separate counts.
TEST(LinkMatching, RepeatedKeysGoThreadByThread) {
  Program p(2);
  std::map<NodeId, std::int64_t> ran;
  for (NodeId i = 0; i < 20; ++i) {
    const std::uint32_t thread = i % 2;
    const auto start = static_cast<std::int64_t>(1000 + i * 100);
    const NodeId id = 10 + i;
    const std::string_view name = i < 2 ? (thread == 0 ? "first" : "second") : "zero_";
    p.node({.id = id, .name = name, .caller = thread + 2, .tid = thread + 1, .sequence = 5});
    // The second thread's events begin before the first thread's.
    const std::int64_t at = start - (thread == 1 ? 700 : 0);
    p.event(thread, at, at + 50, name).sequence = 5;
    ran[id] = at;
  }
  const LinkedTrace l = p.link();
  EXPECT_EQ(l.report.matched_by_anchor, 20U);
  for (const Node& n : l.trace.nodes.nodes) {
    const auto at = ran.find(static_cast<NodeId>(int_of(l.trace, n, attr::host_id, 0)));
    if (at == ran.end()) continue;
    EXPECT_EQ(start_of(l.trace, n), at->second) << at->first;
  }
}

// An annotation that frames more than the observation does not include the rest.
TEST(LinkMatching, AnAnnotationEndsWithTheObservation) {
  Program p;
  const NodeId outer = p.op(0, 1000, 90'000, "training");
  p.profile().cpu_ops.back().annotation = true;
  p.op(0, 2000, 3000, "a", {.caller = outer});
  p.event(0, 50'000, 60'000, "b", 77);
  p.call(0, 55'000, 56'000);
  p.device(7, 57'000, 58'000, "k");
  const LinkedTrace l = p.link();
  ASSERT_TRUE(l.report.window);
  EXPECT_EQ(l.report.window->end_ns, 49'000);
  EXPECT_EQ(l.report.kernel_nodes, 0U);
  EXPECT_EQ(l.report.span_ns, 49'000U);
}

// Hostile: many threads with one operator each; a name that all have; extreme numbers.
TEST(LinkMatching, OddInputsAreBounded) {
  Program p(1);
  for (NodeId i = 0; i < 20'000; ++i) {
    p.node({.id = 10 + i,
            .name = "a",
            .caller = 2,
            .rf_id = std::numeric_limits<std::int64_t>::max(),
            .tid = static_cast<std::int64_t>(i),
            .sequence = i % 3 == 0 ? std::numeric_limits<std::int64_t>::max() : static_cast<std::int64_t>(i)});
    p.profile().threads.push_back(std::to_string(i));
    Profile::CpuOp& e = p.event(static_cast<std::uint32_t>(i), static_cast<std::int64_t>(i % 7), 10, "a");
    e.sequence = i % 3 == 1 ? static_cast<std::int64_t>(i) : 4;
  }
  const LinkedTrace l = p.link();
  EXPECT_GT(l.report.matched_by_anchor, 0U);
}

}  // namespace
}  // namespace convert::test
