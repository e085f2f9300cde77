// SPDX-License-Identifier: MIT
// Holds a collective algorithm, ready to take the place of collectives: what each place of a group does, in chunks.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/trace.h"
#include "passes/merge/chunk_flow.h"

namespace convert {

// Holds what one place does: its nodes in ascending order of their ids, which are their positions from here on.
struct MergePlace {
  struct Node {
    NodeType type = NodeType::comp;
    std::uint32_t peer = 0;   // place
    std::uint32_t tag = 0;    // dense from 0 among the messages of two places: both ends number them alike
    std::int32_t chunks = 0;  // of `of_chunks`; 0: the sizes are stated
    std::int32_t of_chunks = 0;
    std::int32_t tb = -1;  // threadblock and position of its step; -1: not told
    std::int32_t position = -1;
    std::int64_t bytes = -1;    // stated comm_size or tensor_size; -1: none
    std::int64_t num_ops = -1;  // stated
    std::int32_t touched = 0;   // COMP with chunks: how often its chunks are read or written; scales tensor_size
    std::uint64_t duration_us = 0;
    std::int64_t duration_ns = -1;  // duration_nanos
    Range data_deps{};              // into deps: positions in nodes
    Range ctrl_deps{};
    Text name{};            // in text
    Range way{};            // of a send, into links; empty: it has none of its own
    std::int32_t net = -1;  // of a send: the network devices that it names; -1: none
    std::int32_t net_to = -1;
    bool root = false;  // waits for nothing
  };
  std::uint32_t number = 0;
  std::vector<Node> nodes;
  std::vector<std::uint32_t> deps;
  std::vector<std::uint32_t> sinks;  // nodes that nothing waits for
  // Links of ways, as the attributes link_seq and link_via have them: the device at the end of each but the last.
  struct Link {
    std::int64_t turn = 0;
    std::uint32_t to = 0;
  };
  std::vector<Link> links;
  std::string text;
  std::uint32_t tags = 0;  // the most between this place and another
  // Provenance of the algorithm, for a proof of the result (provenance.h, namespace merged); empty if not told.
  AttrTable program;
};
// Reads the trace of one of so many places. Throws Error(input) [merge] with the place: nodes other than sends,
// receives and computations; a peer beyond the places; neither size nor chunks; ids or dependencies that do not
// exist; a cycle.
[[nodiscard]] MergePlace read_merge_place(const Trace& trace, std::uint32_t places);

// Adds to the latest node what a send states of its route: the network devices that it names, and with `has_ways`
// its way, if it has one, with the scope of its turns (link_scope), if there is one.
void write_route(const MergePlace& place, const MergePlace::Node& send, bool has_ways,
                 std::optional<std::uint64_t> scope, NodeTable& out);

struct MergeAlgorithm {
  std::string source;  // as the user named it
  std::uint32_t places = 0;
  std::string places_note{};  // why so many, if that is not plain: " (…)"
  std::uint32_t tags = 0;     // how many an instance takes
  // Into how many chunks the bytes of a collective are cut, at most; 0: messages state their sizes.
  std::int32_t chunks = 0;
  // What the algorithm claims to compute, "all_reduce"; "custom": none of the known ones; empty: not told.
  std::string collective;
  std::vector<std::int32_t> relays{};  // places that only pass on, and take no part
  // network_id() of what its messages have turns and ways for; empty: for none. `placed`: for the ranks of one
  // group that calls it, else for places that are NPUs of the same numbers.
  std::string network{};
  bool placed = false;
  std::string forwarding{};  // at the switches of that network: "store", "switches" or "cut"; empty: unknown
  // Returns the trace of a place. Thread-safe.
  std::function<Trace(std::uint32_t place)> load;
  // Returns which chunks its messages carry; null if that cannot be told. Thread-safe, costly the first time. May
  // be empty, which means null.
  std::function<const ChunkFlow*()> flow{};
  // Returns the place where its data starts or ends, if it can be told. Thread-safe, costly at first; may be empty.
  std::function<std::optional<std::uint32_t>()> root{};
};

}  // namespace convert
