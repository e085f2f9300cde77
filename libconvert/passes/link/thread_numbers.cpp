// SPDX-License-Identifier: MIT
#include "passes/link/thread_numbers.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "passes/link/report.h"

namespace convert {
namespace {

// By forward thread id: number of matching operators of a thread.
using Votes = std::map<std::int64_t, std::map<std::uint32_t, std::uint64_t>>;

bool is_backward(const Profile::CpuOp& op) { return op.forward_thread > 0; }

// Counts, for each forward thread id without a thread, the backward operators by the threads that have a forward
// operator with the same sequence number.
Votes count_votes(const Profile& device, const std::vector<std::int64_t>& numbers) {
  Votes votes;
  const std::set<std::int64_t> known(numbers.begin(), numbers.end());
  for (const Profile::CpuOp& op : device.cpu_ops) {
    if (is_backward(op) && !known.contains(op.forward_thread)) votes[op.forward_thread];
  }
  if (votes.empty()) return votes;
  std::vector<std::pair<std::int64_t, std::uint32_t>> forward;  // sequence number, thread
  for (const Profile::CpuOp& op : device.cpu_ops) {
    if (op.sequence < 0 || is_backward(op) || numbers[op.thread] >= 0) continue;
    const std::pair of(op.sequence, op.thread);
    if (forward.empty() || forward.back() != of) forward.push_back(of);
  }
  std::ranges::sort(forward);
  const auto repeated = std::ranges::unique(forward);
  forward.erase(repeated.begin(), repeated.end());
  for (const Profile::CpuOp& op : device.cpu_ops) {
    if (!is_backward(op) || op.sequence < 0) continue;
    const auto counts = votes.find(op.forward_thread);
    if (counts == votes.end()) continue;
    constexpr int most = 64;  // threads that count the same numbers; more than a program has
    auto at = std::ranges::lower_bound(forward, std::pair(op.sequence, 0U));
    for (int i = 0; i < most && at != forward.end() && at->first == op.sequence; ++i, ++at) {
      if (at->second != op.thread) ++counts->second[at->second];
    }
  }
  return votes;
}

// Sets the forward thread of backward operators that lack "Fwd thread id" from the arrows at whose heads they
// begin.
void use_arrows(Profile& device, const std::vector<std::int64_t>& numbers) {
  struct Place {
    std::uint32_t thread;
    std::int64_t start_ns;
    auto operator<=>(const Place&) const = default;
  };
  std::map<std::int64_t, const Profile::Arrow*> tails;  // by id
  for (const Profile::Arrow& a : device.arrows) {
    if (a.tail) tails.try_emplace(a.id, &a);
  }
  std::map<Place, std::int64_t> heads;  // forward thread
  for (const Profile::Arrow& a : device.arrows) {
    if (a.tail) continue;
    const auto tail = tails.find(a.id);
    if (tail != tails.end() && tail->second->thread != a.thread)
      heads.try_emplace({a.thread, a.start_ns}, numbers[tail->second->thread]);
  }
  if (heads.empty()) return;
  for (Profile::CpuOp& op : device.cpu_ops) {
    if (op.forward_thread >= 0) continue;
    if (const auto head = heads.find({op.thread, op.start_ns}); head != heads.end())
      op.forward_thread = head->second;
  }
}

}  // namespace

void number_threads(Profile& device, std::vector<std::int64_t>& numbers) {
  const Votes votes = count_votes(device, numbers);
  std::set<std::int64_t> used(numbers.begin(), numbers.end());
  for (const auto& [id, counts] : votes) {
    used.insert(id);
    std::uint64_t most = 0;
    std::optional<std::uint32_t> best;
    for (const auto& [thread, count] : counts) {
      if (numbers[thread] < 0 && count > most) best = thread, most = count;
    }
    if (best) numbers[*best] = id;
  }
  std::int64_t next = 1;
  for (std::int64_t& number : numbers) {
    if (number >= 0) continue;
    while (used.contains(next)) ++next;
    number = next++;
  }
  use_arrows(device, numbers);
}

}  // namespace convert
