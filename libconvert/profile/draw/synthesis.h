// SPDX-License-Identifier: MIT
// Draws a set of traces from a profile.
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
  std::optional<std::uint64_t> iterations{};  // default: as many as were recorded of the job
};

// Says as which of how many ranks a rank is drawn, where a set is made of more ranks than were recorded.
struct DrawnAs {
  std::uint64_t rank = 0, ranks = 1;
};

// All ranks do the communications of a group in the order in which their scripts have them, and those are parts of
// one order: so calls match, and no ranks wait for each other in a circle.
class Synthesis {
 public:
  // The profile must outlive this object.
  Synthesis(const WorkloadProfile& profile, const SynthesisOptions& options);

  [[nodiscard]] const ProfileJob& job() const { return job_; }
  [[nodiscard]] std::size_t ranks() const { return job_.ranks.size(); }
  // Returns a rank, by its place among those of the job. Thread-safe; depends on the seed alone.
  [[nodiscard]] Trace draw(std::size_t rank) const;
  // Returns what that rank does as one of others: with costs of its own, and as fast as the lognormal distribution
  // of the ranks that do the same has it. Groups, peers and sizes are those of the rank.
  [[nodiscard]] Trace draw(std::size_t rank, const DrawnAs& as) const;
  // Returns the process groups whose members are known, as the text of a groups file; empty if there are none.
  [[nodiscard]] std::string groups() const;
  [[nodiscard]] std::uint64_t iterations() const { return iterations_; }
  // Returns how many dependencies reached back too far, in all ranks drawn so far.
  [[nodiscard]] std::uint64_t moved_deps() const { return moved_deps_; }

 private:
  class RankDrawer;
  // How fast the ranks are that do the same, by lane.
  struct LaneWork {
    double mu = 0, sigma = 0;  // of the logarithm of the ns of an iteration
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
  std::vector<std::uint32_t> units_;  // of the job, one after the other
  std::vector<std::uint32_t> work_;   // by rank: whose work it has
  std::vector<std::uint32_t> role_;   // by rank: into role_work_
  std::vector<std::vector<LaneWork>> role_work_;
  mutable std::atomic<std::uint64_t> moved_deps_ = 0;
};

}  // namespace convert
