// SPDX-License-Identifier: MIT
// Collects a trace set rank by rank, and finds its rank classes.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "core/master/master_set.h"

namespace convert {

class MasterBuilder {
 public:
  void begin_rank(Rank rank, const Metadata& metadata);
  void nodes(const NodeTable& batch) { packer_.nodes(batch, nodes_); }
  void end_rank();
  [[nodiscard]] MasterSet finish();

 private:
  [[nodiscard]] std::uint32_t find_class();

  MasterSet set_;
  Packer packer_{set_.texts, set_.shapes};
  Rank rank_ = 0;
  PackedTrace metadata_, nodes_;  // of the last rank begun
  struct Differences {
    DifferenceFinder metadata, nodes;
  };
  std::vector<Differences> differences_;  // by class
  std::unordered_multimap<std::uint64_t, std::uint32_t> by_hash_;
};

}  // namespace convert
