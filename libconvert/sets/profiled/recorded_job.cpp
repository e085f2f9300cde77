// SPDX-License-Identifier: MIT
#include "sets/profiled/recorded_job.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "config/groups.h"
#include "config/workload/metadata.h"
#include "passes/provenance.h"
#include "profile/learn/calls/comm_order.h"
#include "profile/learn/rank_log.h"
#include "sets/scaled/scale_grid.h"
#include "util/parallel.h"

namespace convert {

RecordedJob::RecordedJob(SetSource& set, std::uint32_t k, unsigned jobs, Diagnostics& diagnostics)
    : ranks_(set, jobs) {
  log_.name = set.base_name();
  const Trace first = ranks_.read(0);
  if (provenance_of(first) != Provenance::none)
    throw input_error({.file = log_.name}, "the set is a collective algorithm; profiles require workloads");
  const auto workload = told_workload(first.metadata, log_.name);
  log_.rule = iteration_rule(first, workload ? static_cast<std::size_t>(workload->step.iterations) : 0);
  if (workload && why_no_growth(*workload).empty()) log_.data = data_ranks(workload->plan);
  std::vector<RankLog> ranks;
  for_each_ordered(
      jobs, ranks_.size(),
      [&](std::size_t i) {
        const Trace trace = ranks_.read(i);
        return log_rank(trace, parts_of(trace, log_.rule), k);
      },
      [&](std::size_t i, RankLog&& rank) {
        log_.take_uses(i, rank, k);
        ranks.push_back(std::move(rank));
      });
  order_.resize(ranks.size());
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  std::ranges::sort(order_, {}, [&](std::size_t i) { return ranks[i].rank; });
  for (const std::size_t i : order_) log_.ranks.push_back(std::move(ranks[i]));
  if (const auto groups = set.groups()) {
    for (CommGroup& g : parse_groups(groups->name, groups->json, std::nullopt)) {
      if (g.id != 0) log_.groups.emplace(std::to_string(g.id), std::move(g.ranks));
    }
  }
  log_.order = comm_order(log_.ranks, log_.name, diagnostics);
}

LearnedProfile learn(std::span<RecordedJob* const> recorded, const LearnOptions& options) {
  std::vector<JobLog> logs;
  for (RecordedJob* const job : recorded) logs.push_back(job->take_log());
  ProfileLearner learner(logs, options.k);
  const auto read = [&](const auto& consume) {
    std::size_t number = 0;
    for (std::size_t j = 0; j < recorded.size(); ++j) {
      for_each_ordered(
          options.jobs, logs[j].ranks.size(),
          [&](std::size_t r) { return learner.encode(j, r, recorded[j]->read(r)); },
          [&](std::size_t r, EncodedRank&& encoded) { consume(number++, j, r, encoded); });
    }
  };
  read([&](std::size_t, std::size_t j, std::size_t r, const EncodedRank& e) { learner.add(j, r, e); });
  learner.settle();
  read([&](std::size_t n, std::size_t, std::size_t, const EncodedRank& e) { learner.add_costs(n, e); });
  LearnedProfile out;
  out.profile = learner.finish();
  out.counts = learner.counts();
  if (out.profile.tokens.empty())
    throw input_error({.file = logs.front().name}, "nothing in the set occurs " + std::to_string(options.k) +
                                                       " times, so the profile would be empty");
  return out;
}

}  // namespace convert
