// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <utility>

#include "core/world_size.h"
#include "formats/astra_text/astra_text.h"

namespace convert {
namespace {

constexpr NodeId no_node = std::numeric_limits<NodeId>::max();

// Parts of a layer in a pass; each is a node or absent.
enum Part : std::size_t { fwd_comp, fwd_comm, ig_comp, ig_comm, wg_comp, wg_comm, parts };

// Parts of each layer in order: forward from the first to the last layer, then backward from the last to the first.
struct LayerOrder {
  std::span<const Part> forward;
  std::span<const Part> backward;
};

LayerOrder order_of(AstraKind kind) {
  static constexpr std::array micro = {wg_comm};
  static constexpr std::array compute = {fwd_comp};
  static constexpr std::array compute_and_send = {fwd_comp, fwd_comm};
  static constexpr std::array data = {wg_comp, wg_comm, ig_comp};
  static constexpr std::array model = {ig_comp, ig_comm, wg_comp};
  static constexpr std::array hybrid = {ig_comp, ig_comm, wg_comp, wg_comm};
  static constexpr std::array dlrm = {wg_comp, wg_comm, ig_comp, ig_comm};
  switch (kind) {
    case AstraKind::micro: return {micro, {}};
    case AstraKind::data: return {compute, data};
    case AstraKind::model: return {compute_and_send, model};
    case AstraKind::hybrid_data_model:
    case AstraKind::hybrid_model_data: return {compute_and_send, hybrid};
    case AstraKind::hybrid_dlrm: break;
  }
  return {compute_and_send, dlrm};
}

// Returns whether the weight gradients come first and the input gradients depend on them; otherwise vice versa.
bool weights_first(AstraKind kind) { return kind == AstraKind::data || kind == AstraKind::hybrid_dlrm; }

// Returns the layer that owns a node. In a DLRM, the layer after the last bottom layer sends the gradient of the
// first layer, the embedding.
std::size_t owner_of(const AstraWorkload& w, Part part, std::size_t layer) {
  return part == ig_comm && w.kind == AstraKind::hybrid_dlrm ? 0 : layer;
}

bool exists(const AstraWorkload& w, Part part, std::size_t layer) {
  switch (part) {
    case fwd_comm: return w.layers[layer].forward.runs;
    case ig_comp: return layer != 0 || !weights_first(w.kind);
    case ig_comm:
      if (w.kind != AstraKind::hybrid_dlrm) return w.layers[layer].input_gradient.runs;
      return layer == w.last_bottom_layer + 1 && w.layers[0].input_gradient.runs;
    case wg_comm: return w.layers[layer].weight_gradient.runs;
    default: return true;
  }
}

std::uint64_t nodes_per_pass(const AstraWorkload& w) {
  const LayerOrder order = order_of(w.kind);
  std::uint64_t nodes = 0;
  for (std::size_t layer = 0; layer < w.layers.size(); ++layer) {
    const auto is_there = [&](Part part) { return exists(w, part, layer); };
    nodes += static_cast<std::uint64_t>(std::ranges::count_if(order.forward, is_there));
    nodes += static_cast<std::uint64_t>(std::ranges::count_if(order.backward, is_there));
  }
  return nodes;
}

// Reads the ranks [first, last); creates their nodes on demand.
class AstraRankReader final : public TraceReader {
 public:
  AstraRankReader(const AstraWorkload& workload, const AstraOptions& options, std::uint64_t nodes_per_rank,
                  Rank first, Rank last)
      : w_(workload),
        options_(options),
        order_(order_of(workload.kind)),
        passes_(nodes_per_rank == 0 ? 0 : options.passes),
        nodes_per_rank_(nodes_per_rank),
        next_(first),
        last_(last) {}

  bool next_rank(Trace& out) override {
    if (next_ == last_) return false;
    out.rank = next_++;
    out.name = w_.file;
    out.nodes.clear();
    write_metadata(out.metadata);
    id_ = options_.compat ? out.rank * nodes_per_rank_ : 0;
    ids_.assign(w_.layers.size(), no_nodes());
    pass_ = 0;
    at_ = {};
    return true;
  }

  bool next_nodes(Trace& out, std::size_t max_nodes) override {
    out.nodes.clear();
    out.nodes.positions_are_lines = true;
    while (pass_ < passes_ && out.nodes.nodes.size() < max_nodes && out.nodes.text.size() < batch_bytes) {
      const auto list = at_.backward ? order_.backward : order_.forward;
      const std::size_t layer = at_.backward ? w_.layers.size() - 1 - at_.step : at_.step;
      if (exists(w_, list[at_.part], layer)) add(list[at_.part], layer, out.nodes);
      advance(list.size());
    }
    return !out.nodes.nodes.empty();
  }

 private:
  using Ids = std::array<NodeId, parts>;  // latest nodes of a layer
  static Ids no_nodes() {
    Ids ids{};
    ids.fill(no_node);
    return ids;
  }

  void advance(std::size_t list_size) {
    if (++at_.part < list_size) return;
    at_.part = 0;
    if (++at_.step < w_.layers.size()) return;
    at_.step = 0;
    at_.backward = !at_.backward && !order_.backward.empty();
    if (!at_.backward) ++pass_;
  }

  void write_metadata(Metadata& out) const {
    out = {};
    if (options_.compat) {
      out.table.add_string(attr::schema, "1.0.2-chakra.1.0.0");
      out.table.add_string(attr::input_file, w_.text);
    } else {
      out.version = schema_version;
      out.table.add_string(attr::schema, "1.0.2-chakra.0.0.4");
      set_world_size(out, options_.npus);
    }
  }

  void add(Part part, std::size_t layer, NodeTable& out) {
    const std::size_t owner = owner_of(w_, part, layer);
    const AstraLayer& l = w_.layers[owner];
    switch (part) {
      case fwd_comp: add_computation(l, "_FWD", l.forward_us, out); break;
      case ig_comp: add_computation(l, "_BWD_IG", l.input_gradient_us, out); break;
      case wg_comp: add_computation(l, "_BWD_WG", l.weight_gradient_us, out); break;
      case fwd_comm: add_collective(l, "_", l.forward, out); break;
      case wg_comm: add_collective(l, "_", l.weight_gradient, out); break;
      default:
        add_collective(l, w_.kind == AstraKind::hybrid_data_model ? "_IG_COMM__" : "_", l.input_gradient, out);
    }
    depend(part, layer, out);
    out.end_node();
    out.positions.push_back(l.line);
    ids_[owner][part] = id_++;
  }

  void add_computation(const AstraLayer& layer, std::string_view suffix, std::uint64_t us, NodeTable& out) {
    name_.assign("COMP_NODE_").append(layer.name).append(suffix);
    out.add_node(id_, NodeType::comp, name_).duration_us = us;
    if (!options_.compat) out.add_bool(attr::is_cpu_op, false);
  }

  void add_collective(const AstraLayer& layer, std::string_view infix, const AstraCollective& c, NodeTable& out) {
    name_.assign("COMM_COLL_NODE_").append(layer.name).append(infix).append(c.type_text);
    out.add_node(id_, NodeType::comm_coll, name_);
    if (!options_.compat) out.add_bool(attr::is_cpu_op, false);
    out.add_int(attr::comm_type, Kind::int64_val, static_cast<std::int64_t>(c.type));
    out.add_int(attr::comm_size, Kind::int64_val, c.bytes);
  }

  void depend_on(std::size_t layer, Part part, NodeTable& out) const {
    if (const NodeId id = ids_[layer][part]; id != no_node) out.add_data_dep(id);
  }
  // Makes the node wait for a collective, or for its computation if the collective is absent.
  void depend_on_end(std::size_t layer, Part computation, Part collective, NodeTable& out) const {
    depend_on(layer, ids_[layer][collective] != no_node ? collective : computation, out);
  }

  void depend(Part part, std::size_t layer, NodeTable& out) const {
    switch (part) {
      case fwd_comp: depend_forward(layer, out); break;
      case ig_comp: depend_input_gradient(layer, out); break;
      case wg_comp: depend_weight_gradient(layer, out); break;
      case fwd_comm: depend_on(layer, fwd_comp, out); break;
      case ig_comm: depend_on(layer, ig_comp, out); break;
      default: depend_on(layer, wg_comp, out);  // MICRO has no wg_comp
    }
  }

  // Makes the node wait for the previous layer and for the weights of the previous pass.
  void depend_forward(std::size_t layer, NodeTable& out) const {
    const bool weights_last = w_.kind == AstraKind::data || w_.kind == AstraKind::model;
    if (!weights_last) depend_on_end(layer, wg_comp, wg_comm, out);
    if (layer > 0) {
      if (w_.kind == AstraKind::hybrid_dlrm) {
        depend_on(layer - 1, fwd_comp, out);
        if (layer == w_.last_bottom_layer) depend_on(0, fwd_comm, out);
      } else {
        depend_on_end(layer - 1, fwd_comp, fwd_comm, out);
      }
    }
    if (weights_last) depend_on_end(layer, wg_comp, wg_comm, out);
  }

  void depend_input_gradient(std::size_t layer, NodeTable& out) const {
    if (weights_first(w_.kind)) {
      depend_on(layer, wg_comp, out);
    } else if (layer + 1 == w_.layers.size()) {
      depend_on_end(layer, fwd_comp, fwd_comm, out);
    } else {
      depend_on(layer + 1, wg_comp, out);
      depend_on(layer + 1, ig_comm, out);
    }
  }

  void depend_weight_gradient(std::size_t layer, NodeTable& out) const {
    if (!weights_first(w_.kind)) {
      depend_on(layer, ig_comp, out);
    } else if (layer + 1 == w_.layers.size()) {
      depend_on(layer, fwd_comp, out);
    } else {
      depend_on(layer + 1, ig_comp, out);
      if (w_.kind == AstraKind::hybrid_dlrm) depend_on(layer, ig_comm, out);  // layer 0 has one
    }
  }

  struct Place {
    bool backward = false;
    std::size_t step = 0;  // number of layers done in this direction
    std::size_t part = 0;  // index into the list in order_
  };

  const AstraWorkload& w_;
  const AstraOptions& options_;
  LayerOrder order_;
  std::uint64_t passes_;
  std::uint64_t nodes_per_rank_;
  Rank next_;
  Rank last_;
  NodeId id_ = 0;
  std::uint64_t pass_ = 0;
  Place at_;
  std::vector<Ids> ids_;
  std::string name_;
};

class AstraSet final : public DescribedSet {
 public:
  AstraSet(AstraWorkload workload, const AstraOptions& options)
      : workload_(std::move(workload)), options_(options) {
    std::uint64_t all = 0;
    if (__builtin_mul_overflow(nodes_per_pass(workload_), options_.passes, &nodes_per_rank_) ||
        __builtin_mul_overflow(nodes_per_rank_, std::uint64_t{options_.npus}, &all)) {
      throw usage_error("npus=" + std::to_string(options_.npus) + ",passes=" + std::to_string(options_.passes) +
                        ": the number of nodes exceeds 64-bit ids");
    }
  }

  [[nodiscard]] Rank ranks() const override { return options_.npus; }
  [[nodiscard]] std::unique_ptr<TraceReader> open(Rank first, Rank last) const override {
    return std::make_unique<AstraRankReader>(workload_, options_, nodes_per_rank_, first, last);
  }

 private:
  AstraWorkload workload_;
  AstraOptions options_;
  std::uint64_t nodes_per_rank_ = 0;
};

}  // namespace

std::unique_ptr<DescribedSet> make_astra_set(AstraWorkload workload, const AstraOptions& options) {
  return std::make_unique<AstraSet>(std::move(workload), options);
}

}  // namespace convert
