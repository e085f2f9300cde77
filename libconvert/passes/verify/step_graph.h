// SPDX-License-Identifier: MIT
// A collective in the form that the verifier executes: chains of steps per rank, connections, and explicit
// dependencies.
//
// A chain is a sequence of steps that run one after the other (a threadblock, or a path of a trace's graph). All
// other order is expressed by Dependency entries on steps of other chains of the same rank. Built from an Algorithm
// or from Chakra traces with chunk provenance, so that the same code verifies both.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "core/algorithm/algorithm.h"
#include "core/diagnostic.h"
#include "core/index_table.h"
#include "core/trace.h"

namespace convert {

struct GraphStep {
  StepType type = StepType::nop;
  Buffer src_buf = Buffer::input;
  Buffer dst_buf = Buffer::output;
  bool awaited = false;  // some dependency names it
  std::int32_t src_off = 0;
  std::int32_t dst_off = 0;
  std::int32_t cnt = 0;          // chunks; 0 if the input is invalid
  std::uint32_t in = no_index;   // connection received from
  std::uint32_t out = no_index;  // connection sent to
  std::uint32_t dep_begin = 0;   // into StepGraph::deps; ends where the range of the next step begins
  std::uint32_t source = 0;      // index of the Algorithm's step, or of the rank's first node of the step
};

// Returns the fields of a Step or GraphStep that define its operation and chunks.
template <class AnyStep>
[[nodiscard]] auto data_of(AnyStep& s) {
  return std::tie(s.type, s.src_buf, s.dst_buf, s.src_off, s.dst_off, s.cnt);
}

struct Dependency {
  std::uint32_t step;  // no_index: never satisfied
  std::uint32_t chain;
};

struct Chain {
  std::uint32_t first = 0;  // steps [first, first + count)
  std::uint32_t count = 0;
  std::int32_t rank = 0;
};

struct Connection {
  std::int32_t src = 0;
  std::int32_t dst = 0;
  std::int64_t channel = 0;  // channel, or tag of a trace
  std::uint32_t sends = 0;
  std::uint32_t recvs = 0;
  std::uint32_t send_begin = 0;  // into StepGraph::send_steps, in order of sending
  std::uint32_t recv_begin = 0;
};

struct RankBuffers {
  std::int32_t i_chunks = 0;
  std::int32_t o_chunks = 0;
  std::int32_t s_chunks = 0;
  std::vector<Copy> copies;
};

// Locations and names of steps and ranks for findings ("gpu 0 threadblock 3 step 1 (rrc)").
struct StepNames {
  std::function<Location(std::uint32_t step)> locate{};
  std::function<std::string(std::uint32_t step)> describe{};
  std::function<Location(std::int32_t rank)> locate_rank{};
};

// Properties of an algorithm as a whole.
struct StepHeader {
  Collective collective = Collective::custom;
  Protocol protocol = Protocol::simple;
  std::int32_t chunks = 1;
  bool inplace = false;
  bool outofplace = false;  // both: either layout must work
  bool scheduled = false;   // see Algorithm::scheduled
  // Ranks that only forward the messages of others, ascending. If there are any, `collective` is custom, and the
  // input of each other rank has room for all chunks. The result is stored in the input too (all-to-all: in the
  // output).
  std::vector<std::int32_t> relays{};
  Collective among_others = Collective::custom;  // collective of the other ranks, if there are relays
  std::optional<std::int64_t> max_bytes{};       // of calls, as in Algorithm
  friend bool operator==(const StepHeader&, const StepHeader&) = default;
};
// Returns the header of an algorithm; its `outofplace` is runs_outofplace().
[[nodiscard]] StepHeader header_of(const Algorithm& algorithm);
// Returns the collective of all ranks except the relays.
[[nodiscard]] inline Collective claimed_collective(const StepHeader& h) {
  return h.relays.empty() ? h.collective : h.among_others;
}

// Steps, chains, connections and dependencies of all ranks.
struct StepGraph : StepHeader, StepNames {
  std::vector<RankBuffers> buffers;  // by rank
  std::vector<Chain> chains;         // in rank order
  std::vector<GraphStep> steps;      // in chain order; one more at the end closes the last dependency range
  std::vector<Dependency> deps;
  std::vector<Connection> connections;
  std::vector<std::uint32_t> send_steps;  // by connection: the k-th send matches the k-th receive
  std::vector<std::uint32_t> recv_steps;
  std::vector<std::uint32_t> rank_chain_begin;  // first chain of each rank; ranks() + 1 entries

  std::string file;
  bool from_traces = false;  // messages name ranks and tags instead of gpus and channels
  bool of_places = false;    // ranks are members of a group; `describe` names the real ranks

  [[nodiscard]] std::int32_t ranks() const { return static_cast<std::int32_t>(buffers.size()); }
  [[nodiscard]] std::uint32_t step_count() const { return static_cast<std::uint32_t>(steps.size() - 1); }
  [[nodiscard]] std::span<const Dependency> deps_of(std::uint32_t step) const {
    return {deps.data() + steps[step].dep_begin, steps[step + 1].dep_begin - steps[step].dep_begin};
  }
};

// Builds the graph of an algorithm, which must outlive it (findings look up source lines). Never fails: omits
// defects that check_structure() reports (dangling dependencies, missing peers, …).
[[nodiscard]] StepGraph make_step_graph(const Algorithm& algorithm);

// Builds the graph of traces (ranks 0…n-1) with chunk provenance, which must outlive it. Uses the traces'
// dependencies instead of threadblock attributes; chains are paths that cover the graph. Reports messages with the
// same tag and no order [pairs]. Throws Error(input) [provenance] if nodes do not form steps, and [cycles] on a
// cycle.
[[nodiscard]] StepGraph make_step_graph(std::span<const Trace> traces, Diagnostics& diagnostics);

// Finds or adds connections by (src, dst, channel).
class ConnectionTable {
 public:
  explicit ConnectionTable(std::vector<Connection>& connections) : connections_(connections) {}
  std::uint32_t get(std::int32_t src, std::int32_t dst, std::int64_t channel);

 private:
  std::vector<Connection>& connections_;
  IndexTable<> index_;
};

// Builds the graph of traces that are added one by one, ranks 0…n-1, and need not be kept.
class StepGraphBuilder {
 public:
  // Nodes of a step, as indices in the trace of its rank; no_index: no such node.
  struct StepNodes {
    std::uint32_t first = no_index;
    std::uint32_t recv = no_index;
    std::uint32_t send = no_index;
    std::uint32_t last = no_index;
  };

  explicit StepGraphBuilder(std::int32_t ranks) : ranks_(ranks), connections_(graph_.connections) {
    graph_.from_traces = true;
  }
  StepGraphBuilder(const StepGraphBuilder&) = delete;
  StepGraphBuilder& operator=(const StepGraphBuilder&) = delete;
  // Throws like make_step_graph().
  void add(const Trace& trace);
  // Returns the nodes of each step, after all ranks are added.
  [[nodiscard]] const std::vector<StepNodes>& nodes() const { return nodes_; }
  // Returns the rank of an added step.
  [[nodiscard]] std::size_t rank_of(std::uint32_t step) const;
  [[nodiscard]] StepGraph finish(StepNames names, Diagnostics& diagnostics);

 private:
  std::int32_t ranks_;
  StepGraph graph_;
  ConnectionTable connections_;
  std::vector<std::vector<std::uint32_t>> sends_;  // by connection: steps
  std::vector<std::vector<std::uint32_t>> recvs_;
  std::vector<StepNodes> nodes_;
  std::vector<std::uint32_t> first_step_;  // of each rank
};

// Returns "rank ", or the word that the graph uses instead.
[[nodiscard]] std::string rank_word(const StepGraph& graph);
// Returns "gpu 0 → gpu 1 on channel 2".
[[nodiscard]] std::string connection_text(const StepGraph& graph, const Connection& connection);
// Returns the chain of a step, by binary search.
[[nodiscard]] std::uint32_t chain_of(const StepGraph& graph, std::uint32_t step);

// Sets send_steps and recv_steps from the steps' connections, in chain order.
void index_messages(StepGraph& graph);

}  // namespace convert
