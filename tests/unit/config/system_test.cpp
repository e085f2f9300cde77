// SPDX-License-Identifier: MIT
#include "config/system.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/expect_error.h"
#include "core/diagnostic.h"

namespace convert {
namespace {

std::string system_file_error(const std::string& text) {
  return test::error_text([&] { (void)parse_system("s.json", text); }, "system");
}
// Returns the error, without its location, for the value of one key, which begins in column 1 of line 2.
std::string value_error(const std::string& key, const std::string& value) {
  const std::string error = system_file_error("{\"" + key + "\":\n" + value + "}");
  const std::string place = "s.json:2:1: ";
  EXPECT_EQ(error.substr(0, place.size()), place) << error;
  return error.substr(std::min(error.size(), place.size()));
}
std::string node_map_error(const std::string& text) {
  return test::error_text([&] { (void)parse_per_node_map("n.yml", text); }, "system");
}

const CollectiveChoice& of(const SystemConfig& c, Collective op) { return c.collectives.at(listed_place(op)); }

const std::string everything = R"({
  "scheduling-policy": "EXPLICIT",
  "collective-optimization": "localBWAware",
  "endpoint-delay": 77,
  "active-chunks-per-dimension": 4,
  "preferred-dataset-splits": 16,
  "local-mem-bw": 3350.5,
  "peak-perf": 100,
  "roofline-enabled": 1,
  "replay-only": true,
  "trace-enabled": 1,
  "track-local-mem": 1,
  "local-mem-trace-filename": "mem\u002ftrace",
  "model-shared-bus": 1,
  "L": 10,
  "o": 5,
  "g": 3,
  "G": 0.37,
  "local-reduction-delay": 3,
  "all-reduce-implementation": ["ring", "oneDirect12", "direct"],
  "all-gather-implementation": ["oneHalvingDoubling"],
  "reduce-scatter-implementation": ["doubleBinaryTree"],
  "all-to-all-implementation": ["direct3", "oneRing"],
  "all-reduce-implementation-custom": ["algo/a"],
  "all-gather-implementation-custom": ["algo/b"],
  "reduce-scatter-implementation-custom": ["algo/c"],
  "all-to-all-implementation-custom": ["algo/d"],
  "per-node-custom-implementation": "nodes.yml"
}
)";

TEST(System, ReadsEveryKey) {
  const SystemConfig c = parse_system("s.json", everything);
  EXPECT_EQ(c.source, "s.json");
  EXPECT_EQ(c.optimization, CollectiveOptimization::local_bw_aware);
  EXPECT_EQ(c.endpoint_delay_ns, 77);
  EXPECT_TRUE(c.endpoint_delay_given);
  EXPECT_EQ(c.active_chunks_per_dimension, 4);
  EXPECT_EQ(c.dataset_splits, 16);
  EXPECT_EQ(c.local_mem_bytes_per_s, 3350.5e9);
  EXPECT_EQ(c.peak_flops, 1e14);
  EXPECT_TRUE(c.roofline);
  EXPECT_TRUE(c.replay_only);
  EXPECT_TRUE(c.track_local_mem);
  EXPECT_EQ(c.local_mem_trace, "mem/trace");
  ASSERT_TRUE(c.shared_bus);
  EXPECT_EQ(c.shared_bus->L_ns, 10);
  EXPECT_EQ(c.shared_bus->o_ns, 5);
  EXPECT_EQ(c.shared_bus->g_ns, 3);
  EXPECT_EQ(c.shared_bus->G_ns_per_byte, 0.37F);
  EXPECT_EQ(c.local_reduction_delay, 3);
  const CollectiveChoice& all_reduce = of(c, Collective::all_reduce);
  ASSERT_EQ(all_reduce.per_dim.size(), 3U);
  EXPECT_EQ(all_reduce.per_dim[0].algorithm, NativeAlgorithm::ring);
  EXPECT_FALSE(all_reduce.per_dim[0].one);
  EXPECT_EQ(all_reduce.per_dim[0].window, std::nullopt);
  EXPECT_EQ(all_reduce.per_dim[1].algorithm, NativeAlgorithm::direct);
  EXPECT_TRUE(all_reduce.per_dim[1].one);
  EXPECT_EQ(all_reduce.per_dim[1].window, 12U);
  EXPECT_EQ(all_reduce.per_dim[2].window, std::nullopt);
  EXPECT_EQ(all_reduce.custom, "algo/a");
  EXPECT_EQ(of(c, Collective::all_gather).per_dim.at(0).algorithm, NativeAlgorithm::halving_doubling);
  EXPECT_EQ(of(c, Collective::all_gather).custom, "algo/b");
  EXPECT_EQ(of(c, Collective::reduce_scatter).per_dim.at(0).algorithm, NativeAlgorithm::double_binary_tree);
  EXPECT_EQ(of(c, Collective::reduce_scatter).custom, "algo/c");
  EXPECT_EQ(of(c, Collective::all_to_all).per_dim.at(0).window, 3U);
  EXPECT_TRUE(of(c, Collective::all_to_all).per_dim.at(1).one);
  EXPECT_EQ(of(c, Collective::all_to_all).custom, "algo/d");
  EXPECT_EQ(c.per_node_map, "nodes.yml");
  EXPECT_EQ(c.notes.size(), 2U);  // scheduling-policy, trace-enabled
}

TEST(System, Defaults) {
  const SystemConfig c = parse_system("s.json", " {}\n");
  EXPECT_EQ(c.optimization, std::nullopt);
  EXPECT_EQ(c.endpoint_delay_ns, 10);
  EXPECT_FALSE(c.endpoint_delay_given);
  EXPECT_EQ(c.active_chunks_per_dimension, 1);
  EXPECT_EQ(c.dataset_splits, std::nullopt);
  EXPECT_EQ(c.local_mem_bytes_per_s, 0);
  EXPECT_EQ(c.peak_flops, 0);
  EXPECT_FALSE(c.roofline || c.replay_only || c.track_local_mem);
  EXPECT_EQ(c.local_mem_trace, "local_mem_trace");
  EXPECT_FALSE(c.shared_bus);
  EXPECT_EQ(c.local_reduction_delay, 1);
  for (const CollectiveChoice& choice : c.collectives) EXPECT_TRUE(choice.per_dim.empty() && choice.custom.empty());
  EXPECT_EQ(c.per_node_map, "");
  EXPECT_TRUE(c.notes.empty());
}

TEST(System, SpellingsOfNumbersAndSwitches) {
  EXPECT_EQ(parse_system("s", R"({"endpoint-delay": 0})").endpoint_delay_ns, 0);
  EXPECT_EQ(parse_system("s", R"({"endpoint-delay": 1.5e1})").endpoint_delay_ns, 15);
  EXPECT_EQ(parse_system("s", R"({"endpoint-delay": 9007199254740992})").endpoint_delay_ns, 9007199254740992);
  EXPECT_EQ(parse_system("s", R"({"preferred-dataset-splits": 4.0})").dataset_splits, 4);
  EXPECT_FALSE(std::signbit(parse_system("s", R"({"local-mem-bw": -0.0})").local_mem_bytes_per_s));
  EXPECT_FALSE(parse_system("s", R"({"model-shared-bus": false})").shared_bus);
  EXPECT_TRUE(parse_system("s", R"({"model-shared-bus":true,"L":0,"o":0,"g":0,"G":0})").shared_bus);
  EXPECT_TRUE(parse_system("s", R"({"roofline-enabled": true})").roofline);
  EXPECT_FALSE(parse_system("s", R"({"roofline-enabled": 0})").roofline);
  EXPECT_EQ(parse_system("s", R"({"collective-optimization": "baseline"})").optimization,
            CollectiveOptimization::baseline);
}

TEST(System, Notes) {
  const auto notes = [](const std::string& text) { return parse_system("s.json", text).notes; };
  EXPECT_EQ(
      notes(R"({"boost-mode": 0, "intra-dimension-scheduling": "RG", "inter-dimension-scheduling": ["x", 1],)"
            R"("scheduling-policy": "LIFO", "trace-enabled": 1})"),
      (std::vector<std::string>{
          "trace-enabled is ignored: no log files are written",
          "scheduling-policy is ignored: in ASTRA-sim an NPU runs one collective at a time; otherwise see --policy",
          "boost-mode is ignored",
          "intra-dimension-scheduling is ignored: chunks run in order of arrival at a dimension",
          "inter-dimension-scheduling is ignored: dimensions run in ascending order"}));
  EXPECT_EQ(notes(R"({"replay-only": false})"),
            std::vector<std::string>{"replay-only: false means off; ASTRA-sim accepts only 0 as off"});
  EXPECT_EQ(notes(R"({"model-shared-bus": 0, "L": 1, "G": 2})"),
            std::vector<std::string>{"ignored without model-shared-bus: L, G"});
  const SystemConfig c =
      parse_system("s", R"({"model-shared-bus": 1, "L": 10.9, "o": 16777217, "g": 0.5, "G": 1})");
  EXPECT_EQ(c.shared_bus->L_ns, 10);
  EXPECT_EQ(c.shared_bus->o_ns, 16777216);  // a float
  EXPECT_EQ(c.shared_bus->g_ns, 0);
  EXPECT_EQ(c.notes, (std::vector<std::string>{"L is rounded to whole ns: 10", "g is rounded to whole ns: 0"}));
}

TEST(System, Algorithms) {
  const auto spelling = [](std::string_view text) -> std::string {
    const auto a = parse_native_algorithm(text);
    if (!a) return "none";
    constexpr std::array<const char*, 4> names = {"ring", "direct", "hd", "dbt"};
    return (a->one ? "one " : "") + std::string(names.at(static_cast<std::size_t>(a->algorithm))) +
           (a->window ? " " + std::to_string(*a->window) : "");
  };
  EXPECT_EQ(spelling("ring"), "ring");
  EXPECT_EQ(spelling("oneRing"), "one ring");
  EXPECT_EQ(spelling("direct"), "direct");
  EXPECT_EQ(spelling("direct3"), "direct 3");
  EXPECT_EQ(spelling("direct99999"), "direct 99999");
  EXPECT_EQ(spelling("oneDirect10"), "one direct 10");
  EXPECT_EQ(spelling("halvingDoubling"), "hd");
  EXPECT_EQ(spelling("oneHalvingDoubling"), "one hd");
  EXPECT_EQ(spelling("doubleBinaryTree"), "dbt");
  EXPECT_EQ(spelling("Ring"), "ring");
  EXPECT_EQ(spelling("halving_doubling"), "hd");
  EXPECT_EQ(spelling("double-binary-tree"), "dbt");
  for (const char* usual : {"ring", "one_ring", "direct3", "one_direct10", "halving_doubling",
                            "one_halving_doubling", "double_binary_tree"}) {
    EXPECT_EQ(text_of(parse_native_algorithm(usual).value()), usual);
  }
  EXPECT_EQ(text_of(parse_native_algorithm("oneHalvingDoubling").value()), "one_halving_doubling");
  for (const char* bad : {"", "3", "rings", "ring3", "direct0", "direct01", "direct100000", "direct 3", "direct3x",
                          "oneDoubleBinaryTree", "hierarchicalRing"}) {
    EXPECT_EQ(spelling(bad), "none") << bad;
  }
}

TEST(System, RefusesNumbers) {
  for (const std::string bad : {"-1", "10.5", "\"ten\"", "true", "null", "1e300", "1e999", "9007199254740993"}) {
    EXPECT_EQ(value_error("endpoint-delay", bad),
              "endpoint-delay requires a whole number from 0 to 9007199254740992, not " + bad);
  }
  EXPECT_EQ(value_error("endpoint-delay", "[10]"),
            "endpoint-delay requires a whole number from 0 to 9007199254740992, not a list");
  for (const std::string bad : {"0", "-3", "2147483648", "0.5"}) {
    EXPECT_EQ(value_error("preferred-dataset-splits", bad),
              "preferred-dataset-splits requires a whole number from 1 to 2147483647, not " + bad);
    EXPECT_EQ(value_error("active-chunks-per-dimension", bad),
              "active-chunks-per-dimension requires a whole number from 1 to 2147483647, not " + bad);
  }
  for (const std::string bad : {"-1", "1e19", "1e999", "1e-999", "\"1600\"", "false"}) {
    EXPECT_EQ(value_error("local-mem-bw", bad), "local-mem-bw requires a number from 0 to 1e+18, not " + bad);
    EXPECT_EQ(value_error("peak-perf", bad), "peak-perf requires a number from 0 to 1e+18, not " + bad);
  }
  EXPECT_EQ(value_error("local-reduction-delay", "-1"),
            "local-reduction-delay requires a whole number from 0 to 2147483647, not -1");
  EXPECT_EQ(value_error("L", "-1"), "L requires a number from 0 to 1e+09, not -1");
  EXPECT_EQ(value_error("G", "1e7"), "G requires a number from 0 to 1e+06, not 1e7");
  for (const std::string bad : {"2", "-1", "1.0", "\"1\"", "null", "\"true\""}) {
    EXPECT_EQ(value_error("roofline-enabled", bad), "roofline-enabled requires 0 or 1, not " + bad);
    EXPECT_EQ(value_error("model-shared-bus", bad), "model-shared-bus requires 0 or 1, not " + bad);
  }
  for (const std::string bad :
       {"nan", "inf", "Infinity", ".5", "5.", "05", "+5", "0x5", "1e", "5,", "tru", "1x", "-"}) {
    EXPECT_NE(system_file_error("{\"local-mem-bw\": " + bad + "}"), "") << bad;
    EXPECT_NE(system_file_error("{\"boost-mode\": " + bad + "}"), "") << bad;
    EXPECT_NE(system_file_error("{\"boost-mode\": [" + bad + "]}"), "") << bad;
  }
  EXPECT_EQ(value_error("boost-mode", "05"), "malformed JSON: expected a value, not 05");
}

TEST(System, RefusesTexts) {
  EXPECT_EQ(value_error("scheduling-policy", "\"LIFOO\""),
            "unknown scheduling-policy \"LIFOO\"; did you mean LIFO?");
  EXPECT_EQ(value_error("scheduling-policy", "\"x\""),
            "unknown scheduling-policy \"x\"; known: LIFO, FIFO, EXPLICIT");
  EXPECT_EQ(value_error("scheduling-policy", "0"), "scheduling-policy requires one of LIFO, FIFO, EXPLICIT, not 0");
  EXPECT_EQ(value_error("collective-optimization", "\"localBwAware\""),
            "unknown collective-optimization \"localBwAware\"; did you mean localBWAware?");
  for (const std::string key : {"local-mem-trace-filename", "per-node-custom-implementation"}) {
    EXPECT_EQ(value_error(key, "\"\""), key + " requires a path, not \"\"");
    EXPECT_EQ(value_error(key, "7"), key + " requires a path, not 7");
    EXPECT_EQ(value_error(key, "[\"a\"]"), key + " requires a path, not a list");
    EXPECT_EQ(value_error(key, "\"a\\u0000b\""), key + " requires a path, not \"a\\u0000b\"");
  }
  const std::string long_name = std::string(39, 'n') + "\u00e9" + std::string(60, 'n');
  EXPECT_EQ(value_error("scheduling-policy", "\"" + long_name + "\""),
            "unknown scheduling-policy \"" + std::string(39, 'n') + "…\"; known: LIFO, FIFO, EXPLICIT");
}

TEST(System, RefusesLists) {
  const std::string key = "all-reduce-implementation";
  const std::string wants = key + " requires a list such as [\"ring\"], not ";
  EXPECT_EQ(value_error(key, "\"ring\""), wants + "\"ring\"");
  EXPECT_EQ(value_error(key, "[]"), wants + "an empty list");
  EXPECT_EQ(system_file_error("{\"" + key + "\": [\"ring\", 1]}"), "s.json:1:40: " + wants + "a list with 1");
  EXPECT_EQ(system_file_error("{\"" + key + "\": [\"ring\",\n  \"rings\"]}"),
            "s.json:2:3: " + key + ": unknown algorithm \"rings\"; did you mean ring?");
  EXPECT_EQ(system_file_error("{\"" + key + "\": [\"x\"]}"),
            "s.json:1:32: " + key +
                ": unknown algorithm \"x\"; known: ring, one_ring, direct, one_direct, halving_doubling, "
                "one_halving_doubling, double_binary_tree");
  for (const std::string bad : {"direct0", "oneDirect100000", "one_direct0"}) {
    EXPECT_EQ(system_file_error("{\"" + key + "\": [\"" + bad + "\"]}"),
              "s.json:1:32: " + key + ": the window of \"" + bad + "\" must be from 1 to 99999");
  }
  const std::string custom = "all-to-all-implementation-custom";
  EXPECT_EQ(value_error(custom, "[]"), custom + " requires a list such as [\"PREFIX\"], not an empty list");
  EXPECT_EQ(value_error(custom, "\"p\""), custom + " requires a list such as [\"PREFIX\"], not \"p\"");
  EXPECT_EQ(system_file_error("{\"" + custom + "\": [\"p\", \"q\"]}"),
            "s.json:1:44: " + custom + " requires exactly one prefix, whose traces cover all dimensions");
  EXPECT_EQ(system_file_error("{\"" + custom + "\": [\"\"]}"),
            "s.json:1:39: " + custom + " requires a list such as [\"PREFIX\"], not a list with \"\"");
}

TEST(System, SharedBusSaysWhatItTakesAsZero) {
  const SystemConfig c = parse_system("s.json", "{\"L\": 1, \"g\": 1,\n\"model-shared-bus\": 1}");
  ASSERT_TRUE(c.shared_bus);
  EXPECT_EQ(c.shared_bus->L_ns, 1);
  EXPECT_EQ(c.shared_bus->o_ns, 0);
  EXPECT_EQ(c.notes, (std::vector<std::string>{"model-shared-bus without o, G: defaults to 0"}));
}

TEST(System, Keys) {
  EXPECT_EQ(system_file_error("{\n  \"endpoint_delay\": 10}"),
            "s.json:2:3: unknown key \"endpoint_delay\"; did you mean endpoint-delay?");
  EXPECT_EQ(system_file_error("{\"something\\u0020else\": 10}").substr(0, 60),
            "s.json:1:2: unknown key \"something\\u0020else\"; known: schedu");
  EXPECT_EQ(system_file_error("{\"Boost-Mode\": 0}"),
            "s.json:1:2: unknown key \"Boost-Mode\"; did you mean boost-mode?");
  EXPECT_EQ(system_file_error("{\"L\": 1,\n \"\\u004c\": 1}"),
            "s.json:2:2: key \"\\u004c\" is repeated; first given in line 1");
  EXPECT_EQ(system_file_error("{\"boost-mode\": {}}"), "s.json:1:16: unexpected map");
  EXPECT_EQ(system_file_error("{\"boost-mode\": [1, [2]]}"), "s.json:1:20: unexpected list in a list");
}

TEST(System, MalformedJson) {
  const std::string shape = R"(a JSON object is expected, such as {"endpoint-delay": 10})";
  EXPECT_EQ(system_file_error(""), "s.json:1:1: empty; " + shape);
  EXPECT_EQ(system_file_error("\n\t\n"), "s.json:1:1: empty; " + shape);
  EXPECT_EQ(system_file_error("\n [{}]"), "s.json:2:2: " + shape);
  EXPECT_EQ(system_file_error("endpoint-delay: 10"), "s.json:1:1: " + shape);
  EXPECT_EQ(system_file_error("{\"L\": 1}\n {}"), "s.json:2:2: unexpected text after the object");
  EXPECT_EQ(system_file_error("{\"L\": 1} x"), "s.json:1:10: unexpected text after the object");
  EXPECT_EQ(system_file_error("{\"L\": 1, \"o"),
            "s.json:1:10: malformed JSON: A string is opened, but never closed.");
  EXPECT_EQ(system_file_error("{\"L\": 1,\n\"\xff\": 2}").substr(0, 27), "s.json:2:2: malformed JSON:");
  for (const char c : {'{', '['}) {
    EXPECT_EQ(system_file_error("{\"L\": " + std::string(500'000, c)).substr(0, 9), "s.json:1:");
    EXPECT_EQ(system_file_error("{\"all-reduce-implementation\": [" + std::string(500'000, c)).substr(0, 9),
              "s.json:1:");
  }
  EXPECT_EQ(system_file_error("{" + std::string(1 << 20, ' ') + "}"),
            "s.json: larger than 1 MiB, the system file limit");
  EXPECT_EQ(system_file_error("{" + std::string((1 << 20) - 2, ' ') + "}"), "");
}

// No truncation may be accepted, and no changed byte may do harm.
TEST(System, CutAndChanged) {
  const std::string text = everything.substr(0, everything.size() - 1);  // without the last line end
  for (std::size_t n = 0; n < text.size(); ++n) EXPECT_NE(system_file_error(text.substr(0, n)), "") << n;
  for (std::size_t i = 0; i < text.size(); ++i) {
    for (const char c : std::string_view("\0\"{}[],:\\\xc3", 10)) {
      std::string changed = text;
      changed[i] = c;
      const std::string error = system_file_error(changed);
      const bool is_value_start = text.substr(0, i).ends_with("\": ");
      EXPECT_FALSE(is_value_start && changed != text && error.empty()) << changed;
    }
  }
}

TEST(PerNodeMap, Reads) {
  using Map = std::map<std::uint64_t, std::string>;
  EXPECT_EQ(parse_per_node_map("n.yml", "# nodes\n12: algo/ring\n\"7\": 'a b'\n0: 5\n18446744073709551615: x\n"),
            (Map{{0, "5"}, {7, "a b"}, {12, "algo/ring"}, {18446744073709551615U, "x"}}));
  EXPECT_EQ(parse_per_node_map("n.yml", "{1: a, 2: \u00e9}"), (Map{{1, "a"}, {2, "\u00e9"}}));
  EXPECT_EQ(parse_per_node_map("n.yml", "{}"), Map{});
}

TEST(PerNodeMap, LocatesErrors) {
  for (const std::string bad : {"-1", "1.5", "01", "0x1", "one", "18446744073709551616", "1e3"}) {
    EXPECT_EQ(node_map_error("0: a\n" + bad + ": a\n"),
              "n.yml:2:1: a node id must be a non-negative integer, not '" + bad + "'");
  }
  EXPECT_EQ(node_map_error("1: a\n2: b\n1: c\n"), "n.yml:3:1: node 1 is repeated");
  EXPECT_EQ(node_map_error("1: a\n2: ''\n"), "n.yml:2:4: node 2 has no prefix");
  EXPECT_EQ(node_map_error("1: ~\n").substr(0, 9), "n.yml:1:4");
  EXPECT_EQ(node_map_error("1:\n2: b\n").substr(0, 6), "n.yml:");
  EXPECT_EQ(node_map_error("1: [ a ]\n"), "n.yml:1:4: unexpected list");
  EXPECT_EQ(node_map_error("1: { a: b }\n"), "n.yml:1:4: unexpected map");
  EXPECT_EQ(node_map_error("1: &x a\n2: *x\n"), "n.yml:1:4: anchors are not supported in a node map");
  EXPECT_EQ(node_map_error("1: a\n---\n2: b\n").substr(0, 6), "n.yml:");
}

TEST(PerNodeMap, RefusesOtherDocuments) {
  const std::string shape = "expected a map from node ids to prefixes, such as {12: algo/ring}";
  EXPECT_EQ(node_map_error(""), "n.yml: empty; " + shape);
  EXPECT_EQ(node_map_error("# nothing\n"), "n.yml: empty; " + shape);
  EXPECT_EQ(node_map_error("text\n"), "n.yml:1:1: " + shape);
  EXPECT_EQ(node_map_error("- a\n"), "n.yml:1:1: " + shape);
  EXPECT_EQ(node_map_error("1: a\n2: \xff\n"), "n.yml:2: not UTF-8");
  EXPECT_EQ(node_map_error(std::string("1: a\n2: \0\n", 10)), "n.yml:2: a NUL byte");
  EXPECT_EQ(node_map_error(std::string((16 << 20) + 1, '#')), "n.yml: larger than 16 MiB, the limit of a node map");
  EXPECT_NE(node_map_error("{1: a"), "");
  EXPECT_NE(node_map_error(std::string(500'000, '[')), "");
  EXPECT_NE(node_map_error(std::string(500'000, '{')), "");
  EXPECT_NE(node_map_error("1: " + std::string(500'000, '[')), "");
}

}  // namespace
}  // namespace convert
