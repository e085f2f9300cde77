// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <limits>
#include <span>
#include <unordered_map>
#include <vector>

#include "passes/link/match/align.h"
#include "passes/link/match/calls.h"

namespace convert {
namespace {

constexpr std::int64_t earliest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t latest = std::numeric_limits<std::int64_t>::max();
// A thread may be overtaken by another between reading its id and its time.
constexpr std::int64_t slack_ns = 100'000;
using Positions = std::span<const std::uint32_t>;  // in Calls::all

class Between {
 public:
  Between(BothCalls& calls, bool same_numbers, LinkReport& report)
      : calls_(calls), same_numbers_(same_numbers), report_(report) {}

  void run();

 private:
  enum class Ends { both, left, right };  // at which ends of a stretch there is a pair
  struct Fixed {                          // a pair, as positions in the lists of its threads
    std::uint32_t host, event;
  };

  void number_tokens();
  using Numbers = std::unordered_map<CallKey, std::uint32_t, CallKeyHash>;
  void number_side(const Calls& side, const std::vector<bool>& numbered, Numbers& numbers,
                   std::vector<std::uint32_t>& tokens) const;
  void find_bounds();
  void pair_thread(Positions hosts, Positions events);
  [[nodiscard]] std::vector<Fixed> fixed_pairs(Positions hosts, Positions events) const;
  void stretch(Positions hosts, Positions events, Ends ends);
  [[nodiscard]] Positions near(Positions hosts, Positions events, Ends ends) const;
  void keep_near(std::vector<TokenPair>& pairs) const;
  void pair_aligned(const std::vector<std::uint32_t>& hosts, const std::vector<std::uint32_t>& events, Ends ends);
  void take(std::uint32_t host, std::uint32_t event, bool sure);
  // For threads without a pair.
  void pair_rest(const std::vector<std::uint32_t>& threads);
  [[nodiscard]] std::vector<Positions> parts(Positions hosts) const;
  [[nodiscard]] Positions within_bounds(Positions hosts, Positions events) const;
  void place_thread(Positions hosts, Positions events);
  [[nodiscard]] bool foreign(const Call& event) const {
    const LinkReport::Range& known = report_.evidence.host_sequences;
    return same_numbers_ && event.sequence >= 0 && !known.holds(event.sequence);
  }
  [[nodiscard]] std::vector<std::uint32_t> open_ones(const Calls& side, Positions from) const {
    std::vector<std::uint32_t> out;
    for (const std::uint32_t i : from) {
      if (side.all[i].open && side.all[i].partner == no_index) out.push_back(i);
    }
    return out;
  }
  static std::vector<std::uint32_t> tokens_of(const std::vector<std::uint32_t>& tokens,
                                              const std::vector<std::uint32_t>& positions) {
    std::vector<std::uint32_t> out;
    out.reserve(positions.size());
    for (const std::uint32_t i : positions) out.push_back(tokens[i]);
    return out;
  }
  // Surplus of each token in a over b.
  using Surplus = std::unordered_map<std::uint32_t, std::int64_t>;
  static Surplus surplus(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b) {
    Surplus out;
    for (const std::uint32_t t : a) ++out[t];
    for (const std::uint32_t t : b) --out[t];
    return out;
  }

  BothCalls& calls_;
  bool same_numbers_;
  LinkReport& report_;
  std::vector<std::uint32_t> host_tokens_, event_tokens_;
  // By host: begin of the partners of the nearest paired hosts before and after it, on any thread.
  std::vector<std::int64_t> after_ns_, before_ns_;
  const Surplus* surplus_ = nullptr;  // of a whole thread
};

void Between::number_side(const Calls& side, const std::vector<bool>& numbered, Numbers& numbers,
                          std::vector<std::uint32_t>& tokens) const {
  tokens.reserve(side.all.size());
  for (const Call& c : side.all) {
    if (!same_numbers_ || c.sequence < 0 || !numbered[c.name] || !c.open || c.partner != no_index) {
      tokens.push_back(c.name);
      continue;
    }
    const auto next = static_cast<std::uint32_t>(calls_.names + numbers.size());
    tokens.push_back(numbers.try_emplace(c.key(), next).first->second);
  }
}

// Numbers the tokens. Profilers number some operators that the host trace does not, so numbers distinguish calls
// only if both files have them.
void Between::number_tokens() {
  const auto names_with_number = [&](const Calls& side) {
    std::vector<bool> out(calls_.names);
    for (const Call& c : side.all) {
      if (c.sequence >= 0) out[c.name] = true;
    }
    return out;
  };
  std::vector<bool> numbered = names_with_number(calls_.hosts);
  const std::vector<bool> of_events = names_with_number(calls_.events);
  for (std::size_t i = 0; i < numbered.size(); ++i) numbered[i] = numbered[i] && of_events[i];
  Numbers numbers;
  number_side(calls_.hosts, numbered, numbers, host_tokens_);
  number_side(calls_.events, numbered, numbers, event_tokens_);
}

void Between::find_bounds() {
  const auto& hosts = calls_.hosts.all;
  after_ns_.resize(hosts.size());
  before_ns_.resize(hosts.size());
  const auto start = [&](std::size_t h) { return calls_.events.all[hosts[h].partner].start_ns; };
  std::int64_t bound = earliest;
  for (std::size_t h = 0; h < hosts.size(); ++h) {
    after_ns_[h] = bound;
    if (hosts[h].partner != no_index) bound = start(h) - slack_ns;
  }
  bound = latest;
  for (std::size_t h = hosts.size(); h-- > 0;) {
    before_ns_[h] = bound;
    if (hosts[h].partner == no_index) continue;
    bound = start(h) > latest - slack_ns ? start(h) : start(h) + slack_ns;
  }
}

void Between::take(std::uint32_t host, std::uint32_t event, bool sure) {
  calls_.pair(host, event);
  if (report_.evidence.places > 1) sure = false;  // the pair depends on the choice of the place
  ++(sure ? report_.matched_by_order : report_.matched_by_order_unsure);
}

// Returns the events next to the pair at one end that may belong to `hosts`: not many more than `hosts`, inside the
// time bounds, and before the first one with a number of another step.
Positions Between::near(Positions hosts, Positions events, Ends ends) const {
  if (ends == Ends::both || hosts.empty()) return events;
  const std::size_t most = 2 * hosts.size() + 64;
  const auto& all = calls_.events.all;
  const std::int64_t after = after_ns_[hosts.front()], before = before_ns_[hosts.back()];
  std::size_t count = 0;
  while (count < events.size() && count < most) {
    const Call& e = all[ends == Ends::left ? events[count] : events[events.size() - count - 1]];
    if (foreign(e) || e.start_ns < after || e.start_ns > before) break;
    ++count;
  }
  return ends == Ends::left ? events.first(count) : events.last(count);
}

// Drops pairs after a jump over many events, as they probably belong to another step.
void Between::keep_near(std::vector<TokenPair>& pairs) const {
  constexpr std::uint32_t far = 16;
  TokenPair at{0, 0};
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (pairs[i].b - at.b > far + 2 * (pairs[i].a - at.a)) {
      pairs.resize(i);
      return;
    }
    at = pairs[i];
  }
}

void Between::pair_aligned(const std::vector<std::uint32_t>& hosts, const std::vector<std::uint32_t>& events,
                           Ends ends) {
  std::vector<std::uint32_t> a = tokens_of(host_tokens_, hosts), b = tokens_of(event_tokens_, events);
  const bool backwards = ends == Ends::right;
  if (backwards) std::reverse(a.begin(), a.end()), std::reverse(b.begin(), b.end());
  std::vector<TokenPair> pairs = align(a, b);
  if (ends != Ends::both) keep_near(pairs);
  if (pairs.empty()) return;
  if (ends != Ends::both) b.resize(pairs.back().b + 1);
  const bool all_paired = a.size() == b.size() && pairs.size() == a.size();
  const Surplus own = surplus_ != nullptr || all_paired ? Surplus() : surplus(a, b);
  const Surplus& counts = surplus_ != nullptr ? *surplus_ : own;
  for (const TokenPair& p : pairs) {
    const auto count = counts.find(a[p.a]);
    const bool sure = count == counts.end() || count->second == 0;
    take(hosts[backwards ? a.size() - p.a - 1 : p.a], events[backwards ? events.size() - p.b - 1 : p.b], sure);
  }
}

void Between::stretch(Positions hosts, Positions events, Ends ends) {
  if (hosts.empty() || events.empty()) return;
  const std::vector<std::uint32_t> open_hosts = open_ones(calls_.hosts, hosts);
  if (open_hosts.empty()) return;
  const std::vector<std::uint32_t> open_events = open_ones(calls_.events, near(open_hosts, events, ends));
  if (!open_events.empty()) pair_aligned(open_hosts, open_events, ends);
}

// Returns the pairs of the two threads that are in order.
std::vector<Between::Fixed> Between::fixed_pairs(Positions hosts, Positions events) const {
  std::vector<Fixed> found;
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < hosts.size(); ++i) {
    const std::uint32_t partner = calls_.hosts.all[hosts[i]].partner;
    if (partner == no_index) continue;
    const auto at = std::lower_bound(events.begin(), events.end(), partner);
    if (at == events.end() || *at != partner) continue;
    found.push_back({i, static_cast<std::uint32_t>(at - events.begin())});
    order.push_back(found.back().event);
  }
  std::vector<Fixed> out;
  for (const std::uint32_t i : longest_ascending(order)) out.push_back(found[i]);
  return out;
}

void Between::pair_thread(Positions hosts, Positions events) {
  std::uint32_t host = 0, event = 0;
  bool first = true;
  for (const Fixed& f : fixed_pairs(hosts, events)) {
    stretch(hosts.subspan(host, f.host - host), events.subspan(event, f.event - event),
            first ? Ends::right : Ends::both);
    host = f.host + 1, event = f.event + 1;
    first = false;
  }
  if (!first) stretch(hosts.subspan(host), events.subspan(event), Ends::left);
}

Positions Between::within_bounds(Positions hosts, Positions events) const {
  const auto& all = calls_.events.all;
  const auto begins = [&](std::uint32_t e, std::int64_t ns) { return all[e].start_ns < ns; };
  const std::int64_t after = after_ns_[hosts.front()], before = before_ns_[hosts.back()];
  auto begin = std::lower_bound(events.begin(), events.end(), after, begins);
  auto end = std::upper_bound(begin, events.end(), before,
                              [&](std::int64_t ns, std::uint32_t e) { return ns < all[e].start_ns; });
  // On a side without a bound, the events end before the first one with a number of another step.
  if (after != earliest && before == latest) {
    end = std::find_if(begin, end,
                       [&](std::uint32_t e) { return foreign(all[e]) && all[e].start_ns > after + slack_ns; });
  } else if (after == earliest && before != latest) {
    const auto back = std::find_if(std::reverse_iterator(end), std::reverse_iterator(begin), [&](std::uint32_t e) {
      return foreign(all[e]) && before - all[e].start_ns > slack_ns;
    });
    begin = back.base();
  }
  return {begin, end};
}

// Pairs a thread without a pair at the place that fits its names best.
void Between::place_thread(Positions hosts, Positions events) {
  const std::vector<std::uint32_t> open_hosts = open_ones(calls_.hosts, hosts),
                                   open_events = open_ones(calls_.events, events);
  const std::vector<std::uint32_t> a = tokens_of(host_tokens_, open_hosts),
                                   b = tokens_of(event_tokens_, open_events);
  const Alignment place = find_place(a, b);
  if (place.alike > 1) report_.evidence.places = std::max<std::uint64_t>(report_.evidence.places, place.alike);
  const Surplus of_thread = surplus(a, b);
  surplus_ = &of_thread;
  for (const TokenPair& p : place.pairs) take(open_hosts[p.a], open_events[p.b], of_thread.at(a[p.a]) == 0);
  pair_thread(open_hosts, open_events);
  surplus_ = nullptr;
}

// Splits the hosts into parts before, among and after the pairs of other threads; each part has its own bounds.
std::vector<Positions> Between::parts(Positions hosts) const {
  const auto before =
      std::partition_point(hosts.begin(), hosts.end(), [&](std::uint32_t h) { return after_ns_[h] == earliest; });
  const auto behind =
      std::partition_point(before, hosts.end(), [&](std::uint32_t h) { return before_ns_[h] != latest; });
  std::vector<Positions> out;
  for (const Positions part :
       {Positions(hosts.begin(), before), Positions(before, behind), Positions(behind, hosts.end())}) {
    if (!part.empty()) out.push_back(part);
  }
  return out;
}

// Returns the threads with the most calls, the largest first, limited to the number that is compared pairwise.
std::vector<std::uint32_t> greatest(const std::vector<std::uint32_t>& from, const Calls& side) {
  constexpr std::size_t most = 64;
  std::vector<std::uint32_t> out = from;
  const auto size = [&](std::uint32_t t) { return side.by_thread[t].size(); };
  std::ranges::stable_sort(out, std::greater<>(), size);
  if (out.size() > most) out.resize(most);
  return out;
}

// Returns the number of tokens of b that `left` counts, each counted once.
std::size_t common(std::unordered_map<std::uint32_t, std::size_t> left, const std::vector<std::uint32_t>& b) {
  std::size_t count = 0;
  for (const std::uint32_t t : b) {
    const auto at = left.find(t);
    if (at == left.end() || at->second == 0) continue;
    --at->second;
    ++count;
  }
  return count;
}

// Pairs each thread with the one that has most of its names. The largest threads come first, as their places bound
// the others.
void Between::pair_rest(const std::vector<std::uint32_t>& threads) {
  std::vector<std::uint32_t> without, free;
  for (std::uint32_t t = 0; t < threads.size(); ++t) {
    if (threads[t] == no_index && !calls_.hosts.by_thread[t].empty()) without.push_back(t);
  }
  std::vector<bool> taken(calls_.events.by_thread.size());
  for (const std::uint32_t t : threads) {
    if (t != no_index) taken[t] = true;
  }
  for (std::uint32_t t = 0; t < taken.size(); ++t) {
    if (!taken[t] && !calls_.events.by_thread[t].empty()) free.push_back(t);
  }
  free = greatest(free, calls_.events);
  for (const std::uint32_t t : greatest(without, calls_.hosts)) {
    const std::vector<Positions> hosts = parts(calls_.hosts.by_thread[t]);
    std::vector<std::unordered_map<std::uint32_t, std::size_t>> tokens(hosts.size());
    for (std::size_t i = 0; i < hosts.size(); ++i) {
      for (const std::uint32_t h : hosts[i]) ++tokens[i][host_tokens_[h]];
    }
    std::size_t most = 0;
    std::uint32_t best = no_index;
    for (const std::uint32_t e : free) {
      if (taken[e]) continue;
      std::size_t count = 0;
      for (std::size_t i = 0; i < hosts.size(); ++i) {
        const std::vector<std::uint32_t> events =
            open_ones(calls_.events, within_bounds(hosts[i], calls_.events.by_thread[e]));
        count += common(tokens[i], tokens_of(event_tokens_, events));
      }
      if (count > most) most = count, best = e;
    }
    if (best == no_index) continue;
    taken[best] = true;
    for (const Positions part : hosts) place_thread(part, within_bounds(part, calls_.events.by_thread[best]));
    find_bounds();
  }
}

void Between::run() {
  number_tokens();
  find_bounds();
  std::vector<std::uint32_t> threads = threads_by_partners(calls_);
  for (std::uint32_t t = 0; t < threads.size(); ++t) {
    if (threads[t] != no_index) pair_thread(calls_.hosts.by_thread[t], calls_.events.by_thread[threads[t]]);
  }
  find_bounds();
  pair_rest(threads);
}

}  // namespace

void pair_between(BothCalls& calls, bool same_numbers, LinkReport& report) {
  Between(calls, same_numbers, report).run();
}

}  // namespace convert
