// SPDX-License-Identifier: MIT
// A rank as tokens: node classes in lanes, each with its dependencies.
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
  // The nodes before a communication, or at the end of a part.
  struct Gap {
    std::uint32_t segment = 0;      // into `segments`
    std::uint32_t first = 0;        // of its nodes, in `costs`
    std::uint32_t call = no_index;  // token of the communication after the gap; no_index: end of the part
    std::uint32_t place = 0;        // position of the communication in the order of the job
    NodeCost call_cost{};
  };
  struct Part {
    std::uint32_t part = 0;  // number in CommOrder
    std::uint32_t first = 0, gaps = 0;
  };
  std::vector<Token> tokens{};                         // unique
  std::vector<std::vector<std::uint32_t>> segments{};  // tokens; unique
  std::vector<NodeCost> costs{};  // of nodes that are not communications, clamped to the upper bound of the class
  std::vector<Gap> gaps{};
  std::vector<Part> parts{};
};

// Lanes of all jobs. Lanes of equal number are one lane. If the ranks of a job have different threads or streams,
// these are numbered by first use instead.
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

// Tables that the encoding of all jobs shares.
struct Encoding {
  std::span<const JobLog> jobs;
  const ClassTable& classes;
  const LaneTable& lanes;
};

// Returns an encoded rank, with communications in the order of the job.
[[nodiscard]] EncodedRank encode(const Encoding& by, std::size_t job, std::size_t rank, const Trace& trace);

}  // namespace convert
