// SPDX-License-Identifier: MIT
// Clusters of similar items by k-medoids; each cluster has a representative item, its medoid.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace convert {

// Distances between items: symmetric, not negative, 0 from an item to itself.
class DistanceTable {
 public:
  explicit DistanceTable(std::size_t things) : things_(things), values_(things * things) {}
  [[nodiscard]] std::size_t size() const { return things_; }
  [[nodiscard]] double operator()(std::size_t a, std::size_t b) const { return values_[a * things_ + b]; }
  void set(std::size_t a, std::size_t b, double distance) {
    values_[a * things_ + b] = values_[b * things_ + a] = distance;
  }
  [[nodiscard]] double largest() const;

 private:
  std::size_t things_;
  std::vector<double> values_;
};

// Clusters, the largest first; clusters of equal size in order of their smallest members.
struct Clustering {
  std::vector<std::size_t> medoids{};  // by cluster: the item with the smallest sum of distances to the others
  std::vector<std::size_t> of{};       // by item: its cluster
  [[nodiscard]] std::vector<std::size_t> members(std::size_t cluster) const;  // ascending
};

// Returns k clusters, 1 ≤ k ≤ distances.size(), by PAM: BUILD, then SWAP (Kaufman and Rousseeuw 1990). Ties are
// resolved by the smallest index, so that the result is deterministic.
[[nodiscard]] Clustering k_medoids(const DistanceTable& distances, std::size_t k);

// Returns the silhouette of each item (Rousseeuw 1987): how much nearer it is to its own cluster than to the next,
// between -1 and 1. It is 0 if the item is alone in its cluster, and if there is only one cluster.
[[nodiscard]] std::vector<double> silhouettes(const DistanceTable& distances, const Clustering& clustering);
[[nodiscard]] double mean_silhouette(const DistanceTable& distances, const Clustering& clustering);

// Returns the clustering with the largest mean silhouette among 2 … 10 clusters (fewer than items), in a tie the
// one with fewer clusters. Returns one cluster if this mean is at most `no_structure`, or if no distance exceeds
// `alike`.
inline constexpr double no_structure = 0.25;  // "no substantial structure" (Kaufman and Rousseeuw)
[[nodiscard]] Clustering best_clustering(const DistanceTable& distances, double alike);

}  // namespace convert
