// SPDX-License-Identifier: MIT
// Hash table of row numbers: finds rows of a table by their contents, without storing the rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace convert {

// Stores row numbers in slots of 4 bytes (open addressing, at most half of the slots used). The caller hashes and
// compares the rows. hash_of(row) is called again for existing rows when the table grows or a row is removed.
template <class Slots = std::vector<std::uint32_t>>
class IndexTable {
 public:
  static constexpr std::uint32_t none = 0xffffffff;

  // Returns the row with this hash for which same(row) is true, or `none`.
  template <class Same>
  [[nodiscard]] std::uint32_t find(std::size_t hash, const Same& same) const {
    std::size_t i = hash & mask();
    while (slots_[i] != 0 && !same(slots_[i] - 1)) i = next(i);
    return slots_[i] - 1;
  }
  // Returns the row that find() finds; otherwise adds `row` and returns it.
  template <class Same, class HashOf>
  std::uint32_t find_or_add(std::size_t hash, std::uint32_t row, const Same& same, const HashOf& hash_of) {
    if ((used_ + 1) * 2 > slots_.size()) grow(hash_of);
    std::size_t i = hash & mask();
    for (; slots_[i] != 0; i = next(i)) {
      if (same(slots_[i] - 1)) return slots_[i] - 1;
    }
    ++used_;
    slots_[i] = row + 1;
    return row;
  }
  // Adds a row that is not in the table.
  template <class HashOf>
  void add(std::uint32_t row, const HashOf& hash_of) {
    if (++used_ * 2 > slots_.size()) grow(hash_of);
    put(row, hash_of);
  }
  // Removes a row that is in the table.
  template <class HashOf>
  void remove(std::uint32_t row, const HashOf& hash_of) {
    std::size_t hole = hash_of(row) & mask();
    while (slots_[hole] != row + 1) hole = next(hole);
    for (std::size_t i = next(hole); slots_[i] != 0; i = next(i)) {  // rows that were probed past the gap move into
                                                                     // it
      if (((i - hash_of(slots_[i] - 1)) & mask()) < ((i - hole) & mask())) continue;
      slots_[hole] = slots_[i];
      hole = i;
    }
    slots_[hole] = 0;
    --used_;
  }

  [[nodiscard]] std::size_t size() const { return used_; }
  // Calls visit(row) for each row, in any order.
  template <class Visit>
  void for_each(const Visit& visit) const {
    for (const std::uint32_t slot : slots_) {
      if (slot != 0) visit(slot - 1);
    }
  }

 private:
  [[nodiscard]] std::size_t mask() const { return slots_.size() - 1; }
  [[nodiscard]] std::size_t next(std::size_t slot) const { return (slot + 1) & mask(); }
  template <class HashOf>
  void put(std::uint32_t row, const HashOf& hash_of) {
    std::size_t i = hash_of(row) & mask();
    while (slots_[i] != 0) i = next(i);
    slots_[i] = row + 1;
  }
  template <class HashOf>
  void grow(const HashOf& hash_of) {
    Slots old(slots_.size() * 2, 0);
    old.swap(slots_);
    for (const std::uint32_t slot : old) {
      if (slot != 0) put(slot - 1, hash_of);
    }
  }

  Slots slots_ = Slots(64, 0);  // 1 + row; 0: unused
  std::size_t used_ = 0;
};

}  // namespace convert
