// SPDX-License-Identifier: MIT
// FlexFlow task graph: tasks, edges and distinct texts; and its reader.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/diagnostic.h"
#include "core/trace.h"
#include "graph/task_ranks.h"
#include "io/input.h"

namespace convert::flexflow {

enum class Dialect : std::uint8_t {
  chakra,  // FlexFlow modified for Chakra: tasks name their ranks
  stock,   // FlexFlow's own --taskgraph: simulated times, no devices
};

enum class TaskKind : std::uint8_t {
  compute,   // or a copy within a rank
  transfer,  // from one rank to another
};

inline constexpr std::int64_t no_bytes = -1;

struct Task {
  std::uint64_t start_ns = 0;     // stock dialect only
  std::uint64_t duration_us = 0;  // rounded; in the chakra dialect from the seconds, not from duration_ns
  std::uint64_t duration_ns = 0;
  std::int64_t bytes = no_bytes;  // for transfers and copies
  std::uint32_t number = 0;       // K of node<K>
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  Rank rank = no_rank;     // source of a transfer
  Rank peer = no_rank;     // destination of a transfer
  std::uint32_t name = 0;  // index into TextPool
  std::uint32_t type = 0;  // Forward, Backward, …; any text in the chakra dialect
  TaskKind kind = TaskKind::compute;

  [[nodiscard]] TaskRanks ranks() const {
    return {.rank = rank, .peer = kind == TaskKind::transfer ? peer : no_rank};
  }
};

// `from` must end before `to` begins. Both are task indices; while reading, the K of node<K>.
struct TaskEdge {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};

// Numbering of distinct texts; number 0 is the empty text.
class TextPool {
 public:
  TextPool() { (void)add(""); }
  TextPool(TextPool&&) noexcept = default;
  TextPool& operator=(TextPool&&) noexcept = default;
  [[nodiscard]] std::uint32_t add(std::string_view text);
  [[nodiscard]] std::string_view view(std::uint32_t number) const { return *texts_[number]; }
  [[nodiscard]] std::size_t size() const { return texts_.size(); }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view s) const { return std::hash<std::string_view>()(s); }
  };
  std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> numbers_;
  std::vector<const std::string*> texts_;
};

struct TaskGraph {
  std::string file;
  Dialect dialect = Dialect::chakra;
  std::vector<Task> tasks;      // in file order
  std::vector<TaskEdge> edges;  // in file order
  TextPool texts;

  [[nodiscard]] Location locate(const Task& t) const { return {.file = file, .line = t.line, .column = t.column}; }
  [[nodiscard]] Location locate(const TaskEdge& e) const {
    return {.file = file, .line = e.line, .column = e.column};
  }
  // Returns "node7 (linear_0_fwd)", for messages.
  [[nodiscard]] std::string describe(const Task& t) const;
};

// Reads the rest of `input`. Each node must be declared exactly once, with labels of one dialect, and edges must
// join declared nodes. Throws Error(input) with line and column. Reports non-fatal defects to `diagnostics`.
[[nodiscard]] TaskGraph read_task_graph(Input& input, Diagnostics& diagnostics);

// Returns whether a text begins with "digraph taskgraph {", after comments and white space.
[[nodiscard]] bool sniff_task_graph(std::string_view head);

}  // namespace convert::flexflow
