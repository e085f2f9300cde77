// SPDX-License-Identifier: MIT
// Links many ranks: finds the files, checks across ranks, writes the report.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "common/tool.h"
#include "link/options.h"
#include "mpi/link_team.h"
#include "passes/link/report.h"
#include "passes/relax.h"
#include "passes/trace_summary.h"
#include "sets/linked/link_files.h"
#include "sets/sink.h"
#include "sets/source.h"
#include "sets/world_sizes.h"

namespace tools {

// Facts about a linked rank.
struct RankFacts {
  convert::Rank rank = 0;
  std::string file;
  std::array<std::uint64_t, convert::unmatched_kinds> unmatched{};
  std::array<std::uint64_t, convert::unmatched_kinds> unmatched_ns{};
  std::uint64_t device_ns = 0;
  std::array<convert::LinkReport::Item, convert::unmatched_kinds> first;  // of each kind
  std::string json;                                                       // its part of the report
  std::vector<std::string> lines;
  std::vector<convert::GroupTable::Group> groups;
  std::optional<convert::Rank> world;            // number of ranks, if the traces state it
  std::optional<convert::TraceSummary> summary;  // for the checks across ranks
};

class Linking {
 public:
  // `team` is null if this process is alone. Throws Error(usage) for missing options and options that do not match.
  Linking(const LinkToolOptions& options, const OutputOptions& output, Context& context, LinkTeam* team);

  // Compares the options and the files of all ranks among the processes. All processes call it. Throws Error(usage)
  // if they differ.
  void compare_inputs();
  [[nodiscard]] convert::SourceOptions source_options();
  // With --relax, links all ranks once to find the dependencies by which ranks wait for each other in a cycle.
  void find_cycles();
  // Returns whether this process has ranks to link. If it has none, attend() must be called instead of the
  // functions below; attend() throws Error(input) if another process has failed.
  [[nodiscard]] bool has_ranks() const { return team_ == nullptr || team_->number() < ranks_.size(); }
  void attend();
  // Links and writes. With several processes, either all write their ranks or none does.
  void write(convert::TraceSource& source);

 private:
  void require_device_traces() const;
  [[nodiscard]] convert::SinkOptions sink_options(convert::TraceSource& source);
  void print_summaries() const;  // with -v
  void write_report(convert::OutputFiles& files) const;
  void add_rank(convert::Rank rank, const std::string& file, const convert::LinkedRank& linked,
                const convert::Trace* trace);
  void check(convert::TraceSource& source, convert::OutputFiles& files);
  void gather(convert::TraceSource& source);
  void report_unmatched();
  void warn_of_missing(const convert::TraceSource& source);
  void check_across_ranks(const convert::TraceSource& source);
  // Returns the severity of findings across ranks: error, warn, off. By default warn if --ranks is given, because
  // many findings are usual for some ranks of a set.
  [[nodiscard]] std::string check_mode() const {
    return options_.check.value_or(options_.ranks ? "warn" : "error");
  }
  // Returns the number of ranks, if all traces that state it agree.
  [[nodiscard]] std::optional<convert::Rank> told_world() const {
    return world_sizes_.differ() ? std::nullopt : world_sizes_.first();
  }
  [[nodiscard]] bool leads() const { return team_ == nullptr || team_->leads(); }

  const LinkToolOptions& options_;
  const OutputOptions& output_;
  Context& context_;
  LinkTeam* team_;
  convert::RankFiles host_;
  std::optional<convert::RankFiles> device_{};
  convert::LinkCompat compat_ = convert::LinkCompat::none;
  std::vector<convert::Rank> ranks_;     // of all processes
  std::vector<convert::Rank> left_out_;  // with a file, but excluded by --ranks
  bool agreed_ = false;                  // all processes have linked their ranks
  std::mutex mutex_;
  std::map<convert::Rank, RankFacts> linked_;
  convert::WorldSizes world_sizes_;
  convert::Relaxation relaxation_;
};

}  // namespace tools
