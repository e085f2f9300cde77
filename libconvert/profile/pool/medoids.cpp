// SPDX-License-Identifier: MIT
#include "profile/pool/medoids.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace convert {
namespace {

constexpr double far = std::numeric_limits<double>::infinity();
// Tolerance for sums of the same distances in different order.
constexpr double rounding = 1e-9;

// Partitioning around medoids.
class Pam {
 public:
  Pam(const DistanceTable& distances, std::size_t k) : d_(distances), k_(k), chosen_(distances.size()) {}

  Clustering run() {
    build();
    while (swap()) {
    }
    std::ranges::sort(medoids_);
    return numbered();
  }

 private:
  // Adds medoids one by one; each reduces the sum of distances most.
  void build() {
    std::vector<double> nearest(d_.size(), far);
    while (medoids_.size() < k_) {
      std::size_t best = d_.size();
      double least = far;
      for (std::size_t c = 0; c < d_.size(); ++c) {
        if (chosen_[c]) continue;
        double sum = 0;
        for (std::size_t i = 0; i < d_.size(); ++i) sum += std::min(nearest[i], d_(i, c));
        if (best == d_.size() || sum < least - rounding) best = c, least = sum;
      }
      chosen_[best] = true;
      medoids_.push_back(best);
      for (std::size_t i = 0; i < d_.size(); ++i) nearest[i] = std::min(nearest[i], d_(i, best));
    }
  }

  // Replaces a medoid by the item that reduces the sum of distances most; returns whether there is one.
  bool swap() {
    find_nearest();
    double best = -rounding;
    std::size_t out = k_, in = 0;
    for (std::size_t c = 0; c < d_.size(); ++c) {
      if (chosen_[c]) continue;
      for (std::size_t m = 0; m < k_; ++m) {
        const double change = change_of(m, c);
        if (change < best - rounding) best = change, out = m, in = c;
      }
    }
    if (out == k_) return false;
    chosen_[medoids_[out]] = false;
    chosen_[in] = true;
    medoids_[out] = in;
    return true;
  }

  // Finds the nearest medoid of each item, and the distances to the nearest and the second nearest.
  void find_nearest() {
    nearest_.assign(d_.size(), {});
    for (std::size_t i = 0; i < d_.size(); ++i) {
      Nearest& n = nearest_[i];
      for (std::size_t m = 0; m < k_; ++m) {
        const double distance = d_(i, medoids_[m]);
        if (distance < n.first) {
          n.second = n.first;
          n.first = distance;
          n.medoid = m;
        } else {
          n.second = std::min(n.second, distance);
        }
      }
    }
  }

  // Returns the change of the sum of distances if `candidate` replaces medoid number m.
  [[nodiscard]] double change_of(std::size_t m, std::size_t candidate) const {
    double change = 0;
    for (std::size_t i = 0; i < d_.size(); ++i) {
      const Nearest& n = nearest_[i];
      change += std::min(n.medoid == m ? n.second : n.first, d_(i, candidate)) - n.first;
    }
    return change;
  }

  // Returns the clusters: each item belongs to its nearest medoid, a medoid to itself.
  [[nodiscard]] Clustering numbered() const {
    std::vector<std::size_t> of(d_.size()), sizes(k_), first(k_, d_.size());
    for (std::size_t i = 0; i < d_.size(); ++i) {
      const auto at = std::ranges::min_element(medoids_, {}, [&](std::size_t m) { return m == i ? -1 : d_(i, m); });
      of[i] = static_cast<std::size_t>(at - medoids_.begin());
      ++sizes[of[i]];
      first[of[i]] = std::min(first[of[i]], i);
    }
    std::vector<std::size_t> order(k_), number(k_);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
      return sizes[a] != sizes[b] ? sizes[a] > sizes[b] : first[a] < first[b];
    });
    Clustering out;
    for (std::size_t c = 0; c < k_; ++c) {
      number[order[c]] = c;
      out.medoids.push_back(medoids_[order[c]]);
    }
    for (const std::size_t cluster : of) out.of.push_back(number[cluster]);
    return out;
  }

  struct Nearest {
    std::size_t medoid = 0;
    double first = far, second = far;
  };
  const DistanceTable& d_;
  std::size_t k_;
  std::vector<bool> chosen_;
  std::vector<std::size_t> medoids_;
  std::vector<Nearest> nearest_;
};

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace

double DistanceTable::largest() const { return values_.empty() ? 0 : *std::ranges::max_element(values_); }

std::vector<std::size_t> Clustering::members(std::size_t cluster) const {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < of.size(); ++i) {
    if (of[i] == cluster) out.push_back(i);
  }
  return out;
}

Clustering k_medoids(const DistanceTable& distances, std::size_t k) { return Pam(distances, k).run(); }

std::vector<double> silhouettes(const DistanceTable& distances, const Clustering& clustering) {
  const std::size_t n = clustering.of.size(), k = clustering.medoids.size();
  std::vector<double> out(n), counts(k);
  for (const std::size_t c : clustering.of) ++counts[c];
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t own = clustering.of[i];
    if (counts[own] < 2 || k < 2) continue;
    std::vector<double> sums(k);
    for (std::size_t j = 0; j < n; ++j) sums[clustering.of[j]] += distances(i, j);
    const double within = sums[own] / (counts[own] - 1);
    double other = far;
    for (std::size_t c = 0; c < k; ++c) {
      if (c != own) other = std::min(other, sums[c] / counts[c]);
    }
    if (const double most = std::max(within, other); most > 0) out[i] = (other - within) / most;
  }
  return out;
}

double mean_silhouette(const DistanceTable& distances, const Clustering& clustering) {
  return mean(silhouettes(distances, clustering));
}

Clustering best_clustering(const DistanceTable& distances, double alike) {
  constexpr std::size_t most = 10;
  Clustering best = k_medoids(distances, 1);
  if (distances.largest() <= alike) return best;
  double largest = no_structure;
  for (std::size_t k = 2; k <= most && k < distances.size(); ++k) {
    Clustering clustering = k_medoids(distances, k);
    if (const double s = mean_silhouette(distances, clustering); s > largest + rounding) {
      largest = s;
      best = std::move(clustering);
    }
  }
  return best;
}

}  // namespace convert
