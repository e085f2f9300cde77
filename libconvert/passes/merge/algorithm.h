// SPDX-License-Identifier: MIT
// A collective algorithm, prepared to replace collectives: the nodes of each of its ranks, with sizes in chunks. A
// rank of the algorithm (`place`) is a member's position in its group.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/trace.h"
#include "passes/merge/chunk_flow.h"

namespace convert {

// Nodes of one rank of the algorithm, in ascending order of their ids. Below, a node is named by its position.
struct MergePlace {
  struct Node {
    NodeType type = NodeType::comp;
    std::uint32_t peer = 0;   // rank of the algorithm
    std::uint32_t tag = 0;    // dense from 0 among the messages of two ranks; both ends use the same number
    std::int32_t chunks = 0;  // of `of_chunks`; 0: sizes are stated
    std::int32_t of_chunks = 0;
    std::int32_t tb = -1;  // threadblock and position of its step; -1: unknown
    std::int32_t position = -1;
    std::int64_t bytes = -1;    // stated comm_size or tensor_size; -1: none
    std::int64_t num_ops = -1;  // stated num_ops; -1: none
    std::int32_t touched = 0;   // COMP with chunks: number of reads and writes of its chunks; factor of tensor_size
    std::uint64_t duration_us = 0;
    std::int64_t duration_ns = -1;  // duration_nanos
    Range data_deps{};              // into deps: positions in nodes
    Range ctrl_deps{};
    Text name{};            // in text
    Range way{};            // of a send, into links; empty: no route of its own
    std::int32_t net = -1;  // of a send: the network devices that it names; -1: none
    std::int32_t net_to = -1;
    bool root = false;  // has no dependencies
  };
  std::uint32_t number = 0;
  std::vector<Node> nodes;
  std::vector<std::uint32_t> deps;
  std::vector<std::uint32_t> sinks;  // nodes without dependents
  // Link of a route, as in link_seq and link_via: sequence number, and the device at its end except for the last
  // link.
  struct Link {
    std::int64_t turn = 0;
    std::uint32_t to = 0;
  };
  std::vector<Link> links;
  std::string text;
  std::uint32_t tags = 0;  // largest number of tags between this rank and another one
  // Provenance of the algorithm, for a proof of the result (provenance.h, namespace merged); empty if unknown.
  AttrTable program;
};
// Reads the trace of one of `places` ranks of an algorithm. Throws Error(input) [merge] with the node for: nodes
// other than sends, receives and computations; a peer that is not another rank; neither size nor chunks; ids that
// repeat; dependencies that do not exist or form a cycle.
[[nodiscard]] MergePlace read_merge_place(const Trace& trace, std::uint32_t places);

// Adds a send's route attributes to the latest node: the network devices that it names and, if `has_ways`, its
// route, with the scope of its sequence numbers (link_scope) if there is one.
void write_route(const MergePlace& place, const MergePlace::Node& send, bool has_ways,
                 std::optional<std::uint64_t> scope, NodeTable& out);

// An algorithm to merge, with the claims of its source.
struct MergeAlgorithm {
  std::string source;  // as named by the user
  std::uint32_t places = 0;
  std::string places_note{};  // reason for that number, if it is not obvious: " (…)"
  std::uint32_t tags = 0;     // tags used by an instance
  // Largest number of chunks that a collective's bytes are divided into; 0: messages state their sizes.
  std::int32_t chunks = 0;
  // Collective that the algorithm claims to compute, such as "all_reduce"; "custom": no known one; empty: unknown.
  std::string collective;
  std::vector<std::int32_t> relays{};  // ranks that only relay messages and take no part
  // network_id() of the network that its sequence numbers and routes are for; empty: none. `placed`: they are for
  // the ranks of the one group that calls it; else, for ranks that are NPUs with the same numbers.
  std::string network{};
  bool placed = false;
  std::string forwarding{};  // forwarding of that network's switches: "store", "switches" or "cut"; empty: unknown
  // Returns the trace of a rank of the algorithm. Thread-safe.
  std::function<Trace(std::uint32_t place)> load;
  // Returns the chunks of its messages, or null if they cannot be derived. Thread-safe; the first call is
  // expensive. May be empty, which means null.
  std::function<const ChunkFlow*()> flow{};
  // Returns the rank where the data starts or ends, or nullopt if it is unknown. Thread-safe; the first call is
  // expensive. May be empty.
  std::function<std::optional<std::uint32_t>()> root{};
};

}  // namespace convert
