// SPDX-License-Identifier: MIT
// Local memory of an NPU: the tensors that nodes read and write, their lifetimes, and their size.
//
// A node names its tensors in the attributes inputs and outputs, string lists of name, bytes, name, bytes, … A name
// is one tensor of its rank. As in ASTRA-sim, the lifetime of a tensor begins with the first node that writes it.
// It begins at time 0 if a node that reads it ends before any node that only writes it. It ends at the end of the
// last node that reads it. It lasts to the end of the run if there is no reader, or if that node or a later one
// writes it.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/trace.h"
#include "core/units.h"

namespace convert {

class Feeder;
class NodeCompiler;
struct LinkedProgram;
struct ReplayResult;

// The tensors of a rank, and the nodes that use them.
struct TensorTable {
  struct Use {
    std::uint32_t tensor : 31;
    std::uint32_t writes : 1;
    friend bool operator==(Use, Use) = default;
  };
  std::vector<std::int64_t> bytes{};      // by tensor
  std::vector<std::uint32_t> use_ends{};  // by node: end of its uses
  std::vector<Use> uses{};
  std::string names{};
  std::vector<std::uint64_t> name_ends{};

  [[nodiscard]] std::string_view name(std::uint32_t tensor) const;
  // Calls use(node, Use) for each use, by node.
  template <typename F>
  void for_each_use(const F& use) const {
    std::uint32_t u = 0;
    for (std::uint32_t node = 0; node < use_ends.size(); ++node) {
      for (; u < use_ends[node]; ++u) use(node, uses[u]);
    }
  }
  friend bool operator==(const TensorTable&, const TensorTable&) = default;
};
// Returns whether two tables are equal except for the names of tensors; either may be null.
[[nodiscard]] bool same_uses(const TensorTable* a, const TensorTable* b);

// Returns the tensors of a trace; reports nodes whose inputs or outputs are missing or malformed, except METADATA
// nodes, which need none.
[[nodiscard]] std::shared_ptr<const TensorTable> compile_tensors(const Trace& trace, const Feeder& feeder,
                                                                 NodeCompiler& compiler);

// Begin and end of a node; -1: not yet.
struct NodeSpan {
  Picoseconds begin = -1;
  Picoseconds end = -1;
};
using NodeSpans = std::vector<NodeSpan>;  // by node of a rank

// Lifetime of a tensor: [begin, end).
struct TensorLife {
  static constexpr Picoseconds never = std::numeric_limits<Picoseconds>::max();
  Picoseconds begin = never;
  Picoseconds end = never;
  [[nodiscard]] bool empty() const { return begin == end; }
};
// Returns the lifetime of each tensor, by number, up to the rank's progress: the lifetime does not end if a node
// still has to use the tensor.
[[nodiscard]] std::vector<TensorLife> tensor_lives(const TensorTable& table, const NodeSpans& spans);

// Times at which the use of memory changes, ascending, with the bytes in use from then on.
using MemoryCurve = std::vector<std::pair<Picoseconds, std::int64_t>>;
[[nodiscard]] MemoryCurve memory_curve(const TensorTable& table, const std::vector<TensorLife>& lives);

// Maximum number of bytes in use at once, and the first time of this maximum.
struct PeakMemory {
  std::int64_t bytes = 0;
  Picoseconds at_ps = 0;
};

// Tensors at the highest peak of all NPUs; among equal peaks, the first.
struct PeakTensors {
  Rank npu = 0;
  PeakMemory peak{};
  std::size_t tensors = 0;
  std::vector<std::pair<std::string, std::int64_t>> largest{};  // names and bytes, at most 8
};

// Adds the peaks of all ranks that ran to the result. `spans` are by rank.
void add_peaks(const LinkedProgram& program, const std::vector<NodeSpans>& spans, ReplayResult& result);

// Returns a size in the format of ASTRA-sim's log: "1.50 KB", with 1024 bytes per KB.
[[nodiscard]] std::string format_astra_bytes(std::int64_t bytes);

}  // namespace convert
