// SPDX-License-Identifier: MIT
// Resolves a program for the simulator: names the peers, channels and plans of its nodes.
#pragma once

#include <functional>

#include "simulate/program/program.h"

namespace convert {

// View of representatives on messages; without functions, all ranks run and use their own messages.
struct LinkAs {
  std::function<bool(Rank)> runs{};                        // whether the rank gets code
  std::function<Rank(Rank)> peer{};                        // representative of a peer
  std::function<ChannelKey(const ChannelKey&)> channel{};  // representative of a channel
};

// Returns the resolved program. Messages with equal keys share a channel.
[[nodiscard]] LinkedProgram link(const ReplayProgram& program, const LinkAs& as = {});

// Returns the key of a message of rank `r` with this peer and tag.
[[nodiscard]] inline ChannelKey key_of(const Op& op, Rank r, Rank peer, std::int64_t tag) {
  const bool sends = op.type == OpType::send;
  return {.bytes = op.value, .src = sends ? r : peer, .dst = sends ? peer : r, .tag = tag};
}

}  // namespace convert
