// SPDX-License-Identifier: MIT
// Encodes the ranks of a class-compressed set; nodes that are equal in all ranks of a class are encoded once.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/master/master_set.h"
#include "formats/format.h"

namespace convert {

// For formats with nodes_apart. The set must outlive the encoder.
class ClassEncoder {
 public:
  ClassEncoder(const MasterSet& set, std::string file);

  // Appends a rank's nodes in the form of `writer`, which has begun the rank. Thread-safe.
  void nodes(Rank rank, TraceWriter& writer, std::string& out);

 private:
  // A node that differs between ranks.
  struct Varying {
    std::uint32_t node;
    std::uint32_t first_value;  // index of its values in the class
    std::uint32_t value_count;
    std::uint32_t first_rule, rules;  // index into values.varying
    std::uint32_t first_own, own;     // index into values.own
    NodeId before;                    // id of the previous node
    std::size_t bytes_before;         // size of Body::bytes before the node
  };
  struct Body {
    std::once_flag made;
    std::string bytes;  // of all nodes that are equal
    std::vector<Varying> varying;
  };
  void make(const RankClass& c, Body& body, TraceWriter& writer) const;

  const MasterSet& set_;
  std::string file_;
  std::vector<Body> bodies_;  // by class
  std::unordered_map<Rank, MasterSet::Place> places_;
};

}  // namespace convert
