// SPDX-License-Identifier: MIT
// Encodes the ranks of a set that is held by classes: the nodes that all ranks of a class share are encoded once.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/master/master_set.h"
#include "formats/format.h"

namespace convert {

// For formats of which nodes_apart is true. The set must outlive it.
class ClassEncoder {
 public:
  ClassEncoder(const MasterSet& set, std::string file);

  // Appends a rank's nodes as `writer`, which has begun it, does. Thread-safe.
  void nodes(Rank rank, TraceWriter& writer, std::string& out);

 private:
  // A node that is not the same in all ranks.
  struct Varying {
    std::uint32_t node;
    std::uint32_t first_value;  // its values in the class
    std::uint32_t value_count;
    std::uint32_t first_rule, rules;  // among those of values.varying
    std::uint32_t first_own, own;     // among those of values.own
    NodeId before;                    // id of the node before
    std::size_t bytes_before;         // of Body::bytes
  };
  struct Body {
    std::once_flag made;
    std::string bytes;  // of all nodes that do not vary
    std::vector<Varying> varying;
  };
  void make(const RankClass& c, Body& body, TraceWriter& writer) const;

  const MasterSet& set_;
  std::string file_;
  std::vector<Body> bodies_;  // by class
  std::unordered_map<Rank, MasterSet::Place> places_;
};

}  // namespace convert
