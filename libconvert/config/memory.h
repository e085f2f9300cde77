// SPDX-License-Identifier: MIT
// Remote memory of a simulation, read from an ASTRA-sim memory.json.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace convert {

enum class MemoryKind : std::uint8_t {
  none,      // NO_MEMORY_EXPANSION: a memory node is an error
  per_npu,   // any number of concurrent transactions
  per_node,  // one transaction at a time for each node of npus_per_node consecutive NPUs
  pool,      // one transaction at a time for all NPUs
};
[[nodiscard]] std::string_view name(MemoryKind kind);  // in the spelling of memory.json

struct MemoryConfig {
  std::string source;
  MemoryKind kind = MemoryKind::none;
  std::uint64_t latency_ns = 0;
  std::uint64_t bytes_per_ns = 0;  // 0: time is independent of size
  std::uint64_t nodes = 0;         // for per_node
  std::uint64_t npus_per_node = 0;
};

inline constexpr std::size_t max_memory_bytes = 1 << 20;
// Parses a memory.json. Throws Error(input) [memory] with line and column for malformed JSON, an unknown key
// (with the nearest known key), a missing or repeated key, and a value of the wrong kind or out of range.
[[nodiscard]] MemoryConfig parse_memory(const std::string& file, std::string_view text);

}  // namespace convert
