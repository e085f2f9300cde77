// SPDX-License-Identifier: MIT
// Changes the sizes of a set by one function for all of its nodes, so that the ranks of a call still agree.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "core/trace.h"
#include "passes/anonymize/options.h"

namespace convert {

// Says whose size it is: a comm_type, a message, or a part of what an all-to-all sends.
using SizeOwner = std::uint8_t;
inline constexpr SizeOwner message_size = 254;
inline constexpr SizeOwner split_size = 255;
// Returns whose the size of a node of communication is.
[[nodiscard]] SizeOwner size_owner(const NodeTable& table, const Node& node);

// Counts how often each size of communication occurs.
class SizeCounts {
 public:
  void add(SizeOwner owner, std::int64_t size, std::uint64_t uses) { counts_[{owner, size}] += uses; }
  void add(const SizeCounts& other) {
    for (const auto& [key, uses] : other.counts_) counts_[key] += uses;
  }
  [[nodiscard]] const std::map<std::pair<SizeOwner, std::int64_t>, std::uint64_t>& all() const { return counts_; }

 private:
  std::map<std::pair<SizeOwner, std::int64_t>, std::uint64_t> counts_;
};

class SizeRule {
 public:
  explicit SizeRule(const AnonymizeOptions& options)
      : rounding_(options.sizes), scale_(options.scale), least_uses_(options.least_uses) {}

  // Adds the sizes of the nodes to `counts`, as they are after scaling and rounding.
  void count(const NodeTable& nodes, SizeCounts& counts) const;
  // Decides which sizes become larger ones, by the counts of the whole set.
  void merge(const SizeCounts& counts);

  // Returns a size of computations, scaled and rounded up. What is no size stays.
  [[nodiscard]] std::int64_t changed(std::int64_t size) const;
  // Changes all sizes of a node. What is the sum of parts stays their sum.
  void change(NodeTable& nodes, const Node& node) const;

 private:
  [[nodiscard]] std::int64_t of_call(SizeOwner owner, std::int64_t size) const;
  std::int64_t change_list(NodeTable& nodes, const Attr& list) const;

  SizeRounding rounding_;
  double scale_;
  std::uint64_t least_uses_;
  std::map<std::pair<SizeOwner, std::int64_t>, std::int64_t> merged_;
};

}  // namespace convert
