// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "common/expect_error.h"
#include "scenario/option_values.h"
#include "scenario/scenario.h"
#include "scenario/system_keys.h"

namespace convert {
namespace {

std::string setting_error(const std::string& key, const std::string& value) {
  return test::error_message([&] { RunSettings().set(key, value); }, Error::Kind::input);
}

// A scenario of KEY, VALUE, KEY, VALUE, …
Scenario scenario(const std::vector<std::string>& pairs) {
  RunSettings settings;
  settings.set("workload", "w");
  for (std::size_t i = 0; i < pairs.size(); i += 2) settings.set(pairs[i], pairs[i + 1]);
  return make_scenario(settings);
}
std::string scenario_error(const std::vector<std::string>& pairs) {
  return test::error_message([&] { (void)scenario(pairs); });
}

TEST(Settings, EveryChoiceHasItsName) {
  for (const Setting& s : all_settings()) {
    std::istringstream names(s.kind == SettingKind::choice ? s.value : "");
    for (std::string name; std::getline(names, name, '|');) EXPECT_EQ(setting_error(s.key, name), "") << s.key;
  }
  EXPECT_EQ(setting_error("model", "link"), "unknown model 'link'; did you mean links?");
}

TEST(Settings, Truths) {
  for (const char* yes : {"true", "True", "t", "1", "yes"}) EXPECT_EQ(parse_truth(yes), true) << yes;
  for (const char* no : {"false", "False", "F", "0", "off"}) EXPECT_EQ(parse_truth(no), false) << no;
  EXPECT_EQ(parse_truth("TRUE!"), std::nullopt);
}

TEST(Settings, ValuesThatAKeyDoesNotTake) {
  EXPECT_EQ(setting_error("bandwidth", "50"),
            "bandwidth requires a rate such as 50GB/s or a factor such as x0.5, not '50'");
  EXPECT_EQ(setting_error("bandwidth", "x0"),
            "bandwidth requires a rate such as 50GB/s or a factor such as x0.5, not 'x0'");
  EXPECT_EQ(setting_error("latency", "fast"),
            "latency requires a time such as 500ns or a factor such as x2, not 'fast'");
  EXPECT_EQ(setting_error("latency", "xnan"),
            "latency requires a time such as 500ns or a factor such as x2, not 'xnan'");
  EXPECT_EQ(setting_error("size", "0"), "size requires a size such as 1MiB, not '0'");
  EXPECT_EQ(setting_error("queues-per-dim", "0"), "queues-per-dim requires an integer from 1 to 65535, not '0'");
  EXPECT_EQ(setting_error("rendezvous", "maybe"), "rendezvous requires true or false, not 'maybe'");
  EXPECT_EQ(setting_error("issue", "workloads"), "unknown issue 'workloads'; did you mean workload?");
  EXPECT_EQ(setting_error("occupancy", "alpha"), "unknown occupancy 'alpha'; did you mean alpha-beta?");
  EXPECT_EQ(setting_error("policy", "fio"), "unknown policy 'fio'; did you mean fifo?");
  EXPECT_EQ(setting_error("symmetry", "ture"), "symmetry requires true or false, not 'ture'");
  EXPECT_EQ(setting_error("fail", "3-4;"), "fail: an element of the list is empty");
  EXPECT_EQ(setting_error("fail", ";"), "fail: an element of the list is empty");
  EXPECT_EQ(setting_error("slow", "3=2x;none"), "slow: 'none' is not RANK=FACTOR, such as 3=1.5x");
  EXPECT_EQ(setting_error("slow", "3=2x;3=1"), "slow: rank 3 is given twice");
  EXPECT_EQ(setting_error("slow", "3=nan"), "slow: 'nan' is not a number from 0 to 1e9");
  const std::string shape = "; an example is all_reduce:pg=3:size>=1MiB=ring8.xml";
  EXPECT_EQ(setting_error("algorithm", "all_reduce=ring;all:size>=1MiB:size<1KiB=ring"),
            "algorithm: 'all:size>=1MiB:size<1KiB=ring': no size satisfies the conditions" + shape);
  EXPECT_EQ(setting_error("algorithm", "all:size<=4"), "algorithm: 'all:size<=4': no algorithm after '='" + shape);
  EXPECT_EQ(setting_error("algorithm", "broadcast=astra:ring"),
            "algorithm: 'broadcast=astra:ring': ASTRA-sim has one algorithm for broadcast; give a name of "
            "et-generate --list, or a file");
  EXPECT_EQ(setting_error("algorithm", "astra:rung+ring"),
            "algorithm: 'astra:rung+ring': unknown algorithm 'astra:rung'; ASTRA-sim has ring, one_ring, direct, "
            "one_direct, halving_doubling, one_halving_doubling, double_binary_tree; did you mean ring?");
  EXPECT_EQ(setting_error("algorithm", "broadcast=ring"),
            "algorithm: algorithm ring does not support broadcast; the algorithms for broadcast are rabenseifner, "
            "binomial_tree, "
            "binary_tree, double_binary_tree, chain");
  EXPECT_EQ(setting_error("algorithm", "ring,chunk=2"),
            "algorithm: unknown key 'chunk'; the keys are chunks, dims, dim-algorithms, root");
  EXPECT_EQ(setting_error("algorithm", "all=no/such"),
            "algorithm: 'no/such' is not an algorithm, a file or a trace set; see et-generate --list for names; "
            "astra:NAME is native");
  EXPECT_EQ(setting_error("algorithm", "rnig"),
            "algorithm: 'rnig' is not an algorithm, a file or a trace set; did you mean ring?");
  EXPECT_EQ(setting_error("algorithm", "oneRing"),
            "algorithm: 'oneRing' is not an algorithm, a file or a trace set; did you mean astra:oneRing?");
  EXPECT_EQ(setting_error("system", "/dev/null"),
            "/dev/null is not a regular file; a sweep must read it several times");
  EXPECT_EQ(setting_error("network", "-"),
            "the network cannot be standard input, because a sweep reads it several times; name a file");
  EXPECT_EQ(setting_error("network", "/dev/null"),
            "/dev/null is not a regular file; a sweep must read it several times");
  EXPECT_EQ(test::error_text([] { RunSettings().set("system", "no/such.json"); }, Error::Kind::system),
            "no/such.json: No such file or directory");
  EXPECT_EQ(setting_error("endpoint-delay", "1, \"L\": 2"),
            "endpoint-delay requires a whole number from 0 to 9007199254740992, not \"1, \\\"L\\\": 2\"");
  EXPECT_EQ(setting_error("collective-optimization", "basline").substr(0, 41),
            "unknown collective-optimization \"basline\"");
  EXPECT_EQ(setting_error("all-reduce-implementation", "ring+rang"),
            "all-reduce-implementation: unknown algorithm \"rang\"; did you mean ring?");
  EXPECT_EQ(setting_error("roofline-enabled", "yes"), "roofline-enabled requires 0 or 1, not \"yes\"");
}

TEST(Settings, HowMessagesShareWires) {
  const NetworkOptions o = scenario({"network", "torus:4x2,bw=1GB/s", "model", "links", "occupancy", "alpha-beta",
                                     "forwarding", "cut", "routing", "shortest", "fail", "0-1;npu2>npu3"})
                               .options.network;
  EXPECT_EQ(o.occupancy, Occupancy::alpha_beta);
  EXPECT_EQ(o.forwarding, Forwarding::cut);
  EXPECT_EQ(o.routing, Routing::shortest);
  EXPECT_EQ(o.failed, (std::vector<std::string>{"0-1", "npu2>npu3"}));
  EXPECT_TRUE(scenario({"network", "ideal", "fail", "none"}).options.network.failed.empty());
}

TEST(Settings, RulesStragglersAndPolicies) {
  const Scenario s = scenario({"network", "ideal", "algorithm",
                               "all_reduce:size<1MiB=astra:ring+direct;astra:oneRing;broadcast=chain", "slow",
                               "0=1.5x;3=2", "policy", "smallest", "balanced", "1", "symmetry", "no"});
  ASSERT_EQ(s.options.system->rules.size(), 3U);
  EXPECT_EQ(s.options.system->rules[0].which.end_bytes, 1 << 20);
  EXPECT_EQ(s.options.system->rules[0].choice.per_dim.size(), 2U);
  EXPECT_TRUE(s.options.system->rules[1].choice.per_dim[0].one);
  EXPECT_EQ(s.options.system->rules[2].choice.custom, "built:chain");
  EXPECT_EQ(s.options.slow, (std::map<Rank, double>{{0, 1.5}, {3, 2.0}}));
  EXPECT_EQ(s.options.system->policy, WirePolicy::smallest);
  EXPECT_TRUE(s.options.system->balanced);
  EXPECT_FALSE(s.options.symmetry);
  EXPECT_TRUE(scenario({"network", "ideal", "slow", "none"}).options.slow.empty());
}

TEST(Settings, OneAlgorithmOfARuleIsForAllDimensions) {
  const auto algorithms = [](const std::string& rule, const std::string& compat) {
    return scenario({"network", "torus:4x2x2,bw=1GB/s", "algorithm", rule, "compat", compat})
        .options.system->rules.front()
        .choice.per_dim.size();
  };
  EXPECT_EQ(algorithms("all=astra:ring", "none"), 3U);
  EXPECT_EQ(algorithms("astra:ring", "astra"), 1U);
  EXPECT_EQ(algorithms("astra:oneRing", "none"), 1U);
  EXPECT_EQ(scenario_error({"network", "torus:4x2x2,bw=1GB/s", "algorithm", "astra:ring+ring"}),
            "a rule for collectives has 2 algorithms, but the network torus:4x2x2,bw=1GB/s has 3 dimensions; give "
            "one for "
            "each, or one for all");
}

TEST(Settings, WhatDoesNotGoTogether) {
  const auto message = [](std::vector<std::string> pairs) {
    return test::error_message([&] { check_scenario(scenario(pairs)); });
  };
  const std::string ring = "ring:8,bw=1GB/s";
  EXPECT_EQ(message({"network", ring, "model", "unaware", "policy", "fifo"}),
            "policy fifo requires the network model links (messages wait for links), not unaware");
  EXPECT_EQ(message({"network", ring, "model", "links", "policy", "fifo"}), "");
  EXPECT_EQ(message({"network", ring, "policy", "fifo"}), "");  // links is the default
  EXPECT_EQ(message({"network", ring, "compat", "astra", "fail", "0-1"}),
            "failed links: only with the network model links, not unaware");
  EXPECT_EQ(message({"network", ring, "compat", "astra", "balanced", "true"}),
            "balanced chunks and link policies require compat none; ASTRA-sim has neither");
  EXPECT_EQ(message({"network", ring, "model", "unaware", "fail", "0-1"}),
            "failed links: only with the network model links, not unaware");
  EXPECT_NE(message({"network", ring, "model", "links", "fail", "0-2"}), "");
  EXPECT_EQ(message({"network", ring, "model", "links", "fail", "0-1"}), "");
}

TEST(Settings, BandwidthAndLatencyOfAllAndOfOneDimension) {
  const std::string torus = "ring:4,bw=10GB/s,lat=100ns+switch:2,bw=20GB/s,lat=200ns";
  // A setting for one dimension overrides a setting for all, in any order.
  const NetworkConfig n =
      scenario({"network", torus, "bandwidth.1", "x2", "bandwidth", "30GB/s", "latency.0", "1us"}).network;
  EXPECT_DOUBLE_EQ(n.dims[0].bytes_per_ns, 30);
  EXPECT_DOUBLE_EQ(n.dims[1].bytes_per_ns, 60);
  EXPECT_DOUBLE_EQ(n.dims[0].latency_ns, 1000);
  EXPECT_DOUBLE_EQ(n.dims[1].latency_ns, 200);
  const NetworkConfig tree =
      scenario({"network", "tree:4x2,bw=10GB/s,lat=1us", "bandwidth.1", "5GB/s", "latency", "x0.5"}).network;
  EXPECT_DOUBLE_EQ(tree.levels[0].bytes_per_ns, 10);
  EXPECT_DOUBLE_EQ(tree.levels[1].bytes_per_ns, 5);
  EXPECT_DOUBLE_EQ(tree.levels[1].latency_ns, 500);
  EXPECT_EQ(scenario_error({"network", torus, "bandwidth.2", "x2"}),
            "bandwidth.2: the network " + torus + " has 2 dimensions; numbering starts at 0");
  EXPECT_EQ(scenario_error({"network", "ideal", "latency", "x2"}), "an ideal network has no latency to set");
  EXPECT_EQ(scenario_error({"model", "links"}),
            "no network is given; give -n, a base with network, or an axis of networks");
}

TEST(Settings, KeysOfTheSystemReplaceTheDefaults) {
  const std::string torus = "torus:4x2,bw=10GB/s";
  const auto config = [&](const std::vector<std::string>& more) {
    std::vector<std::string> pairs = {"network", torus};
    pairs.insert(pairs.end(), more.begin(), more.end());
    return scenario(pairs).options.system->config;
  };
  const SystemConfig plain = config({});
  EXPECT_EQ(plain.dataset_splits, 4);
  const SystemConfig c =
      config({"preferred-dataset-splits", "16", "endpoint-delay", "7", "collective-optimization", "baseline",
              "all-reduce-implementation", "direct", "all-to-all-implementation", "ring+direct3"});
  EXPECT_EQ(c.dataset_splits, 16);
  EXPECT_EQ(c.endpoint_delay_ns, 7);
  EXPECT_TRUE(c.endpoint_delay_given);
  EXPECT_EQ(c.optimization, CollectiveOptimization::baseline);
  EXPECT_EQ(c.peak_flops, plain.peak_flops);
  // One algorithm is for all dimensions.
  const auto& all_reduce = c.collectives[0].per_dim;
  ASSERT_EQ(all_reduce.size(), 2U);
  EXPECT_EQ(all_reduce[1].algorithm, NativeAlgorithm::direct);
  EXPECT_EQ(c.collectives[1].per_dim[0].algorithm, NativeAlgorithm::ring);  // unchanged
  EXPECT_EQ(c.collectives[3].per_dim[0].algorithm, NativeAlgorithm::ring);
  EXPECT_EQ(c.collectives[3].per_dim[1].window, 3U);
  EXPECT_EQ(config({"all-gather-implementation-custom", "a+b"}).collectives[1].custom, "a+b");
  // The traces of a collective replace its algorithms, in any order.
  for (const bool first : {false, true}) {
    std::vector<std::string> pairs = {"all-gather-implementation",        "direct",
                                      "all-reduce-implementation-custom", "traces",
                                      "all-reduce-implementation",        "direct"};
    if (first)
      pairs = {"all-reduce-implementation", "direct", "all-reduce-implementation-custom", "traces",
               "all-gather-implementation", "direct"};
    const SystemConfig both = config(pairs);
    EXPECT_EQ(both.collectives[0].custom, "traces");
    EXPECT_EQ(both.collectives[1].per_dim[0].algorithm, NativeAlgorithm::direct);
    EXPECT_EQ(both.collectives[2].per_dim[0].algorithm, NativeAlgorithm::ring);
  }
  EXPECT_EQ(scenario_error({"network", torus, "L", "5"}), "L is ignored: the system has no model-shared-bus");
}

TEST(Settings, CompatFollowsTheSystemUnlessSaid) {
  EXPECT_FALSE(scenario({"network", "ideal"}).options.astra);
  EXPECT_TRUE(scenario({"network", "ideal", "compat", "astra"}).options.astra);
  EXPECT_TRUE(scenario({"network", "ideal"}).issue_by_trace);
  const Scenario s = scenario({"network", "ideal", "issue", "workload", "size", "1MiB", "until", "2us"});
  EXPECT_FALSE(s.issue_by_trace);
  EXPECT_EQ(s.options.issue, IssueMode::workload);
  EXPECT_EQ(s.options.size_bytes, 1 << 20);
  EXPECT_EQ(s.options.until, 2'000'000);
}

TEST(Settings, Quantities) {
  const auto is = [](const std::string& key, const std::string& value, double number, ValueUnit unit) {
    const auto q = quantity(key, value);
    return q && q->value == number && q->unit == unit;
  };
  EXPECT_TRUE(is("bandwidth.1", "50GB/s", 50e9, ValueUnit::bytes_per_s));
  EXPECT_TRUE(is("latency", "x0.5", 0.5, ValueUnit::factor));
  EXPECT_TRUE(is("latency", "1us", 1000, ValueUnit::ns));
  EXPECT_TRUE(is("size", "64KiB", 65536, ValueUnit::bytes));
  EXPECT_TRUE(is("preferred-dataset-splits", "8", 8, ValueUnit::number));
  EXPECT_FALSE(quantity("network", "8"));
  EXPECT_FALSE(quantity("algorithm", "ring"));
}

TEST(Settings, ShapeOfANetwork) {
  const auto shape = [](const std::string& network, const std::string& model) {
    return network_shape(scenario({"network", network, "model", model}));
  };
  EXPECT_EQ(shape("ring:8,bw=1GB/s", "unaware"), shape("ring:8,bw=2GB/s,lat=1us", "aware"));
  EXPECT_NE(shape("ring:8,bw=1GB/s", "unaware"), shape("ring:8,bw=1GB/s", "links"));  // messages that take no time
  EXPECT_NE(shape("ring:8,bw=1GB/s", "unaware"), shape("fully_connected:8,bw=1GB/s", "unaware"));
  EXPECT_NE(shape("torus:4x2,bw=1GB/s", "unaware"), shape("ring:8,bw=1GB/s", "unaware"));
  // An NPU can send to itself through a switch, if switches are simulated.
  EXPECT_NE(shape("switch:8,bw=1GB/s", "unaware"), shape("switch:8,bw=1GB/s", "aware"));
}

}  // namespace
}  // namespace convert
