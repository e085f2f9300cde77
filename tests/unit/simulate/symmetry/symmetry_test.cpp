// SPDX-License-Identifier: MIT
// One rank represents all equivalent ranks: the numbers are the same in all cases.
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <iostream>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "common/findings.h"
#include "common/replay_traces.h"
#include "sanitized.h"
#include "unit/simulate/random_cases.h"

namespace convert::test {
namespace {

using CollectiveNumbers = std::tuple<std::int64_t, std::uint32_t, std::uint32_t, std::uint32_t, Rank, NodeId,
                                     Picoseconds, Picoseconds, Picoseconds, Picoseconds, Picoseconds>;

struct AllNumbers {
  ReplayStatus status;
  Picoseconds total;
  std::vector<NpuNumbers> npus;
  std::vector<CollectiveNumbers> collectives;
  std::string worst_port;
};

AllNumbers all_numbers(const ReplayResult& r) {
  AllNumbers all{r.status, r.total_ps, {}, {}, r.worst_port ? port_text(*r.worst_port) : ""};
  for (const NpuResult& n : r.npus) {
    all.npus.push_back(npu_numbers(n));
  }
  for (const CollectiveResult& c : r.collectives) {
    all.collectives.emplace_back(c.group, c.number, c.plan, c.npus, c.first_npu, c.first_node, c.begin_ps,
                                 c.last_begin_ps, c.end_ps.value_or(-1), c.exposed_mean_ps, c.exposed_max_ps);
  }
  return all;
}

void expect_equal(const ReplayResult& with, const ReplayResult& without) {
  EXPECT_EQ(without.classes, 0U);
  const AllNumbers a = all_numbers(with);
  const AllNumbers b = all_numbers(without);
  EXPECT_EQ(a.status, b.status);
  EXPECT_EQ(a.total, b.total);
  EXPECT_EQ(a.npus, b.npus);
  EXPECT_EQ(a.collectives, b.collectives);
  EXPECT_EQ(a.worst_port, b.worst_port);
}

using Run = ReplayResult (*)(const RandomCase&);

// Runs the case both ways, and again half of its time. Returns the number of classes.
std::size_t classes(RandomCase c, Run run_case = run) {
  const auto compare = [&] {
    c.options.symmetry = true;
    const ReplayResult with = run_case(c);
    c.options.symmetry = false;
    expect_equal(with, run_case(c));
    return std::pair{with.classes, with.total_ps};
  };
  const auto [count, total] = compare();
  c.options.network.watch_ports = true;
  (void)compare();
  c.options.until = total / 2;
  (void)compare();
  return count;
}

// Minimum number of 400 runs that must use a symmetry: of all runs, of the runs on `wires`, and of symmetries over
// some dimensions only. `make` changes a case into one with a symmetry.
struct Least {
  int all = 0;
  int wires = 0;
  int some_dims = 0;
};
// Returns the required number for a possibly reduced number of cases, whose shares vary more.
int least_of(int all) { return test::sanitized ? test::rounds(all) / 2 : all; }

void check(
    const Wanted& wanted, const Least& least,
    const std::function<void(RandomCase&, Random&)>& make = [](RandomCase&, Random&) {}) {
  Least found;
  for (std::uint64_t seed = 1; seed <= test::rounds(400U); ++seed) {
    RandomCase c = CaseMaker(seed, wanted).make();
    Random random(seed);
    make(c, random);
    if (c.items.empty()) continue;
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + describe(c));
    const std::size_t n = classes(c);
    if (testing::Test::HasFailure()) return;
    found.all += n != 0 ? 1 : 0;
    found.wires += n != 0 && c.options.network.model != NetworkModel::unaware ? 1 : 0;
    found.some_dims += n > 1 ? 1 : 0;
  }
  EXPECT_GE(found.all, least_of(least.all));
  EXPECT_GE(found.wires, least_of(least.wires));
  EXPECT_GE(found.some_dims, least_of(least.some_dims));
  std::cout << "with symmetry: " << found.all << ", on links " << found.wires << ", of some dimensions "
            << found.some_dims << "\n";
}

// A node takes the same time on all ranks that differ only in the first dimensions.
void repeat_times(RandomCase& c, std::size_t dims) {
  std::size_t span = 1;
  for (std::size_t d = 0; d < dims; ++d) span *= static_cast<std::size_t>(c.dims[d].npus);
  for (Item& i : c.items) {
    for (std::size_t r = 0; r < i.us.size(); ++r) i.us[r] = i.us[r / span * span];
  }
}

TEST(Symmetry, AllDimensions) {
  const Wanted wanted{.topologies = {Topology::ring, Topology::fully_connected, Topology::switched},
                      .messages = false,
                      .groups = false,
                      .exact_ns = true};
  check(wanted, {.all = 160, .wires = 120}, [](RandomCase& c, Random&) { repeat_times(c, c.dims.size()); });
}

TEST(Symmetry, DelaysThatAreNoWholeNs) {
  const Wanted wanted{.topologies = {Topology::ring, Topology::fully_connected, Topology::switched},
                      .messages = false,
                      .groups = false};
  check(wanted, {.all = 160, .wires = 120}, [](RandomCase& c, Random&) {
    repeat_times(c, c.dims.size());
    c.options.astra = true;
  });
}

TEST(Symmetry, SomeDimensions) {
  const Wanted wanted{.messages = false, .groups = false, .exact_ns = true};
  check(wanted, {.all = 90, .wires = 60, .some_dims = 70}, [](RandomCase& c, Random& random) {
    const auto count = static_cast<std::int64_t>(c.dims.size());
    repeat_times(c, static_cast<std::size_t>(random.in(std::min<std::int64_t>(1, count - 1), count - 1)));
    for (Item& i : c.items) i.dims = ~0U;
  });
}

// Groups along a dimension (all ranks that differ only in it), or of all ranks that do not differ in it.
std::size_t add_groups(RandomCase& c, std::size_t dim, bool others, std::vector<std::size_t>& group_of) {
  Rank stride = 1;
  for (std::size_t d = 0; d < dim; ++d) stride *= static_cast<Rank>(c.dims[d].npus);
  const auto n = static_cast<Rank>(c.dims[dim].npus);
  std::map<Rank, std::size_t> known;
  group_of.assign(c.npus(), 0);
  for (Rank r = 0; r < c.npus(); ++r) {
    const Rank at = r / stride % n;
    const auto [group, is_new] = known.emplace(others ? at : r - at * stride, c.groups.size());
    if (is_new) c.groups.emplace_back();
    c.groups[group->second].push_back(r);
    group_of[r] = group->second;
  }
  return known.size();
}

// Replaces each collective of a group by the same collective of the groups along a dimension, called by all ranks.
void spread_groups(RandomCase& c, Random& random) {
  c.groups.clear();
  std::vector<Item> items;
  for (Item& i : c.items) {
    if (i.group == 0) {
      items.push_back(i);
      continue;
    }
    std::vector<std::size_t> group_of;
    const std::size_t before = c.groups.size();
    const auto dim = static_cast<std::size_t>(random.in(0, static_cast<std::int64_t>(c.dims.size()) - 1));
    const std::size_t count = add_groups(c, dim, random.once_in(2), group_of);
    if (c.groups[before].size() < 2) {
      c.groups.resize(before);
      continue;
    }
    if (random.once_in(3)) {
      for (std::size_t g = before; g < c.groups.size(); ++g)
        std::rotate(c.groups[g].begin(), c.groups[g].begin() + 1, c.groups[g].end());
    }
    for (std::size_t g = 0; g < count; ++g) {
      items.push_back(i);
      items.back().group = before + g + 1;
    }
  }
  c.items = std::move(items);
  c.system.groups.clear();
  for (std::size_t g = 0; g < c.groups.size(); ++g)
    c.system.groups.push_back({.id = static_cast<std::int64_t>(g) + 1, .ranks = c.groups[g]});
}

TEST(Symmetry, Groups) {
  const Wanted wanted{.topologies = {Topology::ring, Topology::fully_connected, Topology::switched},
                      .messages = false,
                      .exact_ns = true};
  check(wanted, {.all = 90, .wires = 60, .some_dims = 40}, [](RandomCase& c, Random& random) {
    repeat_times(c, static_cast<std::size_t>(random.in(0, static_cast<std::int64_t>(c.dims.size()))));
    spread_groups(c, random);
  });
}

// All messages with their images by shifts along some dimensions.
void spread_messages(RandomCase& c, Random& random) {
  std::vector<Item> items;
  const auto last = static_cast<std::int64_t>(c.dims.size()) - 1;
  const auto dim = static_cast<std::size_t>(random.in(0, last));
  const bool all = random.once_in(2);
  for (const Item& i : c.items) {
    if (i.kind != Item::Kind::message) {
      items.push_back(i);
      continue;
    }
    const auto shifted = [&](Rank r, Rank by) {
      Rank result = 0;
      Rank stride = 1;
      for (std::size_t d = 0; d < c.dims.size(); ++d) {
        const auto n = static_cast<Rank>(c.dims[d].npus);
        result += stride * (all || d == dim ? (r % n + by % n) % n : r % n);
        stride *= n;
        r /= n;
        if (all || d == dim) by /= n;
      }
      return result;
    };
    const Rank count = all ? c.npus() : static_cast<Rank>(c.dims[dim].npus);
    for (Rank by = 0; by < count; ++by) {
      items.push_back(i);
      items.back().from = shifted(i.from, by);
      items.back().to = shifted(i.to, by);
    }
  }
  c.items = std::move(items);
}

// Trace nodes have the number of their item, so that they can be made equal.
Trace equal_trace(const RandomCase& c, Rank rank, bool tags_differ) {
  Trace t = rank_trace(rank);
  std::vector<NodeId> before;
  std::vector<NodeId> now;
  int layer = 0;
  NodeId id = 0;
  for (const Item& i : c.items) {
    if (!takes_part(c, i, rank)) continue;
    if (i.layer != layer && !now.empty()) before = std::exchange(now, {});
    layer = i.layer;
    const auto add = [&](NodeType type, bool sends) {
      t.nodes.add_node(id, type, "n");
      for (const NodeId p : before) t.nodes.add_data_dep(p);
      if (type == NodeType::comp) {
        t.nodes.nodes.back().duration_us = static_cast<std::uint64_t>(i.us[rank]);
      } else {
        t.nodes.add_int(attr::comm_size, Kind::int64_val, i.bytes);
      }
      if (i.kind == Item::Kind::message) {
        if (sends) t.nodes.add_int(attr::comm_dst, Kind::int32_val, i.to);
        if (!sends) t.nodes.add_int(attr::comm_src, Kind::int32_val, i.from);
        const std::int64_t tag = tags_differ ? i.from * 100 + i.to : 7;
        t.nodes.add_int(attr::comm_tag, Kind::int32_val, tag);
      }
      if (i.kind == Item::Kind::collective) {
        t.nodes.add_int(attr::comm_type, Kind::int64_val, static_cast<std::int64_t>(i.type));
        if (i.group != 0) t.nodes.add_string(attr::pg_name, std::to_string(i.group));
      }
      t.nodes.end_node();
      now.push_back(id++);
    };
    if (i.kind == Item::Kind::comp) add(NodeType::comp, false);
    if (i.kind == Item::Kind::collective) add(NodeType::comm_coll, false);
    if (i.kind != Item::Kind::message) continue;
    if (rank == i.from) add(NodeType::comm_send, true);
    if (rank == i.to) add(NodeType::comm_recv, false);
  }
  return t;
}

template <bool tags_differ>
ReplayResult run_equal(const RandomCase& c) {
  ReplayOptions options = c.options;
  options.system = std::make_shared<ReplaySystem>(c.system);
  std::vector<Trace> traces;
  for (Rank r = 0; r < c.npus(); ++r) traces.push_back(equal_trace(c, r, tags_differ));
  Diagnostics diagnostics;
  auto result =
      test::replay_traces(traces, NetworkConfig{.source = "random network", .dims = c.dims}, options, diagnostics);
  if (!result) throw first_finding(diagnostics);
  return std::move(*result);
}

// Returns the number of runs with a symmetry: all, and only of some dimensions.
std::pair<int, int> check_messages(Run run_case) {
  int all = 0;
  int some = 0;
  const Wanted wanted{.topologies = {Topology::ring, Topology::fully_connected, Topology::switched}};
  for (std::uint64_t seed = 1; seed <= test::rounds(400U); ++seed) {
    RandomCase c = CaseMaker(seed, wanted).make();
    Random random(seed);
    repeat_times(c, static_cast<std::size_t>(random.in(0, static_cast<std::int64_t>(c.dims.size()))));
    spread_messages(c, random);
    spread_groups(c, random);
    if (c.items.empty()) continue;
    const auto is_collective = [](const Item& i) { return i.kind == Item::Kind::collective; };
    if (std::none_of(c.items.begin(), c.items.end(), is_collective)) c.options.issue = IssueMode::algorithm;
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + describe(c));
    const std::size_t n = classes(c, run_case);
    if (testing::Test::HasFailure()) break;
    all += n != 0 ? 1 : 0;
    some += n > 1 ? 1 : 0;
  }
  std::cout << "with symmetry: " << all << ", of some dimensions " << some << "\n";
  return {all, some};
}

TEST(Symmetry, Messages) {
  const auto [all, some] = check_messages(run_equal<false>);
  EXPECT_GE(all, least_of(20));
  EXPECT_GE(some, least_of(10));
}

TEST(Symmetry, TagsThatDifferFromRankToRank) {
  const auto [all, some] = check_messages(run_equal<true>);
  EXPECT_GE(all, least_of(20));
  EXPECT_GE(some, least_of(10));
}

RandomCase one_dim(Topology topology, std::int64_t npus, NetworkModel model) {
  RandomCase c;
  c.dims = {{.topology = topology, .npus = npus, .bytes_per_ns = 1, .latency_ns = 0}};
  c.options.network.model = model;
  c.options.issue = IssueMode::workload;
  c.options.astra = true;
  c.system.config.optimization = CollectiveOptimization::baseline;
  c.system.config.dataset_splits = 1;
  for (CollectiveChoice& choice : c.system.config.collectives) choice.per_dim = {AlgorithmChoice{}};
  return c;
}

// Each NPU sends 1000 B over two links, and computes for a time before it sends 3000 B to the next one: both
// messages meet on the second link. Which one goes first depends on which NPU began first, and NPU 0 is the first
// of all.
ReplayResult two_meet(std::uint64_t compute_us, bool symmetry) {
  RandomCase c = one_dim(Topology::ring, 5, NetworkModel::aware);
  c.dims[0].bytes_per_ns = 1;
  c.options.symmetry = symmetry;
  c.options.system = std::make_shared<ReplaySystem>(c.system);
  c.options.astra = false;
  std::vector<Trace> traces;
  for (Rank r = 0; r < 5; ++r) {
    Trace t = rank_trace(r);
    send(t, 0, (r + 2) % 5, 1000);
    comp(t, 1, compute_us);
    send(t, 2, (r + 1) % 5, 3000, 0, {1});
    recv(t, 3, (r + 3) % 5, 1000);
    recv(t, 4, (r + 4) % 5, 3000);
    comp(t, 5, 10, {3});
    traces.push_back(std::move(t));
  }
  Diagnostics diagnostics;
  return *test::replay_traces(traces, NetworkConfig{.source = "ring", .dims = c.dims}, c.options, diagnostics);
}

TEST(Symmetry, GivesUpWhereTheOrderAtAWireMatters) {
  const ReplayResult meet = two_meet(1, true);
  expect_equal(meet, two_meet(1, false));
  EXPECT_EQ(meet.classes, 0U);
  EXPECT_EQ(finish_ns(meet, 1), 15'000);
  EXPECT_EQ(finish_ns(meet, 2), 12'000);
  const ReplayResult apart = two_meet(3, true);
  expect_equal(apart, two_meet(3, false));
  EXPECT_EQ(apart.classes, 1U);
}

// Each NPU receives from the two preceding NPUs at one time. The compute slot goes to the first arrival: 3 µs
// followed by 10 µs of CPU time, or 5 µs.
ReplayResult two_arrive(std::int64_t second_bytes, bool symmetry) {
  RandomCase c = one_dim(Topology::fully_connected, 5, NetworkModel::unaware);
  c.options.symmetry = symmetry;
  c.options.system = std::make_shared<ReplaySystem>(c.system);
  c.options.astra = false;
  std::vector<Trace> traces;
  for (Rank r = 0; r < 5; ++r) {
    Trace t = rank_trace(r);
    send(t, 0, (r + 1) % 5, 1000);
    send(t, 1, (r + 2) % 5, second_bytes);
    recv(t, 2, (r + 4) % 5, 1000);
    recv(t, 3, (r + 3) % 5, second_bytes);
    comp(t, 4, 3, {2});
    comp(t, 5, 5, {3});
    comp(t, 6, 10, {4}, true);
    traces.push_back(std::move(t));
  }
  Diagnostics diagnostics;
  return *test::replay_traces(traces, NetworkConfig{.source = "clique", .dims = c.dims}, c.options, diagnostics);
}

TEST(Symmetry, GivesUpWhereTheOrderAtAnNpuMatters) {
  const ReplayResult meet = two_arrive(1000, true);
  expect_equal(meet, two_arrive(1000, false));
  EXPECT_EQ(meet.classes, 0U);
  EXPECT_EQ(finish_ns(meet, 1), 14'000);
  EXPECT_EQ(finish_ns(meet, 2), 19'000);
  const ReplayResult apart = two_arrive(2000, true);
  expect_equal(apart, two_arrive(2000, false));
  EXPECT_EQ(apart.classes, 1U);
}

TEST(Symmetry, WiresOfARing) {
  for (const NetworkModel model : {NetworkModel::aware, NetworkModel::wires}) {
    RandomCase c = one_dim(Topology::ring, 16, model);
    c.dims[0].latency_ns = 500;
    c.system.config.dataset_splits = 4;
    c.items = {{.kind = Item::Kind::collective, .bytes = 1 << 20}};
    EXPECT_EQ(classes(c), 1U) << name(model);
    c.dims.push_back({.topology = Topology::mesh, .npus = 3, .bytes_per_ns = 1});
    for (CollectiveChoice& choice : c.system.config.collectives) choice.per_dim.resize(2);
    EXPECT_EQ(classes(c), 3U) << name(model);
  }
}

// Partners by XOR use both directions of a ring.
TEST(Symmetry, HalvingDoublingOnWires) {
  RandomCase c = one_dim(Topology::switched, 8, NetworkModel::aware);
  for (CollectiveChoice& choice : c.system.config.collectives)
    choice.per_dim = {{.algorithm = NativeAlgorithm::halving_doubling}};
  c.items = {{.kind = Item::Kind::collective, .bytes = 1 << 20}};
  EXPECT_EQ(classes(c), 1U);
  c.dims[0].topology = Topology::fully_connected;
  EXPECT_EQ(classes(c), 1U);
  c.dims[0].topology = Topology::ring;
  EXPECT_EQ(classes(c), 0U);
  c.options.network.model = NetworkModel::unaware;
  EXPECT_EQ(classes(c), 1U);
}

// 4 tensor-parallel NPUs × 3 stages × 8 data-parallel ones: one NPU for each stage.
TEST(Symmetry, GroupsOfAPipeline) {
  for (const NetworkModel model : {NetworkModel::unaware, NetworkModel::aware}) {
    RandomCase c = one_dim(Topology::fully_connected, 4, model);
    c.dims.push_back({.topology = Topology::ring, .npus = 3, .bytes_per_ns = 1, .latency_ns = 100});
    c.dims.push_back({.topology = Topology::switched, .npus = 8, .bytes_per_ns = 1, .latency_ns = 100});
    std::vector<std::size_t> tensor;
    std::vector<std::size_t> data;
    const std::size_t tensors = add_groups(c, 0, false, tensor);
    const std::size_t datas = add_groups(c, 2, false, data);
    for (std::size_t g = 0; g < c.groups.size(); ++g)
      c.system.groups.push_back({.id = static_cast<std::int64_t>(g) + 1, .ranks = c.groups[g]});
    Item compute{.us = std::vector<std::int64_t>(96)};
    for (Rank r = 0; r < 96; ++r) compute.us[r] = 10 + r / 4 % 3;
    c.items.push_back(compute);
    for (std::size_t g = 0; g < tensors; ++g)
      c.items.push_back({.kind = Item::Kind::collective, .layer = 1, .bytes = 40'000, .group = g + 1});
    for (std::size_t g = 0; g < datas; ++g)
      c.items.push_back({.kind = Item::Kind::collective, .layer = 2, .bytes = 80'000, .group = tensors + g + 1});
    EXPECT_EQ(classes(c, run_equal<false>), 3U) << name(model);
    EXPECT_EQ(run_equal<false>(c).collectives.size(), tensors + datas);
  }
}

// An all-to-all as traces whose tags contain both ends. With `twice`, on the even NPUs the messages to the next and
// to the preceding NPU have equal tags, so that channels do not correspond.
ReplayResult run_custom(NetworkModel model, bool twice, bool astra, bool symmetry) {
  constexpr Rank n = 6;
  RandomCase c = one_dim(Topology::switched, n, model);
  c.dims[0].latency_ns = 100;
  for (CollectiveChoice& choice : c.system.config.collectives) choice.custom = "a2a";
  c.options.symmetry = symmetry;
  c.options.astra = astra;
  c.options.system = std::make_shared<ReplaySystem>(c.system);
  Diagnostics diagnostics;
  ReplayBuilder builder(NetworkConfig{.source = "switch", .dims = c.dims}, c.options, diagnostics);
  const auto tag = [&](Rank from, Rank distance) {
    return from * 100 + (twice && from % 2 == 0 && distance == 1 ? 2 : distance);
  };
  for (Rank r = 0; r < n; ++r) {
    Trace t = rank_trace(r);
    for (Rank d = 1; d < n; ++d) {
      const bool again = twice && d == 2;
      send(t, 2 * d, again ? (r + 1) % n : (r + d) % n, 1000, tag(r, d));
      const Rank from = (r + n - (again ? 1 : d)) % n;
      recv(t, 2 * d + 1, from, 1000, tag(from, d));
    }
    builder.add_custom("a2a", t);
  }
  for (Rank r = 0; r < n; ++r) {
    Trace t = rank_trace(r);
    comp(t, 0, 7);
    coll(t, 1, Collective::all_reduce, 6000, {0});
    coll(t, 2, Collective::all_reduce, 6000, {1});
    builder.add(t);
  }
  const auto program = builder.finish();
  if (!program) throw first_finding(diagnostics);
  return replay(*program);
}

TEST(Symmetry, TagsOfACustomAlgorithm) {
  for (const NetworkModel model : {NetworkModel::aware, NetworkModel::wires}) {
    for (const bool astra : {false, true}) {
      if (astra && model == NetworkModel::wires) continue;
      const ReplayResult with = run_custom(model, false, astra, true);
      EXPECT_EQ(with.status, ReplayStatus::complete);
      // With ASTRA-sim's rules, the second begins where the first ends, which might be in two steps elsewhere.
      EXPECT_EQ(with.classes, astra ? 0U : 1U) << name(model) << astra;
      expect_equal(with, run_custom(model, false, astra, false));
      const ReplayResult mixed = run_custom(model, true, astra, true);
      EXPECT_EQ(mixed.classes, 0U);
      expect_equal(mixed, run_custom(model, true, astra, false));
    }
  }
}

}  // namespace
}  // namespace convert::test
