// SPDX-License-Identifier: MIT
// Random small workloads, networks and systems that complete, for tests of properties of all replays.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "common/findings.h"
#include "common/replay_traces.h"
#include "simulate/engine/replay.h"
#include "unit/simulate/traces.h"

namespace convert::test {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  // In [low, high]; the same numbers with every standard library.
  std::int64_t in(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(high - low + 1));
  }
  bool once_in(std::int64_t n) { return in(1, n) == 1; }
  template <typename T>
  T of(std::initializer_list<T> all) {
    return *(all.begin() + in(0, static_cast<std::int64_t>(all.size()) - 1));
  }

 private:
  std::mt19937_64 engine_;
};

// Work of all ranks. Items of a layer are ready at the same time on a rank, after all its work in the preceding
// layers; so all ranks call collectives in the same order.
struct Item {
  enum class Kind : std::uint8_t { comp, collective, message };
  Kind kind = Kind::comp;
  int layer = 0;
  std::vector<std::int64_t> us{};  // comp: by rank; negative: the rank has none
  Collective type = Collective::all_reduce;
  std::int64_t bytes = 0;
  std::size_t group = 0;     // index + 1 into RandomCase::groups; 0: all ranks
  std::uint32_t dims = ~0U;  // bits of involved_dim
  Rank from = 0;
  Rank to = 0;
};

struct RandomCase {
  std::vector<NetworkDim> dims{};
  std::vector<std::vector<Rank>> groups{};
  std::vector<Item> items{};
  ReplaySystem system{};
  ReplayOptions options{};
  Rank idle = 0;  // number of NPUs at the end that do nothing

  [[nodiscard]] Rank npus() const {
    std::int64_t n = 1;
    for (const NetworkDim& d : dims) n *= d.npus;
    return static_cast<Rank>(n);
  }
};

// Which cases to make.
struct Wanted {
  std::vector<Topology> topologies{Topology::ring, Topology::fully_connected, Topology::switched, Topology::mesh};
  std::vector<NetworkModel> models{NetworkModel::unaware, NetworkModel::aware, NetworkModel::wires};
  std::size_t max_dims = 3;
  bool comps = true;
  bool messages = true;
  bool groups = true;
  bool whole = true;         // collectives of all ranks
  bool overheads = true;     // latency, endpoint delay, reductions that cost time
  bool rounds_only = false;  // ring and direct, which are equal for all members
  bool rings_only = false;
  bool one_by_one = false;  // one item per layer
  bool exact_ns = false;    // all delays of links are whole ns, also with 4 times the bandwidth
};

class CaseMaker {
 public:
  CaseMaker(std::uint64_t seed, Wanted wanted) : random_(seed), w_(std::move(wanted)) {}

  RandomCase make() {
    make_network();
    if (w_.groups && c_.npus() > 2) make_groups();
    make_system();
    const std::int64_t layers = random_.in(1, 4);
    for (int layer = 0; layer < layers; ++layer) {
      const std::int64_t count = w_.one_by_one ? 1 : random_.in(1, w_.whole || w_.groups ? 3 : 9);
      for (std::int64_t i = 0; i < count; ++i) add_item(layer);
    }
    return std::move(c_);
  }

 private:
  template <typename T>
  T any(const std::vector<T>& all) {
    return all[static_cast<std::size_t>(random_.in(0, static_cast<std::int64_t>(all.size()) - 1))];
  }

  void make_network() {
    const std::int64_t count = random_.in(1, static_cast<std::int64_t>(w_.max_dims));
    for (std::int64_t d = 0; d < count; ++d) {
      NetworkDim dim{.topology = any(w_.topologies)};
      dim.npus = count == 1 ? random_.in(2, 9) : count == 2 ? random_.in(2, 5) : random_.in(2, 4);
      dim.bytes_per_ns = w_.exact_ns ? random_.of({1.0, 2.0, 4.0}) : random_.of({1.0, 3.7, 53.6870912});
      dim.latency_ns = w_.overheads ? random_.of({0.0, 17.0, 500.0}) : 0;
      if (!w_.exact_ns && w_.overheads) dim.latency_ns += random_.of({0.0, 0.5});
      c_.dims.push_back(dim);
    }
    c_.options.network.model = any(w_.models);
    if (c_.options.network.model == NetworkModel::wires && random_.once_in(3))
      c_.options.network.routing = Routing::shortest;
    c_.options.issue = IssueMode::workload;
    c_.options.astra = random_.once_in(2);
  }

  void make_groups() {
    const std::int64_t count = random_.in(1, 3);
    for (std::int64_t g = 0; g < count; ++g) {
      std::vector<Rank> all(c_.npus());
      for (Rank r = 0; r < all.size(); ++r) all[r] = r;
      for (std::size_t i = all.size() - 1; i > 0; --i)
        std::swap(all[i], all[static_cast<std::size_t>(random_.in(0, static_cast<std::int64_t>(i)))]);
      all.resize(static_cast<std::size_t>(random_.in(2, static_cast<std::int64_t>(all.size()) - 1)));
      c_.groups.push_back(all);
    }
  }

  [[nodiscard]] bool powers_of_two() const {
    const auto is_one = [](std::int64_t n) { return std::has_single_bit(static_cast<std::uint64_t>(n)); };
    return std::all_of(c_.dims.begin(), c_.dims.end(), [&](const NetworkDim& d) { return is_one(d.npus); }) &&
           std::all_of(c_.groups.begin(), c_.groups.end(),
                       [&](const auto& g) { return is_one(static_cast<std::int64_t>(g.size())); });
  }

  AlgorithmChoice algorithm(Collective op) {
    AlgorithmChoice choice;
    if (w_.rings_only) return choice;
    if (!w_.rounds_only && op != Collective::all_to_all && powers_of_two() && random_.once_in(2)) {
      choice.algorithm = NativeAlgorithm::halving_doubling;
      const bool alone = c_.dims.size() == 1 && c_.groups.empty();
      if (alone && op == Collective::all_reduce && random_.once_in(2))
        choice.algorithm = NativeAlgorithm::double_binary_tree;
    } else if (random_.once_in(2)) {
      choice.algorithm = NativeAlgorithm::direct;
      if (random_.once_in(2)) choice.window = static_cast<std::uint32_t>(random_.in(1, 4));
    }
    return choice;
  }

  void make_system() {
    SystemConfig& s = c_.system.config;
    s.source = "random system";
    (void)random_.once_in(2);  // keeps the cases of the seeds as they are
    s.optimization = random_.of({CollectiveOptimization::baseline, CollectiveOptimization::local_bw_aware});
    s.endpoint_delay_ns = w_.overheads ? random_.in(1, 50) : 0;
    s.endpoint_delay_given = true;
    s.active_chunks_per_dimension = random_.in(1, 4);
    s.dataset_splits = random_.of<std::int64_t>({1, 2, 4});
    s.local_mem_bytes_per_s = w_.overheads && random_.once_in(2) ? 100e9 : 0;
    c_.system.queues_per_dim = static_cast<std::uint32_t>(random_.in(1, 4));
    c_.system.rendezvous = random_.once_in(6);
    for (const Collective op : listed_collectives) {
      for (std::size_t d = 0; d < c_.dims.size(); ++d)
        s.collectives.at(listed_place(op)).per_dim.push_back(algorithm(op));
    }
    for (std::size_t g = 0; g < c_.groups.size(); ++g)
      c_.system.groups.push_back({.id = static_cast<std::int64_t>(g) + 1, .ranks = c_.groups[g]});
  }

  // Divisible so that all messages take whole ns, at any of the bandwidths and at four times these.
  std::int64_t some_bytes() {
    if (!w_.exact_ns) return random_.in(2'000, 200'000);
    std::int64_t unit = *c_.system.config.dataset_splits * 16;
    for (const NetworkDim& d : c_.dims) unit *= d.npus;
    for (const auto& g : c_.groups) unit *= static_cast<std::int64_t>(g.size());
    return unit * random_.in(1, 9);
  }

  void add_item(int layer) {
    Item item{.layer = layer};
    const bool collectives = w_.whole || !c_.groups.empty();
    const std::int64_t kind = random_.in(1, 4);
    if (kind == 1 && w_.comps) {
      for (Rank r = 0; r < c_.npus(); ++r) item.us.push_back(random_.in(-3, 40));
    } else if ((kind == 2 || !collectives) && w_.messages) {
      item.kind = Item::Kind::message;
      item.from = static_cast<Rank>(random_.in(0, c_.npus() - 1));
      item.to = (item.from + static_cast<Rank>(random_.in(1, c_.npus() - 1))) % c_.npus();
      item.bytes = w_.exact_ns ? 16 * random_.in(1, 5'000) : random_.in(1, 50'000);
    } else if (collectives) {
      item.kind = Item::Kind::collective;
      item.type = random_.of(
          {Collective::all_reduce, Collective::all_gather, Collective::all_to_all, Collective::reduce_scatter});
      item.bytes = some_bytes();
      if (!c_.groups.empty() && (!w_.whole || random_.once_in(2)))
        item.group = static_cast<std::size_t>(random_.in(1, static_cast<std::int64_t>(c_.groups.size())));
      const std::uint32_t all = (1U << c_.dims.size()) - 1;
      if (random_.once_in(3)) item.dims = static_cast<std::uint32_t>(random_.in(1, all));
    } else {
      return;
    }
    c_.items.push_back(std::move(item));
  }

  Random random_;
  Wanted w_;
  RandomCase c_{};
};

inline void add_rank_node(Trace& t, const RandomCase& c, std::size_t index, Rank rank,
                          const std::vector<NodeId>& parents) {
  const Item& item = c.items[index];
  const NodeType type = item.kind == Item::Kind::comp         ? NodeType::comp
                        : item.kind == Item::Kind::collective ? NodeType::comm_coll
                        : rank == item.from                   ? NodeType::comm_send
                                                              : NodeType::comm_recv;
  t.nodes.add_node(index, type, "n" + std::to_string(index));
  for (const NodeId p : parents) t.nodes.add_data_dep(p);
  if (type == NodeType::comp) {
    t.nodes.nodes.back().duration_us = static_cast<std::uint64_t>(item.us[rank]);
    t.nodes.add_bool(attr::is_cpu_op, item.us[rank] % 3 == 0);
  } else {
    t.nodes.add_int(attr::comm_size, Kind::int64_val, item.bytes);
  }
  if (type == NodeType::comm_send) t.nodes.add_int(attr::comm_dst, Kind::int32_val, item.to);
  if (type == NodeType::comm_recv) t.nodes.add_int(attr::comm_src, Kind::int32_val, item.from);
  if (item.kind == Item::Kind::message) t.nodes.add_int(attr::comm_tag, Kind::int32_val, 7);
  if (item.kind == Item::Kind::collective) {
    t.nodes.add_int(attr::comm_type, Kind::int64_val, static_cast<std::int64_t>(item.type));
    if (item.group != 0) t.nodes.add_string(attr::pg_name, std::to_string(item.group));
    std::vector<std::int64_t> dims;
    for (std::size_t d = 0; d < c.dims.size(); ++d) dims.push_back(item.dims >> d & 1U);
    t.nodes.add_ints(attr::involved_dim, Kind::bool_list, dims);
  }
  t.nodes.end_node();
}

inline bool takes_part(const RandomCase& c, const Item& item, Rank rank) {
  if (item.kind == Item::Kind::comp) return rank < item.us.size() && item.us[rank] >= 0;
  if (item.kind == Item::Kind::message) return rank == item.from || rank == item.to;
  if (item.group == 0) return true;
  const auto& group = c.groups[item.group - 1];
  return std::find(group.begin(), group.end(), rank) != group.end();
}

inline Trace trace_of(const RandomCase& c, Rank rank) {
  Trace t = rank_trace(rank);
  std::vector<NodeId> before;
  std::vector<NodeId> now;
  int layer = 0;
  for (std::size_t i = 0; i < c.items.size(); ++i) {
    if (!takes_part(c, c.items[i], rank)) continue;
    if (c.items[i].layer != layer && !now.empty()) before = std::exchange(now, {});
    layer = c.items[i].layer;
    add_rank_node(t, c, i, rank, before);
    now.push_back(i);
  }
  return t;
}

inline ReplayResult run(const RandomCase& c) {
  ReplayOptions options = c.options;
  options.system = std::make_shared<ReplaySystem>(c.system);
  std::vector<Trace> traces;
  for (Rank r = 0; r < c.npus(); ++r) traces.push_back(trace_of(c, r));
  Diagnostics diagnostics;
  auto result =
      test::replay_traces(traces, NetworkConfig{.source = "random network", .dims = c.dims}, options, diagnostics);
  if (!result) throw first_finding(diagnostics);
  return std::move(*result);
}

inline std::string describe(const RandomCase& c) {
  std::string text = std::string(name(c.options.network.model)) + (c.options.astra ? ", astra" : ", none") +
                     (c.options.network.routing ? ", routed" : "") + (c.system.rendezvous ? ", rendezvous" : "");
  for (const NetworkDim& d : c.dims)
    text += "; " + std::string(name(d.topology)) + ":" + std::to_string(d.npus) +
            ",bw=" + std::to_string(d.bytes_per_ns) + ",lat=" + std::to_string(d.latency_ns);
  const SystemConfig& s = c.system.config;
  text += "; splits " + std::to_string(*s.dataset_splits) + ", active " +
          std::to_string(s.active_chunks_per_dimension) + ", queues " + std::to_string(c.system.queues_per_dim) +
          ", endpoint " + std::to_string(s.endpoint_delay_ns) + ", optimization " +
          std::to_string(static_cast<int>(*s.optimization)) + ", mem " + std::to_string(s.local_mem_bytes_per_s);
  for (const CollectiveChoice& choice : s.collectives) {
    text += "; algorithms";
    for (const AlgorithmChoice& a : choice.per_dim)
      text += " " + std::to_string(static_cast<int>(a.algorithm)) +
              (a.window ? "w" + std::to_string(*a.window) : std::string{});
  }
  for (const auto& group : c.groups) {
    text += "; group";
    for (const Rank r : group) text += " " + std::to_string(r);
  }
  for (const Item& i : c.items) {
    text += "\n  layer " + std::to_string(i.layer);
    if (i.kind == Item::Kind::comp) {
      text += " comp";
      for (const std::int64_t us : i.us) text += " " + std::to_string(us);
    } else if (i.kind == Item::Kind::message) {
      text += " message " + std::to_string(i.from) + " to " + std::to_string(i.to) + ", " + std::to_string(i.bytes);
    } else {
      text += " collective " + std::to_string(static_cast<int>(i.type)) + ", " + std::to_string(i.bytes) +
              " bytes, group " + std::to_string(i.group) + ", dims " + std::to_string(i.dims);
    }
  }
  return text;
}

// All results of a replay for an NPU; the first nine are times.
using NpuNumbers = std::array<std::int64_t, 13>;

inline NpuNumbers npu_numbers(const NpuResult& n) {
  return {n.finish_ps.value_or(-1),
          n.exposed_communication_ps,
          n.compute_ps,
          n.times.compute,
          n.times.communication,
          n.times.overlap,
          n.times.memory,
          n.times.cpu,
          n.times.busy,
          static_cast<std::int64_t>(n.sends),
          n.bytes_sent,
          static_cast<std::int64_t>(n.nodes),
          static_cast<std::int64_t>(n.nodes_done)};
}

}  // namespace convert::test
