// SPDX-License-Identifier: MIT
#include "passes/class_proof.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/world_size.h"
#include "passes/provenance.h"
#include "passes/provenance_rule.h"
#include "passes/rules/rules.h"

namespace convert {
namespace {

// Bounds the work: values of all ranks in columns, and calls that are copied to compare splits.
constexpr std::uint64_t most_entries = std::uint64_t{1} << 26U;
constexpr std::uint64_t world_key = 0;  // no group has this name: names that are numbers are odd values

// One value for each rank of a class, by ordinal.
using PlaceColumn = std::vector<std::uint64_t>;

// One class: its representative, and the values that differ in its other ranks.
struct Folded {
  const RankClass* of = nullptr;
  TraceSummary summary;
  std::vector<PlaceColumn> columns;
  struct OfNode {
    std::uint32_t group = no_index, src = no_index, dst = no_index;  // columns
    std::uint32_t varying = 0;                                       // number of columns that differ, by rule
  };
  std::vector<OfNode> nodes;
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::uint32_t> column_by_rule;  // by first value and rule
  struct Channel {
    std::uint32_t column = 0;
    bool sends = false;
    std::uint32_t peer_class = no_index;
    std::uint32_t id = no_index;  // equal on both ends
  };
  std::vector<Channel> channels;
  std::vector<std::uint32_t> uses;        // by GroupUse: its column
  std::vector<std::uint32_t> components;  // by GroupUse: component of calls that meet

  std::uint32_t column(PlaceColumn values) {
    const auto known = std::ranges::find(columns, values);
    if (known != columns.end()) return static_cast<std::uint32_t>(known - columns.begin());
    columns.push_back(std::move(values));
    return static_cast<std::uint32_t>(columns.size() - 1);
  }
};

class ClassProof {
 public:
  ClassProof(const MasterSet& set, const std::string& file, const RuleSet& rules, const GroupLists* lists)
      : set_(set), file_(file), rules_(rules), lists_(lists) {}

  bool holds() {
    return number_ranks() && fold_classes() && pair_channels() && gather_groups() && check_groups() &&
           check_folded();
  }

 private:
  struct Place {
    std::uint32_t of_class = no_index;
    std::uint32_t ordinal = 0;
  };
  struct Member {
    Rank rank;
    std::uint32_t of_class;
    std::uint32_t use;
  };

  bool number_ranks() {
    places_.resize(set_.ranks());
    for (std::uint32_t c = 0; c < set_.classes.size(); ++c) {
      const NumberRuns& ranks = set_.classes[c].ranks;
      for (std::uint32_t i = 0; i < ranks.size(); ++i) {
        const std::uint64_t rank = ranks[i];
        if (rank >= places_.size() || places_[rank].of_class != no_index) return false;
        places_[rank] = {c, i};
      }
    }
    return true;
  }

  bool fold_classes() {
    for (const RankClass& c : set_.classes) {
      if (!c.metadata.varying.empty() || !c.metadata.own.empty() || !c.values.own.empty()) return false;
      if (!check_first(c) || !find_columns(c)) return false;
    }
    return true;
  }

  // Checks the representative of a class on its own.
  bool check_first(const RankClass& c) {
    const MasterSet::Place place{static_cast<std::uint32_t>(&c - set_.classes.data()), 0};
    Trace trace = set_.head(place, file_);
    set_.nodes(place, file_, trace.nodes);
    const Graph graph = check_trace(trace, rules_, found_);
    const auto world = world_size(trace.metadata);
    if (provenance_of(trace) != Provenance::none || (world && *world != set_.ranks())) return false;
    if (rules_.has(Rule::provenance) && check_provenance(trace, graph, found_).counters.total != 0) return false;
    Folded& f = folded_.emplace_back();
    f.of = &c;
    f.summary = summarise(trace, graph);
    if (rules_.has(Rule::turns) && !f.summary.ways.sends.empty()) return false;
    return found_.all().empty();
  }

  // Finds the values that differ between ranks: only groups and peers may differ.
  bool find_columns(const RankClass& c) {
    Folded& f = folded_.back();
    f.nodes.resize(c.shapes.size());
    const std::vector<std::uint32_t> begins = node_begins(c, set_.shapes);
    std::vector<std::uint32_t> rules(c.values.first.size(), no_index);
    for (const RankValues::Varying& v : c.values.varying) rules[v.value] = v.rule;
    for (std::uint32_t i = 0; i < c.shapes.size() && entries_ <= most_entries; ++i) {
      const NodeShape& shape = set_.shapes[c.shapes[i]];
      const bool message = shape.type == NodeType::comm_send || shape.type == NodeType::comm_recv;
      const auto take = [&](Name attribute, std::uint32_t& column) {
        const std::uint32_t at = ShapeSet::value_of(shape, attribute);
        if (at == no_index) return;
        f.nodes[i].varying += rules[begins[i] + at] != no_index ? 1 : 0;
        column = column_of(f, c.values.first[begins[i] + at], rules[begins[i] + at]);
      };
      if (shape.type == NodeType::comm_coll) take(attr::pg_name, f.nodes[i].group);
      if (message) take(attr::comm_src, f.nodes[i].src);
      if (message) take(attr::comm_dst, f.nodes[i].dst);
    }
    return entries_ <= most_entries && take_messages(f) && take_uses(f) && all_varying_taken(f);
  }
  // Returns whether all differing values belong to messages and collectives that the rules see.
  static bool all_varying_taken(const Folded& f) {
    std::size_t taken = 0;
    for (const auto* messages : {&f.summary.messages.sends, &f.summary.messages.recvs}) {
      for (const Message& m : *messages) taken += f.nodes[m.node].varying;
    }
    for (const GroupUse& use : f.summary.collectives) {
      for (const CollectiveNode& c : use.calls) taken += f.nodes[c.node].varying;
    }
    return taken == f.of->values.varying.size();
  }
  std::uint32_t column_of(Folded& f, std::uint64_t first, std::uint32_t rule) {
    const auto [known, added] = f.column_by_rule.try_emplace({first, rule}, 0);
    if (added) {
      entries_ += f.of->ranks.size();
      PlaceColumn values(f.of->ranks.size(), first);
      for (std::uint64_t i = 0; rule != no_index && i < values.size(); ++i)
        values[i] += f.of->values.rules[rule][i];
      known->second = f.column(std::move(values));
    }
    return known->second;
  }

  // Makes channels of messages. A rank's own end must be the rank itself; the other end defines the channel.
  bool take_messages(Folded& f) {
    PlaceColumn ranks;
    for (std::uint64_t i = 0; i < f.of->ranks.size(); ++i) ranks.push_back(f.of->ranks[i]);
    const auto take = [&](const std::vector<Message>& messages, bool sends) {
      for (const Message& m : messages) {
        const Folded::OfNode& n = f.nodes[m.node];
        const std::uint32_t own = sends ? n.src : n.dst, other = sends ? n.dst : n.src;
        if (own != no_index && f.columns[own] != ranks) return false;
        if (m.tag < 0 || m.tag > largest_tag) return false;
        if (channel(f, other, sends) == nullptr) f.channels.push_back({.column = other, .sends = sends});
      }
      return true;
    };
    return take(f.summary.messages.sends, true) && take(f.summary.messages.recvs, false);
  }
  static Folded::Channel* channel(Folded& f, std::uint32_t column, bool sends) {
    const auto at = std::ranges::find_if(
        f.channels, [&](const Folded::Channel& c) { return c.column == column && c.sends == sends; });
    return at == f.channels.end() ? nullptr : &*at;
  }

  // Calls of one group on the representative must be calls of one group on the other ranks too.
  bool take_uses(Folded& f) {
    for (const GroupUse& use : f.summary.collectives) {
      std::uint32_t column = f.nodes[use.calls.front().node].group;
      if (column == no_index) column = f.column(PlaceColumn(f.of->ranks.size(), world_key));
      for (const CollectiveNode& c : use.calls) {
        const std::uint32_t of_call = f.nodes[c.node].group;
        if (of_call != no_index && of_call != column) return false;
        if (of_call == no_index && !use.group.empty()) return false;
      }
      if (std::ranges::any_of(use.details, [](const auto& d) { return d.root >= 0 || d.dims_left_out != 0; }))
        return false;
      f.uses.push_back(column);
    }
    return differ(f, f.uses);
  }
  // Returns whether the columns differ from each other on every rank.
  static bool differ(const Folded& f, const std::vector<std::uint32_t>& columns) {
    for (std::size_t a = 0; a < columns.size(); ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        const PlaceColumn &x = f.columns[columns[a]], &y = f.columns[columns[b]];
        for (std::size_t i = 0; i < x.size(); ++i) {
          if (x[i] == y[i]) return false;
        }
      }
    }
    return true;
  }

  // Pairs each channel of sends with a channel of receives, class with class and rank by rank.
  bool pair_channels() {
    std::uint32_t ids = 0;
    for (std::uint32_t c = 0; c < folded_.size(); ++c) {
      std::vector<std::uint32_t> to, from;
      for (const auto& ch : folded_[c].channels) (ch.sends ? to : from).push_back(ch.column);
      if (!differ(folded_[c], to) || !differ(folded_[c], from)) return false;
      for (auto& ch : folded_[c].channels) {
        if (ch.sends && !pair(c, ch, ids++)) return false;
      }
    }
    return std::ranges::all_of(folded_, [](const Folded& f) {
      return std::ranges::all_of(f.channels, [](const auto& ch) { return ch.peer_class != no_index; });
    });
  }
  bool pair(std::uint32_t c, Folded::Channel& sends, std::uint32_t id) {
    Folded& f = folded_[c];
    const PlaceColumn& to = f.columns[sends.column];
    if (to.front() >= places_.size()) return false;
    const std::uint32_t other = places_[to.front()].of_class;
    Folded& peer = folded_[other];
    if (peer.of->ranks.size() != f.of->ranks.size()) return false;
    for (Folded::Channel& recvs : peer.channels) {
      if (recvs.sends || recvs.peer_class != no_index) continue;
      const PlaceColumn& from = peer.columns[recvs.column];
      bool all = true;
      for (std::size_t i = 0; i < to.size() && all; ++i) {
        const Place at = to[i] < places_.size() ? places_[to[i]] : Place{};
        all = at.of_class == other && from[at.ordinal] == f.of->ranks[i] && to[i] != f.of->ranks[i];
      }
      if (!all) continue;
      sends.peer_class = other;
      recvs.peer_class = c;
      sends.id = recvs.id = id;
      return true;
    }
    return false;
  }

  bool gather_groups() {
    for (std::uint32_t c = 0; c < folded_.size(); ++c) {
      Folded& f = folded_[c];
      for (std::uint32_t u = 0; u < f.uses.size(); ++u) {
        const PlaceColumn& names = f.columns[f.uses[u]];
        entries_ += names.size();
        if (entries_ > most_entries) return false;
        for (std::uint64_t i = 0; i < names.size(); ++i) {
          const bool world = names[i] == world_key || names[i] == packed_number(0);
          if (!world && names[i] % 2 == 0) return false;  // not a number
          if (!world && lists_ == nullptr) return false;
          groups_[world ? world_key : names[i]].push_back({static_cast<Rank>(f.of->ranks[i]), c, u});
        }
      }
      f.components.assign(f.uses.size(), no_index);
    }
    return lists_ == nullptr || !lists_->contains("0");
  }

  // Checks members, and that the groups of each call contain the same classes.
  bool check_groups() {
    for (auto& [key, members] : groups_) {
      std::ranges::sort(members, {}, &Member::rank);
      std::vector<Rank> ranks;
      if (key == world_key) {
        if (members.size() != places_.size()) return false;
      } else {
        const auto list = lists_->find(std::to_string(key / 2));
        if (list == lists_->end()) return false;
        ranks = list->second;
      }
      if (!arrange(ranks, members) || !stated(members)) return false;
      std::vector<std::pair<std::uint32_t, std::uint32_t>> uses;
      for (const Member& m : members) uses.emplace_back(m.of_class, m.use);
      if (!same_splits(uses)) return false;
      std::ranges::sort(uses);
      uses.erase(std::ranges::unique(uses).begin(), uses.end());
      const auto [at, added] = components_.try_emplace(uses, static_cast<std::uint32_t>(components_.size()));
      for (const auto& [c, u] : uses) {
        std::uint32_t& component = folded_[c].components[u];
        if (component != no_index && component != at->second) return false;
        component = at->second;
      }
      for (std::size_t i = 1; i < uses.size(); ++i) {
        if (uses[i].first == uses[i - 1].first) return false;
      }
    }
    return true;
  }
  // Sorts members, ascending by rank, into the order of the list. Returns false if the members differ.
  static bool arrange(const std::vector<Rank>& list, std::vector<Member>& members) {
    if (list.empty()) return true;  // all ranks
    if (list.size() != members.size()) return false;
    std::vector<Member> arranged;
    for (const Rank r : list) {
      const auto at = std::ranges::lower_bound(members, r, {}, &Member::rank);
      if (at == members.end() || at->rank != r) return false;
      arranged.push_back(*at);
    }
    members = std::move(arranged);
    return true;
  }
  [[nodiscard]] bool stated(const std::vector<Member>& members) const {
    return std::ranges::all_of(members, [&](const Member& m) {
      return std::ranges::all_of(use_of(m.of_class, m.use).stated_sizes, [&](const GroupUse::StatedSize& s) {
        return s.ranks == static_cast<std::int64_t>(members.size());
      });
    });
  }
  [[nodiscard]] const GroupUse& use_of(std::uint32_t c, std::uint32_t u) const {
    return folded_[c].summary.collectives[u];
  }

  // Compares the splits that members send and expect, once for all groups with the same classes in the same order.
  bool same_splits(const std::vector<std::pair<std::uint32_t, std::uint32_t>>& uses) {
    const auto has_splits = [&](const auto& u) { return !use_of(u.first, u.second).splits.empty(); };
    if (std::ranges::none_of(uses, has_splits) || !compared_.insert(uses).second) return true;
    std::vector<TraceSummary> ranks(uses.size());
    GroupLists lists;
    for (std::uint32_t r = 0; r < uses.size(); ++r) {
      ranks[r].rank = r;
      GroupUse& use = ranks[r].collectives.emplace_back(use_of(uses[r].first, uses[r].second));
      entries_ += use.calls.size() + use.splits.size();
      if (entries_ > most_entries) return false;
      use.group = "1";
      lists["1"].push_back(r);
    }
    rules::check_collectives(ranks, &lists, 0, found_);
    return found_.all().empty();
  }

  // Checks the folded set, in which class c has the ranks 2c and 2c + 1.
  bool check_folded() {
    std::vector<TraceSummary> ranks;
    GroupLists lists;
    for (std::uint32_t r = 0; r < 2 * folded_.size(); ++r) {
      Folded& f = folded_[r / 2];
      TraceSummary& s = ranks.emplace_back(f.summary);
      s.rank = r;
      for (Message& m : s.messages.sends) redirect(m, *channel(f, f.nodes[m.node].dst, true), r);
      for (Message& m : s.messages.recvs) redirect(m, *channel(f, f.nodes[m.node].src, false), r);
      for (std::size_t u = 0; u < f.uses.size(); ++u) {
        GroupUse& use = s.collectives[u];
        use.group = std::to_string(f.components[u] + 1);
        lists[use.group].push_back(r);
        use.details.clear();
        use.splits.clear();
        use.stated_sizes.clear();
        for (CollectiveNode& c : use.calls) c.has_details = 0;
      }
    }
    return check_set(ranks, rules_, found_, &lists) && found_.all().empty();
  }
  // Redirects a message to the folded set. Messages inside a class go to its other rank. Tags keep channels apart.
  static void redirect(Message& m, const Folded::Channel& to, std::uint32_t rank) {
    const std::uint32_t copy = to.peer_class == rank / 2 ? 1 - rank % 2 : rank % 2;
    m.peer = static_cast<std::int32_t>(2 * to.peer_class + copy);
    m.tag += std::int64_t{to.id} << 32U;
  }

  const MasterSet& set_;
  const std::string& file_;
  const RuleSet& rules_;
  const GroupLists* lists_;
  Diagnostics found_;
  std::vector<Place> places_;  // by rank
  std::vector<Folded> folded_;
  std::unordered_map<std::uint64_t, std::vector<Member>> groups_;  // by name, as a value
  std::map<std::vector<std::pair<std::uint32_t, std::uint32_t>>, std::uint32_t> components_;
  std::set<std::vector<std::pair<std::uint32_t, std::uint32_t>>> compared_;
  std::uint64_t entries_ = 0;
};

}  // namespace

bool proved_by_classes(const MasterSet& set, const std::string& file, const RuleSet& rules,
                       const GroupLists* groups) {
  return ClassProof(set, file, rules, groups).holds();
}

}  // namespace convert
