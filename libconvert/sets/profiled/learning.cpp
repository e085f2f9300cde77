// SPDX-License-Identifier: MIT
#include "sets/profiled/learning.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "config/groups.h"
#include "config/workload/metadata.h"
#include "passes/provenance.h"
#include "profile/learn/calls/comm_order.h"
#include "profile/learn/rank_log.h"
#include "sets/derived/kept_ranks.h"
#include "sets/scaled/scale_grid.h"
#include "util/parallel.h"

namespace convert {
namespace {

// A set whose ranks are read again and again.
struct Job {
  Job(SetSource& set, unsigned jobs) : source(set), ranks(set, jobs) {}
  SetSource& source;
  KeptRanks ranks;
  std::vector<std::size_t> order{};  // of the ranks, ascending
};

JobLog log_job(Job& job, const LearnOptions& options, Diagnostics& diagnostics) {
  JobLog log{.name = job.source.base_name()};
  const Trace first = job.ranks.read(0);
  if (provenance_of(first) != Provenance::none)
    throw input_error({.file = log.name}, "the set is a collective algorithm; a profile is of workloads");
  const auto workload = told_workload(first.metadata, log.name);
  log.rule = iteration_rule(first, workload ? static_cast<std::size_t>(workload->step.iterations) : 0);
  if (workload && why_no_growth(*workload).empty()) log.data = data_ranks(workload->plan);
  std::vector<RankLog> ranks;
  for_each_ordered(
      options.jobs, job.ranks.size(),
      [&](std::size_t i) {
        const Trace trace = job.ranks.read(i);
        return log_rank(trace, parts_of(trace, log.rule), options.k);
      },
      [&](std::size_t, RankLog&& rank) { ranks.push_back(std::move(rank)); });
  job.order.resize(ranks.size());
  std::iota(job.order.begin(), job.order.end(), std::size_t{0});
  std::ranges::sort(job.order, {}, [&](std::size_t i) { return ranks[i].rank; });
  for (const std::size_t i : job.order) log.ranks.push_back(std::move(ranks[i]));
  if (const auto groups = job.source.groups()) {
    for (CommGroup& g : parse_groups(groups->name, groups->json, std::nullopt)) {
      if (g.id != 0) log.groups.emplace(std::to_string(g.id), std::move(g.ranks));
    }
  }
  log.order = comm_order(log.ranks, log.name, diagnostics);
  return log;
}

}  // namespace

LearnedProfile learn_profile(std::span<SetSource* const> sets, const LearnOptions& options,
                             Diagnostics& diagnostics) {
  std::vector<std::unique_ptr<Job>> jobs;
  std::vector<JobLog> logs;
  for (SetSource* const set : sets) {
    jobs.push_back(std::make_unique<Job>(*set, options.jobs));
    logs.push_back(log_job(*jobs.back(), options, diagnostics));
  }
  ProfileLearner learner(logs, options.k);
  const auto read = [&](const auto& consume) {
    std::size_t number = 0;
    for (std::size_t j = 0; j < jobs.size(); ++j) {
      for_each_ordered(
          options.jobs, jobs[j]->ranks.size(),
          [&](std::size_t r) { return learner.encode(j, r, jobs[j]->ranks.read(jobs[j]->order[r])); },
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
    throw input_error({.file = sets.front()->base_name()},
                      "nothing in it occurs " + std::to_string(options.k) + " times, so nothing can be told");
  return out;
}

}  // namespace convert
