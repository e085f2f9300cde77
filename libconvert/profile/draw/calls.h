// SPDX-License-Identifier: MIT
// Counter of the collectives of a sampled rank, and sampler of the shard sizes of unequal all-to-alls.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "core/trace.h"
#include "profile/workload_profile.h"
#include "util/draw.h"

namespace convert {

// All ranks of a group that make their calls in order get equal values for each call.
class DrawnCalls {
 public:
  // `rank`: index among the ranks of the job. The other arguments must outlive this object.
  DrawnCalls(const WorkloadProfile& profile, const ProfileJob& job, std::uint64_t seed, std::size_t rank)
      : profile_(profile), job_(job), seed_(seed), rank_(rank) {}

  struct Call {
    std::uint32_t group = 0;   // numbered from 1; 0: all ranks
    std::uint64_t number = 0;  // among the calls of the group
  };
  // Returns the next call of a collective.
  [[nodiscard]] Call next(const ProfileClass& c);

  // Shards of an all-to-all: rank i sends size * sent[i] * received[j] / n bytes to rank j.
  struct Parts {
    double size = 0;                         // bytes, mean over the ranks
    std::vector<double> sent{}, received{};  // by index in the group; each averages 1
    std::size_t own = 0;                     // index of the rank in the group
    [[nodiscard]] std::int64_t bytes(std::size_t from, std::size_t to) const;
  };
  // Returns the shards of a call of a class with splits. If ranks have received unequal shares in the latest call
  // and now send unequal ones, the shares sent follow the shares received.
  [[nodiscard]] Parts parts(const ProfileClass& c, const Call& call);
  // Returns the quantile, between 0 and 1, of the load that the rank received in the latest call among the loads of
  // its group. Returns nothing if that call was no all-to-all with unequal loads.
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
  std::map<std::uint32_t, Call> unequal_;         // by group: the latest call whose ranks receive unequal shares
  std::optional<double> load_;
};

}  // namespace convert
