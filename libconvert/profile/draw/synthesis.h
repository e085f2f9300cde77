// SPDX-License-Identifier: MIT
// Sampling of a trace set from a profile.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/trace.h"
#include "profile/grammar.h"
#include "profile/workload_profile.h"

namespace convert {

struct SynthesisOptions {
  std::uint64_t seed = 1;
  std::optional<std::uint64_t> iterations{};  // default: the recorded number of the job
};

// Index of a sampled rank and number of sampled ranks, if a set has more ranks than the recording.
struct DrawnAs {
  std::uint64_t rank = 0, ranks = 1;
};

// All ranks make the communications of a group in the order of their scripts. All scripts follow one global order,
// so calls match and ranks never wait for each other in a cycle.
class Synthesis {
 public:
  // The profile must outlive this object.
  Synthesis(const WorkloadProfile& profile, const SynthesisOptions& options);

  [[nodiscard]] const ProfileJob& job() const { return job_; }
  [[nodiscard]] std::size_t ranks() const { return job_.ranks.size(); }
  // Returns a rank, given by its index among the ranks of the job. Thread-safe; depends only on the seed.
  [[nodiscard]] Trace draw(std::size_t rank) const;
  // Returns a sample of the rank for index `as`, with own costs. Its speed follows the lognormal distribution of
  // the ranks with equal scripts. Groups, peers and sizes are the groups, peers and sizes of `rank`.
  [[nodiscard]] Trace draw(std::size_t rank, const DrawnAs& as) const;
  // Returns the process groups with known members as the text of a groups file; empty if there are none.
  [[nodiscard]] std::string groups() const;
  [[nodiscard]] std::uint64_t iterations() const { return iterations_; }
  // Returns the number of dependencies that reached back too far, in all ranks sampled so far.
  [[nodiscard]] std::uint64_t moved_deps() const { return moved_deps_; }

 private:
  class RankDrawer;
  // Distribution of the work of ranks with equal scripts, by lane.
  struct LaneWork {
    double mu = 0, sigma = 0;  // of the logarithm of the time of an iteration in ns
    bool told = false;
  };
  void choose_units();
  void choose_work();
  void fit_work(std::span<const std::uint32_t> alike);
  [[nodiscard]] std::vector<double> drawn_work(std::size_t rank, const DrawnAs& as) const;

  const WorkloadProfile& profile_;
  std::uint64_t seed_;
  const ProfileJob& job_;
  Grammar grammar_;
  std::uint64_t iterations_ = 0;
  std::vector<std::uint32_t> units_;  // of the job, in order
  std::vector<std::uint32_t> work_;   // by rank: the rank whose work it gets
  std::vector<std::uint32_t> role_;   // by rank: index in role_work_
  std::vector<std::vector<LaneWork>> role_work_;
  mutable std::atomic<std::uint64_t> moved_deps_ = 0;
};

}  // namespace convert
