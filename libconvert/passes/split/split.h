// SPDX-License-Identifier: MIT
// Splits a trace of a whole system into one trace per NPU.
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

// Destination of a node.
struct NodePlace {
  TaskRanks ranks{};        // no_rank: unknown
  std::int64_t bytes = -1;  // of a transfer, or of a copy that a device map made from a transfer; -1: neither
};

// Returns the place of each node by an attribute: an integer from 0, or text that ends in one, such as "npu3", "GPU
// 3" or "cuda:3". With `transfers`, the comm_src and comm_dst of a transfer of a task graph (`comm_task`) define
// its place. Throws Error(input) [split] with the node for: another kind of attribute, text without a number at its
// end, ranks beyond 2^31-1.
[[nodiscard]] std::vector<NodePlace> places_by_attribute(const Trace& system, Name attribute, bool transfers);
[[nodiscard]] inline bool is_task_transfer(std::span<const Attr> attrs) {
  return find(attrs, attr::comm_task) != nullptr;
}
// Throws Error(input) [split] that lists nodes without a place; `hint` names the next step.
void require_places(const Trace& system, const std::vector<NodePlace>& places, const std::string& hint);

// Treatment of dependencies between NPUs.
enum class CrossEdges : std::uint8_t {
  pair,   // made a message, one for all of a node's children on an NPU
  drop,   // omitted
  error,  // rejected
};

struct SplitCounts {
  std::uint64_t edges = 0;     // between NPUs
  std::uint64_t messages = 0;  // made from these edges
  std::uint64_t dropped = 0;   // omitted edges
};

// Splits a system into traces. A node keeps its id, or gets back the id from before it was joined; both ends of a
// transfer or a new message have the same id. A message carries the bytes of the producer's tensor_size if some
// child has a data dependency, else none: it only synchronises. Tags of new messages come after all others. An edge
// from a send to its matching receive is the message itself. The attribute npu is omitted.
class SystemSplit {
 public:
  // Throws Error(input) [split] for: an edge between NPUs with CrossEdges::error; with other values, an edge
  // between a transfer and a task that share no NPU; NPUs that are not 0…n-1 without gaps, or not the ones of a
  // joined set; ids that a joined set did not have; more tags than 31 bits.
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
