// SPDX-License-Identifier: MIT
#include <algorithm>
#include <unordered_map>

#include "core/algorithm/chunk_bytes.h"
#include "core/collective.h"
#include "core/units.h"
#include "passes/rules/rules.h"
#include "passes/rules/whole_set/collective_groups.h"

namespace convert::rules {
namespace {

using Member = CollectiveGroup::Member;

std::string ordinal(std::size_t n) {
  const char* const ending = n % 100 / 10 == 1 ? "th"
                             : n % 10 == 1     ? "st"
                             : n % 10 == 2     ? "nd"
                             : n % 10 == 3     ? "rd"
                                               : "th";
  return std::to_string(n) + ending;
}

std::string_view type_text(const CollectiveNode& c) {
  const std::string_view known = name(collective_of(c.type));
  return known.empty() ? "a collective of unknown type" : known;
}

std::string bytes_text(std::int64_t n) { return counted(static_cast<std::uint64_t>(n), "byte"); }

// Returns "0, 1, 2, 3"; only the first ranks if there are many.
std::string list_text(const std::vector<Member>& members) {
  constexpr std::size_t shown = 16;
  std::string out;
  for (std::size_t i = 0; i < std::min(members.size(), shown); ++i)
    out += (i == 0 ? "" : ", ") + std::to_string(members[i].rank);
  return members.size() > shown ? out + " and " + std::to_string(members.size() - shown) + " more" : out;
}

class GroupChecker {
 public:
  GroupChecker(std::span<const TraceSummary> set, const GroupLists* lists, Diagnostics& diagnostics)
      : set_(set), lists_(lists), diagnostics_(diagnostics) {}

  // Reports a group that is not defined, and ranks that use it without being members.
  void check_membership(const CollectiveGroup& g) {
    group_ = &g;
    check_definition();
    check_outsiders();
  }

  void check(const CollectiveGroup& g) {
    check_membership(g);
    check_stated_size();
    users_.clear();
    for (const Member& m : g.members) {
      if (m.use != nullptr) users_.push_back(m);
    }
    if (users_.empty()) return;
    check_missing();
    if (!ambiguous_) check_roots();
    if (users_.size() < 2 || ambiguous_) return;
    if (check_sequences()) check_splits();
  }

 private:
  [[nodiscard]] const TraceSummary& of(Rank rank) const { return set_.size() == 1 ? set_.front() : set_[rank]; }
  [[nodiscard]] const CollectiveNode& call(const Member& m, std::size_t k) const { return m.use->calls[k]; }
  [[nodiscard]] std::string named(const Member& m, std::size_t k) const { return of(m.rank).named(call(m, k)); }
  [[nodiscard]] std::string subject(const Member& m, std::size_t k) const {
    return "rank " + std::to_string(m.rank) + ' ' + named(m, k);
  }
  // Describes a call; if `rooted`, also that it has no root.
  [[nodiscard]] std::string what(const Member& m, std::size_t k, bool rooted = false) const {
    const CollectiveNode& c = call(m, k);
    std::string text(type_text(c));
    if (c.size >= 0 && collective_of(c.type) != Collective::barrier) text += " of " + bytes_text(c.size);
    const CollectiveDetails d = details(m, k);
    if (d.root >= 0) text += " with root " + std::to_string(d.root);
    if (d.root < 0 && rooted && has_root(collective_of(c.type))) text += " without a root";
    if (d.dims_left_out != 0) text += " over some dimensions";
    return text;
  }
  [[nodiscard]] static CollectiveDetails details(const Member& m, std::size_t k) {
    const bool has = m.use->calls[k].has_details != 0;
    return has ? m.use->details_of(static_cast<std::uint32_t>(k)) : CollectiveDetails{};
  }
  // Returns whether some call from the k-th on is over all dimensions. The ranks of other calls depend on the
  // network.
  [[nodiscard]] static bool any_whole(const Member& m, std::size_t k) {
    while (k < m.use->calls.size() && details(m, k).dims_left_out != 0) ++k;
    return k < m.use->calls.size();
  }
  [[nodiscard]] std::string count(const Member& m) const {
    return "rank " + std::to_string(m.rank) + " has " + counted(m.use->calls.size(), "collective") + " of " +
           group_text(group_->name);
  }
  void error(const Member& m, std::size_t k, const std::string& message, std::vector<std::string> notes = {}) {
    diagnostics_.error(of(m.rank).location(call(m, k)), rule, message, std::move(notes));
  }

  // Reports a group that the groups file does not define.
  void check_definition() {
    if (lists_ == nullptr || group_->listed || group_->name.empty()) return;
    const Member& first = group_->members.front();
    error(first, 0,
          subject(first, 0) + " is a collective of " + group_text(group_->name) +
              ", which the groups file does not define",
          {"the ranks " + list_text(group_->members) + " use it",
           "hint: list its ranks in PREFIX.groups.json, under its pg_name"});
  }

  void check_outsiders() {
    for (const Member& m : group_->outsiders) {
      error(m, 0,
            subject(m, 0) + " is a collective of " + group_text(group_->name) + ", but rank " +
                std::to_string(m.rank) + " is not a member",
            {group_text(group_->name) + " has the ranks " + list_text(group_->members),
             "hint: add the rank to the group in PREFIX.groups.json, or correct the pg_name of the collective"});
    }
  }

  // Reports the first group_size that differs from the number of members.
  void check_stated_size() {
    ambiguous_ = false;
    const auto members = static_cast<std::int64_t>(group_->members.size());
    for (const Member& m : group_->members) {
      if (m.use == nullptr) continue;
      for (const GroupUse::StatedSize& s : m.use->stated_sizes) {
        if (s.ranks == members) continue;
        const bool by_use = !group_->listed && !group_->name.empty();
        ambiguous_ = by_use && s.ranks < members;
        const std::string has = group_->name.empty() ? "the set has " + std::to_string(members)
                                : by_use             ? std::to_string(members) + " use it"
                                                     : "it has " + std::to_string(members);
        std::vector<std::string> notes;
        if (by_use) {
          notes.emplace_back("the ranks " + list_text(group_->members) + " use it");
          notes.emplace_back(ambiguous_ ? "hint: the name may denote several groups; give each its own name, and "
                                          "list their ranks in PREFIX.groups.json"
                                        : "hint: are all ranks in the set?");
        } else if (group_->name.empty()) {
          notes.emplace_back(s.ranks > members ? "hint: are all ranks in the set?"
                                               : "hint: a group of fewer ranks requires its own pg_name");
        }
        error(m, s.call,
              subject(m, s.call) + " states a group_size of " + std::to_string(s.ranks) + " for " +
                  (group_->name.empty() ? "the group of all ranks" : group_text(group_->name)) + ", but " + has,
              std::move(notes));
        return;
      }
    }
  }

  // Reports members that run none of the group's collectives. Rule groups reports ranks missing from the set.
  void check_missing() {
    std::vector<Member> missing;
    for (const Member& m : group_->members) {
      if (m.use == nullptr && m.rank < set_.size()) missing.push_back(m);
    }
    if (missing.empty() || std::ranges::none_of(users_, [](const Member& m) { return any_whole(m, 0); })) return;
    const TraceSummary& s = of(missing.front().rank);
    const bool one = missing.size() == 1;
    diagnostics_.error({.file = s.name, .rank = static_cast<std::int64_t>(s.rank)}, rule,
                       (one ? "rank " : "the ranks ") + list_text(missing) + (one ? " has" : " have") +
                           " no collective of " + group_text(group_->name) + ", but " + count(users_.front()) +
                           ", the first is " + named(users_.front(), 0),
                       {"hint: a collective waits for all members of its group"});
  }

  // Reports the first root of each rank that is not a member.
  void check_roots() {
    std::vector<std::int64_t> ranks;
    for (const Member& m : group_->members) ranks.push_back(m.rank);
    std::ranges::sort(ranks);
    const auto is_member = [&](std::int64_t root) { return std::ranges::binary_search(ranks, root); };
    for (const Member& m : users_) {
      const auto wrong = std::ranges::find_if(
          m.use->details, [&](const CollectiveDetails& d) { return d.root >= 0 && !is_member(d.root); });
      if (wrong == m.use->details.end()) continue;
      error(m, wrong->call,
            subject(m, wrong->call) + ": " + what(m, wrong->call) + ", which is not a member of " +
                group_text(group_->name),
            {group_text(group_->name) + " has the ranks " + list_text(group_->members)});
    }
  }

  [[nodiscard]] std::int64_t size_of(const Member& m, std::size_t k) const {
    return common_size(*m.use, k, group_->members.size());
  }
  [[nodiscard]] std::uint64_t fingerprint(const Member& m) const {
    const GroupUse& use = *m.use;
    std::uint64_t hash = use.calls.size();
    for (std::size_t k = 0; k < use.calls.size(); ++k) {
      const CollectiveDetails d = details(m, k);
      for (const std::uint64_t v : {std::uint64_t{use.calls[k].type}, static_cast<std::uint64_t>(size_of(m, k)),
                                    static_cast<std::uint64_t>(d.root), d.dims_left_out})
        hash = (hash ^ v ^ hash >> 29U) * 0x9E3779B97F4A7C15U;
    }
    return hash;
  }

  // Returns a rank whose collectives equal most ranks' collectives, so that a single wrong rank is reported.
  [[nodiscard]] std::size_t reference() const {
    struct Votes {
      std::size_t first;
      std::size_t count = 0;
    };
    std::unordered_map<std::uint64_t, Votes> votes;
    std::size_t best = 0;
    std::size_t most = 0;
    for (std::size_t i = 0; i < users_.size(); ++i) {
      Votes& v = votes.try_emplace(fingerprint(users_[i]), Votes{i}).first->second;
      ++v.count;
    }
    for (const auto& [hash, v] : votes) {
      if (v.count < most || (v.count == most && v.first > best)) continue;
      best = v.first;
      most = v.count;
    }
    return best;
  }

  bool check_sequences() {
    const Member& right = users_[reference()];
    bool same = true;
    for (const Member& m : users_) {
      if (m.rank != right.rank) same = compare(m, right) && same;
    }
    return same;
  }

  [[nodiscard]] bool same_sizes(const Member& a, std::size_t i, const Member& b, std::size_t j) const {
    const std::int64_t x = size_of(a, i);
    const std::int64_t y = size_of(b, j);
    return x < 0 || y < 0 || x == y;
  }
  [[nodiscard]] bool agree(const Member& a, std::size_t i, const Member& b, std::size_t j) const {
    if (!same_type(a.use->calls[i], b.use->calls[j]) || !same_sizes(a, i, b, j)) return false;
    const CollectiveDetails x = details(a, i);
    const CollectiveDetails y = details(b, j);
    return x.root == y.root && x.dims_left_out == y.dims_left_out;
  }

  // Reports the first difference of m from `right`. Returns true if they agree.
  bool compare(const Member& m, const Member& right) {
    const std::size_t common = std::min(m.use->calls.size(), right.use->calls.size());
    std::size_t k = 0;
    while (k < common && agree(m, k, right, k)) ++k;
    if (k < common) {
      const bool roots = details(m, k).root != details(right, k).root;
      error(m, k,
            subject(m, k) + " is the " + ordinal(k + 1) + " collective of " + group_text(group_->name) + ": " +
                what(m, k, roots) + "; " + subject(right, k) + ": " + what(right, k, roots),
            {count(m) + ", " + count(right), hint(m, right, k)});
      return false;
    }
    if (m.use->calls.size() == right.use->calls.size()) return true;
    const bool more = m.use->calls.size() > common;
    const Member& longer = more ? m : right;
    if (!any_whole(longer, common)) return true;
    const std::string extra = subject(longer, common) + ", " + what(longer, common) + ", waits forever";
    error(m, more ? common : common - 1,
          count(m) + (more ? "" : " (last: " + named(m, common - 1) + ")") + ", rank " +
              std::to_string(right.rank) + " has " + std::to_string(right.use->calls.size()) +
              (more ? " (last: " + named(right, common - 1) + ")" : "") + ": " + extra,
          {"hint: " + counted(longer.use->calls.size() - common, "collective") + " missing on rank " +
           std::to_string((more ? right : m).rank) + ", or too many on rank " + std::to_string(longer.rank)});
    return false;
  }

  // Returns whether a's i-th collective can be b's j-th.
  [[nodiscard]] bool aligned(const Member& a, std::size_t i, const Member& b, std::size_t j) const {
    return i < a.use->calls.size() && j < b.use->calls.size() && agree(a, i, b, j);
  }
  // Returns the position at which m later runs the k-th collective of `right`; k if it is not nearby.
  [[nodiscard]] std::size_t later(const Member& m, const Member& right, std::size_t k) const {
    constexpr std::size_t window = 64;
    const std::size_t end = std::min(m.use->calls.size(), k + window);
    for (std::size_t i = k + 1; i < end; ++i) {
      if (agree(m, i, right, k)) return i;
    }
    return k;
  }

  // Returns a possible cause if the k-th collectives differ.
  std::string hint(const Member& m, const Member& right, std::size_t k) {
    const std::size_t here = m.use->calls.size();
    const std::size_t there = right.use->calls.size();
    const auto surplus = [&](const Member& more, const Member& fewer, std::size_t n) {
      return "hint: " + std::to_string(n) + (n == 1 ? " collective is" : " collectives are") + " missing on rank " +
             std::to_string(fewer.rank) + ", or too many on rank " + std::to_string(more.rank) + ", from node " +
             id(more, k) + " on";
    };
    if (here > there && aligned(m, k + here - there, right, k)) return surplus(m, right, here - there);
    if (here < there && aligned(m, k, right, k + there - here)) return surplus(right, m, there - here);
    const std::string type(type_text(call(m, k)));
    const bool swapped = aligned(m, k + 1, right, k) && aligned(m, k, right, k + 1);
    const bool goes_on = k + 1 == std::min(here, there) || aligned(m, k + 1, right, k + 1);
    if (!swapped && goes_on && same_type(call(m, k), call(right, k))) {
      const bool roots = details(m, k).root != details(right, k).root;
      return "hint: all ranks must give " + type +
             (!same_sizes(m, k, right, k) ? " the same size"
              : roots                     ? " the same root"
                                          : " the same dimensions (involved_dim)");
    }
    const std::size_t partner = later(m, right, k);
    if (partner == k || later(right, m, k) == k) return "hint: all ranks of a group must run the same collectives";
    if (!ordered(m, k, partner)) {
      return "hint: nothing orders node " + id(m, k) + " and node " + id(m, partner) + " of rank " +
             std::to_string(m.rank) + "; without a dependency the lower id runs first";
    }
    return "hint: rank " + std::to_string(m.rank) + " runs the collective of rank " + std::to_string(right.rank) +
           " later, as node " + id(m, partner) +
           "; all ranks of a group must run its collectives in the same order";
  }

  [[nodiscard]] std::string id(const Member& m, std::size_t k) const {
    return std::to_string(of(m.rank).id(call(m, k).node));
  }

  // Returns whether the j-th collective depends on the i-th; also true if the search would take too long.
  bool ordered(const Member& m, std::size_t i, std::size_t j) {
    constexpr std::size_t searches = 16;
    if (++searched_ > searches) return true;
    const TraceSummary& s = of(m.rank);
    std::vector<bool> seen(s.size);
    std::vector<std::uint32_t> open = {call(m, i).node};
    while (!open.empty()) {
      const std::uint32_t at = open.back();
      open.pop_back();
      if (at == call(m, j).node) return true;
      for (const std::uint32_t child : s.children_of(at)) {
        if (!seen[child]) open.push_back(child);
        seen[child] = true;
      }
    }
    return false;
  }

  // Returns the bytes that the member at position `own` sends to, or receives from, the member at `place`; -1 if
  // unknown.
  [[nodiscard]] std::int64_t part(std::size_t own, const CollectiveDetails& d, bool sends, std::size_t k,
                                  std::size_t place) const {
    const Member& m = users_[own];
    const Range& splits = sends ? d.send_splits : d.recv_splits;
    if (splits.count != 0) return m.use->list(splits)[place];
    const CollectiveNode& c = call(m, k);
    const auto n = static_cast<std::int64_t>(users_.size());
    const bool even = sends || d.send_splits.count == 0;
    return even && c.size >= 0 ? part_bytes(c.size, n, static_cast<std::int64_t>(sends ? place : own)) : -1;
  }

  // Reports the first all_to_all in which the bytes sent by a rank differ from the bytes expected by another.
  void check_splits() {
    if (users_.size() != group_->members.size()) return;
    std::vector<CollectiveDetails> details(users_.size());
    for (std::size_t k = 0; k < users_.front().use->calls.size(); ++k) {
      bool any = false;
      for (std::size_t i = 0; i < users_.size(); ++i) {
        const CollectiveNode& c = call(users_[i], k);
        const bool has = c.has_details != 0 && c.type == static_cast<std::uint32_t>(Collective::all_to_all);
        details[i] = has ? users_[i].use->details_of(static_cast<std::uint32_t>(k)) : CollectiveDetails{};
        any = any || has;
      }
      if (any && !check_splits(k, details)) return;
    }
  }

  bool check_splits(std::size_t k, const std::vector<CollectiveDetails>& details) {
    for (std::size_t i = 0; i < users_.size(); ++i) {
      for (const bool sends : {true, false}) {
        const std::uint32_t entries = (sends ? details[i].send_splits : details[i].recv_splits).count;
        if (entries == 0 || entries == users_.size()) continue;
        error(users_[i], k,
              subject(users_[i], k) + (sends ? " has send_splits for " : " has recv_splits for ") +
                  counted(entries, "rank") + ", but " + group_text(group_->name) +
                  (group_->name.empty() ? " are " : " has ") + std::to_string(users_.size()));
        return false;
      }
    }
    for (std::size_t i = 0; i < users_.size(); ++i) {
      const bool has_splits = details[i].send_splits.count != 0 || details[i].recv_splits.count != 0;
      if (!has_splits || details[i].dims_left_out == 0 || !group_->name.empty()) continue;
      error(users_[i], k, subject(users_[i], k) + " has splits, but involves only some dimensions (involved_dim)",
            {"hint: give the ranks their own process group (pg_name)"});
      return false;
    }
    std::vector<std::size_t> told;  // members with splits; the others agree by their sizes
    for (std::size_t i = 0; i < users_.size(); ++i) {
      if (details[i].send_splits.count != 0 || details[i].recv_splits.count != 0) told.push_back(i);
    }
    for (std::size_t i = 0; i < users_.size(); ++i) {
      const bool tells = std::ranges::binary_search(told, i);
      for (std::size_t n = 0; n < (tells ? users_.size() : told.size()); ++n) {
        if (!check_pair(k, details, i, tells ? n : told[n])) return false;
      }
    }
    return true;
  }

  // Returns whether the bytes that i sends to j are the bytes that j expects; reports a difference.
  bool check_pair(std::size_t k, const std::vector<CollectiveDetails>& details, std::size_t i, std::size_t j) {
    const std::int64_t sent = part(i, details[i], true, k, j);
    const std::int64_t expected = part(j, details[j], false, k, i);
    if (sent < 0 || expected < 0 || sent == expected) return true;
    error(users_[i], k,
          subject(users_[i], k) + " is the " + ordinal(k + 1) + " collective of " + group_text(group_->name) +
              ": all_to_all, sends " + bytes_text(sent) + " to rank " + std::to_string(users_[j].rank) + "; " +
              subject(users_[j], k) + " expects " + bytes_text(expected) + " from rank " +
              std::to_string(users_[i].rank),
          {"hint: send_splits of one rank and recv_splits of the other must agree; both are in group order"});
    return false;
  }

  static constexpr std::string_view rule = "collectives";
  std::span<const TraceSummary> set_;
  const GroupLists* lists_;
  Diagnostics& diagnostics_;
  const CollectiveGroup* group_ = nullptr;
  std::vector<Member> users_;  // members of the group that use it
  bool ambiguous_ = false;     // more ranks use the name than one group has
  std::size_t searched_ = 0;
};

}  // namespace

void check_collectives(std::span<const TraceSummary> set, const GroupLists* groups, std::size_t world,
                       Diagnostics& diagnostics) {
  GroupChecker checker(set, groups, diagnostics);
  for (const CollectiveGroup& g : collective_groups(set, groups, world)) checker.check(g);
}

void check_memberships(const TraceSummary& rank, const GroupLists& groups, Diagnostics& diagnostics) {
  GroupChecker checker({&rank, 1}, &groups, diagnostics);
  for (const CollectiveGroup& g : collective_groups({&rank, 1}, &groups)) checker.check_membership(g);
}

}  // namespace convert::rules
