// SPDX-License-Identifier: MIT
// Finds the times of a ring phase for all of its members at once, where messages do not meet others: when a member
// goes on depends on what it and the member before it have done, and on nothing else.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/units.h"

namespace convert {

// Says how the messages of a ring phase differ: in exact sizes some parts have a byte more.
struct RingParts {
  std::int64_t bytes = 0;     // of the smaller messages
  std::uint32_t larger = 0;   // parts
  std::uint64_t scatter = 0;  // rounds that scatter, by parts
  bool backwards = false;     // part numbers fall along the direction of the messages

  // Returns to which members the larger parts go in round k: the first of them, in the order of the messages.
  [[nodiscard]] std::uint32_t first_larger(std::uint64_t k, std::uint32_t members) const {
    if (larger == 0) return 0;
    const std::uint64_t behind = k < scatter ? k + 1 : k - scatter;
    return static_cast<std::uint32_t>((behind + 1 + (backwards ? members + 1 - larger : 0)) % members);
  }
};

// Says what goes round in one round: messages of size 1 to the members [first_larger, first_larger + larger),
// modulo their number, and of size 0 to the others; and by size for how long the receiver then works on it.
struct RingRound {
  std::uint32_t first_larger = 0;
  std::uint32_t larger = 0;
  std::array<Picoseconds, 2> pass{};

  // Calls f(first, end, size) for members [first, end) that get messages of one size, up to all of them.
  template <typename F>
  void for_each_size(std::uint32_t members, const F& f) const {
    const std::uint32_t end = first_larger + larger;
    if (end <= members) {
      f(0, first_larger, 0);
      f(first_larger, end, 1);
      f(end, members, 0);
    } else {
      f(0, end - members, 1);
      f(end - members, first_larger, 0);
      f(first_larger, members, 1);
    }
  }
};

// Counts how many messages of size 1 come to each member.
class LargerMessages {
 public:
  void reset(std::uint32_t members) { more_.assign(std::size_t{members} + 1, 0); }
  void add(const RingRound& round);
  // Returns the numbers, by member. Call it once, at the end.
  [[nodiscard]] const std::vector<std::int64_t>& by_member();

 private:
  std::vector<std::int64_t> more_;  // than the member before
};

// Numbers members along the direction of the messages: each receives from the one before, 0 from the last. Messages
// have one of two sizes, number 0 and 1.
class WholeRing {
 public:
  // Begins a phase. Then come begins() and delay() for each member, and prepare().
  void reset(std::uint32_t members);
  // Tells when a member sends its first message.
  void begins(std::uint32_t member, Picoseconds time) { times_[member + 1] = time; }
  // Tells how long a message of a size takes to come to a member.
  void delay(std::uint32_t member, std::size_t size, Picoseconds delay) { delays_[size][member] = delay; }
  // Tells how many rounds are to come at most, and the longest pass of any.
  void prepare(std::uint64_t rounds, Picoseconds longest_pass);

  // Moves all members on by a round. Throws Error if a time exceeds the clock.
  void round(const RingRound& round);
  // Moves them on by rounds that are alike, with messages of size 0. As nothing but maxima and sums is taken, all
  // rounds to come repeat those before once each member has moved on by the same time while a message went once
  // round.
  void alike(std::uint64_t rounds, Picoseconds pass);
  // Returns when a member has worked on what it received last.
  [[nodiscard]] Picoseconds time(std::uint32_t member) const { return times_[member + 1]; }
  // Returns how many messages of size 1 have come to each member. Call it once, at the end.
  [[nodiscard]] const std::vector<std::int64_t>& larger_received() { return larger_.by_member(); }

 private:
  // Moves on members [first, end), to which messages of this size come.
  void move(std::uint32_t first, std::uint32_t end, std::size_t size, Picoseconds pass);

  std::uint32_t members_ = 0;
  bool may_overflow_ = false;
  std::vector<Picoseconds> times_;  // of members from 1 on; 0 is the last member again
  std::vector<Picoseconds> next_;
  std::array<std::vector<Picoseconds>, 2> delays_;
  LargerMessages larger_;
};

}  // namespace convert
