// SPDX-License-Identifier: MIT
#include "core/master/builder.h"

#include <utility>

namespace convert {

void MasterBuilder::begin_rank(Rank rank, const Metadata& metadata) {
  rank_ = rank;
  metadata_ = {};
  nodes_ = {};
  packer_.metadata(metadata, metadata_);
}

std::uint32_t MasterBuilder::find_class() {
  std::uint64_t hash = metadata_.shapes[0];
  for (const std::uint32_t s : nodes_.shapes) hash = (hash ^ s) * 0x9e3779b97f4a7c15U + (hash >> 32U);
  const auto [begin, end] = by_hash_.equal_range(hash);
  for (auto at = begin; at != end; ++at) {
    const RankClass& c = set_.classes[at->second];
    if (c.metadata_shape == metadata_.shapes[0] && c.shapes == nodes_.shapes) return at->second;
  }
  const auto found = static_cast<std::uint32_t>(set_.classes.size());
  by_hash_.emplace(hash, found);
  RankClass& c = set_.classes.emplace_back();
  c.metadata_shape = metadata_.shapes[0];
  c.shapes = std::move(nodes_.shapes);
  differences_.push_back(
      {DifferenceFinder(std::move(metadata_.values)), DifferenceFinder(std::move(nodes_.values))});
  return found;
}

void MasterBuilder::end_rank() {
  const std::size_t known = set_.classes.size();
  const std::uint32_t c = find_class();
  if (c < known) {
    differences_[c].metadata.add(metadata_.values);
    differences_[c].nodes.add(nodes_.values);
  }
  set_.classes[c].ranks.add(rank_);
  set_.add_to_order(c, 1);
}

MasterSet MasterBuilder::finish() {
  for (std::size_t c = 0; c < set_.classes.size(); ++c) {
    set_.classes[c].metadata = differences_[c].metadata.finish();
    set_.classes[c].values = differences_[c].nodes.finish();
  }
  return std::move(set_);
}

}  // namespace convert
