// SPDX-License-Identifier: MIT
// Remote memory: accesses take latency + size / bandwidth; a node's or a pool's memory serves one at a time.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "config/memory.h"
#include "simulate/causes.h"
#include "simulate/npu_events.h"

namespace convert {

class RemoteMemory {
 public:
  RemoteMemory(const MemoryConfig& config, NpuEvents& events, Rank npus);

  void note_causes(Causes& causes) { causes_ = &causes; }

  // NPU `npu` accesses `bytes` as its node `op`: Waiter::op is fired at the end, or Waiter::memory with the number
  // of the server, which is to call take(), complete the node, and then go_on().
  void access(Rank npu, std::int64_t bytes, std::uint32_t op);
  [[nodiscard]] std::uint32_t take(std::uint32_t server);
  void go_on(std::uint32_t server);

 private:
  struct Access {
    Rank npu;
    std::uint32_t op;
    Picoseconds duration;
  };
  [[nodiscard]] Picoseconds duration(std::int64_t bytes) const;
  void begin(std::uint32_t server);

  const MemoryConfig config_;
  NpuEvents& events_;
  Causes* causes_ = nullptr;
  std::vector<std::deque<Access>> servers_;  // the first of each is under way
};

}  // namespace convert
