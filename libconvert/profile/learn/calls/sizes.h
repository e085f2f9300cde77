// SPDX-License-Identifier: MIT
// Tells the sizes of communications, or hides those of fewer than k calls.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "profile/workload_profile.h"

namespace convert {

// Returns a class without what tells its size.
[[nodiscard]] ProfileClass without_size(ProfileClass c);

// A collective is one call, whatever the number of its ranks, and so is a message with both its ends. Classes are
// those that all ends of a call share.
class CallSizes {
 public:
  // Adds calls, and the nodes that they stand on.
  void add(const ProfileClass& shared, std::uint64_t calls, std::uint64_t nodes);
  // Ends adding; makes pools of the sizes that are too few: of all such that differ in nothing else; where these
  // are too few, of all calls that do; else of k calls of the type, or k collectives, those of the most similar
  // sizes.
  void settle(std::uint32_t k);

  [[nodiscard]] bool told(const ProfileClass& shared) const { return calls_.at(shared) >= k_; }
  // Returns the pool of a class whose size is not told, into pools(); no_index: it stands on fewer than k nodes,
  // whatever the size, or there are fewer than k calls like it.
  [[nodiscard]] std::uint32_t pool(const ProfileClass& shared) const;
  [[nodiscard]] const std::vector<std::vector<SizeCluster>>& pools() const { return pools_; }

 private:
  using Sizes = std::vector<std::int64_t>;
  using Type = std::pair<NodeType, std::int32_t>;  // with the type of collective
  [[nodiscard]] std::vector<SizeCluster> nearest(const Sizes& to, Sizes of) const;

  std::uint32_t k_ = 1;
  std::map<ProfileClass, std::uint64_t> calls_, nodes_;  // nodes by class without a size
  std::map<ProfileClass, std::uint32_t> pool_of_;        // by class without a size
  std::vector<std::vector<SizeCluster>> pools_;
};

}  // namespace convert
