// SPDX-License-Identifier: MIT
// Numbers the classes of nodes of all jobs, and hides those that are rare.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "profile/learn/calls/sizes.h"
#include "profile/learn/calls/slots.h"
#include "profile/learn/job_log.h"
#include "profile/workload_profile.h"

namespace convert {

// Computations of which there are fewer than k become such without a class of their own; communications of fewer
// than k calls lose their size; what stands on fewer than k nodes even so is left out. A name that only one of
// several ranks, or only one of several iterations, has, is that without its numbers: ProfilerStep#5, nccl:recv
// 3<-2.
class ClassTable {
 public:
  ClassTable(std::span<const JobLog> jobs, const GroupSlots& slots, std::uint32_t k);

  // Returns the class of a node that does not communicate; no_index: it is left out. Thread-safe.
  [[nodiscard]] std::uint32_t plain(const ProfileClass& plain_class, std::string_view name) const;
  // Returns that of the calls of a rank, in their order.
  [[nodiscard]] const std::vector<std::uint32_t>& calls(std::size_t job, std::size_t rank) const {
    return calls_[job][rank];
  }
  // Returns the most that a node of the class may cost: LargestCosts::kth() of all nodes of its type, of host or
  // device.
  [[nodiscard]] const NodeCost& most(std::uint32_t node_class) const { return most_[node_class]; }
  // Returns what no node of the class takes but long ones: eight times the mean, and 0.2 % of what an iteration of
  // a rank takes, ns. Where such stand is what else would be lost, and with it when others can begin.
  [[nodiscard]] double long_ns(std::uint32_t node_class) const { return long_ns_[node_class]; }
  [[nodiscard]] std::size_t size() const { return classes_.size(); }
  [[nodiscard]] const std::vector<ProfileClass>& classes() const { return classes_; }
  // Returns, by class, the first class that is the same message, whichever of its ends; of others the class itself.
  [[nodiscard]] std::vector<std::uint32_t> messages() const;
  [[nodiscard]] const std::vector<std::vector<SizeCluster>>& sizes() const { return sizes_.pools(); }
  [[nodiscard]] const std::vector<SplitPool>& splits() const { return splits_; }
  [[nodiscard]] std::uint64_t left_out() const { return left_out_; }

 private:
  struct Total {
    std::uint64_t nodes = 0;
    double time_ns = 0;
    std::uint32_t number = no_index;
  };
  // What a name of computations is on all ranks and in all iterations together.
  struct Spread {
    Total total{};
    std::size_t rank = 0;    // the only one, counted over all jobs; no_index: several
    std::uint32_t part = 0;  // the only one
  };
  using Named = std::pair<ProfileClass, std::string>;
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view s) const { return std::hash<std::string_view>()(s); }
  };
  // An all-to-all with unequal parts: what a rank sends on average, and how far that and what it receives spread.
  struct SplitCall {
    std::size_t ranks = 0;
    bool counted = false;
    double sent = 0, received = 0;                  // sums, bytes
    double sent_squares = 0, received_squares = 0;  // sums
    [[nodiscard]] double sent_spread() const;
    [[nodiscard]] double received_spread() const;
  };
  // Returns a class without what may differ among the ranks that take part: a receive as its send, no ordinal, no
  // root.
  static ProfileClass shared_part(ProfileClass c);
  void number_plain(std::span<const JobLog> jobs);
  void count_calls(std::span<const JobLog> jobs, const GroupSlots& slots);
  void hide_rare_roots(std::span<const JobLog> jobs);
  void number_calls(std::span<const JobLog> jobs);
  std::uint32_t number_call(const ProfileClass& c);
  std::uint32_t number_of(const ProfileClass& call);
  std::uint32_t add_class(const ProfileClass& c);
  void count_sizes(const JobLog& job, const std::vector<std::vector<ProfileClass>>& kinds);
  void count_splits(std::span<const JobLog> jobs);
  void make_splits();
  void cut_tails(std::span<const JobLog> jobs);
  void find_long(std::span<const JobLog> jobs);

  std::uint32_t k_;
  std::vector<ProfileClass> classes_;
  std::vector<NodeCost> most_;
  std::vector<double> long_ns_;
  CallSizes sizes_;
  std::vector<SplitPool> splits_;
  std::uint64_t left_out_ = 0;
  std::unordered_map<std::string, std::vector<std::pair<ProfileClass, std::uint32_t>>, TextHash, std::equal_to<>>
      plain_;
  std::map<ProfileClass, std::uint32_t> split_pools_, call_numbers_;
  std::map<ProfileClass, std::vector<SplitCall>> split_calls_;
  std::vector<std::vector<std::vector<ProfileClass>>> kind_classes_;  // by job, rank and kind of call
  std::vector<std::vector<std::vector<std::uint32_t>>> calls_;
};

}  // namespace convert
