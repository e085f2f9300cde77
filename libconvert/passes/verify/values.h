// SPDX-License-Identifier: MIT
// Symbolic content of a buffer slot, hash-consed: which ranks contributed to which chunk.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/index_table.h"

namespace convert {

// Stores each distinct set of ranks once: as runs of consecutive ranks if there are few runs (rings), else as a
// bitset. A set to which a rank was added twice is marked, and differs from every valid set.
class RankSets {
 public:
  using Id = std::uint32_t;
  // `outside`: ranks, ascending, that are not in the set of all.
  explicit RankSets(std::uint32_t ranks, std::span<const std::int32_t> outside = {});

  [[nodiscard]] Id single(std::uint32_t rank) const { return rank; }
  [[nodiscard]] Id all() const { return all_; }
  // Returns the union of disjoint sets; a marked set if they overlap or one is marked.
  [[nodiscard]] Id unite(Id a, Id b);
  [[nodiscard]] bool doubled(Id id) const { return entries_[id].doubled; }
  [[nodiscard]] bool contains(Id id, std::uint32_t rank) const;
  // Returns the lowest rank in both sets; ranks() if they are disjoint.
  [[nodiscard]] std::uint32_t first_common(Id a, Id b) const;
  [[nodiscard]] std::uint32_t ranks() const { return ranks_; }
  [[nodiscard]] std::string text(Id id) const;  // "0-3,7"

 private:
  struct Entry {
    std::uint64_t begin = 0;  // into words_
    std::uint32_t words = 0;
    bool bits = false;  // words are a bitset; else pairs first, last of each run
    bool doubled = false;
  };
  [[nodiscard]] std::span<const std::uint32_t> words(Id id) const {
    return {words_.data() + entries_[id].begin, entries_[id].words};
  }
  Id intern(std::span<const std::uint32_t> content, bool bits, bool doubled);
  bool unite_runs(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b);
  bool unite_bits(Id a, Id b);
  void expand(Id id, std::vector<std::uint32_t>& bits) const;

  std::uint32_t ranks_;
  std::uint32_t bit_words_;
  std::vector<std::uint32_t> words_;
  std::vector<Entry> entries_;
  IndexTable<> index_;  // of entries_
  std::vector<std::uint32_t> scratch_;
  std::vector<std::uint32_t> left_;
  std::vector<std::uint32_t> right_;
  Id all_ = 0;
};

// Content of one slot: nothing, contributions of ranks to one chunk, or (mostly an error) a sum of chunks.
using SlotValue = std::uint64_t;
inline constexpr SlotValue nothing = 0;

// Values of slots and their reductions.
class Values {
 public:
  // `outside`: ranks, ascending, whose contributions a complete sum does not require.
  explicit Values(std::uint32_t ranks, std::span<const std::int32_t> outside = {}) : sets_(ranks, outside) {}
  [[nodiscard]] SlotValue token(std::uint32_t rank, std::uint32_t chunk) const {
    return pack(chunk, sets_.single(rank));
  }
  [[nodiscard]] SlotValue complete(std::uint32_t chunk) const { return pack(chunk, sets_.all()); }
  // Returns a ⊕ b; nothing if either is nothing. Sets `doubled_rank` if a contribution was added a second time.
  [[nodiscard]] SlotValue reduce(SlotValue a, SlotValue b, std::uint32_t& doubled_rank);
  [[nodiscard]] std::string text(SlotValue v) const;  // "chunk 3 of ranks 0-7"
  [[nodiscard]] bool is_single_chunk(SlotValue v, std::uint32_t& chunk, RankSets::Id& set) const;
  [[nodiscard]] const RankSets& sets() const { return sets_; }

 private:
  static constexpr std::uint32_t mixed_chunk = 0xffffffff;
  static constexpr std::uint32_t too_mixed = 0;  // index of the entry for sums of very many chunks
  static SlotValue pack(std::uint32_t chunk, std::uint32_t set) {
    return (static_cast<SlotValue>(chunk + 1) << 32) | set;
  }
  static SlotValue pack_mixed(std::uint32_t index) { return (static_cast<SlotValue>(mixed_chunk) << 32) | index; }
  using Terms = std::vector<std::pair<std::uint32_t, RankSets::Id>>;
  [[nodiscard]] Terms terms(SlotValue v) const;
  RankSets::Id unite(RankSets::Id a, RankSets::Id b, std::uint32_t& doubled_rank);
  SlotValue reduce_mixed(SlotValue a, SlotValue b, std::uint32_t& doubled_rank);

  RankSets sets_;
  std::vector<Terms> mixed_{Terms{}};
};

}  // namespace convert
