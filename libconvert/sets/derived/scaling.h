// SPDX-License-Identifier: MIT
// Makes a set with more data-parallel ranks of another one.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/workload/workload.h"
#include "core/diagnostic.h"
#include "sets/derived/scaled_groups.h"
#include "sets/set_source.h"

namespace convert {

struct ScaleOptions {
  std::string which;        // "dp", or the id of a group
  std::uint64_t ranks = 0;  // that it has then
  unsigned jobs = 1;
};
// Returns what `text`, "dp=1024" or "3=64", says. Throws Error(usage) that names --scale: malformed, or what cannot
// grow, with the reason.
[[nodiscard]] ScaleOptions scale_options(const std::string& text);

// Keeps the set in memory that it is made of.
class ScaledSet : public SetSource {
 public:
  // Throws Error(input) [scale] if the set is not regular, or a rank calls what cannot grow; Error(usage) if there
  // is no such group, or it does not grow by a whole factor.
  ScaledSet(SetSource& source, const ScaleOptions& options);

  [[nodiscard]] std::string base_name() const override { return name_; }
  [[nodiscard]] bool many() override { return true; }
  [[nodiscard]] std::size_t independent_ranks() const override { return traces_.size() * grid_.factor; }
  [[nodiscard]] std::unique_ptr<TraceReader> open_rank(std::size_t i) override { return open(i, i + 1); }
  [[nodiscard]] std::unique_ptr<TraceReader> open_all() override { return open(0, independent_ranks()); }
  [[nodiscard]] std::optional<InputSet::Groups> groups() const override;

  // Returns what growing assumes, for people: a line each.
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }

 private:
  [[nodiscard]] std::unique_ptr<TraceReader> open(std::size_t next, std::size_t end) const;
  void read_workload();
  void find_grid(const ScaleOptions& options, const std::vector<CommGroup>& groups);
  void find_plan_grid(std::uint64_t data);
  void find_group_grid(const ScaleOptions& options, const std::vector<CommGroup>& groups);
  [[nodiscard]] std::optional<ShardSizes> shard_sizes(const Trace& trace) const;
  void update_metadata(Metadata& metadata) const;
  void tell(const ScaleCounts& counts, std::uint64_t before);
  void tell_stragglers(const std::vector<double>& work);
  [[nodiscard]] Error bad(const std::string& what) const;

  std::string name_;
  std::vector<Trace> traces_;  // resized
  std::optional<Workload> workload_;
  RankGrid grid_;
  std::optional<ScaledGroups> groups_;
  std::vector<std::string> notes_;
};

}  // namespace convert
