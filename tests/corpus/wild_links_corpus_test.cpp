// SPDX-License-Identifier: MIT
// Public problems and files of PyTorch users: profiles without a host trace, and their communication.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "analyze/recorded/run.h"
#include "analyze/runs/sections.h"
#include "corpus.h"
#include "formats/kineto/kineto.h"
#include "formats/pytorch/process_groups.h"
#include "formats/pytorch/pytorch.h"
#include "link_whole.h"
#include "passes/dep_rules.h"
#include "sets/known_file.h"
#include "simulate/engine/recorded.h"
#include "simulate/engine/replay.h"
#include "simulate/program/program.h"

namespace convert {
namespace {

std::filesystem::path wild() { return corpus::root() / "wild" / "pytorch"; }

LinkedTrace link_folder(const std::string& folder, Rank rank, bool alone = false) {
  Diagnostics diagnostics;
  const std::string number = std::to_string(rank) + ".json";
  Trace host;
  if (!alone) host = read_pytorch(*open_input((wild() / folder / ("host." + number)).string()), rank, diagnostics);
  Profile device = read_kineto(*open_input((wild() / folder / ("device." + number)).string()), diagnostics);
  const auto groups = process_groups(host, &device);
  return link(std::move(host), std::move(device), groups, {});
}

Profile read_file(const std::filesystem::path& file) {
  Diagnostics diagnostics;
  return read_kineto(*open_input(file.string()), diagnostics);
}

LinkedTrace link_file(const std::filesystem::path& file) {
  Profile device = read_file(file);
  const Trace none;
  const auto groups = process_groups(none, &device);
  return link({}, std::move(device), groups, {});
}

std::string_view format_of(const std::filesystem::path& file) {
  const auto input = open_input(file.string());
  const Format* const format = detect_format(head_of(*input), input->name());
  return format == nullptr ? "none" : format->name;
}

// Number of collectives by "type bytes".
std::map<std::string, int> collectives(const Trace& trace) {
  std::map<std::string, int> out;
  for (const Node& n : trace.nodes.nodes) {
    if (n.type != NodeType::comm_coll) continue;
    const auto attrs = trace.nodes.attributes(n);
    ++out[std::to_string(int_value(attrs, attr::comm_type).value) + " " +
          std::to_string(int_value(attrs, attr::comm_size).value)];
  }
  return out;
}
using Collectives = std::map<std::string, int>;

// From the first begin to the last end of operators, annotations, calls and device operations.
std::int64_t span_ns(const Profile& device) {
  LinkReport::Range span;
  const auto add = [&](const auto& events) {
    for (const Profile::Event& e : events) span.add(e.start_ns), span.add(e.end_ns());
  };
  add(device.cpu_ops);
  add(device.calls);
  add(device.device_ops);
  return span.high - span.low;
}

std::int64_t recorded_ns(const Trace& trace) {
  Diagnostics diagnostics;
  ReplayOptions options;
  options.recorded = Recorded::everything;
  RecordedReplay replay(options, diagnostics);
  return replay.run(trace).end_ps / 1000;
}

std::string dependencies(const Trace& trace, std::string_view name) {
  for (const Node& n : trace.nodes.nodes) {
    if (trace.nodes.name(n) != name) continue;
    const Attr* rules = dep_rules_of(trace.nodes, n);
    return rules == nullptr ? "" : std::string(trace.nodes.string(*rules));
  }
  return "no node";
}

TEST(WildLinks, EveryPublicProfileReplaysAsItWasRecorded) {
  REQUIRE_CORPUS();
  std::size_t count = 0;
  for (const char* folder : {"TraceLens", "kineto-tb_plugin", "dtu_mlops"}) {
    for (const auto& entry : std::filesystem::directory_iterator(wild() / "files" / folder)) {
      EXPECT_EQ(format_of(entry.path()), "kineto") << entry.path();
      const LinkedTrace l = link_file(entry.path());
      const auto span = static_cast<double>(span_ns(read_file(entry.path()))),
                 end = static_cast<double>(recorded_ns(l.trace));
      std::printf("%s: recorded %.3f us, replayed %.3f us\n", entry.path().filename().c_str(), span / 1e3,
                  end / 1e3);
      EXPECT_NEAR(end, span, 0.01 * span) << entry.path();
      EXPECT_EQ(default_issue_mode(l.trace), IssueMode::unlimited) << entry.path();
      ++count;
    }
  }
  EXPECT_EQ(count, 18U);
}

TEST(WildLinks, ABackwardPassIsHandedOverWithoutAHostTrace) {
  REQUIRE_CORPUS();
  const LinkedTrace l = link_folder("kineto-only-backward", 0, true);
  EXPECT_EQ(recorded_ns(l.trace), 1'000'000);
  EXPECT_EQ(l.report.deps[static_cast<std::size_t>(DepRule::hand_over)], 2U);
  for (const char* file :
       {"TraceLens/mi300_ddp_resnet18_no_pool.json.gz", "TraceLens/resnet_act_checkpoint.json.gz",
        "kineto-tb_plugin/resnet50_num_workers_0.pt.trace.json.gz"}) {
    const LinkedTrace real = link_file(wild() / "files" / file);
    EXPECT_GE(real.report.deps[static_cast<std::size_t>(DepRule::hand_over)], 6U) << file;
  }
}

TEST(WildLinks, GloosCallerWaits) {
  REQUIRE_CORPUS();
  const LinkedTrace l = link_folder("gloo-cpu", 0);
  EXPECT_NE(dependencies(l.trace, "gloo:all_reduce").find('h'), std::string::npos);
  EXPECT_EQ(l.report.deps[static_cast<std::size_t>(DepRule::hand_over)], 2U);
  EXPECT_EQ(l.report.blocked_ns, 420'000U + 490'000U);  // gloo's thread before the call, the caller until the end
}

TEST(WildLinks, OneCollectiveACall) {
  REQUIRE_CORPUS();
  for (Rank rank = 0; rank < 2; ++rank) {
    for (const char* folder : {"unlaunched-kernel-in-collective", "nan-check", "backend-hccl"}) {
      const LinkedTrace l = link_folder(folder, rank);
      EXPECT_EQ(collectives(l.trace), (Collectives{{"0 1048576", 1}})) << folder;
      for (const Node& n : l.trace.nodes.nodes) {
        if (n.type != NodeType::comm_coll) continue;
        EXPECT_EQ(int_value(l.trace.nodes.attributes(n), attr::stream).value, 20) << folder;
        EXPECT_EQ(n.duration_us, 100U) << folder;
      }
    }
  }
}

TEST(WildLinks, KernelsOfSeveralCallsCountAsInTheDeviceTrace) {
  REQUIRE_CORPUS();
  using Kernels = std::map<std::string, std::pair<std::int64_t, std::int64_t>>;  // number and ps, by name
  for (Rank rank = 0; rank < 2; ++rank) {
    for (const std::string folder :
         {"batch-isend-irecv-coalesced", "coalesced-allgather-manager", "passed/batch-isend-irecv-batch"}) {
      Kernels recorded, counted;
      const Profile device = read_file(wild() / folder / ("device." + std::to_string(rank) + ".json"));
      for (const Profile::DeviceOp& d : device.device_ops) {
        auto& [number, time] = recorded[std::string(device.name(d))];
        ++number;
        time += d.duration_ns * 1000;
      }
      const LinkedTrace l = link_folder(folder, rank);
      Diagnostics diagnostics;
      for (const auto& row : operation_table(recorded_run({&l.trace, 1}, "set", diagnostics)).rows) {
        auto& [number, time] = counted[std::get<std::string>(row[0])];
        number += std::get<std::int64_t>(row[2]);
        time += std::get<std::int64_t>(row[3]);
      }
      EXPECT_EQ(counted, recorded) << folder;
    }
  }
}

TEST(WildLinks, CustomAllReducesAreCollectives) {
  REQUIRE_CORPUS();
  for (Rank rank = 0; rank < 2; ++rank)
    EXPECT_EQ(collectives(link_folder("custom-all-reduce", rank).trace), (Collectives{{"0 5114880", 7}}));
  const LinkedTrace b200 = link_file(wild() / "files" / "TraceLens" / "b200_eager_trace.json.gz");
  const auto found = collectives(b200.trace);
  int all_reduces = 0;
  for (const auto& [what, count] : found) all_reduces += what.starts_with("0 ") ? count : 0;
  EXPECT_EQ(all_reduces, 73);
  EXPECT_EQ(found.at("2 50272"), 1);
}

}  // namespace
}  // namespace convert
