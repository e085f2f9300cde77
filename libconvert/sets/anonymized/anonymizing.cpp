// SPDX-License-Identifier: MIT
#include "sets/anonymized/anonymizing.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>
#include <utility>

#include "core/master/add_class.h"
#include "formats/master/master.h"
#include "sets/anonymized/encoded_survey.h"
#include "sets/classes/stand_ins.h"
#include "util/parallel.h"

namespace convert {

// Ranks with dense ids are processed batch by batch.
class AnonymizedSet::Reader final : public TraceReader {
 public:
  Reader(AnonymizedSet& set, std::size_t next, std::size_t end)
      : set_(set), next_(next), end_(end), names_(set.take_names()) {}
  ~Reader() override {
    const std::lock_guard lock(set_.mutex_);
    set_.names_.push_back(std::move(names_));
  }

  bool next_rank(Trace& out) override {
    if (next_ == end_) return false;
    index_ = set_.order_[next_++];
    reader_ = set_.source_.open_rank(index_);
    if (!reader_->next_rank(out)) return false;
    rank_ = out.rank;
    out.nodes.clear();
    changes_.emplace(set_.plan_, *names_);
    changes_->head(out);
    return true;
  }

  bool next_nodes(Trace& out, std::size_t max_nodes) override {
    out.nodes.clear();
    if (!changes_) return false;
    const RankSurvey& known = set_.surveys_[index_];
    if (changes_->takes_batches(known)) {
      if (!reader_->next_nodes(out, max_nodes)) return end();
      changes_->batch(out.nodes, *known.ids);
      return true;
    }
    read_nodes(*reader_, out);
    changes_->whole(out.nodes);
    end();
    return !out.nodes.nodes.empty();
  }

 private:
  bool end() {
    const std::lock_guard lock(set_.mutex_);
    set_.counts_[rank_] = changes_->counts();
    changes_.reset();
    return false;
  }

  AnonymizedSet& set_;
  std::size_t next_, end_, index_ = 0;
  Rank rank_ = 0;
  std::unique_ptr<TraceReader> reader_;
  std::unique_ptr<NameHider> names_;
  std::optional<RankAnonymizer> changes_;
};

std::unique_ptr<NameHider> AnonymizedSet::take_names() {
  const std::lock_guard lock(mutex_);
  if (names_.empty()) return std::make_unique<NameHider>(plan_.name_hider());
  std::unique_ptr<NameHider> last = std::move(names_.back());
  names_.pop_back();
  return last;
}

AnonymizedSet::AnonymizedSet(KeptSet& source, AnonymizeOptions options, KeyedHash hash, unsigned jobs)
    : source_(source), plan_{.options = std::move(options), .hash = std::move(hash)} {
  const bool alike = !plan_.options.permute_ranks && plan_.options.jitter == 0;
  if (const MasterSet* const set = source.master(); set != nullptr && alike && make_classes(*set)) return;
  survey_ranks(jobs);
}

RankSurvey AnonymizedSet::survey(std::size_t i) const {
  Trace trace;
  auto reader = source_.open_rank(i);
  (void)reader->next_rank(trace);
  if (plan_.options.least_uses <= 1) {
    EncodedSurveyor surveyor(trace, plan_.options.names == HiddenNames::number);
    const auto taken = reader->take_encoded([&](std::string_view nodes) { return surveyor.add(nodes); });
    if (taken == TraceReader::Taken::all) return surveyor.finish();
    if (taken == TraceReader::Taken::some) {
      reader = source_.open_rank(i);
      (void)reader->next_rank(trace);
    }
  }
  RankSurveyor surveyor(trace, plan_.options);
  const bool whole = plan_.options.least_uses > 1 && plan_.options.merge_chains;
  SizeCounts sizes;
  if (whole) {
    read_nodes(*reader, trace);
    surveyor.add_batch();
    add_sizes(trace, sizes);
  }
  while (!whole && reader->next_nodes(trace, batch_nodes)) {
    surveyor.add_batch();
    add_sizes(trace, sizes);
  }
  RankSurvey found = surveyor.finish();
  found.sizes = std::move(sizes);
  return found;
}

// Counts the sizes of nodes for --k; a chain counts as the single node that it becomes. Consumes the trace.
void AnonymizedSet::add_sizes(Trace& trace, SizeCounts& to) const {
  if (plan_.options.least_uses <= 1) return;
  if (plan_.options.merge_chains) {
    NameHider names = plan_.name_hider();
    RankAnonymizer(plan_, names).merge(trace.nodes);
  }
  plan_.sizes.count(trace.nodes, to);
}

void AnonymizedSet::survey_ranks(unsigned jobs) {
  SetSurvey all;
  Users users;
  for_each_ordered(
      jobs, source_.independent_ranks(), [&](std::size_t i) { return survey(i); },
      [&](std::size_t, RankSurvey&& s) {
        all.add(s);
        ranks_.push_back(s.rank);
        for (const std::string& group : s.groups) users[group].push_back(s.rank);
        s = {.rank = s.rank, .ids = s.ids};
        surveys_.push_back(std::move(s));
      });
  order_.resize(ranks_.size());
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  if (plan_.options.permute_ranks) number_ranks();
  plan_.facts.has_starts = all.has_starts();
  plan_.facts.first_ns = all.first_ns();
  if (plan_.options.least_uses > 1) plan_.sizes.merge(all.sizes());
  plan_.facts.names = all.take_names();
  number_groups(users);
}

// Orders the ranks by their new numbers.
void AnonymizedSet::number_ranks() {
  plan_.facts.ranks = permuted_ranks(ranks_, plan_.hash);
  const auto twice = std::ranges::adjacent_find(plan_.facts.ranks, {}, &std::pair<Rank, Rank>::first);
  if (twice != plan_.facts.ranks.end())
    throw input_error({.file = source_.base_name()}, "two traces have rank " + std::to_string(twice->first));
  std::ranges::sort(order_, {}, [&](std::size_t i) { return plan_.facts.rank(ranks_[i]); });
}

void AnonymizedSet::number_groups(const Users& users) {
  std::vector<CommGroup> listed;
  if (const auto found = source_.groups()) {
    has_groups_ = true;
    listed = parse_groups(found->name, found->json, std::nullopt);
  }
  std::vector<UsedGroup> all;
  std::set<std::string, std::less<>> names;
  for (const CommGroup& g : listed) {
    names.insert(std::to_string(g.id));
    all.push_back({.name = std::to_string(g.id), .ranks = g.ranks});
  }
  std::vector<Rank> everyone = ranks_;
  std::ranges::sort(everyone);
  plan_.facts.unlisted[""] = std::move(everyone);
  for (const auto& [name, ranks] : users) {
    if (names.contains(name) || name.empty() || name == "0") continue;
    all.push_back({.name = name, .ranks = ranks});
    std::vector<Rank>& members = plan_.facts.unlisted[name] = ranks;
    std::ranges::sort(members);
  }
  plan_.facts.groups = GroupNumbers(std::move(all));
  for (CommGroup& g : listed) {
    g.id = std::stoll(plan_.facts.groups.name(std::to_string(g.id)));
    for (std::uint32_t& r : g.ranks) r = plan_.facts.rank(r);
  }
  std::ranges::sort(listed, {}, &CommGroup::id);
  groups_ = std::move(listed);
}

// Returns false if the set is too large for memory; its ranks are then made one by one.
bool AnonymizedSet::make_classes(const MasterSet& set) {
  constexpr std::uint64_t most_nodes = std::uint64_t{1} << 20U;  // about 200 MB
  const StandIns stand_ins(set, source_.base_name());
  std::vector<std::vector<Rank>> of_class(stand_ins.size());
  std::vector<std::vector<StandIns::Place>> places(stand_ins.size());
  std::uint64_t nodes = 0;
  SetSurvey all;
  Users users;
  std::vector<RankSurvey> surveys;
  for (std::uint32_t s = 0; s < stand_ins.size(); ++s) {
    Trace trace = stand_ins.read(s);
    nodes += trace.nodes.nodes.size();
    if (nodes > most_nodes) return false;
    RankSurveyor surveyor(trace, plan_.options);
    surveyor.add_batch();
    surveys.push_back(surveyor.finish());
    add_sizes(trace, surveys.back().sizes);
    for (std::uint64_t i = 0; i < stand_ins.ranks(s); ++i) all.add(surveys.back());
  }
  MasterSet& made = made_.emplace();
  for (std::uint64_t i = 0; i < set.ranks(); ++i) {
    const StandIns::Place place = stand_ins.place(i);
    const Rank rank = stand_ins.rank(place);
    made.add_to_order(place.stand_in, 1);
    ranks_.push_back(rank);
    of_class[place.stand_in].push_back(rank);
    places[place.stand_in].push_back(place);
    for (const std::string& group : surveys[place.stand_in].groups)
      users[stand_ins.group(place, group)].push_back(rank);
  }
  plan_.facts.has_starts = all.has_starts();
  plan_.facts.first_ns = all.first_ns();
  if (plan_.options.least_uses > 1) plan_.sizes.merge(all.sizes());
  plan_.facts.names = all.take_names();
  number_groups(users);
  NameHider names = plan_.name_hider();
  for (std::uint32_t s = 0; s < stand_ins.size(); ++s) {
    Trace trace = stand_ins.read(s);
    RankAnonymizer changes(plan_, names, false);
    changes.head(trace);
    changes.whole(trace.nodes);
    for (const Rank r : of_class[s]) counts_[r] = changes.counts();
    add_class(made, trace, of_class[s], [&](std::uint64_t i, Trace& one) {
      stand_ins.become(places[s][i], one);
      rename_others(plan_.facts, one.nodes);
    });
  }
  if (has_groups_) made.groups = groups_text(groups_);
  return true;
}

std::unique_ptr<TraceReader> AnonymizedSet::open_rank(std::size_t i) {
  if (made_) return open_master(*made_, base_name(), static_cast<Rank>(i), static_cast<Rank>(i + 1));
  return std::make_unique<Reader>(*this, i, i + 1);
}

std::unique_ptr<TraceReader> AnonymizedSet::open_all() {
  if (made_) return open_master(*made_, base_name(), 0, static_cast<Rank>(made_->ranks()));
  return std::make_unique<Reader>(*this, 0, order_.size());
}

std::optional<InputSet::Groups> AnonymizedSet::groups() const {
  if (!has_groups_) return std::nullopt;
  return InputSet::Groups{base_name() + ".groups.json", groups_text(groups_)};
}

AnonymizeCounts AnonymizedSet::counts() const {
  const std::lock_guard lock(mutex_);
  AnonymizeCounts sum;
  for (const auto& [rank, counts] : counts_) sum.add(counts);
  return sum;
}

}  // namespace convert
