// SPDX-License-Identifier: MIT
// Takes things apart into clusters of alike ones, each with the one that stands for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace convert {

// How far things are from each other: symmetric, not negative, 0 from a thing to itself.
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

// Clusters from the largest on; of equal ones first that with the smallest member.
struct Clustering {
  std::vector<std::size_t> medoids{};  // by cluster: the thing whose distances to the others are least in sum
  std::vector<std::size_t> of{};       // by thing: its cluster
  [[nodiscard]] std::vector<std::size_t> members(std::size_t cluster) const;  // ascending
};

// Returns k clusters, 1 ≤ k ≤ distances.size(), by PAM: BUILD, then SWAP (Kaufman and Rousseeuw 1990). Of what is
// equally good the smallest number is taken, so things of one distance always have one result.
[[nodiscard]] Clustering k_medoids(const DistanceTable& distances, std::size_t k);

// Returns for each thing how much nearer it is to its own cluster than to the next, from -1 to 1; 0 if it is alone
// in its cluster, and if there is one cluster only (Rousseeuw 1987).
[[nodiscard]] std::vector<double> silhouettes(const DistanceTable& distances, const Clustering& clustering);
[[nodiscard]] double mean_silhouette(const DistanceTable& distances, const Clustering& clustering);

// Returns the clustering of 2 … 10 clusters, fewer than there are things, with the largest mean silhouette, of
// equal ones the one with fewer clusters. That is one cluster if this mean is no more than `no_structure`, or if no
// two things are farther from each other than `alike`.
inline constexpr double no_structure = 0.25;  // "no substantial structure" (Kaufman and Rousseeuw)
[[nodiscard]] Clustering best_clustering(const DistanceTable& distances, double alike);

}  // namespace convert
