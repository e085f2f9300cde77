// SPDX-License-Identifier: MIT
#include "passes/verify/verify.h"

#include <gtest/gtest.h>

#include "passes/verify/execute.h"
#include "unit/passes/algorithms.h"

namespace convert {
namespace {

using test::gather_over_two;
using test::in;
using test::make_algorithm;
using test::out;
using test::ring;
using test::scatter_over_two;
using test::Tb;
using test::tmp;
using enum StepType;

// Every finding as "line: severity: message [rule]", one per line, without notes.
std::string proof_findings(const Algorithm& a, bool dataflow = true) {
  Diagnostics diagnostics;
  VerifyOptions options;
  options.dataflow = dataflow;
  check_structure(a, diagnostics);
  verify(make_step_graph(a), options, diagnostics);
  std::string text;
  for (const Diagnostic& d : diagnostics.all()) {
    text += std::to_string(d.where.line) + ": " + std::string(severity_name(d.severity)) + ": " + d.message + " [" +
            d.rule + "]\n";
  }
  return text;
}

TEST(Verify, RingsOfAllSizesAreProved) {
  for (const std::int32_t n : {2, 3, 4, 7, 8, 31}) EXPECT_EQ(proof_findings(ring(n)), "") << n;
}

TEST(Verify, AWrongChunkIsFoundWithWhatIsThereInstead) {
  Algorithm a = ring(4);
  a.steps[6].dst_off = 0;  // rank 0's last receive belongs to chunk 2
  EXPECT_EQ(proof_findings(a),
            "7: error: all_reduce: gpu 0 o[0] must finally hold chunk 0 of ranks 0-3, but holds chunk 2 of ranks "
            "0-3; and 1 more chunks of this rank are wrong [postcondition]\n");
}

TEST(Verify, AMissingContributionIsNamed) {
  Algorithm a = ring(4);
  a.steps[1].type = rcs;  // rank 0 forwards chunk 3 without its own contribution
  const std::string text = proof_findings(a);
  EXPECT_NE(
      text.find("must finally hold chunk 3 of ranks 0-3, but holds chunk 3 of ranks 1-3; the contribution of rank "
                "0 is missing"),
      std::string::npos)
      << text;
}

TEST(Verify, ACounterExampleTellsItsPath) {
  Algorithm a = ring(2);
  a.steps[1].type = rcs;  // rank 0: s, rcs, r
  Diagnostics diagnostics;
  VerifyOptions options;
  options.dataflow = true;
  verify(make_step_graph(a), options, diagnostics);
  ASSERT_FALSE(diagnostics.all().empty());
  EXPECT_EQ(diagnostics.all()[0].notes,
            (std::vector<std::string>{"written by gpu 0 threadblock 0 step 1 (rcs) at test.xml:2:1",
                                      "from a message of gpu 1 threadblock 0 step 0 (s) at test.xml:4:1"}));
}

TEST(Verify, AddingTwiceIsFoundThoughTheRanksAreComplete) {
  // Both exchange and add, twice: contributions of all ranks arrive, some of these twice.
  std::vector<std::vector<Tb>> gpus;
  for (std::int32_t r = 0; r < 2; ++r) {
    gpus.push_back({Tb{
        1 - r, 1 - r, 0, {{send, in, 0, in, 0}, {rrc, in, 0, in, 0}, {send, in, 0, in, 0}, {rrc, in, 0, in, 0}}}});
  }
  const std::string text = proof_findings(make_algorithm(Collective::all_reduce, 1, true, 1, 0, 0, gpus));
  EXPECT_NE(text.find("4: error: gpu 0 threadblock 0 step 3 (rrc) adds the contribution of rank 0 a second time "
                      "(the first of 2 such reductions) [doubled]"),
            std::string::npos)
      << text;
}

TEST(Verify, CrossedReceivesDeadlockAndTheCircleIsTold) {
  std::vector<std::vector<Tb>> gpus;
  for (std::int32_t r = 0; r < 2; ++r)
    gpus.push_back({Tb{1 - r, 1 - r, 0, {{recv, out, 1 - r, out, 1 - r}, {send, out, r, out, r}}}});
  const Algorithm a = make_algorithm(Collective::all_gather, 2, true, 0, 2, 0, gpus);
  Diagnostics diagnostics;
  verify(make_step_graph(a), {}, diagnostics);
  ASSERT_EQ(diagnostics.all().size(), 1U);
  EXPECT_EQ(diagnostics.all()[0].message,
            "deadlock: 2 threadblocks never finish; they wait for each other in a cycle");
  EXPECT_EQ(diagnostics.all()[0].notes,
            (std::vector<std::string>{
                "gpu 0 threadblock 0 step 0 (r) waits for a message on gpu 1 → gpu 0 on channel 0",
                "gpu 1 threadblock 0 step 0 (r) waits for a message on gpu 0 → gpu 1 on channel 0"}));
}

Algorithm burst(std::int32_t messages, Protocol protocol) {
  std::vector<std::vector<Tb>> gpus;
  for (std::int32_t r = 0; r < 2; ++r) {
    Tb tb{1 - r, 1 - r, 0, {}};
    for (std::int32_t k = 0; k < messages; ++k)
      tb.rows.push_back({send, out, r * messages + k, out, r * messages + k});
    for (std::int32_t k = 0; k < messages; ++k)
      tb.rows.push_back({recv, out, (1 - r) * messages + k, out, (1 - r) * messages + k});
    gpus.push_back({tb});
  }
  Algorithm a = make_algorithm(Collective::all_gather, 2 * messages, true, 0, 2 * messages, 0, gpus);
  a.protocol = protocol;
  return a;
}

TEST(Verify, FifoCapacityIsPerProtocolAndTheNeedIsExact) {
  EXPECT_EQ(proof_findings(burst(2, Protocol::simple)), "");
  EXPECT_EQ(proof_findings(burst(8, Protocol::ll)), "");
  EXPECT_EQ(
      proof_findings(burst(5, Protocol::simple)),
      "3: error: requires room for 5 messages per connection, but protocol Simple guarantees 2; 2 threadblocks "
      "block, the first at gpu 0 threadblock 0 step 2 (s) [fifo]\n");
  EXPECT_NE(proof_findings(burst(9, Protocol::ll128))
                .find("requires room for 9 messages per connection, but protocol LL128 guarantees 8"),
            std::string::npos);
  EXPECT_TRUE(completes(make_step_graph(burst(5, Protocol::simple)), 5));
  EXPECT_FALSE(completes(make_step_graph(burst(5, Protocol::simple)), 4));
}

// Rank r receives into scratch in one threadblock and adds from there in another.
Algorithm two_threadblocks(bool ordered) {
  std::vector<std::vector<Tb>> gpus;
  for (std::int32_t r = 0; r < 2; ++r) {
    Tb exchange{
        1 - r, 1 - r, 0, {{send, in, 0, tmp, 0, 1, -1, -1, ordered}, {recv, in, 0, tmp, 0, 1, -1, -1, ordered}}};
    Tb add{-1, -1, 0, {{re, tmp, 0, in, 0, 1, ordered ? 0 : -1, ordered ? 1 : -1}}};
    gpus.push_back({exchange, add});
  }
  return make_algorithm(Collective::all_reduce, 1, true, 1, 0, 1, gpus);
}

TEST(Verify, UnorderedAccessIsARaceWhateverTheTiming) {
  EXPECT_EQ(proof_findings(two_threadblocks(true)), "");
  const std::string text = proof_findings(two_threadblocks(false), false);
  EXPECT_NE(text.find("[races]"), std::string::npos) << text;
  EXPECT_NE(text.find("but no dependency orders them"), std::string::npos) << text;
}

TEST(Verify, OrderThroughAnotherRankIsOnlyAWarning) {
  // Rank 0's second threadblock overwrites data that the first has sent, after rank 1's message.
  const std::vector<std::vector<Tb>> gpus{
      {Tb{1, -1, 0, {{send, in, 0, in, 0}}}, Tb{-1, 1, 1, {{recv, in, 0, in, 0}}}},
      {Tb{-1, 0, 0, {{recv, in, 0, in, 0, 1, -1, -1, true}}}, Tb{0, -1, 1, {{send, in, 0, in, 0, 1, 0, 0}}}}};
  const std::string text = proof_findings(make_algorithm(Collective::custom, 1, true, 1, 0, 0, gpus));
  EXPECT_NE(text.find("warning: 1 pair of steps with the same chunks is ordered only through other ranks"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("error"), std::string::npos) << text;
}

TEST(Verify, PartlyOverlappingRangesRace) {
  const std::vector<std::vector<Tb>> gpus{
      {Tb{-1, -1, 0, {{cpy, in, 0, tmp, 0, 3}}}, Tb{-1, -1, 0, {{cpy, in, 0, tmp, 2, 2}}}}};
  const std::string text = proof_findings(make_algorithm(Collective::custom, 4, false, 4, 0, 4, gpus));
  EXPECT_NE(text.find("writes s[2], which gpu 0 threadblock"), std::string::npos) << text;
}

TEST(Verify, AWaitForAStepThatNeverPublishesIsADeadlock) {
  const std::vector<std::vector<Tb>> gpus{
      {Tb{-1, -1, 0, {{cpy, in, 0, tmp, 0}}}, Tb{-1, -1, 0, {{cpy, tmp, 0, tmp, 1, 1, 0, 0}}}}};
  const std::string text = proof_findings(make_algorithm(Collective::custom, 1, false, 1, 0, 2, gpus));
  EXPECT_NE(text.find("2: error: deadlock: 1 threadblocks never finish [deadlock]"), std::string::npos) << text;
}

TEST(Verify, ALaterPublishedStepReleasesTheWaiter) {
  const std::vector<std::vector<Tb>> gpus{
      {Tb{-1, -1, 0, {{cpy, in, 0, tmp, 0}, {cpy, in, 0, tmp, 2, 1, -1, -1, true}}},
       Tb{-1, -1, 0, {{cpy, tmp, 0, tmp, 1, 1, 0, 0}}}}};
  EXPECT_EQ(proof_findings(make_algorithm(Collective::custom, 1, false, 1, 0, 3, gpus)), "");
}

TEST(Verify, UnmatchedAndUnequalMessagesAreFoundOnce) {
  const std::vector<std::vector<Tb>> gpus{{Tb{1, -1, 0, {{send, in, 0, in, 0, 2}, {send, in, 0, in, 0}}}},
                                          {Tb{-1, 0, 0, {{recv, in, 0, in, 0, 1}}}}};
  const std::string text = proof_findings(make_algorithm(Collective::custom, 2, true, 2, 0, 0, gpus));
  EXPECT_EQ(text,
            "2: error: gpu 0 → gpu 1 on channel 0: 2 sends, 1 receives; the first without a partner is gpu 0 "
            "threadblock 0 step 1 (s) [pairs]\n"
            "3: error: gpu 0 → gpu 1 on channel 0: gpu 0 threadblock 0 step 0 (s) sends 2 chunks, but gpu 1 "
            "threadblock 0 step 0 (r) expects 1 [pairs]\n");
}

TEST(Verify, TheOtherOperandReadingIsNamed) {
  // Rank 1 adds what it receives to its own chunk, but names the sender's address as src.
  const std::vector<std::vector<Tb>> gpus{
      {Tb{1, 1, 0, {{send, in, 0, in, 0}, {recv, in, 0, out, 0}}}},
      {Tb{0, 0, 0, {{rrc, tmp, 0, in, 0}, {send, in, 0, out, 0}, {cpy, in, 0, out, 0}}}}};
  const std::string text = proof_findings(make_algorithm(Collective::all_reduce, 1, false, 1, 1, 1, gpus));
  EXPECT_NE(text.find("error: the result is right only if rrc, rrs and rrcs reduce into dst; the runtime uses src "
                      "as the local operand [operand]"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("postcondition"), std::string::npos) << text;
}

TEST(Verify, BothLayoutsMustHoldWhereBothAreClaimed) {
  Algorithm a = ring(2);
  a.outofplace = true;
  for (Gpu& g : a.gpus) g.o_chunks = 2;
  const std::string text = proof_findings(a);
  EXPECT_NE(text.find("(out-of-place) [postcondition]"), std::string::npos) << text;
  EXPECT_EQ(text.find("(in-place)"), std::string::npos) << text;
}

TEST(Verify, EveryCollectiveHasItsPostcondition) {
  // Only rank 0 → 1; each collective applies its own criterion to the same two steps.
  const auto judge = [](Collective c, std::int32_t chunks, const std::vector<std::vector<Tb>>& gpus, std::int32_t i,
                        std::int32_t o) { return proof_findings(make_algorithm(c, chunks, false, i, o, 0, gpus)); };
  const auto refuted = [](const std::string& text) { return text.find("[postcondition]") != std::string::npos; };
  const Tb keep{-1, -1, 0, {{cpy, in, 0, out, 0}}};
  EXPECT_EQ(judge(Collective::broadcast, 1,
                  {{Tb{1, -1, 0, {{send, in, 0, out, 0}, {cpy, in, 0, out, 0}}}},
                   {Tb{-1, 0, 0, {{recv, in, 0, out, 0}}}}},
                  1, 1),
            "");
  EXPECT_TRUE(refuted(judge(Collective::broadcast, 1, {{keep}, {keep}}, 1, 1)));
  EXPECT_EQ(judge(Collective::reduce, 1,
                  {{Tb{1, -1, 0, {{send, in, 0, out, 0}}}}, {Tb{-1, 0, 0, {{rrc, in, 0, out, 0}}}}}, 1, 1),
            "");
  EXPECT_TRUE(
      refuted(judge(Collective::reduce, 1,
                    {{Tb{1, -1, 0, {{send, in, 0, out, 0}}}}, {Tb{-1, 0, 0, {{recv, in, 0, out, 0}}}}}, 1, 1)));
  const auto exchange = [](std::int32_t s0, std::int32_t d0, std::int32_t s1, std::int32_t d1, std::int32_t own0,
                           std::int32_t own1) {
    return std::vector<std::vector<Tb>>{
        {Tb{1, 1, 0, {{send, in, s0, out, d0}, {recv, in, s1, out, d1}, {cpy, in, own0, out, own0}}}},
        {Tb{0, 0, 0, {{send, in, s1, out, d1}, {recv, in, s0, out, d0}, {cpy, in, own1, out, own1}}}}};
  };
  EXPECT_EQ(judge(Collective::all_to_all, 2, exchange(1, 0, 0, 1, 0, 1), 2, 2), "");
  EXPECT_TRUE(refuted(judge(Collective::all_to_all, 2, exchange(0, 0, 1, 1, 0, 1), 2, 2)));
  EXPECT_EQ(judge(Collective::custom, 2, exchange(0, 0, 1, 1, 0, 1), 2, 2), "");
}

TEST(Verify, EachStepOfAGatherOrScatterCounts) {
  for (const Algorithm& sound : {gather_over_two(), scatter_over_two()}) {
    EXPECT_EQ(proof_findings(sound), "");
    for (std::size_t i = 0; i < sound.steps.size(); ++i) {
      for (const bool source : {true, false}) {
        Algorithm a = sound;
        Step& s = a.steps[i];
        if (source ? !reads_src(s.type) : !writes_dst(s.type)) continue;
        std::int32_t& offset = source ? s.src_off : s.dst_off;
        offset += offset == 0 ? 1 : -1;
        EXPECT_NE(proof_findings(a).find("[postcondition]"), std::string::npos) << i << proof_findings(a);
      }
    }
  }
}

TEST(Verify, GathersAndScattersHaveOneRootThatMayBeGiven) {
  for (const Algorithm& a : {gather_over_two(), scatter_over_two()}) {
    for (std::int32_t root = 0; root < 4; ++root) {
      Diagnostics diagnostics;
      verify(make_step_graph(a), {.dataflow = true, .collective = {}, .root = root}, diagnostics);
      EXPECT_EQ(diagnostics.errors() == 0, root == 1) << root;
    }
  }
  const std::string text = [] {
    Algorithm a = gather_over_two();
    a.steps[1].dst_off = 2;  // the shard of rank 0 is at the position of the root's shard
    return proof_findings(a);
  }();
  EXPECT_NE(text.find("gather: gpu 1 o[0] must finally hold chunk 0 of rank 0, but holds chunk 0 of rank 1; the "
                      "contribution of rank 0 is missing; and 3 more chunks of this rank are wrong"),
            std::string::npos)
      << text;
}

TEST(Verify, PartsOfAGatherAreEqual) {
  Algorithm a = gather_over_two();
  a.chunks = 6;
  EXPECT_NE(proof_findings(a).find("gather requires a multiple of 4 chunks, one shard per rank, but there are 6"),
            std::string::npos);
}

// As in the runtimes: the input of a gather, and the output of a scatter, is only one rank's shard.
TEST(Verify, OutOfPlacePartsMayStandAlone) {
  const Tb keep{-1, -1, 1, {{cpy, in, 0, out, 0}}};
  const auto gather = [&](std::int32_t to) {
    return make_algorithm(
        Collective::gather, 2, false, 2, 2, 0,
        {{keep, Tb{-1, 1, 0, {{recv, in, 0, out, to}}}}, {Tb{0, -1, 0, {{send, in, 0, out, 1}}}}});
  };
  EXPECT_EQ(proof_findings(gather(1)), "");
  EXPECT_NE(proof_findings(gather(0)).find("[postcondition]"), std::string::npos);
  const auto scatter = [&](std::int32_t from) {
    return make_algorithm(
        Collective::scatter, 2, false, 2, 2, 0,
        {{keep, Tb{1, -1, 0, {{send, in, from, out, 0}}}}, {Tb{-1, 0, 0, {{recv, in, 1, out, 0}}}}});
  };
  EXPECT_EQ(proof_findings(scatter(1)), "");
  EXPECT_NE(proof_findings(scatter(0)).find("[postcondition]"), std::string::npos);
}

TEST(Verify, BuffersThatNoStepCanFillAreNotAllocated) {
  Algorithm a = ring(2);
  for (Gpu& g : a.gpus) g.s_chunks = 2'000'000'000;  // declared, but never used
  EXPECT_EQ(proof_findings(a), "");
  a.chunks = 2'000'000'000;  // all would have to be reduced
  Diagnostics diagnostics;
  EXPECT_THROW(verify(make_step_graph(a), {}, diagnostics), Error);
}

TEST(Verify, OffsetsAtTheEndOfAllIntegersAreOutside) {
  const std::vector<std::vector<Tb>> gpus{{Tb{1, -1, 0, {{send, in, 0, out, 2147483647, 2}}}},
                                          {Tb{-1, 0, 0, {{recv, in, 0, out, 2147483647, 2}}}}};
  const std::string text = proof_findings(make_algorithm(Collective::custom, 2, false, 2, 2, 0, gpus));
  EXPECT_NE(text.find("dst o[2147483647…2147483648] is outside of a buffer of 2 chunks [offsets]"),
            std::string::npos)
      << text;
}

TEST(Verify, AnotherCollectiveIsJudgedInItsOwnLayout) {
  // An all-gather of two: as a broadcast, neither input nor aliasing is the same.
  std::vector<std::vector<Tb>> gpus;
  for (std::int32_t r = 0; r < 2; ++r) {
    gpus.push_back({Tb{1 - r, 1 - r, 0, {{send, out, r, out, r}, {recv, out, 1 - r, out, 1 - r}}}});
  }
  const Algorithm a = make_algorithm(Collective::all_gather, 2, true, 0, 2, 0, gpus);
  Diagnostics diagnostics;
  VerifyOptions options;
  options.dataflow = true;
  options.collective = Collective::broadcast;
  verify(make_step_graph(a), options, diagnostics);
  ASSERT_FALSE(diagnostics.all().empty());
  EXPECT_EQ(diagnostics.all()[0].message.substr(0, 48), "broadcast: gpu 0 o[1] must finally hold chunk 1 ");
}

TEST(Structure, CopiesStayInsideAndApart) {
  Algorithm a = make_algorithm(Collective::custom, 2, false, 2, 2, 0, {{}});
  a.gpus[0].copies = {{0, 0}, {1, 0}, {70, 1}};
  EXPECT_EQ(proof_findings(a, false),
            "0: error: gpu 0: <copy> from i[1] to o[0]: another <copy> writes the same chunk [offsets]\n"
            "0: error: gpu 0: <copy> from i[70] to o[1] is outside of the buffers [offsets]\n"
            "0: warning: <copy> elements are executed as copies at the start; the runtimes ignore them [limits]\n");
}

TEST(Structure, LimitsOfARuntime) {
  std::vector<std::vector<Tb>> gpus{{Tb{-1, -1, 0, {}}}};
  for (int i = 0; i < 65; ++i) gpus[0][0].rows.push_back({cpy, in, 0, tmp, 0, 1});
  const Algorithm a = make_algorithm(Collective::all_reduce, 1, false, 1, 0, 1, gpus);
  const auto findings = [&](const RuntimeLimits* target) {
    Diagnostics found;
    check_structure(a, found, target);
    return std::pair(found.errors(), found.warnings());
  };
  EXPECT_EQ(findings(nullptr), std::pair(0UL, 1UL));
  EXPECT_EQ(findings(&msccl_limits), std::pair(0UL, 0UL));
  EXPECT_EQ(findings(&rccl_limits), std::pair(1UL, 0UL));
}

TEST(Structure, OffsetsAndDependenciesAndConnections) {
  const std::vector<std::vector<Tb>> gpus{
      {Tb{-1, -1, 0, {{cpy, in, 1, tmp, 0, 2}, {cpy, in, 0, tmp, 1, 1, 7, 0}, {cpy, in, 0, tmp, 1, 1, 0, 2}}}}};
  EXPECT_EQ(proof_findings(make_algorithm(Collective::custom, 2, false, 2, 0, 2, gpus), false).substr(0, 400),
            "1: error: gpu 0 threadblock 0 step 0 (cpy): src i[1…2] is outside of a buffer of 2 chunks [offsets]\n"
            "2: error: gpu 0 threadblock 0 step 1 (cpy) depends on threadblock 7, which does not exist [deps]\n"
            "3: error: gpu 0 threadblock 0 step 2 (cpy) depends on itself [deps]\n"
            "3: error: deadlock: 1 threadblocks never finish [deadlock]\n");
}

}  // namespace
}  // namespace convert
