// SPDX-License-Identifier: MIT
#include "config/memory.h"

#include <gtest/gtest.h>

#include <string>

#include "common/expect_error.h"
#include "core/diagnostic.h"

namespace convert {
namespace {

std::string memory_error(const std::string& text) {
  return test::error_text([&] { (void)parse_memory("m.json", text); }, "memory");
}

TEST(Memory, ReadsEachKind) {
  MemoryConfig c = parse_memory("m.json", R"({"memory-type": "NO_MEMORY_EXPANSION"})");
  EXPECT_EQ(c.source, "m.json");
  EXPECT_EQ(c.kind, MemoryKind::none);
  EXPECT_EQ(c.latency_ns, 0U);
  EXPECT_EQ(c.bytes_per_ns, 0U);
  c = parse_memory("m", R"({"remote-mem-bw": 100, "memory-type": "PER_NPU_MEMORY_EXPANSION",
                            "remote-mem-latency": 9007199254740992})");
  EXPECT_EQ(c.kind, MemoryKind::per_npu);
  EXPECT_EQ(c.latency_ns, 9007199254740992U);
  EXPECT_EQ(c.bytes_per_ns, 100U);
  c = parse_memory("m",
                   R"({"memory-type": "PER_NODE_MEMORY_EXPANSION", "num-nodes": 2, "num-npus-per-node": 4.0})");
  EXPECT_EQ(c.kind, MemoryKind::per_node);
  EXPECT_EQ(c.nodes, 2U);
  EXPECT_EQ(c.npus_per_node, 4U);
  // Keys of another kind are ignored.
  c = parse_memory("m", R"({"memory-type": "MEMORY_POOL", "num-nodes": 2})");
  EXPECT_EQ(c.kind, MemoryKind::pool);
  for (const MemoryKind kind : {MemoryKind::none, MemoryKind::per_npu, MemoryKind::pool}) {
    EXPECT_EQ(parse_memory("m", R"({"memory-type": ")" + std::string(name(kind)) + "\"}").kind, kind);
  }
}

TEST(Memory, LocatesErrors) {
  EXPECT_EQ(memory_error("{}"), "m.json: key memory-type is missing");
  EXPECT_EQ(memory_error("{\"memory-type\": \"MEMORY_POOLS\"}"),
            "m.json:1:17: unknown memory-type \"MEMORY_POOLS\"; did you mean MEMORY_POOL?");
  EXPECT_EQ(memory_error("{\"memory-type\": \"none\"}"),
            "m.json:1:17: unknown memory-type \"none\"; known: NO_MEMORY_EXPANSION, PER_NPU_MEMORY_EXPANSION, "
            "PER_NODE_MEMORY_EXPANSION, MEMORY_POOL");
  EXPECT_EQ(memory_error("{\"memory-type\": 1}"),
            "m.json:1:17: memory-type requires one of NO_MEMORY_EXPANSION, PER_NPU_MEMORY_EXPANSION, "
            "PER_NODE_MEMORY_EXPANSION, MEMORY_POOL, not 1");
  EXPECT_EQ(memory_error("{\n \"memory_type\": \"MEMORY_POOL\"}"),
            "m.json:2:2: unknown key \"memory_type\"; did you mean memory-type?");
  EXPECT_EQ(memory_error("{\"x\": 1}"),
            "m.json:1:2: unknown key \"x\"; known: memory-type, remote-mem-latency, remote-mem-bw, num-nodes, "
            "num-npus-per-node");
  EXPECT_EQ(memory_error("{\"memory-type\": \"MEMORY_POOL\",\n\n \"memory-type\": \"MEMORY_POOL\"}"),
            "m.json:3:2: key \"memory-type\" is repeated; first given in line 1");
  const std::string pool = "{\"memory-type\": \"MEMORY_POOL\",\n";
  const std::string exact = " requires a whole number from 0 to 9007199254740992, not ";
  for (const std::string bad : {"1.5", "-1", "\"1\"", "true", "null", "1e300", "1e400", "9007199254740993"}) {
    EXPECT_EQ(memory_error(pool + "\"remote-mem-bw\": " + bad + "}"), "m.json:2:18: remote-mem-bw" + exact + bad);
    EXPECT_EQ(memory_error(pool + "\"remote-mem-latency\": " + bad + "\n}"),
              "m.json:2:23: remote-mem-latency" + exact + bad);
  }
  for (const std::string bad : {"0", "16777217"}) {
    EXPECT_EQ(memory_error(pool + "\"num-nodes\": " + bad + "}"),
              "m.json:2:14: num-nodes requires a whole number from 1 to 16777216, not " + bad);
    EXPECT_EQ(memory_error(pool + "\"num-npus-per-node\": " + bad + "}"),
              "m.json:2:22: num-npus-per-node requires a whole number from 1 to 16777216, not " + bad);
  }
}

TEST(Memory, NodesMustBeCounted) {
  const std::string per_node = "{\"memory-type\": \"PER_NODE_MEMORY_EXPANSION\"";
  const std::string needs = "m.json:1:17: PER_NODE_MEMORY_EXPANSION requires num-nodes and num-npus-per-node; ";
  EXPECT_EQ(memory_error(per_node + "}"), needs + "num-nodes is missing");
  EXPECT_EQ(memory_error(per_node + ", \"num-nodes\": 2}"), needs + "num-npus-per-node is missing");
  EXPECT_EQ(memory_error(per_node + ", \"num-npus-per-node\": 2}"), needs + "num-nodes is missing");
}

TEST(Memory, MalformedJson) {
  const std::string shape = R"(a JSON object is expected, such as {"memory-type": "NO_MEMORY_EXPANSION"})";
  EXPECT_EQ(memory_error(" "), "m.json:1:1: empty; " + shape);
  EXPECT_EQ(memory_error("\n[]"), "m.json:2:1: " + shape);
  EXPECT_EQ(memory_error("{\"memory-type\": \"MEMORY_POOL\"}\n{}"), "m.json:2:1: unexpected text after the object");
  EXPECT_EQ(memory_error("{\"memory-type\": " + std::string(500'000, '{')).substr(0, 9), "m.json:1:");
  EXPECT_EQ(memory_error(std::string((1 << 20) + 1, '{')), "m.json: larger than 1 MiB, the memory file limit");
}

// No truncation may be accepted.
TEST(Memory, Cut) {
  const std::string text = R"({"memory-type": "MEMORY_POOL", "remote-mem-bw": 100})";
  for (std::size_t n = 0; n < text.size(); ++n) EXPECT_NE(memory_error(text.substr(0, n)), "") << n;
}

}  // namespace
}  // namespace convert
