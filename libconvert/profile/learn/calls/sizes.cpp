// SPDX-License-Identifier: MIT
#include "profile/learn/calls/sizes.h"

#include <algorithm>
#include <cmath>

#include "profile/learn/clusters.h"

namespace convert {
namespace {

double log_of(std::int64_t size) { return std::log1p(static_cast<double>(size)); }

double mean_log(const std::vector<std::int64_t>& sizes) {
  double sum = 0;
  for (const std::int64_t size : sizes) sum += log_of(size);
  return sum / static_cast<double>(sizes.size());
}

}  // namespace

ProfileClass without_size(ProfileClass c) {
  c.size = -1;
  c.details.bytes_out = -1;
  return c;
}

void CallSizes::add(const ProfileClass& shared, std::uint64_t calls, std::uint64_t nodes) {
  calls_[shared] += calls;
  nodes_[without_size(shared)] += nodes;
}

void CallSizes::settle(std::uint32_t k) {
  k_ = k;
  std::map<ProfileClass, Sizes> rare, all;
  std::map<Type, Sizes> of_type;
  Sizes collectives;
  for (const auto& [c, calls] : calls_) {
    const ProfileClass any = without_size(c);
    const auto add_to = [&](Sizes& sizes) { sizes.insert(sizes.end(), calls, c.size); };
    if (calls < k) add_to(rare[any]);
    add_to(all[any]);
    add_to(of_type[{c.type, c.collective}]);
    if (c.type == NodeType::comm_coll) add_to(collectives);
  }
  for (const auto& [any, sizes] : rare) {
    const Sizes& alike = sizes.size() < k ? all.at(any) : sizes;
    const Sizes& typed = of_type.at({any.type, any.collective});
    const Sizes& others = typed.size() < k && any.type == NodeType::comm_coll ? collectives : typed;
    if (others.size() < k || nodes_.at(any) < k) continue;
    pool_of_.emplace(any, static_cast<std::uint32_t>(pools_.size()));
    pools_.push_back(alike.size() < k ? nearest(sizes, others) : size_clusters(alike, k));
  }
}

// Returns the geometric mean of the k sizes that are nearest to `to`.
std::vector<SizeCluster> CallSizes::nearest(const Sizes& to, Sizes of) const {
  const double own = mean_log(to);
  std::ranges::stable_sort(of, {}, [&](std::int64_t size) { return std::abs(log_of(size) - own); });
  of.resize(k_);
  return {{.bytes = two_digits(std::llround(std::expm1(mean_log(of)))), .count = k_}};
}

std::uint32_t CallSizes::pool(const ProfileClass& shared) const {
  const auto at = pool_of_.find(without_size(shared));
  return at == pool_of_.end() ? no_index : at->second;
}

}  // namespace convert
