// SPDX-License-Identifier: MIT
// Builds collective algorithms by name, as well-formed MSCCL-IR for any number of ranks.
//
// Every algorithm is right by construction (collectives/builder.h) and proved by etkit's verifier in the tests: no
// race, no deadlock, no more messages in flight than the protocol guarantees, and the collective's postcondition.
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
  std::int32_t chunks = 1;  // each part of the data is cut into so many, sent one after the other or in parallel
  std::optional<std::int32_t> root{};  // of broadcast and reduce; default 0
  // Sizes of the dimensions for `hierarchical`, the first one fastest (rank = x0 + d0·(x1 + d1·(…))), and the
  // algorithm of each: ring, direct or halving_doubling (none: ring everywhere; one: everywhere that).
  std::vector<std::int32_t> dims{};
  std::vector<std::string> dim_algorithms{};
  Protocol protocol = Protocol::simple;
  // Bytes of the largest call, 0 for no limit: steps then have no more chunks than a message of the runtimes
  // carries in it (core/algorithm/messages.h). None: steps have as many as a step can move.
  std::optional<std::int64_t> largest_call{};
};

struct CollectiveAlgorithm {
  std::string_view name;  // "ring"
  std::vector<Collective> collectives;
  std::string_view ranks;    // the numbers of ranks that it takes, in words
  std::string_view summary;  // one line
  std::string_view source;   // of the scheme
  bool takes_dims = false;
  Algorithm (*build)(const CollectiveRequest&) = nullptr;  // for a request that names it, with all in range

  [[nodiscard]] bool offers(Collective collective) const;
};

// Returns all algorithms in the order of collectives.def.
[[nodiscard]] std::span<const CollectiveAlgorithm> collective_algorithms();
// Returns the collectives that some algorithm offers, in the order in which the algorithms name them.
[[nodiscard]] std::span<const Collective> offered_collectives();
// Returns the name of the algorithm for requests that name none.
[[nodiscard]] std::string_view default_collective_algorithm(Collective collective);

// Returns the algorithm of a request, in place except for all-to-all, with `chunks` chunks for each part of the
// data that the algorithm needs. Throws Error(usage) that says what is possible: an unknown algorithm, one that
// does not offer the collective, parameters out of range, more than 2^24 steps.
[[nodiscard]] Algorithm build_collective(const CollectiveRequest& request);

// Returns the algorithm whose channel c goes around the ring rings[c], which names each of the ranks once, with an
// equal share of the data. `chunks`: of a broadcast or reduce how many follow each other; of others how many
// channels go around each ring, channel c + k·n as channel c of the n. Throws as build_collective(), also for
// collectives that need other ways than rings.
[[nodiscard]] Algorithm build_on_rings(const CollectiveRequest& request,
                                       std::span<const std::vector<std::int32_t>> rings);

// Returns the sizes of dimensions, "2x4x8", at most 64. Throws Error(usage).
[[nodiscard]] std::vector<std::int32_t> parse_dims(std::string_view text);

// Parses "NAME,chunks=4,dims=2x4,dim-algorithms=ring+direct,root=1", keys as needed, as the request for a
// collective of so many ranks; a reduce_scatter_block becomes a reduce_scatter. The request has `root`, a place
// among the ranks, if it is given and the text has none. Throws Error(usage).
[[nodiscard]] CollectiveRequest request_of(std::string_view text, Collective collective, std::uint32_t ranks,
                                           std::optional<std::uint32_t> root);
// Returns whether a text, up to its first comma, is the name of an algorithm in collective_algorithms().
[[nodiscard]] bool names_library_algorithm(std::string_view text);
// Returns such a text with the names of algorithms as they are printed. Throws Error(usage) if the text is
// malformed, no algorithm has that name, or it does not offer `collective`, if that is given.
[[nodiscard]] std::string usual_builtin(std::string_view text, std::optional<Collective> collective);

}  // namespace convert
