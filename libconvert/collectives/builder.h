// SPDX-License-Identifier: MIT
// Builder of an algorithm (threadblocks, steps and dependencies) from a sequence of transfers between ranks.
//
// Correctness: the order of the calls is itself a possible execution, in which every receive finds its message. The
// steps of a threadblock keep that order. Every access to a chunk waits for the earlier conflicting accesses by
// other threadblocks. So all executions compute the same result. In the execution above, no connection ever holds
// more messages than the protocol guarantees (send() counts them), so no step can block.
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

// Route of a message. A rank has one threadblock for each channel and lane; all sends of a threadblock must go to
// one rank, and all its receives must come from one rank.
struct Hop {
  std::int32_t from = 0;
  std::int32_t to = 0;
  std::int32_t channel = 0;
  std::int32_t send_lane = 0;  // at `from`
  std::int32_t recv_lane = 0;  // at `to`
};
// Returns a hop with one threadblock per peer at each end, used for both directions.
[[nodiscard]] constexpr Hop peer_hop(std::int32_t from, std::int32_t to, std::int32_t channel) {
  return {from, to, channel, to, from};
}

// One message: the chunks read at the sender and the chunks written at the receiver.
struct Piece {
  Chunks src;
  Chunks dst;
};

// Transfers that happen at the same time.
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
  // `chunks`: nchunksperloop of the algorithm. In-place algorithms must use only the larger of input and output.
  // `largest_call`: size of the largest call in bytes, 0 for no limit. If given, steps have no more chunks than fit
  // in one message of each runtime. Throws Error(usage) if all ranks together have more than 2^24 chunks.
  AlgorithmBuilder(Collective collective, std::int32_t ranks, std::int64_t chunks, Protocol protocol, bool inplace,
                   std::optional<std::int64_t> largest_call = std::nullopt);

  // Adds a round. In repeated turns, all ranks send as many messages of each transfer as a connection holds, then
  // receive them. `in_turn`: each send waits for the step added to its rank before. Throws Error(usage) if there
  // are more than 2^24 steps.
  void run(const Round& round, bool in_turn = false);
  // Adds rounds in which each rank forwards the messages received in the previous round, each as soon as it
  // arrives. All rounds have the same number of entries, and all entries the same number of pieces of one chunk. If
  // the pieces exceed the capacity of a connection, that many pieces pass through all rounds before the next ones
  // start. Throws like run().
  void relay(std::span<const Round> rounds);
  // Adds a copy within a rank. Throws like run().
  void copy(std::int32_t rank, const Chunks& src, const Chunks& dst);
  // Returns the algorithm; the builder must not be used afterwards. `root`: root of a reduce.
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
    bool may_fuse = false;  // sends exactly the chunks that the previous step received
    bool needed = false;    // a step other than the send that may fuse with this one reads the stored chunks
    std::int32_t src_off = 0;
    std::int32_t dst_off = 0;
    std::int32_t cnt = 0;
    std::int32_t overwritten = 0;  // number of stored chunks that are written again, or are not results at the end
    std::uint32_t dep_begin = 0;   // index into Tb::deps; the list ends where the list of the next step begins
  };
  struct Connection {
    std::int64_t sent = 0;
    std::int64_t received = 0;
  };
  struct Tb {
    std::int32_t send = -1;
    std::int32_t recv = -1;
    std::int32_t channel = 0;
    std::uint32_t in = none;  // index into connections_
    std::uint32_t out = none;
    std::vector<Pending> steps;
    std::vector<Ref> deps;
    std::unordered_map<std::uint32_t, std::uint32_t> waited;  // other threadblock → latest step waited for
  };
  struct Slot {  // state of one chunk
    Ref writer;
    std::uint32_t readers = none;  // readers since the last write: head of a list in readers_
  };
  struct Reader {
    Ref ref;
    std::uint32_t next;
  };
  struct RankState {
    std::vector<Tb> tbs;
    std::unordered_map<std::uint64_t, std::uint32_t> tb_of;  // key: channel and lane
    std::array<std::vector<Slot>, 3> slots;                  // by buffer; sized to the chunks in use
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
  // Add the steps that `by` must wait for to `deps`. `fused`: the step that `by` may fuse with.
  void read(RankState& rank, const Chunks& chunks, Ref by, std::vector<Ref>& deps, Ref fused = {none, none});
  void write(RankState& rank, const Chunks& chunks, Ref by, std::vector<Ref>& deps);
  // Keeps only the latest step of each other threadblock, and drops steps that `tb` has waited for already.
  static void reduce_dependencies(const Tb& tb, std::uint32_t own, std::vector<Ref>& deps);
  void mark_unneeded_results(RankState& rank, std::int32_t number, std::int32_t root);
  static std::size_t dep_count(const Tb& tb, std::size_t i);
  // Returns whether step i fuses with the previous step.
  static bool fused(const Tb& tb, std::size_t i);
  // Returns the position of each step in the emitted list. Fused steps share a position; n - 1 nops precede a step
  // with n > 1 dependencies.
  static std::vector<std::int32_t> positions(const Tb& tb);
  static void emit_rank(const RankState& rank, Algorithm& out);

  Collective collective_;
  std::int32_t chunks_ = 0;
  Protocol protocol_;
  bool inplace_;
  std::int32_t most_chunks_ = max_step_chunks;  // most chunks of a step
  std::vector<RankState> ranks_;
  std::unordered_map<std::uint64_t, std::uint32_t> connection_of_;
  std::vector<Connection> connections_;
  std::vector<Reader> readers_;
  std::uint64_t steps_ = 0;
};

}  // namespace convert::collectives
