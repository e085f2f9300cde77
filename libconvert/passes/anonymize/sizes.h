// SPDX-License-Identifier: MIT
// Changes all sizes of a set by the same function, so that the ranks of a call still agree.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "core/trace.h"
#include "passes/anonymize/options.h"

namespace convert {

// Kind of a size: comm_size of a comm_type or of messages, a split of an all-to-all, comm_bytes_out of a comm_type
// or of messages, or bytes of a tensor.
using SizeOwner = std::uint16_t;
inline constexpr SizeOwner message_size = 254;
inline constexpr SizeOwner split_size = 255;
inline constexpr SizeOwner bytes_out_bit = 256;
inline constexpr SizeOwner tensor_owner = 512;
// Returns the kind of comm_size of a communication node.
[[nodiscard]] SizeOwner size_owner(const NodeTable& table, const Node& node);
// Returns a description of the kind, such as "comm_bytes_out of all_gather".
[[nodiscard]] std::string describe(SizeOwner owner);

// Number of nodes with each size, and with any size in a range of sizes of one kind.
class SizeCounts {
 public:
  using Size = std::pair<SizeOwner, std::int64_t>;
  // Adds `nodes` nodes that have only this size.
  void add(SizeOwner owner, std::int64_t size, std::uint64_t nodes) { counts_[{owner, size}] += nodes; }
  // Adds a node by its distinct sizes.
  void add_node(const std::set<Size>& sizes);
  void add(const SizeCounts& other);
  // Adds a comm_size that is also the size of a tensor of the same node.
  void add_transferred(SizeOwner owner, std::int64_t size) { transferred_.insert({owner, size}); }
  [[nodiscard]] const std::map<Size, std::uint64_t>& all() const { return counts_; }
  // Returns the number of nodes that have `size` and no smaller size of the same kind that is at least `least`.
  [[nodiscard]] std::uint64_t first_of(const Size& size, std::int64_t least) const;
  [[nodiscard]] const std::set<Size>& transferred() const { return transferred_; }

 private:
  std::map<Size, std::uint64_t> counts_;
  // number of nodes by a size and their next smaller size
  std::map<std::pair<Size, std::int64_t>, std::uint64_t> next_below_;
  std::set<Size> transferred_;
};

// Returns the bytes of tensor `at` (from 0) in a list of names and bytes, or nullopt if they are not a number.
[[nodiscard]] std::optional<std::int64_t> listed_bytes(const NodeTable& table, const Attr& list, std::uint32_t at);

class SizeRule {
 public:
  explicit SizeRule(const AnonymizeOptions& options)
      : rounding_(options.sizes), scale_(options.scale), least_uses_(options.least_uses) {}

  // Counts the sizes of the nodes after scaling and rounding.
  void count(const NodeTable& nodes, SizeCounts& counts) const;
  // Decides which sizes are raised, by the counts of the whole set.
  void merge(const SizeCounts& counts);
  // Returns the kinds whose nodes are fewer than must share each size, with the number of nodes.
  [[nodiscard]] const std::map<SizeOwner, std::uint64_t>& few() const { return few_; }

  // Returns a positive size scaled and rounded up. Other values are returned unchanged.
  [[nodiscard]] std::int64_t changed(std::int64_t size) const;
  // Returns the changed bytes of a tensor, from tensor_size or from a list.
  [[nodiscard]] std::int64_t of_tensor(std::int64_t bytes) const { return of_call(tensor_owner, bytes); }
  // Changes all sizes of a node. A size that was the sum of the splits stays their sum.
  void change(NodeTable& nodes, const Node& node) const;

 private:
  [[nodiscard]] std::int64_t of_call(SizeOwner owner, std::int64_t size) const;
  std::int64_t change_list(NodeTable& nodes, const Attr& list) const;
  void count_tensors(const NodeTable& nodes, const Node& node, std::set<SizeCounts::Size>& sizes,
                     SizeCounts& counts) const;
  void count_communication(const NodeTable& nodes, const Node& node, std::set<SizeCounts::Size>& sizes) const;

  SizeRounding rounding_;
  double scale_;
  std::uint64_t least_uses_;
  std::map<SizeCounts::Size, std::int64_t> merged_;
  std::map<SizeOwner, std::uint64_t> few_;
};

}  // namespace convert
