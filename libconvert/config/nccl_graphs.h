// SPDX-License-Identifier: MIT
// Reads graph files of NCCL and RCCL (NCCL_GRAPH_DUMP_FILE): the channels that NCCL's search chose for one host,
// or for all hosts of an NVLink domain.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/diagnostic.h"

namespace convert {

inline constexpr std::size_t max_nccl_graphs_bytes = 16 << 20;

struct NcclChannel {
  std::vector<std::int32_t> ranks{};  // in chain order; a ring starts at the host's first rank
  // Network devices through which data enters at the first rank and leaves at the last rank, as written in the
  // file; empty if there is no device.
  std::string first_net{};
  std::string last_net{};
};

struct NcclGraph {
  std::int32_t id = 0;
  std::int32_t pattern = 0;
  std::int32_t cross_nic = 0;   // 2: odd hosts swap the channels of each pair
  std::int32_t first_rank = 0;  // first rank of the file; 0 for graphs other than rings
  std::string speed_intra{};    // GB/s of a channel, as written in the file
  std::string speed_inter{};
  std::string type_intra{};  // longest path between two GPUs: NVL, PIX, …
  std::string type_inter{};  // longest path to a network device
  std::vector<NcclChannel> channels{};
  Location where{};

  [[nodiscard]] bool is_ring() const { return pattern == 4; }
};

// Returns the graphs in file order. All channels of a ring have the same ranks, each once and without a gap.
// Throws Error(input) [graph] or [xml] with the location.
[[nodiscard]] std::vector<NcclGraph> read_nccl_graphs(const std::string& file, std::string text);

// Returns "ring", "balanced tree", …
[[nodiscard]] std::string pattern_name(const NcclGraph& graph);

// Returns the channel of the file that a host uses for ring `ring`.
[[nodiscard]] std::size_t channel_of_host(const NcclGraph& graph, std::size_t ring, std::int32_t host);
// Returns the rings of `hosts` hosts, one for each channel. Rank r of the file becomes rank r + i·n of host i;
// the chain of a host continues with the chain of the next host.
[[nodiscard]] std::vector<std::vector<std::int32_t>> rings_of_hosts(const NcclGraph& ring, std::int32_t hosts);

}  // namespace convert
