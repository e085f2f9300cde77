// SPDX-License-Identifier: MIT
// One instance of an algorithm in a merged workload, as a program that can be verified.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/algorithm/algorithm.h"
#include "core/algorithm/chunk_bytes.h"
#include "core/diagnostic.h"
#include "passes/merge/chunk_flow.h"
#include "passes/verify/merged/calls.h"
#include "passes/verify/step_graph.h"

namespace convert {

// All of its places, in their order.
struct InstanceOfRanks {
  struct Place {
    Rank rank = 0;
    const std::string* file = nullptr;
    NodeId first_node = 0;
    std::uint32_t program = no_list;
    MergedPart part{};
  };
  Collective collective = Collective::custom;
  const NumberLists* lists = nullptr;
  std::int32_t root = -1;  // place
  std::int64_t bytes = 0;
  std::vector<Place> places{};
  std::vector<std::pair<Rank, std::uint32_t>> by_rank{};  // sorted: the places, where they are not the ranks

  // When all places are there.
  void index();
  // What decides whether it computes its collective: equal for instances that differ in ids, sizes, and tags and
  // ranks as a whole. False if it has messages with ranks that are none of its places.
  [[nodiscard]] bool key(std::vector<std::uint32_t>& out) const;
  [[nodiscard]] std::optional<std::uint32_t> place_of(Rank rank) const;
};

// Those of one key.
class MergedInstance {
 public:
  // Both report errors that begin with `subject`, and return whether there were none.
  [[nodiscard]] static bool prove(const InstanceOfRanks& instance, const std::string& subject,
                                  Diagnostics& diagnostics);
  // Each message has the bytes of the chunks that it carries.
  [[nodiscard]] bool check_sizes(const InstanceOfRanks& instance, const std::string& subject,
                                 Diagnostics& diagnostics);

 private:
  void find_runs(const InstanceOfRanks& instance);

  bool followed_ = false;
  std::optional<StepChunks> chunks_;            // where sizes do not divide
  std::vector<std::vector<Range>> of_message_;  // by place and message: its runs
};

}  // namespace convert
