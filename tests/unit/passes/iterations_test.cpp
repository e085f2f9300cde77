// SPDX-License-Identifier: MIT
#include "passes/iterations/iterations.h"

#include <gtest/gtest.h>

#include "common/error_text.h"
#include "passes/iterations/survey.h"
#include "passes/iterations/take.h"
#include "trace_builder.h"

namespace convert {
namespace {

using namespace test;

// Names the node that was added last.
void name_last(TraceBuilder& b, std::string_view name) { b.table().nodes.back().name = b.table().add_text(name); }

TraceBuilder& named(TraceBuilder& b, NodeId id, std::string_view name, const std::vector<NodeId>& deps = {}) {
  b.comp(id, deps);
  name_last(b, name);
  return b;
}

std::vector<std::uint32_t> sequence(std::string_view text) { return {text.begin(), text.end()}; }

std::string text_of(const CallPeriod& p) {
  return std::to_string(p.calls) + " from " + std::to_string(p.first) + ": " + std::to_string(p.iterations);
}

TEST(Iterations, APeriodExplainsMostOfASequence) {
  EXPECT_EQ(text_of(find_period(sequence("abcabcabc"))), "3 from 0: 3");
  EXPECT_EQ(text_of(find_period(sequence("xyabcabcabcabcabcabc"))), "3 from 2: 6");
  EXPECT_EQ(text_of(find_period(sequence("aaaa"))), "1 from 0: 4");
  // Layers repeat within an iteration, which repeats as a whole.
  EXPECT_EQ(text_of(find_period(sequence("lllllllllhlllllllllhlllllllllh"))), "10 from 0: 3");
  EXPECT_EQ(text_of(find_period(sequence("abababab"), 2)), "4 from 0: 2");  // the requested number of iterations
  // One call of 40 differs.
  EXPECT_EQ(text_of(find_period(sequence("abcdabcdabcdabcdabcdabxdabcdabcdabcdabcd"))), "4 from 0: 10");
}

TEST(Iterations, NoPeriodHolds) {
  const CallPeriod p = find_period(sequence("abcdefgxbydefz"));
  EXPECT_EQ(p.iterations, 0U);
  EXPECT_EQ(p.calls, 7U);
  EXPECT_DOUBLE_EQ(p.share, 4.0 / 7);
  EXPECT_EQ(find_period({}).calls, 0U);
  EXPECT_EQ(find_period(sequence("a")).calls, 0U);
  EXPECT_EQ(find_period(sequence("aabcdefgh")).iterations, 0U);  // two are not most of nine
}

TEST(Iterations, MarksAreReadFromNamesAndAttributes) {
  TraceBuilder b;
  const auto number = [&](std::string_view name) {
    named(b, 0, name);
    const auto mark = iteration_mark(b.table(), b.table().nodes.back());
    return mark ? mark->number : -1;
  };
  EXPECT_EQ(number("ProfilerStep#17"), 17);
  EXPECT_EQ(number("ProfilerStep#"), -1);
  EXPECT_EQ(number("backward layer 3 iteration 12"), 12);
  EXPECT_EQ(number("Iteration_4/forward"), 4);
  EXPECT_EQ(number("iteration #9"), 9);
  EXPECT_EQ(number("reiteration 3"), -1);
  EXPECT_EQ(number("iterations 3"), -1);
  EXPECT_EQ(number("iteration"), -1);
  EXPECT_EQ(number("iteration 9223372036854775808"), -1);
  b.comp(1).set(Name(std::string_view("iteration")), 5);
  EXPECT_EQ(iteration_mark(b.table(), b.trace().nodes.nodes.back())->number, 5);
}

// Two steps after a prologue of one node; the second waits for the last node of the first.
TraceBuilder two_steps() {
  TraceBuilder b;
  named(b, 1, "process");
  named(b, 10, "ProfilerStep#4", {1});
  b.send(11, 1, 7, 64, {10});
  named(b, 12, "optimizer 1", {11, 1});
  named(b, 20, "ProfilerStep#5", {1});
  b.send(21, 1, 7, 64, {20, 12});
  named(b, 22, "optimizer 2", {21});
  return b;
}

std::string taken(const Trace& trace, TakenIterations which, TakenCounts* counts = nullptr) {
  const Iterations found = marked_iterations(trace);
  IterationTaker taker(trace, found, which);
  std::string out;
  for (std::uint64_t i = 0; i < taker.parts(); ++i) {
    const NodeTable part = taker.part(i);
    for (const Node& n : part.nodes) {
      out += (out.empty() ? "" : " ") + std::to_string(n.id);
      for (const NodeId d : part.data_deps(n)) out += "<" + std::to_string(d);
    }
  }
  if (counts != nullptr) *counts = taker.counts();
  return out;
}

TEST(Iterations, StepsBeginAtTheirMarks) {
  TraceBuilder b = two_steps();
  const Iterations found = marked_iterations(b.trace());
  EXPECT_EQ(found.numbers, (std::vector<std::int64_t>{4, 5}));
  EXPECT_EQ(found.of, (std::vector<std::uint32_t>{Iterations::prologue, 0, 0, 0, 1, 1, 1}));
}

TEST(Iterations, OneIsTakenWithTheProloguesEdges) {
  TraceBuilder b = two_steps();
  TakenCounts counts;
  EXPECT_EQ(taken(b.trace(), {.first = 1, .last = 1}, &counts), "1 20<1 21<20 22<21");
  EXPECT_EQ(counts.left_out, 3U);
  EXPECT_EQ(counts.dropped, 1U);
}

TEST(Iterations, CopiesDependOnPartnersInTheOneBefore) {
  TraceBuilder b = two_steps();
  TakenCounts counts;
  EXPECT_EQ(taken(b.trace(), {.first = 1, .last = 1, .repeat = 3}, &counts),
            "1 20<1 21<20 22<21 23<1 24<23<22 25<24 26<1 27<26<25 28<27");
  EXPECT_EQ(counts.made, 2U);
  // Including the first step, since the second depends on it.
  EXPECT_EQ(taken(b.trace(), {.first = 0, .last = 0, .repeat = 2}), "1 10<1 11<10 12<11<1 13<1 14<13<12 15<14<1");
  EXPECT_EQ(taken(b.trace(), {.first = 0, .last = 1, .repeat = 2}),
            "1 10<1 11<10 12<11<1 20<1 21<20<12 22<21 23<1 24<23<22 25<24<1 26<1 27<26<25 28<27");
}

TEST(Iterations, TheOnlyOneBeginsWhenTheOneBeforeHasEnded) {
  TraceBuilder b;
  named(b, 0, "a iteration 0");
  named(b, 1, "b iteration 0");
  named(b, 2, "c iteration 0", {0});
  EXPECT_EQ(taken(b.trace(), {.first = 0, .last = 0, .repeat = 2}), "0 1 2<0 3<1<2 4<1<2 5<3");
}

TEST(Iterations, TagsTimesAndMarksGoOn) {
  TraceBuilder b;
  named(b, 0, "ProfilerStep#7");
  b.table().nodes.back().start_us = 100;
  b.send(1, 1, 30, 8, {0}).set(attr::start_nanos, 100'500);
  b.table().nodes.back().start_us = 100;
  const Trace& trace = b.trace();
  const Iterations found = marked_iterations(trace);
  IterationTaker taker(trace, found, {.first = 0, .last = 0, .repeat = 2, .tag_step = 4, .step_ns = 10'250});
  (void)taker.part(0);
  EXPECT_EQ(int_value(taker.part(1).attrs, attr::comm_tag).value, 30);
  const NodeTable copy = taker.part(2);
  EXPECT_EQ(copy.name(copy.nodes[0]), "ProfilerStep#8");
  EXPECT_EQ(copy.nodes[0].start_us, 110U);
  EXPECT_EQ(int_value(copy.attributes(copy.nodes[0]), attr::start_nanos).value, 110'250);
  EXPECT_EQ(int_value(copy.attributes(copy.nodes[1]), attr::start_nanos).value, 110'750);
  EXPECT_EQ(int_value(copy.attributes(copy.nodes[1]), attr::comm_tag).value, 34);
}

TEST(Iterations, LettersOfDependenciesStayWithThem) {
  TraceBuilder b = two_steps();
  b.comp(23, {12, 22});
  b.table().add_string(attr::dep_rules, "pd");
  const Trace& trace = b.trace();
  const Iterations found = marked_iterations(trace);
  IterationTaker taker(trace, found, {.first = 1, .last = 1});
  const NodeTable part = taker.part(1);
  EXPECT_EQ(string_value(part, part.attributes(part.nodes.back()), attr::dep_rules), "d");
}

TEST(Iterations, CopiesThatDoNotFitAreRefused) {
  TraceBuilder b;
  named(b, ~NodeId{0} - 5, "iteration 0");
  EXPECT_EQ(error_text([&] { (void)taken(b.trace(), {.first = 0, .last = 0, .repeat = 7}); }),
            "t.0.et: --repeat 7: not enough node ids after 18446744073709551610 for copies of 1 nodes");
  TraceBuilder merged;
  merged.comp(1).set(Name(std::string_view("iteration")), 0).set(attr::merged_from, 3);
  EXPECT_EQ(error_text([&] { (void)taken(merged.trace(), {.first = 0, .last = 0, .repeat = 2}); }),
            "t.0.et:@0x0: node 1 belongs to a merged collective, which cannot be repeated; use --collapse to "
            "restore the collective");
}

// An iteration is some computations, two calls and an optimizer.
Trace unmarked(std::size_t iterations, bool prologue) {
  TraceBuilder b;
  NodeId id = 0;
  if (prologue) named(b, id++, "setup");
  const auto chain = [&] { return id == 0 ? std::vector<NodeId>{} : std::vector<NodeId>{id - 1}; };
  for (std::size_t k = 0; k < iterations; ++k) {
    named(b, id, "forward " + std::to_string(k), chain());
    ++id;
    b.collective(id, Collective::all_reduce, 64, "1", chain());
    ++id;
    b.collective(id, Collective::all_gather, 64, "1", chain());
    ++id;
    named(b, id, "optimizer", chain());
    ++id;
  }
  return b.trace();
}

TEST(Iterations, APeriodIsCutWhereIterationsAreAlike) {
  CallPeriod period;
  const Iterations found = periodic_iterations(unmarked(3, true), period);
  EXPECT_EQ(text_of(period), "2 from 0: 3");
  EXPECT_EQ(found.of, (std::vector<std::uint32_t>{Iterations::prologue, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2}));
  EXPECT_TRUE(periodic_iterations(unmarked(1, true), period).numbers.empty());
  TraceBuilder tail;
  named(tail, 0, "forward");
  for (NodeId id = 1; id < 5; ++id) tail.collective(id, Collective::all_reduce, 8, {}, {id - 1});
  named(tail, 5, "save", {4});
  EXPECT_EQ(periodic_iterations(tail.trace(), period).of.back(), Iterations::epilogue);
}

TEST(Iterations, ACycleIsRefused) {
  TraceBuilder b;
  named(b, 0, "iteration 1", {1});
  b.comp(1, {0});
  EXPECT_EQ(error_text([&] { (void)marked_iterations(b.trace()); }),
            "t.0.et: dependency cycle, so iterations cannot be distinguished; run et-validate to find it");
}

std::vector<IterationSurvey> surveys(std::vector<TraceBuilder>& set) {
  std::vector<IterationSurvey> out;
  for (TraceBuilder& b : set) out.push_back(survey_iterations(b.trace(), marked_iterations(b.trace())));
  return out;
}

TEST(Iterations, RanksMustAgree) {
  std::vector<TraceBuilder> set = trace_builders(2);
  named(set[0], 0, "iteration 4");
  set[0].collective(1, Collective::all_reduce, 8);
  named(set[0], 2, "iteration 5");
  named(set[1], 0, "iteration 4");
  EXPECT_EQ(error_text([&] { check_same_iterations("s", surveys(set)); }),
            "s: rank 1 has 1 iteration (4), rank 0 has 2 iterations (4 to 5); all ranks must have the same "
            "iterations");
  named(set[1], 1, "iteration 5");
  set[1].collective(2, Collective::all_reduce, 8);
  check_same_iterations("s", surveys(set));
  EXPECT_EQ(error_text([&] { check_complete_iterations("s", surveys(set), 1, 1); }),
            "s: iteration 5 has 1 call of all ranks on rank 1 and 0 on rank 0: they do not begin at the same call");
}

TEST(Iterations, MessagesMustHaveBothEnds) {
  std::vector<TraceBuilder> set = trace_builders(2);
  named(set[0], 0, "iteration 4");
  set[0].send(1, 1, 3, 8);
  set[0].send(2, 9, 3, 8);  // to a missing rank
  named(set[0], 3, "iteration 5");
  named(set[1], 0, "iteration 4");
  named(set[1], 1, "iteration 5");
  set[1].recv(2, 0, 3, 8);
  EXPECT_EQ(error_text([&] { check_complete_iterations("s", surveys(set), 0, 1); }),
            "s: iteration 4: messages between rank 0 and rank 1 have no counterpart in this iteration");
}

TEST(Iterations, LengthsAreFromBeginToBegin) {
  TraceBuilder b;
  for (const auto& [id, start] : {std::pair{0, 100}, {1, 350}, {2, 700}}) {
    named(b, static_cast<NodeId>(id), "iteration " + std::to_string(id));
    b.table().nodes.back().start_us = static_cast<std::uint64_t>(start);
    b.table().nodes.back().duration_us = 50;
  }
  const IterationSurvey s = survey_iterations(b.trace(), marked_iterations(b.trace()));
  EXPECT_TRUE(s.timed);
  EXPECT_EQ(s.lengths_ns, (std::vector<std::int64_t>{250'000, 350'000, 50'000}));
}

}  // namespace
}  // namespace convert
