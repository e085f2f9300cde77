// SPDX-License-Identifier: MIT
// Lets one rank of each class of a set stand for all: for work on sets that treats ranks alike but for the names of
// groups and the numbers of peers, which it may compare, but not order.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/master/master_set.h"

namespace convert {

// Returns by rank its place in the set's order; nothing if these are not the ranks from 0 on.
[[nodiscard]] std::optional<std::vector<std::uint64_t>> places_by_rank(const MasterSet& set);

class StandIns {
 public:
  // The set must outlive this object. A class of which ranks differ in more than that, or of which two groups or
  // peers are the same on some ranks only, has no stand-in: each of its ranks stands for itself.
  enum class Each : std::uint8_t { class_of_ranks, alone };
  StandIns(const MasterSet& set, std::string file, Each each = Each::class_of_ranks);

  struct Place {
    std::uint32_t stand_in = 0;
    std::uint64_t ordinal = 0;
  };
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(stand_ins_.size()); }
  // Returns the place of the i-th rank of the set's order.
  [[nodiscard]] Place place(std::uint64_t i) const;
  // Returns how many ranks a stand-in stands for.
  [[nodiscard]] std::uint64_t ranks(std::uint32_t stand_in) const;
  [[nodiscard]] Rank rank(const Place& p) const;
  // Returns the stand-in with its nodes: the first of its ranks.
  [[nodiscard]] Trace read(std::uint32_t stand_in) const;

  // Returns the names of the groups of a stand-in that are others for its other ranks.
  [[nodiscard]] std::vector<std::string> groups(std::uint32_t stand_in) const;
  // Return whether nodes of the stand-in name this group, or this rank as a peer or as their own.
  [[nodiscard]] bool has_group(std::uint32_t stand_in, std::string_view name) const {
    return stand_ins_[stand_in].groups.contains(name);
  }
  [[nodiscard]] bool has_peer(std::uint32_t stand_in, std::uint64_t peer) const {
    return stand_ins_[stand_in].peers.contains(peer);
  }
  // Returns whether its groups, if they are others for other ranks, are numbers on each, those that vary from 1 on:
  // no two names are of one group.
  [[nodiscard]] bool groups_are_numbers(std::uint32_t stand_in) const;
  // Returns whether all its peers are numbers that a rank can have, on each of its ranks.
  [[nodiscard]] bool peers_are_ranks(std::uint32_t stand_in) const;
  // Return what a group or peer of the stand-in is for one of its ranks.
  [[nodiscard]] std::string group(const Place& p, std::string_view of_stand_in) const;
  [[nodiscard]] std::uint64_t peer(const Place& p, std::uint64_t of_stand_in) const;
  // Makes nodes of the stand-in those of one of its ranks.
  void become(const Place& p, Trace& trace) const;

 private:
  // A group or peer that is another one on each rank.
  struct Column {
    std::uint64_t first = 0;  // as RankValues hold it
    std::uint32_t rule = no_index;
  };
  struct StandIn {
    std::uint32_t of_class = 0;
    std::optional<std::uint64_t> only{};  // the ordinal of the rank that stands for itself
    std::map<std::string, Column, std::less<>> groups{};
    std::unordered_map<std::uint64_t, Column> peers{};
  };
  bool find_columns(StandIn& s) const;
  [[nodiscard]] bool differ_everywhere(const RankClass& c, const std::vector<Column>& columns) const;
  [[nodiscard]] std::string text(const StandIn& s, const Column& c, std::uint64_t ordinal) const;
  [[nodiscard]] std::uint64_t value(const StandIn& s, const Column& c, std::uint64_t ordinal) const;

  const MasterSet& set_;
  std::string file_;
  std::vector<StandIn> stand_ins_;
  std::vector<std::uint32_t> first_of_class_;  // its stand-in, or that of its first rank
};

}  // namespace convert
