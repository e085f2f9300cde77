// SPDX-License-Identifier: MIT
// Finds the times of rings that share wires, for all of their members at once, where a wire carries nothing but
// what one member sends to the next: a lane.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/trace.h"
#include "core/units.h"
#include "simulate/networks/network.h"
#include "simulate/rings/whole_ring.h"

namespace convert {

// Holds which wires are lanes, and since when they are free. A set of rings that runs on some has to end on each of
// them before another begins there.
class RingLanes {
 public:
  static constexpr std::uint32_t none = UINT32_MAX;
  struct Lane {
    std::uint32_t set = none;         // that is to run there
    Picoseconds last_send = -1;       // of the set before
    std::vector<Picoseconds> free{};  // by hop
  };

  // Returns the lane from one NPU to another, `way` of any message; null if one of its wires is part of another.
  [[nodiscard]] Lane* lane(Rank from, Rank to, const MessageWay& way);

 private:
  std::unordered_map<std::uint64_t, Lane> lanes_;  // by both ends
  std::unordered_set<std::uint32_t> wires_;        // of them
};

// Moves the rings of one set: those of the chunks of a collective, which begin together and go the same way. As
// long as their messages take turns on each lane, in the order of the rings, and never wait for one at the same
// time, each takes a lane when it is sent or the one before has left it.
//
// Numbers members as WholeRing does.
class LaneRings {
 public:
  // Begins a set. Then come begins() and lane() for each member.
  void reset(std::uint32_t members, std::uint32_t rings, std::size_t hops);
  // Tells when a member sends its first messages.
  void begins(std::uint32_t member, Picoseconds time);
  // Tells how messages of both sizes come to a member, and from when on; all ways have as many hops.
  void lane(std::uint32_t member, const std::array<MessageWay, 2>& ways, const std::vector<Picoseconds>& free);
  // Returns whether the clock is far beyond what so many rounds can take.
  [[nodiscard]] bool is_safe(std::uint64_t rounds, Picoseconds longest_pass) const;

  // Moves all members of ring `ring` on by a round; rings come in order.
  void round(std::uint32_t ring, const WholeRing::Round& round);
  // Returns whether messages have taken turns.
  [[nodiscard]] bool in_turns() const { return in_turns_; }
  // Returns when a member has worked on what it received last.
  [[nodiscard]] Picoseconds time(std::uint32_t ring, std::uint32_t member) const {
    return times_[ring][member + 1];
  }
  // Return when the last message for a member was sent, and since when the hop there is free.
  [[nodiscard]] Picoseconds last_send(std::uint32_t member) const { return last_[member]; }
  [[nodiscard]] Picoseconds free(std::size_t hop, std::uint32_t member) const { return hops_[hop].free[member]; }
  // Returns how many messages of size 1 have come to each member of a ring. Call it once, at the end.
  [[nodiscard]] const std::vector<std::int64_t>& larger_received(std::uint32_t ring);

 private:
  struct HopTimes {
    std::array<std::vector<Picoseconds>, 2> busy{};     // by size and member
    std::array<std::vector<Picoseconds>, 2> arrival{};  // likewise
    std::vector<Picoseconds> free{};
  };
  void move(std::uint32_t ring, std::uint32_t first, std::uint32_t end, std::size_t size, Picoseconds pass);

  std::uint32_t members_ = 0;
  bool in_turns_ = true;
  std::vector<std::vector<Picoseconds>> times_;  // by ring, as in WholeRing
  std::vector<Picoseconds> next_;
  std::vector<Picoseconds> last_;  // by member: when the last message for it was sent
  std::vector<Picoseconds> sent_;  // when those on their way reach a hop
  std::vector<HopTimes> hops_;
  std::vector<std::uint64_t> rounds_;              // by ring
  std::vector<std::vector<std::int64_t>> larger_;  // by ring: by how many more than the member before
};

}  // namespace convert
