// SPDX-License-Identifier: MIT
// Draws a set of traces from a profile.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
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
  // Returns the process groups whose members are known, as the text of a groups file; empty if there are none.
  [[nodiscard]] std::string groups() const;
  [[nodiscard]] std::uint64_t iterations() const { return iterations_; }
  // Returns how many dependencies reached back too far, in all ranks drawn so far.
  [[nodiscard]] std::uint64_t moved_deps() const { return moved_deps_; }

 private:
  class RankDrawer;
  void choose_units();
  void choose_work();

  const WorkloadProfile& profile_;
  std::uint64_t seed_;
  const ProfileJob& job_;
  Grammar grammar_;
  std::uint64_t iterations_ = 0;
  std::vector<std::uint32_t> units_;  // of the job, one after the other
  std::vector<std::uint32_t> work_;   // by rank: whose work it has
  mutable std::atomic<std::uint64_t> moved_deps_ = 0;
};

}  // namespace convert
