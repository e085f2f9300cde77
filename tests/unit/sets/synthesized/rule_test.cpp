// SPDX-License-Identifier: MIT
#include "sets/synthesized/rule.h"

#include <gtest/gtest.h>

#include "common/expect_error.h"

namespace convert {
namespace {

TEST(SynthesisRules, KeysAndANetworkWithItsOwnOptions) {
  const SynthesisRule rule = parse_synthesis_rule(
      "Synthesized,effort=Best,net=dgx.xml,hosts=4,lat=nvlink:500ns,pci:700ns,chunks=80,method=trees+EXACT,seed=3");
  EXPECT_EQ(rule.network, "dgx.xml,hosts=4,lat=nvlink:500ns,pci:700ns");
  EXPECT_EQ(rule.choice.effort, SynthesisEffort::best);
  EXPECT_EQ(rule.choice.pieces, 80U);
  EXPECT_EQ(rule.choice.most_pieces, 80U);
  EXPECT_EQ(rule.choice.methods, (std::vector{SynthesisMethod::trees, SynthesisMethod::exact}));
  EXPECT_EQ(rule.choice.seed, 3U);
  EXPECT_EQ(
      rule.text,
      "synthesized,effort=best,net=dgx.xml,hosts=4,lat=nvlink:500ns,pci:700ns,chunks=80,method=trees+exact,seed=3");
  EXPECT_FALSE(rule.occupancy.has_value());
  EXPECT_FALSE(rule.forwarding.has_value());
  EXPECT_EQ(parse_synthesis_rule("synthesized,forwarding=Cut").forwarding, Forwarding::cut);
  EXPECT_EQ(parse_synthesis_rule("synthesized,occupancy=alpha-beta").occupancy, Schedule::Occupancy::alpha_beta);
  EXPECT_EQ(parse_synthesis_rule("synthesized,fail=3-4+5>6").failed, (std::vector<std::string>{"3-4", "5>6"}));
  EXPECT_TRUE(parse_synthesis_rule("synthesized,detours=Yes").detours);
  EXPECT_FALSE(parse_synthesis_rule("synthesized,detours=no").detours);
  EXPECT_EQ(parse_synthesis_rule("synthesized").text, "synthesized");
}

TEST(SynthesisRules, NamesOnlyWhatIsSynthesized) {
  EXPECT_TRUE(names_synthesis("synthesized"));
  EXPECT_TRUE(names_synthesis("Synthesized,effort=fast"));
  EXPECT_FALSE(names_synthesis("ring,net=synthesized"));
  EXPECT_FALSE(names_synthesis("./synthesized"));
  EXPECT_FALSE(names_synthesis(""));
}

TEST(SynthesisRules, WhatIsWrongIsNamed) {
  const auto message = [](const std::string& text) {
    return test::error_message([&] { (void)parse_synthesis_rule(text); }, Error::Kind::usage);
  };
  EXPECT_EQ(message("synthesized,effort=x"), "'x' for effort: expected one of fast, normal, best");
  EXPECT_EQ(message("synthesized,chunks=0"), "'0' for chunks: expected a number from 1 to 16777216");
  EXPECT_EQ(message("synthesized,detours=1"), "'1' for detours: expected one of no, yes");
  EXPECT_EQ(message("synthesized,net="), "'' for net: expected a network, as for option -n");
  EXPECT_EQ(message("synthesized,method=trees+ring"),
            "'ring' for method: expected one of greedy, trees, exact, latency, paired, paths, builders");
  EXPECT_EQ(message("synthesized,seed=1,seed=2"), "key 'seed' is repeated");
  EXPECT_EQ(message("synthesized,root=1"),
            "unknown key 'root'; known: effort, chunks, max-chunks, method, seed, occupancy, forwarding, net, "
            "fail, detours");
  EXPECT_EQ(message("synthesized,fail=3-4+"), "'3-4+' for fail: expected links, such as 3-4+npu5-switch0");
  EXPECT_EQ(test::error_message([] { check_synthesized(Collective::barrier); }, Error::Kind::usage),
            "synthesized is for all_reduce, reduce, all_gather, gather, scatter, broadcast, all_to_all, "
            "reduce_scatter, not for barrier");
  check_synthesized(Collective::reduce_scatter_block);
  check_synthesized(std::nullopt);
}

}  // namespace
}  // namespace convert
