// SPDX-License-Identifier: MIT
// Executes a StepGraph once, greedily: which steps complete, the final content of every buffer slot, and the order.
//
// Threadblocks with FIFO connections form a determinate dataflow network: any greedy order ends in the same state,
// so one pass decides deadlock and values.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "passes/verify/step_graph.h"
#include "passes/verify/values.h"

namespace convert {

struct ExecuteOptions {
  int slots = 0;                // messages that a connection holds; 0: any number
  bool operand_is_dst = false;  // rrc, rrs, rrcs reduce into their own destination instead of src
  std::int32_t carried = 0;     // without values: most chunks of a message; 0: all chunks of a step
  bool values = true;           // false: only progress
  bool keep_order = false;      // Execution::order without values
  // with values: record the writer of each chunk that a step read, for counter-examples
  bool trace_writers = false;
};

// Reason why a chain is blocked.
struct Blocked {
  enum class Why : std::uint8_t { dependency, never_published, empty_connection, full_connection };
  std::uint32_t chain = 0;
  std::uint32_t step = 0;
  Why why = Why::dependency;
  std::uint32_t other = no_index;  // dependency: the awaited step; connections: the connection
};

class BufferLayout {
 public:
  // Throws Error(input) if the buffers are far larger than the steps could ever fill.
  BufferLayout(const StepGraph& graph, bool inplace);
  static constexpr std::uint64_t outside = ~std::uint64_t{0};
  [[nodiscard]] std::uint64_t slot(std::int32_t rank, Buffer buffer, std::int64_t index) const {
    const Extent& e = extents_[static_cast<std::size_t>(rank) * 3 + static_cast<std::size_t>(buffer)];
    return index >= 0 && index < e.size ? e.begin + static_cast<std::uint64_t>(index) : outside;
  }
  [[nodiscard]] std::int64_t size(std::int32_t rank, Buffer buffer) const {
    return extents_[static_cast<std::size_t>(rank) * 3 + static_cast<std::size_t>(buffer)].size;
  }
  [[nodiscard]] std::uint64_t slots() const { return slots_; }
  // Returns "o[3]", named as by the rank that owns the slot.
  [[nodiscard]] std::string text(std::uint64_t slot) const;

 private:
  struct Extent {
    std::uint64_t begin = 0;
    std::int64_t size = 0;
  };
  std::vector<Extent> extents_;            // three per rank
  std::vector<std::uint64_t> rank_begin_;  // first slot of each rank
  std::uint64_t slots_ = 0;
};

struct Execution {
  // `outside`: as in Values.
  explicit Execution(std::uint32_t ranks, std::span<const std::int32_t> outside = {}) : values(ranks, outside) {}
  Values values;
  std::vector<SlotValue> slots;            // final contents
  std::vector<Blocked> blocked;            // empty if all steps completed
  std::vector<std::uint32_t> order;        // executed steps (values or keep_order)
  std::vector<std::uint32_t> last_writer;  // by slot: a step; no_index: initial (trace_writers)
  // By step: the step that wrote the first chunk that it read; no_index: initial (trace_writers).
  std::vector<std::uint32_t> source_writer;
  std::uint64_t undefined_reads = 0;
  std::uint32_t first_undefined = no_index;  // step
  std::uint64_t doubled = 0;
  std::uint32_t first_doubled = no_index;  // step
  std::uint32_t first_doubled_rank = 0;
  std::uint32_t peak_fifo = 0;
};

// Slots that chunk j of a step, 0 ≤ j < cnt, reads and writes, if its type does.
struct ChunkAccess {
  std::uint64_t src;
  std::uint64_t dst;
  bool adds;  // to dst, in any order with other such steps
};
[[nodiscard]] inline ChunkAccess access(const StepGraph& p, const BufferLayout& layout,
                                        const ExecuteOptions& options, const GraphStep& step, std::int32_t rank,
                                        std::int32_t j) {
  const bool from_dst = options.operand_is_dst && reduces(step.type) && step.type != StepType::re;
  const std::uint64_t dst = layout.slot(rank, step.dst_buf, std::int64_t{step.dst_off} + j);
  const std::uint64_t src = from_dst ? dst : layout.slot(rank, step.src_buf, std::int64_t{step.src_off} + j);
  return {src, dst, p.scheduled && step.type == StepType::rrc && src == dst && src != BufferLayout::outside};
}

// Runs the steps until all have completed or none can continue. Returns the blocked chains and, with
// ExecuteOptions::values, the final content of the slots.
[[nodiscard]] Execution execute(const StepGraph& graph, const BufferLayout& layout, const ExecuteOptions& options);

// Returns whether all steps complete with `slots` slots per connection; `carried` as in ExecuteOptions.
[[nodiscard]] bool completes(const StepGraph& graph, int slots, std::int32_t carried = 0);
// Runs the steps without values; arguments as in completes().
[[nodiscard]] Execution progress(const StepGraph& graph, int slots, std::int32_t carried);

}  // namespace convert
