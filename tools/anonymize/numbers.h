// SPDX-License-Identifier: MIT
// Measures what numbers reveal: unique values that survive, and the number of distinguishable things.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sets/set_source.h"

namespace tools {

// Number of occurrences of each value.
class Variety {
 public:
  void add(const std::string& value) { ++counts_[value]; }
  void add(const Variety& other);
  [[nodiscard]] std::uint64_t distinct() const { return counts_.size(); }
  // Returns the entropy of one occurrence, in bits.
  [[nodiscard]] double bits() const;

 private:
  std::map<std::string, std::uint64_t> counts_;
};

// Numbers of a set by attribute, and what can be distinguished in the set.
struct SetNumbers {
  std::map<std::string, std::map<std::uint64_t, std::uint64_t>> values{};
  Variety names{}, sizes{}, computations{};
  std::uint64_t nodes = 0;
  std::uint64_t mergeable = 0;  // nodes of chains, except the first of each

  void add(const convert::NodeTable& table);
  void add(const SetNumbers& other);
};

struct RareNumbers {
  std::uint64_t once = 0;                // values of exactly one node
  std::uint64_t survive = 0;             // unique values that are also in the output
  std::vector<std::uint64_t> largest{};  // largest surviving values, descending
};

struct LeftApart {
  std::uint64_t before = 0, after = 0;  // distinct values
  double bits_before = 0, bits_after = 0;
};

struct NumbersProof {
  std::map<std::string, RareNumbers> rare{};  // by attribute
  LeftApart names{}, sizes{}, computations{};
  std::uint64_t nodes_before = 0, nodes_after = 0;
  std::uint64_t mergeable_before = 0, mergeable_after = 0;
};

[[nodiscard]] NumbersProof compare_numbers(const SetNumbers& before, const SetNumbers& after);

}  // namespace tools
