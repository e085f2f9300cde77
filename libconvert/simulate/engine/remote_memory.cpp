// SPDX-License-Identifier: MIT
#include "simulate/engine/remote_memory.h"

#include <limits>

#include "simulate/engine/engine.h"

namespace convert {

RemoteMemory::RemoteMemory(const MemoryConfig& config, Rank npus) : config_(config) {
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

std::optional<RemoteMemory::Begun> RemoteMemory::access(Rank npu, std::int64_t bytes, Waiter done) {
  if (servers_.empty()) return Begun{npu, done.index(), duration(bytes), done};
  const auto server =
      config_.kind == MemoryKind::pool ? 0U : static_cast<std::uint32_t>(npu / config_.npus_per_node);
  servers_[server].push_back({npu, done, duration(bytes)});
  return servers_[server].size() == 1 ? std::optional(begin(server)) : std::nullopt;
}

RemoteMemory::Begun RemoteMemory::begin(std::uint32_t server) const {
  const Access& a = servers_[server].front();
  return {a.npu, a.done.index(), a.duration, {Waiter::memory, server}};
}

std::optional<RemoteMemory::Begun> RemoteMemory::go_on(std::uint32_t server) {
  servers_[server].pop_front();
  return servers_[server].empty() ? std::nullopt : std::optional(begin(server));
}

}  // namespace convert
