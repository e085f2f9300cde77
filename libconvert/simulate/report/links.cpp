// SPDX-License-Identifier: MIT
#include "simulate/report/links.h"

#include <algorithm>

namespace convert {

LinkFacts::LinkFacts(const NetworkConfig& network) {
  if (network.is_product()) {
    product_.emplace(network);
  } else if (!network.levels.empty()) {
    tree_.emplace(network);
  } else {
    for (const GraphWire& w : network.graph.wires) {
      const double latency_ns = static_cast<double>(w.latency_ps) / static_cast<double>(ps_per_ns);
      graph_.emplace(std::pair(w.from, w.to), Facts{-1, w.bytes_per_ns, latency_ns});
    }
  }
}

LinkFacts::Facts LinkFacts::of(Device from, Device to) const {
  const std::int32_t dim = dim_of(from, to);
  if (product_ && dim >= 0) {
    const ProductWires::Dim& d = product_->dims()[static_cast<std::size_t>(dim)];
    return {dim, d.bytes_per_ns, d.latency_ns};
  }
  if (tree_ && dim >= 0) {
    const TreeWires::Level& level = tree_->levels()[static_cast<std::size_t>(dim)];
    return {dim, level.bytes_per_ns, static_cast<double>(level.latency_ps) / static_cast<double>(ps_per_ns)};
  }
  const auto found = graph_.find({from, to});
  return found == graph_.end() ? Facts{} : found->second;
}

// Switches are numbered by dimension or level: a switch belongs to the last dimension or level that begins at or
// before it.
std::int32_t LinkFacts::dim_of(Device from, Device to) const {
  const Device device = std::max(from, to);
  std::int32_t dim = -1;
  if (tree_) {
    for (const TreeWires::Level& level : tree_->levels()) dim += level.first_switch <= device ? 1 : 0;
  } else if (product_ && device >= product_->npus()) {
    for (std::size_t d = 0; d < product_->dims().size(); ++d) {
      if (has_switch(product_->dims()[d].topology) && product_->dims()[d].first_switch <= device)
        dim = static_cast<std::int32_t>(d);
    }
  } else if (product_) {
    for (std::size_t d = 0; d < product_->dims().size(); ++d) {
      const ProductWires::Dim& other = product_->dims()[d];
      if (product_->coordinate(other, from) != product_->coordinate(other, to)) dim = static_cast<std::int32_t>(d);
    }
  }
  return dim;
}

}  // namespace convert
