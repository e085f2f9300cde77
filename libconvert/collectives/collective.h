// SPDX-License-Identifier: MIT
// Builders of collective algorithms by name, as well-formed MSCCL-IR for any number of ranks.
//
// Every algorithm is correct by construction (collectives/builder.h). The tests prove it by symbolic execution: no
// race, no deadlock, no more messages in flight than the protocol guarantees, and the postcondition of the
// collective holds.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/algorithm/algorithm.h"

namespace convert {

struct CollectiveRequest {
  Collective collective = Collective::all_reduce;
  std::string algorithm{};  // empty: default_collective_algorithm()
  std::int32_t ranks = 0;
  std::int32_t chunks = 1;             // number of chunks per shard, sent one after the other or in parallel
  std::optional<std::int32_t> root{};  // root of broadcast and reduce; default 0
  // Sizes of the dimensions for `hierarchical`, the first varying fastest (rank = x0 + d0·(x1 + d1·(…))), and the
  // algorithm of each dimension: ring, direct or halving_doubling. No algorithm: ring for all; one: that one for
  // all.
  std::vector<std::int32_t> dims{};
  std::vector<std::string> dim_algorithms{};
  Protocol protocol = Protocol::simple;
  // Size of the largest call in bytes, 0 for no limit. Steps then have no more chunks than fit in one message of
  // the runtimes (core/algorithm/messages.h). None: steps have as many chunks as a step can move.
  std::optional<std::int64_t> largest_call{};
};

struct CollectiveAlgorithm {
  std::string_view name;  // "ring"
  std::vector<Collective> collectives;
  std::string_view ranks;    // supported numbers of ranks, in words
  std::string_view summary;  // one line
  std::string_view source;   // publication of the scheme
  bool takes_dims = false;
  Algorithm (*build)(const CollectiveRequest&) = nullptr;  // requires a request in range that names it

  [[nodiscard]] bool offers(Collective collective) const;
};

// Returns all algorithms in the order of collectives.def.
[[nodiscard]] std::span<const CollectiveAlgorithm> collective_algorithms();
// Returns the collectives offered by at least one algorithm, in order of first mention.
[[nodiscard]] std::span<const Collective> offered_collectives();
// Returns the name of the algorithm used if a request names none.
[[nodiscard]] std::string_view default_collective_algorithm(Collective collective);

// Returns the algorithm for a request: in place except for all-to-all, with `chunks` chunks for each shard that the
// algorithm uses. Throws Error(usage), which lists the possible values, if the algorithm is unknown or does not
// offer the collective, a parameter is out of range, or there are more than 2^24 steps.
[[nodiscard]] Algorithm build_collective(const CollectiveRequest& request);

// Returns an algorithm whose channel c follows the ring rings[c], with an equal share of the data per ring. Each
// ring names every rank once. `chunks`: for broadcast and reduce, the number of chunks in sequence; otherwise the
// number of channels per ring, where channel c + k·n follows ring c of the n rings. Throws like build_collective(),
// also for a collective that rings do not support.
[[nodiscard]] Algorithm build_on_rings(const CollectiveRequest& request,
                                       std::span<const std::vector<std::int32_t>> rings);

// Returns the sizes of at most 64 dimensions, written "2x4x8". Throws Error(usage).
[[nodiscard]] std::vector<std::int32_t> parse_dims(std::string_view text);

// Parses "NAME,chunks=4,dims=2x4,dim-algorithms=ring+direct,root=1" into a request for `collective` on `ranks`
// ranks; all keys are optional. A reduce_scatter_block becomes a reduce_scatter. `root`, an index into the ranks,
// is used if the text has none. Throws Error(usage).
[[nodiscard]] CollectiveRequest request_of(std::string_view text, Collective collective, std::uint32_t ranks,
                                           std::optional<std::uint32_t> root);
// Returns whether a text, up to its first comma, is the name of an algorithm in collective_algorithms().
[[nodiscard]] bool names_library_algorithm(std::string_view text);
// Returns such a text with canonical algorithm names. Throws Error(usage) if the text is malformed, the algorithm
// is unknown, or it does not offer `collective` (if given).
[[nodiscard]] std::string usual_builtin(std::string_view text, std::optional<Collective> collective);

}  // namespace convert
