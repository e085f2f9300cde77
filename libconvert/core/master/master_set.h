// SPDX-License-Identifier: MIT
// Class-compressed trace set: ranks that do the same are stored once. Ranks of a class agree node by node except
// for some values, which follow rules over the ranks. The idea is the master trace of "Chakra: Advancing
// Performance Benchmarking and Co-design using Standardized Execution Traces" (arXiv 2305.14516), section 4.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/master/number_runs.h"
#include "core/master/pack.h"
#include "core/master/rank_values.h"
#include "core/master/shapes.h"
#include "core/text_set.h"
#include "core/trace.h"

namespace convert {

// Ranks whose metadata have one shape, and whose nodes have the same shapes in the same order.
struct RankClass {
  NumberRuns ranks;  // by ordinal
  std::uint32_t metadata_shape = 0;
  RankValues metadata;
  std::vector<std::uint32_t> shapes;  // of the nodes
  RankValues values;                  // of the nodes, one node after the other
};

class MasterSet {
 public:
  TextSet texts;
  ShapeSet shapes;
  std::vector<RankClass> classes;
  std::string groups{};  // process groups as the text of a groups file; empty if there are none

  // Appends the next `count` ordinals of class `c` to the set's order.
  void add_to_order(std::uint32_t c, std::uint64_t count);

  // A rank of the set.
  struct Place {
    std::uint32_t of_class = 0;
    std::uint64_t ordinal = 0;
  };
  [[nodiscard]] std::uint64_t ranks() const { return ranks_; }
  // Returns the i-th rank in the set's order.
  [[nodiscard]] Place place(std::uint64_t i) const;
  [[nodiscard]] Rank rank(const Place& p) const { return static_cast<Rank>(classes[p.of_class].ranks[p.ordinal]); }
  [[nodiscard]] std::uint64_t node_count() const;  // of all ranks

  // Ranks of one class that are consecutive in the set's order.
  struct Stretch {
    std::uint32_t of_class = 0;
    std::uint64_t first_ordinal = 0;
    std::uint64_t first_place = 0;
  };
  [[nodiscard]] const std::vector<Stretch>& order() const { return order_; }

  // Returns the name of a rank in messages.
  [[nodiscard]] static std::string name_of(Rank rank, const std::string& file) {
    return file + " rank " + std::to_string(rank);
  }
  // Return a rank's trace without nodes, and append its nodes. Messages name the file and the rank. Throw
  // Error(input) [master] if a value is invalid in a trace.
  [[nodiscard]] Trace head(const Place& p, const std::string& file) const;
  void nodes(const Place& p, const std::string& file, NodeTable& to) const;

  // Changes the metadata of each rank. Metadata of one shape must have one shape afterwards.
  void edit_metadata(const std::function<void(Metadata&)>& edit);

 private:
  std::vector<Stretch> order_;
  std::vector<std::uint64_t> taken_;  // by class: number of its ordinals in the order
  std::uint64_t ranks_ = 0;
};

// Returns where the values of each node of a class begin, and where the values of the last node end.
[[nodiscard]] std::vector<std::uint32_t> node_begins(const RankClass& c, const ShapeSet& shapes);

}  // namespace convert
