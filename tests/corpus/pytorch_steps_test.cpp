// SPDX-License-Identifier: MIT
// Real recordings: a host trace of one step with the profile of a whole run, and files that do not belong together.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "corpus.h"
#include "formats/kineto/kineto.h"
#include "formats/pytorch/pytorch.h"
#include "link_whole.h"
#include "sets/linked/belonging.h"
#include "sets/linked/linking.h"

namespace convert {
namespace {

std::string real_file(const std::string& name) { return (corpus::root() / "pytorch" / "real" / name).string(); }
std::string crossed_file(const std::string& name) {
  return (corpus::root() / "pytorch" / "inputs" / "syn_4rank" / name).string();
}

struct LinkedFiles {
  Trace trace;
  LinkReport report;
  std::vector<std::string> warnings;
};

LinkedFiles link_files(const std::string& host, const std::string& device, bool mismatched) {
  Diagnostics diagnostics;
  LinkingOptions options;
  options.device = device;
  options.mismatched = mismatched;
  const ReadRank read = read_linked(open_input(host), std::nullopt, options, diagnostics);
  LinkedFiles out;
  read.linked->head(out.trace);
  (void)read.linked->next_nodes(out.trace, std::numeric_limits<std::size_t>::max());
  out.report = read.linked->report();
  for (const Diagnostic& d : diagnostics.all()) out.warnings.push_back(d.message);
  return out;
}

std::int64_t number(const Trace& t, const Node& n, Name name, std::int64_t otherwise) {
  const IntValue v = int_value(t.nodes.attributes(n), name);
  return v ? v.value : otherwise;
}
std::int64_t start_of(const Trace& t, const Node& n) {
  return number(t, n, attr::start_nanos, static_cast<std::int64_t>(n.start_us) * 1000);
}

void expect_in(const std::string& text, const std::vector<std::string>& parts) {
  for (const std::string& part : parts) EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

// Name, sequence number, and whether it belongs to the backward pass.
using Key = std::tuple<std::string, std::int64_t, bool>;

std::map<Key, std::vector<std::int64_t>> starts_by_key(const Profile& device) {
  std::map<Key, std::vector<std::int64_t>> out;
  for (const Profile::CpuOp& op : device.cpu_ops) {
    if (op.sequence >= 0)
      out[{std::string(device.name(op)), op.sequence, op.forward_thread > 0}].push_back(op.start_ns);
  }
  for (auto& [key, starts] : out) std::sort(starts.begin(), starts.end());
  return out;
}

TEST(RealPairs, EachNumberedOperatorHasTheTimeOfItsCall) {
  REQUIRE_CORPUS();
  const LinkedFiles l = link_files(real_file("linear_et.json.gz"), real_file("linear_kineto.json.gz"), false);
  EXPECT_EQ(l.warnings, std::vector<std::string>{});
  Diagnostics diagnostics;
  const Trace host = read_pytorch(*open_input(real_file("linear_et.json.gz")), 0, diagnostics);
  const Profile device = read_kineto(*open_input(real_file("linear_kineto.json.gz")), diagnostics);
  std::map<std::int64_t, std::int64_t> linked;  // start by host id
  for (const Node& n : l.trace.nodes.nodes) linked[number(l.trace, n, attr::host_id, -1)] = start_of(l.trace, n);
  std::map<Key, std::vector<std::int64_t>> here;  // host ids, ascending
  std::map<NodeId, Key> keys;
  for (const Node& n : host.nodes.nodes) {
    const std::int64_t sequence = number(host, n, attr::seq_id, -1);
    if (sequence >= 0)
      keys[n.id] = {std::string(host.nodes.name(n)), sequence, number(host, n, attr::fw_tid, 0) > 0};
  }
  for (const auto& [id, key] : keys) here[key].push_back(static_cast<std::int64_t>(id));
  const auto there = starts_by_key(device);
  std::size_t unique = 0, unique_right = 0, repeated = 0, repeated_right = 0;
  for (const auto& [key, ids] : here) {
    const auto& starts = there.at(key);
    ASSERT_EQ(starts.size(), ids.size()) << std::get<0>(key);
    for (std::size_t k = 0; k < ids.size(); ++k) {
      ++(ids.size() == 1 ? unique : repeated);
      if (linked[ids[k]] == starts[k]) ++(ids.size() == 1 ? unique_right : repeated_right);
    }
  }
  std::printf("linear: %zu of %zu unique keys, %zu of %zu repeated ones\n", unique_right, unique, repeated_right,
              repeated);
  EXPECT_EQ(unique, 159U);
  EXPECT_EQ(unique_right, 159U);
  EXPECT_EQ(repeated, 42U);
  EXPECT_EQ(repeated_right, 42U);
}

// Starts of operators with a duration, by host id.
std::map<std::int64_t, std::int64_t> timed_operators(const Trace& t) {
  std::map<std::int64_t, std::int64_t> out;
  for (const Node& n : t.nodes.nodes) {
    const std::int64_t id = number(t, n, attr::host_id, -1);
    if (id >= 0 && (n.duration_us > 0 || number(t, n, attr::duration_nanos, 0) > 0)) out[id] = start_of(t, n);
  }
  return out;
}

TEST(RealPairs, APartOfTheProfileIsMatchedAsAllOfItIs) {
  REQUIRE_CORPUS();
  Diagnostics diagnostics;
  const Trace host = read_pytorch(*open_input(real_file("linear_et.json.gz")), 0, diagnostics);
  const Profile device = read_kineto(*open_input(real_file("linear_kineto.json.gz")), diagnostics);
  const auto keys = starts_by_key(device);
  const std::int64_t begin = keys.at({"aten::linear", 660, false})[0],
                     end = keys.at({"aten::linear", 726, false})[0];
  const auto whole = timed_operators(link(host, device, {}, {}).trace);
  ASSERT_GT(whole.size(), 800U);
  for (int tenth = 1; tenth < 10; ++tenth) {
    const std::int64_t cut = begin + (end - begin) * tenth / 10;
    for (const bool behind : {true, false}) {
      SCOPED_TRACE((behind ? "from " : "to ") + std::to_string(tenth));
      Profile part = device;
      const auto outside = [&](const Profile::Event& e) { return (e.start_ns >= cut) != behind; };
      std::erase_if(part.cpu_ops, outside);
      std::erase_if(part.calls, outside);
      std::erase_if(part.device_ops, outside);
      const LinkedTrace l = link(host, part, {}, {});
      const auto within = static_cast<std::uint64_t>(
          std::count_if(device.cpu_ops.begin(), device.cpu_ops.end(), [&](const Profile::CpuOp& op) {
            return begin <= op.start_ns && op.start_ns < end && !op.annotation && !outside(op);
          }));
      const LinkReport::Coverage& c = l.report.coverage;
      EXPECT_LE(c.with_event, within + 2);  // an annotation may be an operator of the host trace
      EXPECT_GE(c.with_event + 10, within);
      EXPECT_EQ(behind ? c.behind : c.before, 0U);
      EXPECT_EQ(c.before + c.behind, c.operators - c.with_event);
      EXPECT_EQ(c.inside_without, 0U);
      EXPECT_EQ(c.foreign, 0U);
      for (const auto& [id, start] : timed_operators(l.trace)) EXPECT_EQ(whole.at(id), start) << id;
    }
  }
}

// The step is between call number 660 and call number 726 of the next one.
TEST(RealPairs, NoNodeIsOfAnotherStepAndNoneIsMissing) {
  REQUIRE_CORPUS();
  const LinkedFiles l = link_files(real_file("linear_et.json.gz"), real_file("linear_kineto.json.gz"), false);
  Diagnostics diagnostics;
  const Profile device = read_kineto(*open_input(real_file("linear_kineto.json.gz")), diagnostics);
  const auto keys = starts_by_key(device);
  const std::int64_t begin = keys.at({"aten::linear", 660, false})[0],
                     end = keys.at({"aten::linear", 726, false})[0];
  const auto within = [&](std::int64_t ns) { return begin <= ns && ns < end; };
  std::multiset<std::int64_t> operators, launched;
  std::set<std::int64_t> correlations;
  for (const Profile::CpuOp& op : device.cpu_ops) {
    if (within(op.start_ns)) operators.insert(op.start_ns);
  }
  for (const Profile::Call& call : device.calls) {
    if (within(call.start_ns)) correlations.insert(call.correlation);
  }
  for (const Profile::DeviceOp& op : device.device_ops) {
    if (correlations.contains(op.correlation)) launched.insert(op.start_ns);
  }
  std::multiset<std::int64_t> linked_operators, linked_device;
  for (const Node& n : l.trace.nodes.nodes) {
    const std::string_view name = l.trace.nodes.name(n);
    const std::int64_t start = start_of(l.trace, n);
    EXPECT_TRUE(start >= begin) << name;
    if (number(l.trace, n, attr::is_cpu_op, 1) == 0) {
      linked_device.insert(start);
    } else if (!name.starts_with("[")) {
      linked_operators.insert(start);
    }
  }
  EXPECT_EQ(operators.size(), 928U);
  EXPECT_EQ(launched.size(), 261U);
  EXPECT_EQ(linked_operators, operators);
  EXPECT_EQ(linked_device, launched);
  EXPECT_EQ(l.report.matched_by_anchor, 201U);
  EXPECT_EQ(l.report.matched_by_order, 727U);
  EXPECT_EQ(l.report.matched_by_order_unsure, 0U);
  ASSERT_TRUE(l.report.window);
  EXPECT_EQ(l.report.window->cpu_events, device.cpu_ops.size() - 928);
  EXPECT_EQ(l.report.window->device_events, device.device_ops.size() - 261);
}

// Returns the findings about the real pair after a change of the host trace or the profile.
std::vector<std::string> told_of(Trace host, Profile device) {
  const Origins from = origins(host, device, std::nullopt);
  Diagnostics diagnostics;
  check_belonging(from, link(std::move(host), std::move(device), {}, {}).report, false, true, diagnostics);
  std::vector<std::string> out;
  for (const Diagnostic& d : diagnostics.all()) out.push_back(d.message);
  return out;
}

// The changed numbers match the profile's first step, which calls other operators.
TEST(RealPairs, AnotherStepWithTheNumbersOfTheHostTraceIsTold) {
  REQUIRE_CORPUS();
  Diagnostics diagnostics;
  Trace host = read_pytorch(*open_input(real_file("linear_et.json.gz")), 0, diagnostics);
  const Profile device = read_kineto(*open_input(real_file("linear_kineto.json.gz")), diagnostics);
  EXPECT_EQ(told_of(host, device), std::vector<std::string>{});
  for (Attr& a : host.nodes.attrs) {
    if (a.name == attr::seq_id && static_cast<std::int64_t>(a.bits) >= 0) a.bits -= 660;
  }
  const auto told = told_of(host, device);
  ASSERT_EQ(told.size(), 2U);
  expect_in(told[0], {"126 of 928 operators", "have no event in this trace: all between operators with events"});
  expect_in(told[1], {"82 of 884 operators between matched operators of their thread have no counterpart in "});
}

TEST(RealPairs, AProfileThatLacksTheObservedStepIsToldWithBothRanges) {
  REQUIRE_CORPUS();
  Diagnostics diagnostics;
  const Trace host = read_pytorch(*open_input(real_file("linear_et.json.gz")), 0, diagnostics);
  Profile device = read_kineto(*open_input(real_file("linear_kineto.json.gz")), diagnostics);
  const auto keys = starts_by_key(device);
  const std::int64_t begin = keys.at({"aten::linear", 660, false})[0],
                     end = keys.at({"aten::linear", 726, false})[0];
  const auto within = [&](const Profile::Event& e) { return begin <= e.start_ns && e.start_ns < end; };
  std::erase_if(device.cpu_ops, within);
  std::erase_if(device.calls, within);
  std::erase_if(device.device_ops, within);
  const auto told = told_of(host, std::move(device));
  ASSERT_FALSE(told.empty());
  expect_in(told[0], {"sequence numbers 660–725 in the host trace, 0–659 and 726–2639 in this trace"});
}

std::string refusal(const std::string& host, const std::string& device) {
  try {
    (void)link_files(host, device, false);
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), Error::Kind::input);
    return e.what();
  }
  return "linked";
}

TEST(RealPairs, TwoRunsAreRefusedWithNumbers) {
  REQUIRE_CORPUS();
  const std::string host = real_file("resnet_et.json.gz"), device = real_file("resnet_kineto.json.gz");
  expect_in(refusal(host, device), {"process 1734239 in the host trace and 23442 in the device trace",
                                    "date 2024-06-30 in the host trace and 2023-07-12 in the device trace",
                                    "414 of 1743 operators", "--mismatched"});
  const LinkedFiles l = link_files(host, device, true);
  EXPECT_FALSE(l.trace.nodes.nodes.empty());
  ASSERT_FALSE(l.warnings.empty());
  expect_in(l.warnings[0],
            {"process 1734239 in the host trace and 23442 in the device trace", "414 of 1743 operators"});
}

TEST(RealPairs, TwoRanksAreRefusedWithNumbers) {
  REQUIRE_CORPUS();
  const std::string host = crossed_file("host_0.json.gz"), device = crossed_file("kineto_1.json.gz");
  expect_in(refusal(host, device), {"process 41000 in the host trace and 41001 in the device trace",
                                    "40 of 1604 operators agree by id and name", "--mismatched"});
  const LinkedFiles l = link_files(host, device, true);
  EXPECT_FALSE(l.trace.nodes.nodes.empty());
  ASSERT_FALSE(l.warnings.empty());
  expect_in(l.warnings[0], {"40 of 1604 operators agree by id and name"});
  EXPECT_EQ(refusal(crossed_file("host_1.json.gz"), device), "linked");
}

}  // namespace
}  // namespace convert
