// SPDX-License-Identifier: MIT
// Plants values that occur in fewer than k nodes in all data with a table in a profile, and searches the profile.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "common/held_set.h"
#include "generate/trace_builder.h"
#include "profile/json/json.h"
#include "sanitized.h"
#include "sets/profiled/learning.h"

namespace convert {
namespace {

using namespace test;

// Kinds of planted values.
enum class Plant {
  name,
  stream,
  tid,
  device_tid,
  tb_id,
  group,
  group_member,
  size,
  bytes_out,
  group_size,
  priority,
  root,
  dims,
  dtype,
  tag,
  peer,
  message_size,
  splits,
  type,
  location,
  duration,
  call_duration,
  delay,
  operations,
  bytes,
  count
};
constexpr auto plants = static_cast<std::size_t>(Plant::count);

// Numbers above all others of the set, none the mean of others.
std::int64_t secret(Plant plant) { return 74'203'117 + 1'000'003 * static_cast<std::int64_t>(plant); }
// Ranks that are not members of the set.
Rank secret_rank(Plant plant) { return 700'001 + 13 * static_cast<Rank>(plant); }

class PlantedJob {
 public:
  PlantedJob(unsigned seed, std::uint32_t k)
      : random_(seed), k_(k), ranks_(2 + below(4)), iterations_(3 + below(4)) {
    // Each plant in fewer than k positions among the first calls of its kind.
    for (std::size_t p = 0; p < plants; ++p) {
      const std::size_t times = below(k);
      while (places_.at(p).size() < times) places_.at(p).insert(below(ranks_ * iterations_ * layers + times));
    }
  }

  [[nodiscard]] std::unique_ptr<HeldSet> set() {
    std::vector<Trace> traces;
    for (Rank r = 0; r < ranks_; ++r) traces.push_back(rank(r));
    std::string groups = "{\"1\":[";
    for (Rank r = 0; r < ranks_; ++r) groups += (r == 0 ? "" : ",") + std::to_string(r);
    groups += "],\"" + std::to_string(secret(Plant::group)) + "\":[0," +
              std::to_string(secret_rank(Plant::group_member)) + "]}";
    return std::make_unique<HeldSet>(std::move(traces), groups);
  }

 private:
  static constexpr std::size_t layers = 3;

  [[nodiscard]] std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_() % n); }
  // Returns whether this is a position of the plant; each call is the next position.
  bool here(Plant plant) {
    const auto p = static_cast<std::size_t>(plant);
    return places_.at(p).contains(next_.at(p)++);
  }
  // The same for calls of all ranks, which are planted as a whole.
  [[nodiscard]] bool in_call(Plant plant, std::size_t call) const {
    return call + 1 < k_ && places_.at(static_cast<std::size_t>(plant)).contains(call);
  }

  Trace rank(Rank r) {
    TraceBuilder b(r);
    std::size_t call = 0;
    NodeId last = b.compute("begin", 1000);
    for (std::size_t i = 0; i < iterations_; ++i) {
      for (std::size_t layer = 0; layer < layers; ++layer, ++call) {
        last = computations(b, "iteration " + std::to_string(i), last);
        last = communications(b, r, call, last);
      }
    }
    return b.finish();
  }

  NodeId computations(TraceBuilder& b, const std::string& iteration, NodeId last) {
    const std::string name = here(Plant::name) ? "secret" + std::to_string(secret(Plant::name)) : "forward";
    const auto duration = static_cast<std::uint64_t>(
        here(Plant::duration) ? secret(Plant::duration) : 50'000 + static_cast<std::int64_t>(below(900)));
    last = b.compute(iteration + " " + name, duration, {last});
    b.set(attr::stream, here(Plant::stream) ? secret(Plant::stream) : 7);
    b.set(attr::num_ops, here(Plant::operations) ? secret(Plant::operations) : 1'000'000);
    b.set(attr::tensor_size, here(Plant::bytes) ? secret(Plant::bytes) : 4096);
    if (here(Plant::delay)) b.set(attr::start_delay_nanos, secret(Plant::delay));
    last = b.compute(iteration + " norm", 5'000 + below(90), {last});
    b.set(attr::tid, here(Plant::device_tid) ? secret(Plant::device_tid) : 3);
    if (here(Plant::tb_id)) b.set(attr::tb_id, secret(Plant::tb_id));
    last = b.mem_load("load", 1 << 20, {last});
    b.set(attr::tensor_loc, here(Plant::location) ? secret(Plant::location) : 1);
    last = b.add(here(Plant::type) ? NodeType{static_cast<int>(secret(Plant::type))} : NodeType::comp, "launch",
                 {last});
    b.set(attr::is_cpu_op, 1, Kind::bool_val);
    b.set(attr::tid, here(Plant::tid) ? secret(Plant::tid) : 100);
    return last;
  }

  NodeId communications(TraceBuilder& b, Rank r, std::size_t call, NodeId last) {
    last = b.collective(Collective::all_reduce, in_call(Plant::size, call) ? secret(Plant::size) : 1 << 20, {last});
    if (here(Plant::call_duration)) b.set(attr::duration_nanos, secret(Plant::call_duration));
    if (here(Plant::bytes_out)) b.set(attr::comm_bytes_out, secret(Plant::bytes_out));
    if (here(Plant::group_size)) b.set(attr::group_size, secret(Plant::group_size));
    if (here(Plant::priority)) b.set(attr::comm_priority, secret(Plant::priority));
    last = b.collective(Collective::broadcast, 1 << 16, {last},
                        here(Plant::root) ? secret_rank(Plant::root) : Rank{0});
    if (here(Plant::dtype)) b.set(attr::comm_dtype, "float64");
    if (here(Plant::dims)) {
      const std::vector<std::int64_t> dims = {0, 1, 1, 0, 1, 0, 1};
      b.trace().nodes.add_ints(attr::involved_dim, Kind::bool_list, dims);
    }
    last =
        b.collective(Collective::all_to_all, static_cast<std::int64_t>(1000 * ranks_), {last}, std::nullopt, "1");
    std::vector<std::int64_t> parts(ranks_, 1000);
    parts[r] = 900 + static_cast<std::int64_t>(below(200));
    if (in_call(Plant::splits, call)) parts[r] = secret(Plant::splits);
    b.trace().nodes.add_ints(attr::send_splits, Kind::int64_list, parts);
    b.trace().nodes.add_ints(attr::recv_splits, Kind::int64_list, parts);
    if (r == 0 && 2 * call + 2 < k_)
      last =
          b.collective(Collective::all_gather, 1 << 12, {last}, std::nullopt, std::to_string(secret(Plant::group)));
    const auto tag = here(Plant::tag) ? secret(Plant::tag) : static_cast<std::int64_t>(call);
    const std::int64_t size = in_call(Plant::message_size, call) ? secret(Plant::message_size) : 1 << 14;
    const Rank peer = here(Plant::peer) ? secret_rank(Plant::peer) : Rank{1};
    if (r == 0) last = b.send(peer, size, tag, {last});
    if (r == 1) last = b.receive(0, size, tag, {last});
    return last;
  }

  std::mt19937 random_;
  std::uint32_t k_;
  std::size_t ranks_, iterations_;
  std::array<std::set<std::size_t>, plants> places_{};  // by plant
  std::array<std::size_t, plants> next_{};
};

std::set<std::string> numbers_of(const std::string& json) {
  constexpr std::string_view digits = "0123456789";
  std::set<std::string> out;
  for (std::size_t at = 0; (at = json.find_first_of(digits, at)) != std::string::npos;) {
    const std::size_t end = std::min(json.find_first_not_of(digits, at), json.size());
    out.insert(json.substr(at, end - at));
    at = end;
  }
  return out;
}

TEST(ProfilePrivacy, NoTableHasAValueThatFewerThanKNodesHave) {
  for (unsigned seed = 0; seed < rounds(200U); ++seed) {
    const std::uint32_t k = 2 + seed % 7;
    std::vector<std::unique_ptr<HeldSet>> jobs;
    const unsigned count = 1 + seed % 2;  // each job has its share of fewer than k
    for (unsigned j = 0; j < count; ++j) jobs.push_back(PlantedJob(2 * seed + j, (k - 1) / count + 1).set());
    std::vector<SetSource*> sets;
    for (const auto& job : jobs) sets.push_back(job.get());
    Diagnostics diagnostics;
    const WorkloadProfile profile = learn_profile(sets, {.k = k}, diagnostics).profile;
    const std::string json = profile_json(profile);
    EXPECT_NO_THROW((void)parse_profile(json, "planted")) << seed;
    const std::set<std::string> numbers = numbers_of(json);
    for (std::size_t p = 0; p < plants; ++p) {
      const auto plant = static_cast<Plant>(p);
      ASSERT_FALSE(numbers.contains(std::to_string(secret(plant))))
          << "seed " << seed << " k " << k << " plant " << p;
      ASSERT_FALSE(numbers.contains(std::to_string(secret_rank(plant))) ||
                   numbers.contains(std::to_string(secret_rank(plant) - 1)))
          << "seed " << seed << " k " << k << " plant " << p;
    }
    for (const char* text : {"secret", "float64", "0110101"}) ASSERT_EQ(json.find(text), std::string::npos) << text;
  }
}

// Rows and numbers come from kept nodes only: an omitted node has no influence.
TEST(ProfilePrivacy, WhatIsLeftOutMakesNoDifference) {
  const auto profile_of = [](std::int64_t stream, Rank other) {
    std::vector<Trace> traces;
    for (Rank r = 0; r < 4; ++r) {
      TraceBuilder b(r);
      NodeId last = b.compute("begin", 1000);
      b.set(attr::stream, 5);
      for (int i = 0; i < 8; ++i) {
        last = b.compute("work", 5000, {last});
        b.set(attr::stream, 11);
      }
      if (r == 1) {
        last = b.compute("once", 5000, {last});
        b.set(attr::stream, stream).set(attr::tensor_loc, 3);
      }
      if (r == 1 || r == other) b.collective(Collective::all_reduce, 1024, {last}, std::nullopt, "9");
      traces.push_back(b.finish());
    }
    HeldSet set(std::move(traces), "{\"9\":[1," + std::to_string(other) + "]}");
    SetSource* const one = &set;
    Diagnostics diagnostics;
    return profile_json(learn_profile({&one, 1}, {.k = 4}, diagnostics).profile);
  };
  const std::string profile = profile_of(8, 3);
  EXPECT_EQ(profile, profile_of(74'203'117, 3));
  EXPECT_EQ(profile, profile_of(8, 2));
  EXPECT_NE(profile.find("\"lanes\":[\n  [2,0],\n  [2,1]\n ]"), std::string::npos) << profile;
}

}  // namespace
}  // namespace convert
