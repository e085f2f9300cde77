// SPDX-License-Identifier: MIT
// Reads the system layer to simulate from an ASTRA-sim system.json: how collectives are cut, scheduled and run.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/collective.h"

namespace convert {

// The collectives for which a system lists algorithms, those that ASTRA-sim runs.
inline constexpr std::array listed_collectives = {Collective::all_reduce, Collective::all_gather,
                                                  Collective::reduce_scatter, Collective::all_to_all};
// Returns the index of a collective in listed_collectives, or their number if it is not there.
[[nodiscard]] constexpr std::size_t listed_place(Collective c) {
  return static_cast<std::size_t>(std::find(listed_collectives.begin(), listed_collectives.end(), c) -
                                  listed_collectives.begin());
}
[[nodiscard]] constexpr bool is_listed(Collective c) { return listed_place(c) < listed_collectives.size(); }

enum class NativeAlgorithm : std::uint8_t {
  ring,
  direct,
  halving_doubling,
  double_binary_tree,
  // Algorithms of the other collectives, without a name in a system file.
  binomial_tree,
  star,
  dissemination,
};

// The algorithm by which one dimension of the network runs a collective.
struct AlgorithmChoice {
  NativeAlgorithm algorithm = NativeAlgorithm::ring;
  bool one = false;  // oneRing, …: one logical ring over all NPUs, whatever the dimensions
  std::optional<std::uint32_t> window = {};  // direct3: messages of one NPU under way at once; from 1
};
// Parses "ring", "one_ring", "direct", "direct3", "one_direct3", "halving_doubling", "one_halving_doubling",
// "double_binary_tree", however they are spelled ("halvingDoubling"). Returns nothing for other texts.
[[nodiscard]] std::optional<AlgorithmChoice> parse_native_algorithm(std::string_view text);
// Returns the names that parse_native_algorithm() takes, except those with a number.
[[nodiscard]] std::vector<std::string> native_algorithm_names();
[[nodiscard]] std::string_view name(NativeAlgorithm algorithm);    // "halving_doubling"
[[nodiscard]] std::string text_of(const AlgorithmChoice& choice);  // "one_direct3"

struct CollectiveChoice {
  std::vector<AlgorithmChoice> per_dim{};  // dimension 0 first; empty: not given
  std::string custom{};  // prefix of an algorithm's traces, or "built:NAME"; empty: none. Wins over per_dim
};

enum class CollectiveOptimization : std::uint8_t { baseline, local_bw_aware };

// The LogGP bus between an NPU and its memory; whole ns but for G.
struct SharedBusConfig {
  std::int64_t L_ns = 0;
  std::int64_t o_ns = 0;
  std::int64_t g_ns = 0;
  float G_ns_per_byte = 0;
};

// Holds the values of the file, or ASTRA-sim's defaults; nothing where that has no default, so that whoever needs
// the value can refuse.
struct SystemConfig {
  std::string source;  // the file, for messages
  std::optional<CollectiveOptimization> optimization{};
  std::int64_t endpoint_delay_ns = 10;
  bool endpoint_delay_given = false;
  std::int64_t active_chunks_per_dimension = 1;
  std::optional<std::int64_t> dataset_splits{};  // preferred-dataset-splits
  double local_mem_bytes_per_s = 0;              // 0: reductions cost no time
  double peak_flops = 0;                         // FLOP per second
  bool roofline = false;
  bool replay_only = false;
  bool track_local_mem = false;
  std::string local_mem_trace = "local_mem_trace";
  std::optional<SharedBusConfig> shared_bus{};
  std::int64_t local_reduction_delay = 1;  // ns for each 100 bytes that the shared bus reduces
  std::array<CollectiveChoice, listed_collectives.size()> collectives{};
  std::string per_node_map{};        // path of a YAML map; empty: none
  std::vector<std::string> notes{};  // a sentence for each key that has no effect or not quite ASTRA-sim's
};

inline constexpr std::size_t max_system_bytes = 1 << 20;
// Reads the text of a system.json, or, without a file's name, values given elsewhere in its form. A missing key is
// no error. Throws Error(input) [system] with line and column: malformed JSON, a key that is unknown (names the
// nearest known one) or given twice, a value of the wrong kind or out of range.
[[nodiscard]] SystemConfig parse_system(const std::string& file, std::string_view text);

inline constexpr std::size_t max_per_node_map_bytes = 16 << 20;
// Parses per-node-custom-implementation: {NODE ID: PREFIX, …} in YAML. Throws Error(input) [system]: malformed
// YAML, an id that is no integer from 0 or is given twice, a prefix that is empty or no scalar.
[[nodiscard]] std::map<std::uint64_t, std::string> parse_per_node_map(const std::string& file,
                                                                      std::string_view text);

}  // namespace convert
