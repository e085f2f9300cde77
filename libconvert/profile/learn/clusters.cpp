// SPDX-License-Identifier: MIT
#include "profile/learn/clusters.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <tuple>

namespace convert {
namespace {

void sort_by_mean(std::vector<WeighedCost>& values) {
  std::ranges::sort(values, {}, [](const WeighedCost& v) {
    const double n = v.count;
    return std::tuple(v.duration_ns / n, v.delay_ns / n, v.operations / n, v.bytes / n, v.count);
  });
}

std::uint64_t rounded_mean(double sum, double count) {
  return static_cast<std::uint64_t>(std::llround(sum / count));
}

// Returns a share rounded to one significant digit.
float one_digit(double share) {
  if (share < 1e-3) return 0;  // negligible
  const double unit = std::pow(10, std::floor(std::log10(share)));
  return static_cast<float>(std::round(share / unit) * unit);
}

CostCluster cluster_of(const WeighedCost& sum) {
  const double n = sum.count, mean = sum.duration_ns / n;
  const double variance = std::max(0.0, sum.squares / n - mean * mean);
  return {.mean = {.duration_ns = rounded_mean(sum.duration_ns, n),
                   .delay_ns = rounded_mean(sum.delay_ns, n),
                   .operations = rounded_mean(sum.operations, n),
                   .bytes = rounded_mean(sum.bytes, n)},
          .spread = mean > 0 ? one_digit(std::sqrt(variance) / mean) : 0,
          .count = sum.count};
}

}  // namespace

WeighedCost::WeighedCost(const NodeCost& cost, double duration)
    : duration_ns(duration),
      delay_ns(static_cast<double>(cost.delay_ns)),
      operations(static_cast<double>(cost.operations)),
      bytes(static_cast<double>(cost.bytes)),
      squares(duration * duration),
      count(1) {}

void WeighedCost::add(const WeighedCost& other) {
  duration_ns += other.duration_ns;
  delay_ns += other.delay_ns;
  operations += other.operations;
  bytes += other.bytes;
  squares += other.squares;
  count += other.count;
}

void shorten(std::vector<WeighedCost>& values, std::size_t most) {
  if (values.size() <= most) return;
  sort_by_mean(values);
  const std::size_t each = (values.size() + most / 2 - 1) / (most / 2);
  std::vector<WeighedCost> out;
  for (std::size_t i = 0; i < values.size(); i += each) {
    WeighedCost& sum = out.emplace_back(values[i]);
    for (std::size_t j = i + 1; j < std::min(i + each, values.size()); ++j) sum.add(values[j]);
  }
  values = std::move(out);
}

CostPool cost_clusters(std::vector<WeighedCost> values, std::uint32_t k) {
  sort_by_mean(values);
  std::uint64_t left = 0;
  for (const WeighedCost& v : values) left += v.count;
  const std::uint64_t least = std::max<std::uint64_t>(k, (left + most_clusters - 1) / most_clusters);
  CostPool out;
  WeighedCost sum;
  for (const WeighedCost& v : values) {
    sum.add(v);
    left -= v.count;
    if (sum.count < least || left < least) continue;
    out.push_back(cluster_of(sum));
    sum = {};
  }
  if (sum.count > 0) out.push_back(cluster_of(sum));
  if (out.size() > 1 && std::ranges::all_of(out, [&](const CostCluster& c) {
        return c.mean == out.front().mean && c.spread == 0 && out.front().spread == 0;
      })) {
    for (std::size_t i = 1; i < out.size(); ++i) out.front().count += out[i].count;
    out.resize(1);
  }
  return out;
}

std::int64_t two_digits(std::int64_t value) {
  std::int64_t unit = 1;
  while (value / unit >= 100) unit *= 10;
  return (value + unit / 2) / unit * unit;
}

std::vector<SizeCluster> size_clusters(std::vector<std::int64_t> values, std::uint32_t k) {
  std::ranges::sort(values);
  const std::size_t least = std::max<std::size_t>(k, (values.size() + most_clusters - 1) / most_clusters);
  std::vector<SizeCluster> out;
  for (std::size_t i = 0; i < values.size();) {
    const std::size_t end = values.size() - i >= 2 * least ? i + least : values.size();
    double sum = 0;
    for (std::size_t j = i; j < end; ++j) sum += static_cast<double>(values[j]);
    const std::int64_t mean = two_digits(static_cast<std::int64_t>(sum / static_cast<double>(end - i)));
    const auto count = static_cast<std::uint32_t>(end - i);
    if (!out.empty() && out.back().bytes == mean) {
      out.back().count += count;
    } else {
      out.push_back({.bytes = mean, .count = count});
    }
    i = end;
  }
  return out;
}

}  // namespace convert
