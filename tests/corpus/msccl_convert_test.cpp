// SPDX-License-Identifier: MIT
// Every valid MSCCL-IR file of the corpus: node and edge counts, node lists, and conversions there and back.
#include <gtest/gtest.h>

#include <algorithm>

#include "common/replay_traces.h"
#include "config/network/network.h"
#include "corpus/msccl_files.h"
#include "formats/format.h"
#include "passes/lower/call_range.h"
#include "passes/lower/export.h"
#include "passes/lower/lower.h"
#include "passes/provenance.h"
#include "passes/verify/verify.h"
#include "simulate/engine/replay.h"

namespace {

using namespace convert;

std::vector<Trace> lower_all(const Algorithm& a, std::optional<std::int64_t> size = std::nullopt) {
  Diagnostics diagnostics;
  const Lowering lowering(a, size, diagnostics);
  std::vector<Trace> traces(a.gpus.size());
  for (Rank r = 0; r < traces.size(); ++r) lowering.lower(r, traces[r]);
  return traces;
}

// Adds the calls that et-convert assumes; it rejects files with a hanging step.
Algorithm with_calls(Algorithm a) {
  assume_calls(a);
  return a;
}

std::string encode(const std::vector<Trace>& traces) {
  std::string out;
  for (const Trace& t : traces) {
    const auto writer = find_format("chakra").write({});
    writer->begin_rank(t, 0, false, out);
    writer->nodes(t, out);
  }
  return out;
}

Diagnostics& verified(const StepGraph& p, Diagnostics& diagnostics) {
  VerifyOptions options;
  options.dataflow = true;
  verify(p, options, diagnostics);
  return diagnostics;
}

// The trace without the attributes that assign its steps to threadblocks.
Trace without_threadblocks(const Trace& t) {
  using namespace attr;
  const auto dropped = [](Name n) {
    return n == tb_id || n == local_time_step || n == depid || n == deps || n == hasdep || n == nop_depids ||
           n == nop_steps || n.view().starts_with("msccl.tb_");
  };
  Trace out = t;
  std::erase_if(out.metadata.table.attrs, [&](const Attr& a) { return dropped(a.name); });
  out.nodes.attrs.clear();
  for (Node& node : out.nodes.nodes) {
    Range kept{static_cast<std::uint32_t>(out.nodes.attrs.size()), 0};
    for (const Attr& a : t.nodes.view(node.attrs)) {
      if (!dropped(a.name)) out.nodes.attrs.push_back(a);
    }
    kept.count = static_cast<std::uint32_t>(out.nodes.attrs.size()) - kept.begin;
    node.attrs = kept;
  }
  return out;
}

TEST(MscclConvert, NodeAndEdgeCounts) {
  REQUIRE_CORPUS();
  std::size_t checked = 0;
  for (auto row : corpus::read_table(corpus::root() / "msccl" / "expected_shape.tsv")) {
    const Algorithm a = corpus::read_algorithm(corpus::root() / "msccl" / row["file"]);
    Diagnostics structure;
    check_structure(a, structure);
    std::size_t nodes = 0;
    std::size_t edges = 0;
    std::map<std::string, std::size_t> kinds;
    for (const Trace& t : lower_all(a)) {
      nodes += t.nodes.nodes.size();
      for (const Node& n : t.nodes.nodes) {
        edges += n.data_deps.count + n.ctrl_deps.count;
        const auto type = string_value(t.nodes, t.nodes.attributes(n), attr::step_type).value_or("");
        kinds[n.type == NodeType::comp ? (type == "cpy" ? "comp_copy" : "comp_reduce")
                                       : std::string(node_type_name(n.type))] += 1;
      }
    }
    EXPECT_EQ(std::to_string(nodes), row["nodes"]) << row["file"];
    EXPECT_EQ(std::to_string(edges), row["edges_effective"]) << row["file"];
    EXPECT_EQ(std::to_string(kinds["COMM_SEND_NODE"]), row["send"]) << row["file"];
    EXPECT_EQ(std::to_string(kinds["COMM_RECV_NODE"]), row["recv"]) << row["file"];
    EXPECT_EQ(std::to_string(kinds["comp_reduce"]), row["comp_reduce"]) << row["file"];
    EXPECT_EQ(std::to_string(kinds["comp_copy"]), row["comp_copy"]) << row["file"];
    ++checked;
  }
  EXPECT_GE(checked, 200U);
}

// Maps "generated_NAME.tsv" and "real_FOLDER_NAME.tsv" to the file they were made from.
std::map<std::string, std::filesystem::path> files_by_list_name() {
  std::map<std::string, std::filesystem::path> out;
  for (auto row : corpus::read_table(corpus::root() / "msccl" / "expected_shape.tsv")) {
    std::string name = row["file"];
    const std::filesystem::path path = corpus::root() / "msccl" / name;
    for (const std::string suffix : {".gz", ".xml"}) {
      if (name.ends_with(suffix)) name.resize(name.size() - suffix.size());
    }
    std::replace(name.begin(), name.end(), '/', '_');
    out[name + ".tsv"] = path;
  }
  return out;
}

TEST(MscclConvert, NodeLists) {
  REQUIRE_CORPUS();
  const auto files = files_by_list_name();
  std::size_t checked = 0;
  for (const auto& entry : std::filesystem::directory_iterator(corpus::root() / "msccl" / "expected_et")) {
    const auto file = files.find(entry.path().filename().string());
    ASSERT_NE(file, files.end()) << entry.path();
    const std::vector<Trace> traces = lower_all(corpus::read_algorithm(file->second));
    std::vector<std::size_t> next(traces.size(), 0);
    for (auto row : corpus::read_table(entry.path())) {
      const Trace& t = traces.at(std::stoul(row["rank"]));
      const Node& n = t.nodes.nodes.at(next[t.rank]++);
      const auto attrs = t.nodes.attributes(n);
      std::string parents;  // in ascending order in the lists
      std::vector<NodeId> deps(t.nodes.data_deps(n).begin(), t.nodes.data_deps(n).end());
      std::sort(deps.begin(), deps.end());
      for (const NodeId p : deps) parents += (parents.empty() ? "" : ",") + std::to_string(p);
      ASSERT_EQ(std::to_string(n.id), row["node"]) << entry.path();
      ASSERT_EQ(parents, row["parents"]) << entry.path() << " rank " << row["rank"] << " node " << n.id;
      const std::string kind = n.type == NodeType::comm_send   ? "SEND"
                               : n.type == NodeType::comm_recv ? "RECV"
                                                               : "COMP";
      ASSERT_EQ(kind, row["kind"].substr(0, 4)) << entry.path();
      ASSERT_EQ(std::to_string(int_value(attrs, attr::tb_id).value), row["tb"]);
      ASSERT_EQ(std::to_string(int_value(attrs, attr::local_time_step).value), row["step"]);
      ASSERT_EQ(std::to_string(int_value(attrs, attr::src_off).value), row["srcoff"]);
      ASSERT_EQ(std::to_string(int_value(attrs, attr::dst_off).value), row["dstoff"]);
      ASSERT_EQ(std::to_string(int_value(attrs, attr::chunk_cnt).value), row["cnt"]);
      if (n.type == NodeType::comm_send) {
        ASSERT_EQ(std::to_string(int_value(attrs, attr::comm_dst).value), row["peer"]);
      }
      if (n.type == NodeType::comm_recv) {
        ASSERT_EQ(std::to_string(int_value(attrs, attr::comm_src).value), row["peer"]);
      }
    }
    for (const Trace& t : traces)
      EXPECT_EQ(next[t.rank], t.nodes.nodes.size()) << entry.path() << " rank " << t.rank;
    ++checked;
  }
  EXPECT_GE(checked, 100U);
}

TEST(MscclConvert, ThereAndBackAgain) {
  REQUIRE_CORPUS();
  for (const auto& path : corpus::sound_files()) {
    const std::vector<Trace> there = lower_all(with_calls(corpus::read_algorithm(path)), std::int64_t{1} << 26);
    Diagnostics diagnostics;
    std::string xml;
    write_msccl(export_algorithm(there, diagnostics), xml);
    EXPECT_EQ(diagnostics.all().size(), 0U) << path << "\n" << corpus::error_lines(diagnostics);
    const Algorithm back = read_msccl(xml, path.filename().string(), diagnostics);
    EXPECT_TRUE(encode(there) == encode(lower_all(back, std::int64_t{1} << 26))) << path;
    Diagnostics proof;
    check_structure(back, proof);
    EXPECT_EQ(verified(make_step_graph(back), proof).errors(), 0U) << path << "\n" << corpus::error_lines(proof);
  }
}

TEST(MscclConvert, TracesProveToo) {
  REQUIRE_CORPUS();
  for (const auto& path : corpus::sound_files()) {
    const std::vector<Trace> traces = lower_all(corpus::read_algorithm(path));
    Diagnostics proof;
    EXPECT_EQ(verified(make_step_graph(traces, proof), proof).errors(), 0U) << path << "\n"
                                                                            << corpus::error_lines(proof);
  }
}

TEST(MscclConvert, ReplaysToTheEnd) {
  REQUIRE_CORPUS();
  for (const auto& path : corpus::sound_files()) {
    const std::vector<Trace> traces = lower_all(corpus::read_algorithm(path), std::int64_t{1} << 26);
    const auto network =
        parse_short_network("fully_connected:" + std::to_string(traces.size()) + ",bw=50GB/s,lat=500ns");
    for (const NetworkModel model : {NetworkModel::unaware, NetworkModel::aware}) {
      ReplayOptions options;
      options.network.model = model;
      Diagnostics diagnostics;
      const auto result = test::replay_traces(traces, network, options, diagnostics);
      ASSERT_TRUE(result) << path << "\n" << corpus::error_lines(diagnostics);
      EXPECT_EQ(result->status, ReplayStatus::complete) << path;
      EXPECT_GT(result->total_ps, 0) << path;
    }
  }
}

TEST(MscclConvert, SchedulesAnewWithoutThreadblocks) {
  REQUIRE_CORPUS();
  for (const auto& path : corpus::sound_files()) {
    std::vector<Trace> traces = lower_all(with_calls(corpus::read_algorithm(path)));
    for (Trace& t : traces) t = without_threadblocks(t);
    Diagnostics diagnostics;
    std::string xml;
    try {
      write_msccl(export_algorithm(traces, diagnostics), xml);
    } catch (const Error& e) {
      ADD_FAILURE() << path << ": " << e.what();
      continue;
    }
    const Algorithm back = read_msccl(xml, path.filename().string(), diagnostics);
    check_structure(back, diagnostics);
    EXPECT_EQ(verified(make_step_graph(back), diagnostics).errors(), 0U) << path << "\n"
                                                                         << corpus::error_lines(diagnostics);
  }
}

}  // namespace
