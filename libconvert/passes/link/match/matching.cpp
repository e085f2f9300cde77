// SPDX-License-Identifier: MIT
#include "passes/link/match/matching.h"

#include <algorithm>
#include <compare>
#include <limits>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "core/id_lookup.h"
#include "core/process_group.h"
#include "passes/link/match/calls.h"
#include "util/huge_pages.h"

namespace convert {
namespace {

std::optional<std::uint64_t> id_of(const Profile::CpuOp& e) {  // the profiler writes 0 for a missing id
  return e.rf_id > 0 ? std::optional(static_cast<std::uint64_t>(e.rf_id)) : std::nullopt;
}

class ById {
 public:
  ById(const Trace& host, const HostOperators& operators, const Profile& device, Matching& matching)
      : host_(host), operators_(operators), device_(device), matching_(matching) {}

  // Pairs operators and events with the same id and name, if ids hold. Always counts the agreements.
  void match(LinkReport& report);

 private:
  struct Further {  // an event with the id of an earlier one
    std::int64_t rf_id;
    std::string_view name;
    std::uint32_t event;
    auto operator<=>(const Further&) const = default;
  };

  void find_pairs();
  void find_further(const IdLookup& by_rf_id);
  [[nodiscard]] std::uint32_t take_further(std::int64_t rf_id, std::string_view name);
  void judge();
  [[nodiscard]] bool other_sequence(std::uint32_t node, std::uint32_t event) const {
    const std::int64_t here = operators_.of_node[node].sequence, there = device_.cpu_ops[event].sequence;
    return here >= 0 && there >= 0 && here != there;
  }

  const Trace& host_;
  const HostOperators& operators_;
  const Profile& device_;
  Matching& matching_;
  std::vector<Further> further_;
  // by the first position of an id and name in further_: number of paired events
  std::vector<std::uint32_t> taken_;
  std::uint64_t same_ = 0;          // ids with the same name in both files
  std::uint64_t differ_ = 0;        // ids with different names
  std::uint64_t contradicted_ = 0;  // same-name ids whose sequence numbers differ
};

// Lists the events that repeat an id, as written by a restarted profiler: by id and name, in file order.
void ById::find_further(const IdLookup& by_rf_id) {
  const auto& events = device_.cpu_ops;
  for (std::uint32_t i = 0; i < events.size(); ++i) {
    if (events[i].rf_id > 0 && by_rf_id.find(static_cast<std::uint64_t>(events[i].rf_id)) != i)
      further_.push_back({events[i].rf_id, device_.name(events[i]), i});
  }
  std::sort(further_.begin(), further_.end());
  taken_.resize(further_.size());
}

std::uint32_t ById::take_further(std::int64_t rf_id, std::string_view name) {
  const auto begin = std::lower_bound(further_.begin(), further_.end(), Further{rf_id, name, 0});
  if (begin == further_.end()) return no_index;
  const auto place = static_cast<std::size_t>(begin - further_.begin());
  const std::size_t next = place + taken_[place];
  if (next == further_.size() || further_[next].rf_id != rf_id || further_[next].name != name) return no_index;
  ++taken_[place];
  return further_[next].event;
}

void ById::find_pairs() {
  const auto& events = device_.cpu_ops;
  const IdLookup by_rf_id(events.size(), [&](std::size_t i) { return id_of(events[i]); });
  if (by_rf_id.repeated()) find_further(by_rf_id);
  for (const std::uint32_t h : operators_.by_id) {
    const HostOperators::Facts& facts = operators_.of_node[h];
    if (facts.structure || facts.rf_id <= 0) continue;
    std::uint32_t found = by_rf_id.find(static_cast<std::uint64_t>(facts.rf_id));
    if (found == no_index) continue;
    const std::string_view name = host_.nodes.name(host_.nodes.nodes[h]);
    if (matching_.host_of[found] != no_index || device_.name(events[found]) != name)
      found = take_further(facts.rf_id, name);
    if (found == no_index) {
      ++differ_;
      continue;
    }
    ++same_;
    if (other_sequence(h, found)) ++contradicted_;
    matching_.pair(h, found);
  }
}

// Decides whether ids hold. Ids that count different things agree by accident too, but then mostly belong to
// another operator, or to the same operator in another step.
void ById::judge() {
  matching_.ids_hold = same_ > 0 && same_ >= differ_ && contradicted_ <= same_ - contradicted_;
  if (!matching_.ids_hold) {
    std::fill(matching_.event_of.begin(), matching_.event_of.end(), no_index);
    std::fill(matching_.host_of.begin(), matching_.host_of.end(), no_index);
    return;
  }
  if (contradicted_ == 0) return;
  for (std::uint32_t h = 0; h < matching_.event_of.size(); ++h) {
    const std::uint32_t event = matching_.event_of[h];
    if (event == no_index || !other_sequence(h, event)) continue;
    matching_.host_of[event] = no_index;
    matching_.event_of[h] = no_index;
  }
}

void ById::match(LinkReport& report) {
  LinkReport::Evidence& evidence = report.evidence;
  std::uint64_t hosts = 0, events = 0;
  matching_.lowest_rf = std::numeric_limits<std::int64_t>::max();
  for (const HostOperators::Facts& f : operators_.of_node) {
    if (f.structure || f.rf_id <= 0) continue;
    ++hosts;
    matching_.lowest_rf = std::min(matching_.lowest_rf, f.rf_id);
    matching_.highest_rf = std::max(matching_.highest_rf, f.rf_id);
  }
  for (const Profile::CpuOp& e : device_.cpu_ops) {
    if (e.rf_id <= 0) continue;
    ++events;
    evidence.profile_ids.add(e.rf_id);
  }
  evidence.with_id = std::min(hosts, events);
  if (evidence.with_id == 0) return;
  find_pairs();
  evidence.agree_by_id = same_ - contradicted_;
  judge();
  if (matching_.ids_hold) report.matched_by_id = same_ - contradicted_;
}

// Returns whether an operator and an event remain that may be one call: with the same name, and not distinguished
// by ids.
bool anything_left(const Trace& host, const HostOperators& operators, const Profile& device, const Matching& m) {
  std::unordered_set<std::string_view> names;
  for (std::uint32_t e = 0; e < m.host_of.size(); ++e) {
    const Profile::CpuOp& event = device.cpu_ops[e];
    if (m.host_of[e] == no_index && !(m.ids_hold && event.rf_id > 0)) names.insert(device.name(event));
  }
  if (names.empty()) return false;
  return std::any_of(operators.by_id.begin(), operators.by_id.end(), [&](std::uint32_t h) {
    return m.event_of[h] == no_index && !operators.of_node[h].structure &&
           names.contains(host.nodes.name(host.nodes.nodes[h]));
  });
}

void note_sequences(const HostOperators& operators, const Profile& device, LinkReport::Evidence& evidence) {
  std::uint64_t hosts = 0, events = 0;
  for (const HostOperators::Facts& f : operators.of_node) {
    if (f.structure) continue;
    ++evidence.operators;
    if (f.sequence < 0) continue;
    ++hosts;
    evidence.host_sequences.add(f.sequence);
  }
  for (const Profile::CpuOp& e : device.cpu_ops) {
    if (e.sequence >= 0) ++events;
  }
  evidence.with_sequence = std::min(hosts, events);
}

std::vector<std::int64_t> ascending(std::vector<std::int64_t> numbers) {
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

// Returns the ranges of the numbers if the files' ranges do not overlap, or the profile covers hardly any of the
// host's range.
std::optional<LinkReport::AnotherStep> lie_apart(const std::vector<std::int64_t>& host,
                                                 const std::vector<std::int64_t>& profile) {
  if (host.empty() || profile.empty()) return std::nullopt;
  LinkReport::AnotherStep out;
  out.host = {host.front(), host.back()};
  const LinkReport::Range all{profile.front(), profile.back()};
  if (out.host.apart(all)) {
    out.profile = {all};
    return out;
  }
  const auto begin = std::lower_bound(profile.begin(), profile.end(), host.front());
  const auto end = std::upper_bound(begin, profile.end(), host.back());
  out.within = static_cast<std::uint64_t>(end - begin);
  // The steps before and after may share its first and last number.
  std::uint64_t ends = 0;
  if (begin != end) ends = (*begin == host.front() ? 1U : 0U) + (*(end - 1) == host.back() ? 1U : 0U);
  const std::size_t fewer = std::min(host.size(), profile.size());
  if (4 * out.within > fewer || (out.within > ends && 8 * (out.within - ends) > fewer)) return std::nullopt;
  if (begin != profile.begin()) out.profile.push_back({profile.front(), *(begin - 1)});
  if (end != profile.end()) out.profile.push_back({*end, profile.back()});
  return out;
}

std::optional<LinkReport::AnotherStep> find_another_step(const HostOperators& operators, const Profile& device,
                                                         const LinkReport::Evidence& evidence) {
  const bool by_sequence = evidence.with_sequence != 0;
  std::vector<std::int64_t> hosts, events;
  for (const HostOperators::Facts& f : operators.of_node) {
    if (f.structure) continue;
    if (by_sequence ? f.sequence >= 0 : f.rf_id > 0) hosts.push_back(by_sequence ? f.sequence : f.rf_id);
  }
  for (const Profile::CpuOp& e : device.cpu_ops) {
    if (by_sequence ? e.sequence >= 0 : e.rf_id > 0) events.push_back(by_sequence ? e.sequence : e.rf_id);
  }
  auto found = lie_apart(ascending(std::move(hosts)), ascending(std::move(events)));
  if (found) found->by_sequence = by_sequence;
  return found;
}

void note_coverage(const Trace& host, const HostOperators& operators, const Profile& device,
                   const Matching& matching, LinkReport::Coverage& coverage) {
  struct {
    std::uint64_t count = 0, numbered = 0;
    LinkReport::Range nodes;
  } since;  // counts since the last operator with an event
  for (const std::uint32_t h : operators.by_id) {
    const Node& node = host.nodes.nodes[h];
    const HostOperators::Facts& facts = operators.of_node[h];
    if (facts.structure || announces_groups(host.nodes.name(node))) continue;
    ++coverage.operators;
    if (facts.sequence >= 0) ++since.numbered;
    const std::uint32_t event = matching.event_of[h];
    if (event == no_index) {
      ++since.count;
      since.nodes.add(static_cast<std::int64_t>(node.id));
      continue;
    }
    if (coverage.with_event++ == 0) {
      coverage.before = since.count;
      coverage.before_nodes = since.nodes;
      since.numbered = facts.sequence >= 0 ? 1 : 0;
    }
    coverage.numbered += since.numbered;
    if (facts.sequence >= 0 && facts.sequence == device.cpu_ops[event].sequence) ++coverage.agreeing;
    since = {};
  }
  if (coverage.with_event == 0) return;
  coverage.behind = since.count;
  coverage.behind_nodes = since.nodes;
}

using Spans = std::vector<LinkReport::Range>;  // by thread: from the first to the last position with a partner

void note_hosts_inside(const Trace& host, const HostOperators& operators, const Matching& matching,
                       LinkReport::Coverage& coverage) {
  constexpr std::int64_t user_scope = 7;
  Spans spans(operators.tids.size());
  const auto thread = [&](std::size_t place) { return operators.of_node[operators.by_id[place]].thread; };
  const auto matched = [&](std::size_t place) { return matching.event_of[operators.by_id[place]] != no_index; };
  for (std::size_t i = 0; i < operators.by_id.size(); ++i) {
    if (matched(i)) spans[thread(i)].add(static_cast<std::int64_t>(i));
  }
  for (std::size_t i = 0; i < operators.by_id.size(); ++i) {
    if (!spans[thread(i)].holds(static_cast<std::int64_t>(i))) continue;
    const Node& node = host.nodes.nodes[operators.by_id[i]];
    if (operators.of_node[operators.by_id[i]].structure || announces_groups(host.nodes.name(node))) continue;
    if (!matched(i)) {
      const IntValue scope = int_value(host.nodes.attributes(node), attr::scope);
      if (scope && scope.value == user_scope) continue;
      ++coverage.inside_without;
    }
    ++coverage.inside;
  }
}

// Counts events. If ids hold, events without an id are the profiler's own.
void note_events_inside(const Profile& device, const Matching& matching, LinkReport::Coverage& coverage) {
  Spans spans(device.threads.size());
  const auto& events = device.cpu_ops;
  for (std::size_t e = 0; e < events.size(); ++e) {
    if (matching.host_of[e] != no_index) spans[events[e].thread].add(events[e].start_ns);
  }
  for (std::size_t e = 0; e < events.size(); ++e) {
    const Profile::CpuOp& op = events[e];
    if (!spans[op.thread].holds(op.start_ns)) continue;
    if (matching.host_of[e] == no_index) {
      if (op.annotation || (matching.ids_hold && op.rf_id < 0)) continue;
      ++coverage.foreign;
    }
    ++coverage.profiled_inside;
  }
}

}  // namespace

Matching match_calls(const Trace& host, const HostOperators& operators, const Profile& device, LinkReport& report) {
  Matching m;
  assign_huge(m.event_of, host.nodes.nodes.size(), no_index);
  assign_huge(m.host_of, device.cpu_ops.size(), no_index);
  note_sequences(operators, device, report.evidence);
  ById(host, operators, device, m).match(report);
  if (!anything_left(host, operators, device, m)) return m;
  BothCalls calls = both_calls(host, operators, device, m);
  const bool same_numbers = pair_by_sequence(calls, report);
  if (!m.ids_hold && !same_numbers)
    report.evidence.another_step = find_another_step(operators, device, report.evidence);
  pair_between(calls, same_numbers, report);
  for (const Call& c : calls.hosts.all) {
    if (c.partner != no_index && m.event_of[c.index] == no_index)
      m.pair(c.index, calls.events.all[c.partner].index);
  }
  return m;
}

void report_unmatched(const Trace& host, const HostOperators& operators, const Profile& device,
                      const Matching& matching, LinkReport& report) {
  note_coverage(host, operators, device, matching, report.coverage);
  note_hosts_inside(host, operators, matching, report.coverage);
  note_events_inside(device, matching, report.coverage);
  const auto& events = device.cpu_ops;
  const bool any =
      std::any_of(matching.event_of.begin(), matching.event_of.end(), [](auto e) { return e != no_index; });
  const IdLookup by_rf_id(matching.ids_hold ? events.size() : 0, [&](std::size_t i) { return id_of(events[i]); });
  const LinkReport::Range& profiled = report.evidence.profile_ids;
  for (const std::uint32_t h : operators.by_id) {
    const HostOperators::Facts& facts = operators.of_node[h];
    if (matching.event_of[h] != no_index || facts.structure) continue;
    const auto kind = [&] {
      if (!any) return Unmatched::no_host_profiled;
      if (!matching.ids_hold) return Unmatched::host_not_profiled;
      if (facts.rf_id > 0 && by_rf_id.find(static_cast<std::uint64_t>(facts.rf_id)) != IdLookup::none)
        return Unmatched::host_name_differs;
      return profiled.holds(facts.rf_id) ? Unmatched::host_not_profiled : Unmatched::host_outside_profile;
    };
    const Node& node = host.nodes.nodes[h];
    report.add(kind(), node.id, host.nodes.name(node));
  }
  for (std::uint32_t e = 0; e < matching.host_of.size(); ++e) {
    if (matching.host_of[e] == no_index)
      report.add(Unmatched::event_without_host, static_cast<std::uint64_t>(events[e].external_id),
                 device.name(events[e]));
  }
}

}  // namespace convert
