// SPDX-License-Identifier: MIT
// State of one chunk of a collective on one NPU, and functions of SystemState that each message calls; for the
// collective engine only.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "simulate/system/rounds.h"
#include "simulate/system/state.h"

namespace convert {

// Progress of a member of a double binary tree.
enum class TreeStep : std::uint8_t {
  leaf_begin,
  leaf_send,
  leaf_wait,
  leaf_end,
  inner_two,  // waits for two children
  inner_one,
  inner_send,
  inner_wait,  // waits for the parent
  inner_pass,
  root_wait,
  root_pass,
};

struct alignas(64) SystemState::Stream {
  using Tree = TreeStep;

  // The data for each message are in the first two cache lines.
  const PhasePlan* phase = nullptr;
  Rank npu = 0;
  std::uint32_t place = 0;         // index in the logical ring
  std::uint32_t* peers = nullptr;  // its entry in Meeting::streams, among the entries of the other members
  Inbox inbox{};
  std::uint32_t early = 0;  // 1 + first message for a later phase
  std::uint32_t phase_index = 0;

  std::int64_t total = 0;  // exact sizes: see rounds.h
  std::uint64_t sent = 0;
  std::uint64_t received = 0;
  std::uint32_t prepared = 0;   // bundles whose message has not been sent; exact sizes: finished passes
  std::uint32_t free = 0;       // finished bundles or passes that have not been followed by a message
  std::int64_t priority = 0;    // of its messages
  const Rank* ranks = nullptr;  // of the group, by index; see PhasePlan::group_ring
  // In a ring, from its first message on: 1 + the stream or channel to which it sends, 1 + the channel from which
  // it receives.
  std::uint32_t to_next = 0;
  std::uint32_t from_previous = 0;
  bool in_stages = false;  // exact sizes: it runs `stages`
  bool anticlockwise = false;
  bool reducing = false;        // the bundles of this cycle reduce, except plain bundles
  bool low_root = false;        // double binary tree: which of the two trees
  bool turned = false;          // halving doubling: in the reverse direction
  bool whole = false;           // the phase is run as a whole; see whole_phases.h
  std::uint8_t reductions = 0;  // double binary tree
  Tree tree = Tree::leaf_begin;

  // Additional data for the beginning and end of a phase, in the third cache line.
  std::uint32_t job = Job::none;  // none: the NPU has not called the collective
  std::uint32_t queue = 0;        // of the NPU
  std::uint32_t next = 0;         // 1 + stream in a queue, or in the list of unused streams
  std::uint32_t cell = 0;         // see Meeting
  std::uint64_t chunk = 0;
  std::uint64_t steps_left = 0;
  std::int64_t bytes = 0;  // of the next bundle
  Picoseconds reduction = 0;
  std::uint32_t at = 0;  // bundle within the cycle
  std::uint32_t tag = 0;
  std::uint32_t closed = 0;     // for a closed phase: its description
  std::uint32_t under_way = 0;  // exact sizes: messages of a tree or star that have not arrived

  // Halving doubling: the next bundle's distance to the partner, and the prepared message's distance and size.
  std::uint32_t distance = 0;
  std::uint32_t ready_distance = 0;
  std::int64_t ready_bytes = 0;
  Picoseconds began = 0;                               // whole: when it can send its first message
  Picoseconds arrives = 0;                             // closed phase: arrival of its last message
  std::unique_ptr<const std::vector<Stage>> stages{};  // exact sizes, trees and stars; `sent`: the current stage
  // Double binary tree: indices.
  std::uint32_t parent = 0;
  std::uint32_t left = 0;
  std::uint32_t right = 0;
};

// Position of a message at a stream: its phase, and its slot there.
inline constexpr std::uint32_t slot_bits = 25;
inline constexpr std::uint32_t spot(std::uint32_t phase, std::uint32_t slot) { return phase << slot_bits | slot; }
inline constexpr std::uint32_t phase_of(std::uint32_t spot) { return spot >> slot_bits; }
inline constexpr std::uint32_t slot_of(std::uint32_t spot) { return spot & ((1U << slot_bits) - 1); }

inline SystemState::Stream& SystemState::stream(std::uint32_t s) {
  return blocks_[s >> block_bits][s & ((1U << block_bits) - 1)];
}

inline const CollectivePlan& SystemState::plan_of(const Stream& st) const {
  return plans_[runs_[jobs_[st.job].run].plan];
}

inline std::uint32_t SystemState::place_in(const Stream& st, const PhasePlan& phase) const {
  if (phase.group_ring) return groups_[plan_of(st).call.group].place(st.npu);
  return st.npu / phase.stride % phase.members;
}

inline Rank SystemState::member(const Stream& st, std::uint32_t place) const {
  const PhasePlan& p = *st.phase;
  if (p.group_ring) return st.ranks[place];
  return st.npu + (place - st.place) * p.stride;  // modulo 2^32
}

// Returns the index `distance` < n further on in the stream's direction, or against it.
inline std::uint32_t SystemState::neighbour(const Stream& st, std::uint32_t distance, bool forwards) const {
  const std::uint32_t n = st.phase->members;
  const bool up = forwards != st.anticlockwise;
  const std::uint32_t place = st.place + (up ? distance : n - distance);
  return place >= n ? place - n : place;
}

// Returns the number of a class ring for the direction of the stream; see ChannelKey.
inline std::uint32_t SystemState::class_ring_of(const Stream& st) {
  return 2 * st.phase->class_ring + (st.anticlockwise ? 1 : 0);
}

[[gnu::always_inline]] inline void SystemState::prefetch_stream(std::uint32_t s) const {
  static_assert(sizeof(Stream) == std::size_t{4} * 64);
  const Stream* st = &blocks_[s >> block_bits][s & ((1U << block_bits) - 1)];
  for (std::size_t line = 0; line < 3; ++line) __builtin_prefetch(reinterpret_cast<const char*>(st) + 64 * line, 1);
}

}  // namespace convert
