// SPDX-License-Identifier: MIT
// Serves accesses to remote memory, in latency + size / bandwidth each; the memory of a node or pool serves one at
// a time.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "config/memory.h"
#include "core/trace.h"
#include "core/units.h"
#include "simulate/engine/waiter.h"

namespace convert {

class RemoteMemory {
 public:
  RemoteMemory(const MemoryConfig& config, Rank npus);

  // An access of node `op` that begins now: the caller fires `end` on the NPU after `duration`.
  struct Begun {
    Rank npu;
    std::uint32_t op;
    Picoseconds duration;
    Waiter end;
  };
  // Requests an access by NPU `npu`; returns it if it begins now. Its `end` is `done`, or Waiter::memory with the
  // number of a server. The handler of Waiter::memory fires the result of take(), and then begins the result of
  // go_on(), the next waiting access.
  [[nodiscard]] std::optional<Begun> access(Rank npu, std::int64_t bytes, Waiter done);
  [[nodiscard]] Waiter take(std::uint32_t server) const { return servers_[server].front().done; }
  [[nodiscard]] std::optional<Begun> go_on(std::uint32_t server);

 private:
  struct Access {
    Rank npu;
    Waiter done;
    Picoseconds duration;
  };
  [[nodiscard]] Picoseconds duration(std::int64_t bytes) const;
  [[nodiscard]] Begun begin(std::uint32_t server) const;

  const MemoryConfig config_;
  std::vector<std::deque<Access>> servers_;  // the first access of each is under way
};

}  // namespace convert
