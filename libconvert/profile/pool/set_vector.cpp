// SPDX-License-Identifier: MIT
#include "profile/pool/set_vector.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>
#include <utility>

#include "core/collective.h"
#include "profile/learn/facts.h"

namespace convert {
namespace {

// Types that traces have, then all others together.
constexpr std::size_t collective_types = static_cast<std::size_t>(Collective::custom) + 1;

struct Calls {
  double count = 0, bytes = 0;
  double log_members = 0;  // sum over the calls
};
enum Work : std::size_t { host, device, memory, collective, message, works };

// Sums over all ranks of a job in an iteration.
struct Sums {
  std::array<Calls, collective_types> collectives{};
  std::array<Calls, 2> messages{};               // sends, receives
  std::map<double, double> sizes{};              // bytes of a communication: number of communications
  std::array<double, works> nodes{}, time_ns{};  // by Work
};

Work work_of(const ProfileClass& c) {
  if (c.type == NodeType::mem_load || c.type == NodeType::mem_store) return memory;
  return c.on_cpu ? host : device;
}

double members_of(const JobLog& job, const CallFacts& call) {
  const auto group = job.groups.find(call.group);
  if (group != job.groups.end() && !group->second.empty()) return static_cast<double>(group->second.size());
  if (call.node_class.details.group_size > 0) return static_cast<double>(call.node_class.details.group_size);
  return call.group.empty() ? static_cast<double>(job.ranks.size()) : 1;
}

bool in_iteration(const RankLog& rank, std::uint32_t part) { return part >= 1 && part <= rank.iterations; }

void add_calls(const JobLog& job, const RankLog& rank, Sums& to) {
  const double share = 1.0 / rank.iterations;
  for (const RankLog::Call& call : rank.calls) {
    if (!in_iteration(rank, call.part)) continue;
    const CallFacts& facts = rank.facts(call);
    const ProfileClass& c = facts.node_class;
    const bool collects = c.type == NodeType::comm_coll;
    const std::size_t type = collects ? std::min(static_cast<std::size_t>(c.collective), collective_types - 1) : 0;
    Calls& calls = collects ? to.collectives.at(type) : to.messages.at(c.type == NodeType::comm_send ? 0 : 1);
    const auto bytes = static_cast<double>(std::max({c.size, facts.sent, std::int64_t{0}}));
    calls.count += share;
    calls.bytes += share * bytes;
    if (collects) calls.log_members += share * std::log(members_of(job, facts));
    to.sizes[bytes] += share;
    const Work work = collects ? collective : message;
    to.nodes.at(work) += share;
    to.time_ns.at(work) += share * static_cast<double>(call.cost.duration_ns);
  }
}

void add_uses(const JobLog& job, Sums& to) {
  const RankLog& rank = job.ranks.front();  // equal for all ranks
  const double share = 1.0 / rank.iterations;
  for (const auto& [named, use] : job.uses) {
    if (use.part != no_index && !in_iteration(rank, use.part)) continue;
    const Work work = work_of(named.first);
    to.nodes.at(work) += share * static_cast<double>(use.nodes);
    to.time_ns.at(work) += share * use.time_ns;
  }
}

// Returns the quartiles of the sizes.
std::array<double, 3> quartiles(const std::map<double, double>& sizes) {
  std::array<double, 3> out{};
  double all = 0;
  for (const auto& [bytes, count] : sizes) all += count;
  constexpr double quarter = 0.25, rounding = 1e-9;
  double below = 0;
  std::size_t q = 0;
  for (const auto& [bytes, count] : sizes) {
    below += count;
    for (; q < out.size() && below >= (quarter * static_cast<double>(q + 1) - rounding) * all; ++q)
      out.at(q) = bytes;
  }
  return out;
}

// Collects the features of a set.
class Numbers {
 public:
  explicit Numbers(double ranks) : ranks_(ranks) {}

  void add_amount(double logarithm) { out_.numbers.push_back({.value = logarithm}); }
  void add_count(double sum) { add_amount(std::log1p(sum / ranks_)); }
  void add_bytes(double bytes) { out_.numbers.push_back({.value = std::log1p(bytes), .weight = 0.5}); }
  void add_time(double ns) {
    constexpr double ns_per_ms = 1e6;
    out_.numbers.push_back({.value = std::log1p(ns / ns_per_ms), .slack = std::numbers::ln2});
  }
  void add_share(double part, double all) {
    out_.numbers.push_back({.value = all > 0 ? part / all : 0, .weight = 4, .slack = 0.2});
  }
  void add_calls(const Calls& calls) {
    add_count(calls.count);
    add_bytes(calls.bytes / ranks_);
  }
  SetVector take() { return std::move(out_); }

 private:
  double ranks_;
  SetVector out_;
};

}  // namespace

SetVector set_vector(const JobLog& job) {
  Sums sums;
  add_uses(job, sums);
  RankChain chain;
  for (const RankLog& rank : job.ranks) {
    add_calls(job, rank, sums);
    const double share = 1.0 / (rank.iterations * static_cast<double>(job.ranks.size()));
    chain.time_ns += share * rank.chain.time_ns;
    chain.communication_ns += share * rank.chain.communication_ns;
  }
  Numbers numbers(static_cast<double>(job.ranks.size()));
  for (const Calls& c : sums.collectives) {
    numbers.add_calls(c);
    numbers.add_amount(c.count > 0 ? c.log_members / c.count : 0);
  }
  for (const Calls& c : sums.messages) numbers.add_calls(c);
  for (const double bytes : quartiles(sums.sizes)) numbers.add_bytes(bytes);
  numbers.add_amount(std::log(static_cast<double>(job.ranks.size())));
  for (const Work w : {host, device, memory}) numbers.add_count(sums.nodes.at(w));
  numbers.add_time(chain.time_ns);
  const double time = std::accumulate(sums.time_ns.begin(), sums.time_ns.end(), 0.0);
  for (const double t : sums.time_ns) numbers.add_share(t, time);
  numbers.add_share(chain.communication_ns, chain.time_ns);
  return numbers.take();
}

double distance(const SetVector& a, const SetVector& b) {
  constexpr double hundredth = 0.01;
  double sum = 0;
  for (std::size_t i = 0; i < a.numbers.size(); ++i) {
    const SetVector::Number& n = a.numbers[i];
    const double difference = std::abs(n.value - b.numbers[i].value), within = std::min(difference, n.slack);
    sum += n.weight * (difference - within + hundredth * within);
  }
  return sum;
}

}  // namespace convert
