// SPDX-License-Identifier: MIT
#include "machine/chosen.h"

#include <gtest/gtest.h>

#include <cmath>

#include "common/expect_error.h"
#include "machine/presets.h"

namespace convert {
namespace {

TEST(MachinePresets, AllAreReadAndHaveTheirSources) {
  EXPECT_EQ(machine_presets().size(), 8U);
  for (const MachinePreset& p : machine_presets()) {
    const auto chosen = choose_preset(std::string(p.name));
    const Machine& m = chosen->machine();
    EXPECT_EQ(m.name, p.name);
    EXPECT_TRUE(m.has_library);
    EXPECT_FALSE(m.sources.empty()) << p.name;
    EXPECT_GE(m.measured.size(), 20U) << p.name;
    EXPECT_TRUE(m.accuracy.sizes && m.accuracy.model) << p.name;
    for (const MeasuredCall& c : m.measured) {
      const MachineCost cost = chosen->cost({c.collective, c.ranks, c.nodes, static_cast<double>(c.bytes)});
      EXPECT_EQ(cost.source, CallSource::measured);
      EXPECT_NEAR(cost.time_ns / c.time_ns, 1, 2e-3) << p.name << " " << c.bytes;
      EXPECT_LE(cost.latency_ns, cost.time_ns);
    }
  }
}

TEST(ChosenMachine, Labels) {
  const auto chosen = choose_preset("dgx-h100");
  const auto source = [&](std::uint32_t ranks, std::uint32_t nodes, double bytes) {
    return name(chosen->cost({Collective::all_reduce, ranks, nodes, bytes}).source);
  };
  EXPECT_EQ(source(8, 1, 1 << 20), "measured");
  EXPECT_EQ(source(5, 1, 64 << 20), "between");
  EXPECT_EQ(source(8, 1, 1e15), "beyond");
  EXPECT_EQ(source(1024, 128, 1 << 20), "beyond");
  EXPECT_EQ(source(2, 2, 1 << 20), "model");
  EXPECT_EQ(name(chosen->cost({Collective::broadcast, 8, 1, 1 << 20}).source), "model");
}

// The time of a call never falls by more than 1 % where nodes double.
TEST(ChosenMachine, MoreNodesTakeLonger) {
  const auto chosen = choose_preset("dgx-h100");
  for (int bits = 13; bits <= 33; ++bits) {  // 8 KiB to 8 GiB
    const double bytes = std::ldexp(1.0, bits);
    double before = 0;
    for (std::uint32_t nodes = 8; nodes <= 2048; nodes *= 2) {
      const double time = chosen->cost({Collective::all_reduce, 8 * nodes, nodes, bytes}).time_ns;
      EXPECT_GE(time, before * 0.99) << bytes << " bytes, " << nodes << " nodes";
      before = time;
    }
  }
}

TEST(ChosenMachine, ChangedHardwareHasNoTables) {
  const MachineCall call{Collective::all_gather, 8, 1, 1 << 30};
  const auto measured = choose_preset("dgx-h100"), formulas = choose_preset("machine:dgx-h100,tables=no"),
             twice = choose_preset("dgx-h100,port=900GB/s");
  EXPECT_EQ(measured->cost(call).source, CallSource::measured);
  EXPECT_EQ(formulas->cost(call).source, CallSource::model);
  EXPECT_EQ(twice->cost(call).source, CallSource::rescaled);
  EXPECT_LT(twice->cost(call).time_ns, 0.6 * formulas->cost(call).time_ns);
  // A later start moves small calls.
  const MachineCall small{Collective::all_gather, 8, 1, 1024};
  EXPECT_NEAR(
      choose_preset("dgx-h100,tables=no,launch=16.485us")->cost(small).time_ns - formulas->cost(small).time_ns,
      10'000, 1e-6);
}

TEST(ChosenMachine, Refusals) {
  const auto refusal = [](const std::string& option) {
    return test::error_text([&] { (void)choose_preset(option); }, Error::Kind::usage);
  };
  EXPECT_EQ(refusal("machine:dgx-h10"),
            ": machine:dgx-h10: there is no machine dgx-h10; did you mean dgx-h100? (et-replay --list-machines)");
  EXPECT_EQ(refusal("dgx-h100,port=9"), ": dgx-h100: port requires a rate such as 50GB/s or 400Gbit/s, not '9'");
  EXPECT_EQ(refusal("dgx-h100,leaf=4"), ": dgx-h100: leaf requires over=, the factor of the bandwidth");
  EXPECT_EQ(test::error_text([] {
              (void)choose_preset("dgx-h100")->cost({Collective::custom, 8, 1, 8});
            }),
            "dgx-h100: the collective custom has no time on a machine");
}

TEST(MachineNetwork, HasPortsAndAdapters) {
  const NetworkConfig two = network_of(choose_preset("dgx-h100,nodes=2"), "dgx-h100,nodes=2");
  ASSERT_EQ(two.dims.size(), 2U);
  EXPECT_EQ(two.npus(), 16);
  EXPECT_EQ(two.dims[0].bytes_per_ns, 450);
  EXPECT_EQ(two.dims[1].bytes_per_ns, 50);
  NetworkConfig any = network_of(choose_preset("mi300x-node"), "mi300x-node");
  EXPECT_EQ(any.npus(), 0);
  fit_nodes(any, 20);
  EXPECT_EQ(any.npus(), 24);
  EXPECT_EQ(any.dims[0].topology, Topology::fully_connected);
}

TEST(ChosenMachine, ChangedCallsKeepTheirCorrection) {
  const auto chosen = choose_preset("dgx-h100");
  const MachineCall call{Collective::all_reduce, 32, 4, 1 << 30};
  const MachineCost now = chosen->cost(call);
  EXPECT_DOUBLE_EQ(chosen->changed_cost(call, chosen->machine()).time_ns, now.time_ns);
  Machine wide = chosen->machine();
  wide.fabric->adapters *= 2;
  const MachineCost faster = chosen->changed_cost(call, wide);
  EXPECT_LT(faster.time_ns, now.time_ns);
  EXPECT_EQ(faster.source, CallSource::rescaled);
  Machine plain = chosen->machine();
  plain.library.nvls.reset();
  EXPECT_NE(chosen->changed_cost(call, plain).algorithm.method, CallMethod::nvls);
}

}  // namespace
}  // namespace convert
