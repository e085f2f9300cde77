// SPDX-License-Identifier: MIT
// Set of the nodes of another set in a window of recorded time.
#pragma once

#include <map>
#include <mutex>
#include <vector>

#include "passes/window/window.h"
#include "sets/derived/derived_source.h"
#include "sets/derived/kept_ranks.h"

namespace convert {

// Reads all ranks three times: for the times of the set, for the calls and messages that all their ranks keep, and
// to write. Keeps at most one rank per thread in memory; a stream as a whole.
class WindowSet : public SetSource {
 public:
  // Throws Error(input) if no node has a recorded time, and [window] if no node is in the window; Error(usage) if
  // the window begins after the end.
  WindowSet(SetSource& source, const TimeWindow& window, PartialCalls partial, unsigned jobs);

  [[nodiscard]] std::string base_name() const override { return source_.base_name(); }
  [[nodiscard]] bool many() override { return ranks_.size() > 1; }
  [[nodiscard]] bool whole_set() override { return source_.whole_set(); }
  [[nodiscard]] std::size_t independent_ranks() const override { return ranks_.size(); }
  [[nodiscard]] std::unique_ptr<TraceReader> open_rank(std::size_t i) override { return open(i, i + 1); }
  [[nodiscard]] std::unique_ptr<TraceReader> open_all() override { return open(0, ranks_.size()); }
  [[nodiscard]] std::optional<InputSet::Groups> groups() const override { return source_.groups(); }
  [[nodiscard]] bool groups_come_late() const override { return source_.groups_come_late(); }
  [[nodiscard]] bool has_subgroups() const override { return source_.has_subgroups(); }
  [[nodiscard]] const WorldSizes* world_sizes() const override { return source_.world_sizes(); }

  // Returns the counts of all ranks read so far.
  [[nodiscard]] WindowCounts counts() const;
  // Returns the duration of the recording, in ps.
  [[nodiscard]] Picoseconds recorded_ps() const;

 private:
  [[nodiscard]] std::unique_ptr<TraceReader> open(std::size_t next, std::size_t end);
  void find_span(unsigned jobs);
  void find_partial(unsigned jobs);

  SetSource& source_;
  KeptRanks ranks_;
  TimeWindow window_;
  PartialCalls what_;
  RecordedSpan span_;
  std::vector<std::vector<std::uint32_t>> partial_;  // by rank in the set: indices of nodes
  mutable std::mutex mutex_;
  WindowCounts counts_;
};

}  // namespace convert
