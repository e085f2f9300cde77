// SPDX-License-Identifier: MIT
#include "profile/draw/calls.h"

#include <algorithm>
#include <cmath>

namespace convert {
namespace {

// Sampled property of a call; 0 and 1 are used for its size.
enum class Part : std::uint8_t { size = 2, sent, received, load };

// Returns lognormal shares of `n` ranks of a call with this spread; they average 1.
std::vector<double> shares(double spread, std::size_t n, Draw draw) {
  const double sigma = std::sqrt(std::log1p(spread * spread));
  std::vector<double> out;
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += out.emplace_back(spread > 0 ? std::exp(sigma * draw.normal()) : 1);
  for (double& share : out) share *= static_cast<double>(n) / sum;
  return out;
}

}  // namespace

Draw DrawnCalls::draw(const Call& call, std::uint64_t what) const {
  return {seed_, (std::uint64_t{call.group} << 32U) + what, call.number};
}

DrawnCalls::Call DrawnCalls::next(const ProfileClass& c) {
  load_.reset();
  Call call;
  for (std::size_t s = 0; s < profile_.slots.size(); ++s) {
    if (profile_.slots[s] == c.slot && c.slot.kind != GroupSlot::all_ranks) call.group = job_.slots[rank_][s];
  }
  call.number = calls_[call.group]++;
  return call;
}

std::int64_t DrawnCalls::Parts::bytes(std::size_t from, std::size_t to) const {
  return static_cast<std::int64_t>(size * sent[from] * received[to] / static_cast<double>(sent.size()));
}

DrawnCalls::Parts DrawnCalls::parts(const ProfileClass& c, const Call& call) {
  const auto what = [](Part part) { return static_cast<std::uint64_t>(part); };
  const std::vector<Rank>& members = call.group > 0 ? job_.groups[call.group - 1] : job_.ranks;
  const SplitPool& pool = profile_.splits[c.splits];
  const std::size_t n = std::max<std::size_t>(1, members.size());
  Draw of_size = draw(call, what(Part::size));
  Parts out{.size = static_cast<double>(size_of(pool.sizes, of_size)),
            .received = shares(pool.received_spread, n, draw(call, what(Part::received)))};
  const auto at = std::ranges::find(members, job_.ranks[rank_]);
  if (at != members.end()) out.own = static_cast<std::size_t>(at - members.begin());
  const auto back = unequal_.find(call.group);
  const bool comes_back = back != unequal_.end() && pool.received_spread == 0;
  out.sent = comes_back ? shares(pool.sent_spread, n, draw(back->second, what(Part::received)))
                        : shares(pool.sent_spread, n, draw(call, what(Part::sent)));
  if (pool.received_spread > 0) {
    unequal_[call.group] = call;
    const auto less = std::ranges::count_if(out.received, [&](double r) { return r < out.received[out.own]; });
    Draw within = draw(call, (what(Part::load) << 24U) + out.own);
    load_ = (static_cast<double>(less) + within.unit()) / static_cast<double>(n);
  } else {
    unequal_.erase(call.group);
  }
  return out;
}

std::int64_t DrawnCalls::size_of(const std::vector<SizeCluster>& pool, Draw& draw) {
  std::uint64_t all = 0;
  for (const SizeCluster& s : pool) all += s.count;
  std::uint64_t at = draw.below(all);
  auto cluster = pool.begin();
  for (; at >= cluster->count; ++cluster) at -= cluster->count;
  return cluster->bytes;
}

}  // namespace convert
