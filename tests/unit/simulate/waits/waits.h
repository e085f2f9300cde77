// SPDX-License-Identifier: MIT
// Replays that do not complete, and their reports, for the tests of deadlocks.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "common/findings.h"
#include "simulate/system/default_system.h"
#include "simulate/waits/deadlock.h"
#include "unit/simulate/traces.h"

namespace convert::test {

using Lines = std::vector<std::string>;

inline constexpr auto workload = IssueMode::workload;
inline constexpr std::int64_t KiB = 1024;

struct Setup {
  IssueMode issue = workload;
  std::vector<CommGroup> groups{};
  bool rendezvous = false;
  std::vector<Trace> all_reduce{};  // by member: the custom algorithm of every all-reduce
  bool astra = true;                // one communication at a time
};

inline ReplayResult run_system(const std::vector<Trace>& traces, const Setup& setup) {
  const NetworkConfig network = net("ring:" + std::to_string(traces.size()) + ",bw=1GB/s,lat=10ns");
  auto system = std::make_shared<ReplaySystem>();
  system->config = default_system(network);
  system->groups = setup.groups;
  system->rendezvous = setup.rendezvous;
  if (!setup.all_reduce.empty())
    system->config.collectives[static_cast<std::size_t>(Collective::all_reduce)].custom = "own";
  ReplayOptions options;
  options.issue = setup.issue;
  options.astra = setup.astra;
  options.system = system;
  Diagnostics diagnostics;
  ReplayBuilder builder(network, options, diagnostics);
  for (const Trace& t : setup.all_reduce) builder.add_custom("own", t);
  for (const Trace& t : traces) builder.add(t);
  const auto program = builder.finish();
  if (!program) throw first_finding(diagnostics);
  ReplayResult result = replay(*program);
  result.kinds = collective_kinds(*program);
  return result;
}

// The cycle and the hints.
inline Lines advice(const ReplayResult& r) {
  Lines lines = describe(r.waits, 0);
  const auto useful = [](const std::string& line) { return line.starts_with("cycle") || line.starts_with("hint"); };
  std::erase_if(lines, [&](const std::string& line) { return !useful(line); });
  return lines;
}
inline Lines advice(const std::vector<Trace>& traces, const Setup& setup = {}) {
  const ReplayResult r = run_system(traces, setup);
  EXPECT_EQ(r.status, ReplayStatus::deadlock);
  return advice(r);
}

}  // namespace convert::test
