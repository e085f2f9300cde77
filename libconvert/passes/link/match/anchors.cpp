// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstddef>
#include <span>
#include <unordered_map>
#include <utility>

#include "core/rows.h"
#include "passes/link/match/align.h"
#include "passes/link/match/calls.h"

namespace convert {
namespace {

bool takes_part(const Call& c) { return c.sequence >= 0 && c.open && c.partner == no_index; }

class SequenceAnchors {
 public:
  explicit SequenceAnchors(BothCalls& calls) : calls_(calls) {}

  bool pair(LinkReport& report);

 private:
  using Pair = std::pair<std::uint32_t, std::uint32_t>;  // positions of host and event

  void number_keys();
  void find_pairs(Rows& hosts, Rows& events);
  void take_single(Rows& hosts, Rows& events);
  void take_repeated(Rows& hosts, Rows& events);
  void take_equal(std::span<std::uint32_t> hosts, std::span<std::uint32_t> events);
  std::uint64_t keep_consistent();
  [[nodiscard]] bool part_agrees(std::uint64_t kept) const;

  BothCalls& calls_;
  std::size_t keys_ = 0;
  std::vector<std::uint32_t> key_of_host_, key_of_event_;  // no_index: not considered
  std::vector<std::uint32_t> threads_;                     // by thread of the host trace
  std::vector<Pair> pairs_;
};

void SequenceAnchors::number_keys() {
  std::unordered_map<CallKey, std::uint32_t, CallKeyHash> numbers;
  const auto number = [&](const Calls& side, std::vector<std::uint32_t>& keys, bool add) {
    keys.assign(side.all.size(), no_index);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const Call& c = side.all[i];
      if (!takes_part(c)) continue;
      const CallKey key = c.key();
      if (add) {
        keys[i] = numbers.try_emplace(key, static_cast<std::uint32_t>(numbers.size())).first->second;
      } else if (const auto at = numbers.find(key); at != numbers.end()) {
        keys[i] = at->second;
      }
    }
  };
  number(calls_.hosts, key_of_host_, true);
  number(calls_.events, key_of_event_, false);
  keys_ = numbers.size();
}

void SequenceAnchors::take_single(Rows& hosts, Rows& events) {
  for (std::size_t k = 0; k < keys_; ++k) {
    if (hosts[k].size() != 1 || events[k].size() != 1) continue;
    pairs_.emplace_back(hosts[k][0], events[k][0]);
  }
}

void SequenceAnchors::take_equal(std::span<std::uint32_t> hosts, std::span<std::uint32_t> events) {
  if (hosts.size() != events.size()) return;
  for (std::size_t i = 0; i < hosts.size(); ++i) pairs_.emplace_back(hosts[i], events[i]);
}

// Pairs repeated operators thread by thread if threads are known; otherwise only if one thread has all of an
// operator's calls.
void SequenceAnchors::take_repeated(Rows& hosts, Rows& events) {
  const auto& of_host = calls_.hosts.all;
  const auto& of_event = calls_.events.all;
  const auto thread = [&](std::uint32_t h) { return threads_[of_host[h].thread]; };
  for (std::size_t k = 0; k < keys_; ++k) {
    const auto h = hosts[k], e = events[k];
    if (h.size() < 2 || h.size() != e.size()) continue;
    std::stable_sort(h.begin(), h.end(), [&](std::uint32_t a, std::uint32_t b) { return thread(a) < thread(b); });
    std::stable_sort(e.begin(), e.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return of_event[a].thread < of_event[b].thread; });
    if (of_host[h.front()].thread == of_host[h.back()].thread &&
        of_event[e.front()].thread == of_event[e.back()].thread) {
      take_equal(h, e);
      continue;
    }
    for (std::size_t i = 0, j = 0; i < h.size() && thread(h[i]) != no_index;) {
      const std::uint32_t t = thread(h[i]);
      const std::size_t begin = i;
      while (i < h.size() && thread(h[i]) == t) ++i;
      while (j < e.size() && of_event[e[j]].thread < t) ++j;
      const std::size_t first = j;
      while (j < e.size() && of_event[e[j]].thread == t) ++j;
      take_equal(h.subspan(begin, i - begin), e.subspan(first, j - first));
    }
  }
}

// Keeps the pairs that are in order with most others of their thread, and on the thread that most pairs name.
std::uint64_t SequenceAnchors::keep_consistent() {
  std::vector<std::uint32_t> event_of(calls_.hosts.all.size(), no_index);
  for (const Pair& p : pairs_) event_of[p.first] = p.second;
  std::uint64_t kept = 0;
  std::vector<std::uint32_t> hosts, events;
  for (std::size_t t = 0; t < threads_.size(); ++t) {
    hosts.clear(), events.clear();
    for (const std::uint32_t h : calls_.hosts.by_thread[t]) {
      const std::uint32_t known = calls_.hosts.all[h].partner;
      const std::uint32_t e = known != no_index ? known : event_of[h];
      if (e == no_index || calls_.events.all[e].thread != threads_[t]) continue;
      hosts.push_back(h), events.push_back(e);
    }
    for (const std::uint32_t i : longest_ascending(events)) {
      if (calls_.hosts.all[hosts[i]].partner != no_index) continue;
      calls_.pair(hosts[i], events[i]);
      ++kept;
    }
  }
  return kept;
}

// Returns whether the profile covers part of the observed time: most numbered operators between pairs are paired.
bool SequenceAnchors::part_agrees(std::uint64_t kept) const {
  constexpr std::uint64_t fewest = 8;  // some agree by accident
  std::uint64_t numbered = 0, since = 0;
  bool begun = false;
  for (const Call& c : calls_.hosts.all) {
    if (c.sequence < 0) continue;
    if (begun) ++since;
    if (c.partner == no_index) continue;
    begun = true;
    numbered += since;
    since = 0;
  }
  return kept >= fewest && 2 * kept >= numbered;
}

// Pairs threads by operators that occur once; by repeated operators if there are none.
void SequenceAnchors::find_pairs(Rows& hosts, Rows& events) {
  take_single(hosts, events);
  BothCalls& both = calls_;
  for (const Pair& p : pairs_) both.pair(p.first, p.second);
  threads_ = threads_by_partners(both);
  for (const Pair& p : pairs_) both.hosts.all[p.first].partner = both.events.all[p.second].partner = no_index;
  take_repeated(hosts, events);
  for (const Pair& p : pairs_) {
    std::uint32_t& thread = threads_[calls_.hosts.all[p.first].thread];
    if (thread == no_index) thread = calls_.events.all[p.second].thread;
  }
}

bool SequenceAnchors::pair(LinkReport& report) {
  number_keys();
  // Calls by key, in the order in which they began.
  Rows hosts = rows_by_key(key_of_host_.size(), keys_, [&](std::size_t h) { return key_of_host_[h]; });
  Rows events = rows_by_key(key_of_event_.size(), keys_, [&](std::size_t e) { return key_of_event_[e]; });
  std::uint64_t agree = 0, known = 0;
  for (std::size_t k = 0; k < keys_; ++k) {
    if (hosts[k].size() == events[k].size()) agree += hosts[k].size();
    if (!events[k].empty()) known += hosts[k].size();
  }
  report.evidence.agree_by_sequence = agree;
  find_pairs(hosts, events);
  const std::uint64_t kept = keep_consistent();
  report.matched_by_anchor = kept;
  return known * 2 > hosts.items.size() || (kept > 0 && kept * 4 >= report.evidence.with_sequence) ||
         part_agrees(kept);
}

}  // namespace

bool pair_by_sequence(BothCalls& calls, LinkReport& report) { return SequenceAnchors(calls).pair(report); }

std::vector<std::uint32_t> threads_by_partners(const BothCalls& calls) {
  std::vector<std::uint32_t> out(calls.hosts.by_thread.size(), no_index), seen;
  std::unordered_map<std::uint32_t, std::uint32_t> votes;
  for (std::size_t t = 0; t < out.size(); ++t) {
    votes.clear(), seen.clear();
    for (const std::uint32_t h : calls.hosts.by_thread[t]) {
      const std::uint32_t e = calls.hosts.all[h].partner;
      if (e != no_index && votes[calls.events.all[e].thread]++ == 0) seen.push_back(calls.events.all[e].thread);
    }
    std::uint32_t most = 0;
    for (const std::uint32_t thread : seen) {
      if (votes[thread] > most) most = votes[thread], out[t] = thread;
    }
  }
  return out;
}

}  // namespace convert
