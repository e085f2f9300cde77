// SPDX-License-Identifier: MIT
// Writes what a rank does as tokens: classes of nodes in lanes, each with the nodes that it waits for.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/trace.h"
#include "profile/learn/classes.h"
#include "profile/learn/job_log.h"
#include "profile/workload_profile.h"

namespace convert {

struct EncodedRank {
  // What stands before a communication, or at the end of a part.
  struct Gap {
    std::uint32_t segment = 0;      // into `segments`
    std::uint32_t first = 0;        // of its nodes, in `costs`
    std::uint32_t call = no_index;  // token of the communication behind it; no_index: the part ends
    std::uint32_t place = 0;        // of that communication in the order of the job
    NodeCost call_cost{};
  };
  struct Part {
    std::uint32_t part = 0;  // as CommOrder numbers them
    std::uint32_t first = 0, gaps = 0;
  };
  std::vector<Token> tokens{};                         // each once
  std::vector<std::vector<std::uint32_t>> segments{};  // tokens; each once
  std::vector<NodeCost> costs{};  // of nodes that do not communicate, cut to the most of a class
  std::vector<Gap> gaps{};
  std::vector<Part> parts{};
};

// Numbers the lanes of all jobs: those of one number are one; where the ranks of a job have other threads or
// streams, those that are used first are.
class LaneTable {
 public:
  explicit LaneTable(std::span<const JobLog> jobs);
  [[nodiscard]] const std::vector<NodeLane>& lanes() const { return lanes_; }
  // Returns the number of a lane of a rank.
  [[nodiscard]] std::uint32_t number(std::size_t job, std::size_t rank, const NodeLane& lane) const;

 private:
  std::vector<NodeLane> lanes_;
  std::vector<std::vector<std::vector<std::pair<NodeLane, std::uint32_t>>>> of_rank_;  // by job and rank, ascending
};

// What all jobs are encoded by.
struct Encoding {
  std::span<const JobLog> jobs;
  const ClassTable& classes;
  const LaneTable& lanes;
};

// Returns a rank, `rank` of job number `job`, in the order of the job's communications.
[[nodiscard]] EncodedRank encode(const Encoding& by, std::size_t job, std::size_t rank, const Trace& trace);

}  // namespace convert
