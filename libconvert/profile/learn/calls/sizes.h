// SPDX-License-Identifier: MIT
// Sizes of communications; sizes with fewer than k calls are hidden in pools.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "profile/workload_profile.h"

namespace convert {

// Returns a class without its sizes.
[[nodiscard]] ProfileClass without_size(ProfileClass c);

// A collective is one call independent of its number of ranks, and so is a message with both ends. Classes contain
// only properties that all ends of a call share.
class CallSizes {
 public:
  // Adds calls, and the number of their nodes.
  void add(const ProfileClass& shared, std::uint64_t calls, std::uint64_t nodes);
  // Ends adding and makes pools for sizes with fewer than k calls. A pool takes the rare sizes of classes that
  // differ only in size; if these are too few, all sizes of these classes. If these are too few as well, it takes
  // the k most similar sizes of the type, or of all collectives.
  void settle(std::uint32_t k);

  [[nodiscard]] bool told(const ProfileClass& shared) const { return calls_.at(shared) >= k_; }
  // Returns the index in pools() of a class whose size is hidden. Returns no_index if the class has fewer than k
  // nodes over all sizes, or if there are fewer than k similar calls.
  [[nodiscard]] std::uint32_t pool(const ProfileClass& shared) const;
  [[nodiscard]] const std::vector<std::vector<SizeCluster>>& pools() const { return pools_; }

 private:
  using Sizes = std::vector<std::int64_t>;
  using Type = std::pair<NodeType, std::int32_t>;  // with the type of collective
  [[nodiscard]] std::vector<SizeCluster> nearest(const Sizes& to, Sizes of) const;

  std::uint32_t k_ = 1;
  std::map<ProfileClass, std::uint64_t> calls_, nodes_;  // nodes_: by class without size
  std::map<ProfileClass, std::uint32_t> pool_of_;        // by class without size
  std::vector<std::vector<SizeCluster>> pools_;
};

}  // namespace convert
