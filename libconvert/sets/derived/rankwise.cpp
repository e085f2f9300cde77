// SPDX-License-Identifier: MIT
#include "sets/derived/rankwise.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "config/groups.h"
#include "config/workload/metadata.h"
#include "core/units.h"
#include "core/world_size.h"
#include "formats/whole_ranks.h"
#include "util/json_writer.h"

namespace convert {
namespace {

// Reads a rank's nodes as a whole; for a stream, rank by rank.
void read_whole(TraceReader& reader, Trace& trace) {
  trace.nodes.clear();
  read_nodes(reader, trace);
}

Rank rank_of(SetSource& source, std::size_t i) {
  Trace head;
  (void)source.open_rank(i)->next_rank(head);
  return head.rank;
}

}  // namespace

RankwiseSet::RankwiseSet(SetSource& source, RankwiseOptions options, Diagnostics& diagnostics)
    : source_(source), options_(std::move(options)), diagnostics_(diagnostics) {
  find_ranks();
  if (options_.subset) options_.subset->members = [this](std::string_view group) { return members_of(group); };
}

// Groups that are complete only at the end are unknown here; their ranks remain unchanged.
const std::vector<Rank>* RankwiseSet::members_of(std::string_view group) {
  std::call_once(groups_read_, [&] {
    if (source_.groups_come_late()) return;
    const auto found = source_.groups();
    if (!found) return;
    for (CommGroup& g : parse_groups(found->name, found->json, std::nullopt))
      members_[std::to_string(g.id)] = std::move(g.ranks);
  });
  const auto at = members_.find(group);
  return at == members_.end() ? nullptr : &at->second;
}

// Ranks of a set are nearly always in order. Every head is read only if they are not.
void RankwiseSet::find_ranks() {
  const std::size_t n = source_.independent_ranks();
  if (n == 0) return;
  if (!options_.subset) {
    indices_.resize(n);
    std::iota(indices_.begin(), indices_.end(), std::size_t{0});
    return;
  }
  const std::vector<Rank>& wanted = options_.subset->ranks;
  for (const Rank r : wanted) {
    if (r < n && rank_of(source_, r) == r) indices_.push_back(r);
  }
  if (indices_.size() == wanted.size()) return;
  std::map<Rank, std::size_t> all;
  for (std::size_t i = 0; i < n; ++i) {
    const Rank r = rank_of(source_, i);
    all.emplace(r, i);
    seen_[r] = false;
  }
  indices_.clear();
  for (const Rank r : wanted) {
    const auto at = all.find(r);
    require(r);
    indices_.push_back(at->second);
  }
}

void RankwiseSet::require(Rank rank) const {
  if (seen_.contains(rank)) return;
  throw usage_error("--ranks: there is no rank " + std::to_string(rank) + "; " + source_.base_name() + " has " +
                    counted(seen_.size(), "rank") +
                    (seen_.empty() ? "" : ", up to " + std::to_string(seen_.rbegin()->first)));
}

bool RankwiseSet::many() { return options_.subset ? options_.subset->ranks.size() > 1 : source_.many(); }

bool RankwiseSet::read(TraceReader& source, Trace& out) {
  for (bool taken = false; !taken;) {
    if (!source.next_rank(out)) return false;
    taken = !options_.subset || options_.subset->takes(out.rank);
    const std::lock_guard lock(mutex_);
    seen_[out.rank] = taken;
  }
  read_whole(source, out);
  change(out);
  return true;
}

// Collapses the merged collectives of ranks. Reads a rank twice unless it is small: first to store the facts needed
// about all nodes, then to collapse them batch by batch.
class RankwiseSet::FoldingReader : public TraceReader {
 public:
  // Ranks are set.indices_ from first to last - 1.
  FoldingReader(RankwiseSet& set, std::size_t first, std::size_t last) : set_(set), next_(first), last_(last) {}

  bool next_rank(Trace& out) override {
    if (next_ == last_) return false;
    const std::size_t index = set_.indices_[next_++];
    collapse_.reset();
    ended_ = false;
    reader_ = set_.source_.open_rank(index);
    if (!reader_->next_rank(rank_)) return false;
    std::size_t batches = 0;
    read_nodes(*reader_, rank_, Collapse::parts(), [&] { ++batches; });
    {
      const std::lock_guard lock(set_.mutex_);
      set_.seen_[rank_.rank] = true;
    }
    if (batches < 2) {
      set_.change(rank_);
    } else {
      collapse_.emplace(rank_);
      collapse_->prove();  // before anything is written
      if (collapse_->any()) Collapse::clean(rank_.metadata);
      set_.note(rank_.rank, {.folded = collapse_->counts(), .taken = {}});
      reader_ = set_.source_.open_rank(index);
      (void)reader_->next_rank(batch_);
    }
    out.rank = rank_.rank;
    out.name = rank_.name;
    out.metadata = rank_.metadata;
    out.nodes.clear();
    return true;
  }

  bool next_nodes(Trace& out, std::size_t max_nodes) override {
    out.nodes.clear();
    if (!collapse_) {
      std::swap(out.nodes, rank_.nodes);
      return !out.nodes.nodes.empty();
    }
    // A batch may collapse to nothing.
    while (out.nodes.nodes.empty() && !ended_) {
      ended_ = !reader_->next_nodes(batch_, max_nodes);
      if (ended_) {
        collapse_->finish(out.nodes);
      } else if (collapse_->any()) {
        collapse_->fold(batch_.nodes, out.nodes);
      } else {
        std::swap(out.nodes, batch_.nodes);
      }
    }
    return !out.nodes.nodes.empty();
  }

 private:
  RankwiseSet& set_;
  std::size_t next_;
  std::size_t last_;
  std::unique_ptr<TraceReader> reader_;
  Trace rank_;                        // with the kept parts of its nodes; all nodes of a small rank
  std::optional<Collapse> collapse_;  // for a rank that is read twice
  Trace batch_;
  bool ended_ = false;
};

std::unique_ptr<TraceReader> RankwiseSet::changed(std::shared_ptr<TraceReader> source) {
  return std::make_unique<WholeRanks>(
      [this, source = std::move(source)](Trace& out) { return read(*source, out); });
}

std::unique_ptr<TraceReader> RankwiseSet::open_rank(std::size_t i) {
  if (folds_only()) return std::make_unique<FoldingReader>(*this, i, i + 1);
  return changed(source_.open_rank(indices_[i]));
}

// Returns the ranks one by one, in the order of the subset.
std::unique_ptr<TraceReader> RankwiseSet::open_all() {
  if (indices_.empty()) return changed(source_.open_all());
  if (folds_only()) return std::make_unique<FoldingReader>(*this, 0, indices_.size());
  return std::make_unique<WholeRanks>([this, next = std::size_t{0}](Trace& out) mutable {
    return next != indices_.size() && read(*source_.open_rank(indices_[next++]), out);
  });
}

void RankwiseSet::change(Trace& trace) {
  Counts counts;
  if (options_.collapse) counts.folded = collapse_collectives(trace);
  if (options_.subset) counts.taken = take_rank(*options_.subset, trace);
  if (options_.subset) {
    const auto ranks = static_cast<Rank>(options_.subset->ranks.size());
    const bool renumber = options_.subset->renumber;
    if (renumber) set_world_size(trace.metadata, ranks);
    if (source_.independent_ranks() != ranks)
      forget_workload(trace.metadata, renumber ? std::optional<std::uint64_t>(ranks) : std::nullopt);
  }
  note(trace.rank, counts);
}

void RankwiseSet::note(Rank rank, const Counts& counts) {
  const std::lock_guard lock(mutex_);
  counts_[rank] = counts;
}

RankwiseSet::Counts RankwiseSet::counts() const {
  const std::lock_guard lock(mutex_);
  Counts sum;
  for (const auto& [rank, counts] : counts_) {
    sum.folded.collectives += counts.folded.collectives;
    sum.folded.nodes += counts.folded.nodes;
    sum.taken.add(counts.taken);
  }
  return sum;
}

std::optional<InputSet::Groups> RankwiseSet::groups() const {
  auto found = source_.groups();
  if (!found || !options_.subset) return found;
  std::vector<CommGroup> kept;
  for (CommGroup& group : parse_groups(found->name, found->json, std::nullopt)) {
    std::erase_if(group.ranks, [&](Rank r) { return !options_.subset->takes(r); });
    for (Rank& r : group.ranks) r = options_.subset->number(r);
    if (!group.ranks.empty()) kept.push_back(std::move(group));
  }
  if (kept.empty()) return std::nullopt;
  found->json = groups_text(kept);
  return found;
}

void RankwiseSet::warn_of_groups(const Counts& counts) {
  std::map<std::string, std::pair<std::size_t, std::size_t>, std::less<>> members;  // before and after
  if (const auto found = source_.groups()) {
    for (const CommGroup& group : parse_groups(found->name, found->json, std::nullopt)) {
      const auto left =
          std::count_if(group.ranks.begin(), group.ranks.end(), [&](Rank r) { return options_.subset->takes(r); });
      members[std::to_string(group.id)] = {group.ranks.size(), static_cast<std::size_t>(left)};
    }
  }
  // There may be more ranks than were seen: of independent ranks only selected ranks are read.
  const std::size_t all = std::max<std::size_t>(seen_.size(), source_.independent_ranks());
  for (const auto& [group, calls] : counts.taken.of_group) {
    const auto at = members.find(group);
    if (at == members.end() && group != "0") continue;  // in no defined group
    const auto [before, after] = at != members.end() ? at->second : std::pair{all, options_.subset->ranks.size()};
    if (before == after) continue;
    diagnostics_.warning({.file = source_.base_name()}, "groups",
                         counted(calls, "collective") + " of " +
                             (at == members.end() ? std::string("all ranks") : "group " + group) + " " +
                             (calls == 1 ? "has " : "have ") + counted(after, "rank") + " instead of " +
                             std::to_string(before));
  }
}

void RankwiseSet::finish() {
  const Counts counts = this->counts();
  if (options_.collapse && counts.folded.collectives == 0) {
    diagnostics_.warning({.file = source_.base_name()}, "collapse", "no node belongs to a merged collective");
  }
  if (!options_.subset) return;
  for (const Rank r : options_.subset->ranks) require(r);
  warn_of_groups(counts);
  if (counts.taken.dropped == 0) return;
  diagnostics_.warning({.file = source_.base_name()}, "split",
                       counted(counts.taken.dropped, "message") + " from or to other ranks " +
                           (counts.taken.dropped == 1 ? "is" : "are") + " omitted");
}

}  // namespace convert
