// SPDX-License-Identifier: MIT
#include "sets/classes/counting.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "core/master/master_set.h"
#include "core/world_size.h"
#include "sets/classes/stand_ins.h"
#include "sets/rank_order.h"
#include "util/parallel.h"

namespace convert {
namespace {

// Returns whether no rank states another number of ranks, which would cause warnings.
bool is_whole(const MasterSet& set, const std::string& file) {
  for (std::uint32_t c = 0; c < set.classes.size(); ++c) {
    const RankClass& of = set.classes[c];
    const bool alike = of.metadata.varying.empty() && of.metadata.own.empty();
    for (std::uint64_t i = 0; i < (alike ? 1 : of.ranks.size()); ++i) {
      if (world_size(set.head({c, i}, file).metadata).value_or(static_cast<Rank>(set.ranks())) != set.ranks())
        return false;
    }
  }
  return true;
}

// Returns whether nodes of a class other than calls and messages name a group that is the same on all ranks.
bool others_name_groups(const MasterSet& set, const RankClass& c) {
  return std::ranges::any_of(c.shapes, [&](std::uint32_t i) {
    const NodeShape& shape = set.shapes[i];
    return shape.type != NodeType::comm_coll && shape.type != NodeType::comm_send &&
           shape.type != NodeType::comm_recv &&
           std::ranges::find(shape.attrs, attr::pg_name, &NodeShape::Attribute::name) != shape.attrs.end();
  });
}

RankStatistics count(TraceReader& reader, Trace& trace, const RankWishes& wishes) {
  RankCounter counter(trace, wishes);
  read_nodes(reader, trace, RankCounter::parts(), [&] { counter.add_batch(); });
  return counter.finish();
}

class ClassCounter {
 public:
  ClassCounter(SetSource& source, const RankWishes& wishes, const SetStatistics::Options& options)
      : source_(source), set_(*source.master()), wishes_(wishes), ins_(set_, source.base_name()), out_(options) {}

  // Returns nothing if each rank must be read separately.
  std::optional<SetStatistics> run(unsigned jobs) {
    const auto places = places_by_rank(set_);
    if (!places || places->empty() || !is_whole(set_, source_.base_name())) return std::nullopt;
    find_classes(*places);
    for_each_ordered(
        jobs, places->size(), [&](std::size_t rank) { return read(static_cast<Rank>(rank), (*places)[rank]); },
        [&](std::size_t rank, std::optional<RankStatistics>&& read) {
          add(static_cast<Rank>(rank), (*places)[rank], std::move(read));
        });
    if (out_.names_left_out()) return std::nullopt;
    return std::move(out_);
  }

 private:
  // State of a representative.
  struct Counted {
    bool for_all = false;       // its ranks have equal counts
    std::uint64_t place = 0;    // of the representative
    Rank first = 0;             // lowest of its ranks
    std::uint64_t to_come = 0;  // ranks that are not added yet
    std::optional<RankStatistics> statistics{};
  };

  void find_classes(const std::vector<std::uint64_t>& places) {
    counted_.resize(ins_.size());
    std::vector<bool> seen(ins_.size());
    for (Rank r = 0; r < places.size(); ++r) {
      const StandIns::Place p = ins_.place(places[r]);
      Counted& c = counted_[p.stand_in];
      if (p.ordinal == 0) c.place = places[r];
      if (seen[p.stand_in]) continue;
      seen[p.stand_in] = true;
      c.first = r;
      c.to_come = ins_.ranks(p.stand_in);
      c.for_all = c.to_come > 1 && alike(p.stand_in, set_.classes[set_.place(places[r]).of_class]);
    }
  }

  [[nodiscard]] bool alike(std::uint32_t stand_in, const RankClass& c) const {
    if (!ins_.groups_are_numbers(stand_in) || !ins_.peers_are_ranks(stand_in)) return false;
    return wishes_.by != NodeKey::group || ins_.groups(stand_in).empty() || !others_name_groups(set_, c);
  }

  // Returns the counts of a rank, or of its representative; nothing if a lower rank has returned them.
  std::optional<RankStatistics> read(Rank rank, std::uint64_t place) const {
    const Counted& c = counted_[ins_.place(place).stand_in];
    if (c.for_all && c.first != rank) return std::nullopt;
    const auto reader = source_.open_rank(c.for_all ? c.place : place);
    Trace head;
    (void)reader->next_rank(head);
    return count(*reader, head, wishes_);
  }

  void add(Rank rank, std::uint64_t at, std::optional<RankStatistics>&& read) {
    const StandIns::Place place = ins_.place(at);
    Counted& c = counted_[place.stand_in];
    if (!c.for_all) return out_.add(std::move(*read));
    if (read) out_.add_alike(c.statistics.emplace(std::move(*read)), c.to_come);
    const auto peer = [&](std::int64_t of_stand_in) {
      return static_cast<std::int64_t>(ins_.peer(place, static_cast<std::uint64_t>(of_stand_in)));
    };
    out_.add_like(*c.statistics, {.rank = rank, .peer = peer, .group = [&](std::string_view of_stand_in) {
                                    return ins_.group(place, of_stand_in);
                                  }});
    if (--c.to_come == 0) c.statistics.reset();
  }

  SetSource& source_;
  const MasterSet& set_;
  const RankWishes& wishes_;
  const StandIns ins_;
  SetStatistics out_;
  std::vector<Counted> counted_;  // by representative
};

}  // namespace

SetStatistics statistics_of(SetSource& source, RankWishes wishes, const SetStatistics::Options& options,
                            unsigned jobs) {
  if (const MasterSet* const set = source.master(); set != nullptr) {
    // Graphs of so large sets would be discarded again.
    if (options.most_path_nodes != 0 && set->node_count() > options.most_path_nodes) wishes.path = false;
    if (auto counted = ClassCounter(source, wishes, options).run(jobs)) return std::move(*counted);
  }
  SetStatistics out(options);
  RankOrder<RankStatistics> order(source.base_name());
  const auto add = [&](Rank, RankStatistics&& r) { out.add(std::move(r)); };
  source.for_each_rank(
      jobs, [&](TraceReader& reader, Trace& trace) { return count(reader, trace, wishes); },
      [&](RankStatistics&& r) {
        const Rank rank = r.rank;
        order.add(rank, std::move(r), add);
      });
  order.finish(add);
  return out;
}

}  // namespace convert
