// SPDX-License-Identifier: MIT
#include "simulate/engine/remote_memory.h"

#include <limits>

namespace convert {

RemoteMemory::RemoteMemory(const MemoryConfig& config, NpuEvents& events, Rank npus)
    : config_(config), events_(events) {
  if (config.kind == MemoryKind::pool) servers_.resize(1);
  if (config.kind == MemoryKind::per_node) servers_.resize((npus - 1) / config.npus_per_node + 1);
}

Picoseconds RemoteMemory::duration(std::int64_t bytes) const {
  const std::uint64_t moving =
      config_.bytes_per_ns == 0 ? 0 : static_cast<std::uint64_t>(bytes) / config_.bytes_per_ns;
  constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<Picoseconds>::max() / ps_per_ns);
  if (config_.latency_ns > most || moving > most - config_.latency_ns) EventQueue::too_late();
  return static_cast<Picoseconds>(config_.latency_ns + moving) * ps_per_ns;
}

void RemoteMemory::access(Rank npu, std::int64_t bytes, Waiter done) {
  if (servers_.empty()) return events_.add(npu, duration(bytes), done);
  const auto server =
      config_.kind == MemoryKind::pool ? 0U : static_cast<std::uint32_t>(npu / config_.npus_per_node);
  servers_[server].push_back({npu, done, duration(bytes)});
  if (servers_[server].size() == 1) begin(server);
}

void RemoteMemory::begin(std::uint32_t server) {
  const Access& a = servers_[server].front();
  if (causes_ != nullptr) causes_->act({.npu = a.npu, .op = a.done.index()});
  events_.add(a.npu, a.duration, {Waiter::memory, server});
}

void RemoteMemory::go_on(std::uint32_t server) {
  servers_[server].pop_front();
  if (!servers_[server].empty()) begin(server);
}

}  // namespace convert
