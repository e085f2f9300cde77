// SPDX-License-Identifier: MIT
#include "sets/profiled/learning.h"

#include <memory>
#include <vector>

#include "sets/profiled/recorded_job.h"

namespace convert {

LearnedProfile learn_profile(std::span<SetSource* const> sets, const LearnOptions& options,
                             Diagnostics& diagnostics) {
  std::vector<std::unique_ptr<RecordedJob>> jobs;
  std::vector<RecordedJob*> all;
  for (SetSource* const set : sets) {
    jobs.push_back(std::make_unique<RecordedJob>(*set, options.k, options.jobs, diagnostics));
    all.push_back(jobs.back().get());
  }
  return learn(all, options);
}

}  // namespace convert
