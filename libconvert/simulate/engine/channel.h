// SPDX-License-Identifier: MIT
// Channels: the properties by which messages and receives match.
#pragma once

#include <cstdint>

#include "core/trace.h"
#include "util/huge_pages.h"

namespace convert {

// Key of a channel. The k-th receive of a channel takes the message of its k-th send.
struct ChannelKey {
  std::int64_t bytes = 0;
  Rank src = 0;
  Rank dst = 0;
  std::int64_t tag = 0;
  std::uint32_t run = 0;    // 1 + the run of a collective that owns the channel; 0: no owner
  bool native = false;      // of a native algorithm: its tags are separate from tags of traces
  bool control = false;     // a receiver's request for a message (rendezvous)
  bool exchange = false;    // between two partners of a pairwise exchange; see Symmetry
  bool class_ring = false;  // representatives: between neighbours in ring number `run`; see ClassRings
  friend bool operator==(const ChannelKey&, const ChannelKey&) = default;
};
using ChannelKeys = GrowingHugeVector<ChannelKey>;  // by number of the channel
[[nodiscard]] std::uint64_t hash(const ChannelKey& key);

}  // namespace convert
