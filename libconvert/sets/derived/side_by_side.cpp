// SPDX-License-Identifier: MIT
#include "sets/derived/side_by_side.h"

#include <algorithm>
#include <set>
#include <utility>

#include "config/groups.h"
#include "core/attr_names.h"
#include "core/diagnostic.h"
#include "core/world_size.h"
#include "io/set_name.h"
#include "passes/merge/fit.h"
#include "passes/provenance.h"

namespace convert {
namespace {

bool communicates(NodeType type) {
  return type == NodeType::comm_send || type == NodeType::comm_recv || type == NodeType::comm_coll;
}

// Attributes that name the group of a node, or of the collective that the node replaced.
bool is_group(const Attr& a) {
  return (a.name == attr::pg_name || a.name == merged::pg_name) && a.kind == Kind::string_val;
}
bool is_end(const Attr& a) {
  return a.name == attr::comm_src || a.name == attr::comm_dst || a.name == merged::comm_src ||
         a.name == merged::comm_dst;
}

void drop_algorithm(AttrTable& metadata) {
  std::erase_if(metadata.attrs, [](const Attr& a) {
    return a.name == attr::collective || a.name.view().starts_with(msccl::prefix) ||
           a.name.view().starts_with("ten.");
  });
}

}  // namespace

// Reader of shifted ranks.
class SideBySide::Reader : public TraceReader {
 public:
  Reader(const SideBySide& all, std::size_t first, std::size_t last) : all_(all), next_(first), last_(last) {}

  bool next_rank(Trace& out) override {
    if (next_ == last_) return false;
    const auto rank = static_cast<Rank>(next_++);
    set_ = &all_.set_of(rank);
    const Rank own = rank - set_->first;
    if (set_->held.empty()) {
      reader_ = set_->source->open_rank(own);
      (void)reader_->next_rank(out);
      if (out.rank != own) {
        throw input_error({.file = out.name},
                          "rank " + std::to_string(own) + " is missing: joined sets must have the ranks 0…n-1",
                          "merge");
      }
    } else {
      out = set_->held[own];
      given_ = false;
    }
    out.rank = rank;
    drop_algorithm(out.metadata.table);
    set_world_size(out.metadata, all_.ranks_);
    name_ = out.name;
    if (!set_->held.empty()) std::swap(held_, out.nodes);
    return true;
  }

  bool next_nodes(Trace& out, std::size_t max_nodes) override {
    if (set_->held.empty()) {
      if (!reader_->next_nodes(out, max_nodes)) return false;
    } else {
      if (std::exchange(given_, true) || held_.nodes.empty()) return false;
      std::swap(out.nodes, held_);
    }
    shift(out);
    return true;
  }

 private:
  void shift(Trace& out) const;
  [[nodiscard]] std::string_view new_group(const Trace& trace, std::size_t node, std::string_view name) const;

  const SideBySide& all_;
  std::size_t next_;
  std::size_t last_;
  const Set* set_ = nullptr;
  std::unique_ptr<TraceReader> reader_;
  NodeTable held_;
  bool given_ = true;
  std::string name_;
};

std::string_view SideBySide::Reader::new_group(const Trace& trace, std::size_t node, std::string_view name) const {
  const auto known = set_->groups.find(std::string(name));
  if (known != set_->groups.end()) return known->second;
  if (name.empty() || name == "0") return set_->world;
  throw input_error(location_of(trace, node),
                    "node " + std::to_string(trace.nodes.nodes[node].id) + ": process group '" + std::string(name) +
                        "' is not defined; to separate it from the groups of the other sets, define it in "
                        "PREFIX.groups.json",
                    "merge");
}

// Collectives without a group get one; their attributes then move to the end of the table.
void SideBySide::Reader::shift(Trace& out) const {
  NodeTable& t = out.nodes;
  for (std::size_t i = 0; i < t.nodes.size(); ++i) {
    Node& n = t.nodes[i];
    const bool was_collective = find(t.attributes(n), attr::merged_nodes) != nullptr;
    if (!communicates(n.type) && !was_collective) continue;
    bool grouped = false;
    for (std::uint32_t k = n.attrs.begin; k < n.attrs.begin + n.attrs.count; ++k) {
      Attr& a = t.attrs[k];
      if (is_end(a) && is_integer(a.kind) && a.kind != Kind::bool_val && static_cast<std::int64_t>(a.bits) >= 0)
        a.bits += set_->first;  // -1 (no rank) is kept
      if (!is_group(a)) continue;
      grouped = true;
      const Text text = t.add_text(std::string(new_group(out, i, t.string(a))));
      a.bits = text.offset;
      a.size = text.size;
    }
    if (grouped || (n.type != NodeType::comm_coll && !was_collective)) continue;
    const auto begin = static_cast<std::uint32_t>(t.attrs.size());
    for (std::uint32_t k = 0; k < n.attrs.count; ++k) t.attrs.push_back(t.attrs[n.attrs.begin + k]);
    t.add_string(was_collective ? merged::pg_name : attr::pg_name, set_->world);
    n.attrs = {begin, n.attrs.count + 1};
  }
}

SideBySide::SideBySide(std::vector<std::unique_ptr<TraceSource>>& sets, unsigned jobs) {
  for (const auto& source : sets) {
    Set set{.source = source.get(), .first = ranks_};
    std::size_t ranks = source->independent_ranks();
    if (ranks == 0) {
      set.held = source->load(jobs);
      require_whole_set(set.held);
      ranks = set.held.size();
    }
    if (ranks > largest_rank - ranks_)
      throw input_error({.file = source->base_name()}, "the ranks of all sets exceed 2^31", "merge");
    set.ranks = static_cast<Rank>(ranks);
    ranks_ += set.ranks;
    base_name_ += (base_name_.empty() ? "" : "+") + source->base_name();
    sets_.push_back(std::move(set));
  }
  number_groups();
}

SideBySide::~SideBySide() = default;

// Groups keep their numbers, except numbers that an earlier set uses. New numbers follow all others.
void SideBySide::number_groups() {
  std::vector<std::vector<CommGroup>> lists;
  std::int64_t next = 1;
  for (const Set& s : sets_) {
    const auto file = s.source->groups();
    lists.push_back(file ? parse_groups(file->name, file->json, s.ranks) : std::vector<CommGroup>{});
    for (const CommGroup& g : lists.back()) {
      constexpr std::int64_t room = std::int64_t{1} << 40U;
      if (g.id > INT64_MAX - room)
        throw input_error({.file = file->name}, "group " + std::to_string(g.id) + " leaves no ids for other groups",
                          "merge");
      next = std::max(next, g.id + 1);
    }
  }
  std::set<std::int64_t> taken;
  std::string json;
  const auto put = [&](std::int64_t id, const std::vector<Rank>& ranks, Rank first) {
    json += (json.empty() ? "{\"" : ",\n \"") + std::to_string(id) + "\": [";
    for (std::size_t i = 0; i < ranks.size(); ++i) json += (i == 0 ? "" : ", ") + std::to_string(first + ranks[i]);
    json += ']';
  };
  for (std::size_t s = 0; s < sets_.size(); ++s) {
    Set& set = sets_[s];
    for (const CommGroup& g : lists[s]) {
      // A group 0 that is in no file is the group of all ranks.
      const std::int64_t id = g.id != 0 && taken.insert(g.id).second ? g.id : next++;
      set.groups[std::to_string(g.id)] = std::to_string(id);
      put(id, g.ranks, set.first);
    }
    std::vector<Rank> all(set.ranks);
    for (Rank r = 0; r < set.ranks; ++r) all[r] = r;
    set.world = std::to_string(next);
    put(next++, all, set.first);
  }
  groups_ = {.name = base_name_ + std::string(groups_suffix), .json = json + "}\n"};
}

const SideBySide::Set& SideBySide::set_of(std::size_t rank) const {
  const auto after =
      std::upper_bound(sets_.begin(), sets_.end(), rank, [](std::size_t r, const Set& s) { return r < s.first; });
  return *(after - 1);
}

std::string SideBySide::collective(std::size_t set) const {
  const Set& s = sets_[set];
  if (const Algorithm* a = s.source->algorithm()) return std::string(name(claimed_collective(*a)));
  Trace head;
  if (s.held.empty()) (void)s.source->open_rank(0)->next_rank(head);
  const AttrTable& table = (s.held.empty() ? head : s.held.front()).metadata.table;
  const std::string text(string_value(table, table.attrs, attr::collective).value_or(""));
  const auto known = parse_collective(text, in_algorithms);
  return known ? std::string(name(*known)) : text;
}

void SideBySide::check_algorithms(const std::vector<std::string>& operands, bool allowed,
                                  Diagnostics& diagnostics) const {
  std::size_t workload = 0;
  while (workload < sets() && !collective(workload).empty()) ++workload;
  if (workload == sets()) return;
  for (std::size_t i = 0; i < sets(); ++i) {
    const std::string computes = collective(i);
    if (computes.empty()) continue;
    const bool custom = computes == "custom";
    const auto member = set_member(operands[i]);  // a shell expands ring.*.et to members
    const std::string rule = "-a " + std::string(rule_kind(computes)) + "=" + (member ? member->set : operands[i]) +
                             (custom ? " --misfits warn" : "");
    const std::string is = custom ? "is a custom algorithm" : "is an algorithm for " + computes;
    const std::string other = "'" + operands[workload] + "'";
    if (!allowed) {
      throw usage_error("'" + operands[i] + "' " + is + ", and " + other +
                        " is a workload; merge the algorithm with " + rule +
                        ", or run it beside the workload as a separate job with --misfits warn");
    }
    diagnostics.warning({.file = operands[i]}, "merge", is + ", and runs beside " + other + " as a separate job",
                        {"hint: " + rule + " replaces the workload's collectives with it"});
  }
}

std::unique_ptr<TraceReader> SideBySide::open_rank(std::size_t i) {
  return std::make_unique<Reader>(*this, i, i + 1);
}
std::unique_ptr<TraceReader> SideBySide::open_all() { return std::make_unique<Reader>(*this, 0, ranks_); }

}  // namespace convert
