// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "formats/format.h"
#include "formats/kineto/kineto.h"
#include "formats/pytorch/linked_text.h"
#include "formats/pytorch/pytorch.h"

namespace convert::test {
namespace {

std::string linked(std::string_view json) {
  const auto input = memory_input("host.json", json);
  Diagnostics diagnostics;
  const Trace trace = read_pytorch(*input, 0, diagnostics);
  const auto writer = find_format("linked").write(FormatOptions());
  std::string out;
  writer->begin_rank(trace, 0, false, out);
  writer->nodes(trace, out);
  writer->end_rank(out);
  return out;
}

std::string json_of(std::string_view python) {
  std::string out;
  return append_json_of_python(python, 0, out) ? out : "none";
}

constexpr const char* linked_document = R"({
    "schema": "1.1.1-chakra.0.0.4",
    "pid": 7,
    "nodes": [
        {
            "id": 3,
            "name": "caf\u00e9 \"x\"",
            "ctrl_deps": 1,
            "inputs": {
                "values": [
                    [
                        1,
                        2.5,
                        "it's"
                    ],
                    true,
                    null,
                    1e-05,
                    "\ud83d\ude00\u0007\\"
                ],
                "shapes": [
                    []
                ],
                "types": [],
                "strides": [
                    [
                        1
                    ]
                ]
            },
            "outputs": {
                "values": [],
                "shapes": [],
                "types": [],
                "strides": []
            },
            "attrs": [
                {
                    "name": "rf_id",
                    "type": "uint64",
                    "value": 9
                },
                {
                    "name": "seq_id",
                    "type": "int64",
                    "value": -1
                },
                {
                    "name": "in_msg_nelems",
                    "type": "uint64",
                    "value": 18446744073709551615
                },
                {
                    "name": "op_schema",
                    "type": "string",
                    "value": "a\tb"
                }
            ],
            "inclusive_dur": 20,
            "exclusive_dur": 19.5,
            "ts": 5000000139.384,
            "inter_thread_dep": null,
            "cat": "kernel",
            "ph": "X",
            "stream": null
        },
        {
            "id": 4,
            "name": "",
            "ctrl_deps": 99,
            "inputs": {
                "values": [],
                "shapes": [],
                "types": [],
                "strides": []
            },
            "outputs": {
                "values": [],
                "shapes": [],
                "types": [],
                "strides": []
            },
            "attrs": []
        }
    ],
    "finish_ts": 8
})";

TEST(Linked, TracesComeBackByteForByte) { EXPECT_EQ(linked(linked_document), linked_document); }

TEST(Linked, ATraceWithoutNodes) {
  const char* empty = "{\n    \"schema\": \"x\",\n    \"nodes\": []\n}";
  EXPECT_EQ(linked(empty), empty);
}

TEST(Linked, PythonsTextBecomesJson) {
  EXPECT_EQ(json_of("[]"), "[]");
  EXPECT_EQ(json_of("[[], {}]"), "[\n    [],\n    {}\n]");
  EXPECT_EQ(json_of("{'a': [1]}"), "{\n    \"a\": [\n        1\n    ]\n}");
  EXPECT_EQ(json_of("'\\'\"\\x07\\u2028\\U0001f600\\n'"), "\"'\\\"\\u0007\\u2028\\ud83d\\ude00\\n\"");
  EXPECT_EQ(json_of("-inf"), "-Infinity");
  EXPECT_EQ(json_of("nan"), "NaN");
  EXPECT_EQ(json_of("1e+16"), "1e+16");
  for (const char* bad : {"", "[", "]", "[1", "[1}", "[1 2]", "[,]", "[1,]", "'a", "'\\q'", "'\\x1'", "foo", "1, 2",
                          "{1]", "[:]", "--1", "[1: 2]"}) {
    EXPECT_EQ(json_of(bad), "none") << bad;
  }
}

TEST(Linked, NestingHasALimit) {
  EXPECT_NE(json_of(std::string(1000, '[') + std::string(1000, ']')), "none");
  EXPECT_EQ(json_of(std::string(1001, '[') + std::string(1001, ']')), "none");
}

TEST(Linked, OtherTracesAreRefused) {
  Trace trace;
  trace.name = "ring.0.et";
  trace.nodes.add_node(5, NodeType::comp, "a");
  trace.nodes.end_node();
  const auto writer = find_format("linked").write(FormatOptions());
  std::string out;
  writer->begin_rank(trace, 0, false, out);
  EXPECT_THROW(writer->nodes(trace, out), Error);
  EXPECT_THROW(writer->begin_rank(trace, 1, true, out), Error);
}

TEST(Linked, TheProfileTellsHowTheFileSpellsThings) {
  const auto input = memory_input("kineto.json", R"([
    {"ph": "X", "cat": "cpu_op", "name": "a", "tid": 1, "ts": 1, "dur": 2.125, "args": {"External id": 4}},
    {"ph": "X", "cat": "Operator", "name": "b", "tid": 1, "ts": 1.0005, "dur": 2, "args": {"external id": 4}},
    {"ph": "X", "cat": "kernel", "name": "c", "tid": 7, "ts": 1.5000, "dur": 2, "args": {"stream": 7}},
    {"ph": "X", "cat": "gpu_memcpy", "name": "d", "tid": 7, "ts": 2e0, "dur": 2, "args": {"queue": 7}}])");
  Diagnostics diagnostics;
  const Profile p = read_kineto(*input, diagnostics);
  ASSERT_EQ(p.cpu_ops.size(), 2U);
  EXPECT_TRUE(p.cpu_ops[0].usual_category && p.cpu_ops[0].usual_external_id && p.cpu_ops[0].exact_times);
  EXPECT_TRUE(p.cpu_ops[0].whole_start && !p.cpu_ops[0].whole_duration);
  EXPECT_FALSE(p.cpu_ops[1].usual_category || p.cpu_ops[1].usual_external_id || p.cpu_ops[1].exact_times);
  EXPECT_EQ(p.cpu_ops[1].external_id, 4);
  ASSERT_EQ(p.device_ops.size(), 2U);
  EXPECT_TRUE(p.device_ops[0].has_stream && p.device_ops[0].exact_times);
  EXPECT_FALSE(p.device_ops[1].has_stream || p.device_ops[1].exact_times);
  EXPECT_EQ(p.device_ops[1].stream, 7);
}

}  // namespace
}  // namespace convert::test
