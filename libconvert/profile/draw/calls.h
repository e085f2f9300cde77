// SPDX-License-Identifier: MIT
// Counts the collectives of a drawn rank, and draws how unequal the parts of all-to-alls are.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "core/trace.h"
#include "profile/workload_profile.h"
#include "util/draw.h"

namespace convert {

// All ranks of a group that go through their calls in order are told the same of each.
class DrawnCalls {
 public:
  // `rank`: by its place among those of the job. The others must outlive this object.
  DrawnCalls(const WorkloadProfile& profile, const ProfileJob& job, std::uint64_t seed, std::size_t rank)
      : profile_(profile), job_(job), seed_(seed), rank_(rank) {}

  struct Call {
    std::uint32_t group = 0;   // from 1 on; 0: all ranks
    std::uint64_t number = 0;  // among those of the group
  };
  // Returns the next call of a collective.
  [[nodiscard]] Call next(const ProfileClass& c);

  // The parts of an all-to-all: rank i sends rank j size * sent[i] * received[j] / n bytes.
  struct Parts {
    double size = 0;                         // bytes, mean of the ranks
    std::vector<double> sent{}, received{};  // by place in the group; each averages 1
    std::size_t own = 0;                     // the rank's place
    [[nodiscard]] std::int64_t bytes(std::size_t from, std::size_t to) const;
  };
  // Returns the parts of a call of a class with splits. What comes back of ranks that have received unequal parts,
  // and send unequal ones, is as unequal.
  [[nodiscard]] Parts parts(const ProfileClass& c, const Call& call);
  // Returns how large the rank's load of the call before is among those of its group, from 0 to 1: what it received
  // there; nothing if that was no such call.
  [[nodiscard]] std::optional<double> load() const { return load_; }

  // Returns one of the sizes of a pool.
  [[nodiscard]] static std::int64_t size_of(const std::vector<SizeCluster>& pool, Draw& draw);

 private:
  [[nodiscard]] Draw draw(const Call& call, std::uint64_t what) const;

  const WorkloadProfile& profile_;
  const ProfileJob& job_;
  std::uint64_t seed_;
  std::size_t rank_;
  std::map<std::uint32_t, std::uint64_t> calls_;  // by group
  std::map<std::uint32_t, Call> unequal_;         // by group: the latest call whose ranks receive unequal parts
  std::optional<double> load_;
};

}  // namespace convert
