// SPDX-License-Identifier: MIT
#include "analyze/fidelity/distribution.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace convert {
namespace {

std::int64_t kept(std::int64_t value) {
  if (value <= 0) return 0;
  constexpr int bits = 12;
  const auto n = static_cast<std::uint64_t>(value);
  const int dropped = std::max(static_cast<int>(std::bit_width(n)) - bits, 0);
  return static_cast<std::int64_t>(n >> dropped << dropped);
}

}  // namespace

Distribution::Distribution(std::vector<std::int64_t> values) : count_(values.size()) {
  for (std::int64_t& v : values) v = kept(v);
  std::ranges::sort(values);
  for (const std::int64_t v : values) {
    if (bins_.empty() || bins_.back().value != v) bins_.push_back({.value = v, .times = 0});
    ++bins_.back().times;
  }
  bins_.shrink_to_fit();
}

void Distribution::add(const Distribution& other, std::uint64_t times) {
  std::vector<Repeated> sum;
  sum.reserve(std::max(bins_.size(), other.bins_.size()));
  auto a = bins_.begin();
  for (const Repeated& b : other.bins_) {
    while (a != bins_.end() && a->value < b.value) sum.push_back(*a++);
    sum.push_back({.value = b.value, .times = b.times * times});
    if (a != bins_.end() && a->value == b.value) sum.back().times += a++->times;
  }
  sum.insert(sum.end(), a, bins_.end());
  bins_ = std::move(sum);
  count_ += other.count_ * times;
}

double ks_distance(const Distribution& a, const Distribution& b) {
  if (a.count() == 0 || b.count() == 0) return a.count() == b.count() ? 0 : 1;
  const auto left = a.bins(), right = b.bins();
  std::size_t i = 0, j = 0;
  double up_to_a = 0, up_to_b = 0, most = 0;
  while (i < left.size() && j < right.size()) {
    const std::int64_t x = std::min(left[i].value, right[j].value);
    if (left[i].value == x) up_to_a += static_cast<double>(left[i++].times);
    if (right[j].value == x) up_to_b += static_cast<double>(right[j++].times);
    most = std::max(most,
                    std::abs(up_to_a / static_cast<double>(a.count()) - up_to_b / static_cast<double>(b.count())));
  }
  return most;
}

}  // namespace convert
