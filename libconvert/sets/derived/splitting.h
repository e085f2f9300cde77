// SPDX-License-Identifier: MIT
// Splits a trace of a whole system into a set with a trace for each NPU, and joins a set into such a trace.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/devices/device_map.h"
#include "core/diagnostic.h"
#include "passes/split/split.h"
#include "sets/set_source.h"

namespace convert {

// Returns the places that a device map assigns to nodes, by number (`task_id` of a task graph, else the id) or
// name. A `comm_task` requires source and destination; within one NPU it becomes a copy. Throws Error(input)
// [devices] as in formats/flexflow/task_devices.h. Warns about entries without a node, and about transfers without
// a size.
[[nodiscard]] std::vector<NodePlace> places_by_map(const Trace& system, const DeviceMap& map,
                                                   Diagnostics& diagnostics);

struct SplitOptions {
  std::optional<std::string> attribute{};  // attribute with the NPU; empty: npu
  std::optional<std::string> map{};        // file of a device map, instead of an attribute
  std::optional<Rank> default_npu{};       // for nodes without an NPU
  CrossEdges cross = CrossEdges::pair;
  unsigned jobs = 1;
};

class SplitSet : public SetSource {
 public:
  // Reads the single trace of `source`. Throws Error(input) [split], [joined], [devices]; Error(usage) if there are
  // several traces.
  SplitSet(SetSource& source, const SplitOptions& options, Diagnostics& diagnostics);

  [[nodiscard]] std::string base_name() const override { return name_; }
  [[nodiscard]] bool many() override { return split_->ranks().size() > 1; }
  [[nodiscard]] std::size_t independent_ranks() const override { return split_->ranks().size(); }
  [[nodiscard]] std::unique_ptr<TraceReader> open_rank(std::size_t i) override;
  [[nodiscard]] std::unique_ptr<TraceReader> open_all() override;
  [[nodiscard]] std::optional<InputSet::Groups> groups() const override { return groups_; }
  [[nodiscard]] bool groups_come_late() const override { return part_; }

  [[nodiscard]] const SplitCounts& counts() const { return split_->counts(); }

 private:
  // Returns a reader of the ranks [next, end) of the split.
  [[nodiscard]] std::unique_ptr<TraceReader> open(std::size_t next, std::size_t end) const;
  [[nodiscard]] Metadata metadata(std::size_t i) const;

  std::string name_;
  std::optional<SystemSplit> split_;
  std::optional<InputSet::Groups> groups_;
  bool part_ = false;  // the groups have more ranks than were joined
};

// One trace of all nodes, rank by rank, each with `npu` and renumbered. Its metadata contain the information that a
// split needs to restore the same bytes. Keeps the set in memory.
class JoinedSet : public SetSource {
 public:
  // Reads the whole set. Throws Error(input) for a repeated rank and malformed groups, and Error(input) [joined].
  JoinedSet(SetSource& source, unsigned jobs);

  [[nodiscard]] std::string base_name() const override { return name_; }
  [[nodiscard]] bool many() override { return false; }
  [[nodiscard]] std::size_t independent_ranks() const override { return 0; }
  [[nodiscard]] std::unique_ptr<TraceReader> open_rank(std::size_t i) override;
  [[nodiscard]] std::unique_ptr<TraceReader> open_all() override;
  // Returns nothing: the groups are in the metadata.
  [[nodiscard]] std::optional<InputSet::Groups> groups() const override { return std::nullopt; }

 private:
  class Reader;
  std::string name_;
  std::vector<Trace> traces_;
  RankJoiner joiner_;
};

}  // namespace convert
