// SPDX-License-Identifier: MIT
// Builds an algorithm (threadblocks, steps and dependencies) from transfers between ranks, one after the other.
//
// Why the result is right: the order of the calls is itself a possible execution, in which every receive finds its
// message. Steps of a threadblock stand in that order, and every access to a chunk waits for the earlier accesses
// of other threadblocks that conflict with it. So all executions compute the same, and since in this one no
// connection ever holds more messages than the protocol guarantees (send() counts), none can block.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/algorithm/algorithm.h"

namespace convert::collectives {

// Consecutive chunks of one buffer.
struct Chunks {
  Buffer buffer = Buffer::input;
  std::int32_t first = 0;
  std::int32_t count = 1;
};

enum class Arrival : std::uint8_t { store, reduce };

// The way of a message. A rank has a threadblock for each channel and lane, so all sends of that must go to one
// rank, and all its receives come from one.
struct Hop {
  std::int32_t from = 0;
  std::int32_t to = 0;
  std::int32_t channel = 0;
  std::int32_t send_lane = 0;  // at `from`
  std::int32_t recv_lane = 0;  // at `to`
};
// Returns a hop whose ranks use one threadblock per peer, for both directions.
[[nodiscard]] constexpr Hop peer_hop(std::int32_t from, std::int32_t to, std::int32_t channel) {
  return {from, to, channel, to, from};
}

// One message: the chunks read at the sender, and those written at the receiver.
struct Piece {
  Chunks src;
  Chunks dst;
};

// Holds transfers that happen at the same time.
class Round {
 public:
  void add(const Hop& hop, Arrival arrival, std::vector<Piece> pieces) {
    entries_.push_back({hop, arrival, std::move(pieces)});
  }
  // Adds messages with the same chunks on both sides.
  void add(const Hop& hop, Arrival arrival, std::span<const Chunks> chunks);

 private:
  friend class AlgorithmBuilder;
  struct Entry {
    Hop hop;
    Arrival arrival;
    std::vector<Piece> pieces;
  };
  std::vector<Entry> entries_;
};

class AlgorithmBuilder {
 public:
  // `chunks` is nchunksperloop. In-place algorithms must use only the larger of the buffers input and output.
  // `largest_call`: the bytes of the largest call, 0 for no limit: steps have no more chunks than a message of each
  // runtime carries in it. Throws Error(usage) if all ranks together have more than 2^24 chunks.
  AlgorithmBuilder(Collective collective, std::int32_t ranks, std::int64_t chunks, Protocol protocol, bool inplace,
                   std::optional<std::int64_t> largest_call = std::nullopt);

  // Adds a round: all ranks send as many messages of each transfer as a connection holds, then receive them, and so
  // on. `in_turn`: each send waits for the step added to its rank before. Throws Error(usage) beyond 2^24 steps.
  void run(const Round& round, bool in_turn = false);
  // Adds rounds in which what a rank sends is what came to it in the round before, message by message: it is sent
  // on as soon as it has come. Each round has the same number of entries, with as many pieces of one chunk each; if
  // these are more than a connection holds, so many go through all rounds before the next ones. Throws likewise.
  void relay(std::span<const Round> rounds);
  // Adds a copy within a rank. Throws likewise.
  void copy(std::int32_t rank, const Chunks& src, const Chunks& dst);
  // Returns the algorithm; the builder cannot be used any more. `root`: of a reduce.
  [[nodiscard]] Algorithm finish(std::string name, std::int32_t root = 0);

 private:
  static constexpr std::uint32_t none = no_index;
  struct Ref {  // a step of the same rank
    std::uint32_t tb = none;
    std::uint32_t step = none;
    friend bool operator==(const Ref&, const Ref&) = default;
  };
  struct Pending {
    StepType type = StepType::nop;
    Buffer src_buf = Buffer::input;
    Buffer dst_buf = Buffer::input;
    bool awaited = false;   // by another threadblock
    bool may_fuse = false;  // a send of exactly what the step before it received
    bool needed = false;    // another step than the send that may fuse with it reads the chunks that it stores
    std::int32_t src_off = 0;
    std::int32_t dst_off = 0;
    std::int32_t cnt = 0;
    std::int32_t overwritten = 0;  // how many of its stored chunks are written again, or are no result at the end
    std::uint32_t dep_begin = 0;   // into Tb::deps; ends where the next step's begin
  };
  struct Connection {
    std::int64_t sent = 0;
    std::int64_t received = 0;
  };
  struct Tb {
    std::int32_t send = -1;
    std::int32_t recv = -1;
    std::int32_t channel = 0;
    std::uint32_t in = none;  // connections
    std::uint32_t out = none;
    std::vector<Pending> steps;
    std::vector<Ref> deps;
    std::unordered_map<std::uint32_t, std::uint32_t> waited;  // by other threadblock: the latest step awaited
  };
  struct Slot {  // of one chunk
    Ref writer;
    std::uint32_t readers = none;  // since then: list in readers_
  };
  struct Reader {
    Ref ref;
    std::uint32_t next;
  };
  struct RankState {
    std::vector<Tb> tbs;
    std::unordered_map<std::uint64_t, std::uint32_t> tb_of;  // by channel and lane
    std::array<std::vector<Slot>, 3> slots;                  // by buffer, as far as used
    Ref last;
  };

  [[nodiscard]] std::vector<Piece> split(std::span<const Piece> pieces) const;
  std::uint32_t threadblock(std::int32_t rank, std::int32_t channel, std::int32_t lane);
  std::uint32_t connection(const Hop& hop);
  static Pending pending(StepType type, const Chunks& src, const Chunks& dst);
  void send(const Hop& hop, const Piece& piece, bool in_turn);
  void receive(const Hop& hop, const Piece& piece, Arrival arrival);
  void add_step(RankState& rank, std::uint32_t number, const Pending& step, const std::vector<Ref>& deps);
  Slot& slot(RankState& rank, Buffer buffer, std::int32_t index);
  // Add to `deps` the steps that `by` must wait for. `fused`: the step with which `by` may become one.
  void read(RankState& rank, const Chunks& chunks, Ref by, std::vector<Ref>& deps, Ref fused = {none, none});
  void write(RankState& rank, const Chunks& chunks, Ref by, std::vector<Ref>& deps);
  // Keeps the latest step of each other threadblock, unless the threadblock has waited for it or a later one.
  static void reduce_dependencies(const Tb& tb, std::uint32_t own, std::vector<Ref>& deps);
  void mark_unneeded_results(RankState& rank, std::int32_t number, std::int32_t root);
  static std::size_t dep_count(const Tb& tb, std::size_t i);
  // Returns whether step i and the one before it become one.
  static bool fused(const Tb& tb, std::size_t i);
  // Returns each step's position once nops carry all dependencies but one and fused steps are one.
  static std::vector<std::int32_t> positions(const Tb& tb);
  static void emit_rank(const RankState& rank, Algorithm& out);

  Collective collective_;
  std::int32_t chunks_ = 0;
  Protocol protocol_;
  bool inplace_;
  std::int32_t most_chunks_ = max_step_chunks;  // of a step
  std::vector<RankState> ranks_;
  std::unordered_map<std::uint64_t, std::uint32_t> connection_of_;
  std::vector<Connection> connections_;
  std::vector<Reader> readers_;
  std::uint64_t steps_ = 0;
};

}  // namespace convert::collectives
