// SPDX-License-Identifier: MIT
#include "simulate/symmetry/expand.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "config/network/wire_numbers.h"

namespace convert {
namespace {

// Finds the collectives of the groups that the representatives' collectives represent.
class Collectives {
 public:
  Collectives(const ReplayProgram& program, const Equivalence& equivalence)
      : program_(program), equivalence_(equivalence) {}

  void add(const CalledCollective& called, const std::vector<Caller>& first_callers) {
    const std::uint32_t group = program_.plans[called.run.plan].call.group;
    const std::vector<std::uint32_t>& images = equivalence_.group_images[group];
    if (images.empty()) all_.push_back(called);
    if (program_.ranks.size() > program_.options.list_all_up_to && !program_.options.timeline && !images.empty()) {
      all_.push_back(called);
      all_.back().alike = static_cast<std::uint32_t>(images.size());
      return;
    }
    for (const std::uint32_t image : images) {
      CalledCollective& c = all_.emplace_back(called);
      const Caller first = first_of(image, first_callers);
      c.run.first_npu = first.npu;
      c.run.first_op = first.op;
      c.run.plan = plan_of(called.run.plan, image);
    }
  }
  [[nodiscard]] std::vector<CalledCollective> take() { return std::move(all_); }

 private:
  [[nodiscard]] Caller first_of(std::uint32_t group, const std::vector<Caller>& callers) const {
    for (const auto& [r, place] : program_.groups[group].places) {
      const Rank representative = equivalence_.ranks.representative(r);
      const auto caller =
          std::find_if(callers.begin(), callers.end(), [&](const auto& c) { return c.npu == representative; });
      if (caller != callers.end()) return {r, caller->op};
    }
    return callers.front();
  }

  // Returns the same call of another group.
  std::uint32_t plan_of(std::uint32_t plan, std::uint32_t group) {
    if (program_.plans[plan].call.group == group) return plan;
    if (plans_.empty()) {
      for (std::uint32_t p = 0; p < program_.plans.size(); ++p) {
        for (const bool same_source : {true, false})
          plans_.emplace(key(program_.plans[p].call, program_.plans[p].call.group, same_source), p);
      }
    }
    const CollectiveCall& call = program_.plans[plan].call;
    const auto same = plans_.find(key(call, group, true));
    return same != plans_.end() ? same->second : plans_.at(key(call, group, false));
  }
  using Key = std::tuple<std::uint32_t, Collective, std::int64_t, std::uint64_t, bool, std::uint32_t, std::uint32_t,
                         std::int32_t, std::string>;
  // Equivalent groups may run the same algorithm from different files.
  [[nodiscard]] Key key(const CollectiveCall& c, std::uint32_t group, bool with_source) const {
    return {group,  c.op,          c.bytes,
            c.dims, c.custom != 0, c.list,
            c.root, c.priority,    with_source && c.custom != 0 ? program_.customs[c.custom - 1].source : ""};
  }

  const ReplayProgram& program_;
  const Equivalence& equivalence_;
  std::vector<CalledCollective> all_;
  std::map<Key, std::uint32_t> plans_;
};

// Sets the real peers of representatives, which may be ranks other than representatives.
void set_peers(Timeline& timeline, const ReplayProgram& program) {
  for (Slice& s : timeline.slices) {
    if (s.lane != Lane::send && s.lane != Lane::recv) continue;
    const RankProgram& rank = program.ranks[s.rank];
    const RankCode& code = *rank.code;
    const std::size_t node =
        code.ids.empty() ? s.node
                         : static_cast<std::size_t>(std::ranges::lower_bound(code.ids, s.node) - code.ids.begin());
    if (s.peer >= 0) s.peer = static_cast<std::int32_t>(rank.peers[code.ops[node].channel]);
  }
}

std::vector<PairTraffic> expand(const std::vector<PairTraffic>& traffic, const Symmetry& symmetry, Rank ranks) {
  std::vector<PairTraffic> all;
  const auto of = [&](Rank src) { return std::ranges::equal_range(traffic, src, {}, &PairTraffic::src); };
  for (Rank r = 0; r < ranks; ++r) {
    const auto first = static_cast<std::ptrdiff_t>(all.size());
    for (const PairTraffic& t : of(symmetry.representative(r)))
      all.push_back({r, symmetry.forth(t.dst, r, t.exchange), t.bytes, t.messages});
    std::sort(all.begin() + first, all.end(),
              [](const PairTraffic& a, const PairTraffic& b) { return a.dst < b.dst; });
    auto last = all.begin() + first;
    for (auto t = last; t != all.end(); ++t) {
      if (t == last) continue;
      if (t->dst == last->dst) {
        last->bytes += t->bytes;
        last->messages += t->messages;
      } else {
        *++last = *t;
      }
    }
    if (last != all.end()) all.erase(last + 1, all.end());
  }
  return all;
}

// Gives each link the traffic of the representative's link.
void expand_wires(ReplayResult& result, const Symmetry& symmetry, const NetworkConfig& network) {
  if (result.wires.empty()) return;
  const ProductWires numbers(network);
  std::vector<WireUse> all;
  std::vector<std::uint8_t> bins;
  const std::size_t each = result.wire_bins.empty() ? 0 : result.wire_bins_each;
  for (std::uint32_t wire = 0; wire < numbers.wires(); ++wire) {
    const std::uint32_t own = representative_wire(numbers, symmetry, wire);
    const auto use = std::ranges::lower_bound(result.wires, own, {}, &WireUse::wire);
    if (use == result.wires.end() || use->wire != own) continue;
    WireUse& w = all.emplace_back(*use);
    w.wire = wire;
    std::tie(w.from_device, w.to_device) = numbers.ends(wire);
    w.from = numbers.device_name(w.from_device);
    w.to = numbers.device_name(w.to_device);
    const auto row = result.wire_bins.begin() + (use - result.wires.begin()) * static_cast<std::ptrdiff_t>(each);
    bins.insert(bins.end(), row, row + static_cast<std::ptrdiff_t>(each));
  }
  result.wires = std::move(all);
  result.wire_bins = std::move(bins);
}

}  // namespace

ReplayOutcome expand(ReplayOutcome reduced, const FirstCallers& first_callers, const Equivalence& equivalence,
                     const ReplayProgram& program) {
  ReplayOutcome all{.result = std::move(reduced.result), .called = {}};
  std::vector<NpuResult> npus(program.ranks.size());
  for (Rank r = 0; r < npus.size(); ++r) npus[r] = all.result.npus[equivalence.ranks.representative(r)];
  all.result.npus = std::move(npus);
  all.result.classes = equivalence.ranks.classes();
  Collectives collectives(program, equivalence);
  for (std::size_t run = 0; run < reduced.called.size(); ++run)
    collectives.add(reduced.called[run], first_callers[run]);
  all.called = collectives.take();
  set_peers(all.result.timeline, program);
  all.result.traffic = expand(all.result.traffic, equivalence.ranks, static_cast<Rank>(program.ranks.size()));
  expand_wires(all.result, equivalence.ranks, program.network);
  return all;
}

}  // namespace convert
