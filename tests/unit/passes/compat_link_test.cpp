// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <bit>
#include <cstdlib>

#include "common/error_text.h"
#include "passes/compat/device.h"
#include "passes/compat/link.h"
#include "pytorch_builder.h"

namespace convert::test {
namespace {

std::string attribute_text(const Trace& trace, const Attr& a) {
  if (a.kind == Kind::string_val) return std::string(trace.nodes.string(a));
  if (a.kind == Kind::double_val) return std::to_string(std::bit_cast<double>(a.bits));
  return std::to_string(static_cast<std::int64_t>(a.bits));
}

// One line per node: "ID NAME <CALLER ATTRIBUTE=VALUE …"; attributes that every node has are omitted.
std::vector<std::string> linked_lines(const Trace& trace) {
  std::vector<std::string> lines;
  for (const Node& n : trace.nodes.nodes) {
    std::string line = std::to_string(n.id) + ' ' + std::string(trace.nodes.name(n)) + " <" +
                       std::to_string(trace.nodes.ctrl_deps(n).front());
    const auto attrs = trace.nodes.attributes(n);
    for (const Attr& a : attrs.subspan(7))
      line += ' ' + std::string(a.name.view()) + '=' + attribute_text(trace, a);
    lines.push_back(line);
  }
  return lines;
}
using Shown = std::vector<std::string>;

std::string link_error(HostBuilder& host, ProfileBuilder& device) {
  return error_message([&] { (void)link_like_reference(host.trace(), device.profile()); });
}

std::vector<double> exclusive(ProfileBuilder& device) {
  const auto read = compat::read_device_trace(device.profile());
  std::vector<double> times(read.cpu_ops.size());
  for (const compat::CpuOp& op : read.cpu_ops) times[op.op] = op.exclusive.value;
  return times;
}

std::vector<std::int64_t> followed(ProfileBuilder& device) {
  const auto read = compat::read_device_trace(device.profile());
  std::vector<std::int64_t> ids(read.cpu_ops.size());
  for (const compat::CpuOp& op : read.cpu_ops) ids[op.op] = op.follows;
  return ids;
}

constexpr auto none = Profile::none;

TEST(CompatLink, NodesGetTimesAndDeviceOperationsUnderNewIds) {
  HostBuilder host;
  host.thread().node(10, "aten::mm", 2, 5);
  ProfileBuilder device;
  device.cpu(0, 100, 20, 5, 33).launch(0, 105, 1).kernel(150, 1, 33);
  EXPECT_EQ(
      linked_lines(link_like_reference(host.trace(), device.profile())),
      (Shown{"0 [pytorch|profiler|execution_trace|process] <0", "1 [pytorch|profiler|execution_trace|thread] <0",
             "2 aten::mm <1 inclusive_dur=20 exclusive_dur=20 ts=100",
             "3 gemm <2 inclusive_dur=5 exclusive_dur=5 ts=150 cat=kernel ph=X stream=7"}));
}

TEST(CompatLink, NodesThatShareAnExternalIdAllGetItsDeviceOperations) {
  HostBuilder host;
  host.thread().node(10, "a", 2, 5).node(11, "b", 2, 6);
  ProfileBuilder device;
  device.cpu(0, 100, 20, 5, 33).cpu(0, 200, 20, 6, 33).launch(0, 205, 1).kernel(250, 1, 33);
  const Shown lines = linked_lines(link_like_reference(host.trace(), device.profile()));
  ASSERT_EQ(lines.size(), 6U);
  EXPECT_EQ(lines[3].substr(0, 9), "3 gemm <2");
  EXPECT_EQ(lines[5].substr(0, 9), "5 gemm <4");
}

TEST(CompatLink, CallersThatAreMissingGetIdsBehindAllOthers) {
  HostBuilder host;
  host.thread().node(10, "lost", 77, 5).node(11, "lost too", 78).node(12, "lost again", 77);
  ProfileBuilder device;
  device.cpu(0, 100, 20, 5, 33);
  EXPECT_EQ(
      linked_lines(link_like_reference(host.trace(), device.profile())),
      (Shown{"0 [pytorch|profiler|execution_trace|process] <0", "1 [pytorch|profiler|execution_trace|thread] <0",
             "2 lost <5", "3 lost too <6", "4 lost again <5"}));
}

TEST(CompatLink, TheLastOperatorOfARecordFunctionIdCounts) {
  HostBuilder host;
  host.thread().node(10, "a", 2, 5);
  ProfileBuilder device;
  device.cpu(0, 300, 7, 5).cpu(0, 100, 20, 5);
  EXPECT_EQ(linked_lines(link_like_reference(host.trace(), device.profile())).back(),
            "2 a <1 inclusive_dur=7 exclusive_dur=7 ts=300");
}

TEST(CompatLink, ProcessGroupsComeFromKernelsOfNcclOnly) {
  HostBuilder host;
  host.thread().node(10, "a", 2, 5);
  ProfileBuilder device;
  device.cpu(0, 100, 20, 5, 33).launch(0, 105, 1).launch(0, 106, 2);
  device.kernel(150, 1, 33, "ncclDevKernel_AllReduce").kernel(160, 2, 33, "gemm");
  AttrTable& args = device.profile().args;
  for (Profile::DeviceOp& op : device.profile().device_ops) {
    op.args = {static_cast<std::uint32_t>(args.attrs.size()), 1};
    args.add_string(Name("Process Group Name"), "tp");
  }
  const Shown lines = linked_lines(link_like_reference(host.trace(), device.profile()));
  ASSERT_EQ(lines.size(), 5U);
  EXPECT_TRUE(lines[3].ends_with("stream=7 pg_name=tp")) << lines[3];
  EXPECT_TRUE(lines[4].ends_with("stream=7")) << lines[4];
}

TEST(CompatLink, ExclusiveTimeLeavesOutWhatLiesInside) {
  ProfileBuilder device;
  device.cpu(0, 0, 100, 1).cpu(0, 10, 20, 2).cpu(0, 15, 5, 3).cpu(0, 30, 10, 4).cpu(0, 90, 20, 5);
  EXPECT_EQ(exclusive(device), (std::vector<double>{70, 15, 5, 10, 20}));
}

TEST(CompatLink, AChildThatStartsWithItsParentIsNotTakenOff) {
  ProfileBuilder device;
  device.cpu(0, 0, 100, 1).cpu(0, 0, 90, 2).cpu(0, 20, 10, 3);
  EXPECT_EQ(exclusive(device), (std::vector<double>{90, 80, 10}));
}

TEST(CompatLink, WhatOverlapsIsSearchedForWhatLiesInside) {
  ProfileBuilder device;
  // The second one ends after the first, but the operations in it are inside both.
  device.cpu(0, 0, 100, 1).cpu(0, 50, 100, 2).cpu(0, 60, 10, 3).cpu(0, 65, 20, 4);
  EXPECT_EQ(exclusive(device), (std::vector<double>{75, 75, 10, 20}));
}

TEST(CompatLink, TimesAreComputedAsDoublesOfTheirDecimals) {
  ProfileBuilder device;
  device.cpu(0, 0, 0, 1).cpu(0, 0, 0, 2);
  auto& ops = device.profile().cpu_ops;
  ops[0].start_ns = 5'000'000'139'384;
  ops[0].duration_ns = 2898;
  ops[1].start_ns = 5'000'000'140'001;
  ops[1].duration_ns = 700;
  for (auto& op : ops) op.whole_start = op.whole_duration = false;
  const double begin = 5000000140.001;
  EXPECT_EQ(exclusive(device), (std::vector<double>{2.898 - (begin + 0.7 - begin), 0.7}));
}

TEST(CompatLink, TimesSince1970AreTheNearestDoubles) {
  std::uint64_t state = 1;
  for (int i = 0; i < 100'000; ++i) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    const auto ns = static_cast<std::int64_t>(state % 9'000'000'000'000'000'000ULL);
    std::string text = std::to_string(ns / 1000) + '.';
    text += std::to_string(1000 + ns % 1000).substr(1);
    ASSERT_EQ(compat::nearest_microseconds(ns), std::strtod(text.c_str(), nullptr)) << text;
  }
}

TEST(CompatLink, AGroupBehindAGapFollowsWhatStartedLastOnAnotherThread) {
  ProfileBuilder device;
  device.cpu(0, 100, 10, 1).cpu(0, 1200, 10, 2).cpu(1, 500, 10, 3).cpu(1, 600, 10, 4).cpu(1, 2000, 10, 5);
  // 1200 is more than 1000 after 110; 600 belongs to the group of 500; 2000 opens one.
  EXPECT_EQ(followed(device), (std::vector<std::int64_t>{0, 4, 1, 1, 2}));
}

TEST(CompatLink, OfOperatorsThatStartTogetherTheThreadThatBeganFirstCounts) {
  ProfileBuilder device;
  device.cpu(2, 50, 1, 7).cpu(1, 60, 1, 8).cpu(1, 300, 1, 9).cpu(2, 300, 1, 10).cpu(0, 400, 1, 11);
  EXPECT_EQ(followed(device).back(), 10);
}

TEST(CompatLink, WithoutARecordFunctionIdThereIsNothingToFollow) {
  ProfileBuilder device;
  device.cpu(1, 50, 1, 7).cpu(1, 60, 1, none).cpu(0, 100, 1, 8);
  EXPECT_EQ(followed(device).back(), 0);
}

TEST(CompatLink, WhatIsFollowedMustHaveBeenLinkedBefore) {
  HostBuilder host;
  host.thread().node(10, "later", 2, 8).node(11, "other", 2, 7).node(12, "again", 2, 9);
  ProfileBuilder device;
  device.cpu(1, 50, 1, 7).cpu(0, 100, 1, 8).cpu(0, 5000, 1, 9);
  const Shown lines = linked_lines(link_like_reference(host.trace(), device.profile()));
  EXPECT_EQ(lines[2], "2 later <1 inclusive_dur=1 exclusive_dur=1 ts=100");
  EXPECT_EQ(lines[4], "4 again <1 inclusive_dur=1 exclusive_dur=1 ts=5000 inter_thread_dep=3");
}

TEST(CompatLink, LaunchersAreFoundByExternalIdElseTheNearest) {
  ProfileBuilder device;
  device.cpu(0, 100, 50, 1, 1).cpu(0, 110, 5, 2, 2).cpu(1, 111, 5, 3, 1).launch(0, 120, 1).launch(0, 121, 2);
  device.kernel(200, 1, 1).kernel(210, 2, 99);
  const auto read = compat::read_device_trace(device.profile());
  ASSERT_EQ(read.launched_by(1).size(), 1U);
  EXPECT_EQ(read.launched_by(1).front().op, 0U);
  ASSERT_EQ(read.launched_by(2).size(), 1U);
  EXPECT_EQ(read.launched_by(2).front().op, 1U);
}

TEST(CompatLink, LaunchersFarBackAreFound) {
  ProfileBuilder device;
  device.cpu(0, 1, 1, 1, 5).cpu(0, 2, 1, 2, 5, "nccl:coalesced");
  for (int i = 0; i < 1000; ++i) device.cpu(0, 10 + i, 1, 10 + i, 10 + i);
  device.launch(0, 5000, 1).launch(0, 5001, 2).kernel(6000, 1, 5).kernel(6001, 2, 5, "ncclDevKernel_AllReduce");
  EXPECT_EQ(compat::read_device_trace(device.profile()).launched_by(5).size(), 2U);
}

TEST(CompatLink, KernelsOfNcclPassOverCoalesced) {
  ProfileBuilder device;
  device.cpu(0, 100, 50, 1, 1).cpu(0, 110, 5, 2, 2, "nccl:coalesced").launch(0, 120, 1).launch(0, 121, 2);
  device.kernel(200, 1, 2, "NCCL_kernel").kernel(210, 2, 2, "gemm");
  const auto read = compat::read_device_trace(device.profile());
  ASSERT_EQ(read.launched_by(1).size(), 1U);
  EXPECT_EQ(read.launched_by(1).front().op, 0U);
  EXPECT_EQ(read.launched_by(2).front().op, 1U);
}

TEST(CompatLink, DeviceOperationsOfUnknownLaunchesAreLeftOut) {
  ProfileBuilder device;
  device.cpu(0, 100, 50, 1, 1).launch(0, 120, 1, "cudaGraphLaunch").kernel(200, 1, 1).kernel(210, 2, 1);
  EXPECT_TRUE(compat::read_device_trace(device.profile()).launched.empty());
}

TEST(CompatLink, FailuresOfTheReferenceAreErrors) {
  ProfileBuilder good;
  HostBuilder no_root;
  no_root.node(2, "a", 2);
  EXPECT_EQ(link_error(no_root, good),
            "has no node 1: the reference program fails here (KeyError); omit --compat chakra");
  HostBuilder schema("2.0");
  schema.thread();
  EXPECT_EQ(link_error(schema, good),
            "has schema 2.0: the reference program fails here (ValueError); omit --compat chakra");

  HostBuilder host;
  host.thread();
  ProfileBuilder twice;
  twice.launch(0, 1, 4).launch(0, 2, 4);
  EXPECT_EQ(link_error(host, twice),
            "has more than one launch with correlation 4: the reference program fails here (ValueError); omit "
            "--compat chakra");
  ProfileBuilder negative;
  negative.profile().negative_durations = 1;
  EXPECT_EQ(link_error(host, negative),
            "has negative durations: the reference program fails here (ValueError); omit --compat chakra");
  ProfileBuilder fine;
  fine.cpu(0, 1, 1, 1).profile().cpu_ops.front().exact_times = false;
  EXPECT_NE(link_error(host, fine).find("finer than nanoseconds"), std::string::npos);
  ProfileBuilder zero;
  zero.cpu(3, 1, 9, 1).launch(3, 2, 1).kernel(5, 1, 1);
  EXPECT_NE(link_error(host, zero).find("thread 0"), std::string::npos);
}

TEST(CompatLink, ManyOverlapsEndInAnErrorSoon) {
  ProfileBuilder device;
  for (int i = 0; i < 20'000; ++i) device.cpu(0, i, 20'000, i);
  HostBuilder host;
  host.thread();
  EXPECT_EQ(link_error(host, device), "operators of one thread overlap each other too often");
}

}  // namespace
}  // namespace convert::test
