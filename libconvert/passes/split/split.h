// SPDX-License-Identifier: MIT
// Takes a trace of a whole system apart: one trace for each NPU.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/diagnostic.h"
#include "core/trace.h"
#include "graph/task_ranks.h"
#include "passes/split/joined.h"

namespace convert {

// Says where a node goes.
struct NodePlace {
  TaskRanks ranks{};        // no_rank: not said
  std::int64_t bytes = -1;  // of a transfer, or of a copy that a device map made of one; -1: neither
};

// Returns the place of each node by an attribute: an integer from 0, or text that ends in one, such as "npu3", "GPU
// 3" or "cuda:3". With `transfers` a transfer of a task graph (`comm_task`) goes where its comm_src and comm_dst
// say. Throws Error(input) [split] with the node: another kind of attribute, text without a number at its end,
// ranks beyond 2^31-1.
[[nodiscard]] std::vector<NodePlace> places_by_attribute(const Trace& system, Name attribute, bool transfers);
[[nodiscard]] inline bool is_task_transfer(std::span<const Attr> attrs) {
  return find(attrs, attr::comm_task) != nullptr;
}
// Throws Error(input) [split] that names nodes without a place; `hint` says what to do.
void require_places(const Trace& system, const std::vector<NodePlace>& places, const std::string& hint);

// Says what becomes of dependencies between NPUs.
enum class CrossEdges : std::uint8_t {
  pair,   // a message, one for all of a node's children on an NPU
  drop,   // left out
  error,  // refused
};

struct SplitCounts {
  std::uint64_t edges = 0;     // between NPUs
  std::uint64_t messages = 0;  // made of them
  std::uint64_t dropped = 0;   // edges left out
};

// Makes the traces of a system. A node keeps its id, or gets back its id from before it was joined; both ends of a
// transfer or a new message have one id. A message carries the bytes of the producer's tensor_size if some child
// has a data dependency, else none: it synchronises. Tags of new messages come after all others. An edge from a
// send to the receive that it matches is the message itself. The attribute npu is left out.
class SystemSplit {
 public:
  // Throws Error(input) [split]: with CrossEdges::error an edge between NPUs; else one between a transfer and a
  // task that share no NPU; NPUs that are not 0…n-1 without gaps, or, of a joined set, others than it had; ids that
  // a joined set did not have; more tags than 31 bits.
  SystemSplit(Trace system, std::vector<NodePlace> places, CrossEdges cross, std::optional<JoinedRanks> joined);
  ~SystemSplit();
  SystemSplit(SystemSplit&&) noexcept;
  SystemSplit& operator=(SystemSplit&&) = delete;

  [[nodiscard]] const SplitCounts& counts() const;
  [[nodiscard]] const Trace& system() const;
  [[nodiscard]] const std::optional<JoinedRanks>& joined() const;
  [[nodiscard]] const std::vector<Rank>& ranks() const;
  // Returns the nodes of ranks()[i]. Thread-safe. Throws Error(input) [split] on ids that a joined set lacks.
  [[nodiscard]] NodeTable nodes(std::size_t i) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace convert
