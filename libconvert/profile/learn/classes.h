// SPDX-License-Identifier: MIT
// Classes of the nodes of all jobs; hides rare classes.
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

// Computations of a class with fewer than k nodes become anonymous computations. Communications with fewer than k
// calls lose their size. Nodes are omitted if their class is still rare after this. A name that only one of several
// ranks, or one of several iterations, has loses its numbers: ProfilerStep#5, nccl:recv 3<-2.
class ClassTable {
 public:
  ClassTable(std::span<const JobLog> jobs, const GroupSlots& slots, std::uint32_t k);

  // Returns the class of a node that is not a communication; no_index: the node is omitted. Thread-safe.
  [[nodiscard]] std::uint32_t plain(const ProfileClass& plain_class, std::string_view name) const;
  // Returns the classes of the calls of a rank, in call order.
  [[nodiscard]] const std::vector<std::uint32_t>& calls(std::size_t job, std::size_t rank) const {
    return calls_[job][rank];
  }
  // Returns the upper bound of the costs of a node of the class: LargestCosts::kth() over all nodes of its type on
  // host or device.
  [[nodiscard]] const NodeCost& most(std::uint32_t node_class) const { return most_[node_class]; }
  // Returns the duration in ns above which a node of the class is long: eight times the mean, and at least 0.2 % of
  // a rank's iteration. Tokens distinguish long nodes, as their positions determine when other nodes can begin.
  [[nodiscard]] double long_ns(std::uint32_t node_class) const { return long_ns_[node_class]; }
  [[nodiscard]] std::size_t size() const { return classes_.size(); }
  [[nodiscard]] const std::vector<ProfileClass>& classes() const { return classes_; }
  // Returns for each class the first class of the same message, independent of the end; the class itself if it is
  // not a message.
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
  // Occurrences of a name of computations over all ranks and iterations.
  struct Spread {
    Total total{};
    std::size_t rank = 0;    // the only rank, counted over all jobs; no_index: several
    std::uint32_t part = 0;  // the only part
  };
  using Named = std::pair<ProfileClass, std::string>;
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view s) const { return std::hash<std::string_view>()(s); }
  };
  // An all-to-all with unequal shards: mean sent by a rank, and spread of sent and received bytes.
  struct SplitCall {
    std::size_t ranks = 0;
    bool counted = false;
    double sent = 0, received = 0;                  // sums, bytes
    double sent_squares = 0, received_squares = 0;  // sums
    [[nodiscard]] double sent_spread() const;
    [[nodiscard]] double received_spread() const;
  };
  // Returns a class without properties that differ between the ranks of a call: a receive becomes a send; ordinal
  // and root are removed.
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
