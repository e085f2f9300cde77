// SPDX-License-Identifier: MIT
// Roles of process groups: groups of different ranks that have one shape, such as every 8th of 64 ranks.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "profile/learn/job_log.h"
#include "profile/workload_profile.h"

namespace convert {

class GroupSlots {
 public:
  explicit GroupSlots(std::span<const JobLog> jobs);

  // Returns the slot of a group, given by name, on a rank of a job that calls it.
  [[nodiscard]] GroupSlot slot(std::size_t job, std::size_t rank, const std::string& group) const;
  // Returns the index of a rank in a group; -1 if the members are unknown, or if it is not a member.
  [[nodiscard]] std::int64_t place_in(std::size_t job, const std::string& group, std::int64_t rank) const;
  // Returns the number of members of a group; 0 if they are unknown.
  [[nodiscard]] std::size_t members(std::size_t job, const std::string& group) const;
  // Sets the slots of the profile, and groups and slots of its jobs. Groups are numbered from 1 by kind, then by
  // smallest member.
  void write(WorkloadProfile& profile) const;

 private:
  using Shape = std::vector<Rank>;  // members, relative to the first; empty: unknown
  struct Group {
    std::uint32_t kind = 0;
    const std::vector<Rank>* members = nullptr;  // null: unknown
  };
  struct Job {
    std::map<std::string, Group> groups;
    std::vector<std::map<std::string, GroupSlot>> slots;  // by rank
  };
  void add(const JobLog& log);
  void find_slots(const JobLog& log, Job& job);

  std::span<const JobLog> logs_;
  std::map<Shape, std::uint32_t> kinds_;
  std::vector<Job> jobs_;
};

}  // namespace convert
