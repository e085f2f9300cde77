// SPDX-License-Identifier: MIT
// Writes places and scripts into a profile.
#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <span>
#include <tuple>
#include <utility>

#include "profile/learn/place_table.h"

namespace convert {
namespace {

// Adds the positions of a piece: means of at least k occurrences; of fewer occurrences, rounded to a tenth.
void add_loose(std::vector<LoosePiece>& to, Symbol symbol, std::vector<double> positions, std::uint32_t k) {
  std::ranges::sort(positions);
  constexpr double tenths = 10, thousandths = 1000;
  for (std::size_t i = 0; i < positions.size();) {
    const std::size_t left = positions.size() - i, n = left >= 2 * std::size_t{k} ? k : left;
    double sum = 0;
    for (std::size_t j = i; j < i + n; ++j) sum += positions[j];
    const double unit = n < k ? tenths : thousandths;
    const double mean = std::floor(sum / static_cast<double>(n) * unit) / unit;
    to.push_back({.symbol = symbol, .count = static_cast<std::uint32_t>(n), .position = static_cast<float>(mean)});
    i += n;
  }
}

std::vector<LoosePiece> loose_pieces(const std::map<Symbol, std::vector<double>>& positions, std::uint32_t k) {
  std::vector<LoosePiece> out;
  for (const auto& [symbol, where] : positions) add_loose(out, symbol, where, k);
  std::ranges::sort(out, {}, [](const LoosePiece& p) { return std::tuple(p.position, p.symbol, p.count); });
  return out;
}

}  // namespace

ProfilePlace PlaceTable::make_place(std::size_t place) const {
  ProfilePlace out;
  std::map<Symbol, std::uint32_t> whole;
  std::map<Symbol, std::vector<double>> loose;
  for (const std::uint32_t g : members_[place]) {
    const std::uint32_t s = segments_.gaps()[g].segment;
    const std::vector<Symbol>& pieces = segments_.pieces()[s].symbols;
    if (pieces.size() <= 1) {
      ++whole[pieces.empty() ? no_index : pieces.front()];
      continue;
    }
    ++out.loose_segments;
    std::uint64_t at = 0;
    for (const Symbol piece : pieces) {
      loose[piece].push_back(static_cast<double>(at) / static_cast<double>(segments_.segments()[s].size()));
      at += segments_.grammar().length(piece);
    }
  }
  for (const auto& [symbol, count] : whole) out.segments.push_back({symbol, count});
  out.loose = loose_pieces(loose, k_);
  constexpr double digits = 1000;
  for (const auto& [lane, factor] : place_factor_[place]) {
    const double rounded = std::round(factor * digits) / digits;
    if (rounded != 1) out.factors.emplace_back(lane, static_cast<float>(rounded));
  }
  return out;
}

// Pieces of gaps without a place are stored with their position in the part.
void PlaceTable::write_rest(WorkloadProfile& profile, ProfileJob::Part kind) const {
  std::map<Symbol, std::vector<double>> positions;
  for (const Part& p : parts_) {
    if (p.kind != kind) continue;
    const auto size = [&](std::uint32_t segment) {
      return static_cast<double>(segments_.segments()[segment].size());
    };
    const auto own = std::span(segments_.gaps()).subspan(p.first, p.calls.size() + 1);
    double length = 0, at = 0;
    for (const SegmentTable::GapUse& g : own) length += size(g.segment);
    for (std::size_t i = 0; i < own.size(); ++i) {
      double piece_at = at;
      at += size(own[i].segment);
      if (place_[p.first + i] != no_index) continue;
      for (const Symbol piece : segments_.pieces()[own[i].segment].symbols) {
        positions[piece].push_back(piece_at / length);
        piece_at += static_cast<double>(segments_.grammar().length(piece));
      }
    }
  }
  profile.rest.at(static_cast<std::size_t>(kind)) = loose_pieces(positions, k_);
}

double PlaceTable::mean_nodes(std::uint32_t place) const {
  double nodes = 0;
  for (const std::uint32_t g : members_[place])
    nodes += static_cast<double>(segments_.segments()[segments_.gaps()[g].segment].size());
  return nodes / static_cast<double>(members_[place].size());
}

// Sets each rank's share of the rest: the nodes that its places lack on average, if a part has gaps without a
// place.
void PlaceTable::fill_up(WorkloadProfile& profile, ProfileJob::Part kind) const {
  const auto part = static_cast<std::size_t>(kind);
  double all = 0;
  for (const LoosePiece& p : profile.rest.at(part))
    all += p.count * static_cast<double>(segments_.grammar().length(p.symbol));
  // By job and rank: lacking nodes, and number of parts with gaps without a place.
  std::vector<std::vector<std::pair<double, double>>> lacking;
  for (const ProfileJob& job : profile.jobs) lacking.emplace_back(job.ranks.size());
  for (std::size_t i = 0; i < parts_.size() && all > 0; ++i) {
    const Part& p = parts_[i];
    if (p.kind != kind) continue;
    double nodes = 0;
    for (const SegmentTable::GapUse& g : std::span(segments_.gaps()).subspan(p.first, p.calls.size() + 1))
      nodes += static_cast<double>(segments_.segments()[g.segment].size());
    bool open = false;
    for (const GapContexts::Of& of : contexts_.find(classes_in_order(i))) {
      const std::uint32_t place = place_of(of);
      open = open || place == no_index;
      if (place != no_index) nodes -= mean_nodes(place);
    }
    const SegmentTable::RankUse& use = segments_.ranks()[p.rank];
    auto& [lack, parts] = lacking[use.job][use.rank];
    lack += nodes;
    parts += open ? 1 : 0;
  }
  for (std::size_t j = 0; j < profile.jobs.size(); ++j) {
    for (const auto& [nodes, parts] : lacking[j]) {
      const double share = all > 0 && parts > 0 ? std::clamp(nodes / parts / all, 0.0, 1.0) : 0;
      profile.jobs[j].rest.at(part).push_back(static_cast<float>(share));
    }
  }
}

// Returns, by part, the dependencies of the calls in the order in which they are written.
std::vector<std::vector<CallWaits>> PlaceTable::waits_of_calls() const {
  std::vector<std::vector<CallWaits>> out(parts_.size());
  for (std::size_t begin = 0, end = 0; begin < parts_.size(); begin = end) {
    while (end < parts_.size() && parts_[end].rank == parts_[begin].rank) ++end;
    const SegmentTable::RankUse& use = segments_.ranks()[parts_[begin].rank];
    const std::vector<std::uint32_t>& recorded = jobs_[use.job].order.places[use.rank];
    std::map<std::uint32_t, std::uint32_t> call;  // by position in the order of the job
    for (std::uint32_t c = 0; c < recorded.size(); ++c) call.emplace(recorded[c], c);
    std::vector<std::uint32_t> place(recorded.size(), no_index);
    std::uint32_t next = 0;
    for (std::size_t i = begin; i < end; ++i) {
      for (const std::uint32_t c : order_[i]) place[call.at(parts_[i].places[c])] = next++;
    }
    std::vector<CallWaits> waits = call_waits(jobs_[use.job].ranks[use.rank], place);
    auto from = waits.begin();
    for (std::size_t i = begin; i < end; ++i) {
      const auto n = static_cast<std::ptrdiff_t>(order_[i].size());
      out[i].assign(std::make_move_iterator(from), std::make_move_iterator(from + n));
      from += n;
    }
  }
  return out;
}

// A step depends on another step under two conditions. It does so in all occurrences of its script, and at least k
// calls of its class depend on a call of the other class at this distance.
void PlaceTable::write_waits(WorkloadProfile& profile, std::span<const std::uint32_t> script_of) const {
  using Key = std::array<std::uint32_t, 3>;  // class, distance back, class there
  const std::vector<std::vector<CallWaits>> waits = waits_of_calls();
  std::map<Key, std::uint32_t> count;
  std::vector<std::vector<CallMask>> always;                                           // by script and step
  std::vector<std::vector<std::set<std::pair<std::uint32_t, std::uint32_t>>>> wanted;  // distance back, class there
  for (const ProfileScript& s : profile.scripts) {
    always.emplace_back(s.steps.size(), CallMask::beyond(0));
    wanted.emplace_back(s.steps.size());
  }
  std::vector<std::uint32_t> before;  // classes of the rank
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    if (i == 0 || parts_[i].rank != parts_[i - 1].rank) before.clear();
    const std::vector<std::uint32_t> classes = classes_in_order(i);
    for (std::size_t c = 0; c < classes.size(); ++c) {
      CallMask all = waits[i][c].all;
      all.add(CallMask::beyond(before.size()));  // positions before the first call
      always[script_of[i]][c].keep(all);
      for (const std::uint32_t back : waits[i][c].nearest) {
        const std::uint32_t there = before[before.size() - back];
        ++count[{messages_[classes[c]], back, messages_[there]}];
        wanted[script_of[i]][c].emplace(back, there);
      }
      before.push_back(classes[c]);
    }
  }
  for (std::size_t s = 0; s < wanted.size(); ++s) {
    for (std::size_t c = 0; c < wanted[s].size(); ++c) {
      ProfileScript::Step& step = profile.scripts[s].steps[c];
      const std::uint32_t own = segments_.tokens()[step.token].node_class;
      for (const auto& [back, there] : wanted[s][c]) {
        if (!always[s][c].has(back) || count.at({messages_[own], back, messages_[there]}) < k_) continue;
        if (step.after.empty() || step.after.back() != back) step.after.push_back(back);
      }
    }
  }
}

void PlaceTable::write_scripts(WorkloadProfile& profile, std::uint32_t first_pool) const {
  using Votes = std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t>;  // of token and pool
  std::map<std::vector<std::uint32_t>, std::uint32_t> numbers;
  std::vector<std::vector<Votes>> votes;                                     // by script and step
  std::vector<std::map<std::uint32_t, std::vector<std::uint32_t>>> scripts;  // by job and part: script of each rank
  for (std::size_t j = 0; j < jobs_.size(); ++j) scripts.emplace_back();
  std::vector<std::uint32_t> script_of;  // by part
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const Part& p = parts_[i];
    const std::vector<std::uint32_t> classes = classes_in_order(i);
    const auto [at, is_new] = numbers.try_emplace(classes, static_cast<std::uint32_t>(numbers.size()));
    if (is_new) {
      ProfileScript& script = profile.scripts.emplace_back();
      const std::vector<GapContexts::Of> contexts = contexts_.find(classes);
      for (std::size_t c = 0; c < classes.size(); ++c) script.steps.push_back({.place = place_of(contexts[c])});
      script.last_place = place_of(contexts.back());
      votes.emplace_back(classes.size());
    }
    script_of.push_back(at->second);
    for (std::size_t c = 0; c < classes.size(); ++c) {
      const std::uint32_t gap = p.first + order_[i][c];
      ++votes[at->second][c][{segments_.gaps()[gap].call, first_pool + call_pools_[gap].front()}];
    }
    const SegmentTable::RankUse& use = segments_.ranks()[p.rank];
    std::vector<std::uint32_t>& of_ranks = scripts[use.job][p.part];
    of_ranks.resize(profile.jobs[use.job].ranks.size(), no_index);
    of_ranks[use.rank] = at->second;
  }
  for (std::size_t s = 0; s < votes.size(); ++s) {
    for (std::size_t c = 0; c < votes[s].size(); ++c) {
      const auto best = std::ranges::max_element(votes[s][c], {}, [](const auto& v) { return v.second; });
      profile.scripts[s].steps[c].token = best->first.first;
      profile.scripts[s].steps[c].pool = best->first.second;
    }
  }
  write_waits(profile, script_of);
  for (std::size_t j = 0; j < jobs_.size(); ++j) {
    const CommOrder& order = jobs_[j].order;
    std::vector<ProfileJob::Unit>& units = profile.jobs[j].units;
    for (auto& [part, of_ranks] : scripts[j]) {
      const ProfileJob::Part kind = order.kind(part);
      const auto same = std::ranges::find_if(
          units, [&](const ProfileJob::Unit& u) { return u.part == kind && u.scripts == of_ranks; });
      if (same != units.end()) {
        ++same->count;
      } else {
        units.push_back({.part = kind, .scripts = std::move(of_ranks)});
      }
    }
  }
}

std::uint32_t PlaceTable::place_of(const GapContexts::Of& context) const {
  for (const std::uint32_t c : context) {
    if (c != no_index && place_by_context_[c] != no_index) return place_by_context_[c];
  }
  return no_index;
}

void PlaceTable::write(WorkloadProfile& profile, std::uint32_t first_pool) const {
  for (std::size_t p = 0; p < members_.size(); ++p) profile.places.push_back(make_place(p));
  for (std::size_t part = 0; part < ProfileJob::parts; ++part) {
    write_rest(profile, static_cast<ProfileJob::Part>(part));
    fill_up(profile, static_cast<ProfileJob::Part>(part));
  }
  write_scripts(profile, first_pool);
}

}  // namespace convert
