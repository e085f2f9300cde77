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

// An instance: all members of its group (`places`), in order.
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
  std::int32_t root = -1;  // member number
  std::int64_t bytes = 0;
  std::vector<Place> places{};
  std::vector<std::pair<Rank, std::uint32_t>> by_rank{};  // sorted: the members, if member numbers are not ranks

  // Sets by_rank. Call when all members are added.
  void index();
  // Writes the key that decides whether the instance computes its collective: instances that differ only in ids,
  // sizes, and a common offset of tags or ranks have equal keys. Returns false if it has messages with ranks that
  // are not members.
  [[nodiscard]] bool key(std::vector<std::uint32_t>& out) const;
  [[nodiscard]] std::optional<std::uint32_t> place_of(Rank rank) const;
};

// Checks instances with the same key.
class MergedInstance {
 public:
  // Proves the result of an instance. Reports errors that begin with `subject`. Returns whether there were no
  // errors.
  [[nodiscard]] static bool prove(const InstanceOfRanks& instance, const std::string& subject,
                                  Diagnostics& diagnostics);
  // Checks that each message has the bytes of the chunks that it carries. Reports errors and returns like prove().
  [[nodiscard]] bool check_sizes(const InstanceOfRanks& instance, const std::string& subject,
                                 Diagnostics& diagnostics);

 private:
  void find_runs(const InstanceOfRanks& instance);

  bool followed_ = false;
  std::optional<StepChunks> chunks_;            // if sizes are not a multiple of the chunks
  std::vector<std::vector<Range>> of_message_;  // by member and message: its runs
};

}  // namespace convert
