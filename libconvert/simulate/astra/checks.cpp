// SPDX-License-Identifier: MIT
#include "simulate/astra/checks.h"

#include <algorithm>

namespace convert {

AstraGaps gaps_of(const NetworkConfig& network, NetworkModel model) {
  AstraGaps gaps;
  const std::vector<NetworkDim>& dims = network.dims;
  if (model != NetworkModel::aware || dims.empty()) return gaps;
  if (dims.size() > 1) {
    gaps.add(AstraGap::several_dimensions);
  } else if (dims[0].topology == Topology::ring && dims[0].npus == 2) {
    gaps.add(AstraGap::ring_of_two);
  }
  return gaps;
}

bool has_unknown_to_statistics(const RankCode& code) {
  return std::any_of(code.ops.begin(), code.ops.end(), [](const Op& op) {
    const bool skipped_comp = op.type == OpType::invalid && op.slot == Slot::compute;
    return op.slot == Slot::cpu || op.type == OpType::memory || (op.type == OpType::invalid && !skipped_comp);
  });
}

}  // namespace convert
