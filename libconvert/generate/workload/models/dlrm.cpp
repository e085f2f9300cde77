// SPDX-License-Identifier: MIT
// Model of Naumov et al. 2019, as computed by facebookresearch/dlrm (dlrm_s_pytorch.py, interaction "dot").
#include "generate/workload/models/dlrm.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <ranges>
#include <string>
#include <utility>

#include "generate/workload/models/samples.h"

namespace convert {
namespace {

std::int64_t vectors_of(const DlrmShape& shape) { return std::ssize(shape.tables) + 1; }

// Returns the output width of the interaction: the products of all pairs, and the output of the bottom matrices.
std::int64_t interaction_width(const DlrmShape& shape) {
  const std::int64_t vectors = vectors_of(shape);
  return vectors * (vectors - 1) / 2 + shape.dim;
}

std::vector<WeightedLayer> matrices(const std::string& name, std::int64_t in,
                                    const std::vector<std::int64_t>& widths) {
  std::vector<WeightedLayer> layers;
  for (const std::int64_t out : widths) {
    layers.push_back(matrix_layer(name + std::to_string(layers.size() + 1), 1, in, out, true));
    in = out;
  }
  return layers;
}

std::vector<WeightedLayer> bottom_matrices(const DlrmShape& shape) {
  return matrices("bottom", shape.bottom.front(), {shape.bottom.begin() + 1, shape.bottom.end()});
}
std::vector<WeightedLayer> top_matrices(const DlrmShape& shape) {
  return matrices("top", interaction_width(shape), shape.top);
}

class DlrmMaker {
 public:
  DlrmMaker(const Workload& workload, const PlanGroups& groups)
      : w_(workload),
        shape_(workload.dlrm),
        columns_(shape_.dim / shape_.cuts(workload.plan.data, workload.plan.deal)),
        maker_(workload, groups),
        bottom_(bottom_matrices(shape_)),
        top_(top_matrices(shape_)) {
    for (const DealtTables& t : deal_tables(shape_, w_.plan.data, w_.plan.deal)) {
      tables_.push_back(t.count);
      maker_.nodes().body().place_parameters.push_back(t.rows * columns_);
    }
    if (std::ranges::adjacent_find(tables_, std::not_equal_to()) != tables_.end())
      maker_.nodes().body().loads.push_back(tables_);
  }

  StageBody make() {
    return maker_.run([this] { backward(forward()); });
  }

 private:
  // Elements of a table, or of a column shard, for the samples of a rank.
  [[nodiscard]] std::int64_t part() const { return w_.step.micro_batch * columns_; }

  // Adds a computation on the rank's tables for all samples, with `accesses` to each element.
  BodyIndex on_tables(std::string_view name, std::int64_t accesses, BodyIndex after) {
    const std::int64_t bytes = accesses * w_.step.activation_bytes * part();
    const double parts = real(tables_.front() * w_.plan.data);
    const BodyIndex i = maker_.nodes().compute(name, parts * real(part()), parts * real(bytes), {after});
    follow({.operations = part(), .bytes = bytes});
    return i;
  }
  // Sends results to the ranks of the samples, or gradients back. Both ends handle the tables' data for samples.
  BodyIndex exchange(BodyIndex after, bool back) {
    const std::int64_t bytes = w_.step.activation_bytes * part();
    const BodyIndex i = maker_.nodes().collective(Collective::all_to_all, tables_.front() * w_.plan.data * bytes,
                                                  GroupKind::data, after);
    if (i != after) follow({.bytes = bytes, .sends_own = back});
    return i;
  }
  void follow(const UnevenNode& tables) {
    if (!maker_.nodes().body().loads.empty()) maker_.nodes().follow(tables);
  }

  // Products of all pairs of a sample's vectors; in the backward pass, of the gradients with the vectors, from both
  // sides.
  BodyIndex interaction(bool backward, std::vector<BodyIndex> after) {
    const double vectors = real(vectors_of(shape_)), dim = real(shape_.dim);
    return maker_.nodes().multiply(backward ? "interaction_bwd" : "interaction",
                                   maker_.samples() * (backward ? 4 : 2) * vectors * vectors * dim,
                                   maker_.samples() * real(w_.step.activation_bytes) *
                                       ((backward ? 2 : 1) * vectors * dim + real(interaction_width(shape_))),
                                   std::move(after));
  }

  BodyIndex forward() {
    const BodyIndex looked_up = exchange(on_tables("embedding", 2, no_node), false);
    BodyIndex x = no_node;
    for (const WeightedLayer& layer : bottom_) x = maker_.forward(layer, {x});
    x = interaction(false, {looked_up, x});
    for (const WeightedLayer& layer : top_) x = maker_.forward(layer, {x});
    return maker_.loss(1, x);
  }

  void backward(BodyIndex x) {
    for (const WeightedLayer& layer : top_ | std::views::reverse) {
      const BodyIndex gradient = x;
      x = maker_.input_gradient(layer, {gradient});
      maker_.weight_gradients(layer, {gradient});
    }
    const BodyIndex interacted = x = interaction(true, {x});
    const BodyIndex of_tables = exchange(interacted, true);
    for (const WeightedLayer& layer : bottom_ | std::views::reverse) {
      const BodyIndex gradient = x;
      if (&layer != &bottom_.front()) x = maker_.input_gradient(layer, {gradient});
      maker_.weight_gradients(layer, {gradient});
    }
    on_tables("embedding_update", 3, of_tables);
  }

  const Workload& w_;
  const DlrmShape& shape_;
  std::int64_t columns_;  // of a table, or of each column shard
  SampleMaker maker_;
  std::vector<WeightedLayer> bottom_, top_;
  std::vector<std::int64_t> tables_;  // of each rank
};

}  // namespace

StageBody make_dlrm(const Workload& workload, const PlanGroups& groups) {
  return DlrmMaker(workload, groups).make();
}

std::int64_t parameters_of(const DlrmShape& shape) {
  std::int64_t sum = 0;
  for (const std::int64_t rows : shape.tables) sum += rows * shape.dim;
  for (const auto& layers : {bottom_matrices(shape), top_matrices(shape)}) {
    for (const WeightedLayer& layer : layers) sum += layer.parameters();
  }
  return sum;
}

std::vector<DealtTables> deal_tables(const DlrmShape& shape, std::int64_t ranks, Deal deal) {
  std::vector<DealtTables> dealt(static_cast<std::size_t>(ranks));
  const std::int64_t cuts = shape.cuts(ranks, deal);
  std::vector<std::int64_t> tables;
  for (std::int64_t i = 0; i < cuts; ++i) tables.insert(tables.end(), shape.tables.begin(), shape.tables.end());
  const std::int64_t most = deal == Deal::count ? std::ssize(tables) / ranks : std::ssize(tables);
  std::ranges::sort(tables, std::greater());
  using Load = std::pair<std::int64_t, std::size_t>;  // rows, rank
  std::vector<Load> none(dealt.size());
  for (std::size_t rank = 0; rank < none.size(); ++rank) none[rank].second = rank;
  std::priority_queue<Load, std::vector<Load>, std::greater<>> loads(std::greater<>(), std::move(none));
  for (const std::int64_t rows : tables) {
    const auto [before, rank] = loads.top();
    loads.pop();
    dealt[rank].rows = before + rows;
    if (++dealt[rank].count < most) loads.emplace(before + rows, rank);
  }
  return dealt;
}

}  // namespace convert
