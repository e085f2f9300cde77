// SPDX-License-Identifier: MIT
// Reads a set as a job for learning a profile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/diagnostic.h"
#include "profile/learn/job_log.h"
#include "sets/derived/kept_ranks.h"
#include "sets/profiled/learning.h"
#include "sets/set_source.h"

namespace convert {

// A set whose ranks are read repeatedly, with the results of the first reading.
class RecordedJob {
 public:
  // Reads all ranks. Throws Error(input) for a rank with a cycle and for a set that is a collective algorithm;
  // warns as comm_order() does. `k` is the maximum passed to learn(). The set must outlive this object.
  RecordedJob(SetSource& set, std::uint32_t k, unsigned jobs, Diagnostics& diagnostics);

  [[nodiscard]] const JobLog& log() const { return log_; }
  [[nodiscard]] Trace read(std::size_t rank) const { return ranks_.read(order_[rank]); }
  // Returns the log and removes it from this object.
  [[nodiscard]] JobLog take_log() { return std::move(log_); }

 private:
  KeptRanks ranks_;
  std::vector<std::size_t> order_;  // of the ranks, ascending
  JobLog log_;
};

// Returns the common profile of these jobs, whose ranks are read twice more; consumes their logs. Throws
// Error(input) if nothing occurs k times.
[[nodiscard]] LearnedProfile learn(std::span<RecordedJob* const> recorded, const LearnOptions& options);

}  // namespace convert
