// SPDX-License-Identifier: MIT
// Every trace of PyTorch and Kineto written by other tools is read completely, counted against simdjson, and read
// equally through a small window.
#include <gtest/gtest.h>
#include <simdjson.h>

#include <algorithm>
#include <filesystem>

#include "corpus.h"
#include "formats/format.h"
#include "read_all.h"

namespace convert::test {
namespace {

constexpr std::size_t small_window = 64;

std::vector<std::string> files(const char* folder, std::string_view begin) {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(corpus::root() / "pytorch" / folder)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(begin) && name.find(".json") != std::string::npos) paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

// Counts according to the document.
struct Counts {
  std::size_t nodes = 0, attributes = 0, callers = 0, inputs = 0;
  std::size_t events = 0, operators = 0, calls = 0, device_ops = 0, syncs = 0;
};

Counts count_host(const std::string& path) {
  Counts c;
  simdjson::dom::parser parser;
  const std::string text = open_input(path)->read_rest(simdjson::SIMDJSON_PADDING);
  for (const auto node : parser.parse(text)["nodes"].get_array()) {
    ++c.nodes;
    c.callers += node["ctrl_deps"].get_uint64().error() == simdjson::SUCCESS ? 1U : 0U;
    c.inputs += node["inputs"].get_object().error() == simdjson::SUCCESS ? 1U : 0U;
    c.attributes += node["attrs"].get_array().size();
    for (const auto field : node.get_object()) {
      const bool own = field.key == "id" || field.key == "name" || field.key == "ctrl_deps" ||
                       field.key == "inputs" || field.key == "outputs" || field.key == "attrs";
      if (!own && !field.value.is_null()) ++c.attributes;
    }
    for (const char* io : {"inputs", "outputs"}) {
      simdjson::dom::array strides;
      if (node[io]["strides"].get(strides) == simdjson::SUCCESS && strides.size() != 0) ++c.attributes;
    }
  }
  return c;
}

Counts count_device(const std::string& path) {
  Counts c;
  simdjson::dom::parser parser;
  const std::string text = open_input(path)->read_rest(simdjson::SIMDJSON_PADDING);
  for (const auto event : parser.parse(text)["traceEvents"].get_array()) {
    ++c.events;
    std::string_view cat, ph;
    if (event["cat"].get(cat) != simdjson::SUCCESS || event["ph"].get(ph) != simdjson::SUCCESS || ph != "X")
      continue;
    const auto any = [&](std::initializer_list<std::string_view> names) {
      return std::find(names.begin(), names.end(), cat) != names.end();
    };
    if (any({"cpu_op", "user_annotation", "Operator"})) ++c.operators;
    if (any({"cuda_runtime", "cuda_driver", "hip_runtime", "Runtime"})) ++c.calls;
    if (any({"kernel", "Kernel", "gpu_memcpy", "Memcpy", "gpu_memset", "Memset"})) ++c.device_ops;
    if (any({"cuda_sync"})) ++c.syncs;
  }
  return c;
}

void check_host(const std::string& path) {
  SCOPED_TRACE(path);
  const auto input = open_input(path);
  EXPECT_EQ(detect_format(input->peek(4096).substr(0, 4096), "-"), &find_format("pytorch"));
  EXPECT_FALSE(sniff_kineto(input->peek(4096)));
  Diagnostics diagnostics;
  const Trace t = read_pytorch(*input, 3, diagnostics);
  EXPECT_EQ(diagnostics.all().size(), 0U);
  const Counts c = count_host(path);
  EXPECT_EQ(t.nodes.nodes.size(), c.nodes);
  EXPECT_EQ(t.nodes.attrs.size(), c.attributes);
  EXPECT_EQ(t.nodes.deps.size(), c.callers);
  EXPECT_EQ(t.nodes.io.size(), 2 * c.inputs);
  const auto again = open_input(path);
  EXPECT_TRUE(all_of(t) == host_outcome(*again, small_window));
}

TEST(PytorchRead, HostTraces) {
  REQUIRE_CORPUS();
  const auto paths = files("inputs", "host_");
  EXPECT_EQ(paths.size(), 20U);
  for (const std::string& path : paths) check_host(path);
}

TEST(PytorchRead, LinkedTraces) {
  REQUIRE_CORPUS();
  const auto paths = files("expected", "linked");
  EXPECT_EQ(paths.size(), 14U);
  for (const std::string& path : paths) check_host(path);
}

TEST(PytorchRead, KinetoTraces) {
  REQUIRE_CORPUS();
  const auto paths = files("inputs", "kineto_");
  EXPECT_EQ(paths.size(), 14U);
  std::size_t device_ops = 0;
  for (const std::string& path : paths) {
    SCOPED_TRACE(path);
    const auto input = open_input(path);
    const std::string head(input->peek(4096).substr(0, 4096));
    EXPECT_TRUE(sniff_kineto(head));
    EXPECT_FALSE(sniff_pytorch(head));
    EXPECT_EQ(detect_format(head, "-"), &find_format("kineto"));
    Diagnostics diagnostics;
    const Profile p = read_kineto(*input, diagnostics);
    EXPECT_EQ(diagnostics.all().size(), 0U);
    const Counts c = count_device(path);
    EXPECT_EQ(p.events, c.events);
    EXPECT_EQ(p.cpu_ops.size(), c.operators);
    EXPECT_EQ(p.calls.size(), c.calls);
    EXPECT_EQ(p.device_ops.size(), c.device_ops);
    EXPECT_EQ(p.syncs.size(), c.syncs);
    device_ops += c.device_ops;
    const auto again = open_input(path);
    EXPECT_TRUE(all_of(p) == kineto_outcome(*again, small_window));
  }
  EXPECT_GT(device_ops, 8000U);
}

// Damaged compression is a separate error, with the byte offset.
TEST(PytorchRead, CutCompression) {
  REQUIRE_CORPUS();
  const std::string path = (corpus::root() / "pytorch/inputs/syn_v102/host_0.json.gz").string();
  std::ifstream file(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const std::filesystem::path cut = std::filesystem::path(::testing::TempDir()) / "etkit-cut-host.json.gz";
  for (const std::size_t n : {bytes.size() / 2, bytes.size() - 1}) {
    std::ofstream(cut, std::ios::binary) << bytes.substr(0, n);
    const std::string error = error_text([&] {
      const auto input = open_input(cut.string());
      Diagnostics diagnostics;
      (void)read_pytorch(*input, 0, diagnostics);
    });
    EXPECT_TRUE(error.starts_with(cut.string() + ":@0x")) << error;
  }
  std::filesystem::remove(cut);
}

}  // namespace
}  // namespace convert::test
