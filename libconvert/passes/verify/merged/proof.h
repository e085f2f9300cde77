// SPDX-License-Identifier: MIT
// Proves or refutes every collective of a merged workload, instance by instance: that the nodes which et-merge put
// in its place compute it, with all of its bytes. Instances that are alike but for ids, tags and sizes are proved
// once.
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
    std::uint64_t other_nodes = 0;  // of no merged collective
  };

  MergedProof();
  ~MergedProof();
  // Ranks in any order.
  void add(MergedCalls&& rank);
  // `groups` may be null; `collective`: instead of what the nodes were. What is not proved is an error with the
  // collective's name, by the rules of verify() or rule provenance.
  [[nodiscard]] Counts run(const GroupLists* groups, std::optional<Collective> collective,
                           Diagnostics& diagnostics);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace convert
