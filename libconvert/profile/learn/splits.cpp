// SPDX-License-Identifier: MIT
// Statistics of unequal all-to-alls.
#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "profile/learn/classes.h"
#include "profile/learn/clusters.h"

namespace convert {
namespace {

// Property that all ranks of a call share.
enum class SplitKind : std::uint32_t { same_sent, same_received, unequal };

double spread_of(double sum, double squares, double n) {
  const double mean = sum / n;
  return mean > 0 ? std::sqrt(std::max(0.0, squares / n - mean * mean)) / mean : 0;
}

float two_decimals(double x) {
  constexpr double unit = 100;
  return static_cast<float>(std::round(x * unit) / unit);
}

}  // namespace

double ClassTable::SplitCall::sent_spread() const {
  return spread_of(sent, sent_squares, static_cast<double>(ranks));
}
double ClassTable::SplitCall::received_spread() const {
  return spread_of(received, received_squares, static_cast<double>(ranks));
}

// Sorts calls by kind: all ranks send the same (tokens to experts), all ranks receive the same (tokens that come
// back), others.
void ClassTable::count_splits(std::span<const JobLog> jobs) {
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    const CommOrder& order = jobs[j].order;
    // By rank, if orders are rank-local, and position.
    std::map<std::pair<std::size_t, std::uint32_t>, SplitCall> calls;
    const auto each = [&](const auto& visit) {
      for (std::size_t r = 0; r < jobs[j].ranks.size(); ++r) {
        const RankLog& log = jobs[j].ranks[r];
        for (std::size_t c = 0; c < log.calls.size(); ++c) {
          // Unique for this call, see RankLog::kinds.
          ProfileClass& of_call = kind_classes_[j][r][log.calls[c].kind];
          if (of_call.splits == no_index) continue;
          visit(calls[{order.circular ? r + 1 : 0, order.places[r][c]}], log.facts(log.calls[c]), of_call);
        }
      }
    };
    each([](SplitCall& call, const CallFacts& facts, ProfileClass&) {
      const auto sent = static_cast<double>(facts.sent), received = static_cast<double>(facts.received);
      ++call.ranks;
      call.sent += sent;
      call.received += received;
      call.sent_squares += sent * sent;
      call.received_squares += received * received;
    });
    each([&](SplitCall& call, const CallFacts&, ProfileClass& c) {
      constexpr double nothing = 1e-6;
      const SplitKind kind = call.sent_spread() < nothing       ? SplitKind::same_sent
                             : call.received_spread() < nothing ? SplitKind::same_received
                                                                : SplitKind::unequal;
      c.splits = static_cast<std::uint32_t>(kind);
      if (call.counted) return;  // on another rank
      call.counted = true;
      split_calls_[shared_part(c)].push_back(call);
    });
  }
}

void ClassTable::make_splits() {
  for (const auto& [shared, calls] : split_calls_) {
    if (calls.size() < k_) continue;
    std::vector<std::int64_t> sizes;
    double sent = 0, received = 0;
    for (const SplitCall& call : calls) {
      sizes.push_back(std::llround(call.sent / static_cast<double>(call.ranks)));
      sent += call.sent_spread();
      received += call.received_spread();
    }
    const auto n = static_cast<double>(calls.size());
    split_pools_.emplace(shared, static_cast<std::uint32_t>(splits_.size()));
    splits_.push_back({.sizes = size_clusters(std::move(sizes), k_),
                       .sent_spread = two_decimals(sent / n),
                       .received_spread = two_decimals(received / n)});
  }
}

}  // namespace convert
