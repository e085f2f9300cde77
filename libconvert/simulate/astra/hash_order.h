// SPDX-License-Identifier: MIT
// Iteration order of a libstdc++ std::unordered_set of integers, the order in which ASTRA-sim issues nodes.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace convert {

// Set of integers in the iteration order of libstdc++. The elements are in one list; the elements of a bucket (key
// mod number of buckets) are adjacent. The number of buckets grows to the next of a fixed row of primes if the set
// would have more elements than buckets; it never shrinks. Each operation takes constant time, except growing.
class HashOrder {
 public:
  // Inserts a key that is not in the set. Returns its index, for erase().
  std::uint32_t insert(std::uint64_t key) {
    if (size_ == bucket_count_ || bucket_count_ == 1) grow();
    std::uint32_t place = unused_;
    if (place == none) {
      place = static_cast<std::uint32_t>(elements_.size());
      elements_.emplace_back();
    } else {
      unused_ = elements_[place].next;
    }
    elements_[place].key = key;
    attach(place);
    ++size_;
    return place;
  }

  void erase(std::uint32_t place) {
    const Element& e = elements_[place];
    const std::uint32_t next = e.next;
    std::uint32_t& first = first_of_bucket_[bucket(e.key)];
    if (first == place) first = next != none && bucket(elements_[next].key) == bucket(e.key) ? next : none;
    (e.previous == none ? first_ : elements_[e.previous].next) = next;
    if (next != none) elements_[next].previous = e.previous;
    elements_[place].next = unused_;
    unused_ = place;
    --size_;
  }

  // Calls f(place) for each element, in order; f must not change the set.
  template <typename F>
  void for_each(const F& f) const {
    for (std::uint32_t place = first_; place != none; place = elements_[place].next) f(place);
  }

  [[nodiscard]] std::uint32_t size() const { return size_; }
  [[nodiscard]] std::uint64_t key(std::uint32_t place) const { return elements_[place].key; }
  // Returns the number of buckets, which is 1 until the first insertion.
  [[nodiscard]] std::uint32_t bucket_count() const { return bucket_count_; }

  // Removes all elements; indices start at 0 again. `bucket_count` is a bucket_count() that such a set has had; 1
  // for a new set.
  void clear(std::uint32_t bucket_count) {
    use_buckets(bucket_count);
    elements_.clear();
    first_ = unused_ = none;
    size_ = 0;
  }

 private:
  static constexpr std::uint32_t none = UINT32_MAX;
  static constexpr std::array<std::uint32_t, 28> bucket_counts = {
      13,       29,       59,        127,       257,       541,       1109,       2357,      5087,    10273,
      20753,    42043,    85229,     172933,    351061,    712697,    1447153,    2938679,   5967347, 12117689,
      24607243, 49969847, 101473717, 206062531, 418451333, 849749479, 1725587117, 3504151727};

  struct Element {
    std::uint64_t key = 0;
    std::uint32_t previous = none;
    std::uint32_t next = none;  // for unused elements: in the list of unused elements
  };

  [[nodiscard]] std::uint32_t bucket(std::uint64_t key) const {
    return static_cast<std::uint32_t>(key % bucket_count_);
  }

  // Inserts an element before its bucket, or before all elements if its bucket is empty.
  void attach(std::uint32_t place) {
    Element& e = elements_[place];
    std::uint32_t& first = first_of_bucket_[bucket(e.key)];
    e.next = first == none ? first_ : first;
    e.previous = e.next == none ? none : elements_[e.next].previous;
    (e.previous == none ? first_ : elements_[e.previous].next) = place;
    if (e.next != none) elements_[e.next].previous = place;
    first = place;
  }

  // Sets the number of buckets and empties all buckets. Buckets that are already empty take no time.
  void use_buckets(std::uint32_t bucket_count) {
    for_each([this](std::uint32_t place) { first_of_bucket_[bucket(elements_[place].key)] = none; });
    bucket_count_ = bucket_count;
    if (first_of_bucket_.size() < bucket_count) first_of_bucket_.resize(bucket_count, none);
  }

  void grow() {
    use_buckets(*std::upper_bound(bucket_counts.begin(), bucket_counts.end(), bucket_count_));
    std::uint32_t place = first_;
    first_ = none;
    while (place != none) {
      const std::uint32_t next = elements_[place].next;
      attach(place);
      place = next;
    }
  }

  std::vector<Element> elements_;
  std::vector<std::uint32_t> first_of_bucket_ = {none};  // at least bucket_count_ entries
  std::uint32_t first_ = none;
  std::uint32_t unused_ = none;
  std::uint32_t size_ = 0;
  std::uint32_t bucket_count_ = 1;
};

}  // namespace convert
