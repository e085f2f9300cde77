// SPDX-License-Identifier: MIT
// Representatives of rank classes. A representative may be processed for its whole class if the processing depends
// on ranks only by group names and peer numbers, and compares these for equality, not for order.
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

// Returns the place in the set's order by rank; nothing if the ranks are not 0…n-1.
[[nodiscard]] std::optional<std::vector<std::uint64_t>> places_by_rank(const MasterSet& set);

class StandIns {
 public:
  // The set must outlive this object. A class has no common representative if its ranks differ in more than groups
  // and peers, or if two groups or peers are equal on some ranks only: each of its ranks then represents itself.
  enum class Each : std::uint8_t { class_of_ranks, alone };
  StandIns(const MasterSet& set, std::string file, Each each = Each::class_of_ranks);

  struct Place {
    std::uint32_t stand_in = 0;
    std::uint64_t ordinal = 0;
  };
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(stand_ins_.size()); }
  // Returns the place of the i-th rank in the set's order.
  [[nodiscard]] Place place(std::uint64_t i) const;
  // Returns the number of ranks that a representative represents.
  [[nodiscard]] std::uint64_t ranks(std::uint32_t stand_in) const;
  [[nodiscard]] Rank rank(const Place& p) const;
  // Returns the representative, the first of its ranks, with its nodes.
  [[nodiscard]] Trace read(std::uint32_t stand_in) const;

  // Returns the group names of a representative that differ for its other ranks.
  [[nodiscard]] std::vector<std::string> groups(std::uint32_t stand_in) const;
  // Return whether nodes of the representative name this group, or this rank as a peer or as their own.
  [[nodiscard]] bool has_group(std::uint32_t stand_in, std::string_view name) const {
    return stand_ins_[stand_in].groups.contains(name);
  }
  [[nodiscard]] bool has_peer(std::uint32_t stand_in, std::uint64_t peer) const {
    return stand_ins_[stand_in].peers.contains(peer);
  }
  // Returns whether no group varies between ranks, or all groups are numbers and varying ones are at least 1. Then
  // no two names mean the same group.
  [[nodiscard]] bool groups_are_numbers(std::uint32_t stand_in) const;
  // Returns whether all its peers are valid rank numbers on each of its ranks.
  [[nodiscard]] bool peers_are_ranks(std::uint32_t stand_in) const;
  // Return the group or peer of one of its ranks for a group or peer of the representative.
  [[nodiscard]] std::string group(const Place& p, std::string_view of_stand_in) const;
  [[nodiscard]] std::uint64_t peer(const Place& p, std::uint64_t of_stand_in) const;
  // Converts nodes of the representative to nodes of one of its ranks.
  void become(const Place& p, Trace& trace) const;

 private:
  // Group or peer that differs on each rank.
  struct Column {
    std::uint64_t first = 0;  // as stored in RankValues
    std::uint32_t rule = no_index;
  };
  struct StandIn {
    std::uint32_t of_class = 0;
    std::optional<std::uint64_t> only{};  // ordinal of the only rank, if the rank represents itself
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
  std::vector<std::uint32_t> first_of_class_;  // representative of the class, or of its first rank
};

}  // namespace convert
