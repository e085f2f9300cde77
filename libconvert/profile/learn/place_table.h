// SPDX-License-Identifier: MIT
// Groups gaps between communications into places with at least k gaps, and makes the scripts of ranks.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "profile/learn/calls/contexts.h"
#include "profile/learn/calls/waits.h"
#include "profile/learn/job_log.h"
#include "profile/learn/segment_table.h"
#include "profile/workload_profile.h"

namespace convert {

class PlaceTable {
 public:
  // `segments` is settled; both must outlive this object. `messages`: result of ClassTable::messages().
  PlaceTable(std::span<const JobLog> jobs, const SegmentTable& segments, std::vector<std::uint32_t> messages,
             std::uint32_t k);

  // Returns the time factor of a recorded gap in a lane: the product of the factors of its place and its rank.
  [[nodiscard]] double factor(std::size_t gap, std::size_t rank, std::uint32_t lane) const;
  // Return whether a part of a rank is an iteration, and the number of iterations of a job.
  [[nodiscard]] bool is_iteration(std::size_t rank, std::uint32_t part) const {
    return jobs_[segments_.ranks()[rank].job].order.is_iteration[part];
  }
  [[nodiscard]] std::uint32_t iterations(std::size_t job) const { return jobs_[job].order.iterations; }
  // Returns the pools, numbered from 0, that receive the costs of the communication after a gap; the first one is
  // its own pool.
  [[nodiscard]] const std::vector<std::uint32_t>& call_pools(std::size_t gap) const { return call_pools_[gap]; }
  [[nodiscard]] std::uint32_t call_pool_count() const { return call_pool_count_; }
  // Sets places, rest and scripts of the profile, and units and shares of the rest of its jobs. Pools of calls are
  // numbered from `first_pool`.
  void write(WorkloadProfile& profile, std::uint32_t first_pool) const;

  // Return the number of nodes in gaps, and the number of nodes in segments of a single piece.
  [[nodiscard]] std::uint64_t nodes() const { return all_nodes_; }
  [[nodiscard]] std::uint64_t whole_nodes() const { return whole_nodes_; }
  // Returns the number of communications that lost their order.
  [[nodiscard]] std::uint64_t shuffled_calls() const { return shuffled_; }

 private:
  // A part of a rank, such as an iteration.
  struct Part {
    std::size_t rank = 0;  // into segments_.ranks()
    std::uint32_t part = 0;
    ProfileJob::Part kind = ProfileJob::Part::iteration;
    bool first_iteration = false;         // of the rank
    std::uint32_t first = 0;              // gap
    std::vector<std::uint32_t> calls{};   // classes; one less than the gaps
    std::vector<std::uint32_t> places{};  // of the calls, in the order of the job
  };
  void list_parts();
  void pick_alike();
  void pick_places();
  void leave_out_first();
  void find_factors();
  void find_call_pools();
  [[nodiscard]] std::map<std::uint32_t, double> expected(std::uint32_t segment) const;
  void add_places();
  [[nodiscard]] std::uint32_t place_of(const GapContexts::Of& context) const;
  [[nodiscard]] double mean_nodes(std::uint32_t place) const;
  [[nodiscard]] std::vector<std::uint32_t> classes_in_order(std::size_t part) const;
  [[nodiscard]] std::vector<std::uint32_t> without_direction(std::vector<std::uint32_t> classes) const;
  void fill_up(WorkloadProfile& profile, ProfileJob::Part kind) const;
  [[nodiscard]] ProfilePlace make_place(std::size_t place) const;
  void write_rest(WorkloadProfile& profile, ProfileJob::Part kind) const;
  void write_scripts(WorkloadProfile& profile, std::uint32_t first_pool) const;
  [[nodiscard]] std::vector<std::vector<CallWaits>> waits_of_calls() const;
  void write_waits(WorkloadProfile& profile, std::span<const std::uint32_t> script_of) const;

  std::span<const JobLog> jobs_;
  const SegmentTable& segments_;
  std::vector<std::uint32_t> messages_;
  std::uint32_t k_;
  GapContexts contexts_;
  std::vector<Part> parts_;
  std::vector<GapContexts::Of> context_;             // by gap
  std::vector<std::uint32_t> context_count_;         // by context: number of gaps
  std::vector<std::uint32_t> place_by_context_;      // no_index: none
  std::uint32_t alike_places_ = 0;                   // number of places that pick_alike() has made
  std::vector<std::uint32_t> place_;                 // by gap
  std::vector<std::vector<std::uint32_t>> members_;  // by place: gaps
  std::vector<std::map<std::uint32_t, double>> place_factor_, rank_factor_;  // by lane
  std::vector<std::vector<std::uint32_t>> call_pools_;                       // by gap
  std::uint32_t call_pool_count_ = 0;
  std::vector<std::vector<std::uint32_t>> order_;  // by part: its calls, with rare runs shuffled
  std::uint64_t whole_nodes_ = 0, all_nodes_ = 0, shuffled_ = 0;
};

}  // namespace convert
