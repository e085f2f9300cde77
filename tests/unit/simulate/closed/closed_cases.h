// SPDX-License-Identifier: MIT
// Random work that is equal on all ranks of a group, on networks with many coinciding events: for tests of results
// from representatives.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/findings.h"
#include "simulate/report/report.h"
#include "unit/simulate/random_cases.h"

namespace convert::test {

struct ClosedCase {
  // Work of all ranks.
  struct Node {
    NodeType type = NodeType::comp;
    std::int64_t value = 0;  // us or bytes
    std::int64_t late = 0;   // additional µs for every second rank at this distance
    Rank apart = 1;
    Rank shift = 0;  // to the peer
    Collective op = Collective::all_reduce;
    std::size_t partition = 0;  // index + 1 of the groups; 0: all ranks
    std::uint32_t dims = ~0U;   // of all ranks
    std::vector<NodeId> parents{};
  };
  std::vector<NetworkDim> dims{};
  std::vector<std::vector<std::vector<Rank>>> partitions{};  // groups
  std::vector<Node> nodes{};
  ReplaySystem system{};
  ReplayOptions options{};

  [[nodiscard]] Rank npus() const {
    std::int64_t n = 1;
    for (const NetworkDim& d : dims) n *= d.npus;
    return static_cast<Rank>(n);
  }
  [[nodiscard]] bool has_rings() const {
    return std::ranges::find(dims, Topology::ring, &NetworkDim::topology) != dims.end();
  }
};

class ClosedCaseMaker {
 public:
  // One in two is crowded: all messages take equally long, and little else takes time.
  explicit ClosedCaseMaker(std::uint64_t seed) : random_(seed), crowded_(random_.once_in(2)) {}

  ClosedCase make() {
    make_network();
    for (std::int64_t count = random_.in(crowded_ ? 1 : 0, crowded_ ? 5 : 3); count > 0; --count) make_partition();
    make_system();
    for (std::int64_t count = random_.in(1, crowded_ ? 12 : 9); count > 0; --count) add_work();
    return std::move(c_);
  }

 private:
  void make_network() {
    ReplayOptions& options = c_.options;
    NetworkOptions& network = options.network;
    const std::int64_t count = random_.of<std::int64_t>({1, 1, 1, 2, 2, 3});
    const double pace = random_.of({1.0, 2.0, 1.7});
    const bool alike = crowded_ || random_.once_in(2);
    const double latency = random_.of({0.0, 64.0, 500.0});
    for (std::int64_t d = 0; d < count; ++d) {
      NetworkDim dim{.topology = random_.of({Topology::switched, Topology::switched, Topology::ring,
                                             Topology::fully_connected, Topology::switched})};
      dim.npus = count == 1   ? random_.of<std::int64_t>({2, 3, 4, 6, 8, 8, 12, 16})
                 : count == 2 ? random_.of<std::int64_t>({2, 3, 4, 8})
                              : random_.of<std::int64_t>({2, 2, 3, 4});
      dim.bytes_per_ns = alike ? pace : random_.of({1.0, 2.0, 4.0, 3.3});
      dim.latency_ns = crowded_ ? latency : random_.of({0.0, 0.0, 1.0, 64.0, 500.0, 1024.0});
      c_.dims.push_back(dim);
    }
    network.model = random_.of({NetworkModel::unaware, NetworkModel::aware, NetworkModel::wires});
    options.astra = random_.once_in(2);
    if (network.model == NetworkModel::wires) {
      if (random_.once_in(3)) network.occupancy = Occupancy::alpha_beta;
      if (random_.once_in(2)) network.forwarding = random_.of({Forwarding::store, Forwarding::cut});
      if (random_.once_in(4)) network.routing = Routing::shortest;
    }
    network.watch_ports = network.model == NetworkModel::unaware && random_.once_in(2);
    options.issue = random_.of({IssueMode::workload, IssueMode::workload, IssueMode::unlimited});
    if (random_.once_in(3)) options.exact_up_to = 0;
  }
  void make_partition() {
    const Rank n = c_.npus();
    std::vector<std::pair<Rank, Rank>> all;  // stride and members
    for (Rank stride = 1; stride < n; ++stride) {
      for (Rank members = 2; stride * members <= n; ++members) {
        if (n % (stride * members) == 0) all.emplace_back(stride, members);
      }
    }
    const auto [stride, members] =
        all[static_cast<std::size_t>(random_.in(0, static_cast<std::int64_t>(all.size()) - 1))];
    std::vector<std::vector<Rank>>& groups = c_.partitions.emplace_back();
    for (Rank first = 0; first < n; ++first) {
      if (first / stride % members != 0) continue;
      std::vector<Rank>& group = groups.emplace_back();
      for (Rank i = 0; i < members; ++i) group.push_back(first + i * stride);
    }
  }
  AlgorithmChoice algorithm(Collective op) {
    AlgorithmChoice choice;
    if (random_.once_in(4)) choice.algorithm = NativeAlgorithm::direct;
    if (op != Collective::all_to_all && halves_ && random_.once_in(2))
      choice.algorithm = NativeAlgorithm::halving_doubling;
    return choice;
  }
  void make_system() {
    SystemConfig& s = c_.system.config;
    const auto is_power = [](std::size_t n) { return std::has_single_bit(n); };
    halves_ = is_power(c_.npus());
    for (const auto& groups : c_.partitions) halves_ = halves_ && is_power(groups.front().size());
    s.source = "system";
    s.optimization = random_.of({CollectiveOptimization::baseline, CollectiveOptimization::local_bw_aware});
    s.endpoint_delay_given = true;
    s.endpoint_delay_ns = random_.of<std::int64_t>({0, 1, 10, 64, 500});
    s.active_chunks_per_dimension = random_.of<std::int64_t>({1, 1, 2, 4});
    s.dataset_splits = random_.of<std::int64_t>({1, 1, 1, 2, 4, 16});
    s.local_mem_bytes_per_s = random_.of({0.0, 1e9, 64e9, 300e9});
    c_.system.queues_per_dim = static_cast<std::uint32_t>(random_.of({1, 1, 2, 4}));
    if (!c_.options.astra && random_.once_in(6)) c_.system.balanced = true;
    for (const Collective op : listed_collectives) {
      for (std::size_t d = 0; d < c_.dims.size(); ++d)
        s.collectives.at(listed_place(op)).per_dim.push_back(algorithm(op));
    }
    std::int64_t id = 0;
    for (const auto& groups : c_.partitions) {
      for (const std::vector<Rank>& group : groups) c_.system.groups.push_back({.id = ++id, .ranks = group});
    }
  }

  void add_work() {
    switch (random_.in(0, 7)) {
      case 0:
      case 1: {
        ClosedCase::Node n{.value = crowded_ ? random_.in(0, 1) : random_.of<std::int64_t>({0, 1, 2, 7})};
        if (random_.once_in(3)) {
          n.late = random_.of<std::int64_t>({1, 2, 5});
          n.apart = static_cast<Rank>(random_.in(1, std::max<std::int64_t>(c_.npus() / 2, 1)));
        }
        return add(n);
      }
      case 2:
        if (random_.once_in(2)) return add_messages();
        [[fallthrough]];
      default: return add_collective();
    }
  }
  void add_messages() {
    ClosedCase::Node n{.value = bytes() / c_.npus(), .shift = static_cast<Rank>(random_.in(1, c_.npus() - 1))};
    const bool send_first = random_.once_in(2);
    for (const bool sends : {send_first, !send_first}) {
      n.type = sends ? NodeType::comm_send : NodeType::comm_recv;
      add(n);
    }
  }
  void add_collective() {
    ClosedCase::Node n{.type = NodeType::comm_coll, .value = bytes()};
    n.op = random_.of(
        {Collective::all_reduce, Collective::all_gather, Collective::reduce_scatter, Collective::all_to_all});
    n.partition = static_cast<std::size_t>(random_.in(0, static_cast<std::int64_t>(c_.partitions.size())));
    if (n.partition == 0 && random_.once_in(3))
      n.dims = static_cast<std::uint32_t>(random_.in(1, (1 << c_.dims.size()) - 1));
    add(n);
  }
  std::int64_t bytes() {
    const std::int64_t unit = std::int64_t{64} * c_.npus();
    if (crowded_) return unit;
    return random_.once_in(5) ? random_.in(200, 5000) : unit * random_.of<std::int64_t>({1, 1, 2, 16, 48});
  }
  // Collectives of one partition are consecutive, otherwise groups might call them in different orders; other
  // collectives may overlap.
  void add(ClosedCase::Node n) {
    for (NodeId p = 0; p < c_.nodes.size(); ++p) {
      const ClosedCase::Node& other = c_.nodes[p];
      const bool both = n.type == NodeType::comm_coll && other.type == NodeType::comm_coll;
      const bool in_order = both && (n.partition == other.partition || c_.options.astra);
      if (in_order || random_.once_in(crowded_ ? 6 : 4)) n.parents.push_back(p);
    }
    c_.nodes.push_back(n);
  }

  Random random_;
  bool crowded_ = false;
  bool halves_ = false;
  ClosedCase c_{};
};

inline Trace trace_of(const ClosedCase& c, Rank rank) {
  Trace t = rank_trace(rank);
  const Rank npus = c.npus();
  for (NodeId id = 0; id < c.nodes.size(); ++id) {
    const ClosedCase::Node& n = c.nodes[id];
    t.nodes.add_node(id, n.type, "n");
    for (const NodeId p : n.parents) t.nodes.add_data_dep(p);
    if (n.type == NodeType::comp) {
      t.nodes.nodes.back().duration_us = static_cast<std::uint64_t>(n.value + rank / n.apart % 2 * n.late);
      t.nodes.add_bool(attr::is_cpu_op, false);
    } else {
      t.nodes.add_int(attr::comm_size, Kind::int64_val, n.value);
    }
    if (n.type == NodeType::comm_send) t.nodes.add_int(attr::comm_dst, Kind::int32_val, (rank + n.shift) % npus);
    if (n.type == NodeType::comm_recv)
      t.nodes.add_int(attr::comm_src, Kind::int32_val, (rank + npus - n.shift) % npus);
    if (n.shift != 0) t.nodes.add_int(attr::comm_tag, Kind::int32_val, 7);
    if (n.type == NodeType::comm_coll) {
      t.nodes.add_int(attr::comm_type, Kind::int64_val, static_cast<std::int64_t>(n.op));
      std::int64_t group = 0;
      for (std::size_t p = 0; n.partition != 0 && p < n.partition; ++p) {
        const auto& groups = c.partitions[p];
        if (p + 1 < n.partition) {
          group += static_cast<std::int64_t>(groups.size());
        } else {
          const auto own =
              std::ranges::find_if(groups, [&](const auto& g) { return std::ranges::find(g, rank) != g.end(); });
          group += own - groups.begin() + 1;
        }
      }
      if (group != 0) t.nodes.add_string(attr::pg_name, std::to_string(group));
      if (group == 0) {
        std::vector<std::int64_t> dims;
        for (std::size_t d = 0; d < c.dims.size(); ++d) dims.push_back(n.dims >> d & 1U);
        t.nodes.add_ints(attr::involved_dim, Kind::bool_list, dims);
      }
    }
    t.nodes.end_node();
  }
  return t;
}

struct ClosedOutcome {
  std::string text;  // all reported data except the method; or the error
  ReplayResult result{};
};

class ClosedReplay {
 public:
  explicit ClosedReplay(const ClosedCase& c) {
    ReplayOptions options = c.options;
    options.system = std::make_shared<ReplaySystem>(c.system);
    ReplayBuilder builder({.source = "network", .dims = c.dims}, options, diagnostics_);
    for (Rank r = 0; r < c.npus(); ++r) builder.add(trace_of(c, r));
    program_ = builder.finish();
  }
  [[nodiscard]] bool is_refused() const { return !program_; }
  [[nodiscard]] std::string why() const { return findings_text(diagnostics_); }
  [[nodiscard]] ClosedOutcome run(bool symmetry, bool whole_rings) {
    program_->options.symmetry = symmetry;
    program_->options.whole_rings = whole_rings;
    ClosedOutcome out;
    try {
      out.result = replay(*program_);
    } catch (const Error& e) {
      out.text = e.what();
      return out;
    }
    ReplayResult told = out.result;
    told.classes = 0;
    told.equivalence = nullptr;
    told.no_symmetry.clear();
    told.kinds = collective_kinds(*program_);
    told.error_bound_ps = 0;
    append_json(told, out.text);
    append_csv(told, out.text);
    append_csv(told, out.text, {.part = ReportPart::collectives});
    return out;
  }

 private:
  Diagnostics diagnostics_;
  std::optional<ReplayProgram> program_;
};

}  // namespace convert::test
