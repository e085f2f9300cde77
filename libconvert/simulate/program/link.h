// SPDX-License-Identifier: MIT
// Makes what the simulator runs of a program: names the peers, channels and plans of its nodes.
#pragma once

#include <functional>

#include "simulate/program/program.h"

namespace convert {

// Says how ranks that stand for others see messages; without functions all ranks run and see their own.
struct LinkAs {
  std::function<bool(Rank)> runs{};                        // only these ranks get code
  std::function<Rank(Rank)> peer{};                        // who stands for it
  std::function<ChannelKey(const ChannelKey&)> channel{};  // what stands for it
};

// Messages with one key have one channel.
[[nodiscard]] LinkedProgram link(const ReplayProgram& program, const LinkAs& as = {});

// Returns the key of a message of `r`, whose node it is, with this peer and tag.
[[nodiscard]] inline ChannelKey key_of(const Op& op, Rank r, Rank peer, std::int64_t tag) {
  const bool sends = op.type == OpType::send;
  return {.bytes = op.value, .src = sends ? r : peer, .dst = sends ? peer : r, .tag = tag};
}

}  // namespace convert
