// SPDX-License-Identifier: MIT
// Collective engine (ASTRA-sim's system layer), read from a system.json: how collectives are cut, scheduled and
// run.
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
#include "core/diagnostic.h"

namespace convert {

// Collectives for which a system file lists algorithms: the collectives that ASTRA-sim runs.
inline constexpr std::array listed_collectives = {Collective::all_reduce, Collective::all_gather,
                                                  Collective::reduce_scatter, Collective::all_to_all};
// Returns the index of a collective in listed_collectives, or the size of the list if it is not listed.
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
  // Algorithms of other collectives, without a name in system files.
  binomial_tree,
  star,
  dissemination,
};

// Algorithm of a collective in one dimension of the network.
struct AlgorithmChoice {
  NativeAlgorithm algorithm = NativeAlgorithm::ring;
  bool one = false;  // oneRing, …: one logical ring over all NPUs, independent of the dimensions
  std::optional<std::uint32_t> window = {};  // direct3: concurrent messages of one NPU; at least 1
};
// Parses "ring", "one_ring", "direct", "direct3", "one_direct3", "halving_doubling", "one_halving_doubling" and
// "double_binary_tree", in any spelling ("halvingDoubling"). Returns nothing for other texts.
[[nodiscard]] std::optional<AlgorithmChoice> parse_native_algorithm(std::string_view text);
// Returns the names that parse_native_algorithm() accepts, except names with a number.
[[nodiscard]] std::vector<std::string> native_algorithm_names();
[[nodiscard]] std::string_view name(NativeAlgorithm algorithm);    // "halving_doubling"
[[nodiscard]] std::string text_of(const AlgorithmChoice& choice);  // "one_direct3"

struct CollectiveChoice {
  std::vector<AlgorithmChoice> per_dim{};  // dimension 0 first; empty: not given
  std::string custom{};  // prefix of an algorithm's traces, or "built:NAME"; empty: none. Overrides per_dim
};

enum class CollectiveOptimization : std::uint8_t { baseline, local_bw_aware };

// LogGP bus between an NPU and its memory; all values except G are whole ns.
struct SharedBusConfig {
  std::int64_t L_ns = 0;
  std::int64_t o_ns = 0;
  std::int64_t g_ns = 0;
  float G_ns_per_byte = 0;
};

// Values of the file, or ASTRA-sim's defaults. Values without a default are empty; code that requires them
// reports the missing key.
struct SystemConfig {
  std::string source;  // the file, for messages
  std::optional<CollectiveOptimization> optimization{};
  std::int64_t endpoint_delay_ns = 10;
  bool endpoint_delay_given = false;
  std::int64_t active_chunks_per_dimension = 1;
  std::optional<std::int64_t> dataset_splits{};  // preferred-dataset-splits
  double local_mem_bytes_per_s = 0;              // 0: reductions take no time
  double peak_flops = 0;                         // FLOP per second
  bool roofline = false;
  bool replay_only = false;
  bool track_local_mem = false;
  std::string local_mem_trace = "local_mem_trace";
  std::optional<SharedBusConfig> shared_bus{};
  std::int64_t local_reduction_delay = 1;  // ns for each 100 bytes that the shared bus reduces
  std::array<CollectiveChoice, listed_collectives.size()> collectives{};
  std::string per_node_map{};  // path of a YAML map; empty: no map
  // The first key about native collectives: their algorithms, chunks and delays.
  struct Key {
    std::string name;
    Location where{};
  };
  std::optional<Key> of_collectives{};
  std::vector<std::string> notes{};  // one for each key that is ignored or differs from ASTRA-sim
};

inline constexpr std::size_t max_system_bytes = 1 << 20;
// Parses the text of a system.json; an empty file name means values from another source in the same form. Missing
// keys are accepted. Throws Error(input) [system] with line and column for malformed JSON, an unknown key (with
// the nearest known key), a repeated key, and a value of the wrong kind or out of range.
[[nodiscard]] SystemConfig parse_system(const std::string& file, std::string_view text);

inline constexpr std::size_t max_per_node_map_bytes = 16 << 20;
// Parses per-node-custom-implementation: {NODE ID: PREFIX, …} in YAML. Throws Error(input) [system] for malformed
// YAML, an id that is not a non-negative integer, a repeated id, and a prefix that is empty or not a scalar.
[[nodiscard]] std::map<std::uint64_t, std::string> parse_per_node_map(const std::string& file,
                                                                      std::string_view text);

}  // namespace convert
