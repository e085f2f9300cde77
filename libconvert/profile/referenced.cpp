// SPDX-License-Identifier: MIT
#include "profile/referenced.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace convert {
namespace {

// Referenced rows of a table, and their new numbers.
class UsedRows {
 public:
  explicit UsedRows(std::size_t rows) : number_(rows, no_index) {}

  void use(std::uint32_t row) {
    if (row != no_index) number_[row] = 0;
  }
  [[nodiscard]] bool is_used(std::uint32_t row) const { return number_[row] != no_index; }
  // Removes the unreferenced rows of tables that have a row for each number, and renumbers the remaining rows.
  template <class... Table>
  void keep(Table&... tables) {
    (keep_rows(tables), ...);
    std::uint32_t next = 0;
    for (std::uint32_t& n : number_) {
      if (n != no_index) n = next++;
    }
  }
  // Replaces the number of a row by its new number.
  void renumber(std::uint32_t& row) const {
    if (row != no_index) row = number_[row];
  }

 private:
  template <class T>
  void keep_rows(std::vector<T>& table) const {
    std::size_t row = 0;
    std::erase_if(table, [&](const T&) { return number_[row++] == no_index; });
  }

  std::vector<std::uint32_t> number_;
};

class Reduction {
 public:
  explicit Reduction(WorkloadProfile& profile)
      : p_(profile),
        tokens_(p_.tokens.size()),
        scripts_(p_.scripts.size()),
        places_(p_.places.size()),
        symbols_(p_.tokens.size() + p_.rules.size()),
        pools_(p_.pools.size()),
        classes_(p_.classes.size()),
        lanes_(p_.lanes.size()),
        sizes_(p_.sizes.size()),
        splits_(p_.splits.size()),
        slots_(p_.slots.size()) {}

  void run() {
    mark_scripts();
    mark_symbols();
    mark_classes();
    for (ProfileJob& job : p_.jobs) drop_groups(job);
    number_lanes();
    number_slots();
    remove_rows();
    renumber_rows();
  }

 private:
  void mark_scripts() {
    for (const ProfileJob& job : p_.jobs) {
      for (const ProfileJob::Unit& unit : job.units) {
        for (const std::uint32_t s : unit.scripts) scripts_.use(s);
      }
    }
    for (std::uint32_t s = 0; s < p_.scripts.size(); ++s) {
      if (!scripts_.is_used(s)) continue;
      for (const ProfileScript::Step& step : p_.scripts[s].steps) {
        places_.use(step.place);
        symbols_.use(step.token);
        pools_.use(step.pool);
      }
      places_.use(p_.scripts[s].last_place);
    }
  }

  void mark_symbols() {
    const auto use_pieces = [&](const std::vector<LoosePiece>& pieces) {
      for (const LoosePiece& piece : pieces) symbols_.use(piece.symbol);
    };
    for (const auto& rest : p_.rest) use_pieces(rest);
    for (std::uint32_t i = 0; i < p_.places.size(); ++i) {
      if (!places_.is_used(i)) continue;
      for (const ProfilePlace::Segment& s : p_.places[i].segments) symbols_.use(s.symbol);
      use_pieces(p_.places[i].loose);
      for (const auto& [lane, factor] : p_.places[i].factors) lanes_.use(lane);
    }
    const auto terminals = static_cast<Symbol>(p_.tokens.size());
    for (auto rule = static_cast<Symbol>(p_.rules.size()); rule-- > 0;) {  // rules refer to earlier rules only
      if (!symbols_.is_used(terminals + rule)) continue;
      symbols_.use(p_.rules[rule].first);
      symbols_.use(p_.rules[rule].second);
    }
    for (Symbol s = 0; s < terminals + p_.rules.size(); ++s) {
      if (!symbols_.is_used(s)) continue;
      for (const std::uint32_t pool : p_.costs[s]) pools_.use(pool);
    }
  }

  void mark_classes() {
    for (std::uint32_t t = 0; t < p_.tokens.size(); ++t) {
      if (!symbols_.is_used(t)) continue;
      tokens_.use(t);
      classes_.use(p_.tokens[t].node_class);
      lanes_.use(p_.tokens[t].lane);
      for (const TokenDep& d : p_.tokens[t].deps) d.of_class ? classes_.use(d.what) : lanes_.use(d.what);
    }
    for (std::uint32_t c = 0; c < p_.classes.size(); ++c) {
      if (!classes_.is_used(c)) continue;
      sizes_.use(p_.classes[c].sizes);
      splits_.use(p_.classes[c].splits);
      slots_.use(slot_of(p_.classes[c]));
    }
  }

  [[nodiscard]] std::uint32_t slot_of(const ProfileClass& c) const {
    if (c.type != NodeType::comm_coll || c.slot.kind == GroupSlot::all_ranks) return no_index;
    return static_cast<std::uint32_t>(std::ranges::lower_bound(p_.slots, c.slot) - p_.slots.begin());
  }

  // Removes the groups that no script of their ranks calls.
  void drop_groups(ProfileJob& job) const {
    UsedRows groups(job.groups.size());
    for (std::size_t r = 0; r < job.ranks.size(); ++r) {
      std::set<std::uint32_t> called;
      for (const ProfileJob::Unit& unit : job.units) {
        if (unit.scripts[r] == no_index) continue;
        for (const ProfileScript::Step& step : p_.scripts[unit.scripts[r]].steps)
          called.insert(slot_of(p_.classes[p_.tokens[step.token].node_class]));
      }
      for (std::uint32_t slot = 0; slot < job.slots[r].size(); ++slot) {
        std::uint32_t& group = job.slots[r][slot];
        if (!called.contains(slot)) group = 0;
        if (group > 0) groups.use(group - 1);
      }
    }
    groups.keep(job.groups);
    for (auto& slots : job.slots) {
      for (std::uint32_t& group : slots) {
        if (group == 0) continue;
        --group;
        groups.renumber(group);
        ++group;
      }
    }
  }

  // Lanes of kind `type` keep their numbers.
  void number_lanes() {
    std::map<NodeLane, NodeLane*> used;
    for (std::uint32_t i = 0; i < p_.lanes.size(); ++i) {
      if (lanes_.is_used(i) && p_.lanes[i].kind != NodeLane::Kind::type) used.emplace(p_.lanes[i], &p_.lanes[i]);
    }
    std::map<NodeLane::Kind, std::int64_t> next;
    for (const auto& [lane, to] : used) to->number = next[lane.kind]++;
  }

  void number_slots() {
    std::map<GroupSlot, GroupSlot> number{{GroupSlot{}, GroupSlot{}}};
    std::uint32_t kind = GroupSlot::all_ranks;
    std::map<std::uint32_t, std::uint32_t> next;  // by old kind: the next ordinal
    for (std::uint32_t i = 0; i < p_.slots.size(); ++i) {
      if (!slots_.is_used(i)) continue;
      const GroupSlot former = p_.slots[i];
      const auto [ordinal, is_new] = next.try_emplace(former.kind, 0);
      kind += is_new ? 1 : 0;
      number.emplace(former, p_.slots[i] = {.kind = kind, .ordinal = ordinal->second++});
    }
    for (std::uint32_t c = 0; c < p_.classes.size(); ++c) {
      if (classes_.is_used(c)) p_.classes[c].slot = number.at(p_.classes[c].slot);
    }
  }

  void remove_rows() {
    for (ProfileJob& job : p_.jobs) {
      for (auto& of_rank : job.slots) slots_.keep(of_rank);
      for (auto& work : job.work_ns) {
        work.resize(p_.lanes.size(), 0);
        lanes_.keep(work);
      }
    }
    UsedRows rules(p_.rules.size());
    for (std::uint32_t r = 0; r < p_.rules.size(); ++r) {
      if (symbols_.is_used(static_cast<Symbol>(p_.tokens.size()) + r)) rules.use(r);
    }
    rules.keep(p_.rules);
    tokens_.keep(p_.tokens);
    symbols_.keep(p_.costs, p_.together);
    scripts_.keep(p_.scripts);
    places_.keep(p_.places);
    pools_.keep(p_.pools);
    classes_.keep(p_.classes);
    lanes_.keep(p_.lanes);
    sizes_.keep(p_.sizes);
    splits_.keep(p_.splits);
    slots_.keep(p_.slots);
  }

  void renumber_rows() {
    for (ProfileJob& job : p_.jobs) {
      for (ProfileJob::Unit& unit : job.units) {
        for (std::uint32_t& s : unit.scripts) scripts_.renumber(s);
      }
    }
    for (ProfileScript& s : p_.scripts) {
      for (ProfileScript::Step& step : s.steps) {
        places_.renumber(step.place);
        symbols_.renumber(step.token);
        pools_.renumber(step.pool);
      }
      places_.renumber(s.last_place);
    }
    for (auto& rest : p_.rest) renumber_pieces(rest);
    for (ProfilePlace& place : p_.places) {
      for (ProfilePlace::Segment& s : place.segments) symbols_.renumber(s.symbol);
      renumber_pieces(place.loose);
      for (auto& [lane, factor] : place.factors) lanes_.renumber(lane);
    }
    for (auto& [a, b] : p_.rules) {
      symbols_.renumber(a);
      symbols_.renumber(b);
    }
    for (auto& costs : p_.costs) {
      for (std::uint32_t& pool : costs) pools_.renumber(pool);
    }
    for (Token& t : p_.tokens) {
      classes_.renumber(t.node_class);
      lanes_.renumber(t.lane);
      for (TokenDep& d : t.deps) (d.of_class ? classes_ : lanes_).renumber(d.what);
    }
    for (ProfileClass& c : p_.classes) {
      sizes_.renumber(c.sizes);
      splits_.renumber(c.splits);
    }
  }
  void renumber_pieces(std::vector<LoosePiece>& pieces) const {
    for (LoosePiece& piece : pieces) symbols_.renumber(piece.symbol);
  }

  WorkloadProfile& p_;
  UsedRows tokens_, scripts_, places_, symbols_, pools_, classes_, lanes_, sizes_, splits_, slots_;
};

}  // namespace

WorkloadProfile referenced_rows(WorkloadProfile profile) {
  Reduction(profile).run();
  return profile;
}

}  // namespace convert
