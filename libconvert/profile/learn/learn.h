// SPDX-License-Identifier: MIT
// Computes a profile of jobs; the ranks are read three times.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "profile/learn/encoded_rank.h"
#include "profile/learn/job_log.h"
#include "profile/workload_profile.h"

namespace convert {

// Nodes that the profile covers and hides.
struct LearnCounts {
  std::uint64_t nodes = 0;           // of all ranks, without communications
  std::uint64_t whole = 0;           // of `nodes`: in segments that occur at least k times
  std::uint64_t left_out = 0;        // nodes of rare classes
  std::uint64_t replaced = 0;        // nodes of rare tokens that others replace
  std::uint64_t shuffled_calls = 0;  // communications without an order
};

// Consumer of the encoded ranks of the second and third reading.
class ProfileLearner {
 public:
  // `jobs` have logs and orders and must outlive this object; k ≥ 1.
  ProfileLearner(std::vector<JobLog>& jobs, std::uint32_t k);
  ~ProfileLearner();

  // Returns the encoding of a rank for add() and add_costs(). Thread-safe.
  [[nodiscard]] EncodedRank encode(std::size_t job, std::size_t rank, const Trace& trace) const;
  // Adds a rank of the second reading. All ranks must be added in order, job by job.
  void add(std::size_t job, std::size_t rank, const EncodedRank& encoded);
  // Ends the second reading.
  void settle();
  // Adds a rank of the third reading; `number` counts the ranks of all jobs.
  void add_costs(std::size_t number, const EncodedRank& encoded);
  [[nodiscard]] WorkloadProfile finish();
  [[nodiscard]] const LearnCounts& counts() const { return counts_; }

 private:
  struct Tables;
  std::unique_ptr<Tables> tables_;
  LearnCounts counts_;
};

}  // namespace convert
