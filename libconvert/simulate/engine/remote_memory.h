// SPDX-License-Identifier: MIT
// Remote memory: accesses take latency + size / bandwidth; a node's or a pool's memory serves one at a time.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "config/memory.h"
#include "simulate/engine/npu_events.h"
#include "simulate/explain/causes.h"

namespace convert {

class RemoteMemory {
 public:
  RemoteMemory(const MemoryConfig& config, NpuEvents& events, Rank npus);

  void note_causes(Causes& causes) { causes_ = &causes; }

  // NPU `npu` accesses `bytes` for a node: `done` is fired at the end, or Waiter::memory with the number of the
  // server, which is to fire what take() returns, and then to call go_on().
  void access(Rank npu, std::int64_t bytes, Waiter done);
  [[nodiscard]] Waiter take(std::uint32_t server) const { return servers_[server].front().done; }
  void go_on(std::uint32_t server);

 private:
  struct Access {
    Rank npu;
    Waiter done;
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
