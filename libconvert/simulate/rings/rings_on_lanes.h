// SPDX-License-Identifier: MIT
// Times of rings that share links, for all their members at once. Each link carries only messages from one member
// to the next; the route between the two is a lane.
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

// Route from a member to the next.
struct RingLane {
  bool is_taken = false;            // by rings that have begun on it and whose times are not known yet
  Picoseconds last_send = -1;       // last send of the previous rings; they end on the lane before others begin
  std::vector<Picoseconds> free{};  // by hop: time since when it is free
  std::int64_t bytes = -1;
  std::array<MessageWay, 2> ways{};  // routes of messages of `bytes`, and of one byte more
};

// Lanes by their ends. Ensures that no link belongs to two lanes.
class RingLanes {
 public:
  // Returns the lane from one NPU to another; null if it does not exist.
  [[nodiscard]] RingLane* find(Rank from, Rank to);
  // Creates the lane, with the route of any of its messages. Returns null if one of its links belongs to another
  // lane.
  [[nodiscard]] RingLane* make(Rank from, Rank to, const MessageWay& way);

 private:
  std::unordered_map<std::uint64_t, RingLane> lanes_;  // by both ends
  std::unordered_set<std::uint32_t> wires_;            // of all lanes
};

// Advances the rings of a collective's chunks, which begin together and use the same lanes. Messages must use each
// lane in ring order, and no two may reach it at the same time. Each message then takes a lane when it is sent, or
// when the previous message has left the lane.
//
// Members are numbered as in WholeRing.
class RingsOnLanes {
 public:
  // Starts such rings. Call begins() and lane() for each member next.
  void reset(std::uint32_t members, std::uint32_t rings, std::size_t hops);
  // Sets when a member sends its first messages.
  void begins(std::uint32_t member, Picoseconds time);
  // Sets the lane over which messages reach a member. All lanes have the same number of hops.
  void lane(std::uint32_t member, const RingLane& lane);
  // Returns whether this number of rounds cannot overflow the clock.
  [[nodiscard]] bool is_safe(std::uint64_t rounds, Picoseconds longest_pass) const;

  // Advances all members of ring `ring` by a round; call it for the rings in order.
  void round(std::uint32_t ring, const RingRound& round);
  // Returns whether messages have used the lanes in order; if not, all other results are meaningless.
  [[nodiscard]] bool in_turns() const { return in_turns_; }
  // Returns when a member has finished the work on its last received message.
  [[nodiscard]] Picoseconds time(std::uint32_t ring, std::uint32_t member) const {
    return times_[ring][member + 1];
  }
  // Sets the state of a member's lane after all rounds.
  void leave(std::uint32_t member, RingLane& lane) const;
  // Returns by member the number of messages of size 1 that it has received in a ring. Call it once, at the end.
  [[nodiscard]] const std::vector<std::int64_t>& larger_received(std::uint32_t ring) {
    return larger_[ring].by_member();
  }

 private:
  struct HopTimes {
    std::array<std::vector<Picoseconds>, 2> busy{};     // by size and member
    std::array<std::vector<Picoseconds>, 2> arrival{};  // by size and member
    std::vector<Picoseconds> free{};
  };
  void note_turns(std::uint32_t ring);
  void move(std::uint32_t ring, std::uint32_t first, std::uint32_t end, std::size_t size, Picoseconds pass);

  std::uint32_t members_ = 0;
  bool in_turns_ = true;
  std::vector<std::vector<Picoseconds>> times_;  // by ring, as in WholeRing
  std::vector<Picoseconds> next_;
  std::vector<Picoseconds> last_;  // by member: when the last message to it was sent
  std::vector<Picoseconds> sent_;  // when the messages under way reach a hop
  std::vector<HopTimes> hops_;
  std::vector<std::uint64_t> rounds_;  // by ring
  std::vector<LargerMessages> larger_;
};

}  // namespace convert
