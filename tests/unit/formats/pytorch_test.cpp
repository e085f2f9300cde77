// SPDX-License-Identifier: MIT
#include "formats/pytorch/pytorch.h"

#include <gtest/gtest.h>

#include <bit>
#include <filesystem>
#include <map>

#include "bad_files.h"
#include "common/testdata.h"
#include "formats/format.h"
#include "formats/kineto/kineto.h"
#include "read_all.h"
#include "sanitized.h"

namespace convert::test {
namespace {

std::string host_text_outcome(std::string_view text, std::size_t window = mib) {
  const auto input = memory_input("f", text);
  return host_outcome(*input, window);
}
Trace read_host_text(std::string_view text) {
  const auto input = memory_input("f", text);
  Diagnostics diagnostics;
  return read_pytorch(*input, 0, diagnostics);
}
Trace read_host_file(const std::string& name) {
  const auto input = open_input((testdata("pytorch") / name).string());
  Diagnostics diagnostics;
  Trace t = read_pytorch(*input, 0, diagnostics);
  EXPECT_EQ(diagnostics.all().size(), 0U) << name;
  return t;
}
constexpr auto read_host_input = [](Input& i, Diagnostics& d) { return read_pytorch(i, 0, d); };
// A document around nodes; the first node begins in line 2.
std::string with_nodes(std::string_view nodes) {
  return "{\"schema\": \"1.0.2-chakra.0.0.4\", \"nodes\": [\n" + std::string(nodes) + "]}";
}
std::string host_node_error(std::string_view node) { return host_text_outcome(with_nodes(node)); }

std::int64_t integer(const Trace& t, std::size_t node, std::string_view name) {
  const Attr* a = find(t.nodes.attributes(t.nodes.nodes.at(node)), Name(name));
  if (a == nullptr) return -1'000'000;
  EXPECT_EQ(a->kind, Kind::int64_val) << name;
  return static_cast<std::int64_t>(a->bits);
}
std::string text(const Trace& t, std::size_t node, std::string_view name) {
  return std::string(
      string_value(t.nodes, t.nodes.attributes(t.nodes.nodes.at(node)), Name(name)).value_or("none"));
}

TEST(Pytorch, EverySchemaGivesTheSameNodes) {
  struct File {
    std::string name, schema;
    std::size_t attributes;  // of record_param_comms
  };
  const File files[] = {
      {"okay-1.0.1.json", "1.0.1", 7},
      {"okay-1.0.2.json", "1.0.2-chakra.0.0.4", 7},
      {"okay-1.0.3.json", "1.0.3-chakra.0.0.4", 7},
      {"okay-1.0.4.json", "1.0.4-chakra.0.0.4", 9},
      {"okay-1.1.0.json", "1.1.0-chakra.0.0.4", 20},
      {"okay-1.1.1.json", "1.1.1-chakra.0.0.4", 22},  // input_strides
      {"okay-1.1.1-chakra1.json", "1.1.1-chakra.1.0.0", 22},
  };
  for (const File& file : files) {
    SCOPED_TRACE(file.name);
    const Trace t = read_host_file(file.name);
    const AttrTable& head = t.metadata.table;
    EXPECT_EQ(string_value(head, head.attrs, attr::schema), file.schema);
    EXPECT_EQ(int_value(head.attrs, attr::pid).value, 4242);
    EXPECT_EQ(string_value(head, head.attrs, attr::time), "2024-05-06 07:08:09");
    EXPECT_EQ(int_value(head.attrs, attr::start_ts).value, 1000);
    EXPECT_EQ(int_value(head.attrs, attr::finish_ts).value, 1009);
    EXPECT_EQ(find(head.attrs, attr::pid)->kind, Kind::uint64_val);

    ASSERT_EQ(t.nodes.nodes.size(), 7U);
    const Node& mm = t.nodes.nodes[2];
    EXPECT_EQ(mm.id, 8U);
    EXPECT_EQ(mm.type, NodeType::comp);
    EXPECT_EQ(t.nodes.name(mm), "aten::mm");
    ASSERT_EQ(mm.ctrl_deps.count, 1U);
    EXPECT_EQ(t.nodes.ctrl_deps(mm)[0], 5U);
    EXPECT_EQ(mm.data_deps.count, 0U);
    const std::map<std::string, std::int64_t> integers = {{"rf_id", 3}, {"fw_parent", 0}, {"seq_id", 7},
                                                          {"scope", 0}, {"tid", 1},       {"fw_tid", 0}};
    for (const auto& [name, value] : integers) EXPECT_EQ(integer(t, 2, name), value) << name;
    EXPECT_EQ(integer(t, 0, "seq_id"), -1);
    EXPECT_EQ(text(t, 2, "op_schema"), "aten::mm(Tensor self, Tensor mat2) -> Tensor");
    const IoInfo& in = t.nodes.io.at(mm.inputs - 1);
    EXPECT_EQ(t.nodes.view(in.values), "[[6, 7, 0, 16, 4, 'cuda:0'], [9, 10, 0, 16, 4, 'cuda:0']]");
    EXPECT_EQ(t.nodes.view(in.shapes), "[[4, 4], [4, 4]]");
    EXPECT_EQ(t.nodes.view(in.types), "['Tensor(float)', 'Tensor(float)']");
    const IoInfo& out = t.nodes.io.at(mm.outputs - 1);
    EXPECT_EQ(t.nodes.view(out.values), "[[11, 12, 0, 16, 4, 'cuda:0']]");
    EXPECT_EQ(t.nodes.view(out.types), "['Tensor(float)']");
    const IoInfo& linear = t.nodes.io.at(t.nodes.nodes[3].inputs - 1);
    EXPECT_EQ(t.nodes.view(linear.values),
              "[[6, 7, 0, 16, 4, 'cuda:0'], True, None, 0.5, 1e-05, \"it's\", [1, []]]");

    const Node& comms = t.nodes.nodes[5];
    EXPECT_EQ(t.nodes.name(comms), "record_param_comms");
    EXPECT_EQ(comms.attrs.count, file.attributes);
    if (file.attributes >= 20) {
      EXPECT_EQ(text(t, 5, "collective_name"), "allreduce");
      const Attr* elements = find(t.nodes.attributes(comms), attr::in_msg_nelems);
      ASSERT_NE(elements, nullptr);
      EXPECT_EQ(elements->kind, Kind::uint64_val);
      EXPECT_EQ(elements->bits, 16U);
    }
    const bool strides = file.attributes == 22;
    EXPECT_EQ(text(t, 2, "input_strides"), strides ? "[[4, 1], [4, 1]]" : "none");
    EXPECT_EQ(text(t, 0, "input_strides"), "none");
  }
}

TEST(Pytorch, LinkedTracesKeepWhatLinkingAdded) {
  const Trace t = read_host_file("okay-linked.json");
  ASSERT_EQ(t.nodes.nodes.size(), 4U);
  const auto operator_attrs = t.nodes.attributes(t.nodes.nodes[2]);
  EXPECT_EQ(find(operator_attrs, attr::inter_thread_dep), nullptr);
  EXPECT_EQ(std::bit_cast<double>(find(operator_attrs, attr::inclusive_dur)->bits), 30.25);
  EXPECT_EQ(integer(t, 2, "ts"), 100);
  EXPECT_EQ(text(t, 3, "cat"), "kernel");
  EXPECT_EQ(text(t, 3, "ph"), "X");
  EXPECT_EQ(integer(t, 3, "stream"), 7);
  EXPECT_EQ(integer(t, 3, "inclusive_dur"), 12);
  const Attr* sync = find(t.nodes.attributes(t.nodes.nodes[3]), attr::sync_dep);
  ASSERT_NE(sync, nullptr);
  EXPECT_EQ(sync->kind, Kind::int64_list);
  EXPECT_EQ(t.nodes.list(*sync)[0], 8U);
}

TEST(Pytorch, UnknownFieldsAreCarried) {
  const Trace t = read_host_text(R"({"nodes": [
    {"id": 1, "colour": "r\u0065d", "\u006eame": "n", "weights": [1, 2], "deep": {"a": [1.5]},
     "inputs": {"values": [1], "la\u0079out": ["nhwc"]}, "outputs": {"layout": []},
     "attrs": [{"name": "rf_id", "type": "uint64", "value": 4},
               {"name": "flag", "type": "bool", "value": true},
               {"name": "ratio", "type": "double", "value": 0.5},
               {"name": "list", "type": "list", "value": [3, 4]},
               {"name": "below", "type": "uint64", "value": -4},
               {"name": "huge", "type": "uint64", "value": 18446744073709551615}]},
    {"id": 2, "attrs": [{"name": "rf_id", "type": "uint64", "value": 5, "doc_string": "d"},
                        {"value": "v", "name": "back", "unit": 7}]}]})");
  EXPECT_EQ(text(t, 0, "colour"), "red");
  EXPECT_EQ(t.nodes.name(t.nodes.nodes[0]), "n");
  EXPECT_EQ(text(t, 0, "deep"), "{\"a\": [1.5]}");
  EXPECT_EQ(text(t, 0, "input_layout"), "['nhwc']");
  EXPECT_EQ(text(t, 0, "output_layout"), "[]");
  EXPECT_EQ(integer(t, 0, "rf_id"), 4);
  const auto attrs = t.nodes.attributes(t.nodes.nodes[0]);
  EXPECT_EQ(find(attrs, Name("weights"))->kind, Kind::int64_list);
  EXPECT_EQ(find(attrs, Name("flag"))->kind, Kind::bool_val);
  EXPECT_EQ(find(attrs, Name("ratio"))->kind, Kind::double_val);
  EXPECT_EQ(find(attrs, Name("list"))->kind, Kind::int64_list);
  EXPECT_EQ(integer(t, 0, "below"), -4);
  EXPECT_EQ(find(attrs, Name("huge"))->kind, Kind::uint64_val);
  EXPECT_EQ(find(attrs, Name("huge"))->bits, ~std::uint64_t{0});
  // After the value of an attribute, though the attributes before it had no value there.
  EXPECT_EQ(integer(t, 1, "rf_id"), 5);
  EXPECT_EQ(text(t, 1, "rf_id.doc_string"), "d");
  EXPECT_EQ(text(t, 1, "back"), "v");
  EXPECT_EQ(integer(t, 1, "back.unit"), 7);
  EXPECT_EQ(t.nodes.nodes[1].attrs.count, 4U);
}

TEST(Pytorch, NullIsNothing) {
  const Trace t = read_host_text(
      R"({"nodes": [{"id": 1, "rf_id": null, "tid": 3, "stream": null, "inter_thread_dep": null}]})");
  EXPECT_EQ(t.nodes.nodes[0].attrs.count, 1U);
  EXPECT_EQ(integer(t, 0, "tid"), 3);
}

TEST(Pytorch, CallersMayBeAList) {
  const Trace t =
      read_host_text(R"({"nodes": [{"id": 1, "ctrl_deps": []}, {"id": 2, "parent": [1, 7]}, {"id": 2}]})");
  EXPECT_EQ(t.nodes.nodes[0].ctrl_deps.count, 0U);
  EXPECT_EQ(t.nodes.ctrl_deps(t.nodes.nodes[1])[1], 7U);
  EXPECT_EQ(t.nodes.nodes[2].id, 2U);  // the linker reports the duplicate
}

TEST(Pytorch, AnUnknownSchemaIsAWarning) {
  const std::string known =
      "1.0.1, 1.0.2-chakra.0.0.4, 1.0.3-chakra.0.0.4, 1.0.4-chakra.0.0.4, 1.1.0-chakra.0.0.4, 1.1.1-chakra.0.0.4, "
      "1.1.1-chakra.1.0.0";
  EXPECT_TRUE(
      host_text_outcome("{\"schema\": \"9.0\", \"nodes\": []}")
          .ends_with("\nf: warning: schema '9.0' is unknown; nodes are read as in schema " + known + " [schema]"));
  EXPECT_TRUE(
      host_text_outcome("{\"nodes\": []}")
          .ends_with("\nf: warning: the schema is missing; nodes are read as in schema " + known + " [schema]"));
}

TEST(Pytorch, BadFilesAreRefusedWithTheirPlace) {
  const std::map<std::string, std::string> errors = {
      {"bad-attribute-value.json", "2:21: an attribute without 'name' or 'value'"},
      {"bad-bracket.json", "2:38: ',' or ']' is expected"},
      {"bad-caller-text.json", "2:24: 'ctrl_deps' must be an integer"},
      {"bad-huge-id.json", "2:8: 'id': 18446744073709551616 is out of range (0…18446744073709551615)"},
      {"bad-id-twice.json", "2:11: 'id' is given twice"},
      {"bad-negative-id.json", "2:8: 'id': -1 is out of range (0…18446744073709551615)"},
      {"bad-no-nodes.json", " has no 'nodes': it is not a PyTorch execution trace"},
      {"bad-nodes-twice.json", "2:42: 'nodes' is given twice"},
      {"bad-tid-text.json", "2:18: 'tid' must be an integer"},
      {"bad-trailing.json", "3:1: more text after the document"},
      {"bad-truncated.json", "3:11: truncated JSON: the text ends inside a string"},
      {"bad-without-id.json", "3:1: a node without 'id'"},
  };
  expect_errors(testdata("pytorch"), errors, read_host_input);
}

TEST(Pytorch, BadNodes) {
  const struct {
    std::string_view node, error;
  } cases[] = {
      {"7", "f:2:1: '{' is expected"},
      {"[]", "f:2:1: '{' is expected"},
      {"null", "f:2:1: '{' is expected"},
      {"{}", "f:2:1: a node without 'id'"},
      {R"({"id": null})", "f:2:8: 'id' must be an integer"},
      {R"({"id": 1.5})", "f:2:8: 'id' must be an integer"},
      {R"({"id": 01})", "f:2:8: not a JSON value"},
      {R"({"id": [1]})", "f:2:8: a value is expected"},
      {R"({"id": 1, "name": 5})", "f:2:19: a string is expected"},
      {R"({"id": 1, "ctrl_deps": {}})", "f:2:24: a value is expected"},
      {R"({"id": 1, "ctrl_deps": [1 2]})", "f:2:27: ']' is expected"},
      {R"({"id": 1, "parent": -1})", "f:2:21: 'parent': -1 is out of range (0…18446744073709551615)"},
      {R"({"id": 1, "inputs": {"values": [], "values": []}})", "f:2:36: 'values' is given twice"},
      {R"({"id": 1, "inputs": [], "inputs": []})", "f:2:25: 'inputs' is given twice"},
      {R"({"id": 1, "colour": 1, "\u0063olour": 2})", "f:2:24: 'colour' is given twice"},
      {R"({"id": 1, "colour": reddish})", "f:2:21: a value is expected"},
      {R"({"id": 1, "stream": nil})", "f:2:21: not a JSON value"},
      {R"({"id": 1, "rf_id": 1.5})", "f:2:20: 'rf_id' must be an integer"},
      {R"({"id": 1, "tid": 9223372036854775808})",
       "f:2:18: 'tid': 9223372036854775808 is out of range (-9223372036854775808…9223372036854775807)"},
      {R"({"id": 1, "attrs": {}})", "f:2:20: '[' is expected"},
      {R"({"id": 1, "attrs": [{}]})", "f:2:22: a string is expected"},
      {R"({"id": 1, "attrs": [{"value": 1}]})", "f:2:21: an attribute without 'name' or 'value'"},
      {R"({"id": 1, "attrs": [{"name": "a", "name": "b", "value": 1}]})", "f:2:35: 'name' is given twice"},
      {R"({"id": 1, "attrs": [{"name": "rf_id", "type": "uint64", "value": "4"}]})",
       "f:2:66: 'rf_id' must be an integer"},
      {R"({"id": 1, "attrs": [{"name": "x", "type": "uint64", "value": 18446744073709551616}]})",
       "f:2:62: 'x': 18446744073709551616 is out of range (0…18446744073709551615)"},
      {R"({"id": 1, "attrs": [{"name": "x", "type": "double", "value": 1..5}]})", "f:2:62: not a JSON value"},
      {R"({"id" 1})", "f:2:7: ':' is expected"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(host_node_error(c.node), c.error) << c.node;
    EXPECT_EQ(host_text_outcome(with_nodes(c.node), 16), c.error) << c.node;
  }
  EXPECT_EQ(host_text_outcome("{\"pid\": -1, \"nodes\": []}"),
            "f:1:9: 'pid': -1 is out of range (0…18446744073709551615)");
  EXPECT_EQ(host_text_outcome("{\"start_ts\": \"x\", \"nodes\": []}"), "f:1:14: 'start_ts' must be an integer");
  EXPECT_EQ(host_text_outcome(""), "f:1:1: is empty; a JSON document is expected");
}

TEST(Pytorch, OtherFilesAreNamed) {
  const std::string device =
      "is a Kineto trace (Chrome's format), not a PyTorch execution trace of the host; pass it as the device trace "
      "of a host trace";
  for (const char* name : {"okay-cuda.json", "okay-rocm.json", "okay-xpu.json", "okay-old-array.json"}) {
    const std::string error = file_error(testdata("kineto") / name, read_host_input);
    EXPECT_TRUE(error.ends_with(" " + device)) << error;
  }
  // Beyond the prefix used for detection.
  const std::string late = "{\"note\": \"" + std::string(100'000, 'x') + "\", \"traceEvents\": []}";
  EXPECT_EQ(host_text_outcome(late), "f:1:100029: " + device);
}

TEST(Pytorch, EveryPrefixIsRefusedAndWindowsDoNotMatter) {
  for (const auto& entry : std::filesystem::directory_iterator(testdata("pytorch"))) {
    const std::string all = open_input(entry.path().string())->read_rest();
    const std::string expected = host_text_outcome(all);
    for (const std::size_t window : {1, 64, 1000})
      EXPECT_EQ(host_text_outcome(all, window), expected) << entry.path();
    const std::string_view text = std::string_view(all).substr(0, all.find_last_not_of('\n') + 1);
    if (!entry.path().filename().string().starts_with("okay-")) continue;
    for (std::size_t n = 0; n < text.size(); n += (test::sanitized ? 7 : 1) + n / 1000) {
      EXPECT_TRUE(host_text_outcome(text.substr(0, n), 1000).starts_with("f:")) << entry.path() << n;
    }
  }
}

TEST(Pytorch, HugeValues) {
  const std::size_t depth = test::rounds(10'000'000);
  const std::string deep = std::string(depth, '[') + std::string(depth, ']');
  const Trace t =
      read_host_text(with_nodes("{\"id\": 1, \"inputs\": {\"values\": " + deep + "}, \"other\": " + deep +
                                ", \"name\": \"" + std::string(5 * depth, 'n') + "\"}"));
  EXPECT_EQ(t.nodes.io.at(0).values.size, 2 * depth);
  EXPECT_EQ(text(t, 0, "other").size(), 2 * depth);
  EXPECT_EQ(t.nodes.nodes[0].name.size, 5 * depth);
}

TEST(Pytorch, Sniffing) {
  for (const char* folder : {"pytorch", "kineto", "jsonl", "msccl", "networks"}) {
    for (const auto& entry : std::filesystem::directory_iterator(testdata(folder))) {
      const std::string name = entry.path().filename().string();
      const std::string head = open_input(entry.path().string())->read_rest().substr(0, 4096);
      const bool host =
          std::string_view(folder) == "pytorch" && name.ends_with(".json") && !name.starts_with("link-kineto");
      EXPECT_EQ(sniff_pytorch(head), host) << name;
      if (!host) continue;
      EXPECT_EQ(detect_format(head, name), &find_format("pytorch")) << name;
    }
  }
  EXPECT_TRUE(
      sniff_pytorch("\xEF\xBB\xBF {\"pid\": 1, \"x\": {\"schema\": [\"}\"]}, \"schema\": \"2.0.10-chakra.3\""));
  EXPECT_TRUE(sniff_pytorch("{\"finish_ts\": 5, \"nodes\": [{\"attrs\": ["));
  EXPECT_TRUE(sniff_pytorch("{\"nodes\": [{\"id\": 1, \"fw_parent\": 0"));
  for (const std::string_view head :
       {"", "{", "[", "{}", "[]", "{\"schema\"", "{\"schema\": \"1.0.1", "{\"schema\": \"1.0\"}",
        "{\"schema\": 1.0}", "{\"schema\": \"1.0.2-other\"}", "{\"schema\": \"http://x/1.0.1\"}", "{\"nodes\": []}",
        "{\"nodes\": [{\"id\": 1}]}",
        "{\"rank\":0,\n \"metadata\":{\"version\":\"0.0.4\"},\n \"nodes\":[\n  {\"id\":1,\"type\":\"COMP_NODE\"}",
        "{\"a\": {\"schema\": \"1.0.1\"}}", "[{\"schema\": \"1.0.1\"}]"}) {
    EXPECT_FALSE(sniff_pytorch(head)) << head;
  }
}

}  // namespace
}  // namespace convert::test
