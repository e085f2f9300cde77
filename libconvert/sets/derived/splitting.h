// SPDX-License-Identifier: MIT
// A trace of a whole system as a set with a trace for each NPU, and a set as one trace of the whole system.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/device_map.h"
#include "core/diagnostic.h"
#include "passes/split/split.h"
#include "sets/set_source.h"

namespace convert {

// Places by a device map: of a node by its number (`task_id` of a task graph, else its id) or by its name. A
// `comm_task` needs source and destination; within one NPU it becomes a copy. Throws Error(input) [devices] like
// formats/flexflow/task_devices.h; nodes that no entry matches get no place. Entries that match nothing, and
// transfers without a size, are warnings.
[[nodiscard]] std::vector<NodePlace> places_by_map(const Trace& system, const DeviceMap& map,
                                                   Diagnostics& diagnostics);

struct SplitOptions {
  std::optional<std::string> attribute{};  // that says the NPU; none: npu
  std::optional<std::string> map{};        // a file that says it, in place of an attribute
  std::optional<Rank> default_npu{};       // of nodes that nothing is said of
  CrossEdges cross = CrossEdges::pair;
  unsigned jobs = 1;
};

class SplitSet : public SetSource {
 public:
  // Reads the one trace of `source` whole. Throws Error(input) [split], [joined], [devices]; Error(usage): several
  // traces.
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
  // The ranks [next, end) of the split.
  [[nodiscard]] std::unique_ptr<TraceReader> open(std::size_t next, std::size_t end) const;
  [[nodiscard]] Metadata metadata(std::size_t i) const;

  std::string name_;
  std::optional<SystemSplit> split_;
  std::optional<InputSet::Groups> groups_;
  bool part_ = false;  // the groups are of more ranks than were joined
};

// Nodes rank after rank, each with `npu`, numbered anew; what a split needs to give the same bytes back is in the
// metadata. The set is in memory.
class JoinedSet : public SetSource {
 public:
  // Reads the whole set. Throws Error(input): two ranks of one number, groups that are malformed, [joined].
  JoinedSet(SetSource& source, unsigned jobs);

  [[nodiscard]] std::string base_name() const override { return name_; }
  [[nodiscard]] bool many() override { return false; }
  [[nodiscard]] std::size_t independent_ranks() const override { return 0; }
  [[nodiscard]] std::unique_ptr<TraceReader> open_rank(std::size_t i) override;
  [[nodiscard]] std::unique_ptr<TraceReader> open_all() override;
  // They are in the metadata.
  [[nodiscard]] std::optional<InputSet::Groups> groups() const override { return std::nullopt; }

 private:
  class Reader;
  std::string name_;
  std::vector<Trace> traces_;
  RankJoiner joiner_;
};

}  // namespace convert
