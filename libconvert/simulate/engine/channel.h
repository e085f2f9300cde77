// SPDX-License-Identifier: MIT
// Says what a message and a receive must have in common to find each other: the channel.
#pragma once

#include <cstdint>

#include "core/trace.h"
#include "util/huge_pages.h"

namespace convert {

// Identifies a channel. The k-th receive of a channel takes the message of its k-th send.
struct ChannelKey {
  std::int64_t bytes = 0;
  Rank src = 0;
  Rank dst = 0;
  std::int64_t tag = 0;
  std::uint32_t run = 0;    // 1 + the run of a collective to which alone it belongs; 0: it belongs to all
  bool native = false;      // a native algorithm's: its tags are apart from those of traces
  bool control = false;     // a receiver asks for a message (rendezvous)
  bool exchange = false;    // between two partners of a pairwise exchange; see Symmetry
  bool class_ring = false;  // representatives: of neighbours in ring number `run`, see ClassRings
  friend bool operator==(const ChannelKey&, const ChannelKey&) = default;
};
using ChannelKeys = GrowingHugeVector<ChannelKey>;  // by number of the channel
[[nodiscard]] std::uint64_t hash(const ChannelKey& key);

}  // namespace convert
