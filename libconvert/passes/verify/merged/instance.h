// SPDX-License-Identifier: MIT
// Verifies one instance of an algorithm in a merged workload.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/algorithm/algorithm.h"
#include "core/diagnostic.h"
#include "passes/merge/chunk_flow.h"
#include "passes/verify/merged/calls.h"
#include "passes/verify/step_graph.h"

namespace convert {

// Holds an instance: all its places, in order.
struct InstanceOfRanks {
  struct Place {
    Rank rank = 0;
    const std::string* file = nullptr;
    NodeId first_node = 0;
    std::uint32_t program = no_index;
    MergedPart part{};
  };
  Collective collective = Collective::custom;
  const NumberLists* lists = nullptr;
  std::int32_t root = -1;  // place
  std::int64_t bytes = 0;
  std::vector<Place> places{};
  std::vector<std::pair<Rank, std::uint32_t>> by_rank{};  // sorted: the places, where they are not the ranks

  // Fills in by_rank. Call when all places are there.
  void index();
  // Writes what decides whether the instance computes its collective: equal for instances that differ only in ids,
  // sizes, and in tags and ranks as a whole. Returns false if it has messages with ranks outside its places.
  [[nodiscard]] bool key(std::vector<std::uint32_t>& out) const;
  [[nodiscard]] std::optional<std::uint32_t> place_of(Rank rank) const;
};

// Checks instances of one key.
class MergedInstance {
 public:
  // Proves what an instance computes. Reports errors that begin with `subject`; returns whether there were none.
  [[nodiscard]] static bool prove(const InstanceOfRanks& instance, const std::string& subject,
                                  Diagnostics& diagnostics);
  // Checks, likewise, that each message has the bytes of the chunks that it carries.
  [[nodiscard]] bool check_sizes(const InstanceOfRanks& instance, const std::string& subject,
                                 Diagnostics& diagnostics);

 private:
  void find_runs(const InstanceOfRanks& instance);

  bool followed_ = false;
  std::optional<StepChunks> chunks_;            // where sizes do not divide
  std::vector<std::vector<Range>> of_message_;  // by place and message: its runs
};

}  // namespace convert
