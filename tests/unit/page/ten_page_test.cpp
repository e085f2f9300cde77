// SPDX-License-Identifier: MIT
#include "page/ten/ten_page.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "common/error_text.h"
#include "passes/ten/holdings.h"
#include "unit/passes/algorithms.h"
#include "unit/passes/ten_builder.h"

namespace convert {
namespace {

using Ints = std::vector<std::int32_t>;
using Reals = std::vector<double>;

template <typename T>
std::vector<T> column(const TenPage& page, std::string_view name) {
  const auto at = std::ranges::find(page.columns, name, &Column::name);
  return at == page.columns.end() ? std::vector<T>{} : std::get<std::vector<T>>(at->values);
}

TenPage page_of(const Schedule& s, const TenPageOptions& options) {
  return ten_page(s, holdings_of(s), {.verdict = {.outcome = Verdict::Outcome::proved}}, options);
}

test::ScheduleMaker three() {
  test::ScheduleMaker m(Collective::custom, 3);
  m.wire(0, 1).wire(1, 2).chunk({0}, {1}).chunk({0}, {2});
  m.move(0, 1, 0, 0, 2).with({1}).move(1, 2, 1, 2, 3);
  return m;
}

TEST(TenPage, SchedulesHaveTimesAndSets) {
  const TenPage page = page_of(three().s, {.title = "x"});
  EXPECT_EQ(column<double>(page, "begin"), (Reals{0, 2e6}));
  EXPECT_EQ(column<double>(page, "end"), (Reals{2e6, 3e6}));
  EXPECT_EQ(column<double>(page, "busy"), (Reals{2e6, 1e6}));
  EXPECT_EQ(column<std::int32_t>(page, "cargo_count"), (Ints{2, 1}));
  EXPECT_EQ(column<std::int32_t>(page, "cargo_chunk"), (Ints{0, 1, 1}));
  EXPECT_EQ(column<std::int32_t>(page, "cargo_held"), (Ints{1, 1, 1}));
  EXPECT_EQ(column<double>(page, "chunk_bytes"), (Reals{1000, 1000}));
  EXPECT_EQ(column<std::int32_t>(page, "post_node"), (Ints{1, 2}));
  EXPECT_EQ(column<std::int32_t>(page, "link_dst"), (Ints{1, 2}));
  EXPECT_EQ(page.head,
            R"({"title":"x","file":"f","collective":"custom","unit":"time","npus":3,"sums":false,"played":false,)"
            R"("left_out":0,"needs_stored":false,"relays":[],)"
            R"("verdict":{"outcome":"proved","collective":"custom","text":""},"findings":[]})");
}

TEST(TenPage, SwitchesAreNamed) {
  test::ScheduleMaker m = three();
  m.s.switches = 2;
  const TenPage page = page_of(m.s, {.title = "x"});
  EXPECT_NE(page.head.find(R"("npus":5,)"), std::string::npos) << page.head;
  EXPECT_NE(page.head.find(R"("switches":2,"needs_stored":false,"relays":[3,4])"), std::string::npos) << page.head;
}

// With occupancy beta, the next transfer may begin while the last byte of this one is in flight.
TEST(TenPage, LinksAreBusyWhileBytesGoOut) {
  test::ScheduleMaker m(Collective::custom, 2);
  m.wire(0, 1, 3).chunk({0}, {1}).move(0, 1, 0, 0, 4);
  EXPECT_EQ(column<double>(page_of(m.s, {.title = "x"}), "busy"), (Reals{4e6}));
  m.s.occupancy = Schedule::Occupancy::beta;
  EXPECT_EQ(column<double>(page_of(m.s, {.title = "x"}), "busy"), (Reals{1e6}));
}

TEST(TenPage, ChosenChunksTakeTheirTransfersAlong) {
  const TenPage page = page_of(three().s, {.title = "x", .chunks = {{0, 0}}});
  EXPECT_EQ(column<double>(page, "chunk_id"), (Reals{0}));
  EXPECT_EQ(column<std::int32_t>(page, "cargo_count"), (Ints{1}));
  EXPECT_NE(page.head.find(R"("left_out":1)"), std::string::npos);
  EXPECT_EQ(test::error_message([] {
              (void)page_of(three().s, {.title = "x", .chunks = {{7, 9}}});
            }),
            "--chunks: f has no such chunk; it has 2 chunks, numbered from 0");
}

TEST(TenPage, StepsOfUnknownLengthAreSteps) {
  test::ScheduleMaker m(Collective::custom, 2);
  m.s.time = Schedule::Time::steps;
  m.wire(0, 1).chunk({0}, {1}).move(0, 1, 0, 3, 4);
  EXPECT_NE(page_of(m.s, {.title = "x"}).head.find(R"("unit":"steps")"), std::string::npos);
  m.s.step_ps = 1000;
  const TenPage timed = page_of(m.s, {.title = "x"});
  EXPECT_NE(timed.head.find(R"("unit":"time")"), std::string::npos);
  EXPECT_EQ(column<double>(timed, "begin"), (Reals{3000}));
}

// Beyond the limit of a page, the message has the number and the next step.
TEST(TenPage, TooManyTransfersAreRefused) {
  test::ScheduleMaker m(Collective::custom, 2);
  m.wire(0, 1).chunk({0}, {1});
  m.s.transfers.assign(2'000'001, {.start = 0, .end = 1, .id = 0, .src = 0, .dst = 1, .chunk = 0});
  EXPECT_EQ(test::error_text([&] { (void)page_of(m.s, {.title = "x"}); }),
            "f: 2000001 transfers exceed the 2000000 that a page shows; choose chunks, such as --chunks 0-7");
}

TEST(TenPage, TooManyPlacesAreRefused) {
  test::ScheduleMaker m(Collective::custom, 100'000);
  for (int c = 0; c < 1000; ++c) m.chunk({0}, {1});
  EXPECT_EQ(test::error_text([&] { (void)page_of(m.s, {.title = "x"}); }),
            "f: 100000 NPUs and 1000 chunks exceed the limit of a page; choose chunks, such as --chunks 0-7");
  EXPECT_EQ(column<double>(page_of(m.s, {.title = "x", .chunks = {{3, 4}}}), "chunk_id"), (Reals{3, 4}));
}

TEST(TenPage, AlgorithmsHaveTheirProgram) {
  const Algorithm a = test::ring(3);
  const StepGraph graph = make_step_graph(a);
  Diagnostics findings;
  findings.error({.file = "/folder/ring.xml", .line = 4, .column = 2}, "races", "a </script> text", {"note"});
  Verdict verdict{.outcome = Verdict::Outcome::refuted,
                  .collective = Collective::all_reduce,
                  .refutation = findings.all().front()};
  const TenPage page = ten_page(a, graph, play(graph), {verdict, findings.all()}, {.title = "ring"});
  EXPECT_EQ(column<std::int32_t>(page, "tb_npu"), (Ints{0, 1, 2}));
  EXPECT_EQ(column<std::int32_t>(page, "tb_steps"), (Ints{5, 5, 5}));
  EXPECT_EQ(column<std::uint8_t>(page, "step_type").size(), 15U);
  EXPECT_EQ(column<double>(page, "step_done"), (Reals{1, 2, 3, 4, 4, 1, 2, 3, 4, 4, 1, 2, 3, 4, 4}));
  EXPECT_EQ(column<std::int32_t>(page, "step_line")[5], 6);
  EXPECT_EQ(column<std::int32_t>(page, "step_src")[1], 3 * 2 + 0);
  EXPECT_EQ(column<std::int32_t>(page, "send_step").size(), 12U);
  EXPECT_EQ(column<double>(page, "begin").back(), 3);
  EXPECT_NE(page.head.find(R"("verdict":{"outcome":"refuted","collective":"all_reduce","rule":"races",)"
                           R"("place":"ring.xml:4:2","text":"a </script> text"})"),
            std::string::npos)
      << page.head;
  EXPECT_NE(page.head.find(R"("findings":[{"severity":"error","rule":"races","place":"ring.xml:4:2","text":)"),
            std::string::npos)
      << page.head;
}

}  // namespace
}  // namespace convert
