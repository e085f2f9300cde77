// SPDX-License-Identifier: MIT
// Reads any input as a set of traces: finds the format, opens the streams, and lowers algorithms to traces.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/algorithm/algorithm.h"
#include "core/algorithm/runtime_limits.h"
#include "core/diagnostic.h"
#include "core/run.h"
#include "core/run/group_names.h"
#include "core/trace.h"
#include "formats/format.h"
#include "io/input_set.h"
#include "passes/lower/lower.h"
#include "sets/linked/linking.h"
#include "sets/set_source.h"
#include "util/progress.h"

namespace convert {

// Names a host trace's rank (none: as the device trace says, else 0), and its device trace's file (empty: none).
struct LinkedOperand {
  std::optional<Rank> rank{};
  std::string device{};
};

// Throws Error(usage) if `from`, such as "msccl,size=1MiB", is no format that can be read, with its options.
void check_from(const std::string& from);

struct SourceOptions {
  std::vector<std::string> operands;
  std::optional<std::string> from{};  // "msccl,size=1MiB"; by content and suffix otherwise
  std::optional<Rank> rank{};         // of a single input that does not say its rank
  bool any_ranks = false;             // of a set; else a gap is an error
  std::string groups{};               // file of process groups, instead of the groups of the operands
  bool hash = true;                   // note name and SHA-256 of what is imported
  // Rank and device trace of each operand, for PyTorch traces, in addition to the options of `from`.
  std::vector<LinkedOperand> linked{};
  std::optional<LinkingOptions> linking{};  // instead of those of `from`
  // Called by several threads with each rank when its nodes have been made; with the trace if `whole_linked`.
  std::function<void(Rank, const std::string& file, const LinkedRank&, const Trace*)> on_linked{};
  bool whole_linked = false;
  bool runs = false;                      // an input that holds a run is taken too: for read_run()
  bool progress = false;                  // show on standard error how far the reading is
  Diagnostics* findings = nullptr;        // gets what is wrong with an algorithm or schedule that could be read
  const RuntimeLimits* target = nullptr;  // what an algorithm has to run on, as check_structure() takes it
};

// Reads the set that the command line's operands hold. Ranks come in the order of the input: ascending except in
// tar archives packed by others. Throws Error like the readers do; reports what does not stop reading.
class TraceSource final : public SetSource {
 public:
  // Opens the first stream to find the format; reads all of a file that describes a set, and checks the structure
  // of an algorithm.
  TraceSource(SourceOptions options, Diagnostics& diagnostics);
  ~TraceSource() override;

  [[nodiscard]] const Format& format() const { return *format_; }
  [[nodiscard]] const InputSet& inputs() const { return inputs_; }
  [[nodiscard]] std::string base_name() const override { return inputs_.base_name(); }
  [[nodiscard]] std::string first_file() const override { return first_file_; }
  // Returns the input's collective algorithm, or null. Only lower it if it has no errors.
  [[nodiscard]] const Algorithm* algorithm() const override { return algorithm_ ? &*algorithm_ : nullptr; }
  // Returns whether the algorithm states the sizes of its calls; false before prepare().
  [[nodiscard]] bool declares_calls() const { return declares_calls_; }
  [[nodiscard]] const Schedule* schedule() const override { return schedule_ ? &*schedule_ : nullptr; }
  [[nodiscard]] const MasterSet* master() const override { return described_ ? described_->master() : nullptr; }
  // Adds groups that another process read from PyTorch traces, for groups().
  void add_linked_groups(const std::string& file, Rank rank, const std::vector<GroupTable::Group>& groups);
  // Returns the groups file of the input, or the groups that its ranks tell, complete once all ranks are read;
  // those of PARAM's files are known before.
  [[nodiscard]] std::optional<InputSet::Groups> groups() const override;
  // Returns the names of groups in the ranks read so far.
  [[nodiscard]] GroupNames group_names() const;
  // Returns the collective size of the algorithm in the ranks read so far, see whole_bytes(); 0:
  // unknown.
  [[nodiscard]] std::int64_t algorithm_bytes() const { return algorithm_bytes_; }
  // Returns the metadata of one of the ranks read so far; nothing before the first.
  [[nodiscard]] std::optional<Metadata> metadata() const;
  [[nodiscard]] bool groups_come_late() const override {
    return format_->linked || (format_->tells_groups && !groups_known_);
  }
  [[nodiscard]] bool has_subgroups() const override;
  [[nodiscard]] bool tells_order() const override { return format_->tells_groups; }
  [[nodiscard]] const std::vector<std::string>& skipped() const { return inputs_.skipped(); }

  [[nodiscard]] bool follows_reference() const override {
    return format_->linked ? linking().compat != LinkCompat::none : choice_.options.get("compat").has_value();
  }

  // Checks an algorithm; call it before its ranks are opened. Reports as errors what makes a correct trace
  // impossible: structure, unmatched messages and deadlock; warns about races, FIFO capacity and, with `dataflow`,
  // wrong results. Returns false if there are errors. Does not check traces.
  [[nodiscard]] bool prepare(bool dataflow);

  // Counts a tar as many ranks, and reads a document (json) up to its second rank.
  [[nodiscard]] bool many() override;
  // Returns whether the user named a prefix, a directory, a tar, several files, or a file that describes a set.
  [[nodiscard]] bool whole_set() override;

  [[nodiscard]] std::size_t independent_ranks() const override;
  [[nodiscard]] std::unique_ptr<TraceReader> open_rank(std::size_t i) override;
  [[nodiscard]] std::unique_ptr<TraceReader> open_all() override;

  // Returns whether the input holds a run, and no traces; then only read_run() may be called, once.
  [[nodiscard]] bool holds_run() const { return !format_->reads_traces(); }
  [[nodiscard]] Run read_run();
  // Returns the rank that the first file says it is of; nothing if it says none. Call it before anything is read.
  [[nodiscard]] std::optional<Rank> told_rank() const {
    return format_->told_rank == nullptr ? std::nullopt : format_->told_rank(first_->input->peek(told_rank_bytes));
  }

  // Warns, after all ranks were read, of ranks that are missing by the metadata's world_size, and of ranks whose
  // world_size differs.
  void warn_of_missing_ranks() override;
  [[nodiscard]] const WorldSizes* world_sizes() const override { return &world_sizes_; }
  // Return how many ranks and nodes all readers have read so far.
  [[nodiscard]] std::uint64_t ranks_read() const;
  [[nodiscard]] std::uint64_t nodes_read() const;

 private:
  class AllReader;
  class AheadReader;
  struct Ahead;
  [[nodiscard]] std::unique_ptr<TraceReader> open_stream();
  class CountingReader;
  void check_run() const;
  void read_description(InputItem& item);
  [[nodiscard]] Algorithm read_schedule(std::string text, const std::string& file, Diagnostics& findings);
  [[nodiscard]] std::unique_ptr<TraceReader> open_described(Rank first, Rank last);
  void add_source_note(Metadata& metadata) const;
  void warn_of_near_ranks();
  [[nodiscard]] std::vector<Rank> present_ranks() const;
  // Returns diagnostics for a new reader, whose findings come in the order of ranks, whatever thread reads them.
  [[nodiscard]] Diagnostics& findings_in_turn();
  class LinkingReader;
  [[nodiscard]] LinkingOptions linking() const {
    return options_.linking ? *options_.linking : linking_options(choice_.options);
  }
  [[nodiscard]] std::unique_ptr<TraceReader> make_reader(InputItem item, Rank ordinal);
  [[nodiscard]] std::unique_ptr<TraceReader> make_format_reader(InputItem item, Rank ordinal);

  SourceOptions options_;
  FormatChoice choice_;  // of options_.from; no format if that is not given
  Diagnostics& diagnostics_;
  InputSet inputs_;
  const Format* format_ = nullptr;
  std::unique_ptr<Ahead> ahead_;    // what many() had to read
  std::optional<InputItem> first_;  // opened to find the format
  std::string first_file_;
  std::optional<Schedule> schedule_;
  std::optional<Algorithm> algorithm_;
  std::unique_ptr<DescribedSet> described_;
  std::unique_ptr<Lowering> lowering_;
  std::optional<Progress> progress_;  // in ranks if their number is known, else in nodes
  WorldSizes world_sizes_;
  std::atomic<std::uint64_t> ranks_read_{0};
  std::atomic<std::uint64_t> nodes_read_{0};
  mutable std::mutex groups_mutex_;
  struct LinkedGroup {
    GroupTable::Group group;
    std::set<Rank> users{};     // the ranks whose traces name it
    mutable bool told = false;  // a warning said that some of its ranks are unknown
  };
  void take_groups(const TraceReader& reader, const Trace& head);
  void take_metadata(const Metadata& metadata);
  void read_groups_ahead();
  [[nodiscard]] bool may_announce_groups();
  void read_announced_groups();
  [[nodiscard]] std::unique_ptr<TraceReader> look_at(std::size_t i, Diagnostics& unheard) const;
  [[nodiscard]] std::optional<Rank> ranks_of_files() const;
  [[nodiscard]] std::vector<std::uint32_t> members(const LinkedGroup& linked) const;
  std::map<std::int64_t, LinkedGroup> linked_groups_;
  GroupNames group_names_;  // in the metadata
  std::optional<Metadata> metadata_;
  std::atomic<std::int64_t> algorithm_bytes_{0};
  bool declares_calls_ = false;
  bool groups_known_ = false;    // of ranks that tell them: all have been asked
  Rank linked_ranks_ = 0;        // 1 + the highest
  std::uint64_t near_told_ = 0;  // files that are nearly ranks, of which a warning was given
  std::string carried_groups_;   // groups in the input itself; empty: none
  std::string carried_by_;       // its name
  std::string source_file_;      // of an import
  std::string source_sha256_;
};

}  // namespace convert
