// SPDX-License-Identifier: MIT
#include "config/memory.h"

#include <array>
#include <utility>

#include "config/json_settings.h"

namespace convert {
namespace {

constexpr std::array<std::pair<const char*, MemoryKind>, 4> kinds = {{
    {"NO_MEMORY_EXPANSION", MemoryKind::none},
    {"PER_NPU_MEMORY_EXPANSION", MemoryKind::per_npu},
    {"PER_NODE_MEMORY_EXPANSION", MemoryKind::per_node},
    {"MEMORY_POOL", MemoryKind::pool},
}};

constexpr std::int64_t max_exact = std::int64_t{1} << 53;  // limit of whole numbers in ASTRA-sim's JSON reader
constexpr std::int64_t max_nodes = 1 << 24;                // the limit of NPUs of a network

}  // namespace

std::string_view name(MemoryKind kind) { return kinds.at(static_cast<std::size_t>(kind)).first; }

MemoryConfig parse_memory(const std::string& file, std::string_view text) {
  const JsonSource source{.file = file,
                          .text = text,
                          .rule = "memory",
                          .noun = "memory file",
                          .shape = R"(a JSON object is expected, such as {"memory-type": "NO_MEMORY_EXPANSION"})",
                          .max_bytes = max_memory_bytes};
  const JsonSettings s(source,
                       {"memory-type", "remote-mem-latency", "remote-mem-bw", "num-nodes", "num-npus-per-node"});
  MemoryConfig config{.source = file};
  const std::optional<MemoryKind> kind = s.choice("memory-type", kinds);
  if (!kind) throw input_error({.file = file}, "key memory-type is missing", "memory");
  const auto whole = [&s](const char* key, std::int64_t low, std::int64_t high) {
    return static_cast<std::uint64_t>(s.whole(key, low, high).value_or(0));
  };
  config.kind = *kind;
  config.latency_ns = whole("remote-mem-latency", 0, max_exact);
  config.bytes_per_ns = whole("remote-mem-bw", 0, max_exact);
  config.nodes = whole("num-nodes", 1, max_nodes);
  config.npus_per_node = whole("num-npus-per-node", 1, max_nodes);
  if (*kind == MemoryKind::per_node && (config.nodes == 0 || config.npus_per_node == 0)) {
    throw s.failure("memory-type", "PER_NODE_MEMORY_EXPANSION requires num-nodes and num-npus-per-node; " +
                                       std::string(config.nodes == 0 ? "num-nodes" : "num-npus-per-node") +
                                       " is missing");
  }
  return config;
}

}  // namespace convert
