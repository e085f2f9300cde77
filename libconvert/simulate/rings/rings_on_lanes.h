// SPDX-License-Identifier: MIT
// Finds the times of rings that share wires, for all of their members at once, where a wire carries nothing but
// what one member sends to the next: a lane.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/trace.h"
#include "core/units.h"
#include "simulate/networks/network.h"
#include "simulate/rings/whole_ring.h"

namespace convert {

// Is the way from a member to the next.
struct RingLane {
  bool is_taken = false;            // by rings that have begun on it and whose times are not found yet
  Picoseconds last_send = -1;       // of the rings before: they end on it before others begin
  std::vector<Picoseconds> free{};  // by hop: since when
  std::int64_t bytes = -1;
  std::array<MessageWay, 2> ways{};  // of messages of so many bytes, and one more
};

// Finds lanes by their ends, and sees to it that no wire is part of two.
class RingLanes {
 public:
  // Returns the lane from one NPU to another; null if it is not known.
  [[nodiscard]] RingLane* find(Rank from, Rank to);
  // Makes it, with the way of any of its messages; returns null if one of its wires is part of another.
  [[nodiscard]] RingLane* make(Rank from, Rank to, const MessageWay& way);

 private:
  std::unordered_map<std::uint64_t, RingLane> lanes_;  // by both ends
  std::unordered_set<std::uint32_t> wires_;            // of them
};

// Moves the rings of a collective's chunks, which begin together and go the same way. As long as their messages
// take turns on each lane, in the order of the rings, and no two come to it at one time, each takes a lane when it
// is sent or the one before has left it.
//
// Numbers members as WholeRing does.
class RingsOnLanes {
 public:
  // Begins such rings. Then come begins() and lane() for each member.
  void reset(std::uint32_t members, std::uint32_t rings, std::size_t hops);
  // Tells when a member sends its first messages.
  void begins(std::uint32_t member, Picoseconds time);
  // Tells on which lane messages come to a member; all lanes have as many hops.
  void lane(std::uint32_t member, const RingLane& lane);
  // Returns whether the clock is far beyond what so many rounds can take.
  [[nodiscard]] bool is_safe(std::uint64_t rounds, Picoseconds longest_pass) const;

  // Moves all members of ring `ring` on by a round; rings come in order.
  void round(std::uint32_t ring, const RingRound& round);
  // Returns whether messages have taken turns; if not, nothing else holds.
  [[nodiscard]] bool in_turns() const { return in_turns_; }
  // Returns when a member has worked on what it received last.
  [[nodiscard]] Picoseconds time(std::uint32_t ring, std::uint32_t member) const {
    return times_[ring][member + 1];
  }
  // Sets what is to be known of a member's lane after all rounds.
  void leave(std::uint32_t member, RingLane& lane) const;
  // Returns how many messages of size 1 have come to each member of a ring. Call it once, at the end.
  [[nodiscard]] const std::vector<std::int64_t>& larger_received(std::uint32_t ring) {
    return larger_[ring].by_member();
  }

 private:
  struct HopTimes {
    std::array<std::vector<Picoseconds>, 2> busy{};     // by size and member
    std::array<std::vector<Picoseconds>, 2> arrival{};  // likewise
    std::vector<Picoseconds> free{};
  };
  void note_turns(std::uint32_t ring);
  void move(std::uint32_t ring, std::uint32_t first, std::uint32_t end, std::size_t size, Picoseconds pass);

  std::uint32_t members_ = 0;
  bool in_turns_ = true;
  std::vector<std::vector<Picoseconds>> times_;  // by ring, as in WholeRing
  std::vector<Picoseconds> next_;
  std::vector<Picoseconds> last_;  // by member: when the last message for it was sent
  std::vector<Picoseconds> sent_;  // when those on their way reach a hop
  std::vector<HopTimes> hops_;
  std::vector<std::uint64_t> rounds_;  // by ring
  std::vector<LargerMessages> larger_;
};

}  // namespace convert
