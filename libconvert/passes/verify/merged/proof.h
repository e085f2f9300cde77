// SPDX-License-Identifier: MIT
// Proves or refutes for every collective of a merged workload that the nodes that replace it compute it, with all
// of its bytes. Instances that differ only in ids, tags and sizes are proved once.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "core/algorithm/algorithm.h"
#include "core/diagnostic.h"
#include "passes/validate.h"
#include "passes/verify/merged/calls.h"

namespace convert {

class MergedProof {
 public:
  struct Counts {
    std::uint64_t collectives = 0;
    std::uint64_t proved = 0;
    std::uint64_t other_nodes = 0;  // nodes outside merged collectives
  };

  MergedProof();
  ~MergedProof();
  // Adds a rank. Ranks may come in any order.
  void add(MergedCalls&& rank);
  // Proves all collectives. Reports each failure as an error with the collective's name, by the rules of verify()
  // or rule provenance. `groups` may be null. `collective`: prove this one instead of the original collective.
  [[nodiscard]] Counts run(const GroupLists* groups, std::optional<Collective> collective,
                           Diagnostics& diagnostics);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace convert
