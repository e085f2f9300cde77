// SPDX-License-Identifier: MIT
// Reads graph files of NCCL and RCCL (NCCL_GRAPH_DUMP_FILE): the channels that its search chose for one host, or
// for all hosts that NVLinks join.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/diagnostic.h"

namespace convert {

inline constexpr std::size_t max_nccl_graphs_bytes = 16 << 20;

struct NcclChannel {
  std::vector<std::int32_t> ranks{};  // in the order of the chain; of a ring counted from the host's first rank on
  // The devices by which data comes to the first rank and leaves the last one, as the file writes them; empty:
  // none.
  std::string first_net{};
  std::string last_net{};
};

struct NcclGraph {
  std::int32_t id = 0;
  std::int32_t pattern = 0;
  std::int32_t cross_nic = 0;   // 2: odd hosts take the channels of each pair the other way round
  std::int32_t first_rank = 0;  // of the file; 0 of graphs that are no ring
  std::string speed_intra{};    // GB/s of a channel, as the file writes it
  std::string speed_inter{};
  std::string type_intra{};  // the longest way between two GPUs: NVL, PIX, …
  std::string type_inter{};  // the longest way to a network device
  std::vector<NcclChannel> channels{};
  Location where{};

  [[nodiscard]] bool is_ring() const { return pattern == 4; }
};

// Returns the graphs in the order of the file. Channels of rings have the same ranks, each once, without a gap.
// Throws Error(input) [graph] or [xml] with the place.
[[nodiscard]] std::vector<NcclGraph> read_nccl_graphs(const std::string& file, std::string text);

// Returns "ring", "balanced tree", …
[[nodiscard]] std::string pattern_name(const NcclGraph& graph);

// Returns which channel of the file a host takes for ring `ring`.
[[nodiscard]] std::size_t channel_of_host(const NcclGraph& graph, std::size_t ring, std::int32_t host);
// Returns the rings of so many hosts, one for each channel: rank r of the file is rank r + i·n of host i, whose
// chain goes on with that of the next host.
[[nodiscard]] std::vector<std::vector<std::int32_t>> rings_of_hosts(const NcclGraph& ring, std::int32_t hosts);

}  // namespace convert
