// SPDX-License-Identifier: MIT
// Reads any input as a trace set: detects the format, opens the streams, and lowers algorithms to traces.
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

// Rank of a host trace (empty: from the device trace, else 0), and file of its device trace (empty: none).
struct LinkedOperand {
  std::optional<Rank> rank{};
  std::string device{};
};

// Throws Error(usage) if `from`, such as "msccl,size=1MiB", is not a readable format with valid options.
void check_from(const std::string& from);

struct SourceOptions {
  std::vector<std::string> operands;
  std::optional<std::string> from{};  // "msccl,size=1MiB"; by default detected from content and suffix
  std::optional<Rank> rank{};         // of a single input that does not state its rank
  bool any_ranks = false;             // accept gaps in the ranks of a set
  std::string groups{};               // file of process groups, instead of the groups of the operands
  bool hash = true;                   // record name and SHA-256 of imports
  // Rank and device trace of each operand, for PyTorch traces, in addition to the options of `from`.
  std::vector<LinkedOperand> linked{};
  std::optional<LinkingOptions> linking{};  // instead of the options of `from`
  // Called by several threads with each rank after its nodes are linked; with the trace if `whole_linked`.
  std::function<void(Rank, const std::string& file, const LinkedRank&, const Trace*)> on_linked{};
  bool whole_linked = false;
  bool runs = false;                      // accept an input that contains a run, for read_run()
  bool progress = false;                  // show progress on standard error
  Diagnostics* findings = nullptr;        // receives findings about a readable algorithm or schedule
  const RuntimeLimits* target = nullptr;  // limits of the algorithm's runtime, as in check_structure()
};

// Reads the set that the command line's operands contain. Ranks come in input order, which is ascending except in
// tar archives packed by other programs. Throws Error as the readers do; reports defects that do not stop reading.
class TraceSource final : public SetSource {
 public:
  // Opens the first stream to detect the format; reads a file that describes a set completely, and checks the
  // structure of an algorithm.
  TraceSource(SourceOptions options, Diagnostics& diagnostics);
  ~TraceSource() override;

  [[nodiscard]] const Format& format() const { return *format_; }
  [[nodiscard]] const InputSet& inputs() const { return inputs_; }
  [[nodiscard]] std::string base_name() const override { return inputs_.base_name(); }
  [[nodiscard]] std::string first_file() const override { return first_file_; }
  // Returns the input's collective algorithm, or null. It may be lowered only if it has no errors.
  [[nodiscard]] const Algorithm* algorithm() const override { return algorithm_ ? &*algorithm_ : nullptr; }
  // Returns whether the algorithm states the sizes of its calls; false before prepare().
  [[nodiscard]] bool declares_calls() const { return declares_calls_; }
  [[nodiscard]] const Schedule* schedule() const override { return schedule_ ? &*schedule_ : nullptr; }
  [[nodiscard]] const MasterSet* master() const override { return described_ ? described_->master() : nullptr; }
  // Adds groups that another process read from PyTorch traces, for groups().
  void add_linked_groups(const std::string& file, Rank rank, const std::vector<GroupTable::Group>& groups);
  // Returns the groups file of the input, or the groups that its ranks announce, which are complete after all ranks
  // are read; groups of PARAM's files are complete before.
  [[nodiscard]] std::optional<InputSet::Groups> groups() const override;
  // Returns the names of groups in the ranks read so far.
  [[nodiscard]] GroupNames group_names() const;
  // Returns the collective size of the algorithm in the ranks read so far, see whole_bytes(); 0: unknown.
  [[nodiscard]] std::int64_t algorithm_bytes() const { return algorithm_bytes_; }
  // Returns the metadata of one of the ranks read so far; nothing before the first rank.
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

  // Checks an algorithm; call it before its ranks are opened. Reports as errors what prevents a correct trace:
  // structure, unmatched messages and deadlock. Warns about races, FIFO capacity and, with `dataflow`, wrong
  // results. Returns false if there are errors. Does not check traces.
  [[nodiscard]] bool prepare(bool dataflow);

  // Returns true for a tar; reads a document (json) up to its second rank.
  [[nodiscard]] bool many() override;
  // Returns whether the user named a prefix, a directory, a tar, several files, or a file that describes a set.
  [[nodiscard]] bool whole_set() override;

  [[nodiscard]] std::size_t independent_ranks() const override;
  [[nodiscard]] std::unique_ptr<TraceReader> open_rank(std::size_t i) override;
  [[nodiscard]] std::unique_ptr<TraceReader> open_all() override;

  // Returns whether the input contains a run and no traces; then only read_run() may be called, once.
  [[nodiscard]] bool holds_run() const { return !format_->reads_traces(); }
  [[nodiscard]] Run read_run();
  // Returns the rank that the first file states; nothing if it states none. Call it before anything is read.
  [[nodiscard]] std::optional<Rank> told_rank() const {
    return format_->told_rank == nullptr ? std::nullopt : format_->told_rank(first_->input->peek(told_rank_bytes));
  }

  // Warns, after all ranks are read, about ranks that are missing by the metadata's world_size, and about ranks
  // whose world_size differs.
  void warn_of_missing_ranks() override;
  [[nodiscard]] const WorldSizes* world_sizes() const override { return &world_sizes_; }
  // Return the numbers of ranks and nodes that all readers have read so far.
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
  // Returns diagnostics for a new reader, whose findings are reported in rank order, independent of threads.
  [[nodiscard]] Diagnostics& findings_in_turn();
  class LinkingReader;
  [[nodiscard]] LinkingOptions linking() const {
    return options_.linking ? *options_.linking : linking_options(choice_.options);
  }
  [[nodiscard]] std::unique_ptr<TraceReader> make_reader(InputItem item, Rank ordinal);
  [[nodiscard]] std::unique_ptr<TraceReader> make_format_reader(InputItem item, Rank ordinal);

  SourceOptions options_;
  FormatChoice choice_;  // of options_.from; without a format if this is absent
  Diagnostics& diagnostics_;
  InputSet inputs_;
  const Format* format_ = nullptr;
  std::unique_ptr<Ahead> ahead_;    // data that many() had to read
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
    std::set<Rank> users{};     // ranks whose traces name it
    mutable bool told = false;  // a warning about unknown ranks was issued
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
  GroupNames group_names_;  // from the metadata
  std::optional<Metadata> metadata_;
  std::atomic<std::int64_t> algorithm_bytes_{0};
  bool declares_calls_ = false;
  bool groups_known_ = false;    // groups of ranks that announce them: all ranks have been read
  Rank linked_ranks_ = 0;        // 1 + the highest rank
  std::uint64_t near_told_ = 0;  // number of files with near-rank names that were warned about
  std::string carried_groups_;   // groups in the input itself; empty: none
  std::string carried_by_;       // name of the input with these groups
  std::string source_file_;      // base name of an import
  std::string source_sha256_;
};

}  // namespace convert
