// SPDX-License-Identifier: MIT
#include "profile/learn/learn.h"

#include <optional>
#include <utility>

#include "profile/learn/calls/slots.h"
#include "profile/learn/classes.h"
#include "profile/learn/cost_pools.h"
#include "profile/learn/encoded_rank.h"
#include "profile/learn/place_table.h"
#include "profile/learn/segment_table.h"
#include "profile/referenced.h"

namespace convert {

struct ProfileLearner::Tables {
  Tables(std::vector<JobLog>& all_jobs, std::uint32_t least)
      : jobs(all_jobs), k(least), slots(jobs), classes(jobs, slots, k), lanes(jobs) {}
  std::vector<JobLog>& jobs;
  std::uint32_t k;
  GroupSlots slots;
  ClassTable classes;
  LaneTable lanes;
  SegmentTable segments;
  std::optional<PlaceTable> places;
  std::optional<CostPools> costs;
};

ProfileLearner::ProfileLearner(std::vector<JobLog>& jobs, std::uint32_t k)
    : tables_(std::make_unique<Tables>(jobs, k)) {}
ProfileLearner::~ProfileLearner() = default;

EncodedRank ProfileLearner::encode(std::size_t job, std::size_t rank, const Trace& trace) const {
  return convert::encode({tables_->jobs, tables_->classes, tables_->lanes}, job, rank, trace);
}

void ProfileLearner::add(std::size_t job, std::size_t rank, const EncodedRank& encoded) {
  tables_->segments.add(job, rank, encoded);
}

void ProfileLearner::settle() {
  Tables& t = *tables_;
  t.segments.settle(t.k);
  t.places.emplace(t.jobs, t.segments, t.classes.messages(), t.k);
  t.costs.emplace(t.segments, *t.places, t.k);
}

void ProfileLearner::add_costs(std::size_t number, const EncodedRank& encoded) {
  tables_->costs->add(number, encoded);
}

WorkloadProfile ProfileLearner::finish() {
  Tables& t = *tables_;
  WorkloadProfile p{.k = t.k,
                    .lanes = t.lanes.lanes(),
                    .classes = t.classes.classes(),
                    .sizes = t.classes.sizes(),
                    .splits = t.classes.splits(),
                    .tokens = t.segments.tokens(),
                    .rules = t.segments.rules()};
  for (const JobLog& log : t.jobs) {
    ProfileJob& job = p.jobs.emplace_back(ProfileJob{.data = log.data});
    for (const RankLog& r : log.ranks) job.ranks.push_back(r.rank);
  }
  t.slots.write(p);
  t.places->write(p, t.costs->write(p));
  counts_ = {.nodes = t.places->nodes(),
             .whole = t.places->whole_nodes(),
             .left_out = t.classes.left_out(),
             .replaced = t.segments.replaced_nodes(),
             .shuffled_calls = t.places->shuffled_calls()};
  return referenced_rows(std::move(p));
}

}  // namespace convert
