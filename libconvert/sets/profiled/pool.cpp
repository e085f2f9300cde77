// SPDX-License-Identifier: MIT
#include "sets/profiled/pool.h"

#include <algorithm>
#include <memory>

#include "profile/pool/set_vector.h"
#include "sets/profiled/recorded_job.h"

namespace convert {
namespace {

DistanceTable distances_of(const std::vector<std::unique_ptr<RecordedJob>>& jobs) {
  std::vector<SetVector> vectors;
  for (const auto& job : jobs) vectors.push_back(set_vector(job->log()));
  DistanceTable out(jobs.size());
  for (std::size_t a = 0; a < jobs.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) out.set(a, b, distance(vectors[a], vectors[b]));
  }
  return out;
}

}  // namespace

LearnedPool learn_pool(std::span<SetSource* const> sets, const PoolOptions& options, Diagnostics& diagnostics) {
  std::vector<std::unique_ptr<RecordedJob>> jobs;
  const std::uint32_t most = std::max(options.k(1), options.k(sets.size()));
  for (SetSource* const set : sets)
    jobs.push_back(std::make_unique<RecordedJob>(*set, most, options.jobs, diagnostics));
  const DistanceTable distances = distances_of(jobs);
  LearnedPool out;
  out.clustering =
      options.clusters ? k_medoids(distances, *options.clusters) : best_clustering(distances, alike_distance);
  out.silhouettes = silhouettes(distances, out.clustering);
  for (std::size_t c = 0; c < out.clustering.medoids.size(); ++c) {
    std::vector<RecordedJob*> members;
    for (const std::size_t i : out.clustering.members(c)) members.push_back(jobs[i].get());
    out.profiles.push_back(learn(members, {.k = options.k(members.size()), .jobs = options.jobs}));
    for (const std::size_t i : out.clustering.members(c))
      jobs[i].reset();  // frees streams, which are stored as a
                        // whole
  }
  return out;
}

}  // namespace convert
