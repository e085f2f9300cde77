// SPDX-License-Identifier: MIT
// Times of a ring phase for all its members at once, if its messages meet no others: a member's progress depends
// only on itself and on the previous member.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/units.h"

namespace convert {

// Difference between the messages of a ring phase: with exact sizes, some shards are one byte larger.
struct RingParts {
  std::int64_t bytes = 0;     // size of the smaller messages
  std::uint32_t larger = 0;   // number of larger shards
  std::uint64_t scatter = 0;  // number of reduce-scatter rounds
  bool backwards = false;     // shard numbers decrease along the direction of the messages

  // Returns the first member, in the order of the messages, that receives a larger shard in round k.
  [[nodiscard]] std::uint32_t first_larger(std::uint64_t k, std::uint32_t members) const {
    if (larger == 0) return 0;
    const std::uint64_t behind = k < scatter ? k + 1 : k - scatter;
    return static_cast<std::uint32_t>((behind + 1 + (backwards ? members + 1 - larger : 0)) % members);
  }
};

// Messages of one round: size 1 to the members [first_larger, first_larger + larger), modulo their number, and size
// 0 to the others. `pass` is the receiver's work on a message, by size.
struct RingRound {
  std::uint32_t first_larger = 0;
  std::uint32_t larger = 0;
  std::array<Picoseconds, 2> pass{};

  // Calls f(first, end, size) for each range [first, end) of members that receive messages of one size; all
  // members.
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

// Counts the messages of size 1 that each member receives.
class LargerMessages {
 public:
  void reset(std::uint32_t members) { more_.assign(std::size_t{members} + 1, 0); }
  void add(const RingRound& round);
  // Returns the counts, by member. Call it once, at the end.
  [[nodiscard]] const std::vector<std::int64_t>& by_member();

 private:
  std::vector<std::int64_t> more_;  // difference from the previous member
};

// A ring phase of messages of two sizes, numbered 0 and 1. Members are numbered along the direction of the
// messages: each receives from the previous one, member 0 from the last.
class WholeRing {
 public:
  // Starts a phase. Call begins() and delay() for each member next, then prepare().
  void reset(std::uint32_t members);
  // Sets when a member sends its first message.
  void begins(std::uint32_t member, Picoseconds time) { times_[member + 1] = time; }
  // Sets the time that a message of a size takes to reach a member.
  void delay(std::uint32_t member, std::size_t size, Picoseconds delay) { delays_[size][member] = delay; }
  // Sets the maximum number of rounds, and the longest pass of all rounds.
  void prepare(std::uint64_t rounds, Picoseconds longest_pass);

  // Advances all members by a round. Throws Error if a time exceeds the clock.
  void round(const RingRound& round);
  // Advances all members by equal rounds, with messages of size 0. A round only computes maxima and sums. All later
  // rounds therefore repeat the previous ones once each member has advanced by the same time while a message went
  // round the ring.
  void alike(std::uint64_t rounds, Picoseconds pass);
  // Returns when a member has finished the work on its last received message.
  [[nodiscard]] Picoseconds time(std::uint32_t member) const { return times_[member + 1]; }
  // Returns by member the number of received messages of size 1. Call it once, at the end.
  [[nodiscard]] const std::vector<std::int64_t>& larger_received() { return larger_.by_member(); }

 private:
  // Advances members [first, end), which receive messages of this size.
  void move(std::uint32_t first, std::uint32_t end, std::size_t size, Picoseconds pass);

  std::uint32_t members_ = 0;
  bool may_overflow_ = false;
  std::vector<Picoseconds> times_;  // index 1 + member; index 0 repeats the last member
  std::vector<Picoseconds> next_;
  std::array<std::vector<Picoseconds>, 2> delays_;
  LargerMessages larger_;
};

}  // namespace convert
