// SPDX-License-Identifier: MIT
#include "passes/link/matching.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <tuple>
#include <unordered_set>

#include "core/id_lookup.h"
#include "core/process_group.h"
#include "passes/link/anchors.h"
#include "passes/link/between.h"
#include "passes/link/calls.h"
#include "util/huge_pages.h"

namespace convert {
namespace {

constexpr std::uint32_t none = Matching::none;

std::optional<std::uint64_t> id_of(const Profile::CpuOp& e) {  // 0 stands for none, as the profiler writes it
  return e.rf_id > 0 ? std::optional(static_cast<std::uint64_t>(e.rf_id)) : std::nullopt;
}

class ById {
 public:
  ById(const Trace& host, const HostOperators& operators, const Profile& device, Matching& matching)
      : host_(host), operators_(operators), device_(device), matching_(matching) {}

  // Pairs what has one id and name, if the ids hold. Counts agreement in any case.
  void match(LinkReport& report);

 private:
  struct Further {  // events of an id that an earlier one has
    std::int64_t rf_id;
    std::string_view name;
    std::uint32_t event;
    bool operator<(const Further& o) const {
      return std::tie(rf_id, name, event) < std::tie(o.rf_id, o.name, o.event);
    }
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
  std::vector<std::uint32_t> taken_;  // of those that begin at a place of further_
  std::uint64_t same_ = 0;            // ids of one name
  std::uint64_t differ_ = 0;          // … of another name
  std::uint64_t contradicted_ = 0;    // among the same: sequence numbers differ
};

// Where a profiler was restarted: by id and name, in the order of the file.
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
  if (begin == further_.end()) return none;
  const auto place = static_cast<std::size_t>(begin - further_.begin());
  const std::size_t next = place + taken_[place];
  if (next == further_.size() || further_[next].rf_id != rf_id || further_[next].name != name) return none;
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
    if (found == none) continue;
    const std::string_view name = host_.nodes.name(host_.nodes.nodes[h]);
    if (matching_.host_of[found] != none || device_.name(events[found]) != name)
      found = take_further(facts.rf_id, name);
    if (found == none) {
      ++differ_;
      continue;
    }
    ++same_;
    if (other_sequence(h, found)) ++contradicted_;
    matching_.pair(h, found);
  }
}

// Numbers that count different things agree now and then: mostly another operator has the id then, or the same one
// of another step.
void ById::judge() {
  matching_.ids_hold = same_ > 0 && same_ >= differ_ && contradicted_ <= same_ - contradicted_;
  if (!matching_.ids_hold) {
    std::fill(matching_.event_of.begin(), matching_.event_of.end(), none);
    std::fill(matching_.host_of.begin(), matching_.host_of.end(), none);
    return;
  }
  if (contradicted_ == 0) return;
  for (std::uint32_t h = 0; h < matching_.event_of.size(); ++h) {
    const std::uint32_t event = matching_.event_of[h];
    if (event == none || !other_sequence(h, event)) continue;
    matching_.host_of[event] = none;
    matching_.event_of[h] = none;
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
  if (hosts != 0) evidence.host_ids.add(matching_.lowest_rf), evidence.host_ids.add(matching_.highest_rf);
  evidence.with_id = std::min(hosts, events);
  if (evidence.with_id == 0) return;
  find_pairs();
  evidence.agree_by_id = same_ - contradicted_;
  judge();
  if (matching_.ids_hold) report.matched_by_id = same_ - contradicted_;
}

// Whether an operator and an event are left that could be one: with one name, and not told apart by ids that hold.
bool anything_left(const Trace& host, const HostOperators& operators, const Profile& device, const Matching& m) {
  std::unordered_set<std::string_view> names;
  for (std::uint32_t e = 0; e < m.host_of.size(); ++e) {
    const Profile::CpuOp& event = device.cpu_ops[e];
    if (m.host_of[e] == none && !(m.ids_hold && event.rf_id > 0)) names.insert(device.name(event));
  }
  if (names.empty()) return false;
  return std::any_of(operators.by_id.begin(), operators.by_id.end(), [&](std::uint32_t h) {
    return m.event_of[h] == none && !operators.of_node[h].structure &&
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
    if (e.sequence < 0) continue;
    ++events;
    evidence.profile_sequences.add(e.sequence);
  }
  evidence.with_sequence = std::min(hosts, events);
}

void note_coverage(const Trace& host, const HostOperators& operators, const Profile& device,
                   const Matching& matching, LinkReport::Coverage& coverage) {
  struct {
    std::uint64_t count = 0, numbered = 0;
    LinkReport::Range nodes;
  } since;  // the last one with an event
  for (const std::uint32_t h : operators.by_id) {
    const Node& node = host.nodes.nodes[h];
    const HostOperators::Facts& facts = operators.of_node[h];
    if (facts.structure || announces_groups(host.nodes.name(node))) continue;
    ++coverage.operators;
    if (facts.sequence >= 0) ++since.numbered;
    const std::uint32_t event = matching.event_of[h];
    if (event == none) {
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

}  // namespace

Matching match_calls(const Trace& host, const HostOperators& operators, const Profile& device, LinkReport& report) {
  Matching m;
  assign_huge(m.event_of, host.nodes.nodes.size(), none);
  assign_huge(m.host_of, device.cpu_ops.size(), none);
  note_sequences(operators, device, report.evidence);
  ById(host, operators, device, m).match(report);
  if (!anything_left(host, operators, device, m)) return m;
  BothCalls calls = both_calls(host, operators, device, m);
  const bool same_numbers = pair_by_sequence(calls, report);
  report.evidence.another_step = !m.ids_hold && !same_numbers && report.evidence.apart();
  pair_between(calls, same_numbers, report);
  for (const Call& c : calls.hosts.all) {
    if (c.partner != Call::none && m.event_of[c.index] == none) m.pair(c.index, calls.events.all[c.partner].index);
  }
  return m;
}

void report_unmatched(const Trace& host, const HostOperators& operators, const Profile& device,
                      const Matching& matching, LinkReport& report) {
  note_coverage(host, operators, device, matching, report.coverage);
  const auto& events = device.cpu_ops;
  const bool any =
      std::any_of(matching.event_of.begin(), matching.event_of.end(), [](auto e) { return e != none; });
  const IdLookup by_rf_id(matching.ids_hold ? events.size() : 0, [&](std::size_t i) { return id_of(events[i]); });
  const LinkReport::Range& profiled = report.evidence.profile_ids;
  for (const std::uint32_t h : operators.by_id) {
    const HostOperators::Facts& facts = operators.of_node[h];
    if (matching.event_of[h] != none || facts.structure) continue;
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
    if (matching.host_of[e] == none)
      report.add(Unmatched::event_without_host, static_cast<std::uint64_t>(events[e].external_id),
                 device.name(events[e]));
  }
}

}  // namespace convert
