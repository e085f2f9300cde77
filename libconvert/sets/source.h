// SPDX-License-Identifier: MIT
// Any input as a set of traces: finds the format, opens the streams, and lowers algorithms on the way.
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
#include "core/diagnostic.h"
#include "core/trace.h"
#include "formats/format.h"
#include "io/input_set.h"
#include "passes/lower/lower.h"
#include "sets/linked/linking.h"
#include "sets/set_source.h"
#include "util/progress.h"

namespace convert {

// A host trace that is a rank (none: as the device trace says, else 0), and the profile of its device; empty: none.
struct LinkedOperand {
  std::optional<Rank> rank{};
  std::string device{};
};

struct SourceOptions {
  std::vector<std::string> operands;
  std::optional<std::string> from{};  // "msccl,size=1MiB"; by content and suffix otherwise
  std::optional<Rank> rank{};         // of a single input that does not say its rank
  bool any_ranks = false;             // of a set; else a gap is an error
  bool hash = true;                   // note name and SHA-256 of what is imported
  // Rank and device trace of each operand, for PyTorch traces, beside what `from` says.
  std::vector<LinkedOperand> linked{};
  std::optional<LinkingOptions> linking{};  // instead of those of `from`
  // Called with each rank when its nodes have been made, by several threads. The trace is there with
  // `whole_linked`.
  std::function<void(Rank, const std::string& file, const LinkedRank&, const Trace*)> on_linked{};
  bool whole_linked = false;
  bool progress = false;  // show on standard error how far the reading is
};

// What the command line's operands hold. Ranks come in the order of the input: ascending but for tar archives
// packed by others. Throws Error like the readers do; findings that do not stop reading go to the diagnostics.
class TraceSource : public SetSource {
 public:
  // Opens the first stream to find the format; a file that describes a set is read whole (and the structure of an
  // algorithm checked).
  TraceSource(SourceOptions options, Diagnostics& diagnostics);
  ~TraceSource() override;

  [[nodiscard]] const Format& format() const { return *format_; }
  [[nodiscard]] const InputSet& inputs() const { return inputs_; }
  [[nodiscard]] std::string base_name() const override { return inputs_.base_name(); }
  // Set if the input is a collective algorithm. Only lower it if it has no errors.
  [[nodiscard]] const Algorithm* algorithm() const override { return algorithm_ ? &*algorithm_ : nullptr; }
  [[nodiscard]] const Schedule* schedule() const override { return schedule_ ? &*schedule_ : nullptr; }
  // What PyTorch traces of other processes tell, for groups().
  void add_linked_groups(const std::string& file, Rank rank, const std::vector<GroupTable::Group>& groups);
  // Beside the input, or, once all ranks are read, what PyTorch traces tell.
  [[nodiscard]] std::optional<InputSet::Groups> groups() const override;
  [[nodiscard]] bool groups_come_late() const override { return format_->linked; }
  [[nodiscard]] bool has_subgroups() const override;
  [[nodiscard]] const std::vector<std::string>& skipped() const { return inputs_.skipped(); }

  // With compat=chakra.
  [[nodiscard]] bool follows_reference() const override {
    return format_->linked ? linking().compat != LinkCompat::none : choice_.options.get("compat").has_value();
  }

  // To be called before ranks of an algorithm are opened: refuses (as errors) what cannot be a correct trace, that
  // is structure, unmatched messages and deadlock; warns about races, FIFO capacity and, with `dataflow`, wrong
  // results. False if there are errors. Traces are not looked at.
  [[nodiscard]] bool prepare(bool dataflow);

  // More than one rank, as far as can be told before reading (a tar counts as many).
  // A document (json) is read up to its second rank for that.
  [[nodiscard]] bool many() override;
  // A prefix, a directory, a tar, several files, or a file that describes a set was named.
  [[nodiscard]] bool whole_set() override;

  [[nodiscard]] std::size_t independent_ranks() const override;
  [[nodiscard]] std::unique_ptr<TraceReader> open_rank(std::size_t i) override;
  [[nodiscard]] std::unique_ptr<TraceReader> open_all() override;

  // Warns of ranks that the metadata says that there are, and that are not, and of metadata that differ in this.
  // When all have been read.
  void warn_of_missing_ranks();
  [[nodiscard]] const WorldSizes* world_sizes() const override { return &world_sizes_; }
  // Ranks and nodes read so far, by all readers.
  [[nodiscard]] std::uint64_t ranks_read() const { return ranks_read_; }
  [[nodiscard]] std::uint64_t nodes_read() const { return nodes_read_; }

 private:
  class AllReader;
  class AheadReader;
  struct Ahead;
  [[nodiscard]] std::unique_ptr<TraceReader> open_stream();
  class CountingReader;
  void read_description(InputItem& item);
  [[nodiscard]] Algorithm read_schedule(std::string text, const std::string& file);
  [[nodiscard]] std::unique_ptr<TraceReader> open_described(Rank first, Rank last);
  void add_source_note(Metadata& metadata) const;
  void warn_of_near_ranks();
  // For what a reader made now finds: in the order of the ranks, whichever thread reads them.
  [[nodiscard]] Diagnostics& findings_in_turn();
  class LinkingReader;
  [[nodiscard]] LinkingOptions linking() const {
    return options_.linking ? *options_.linking : linking_options(choice_.options);
  }
  [[nodiscard]] std::unique_ptr<TraceReader> make_reader(InputItem item, Rank ordinal);
  [[nodiscard]] std::unique_ptr<TraceReader> make_format_reader(InputItem item, Rank ordinal);

  SourceOptions options_;
  FormatChoice choice_;  // what options_.from says; no format if it says nothing
  Diagnostics& diagnostics_;
  InputSet inputs_;
  const Format* format_ = nullptr;
  std::unique_ptr<Ahead> ahead_;    // what many() had to read
  std::optional<InputItem> first_;  // opened to find the format
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
    std::set<Rank> users{};     // the ranks that know it
    mutable bool told = false;  // that some of its ranks are unknown
  };
  [[nodiscard]] std::vector<std::uint32_t> members(const LinkedGroup& linked) const;
  std::map<std::int64_t, LinkedGroup> linked_groups_;
  Rank linked_ranks_ = 0;        // 1 + the highest
  std::uint64_t near_told_ = 0;  // of the files that are nearly ranks
  std::string carried_groups_;   // in the input itself; empty: none
  std::string carried_by_;       // its name
  std::string source_file_;      // of an import
  std::string source_sha256_;
};

}  // namespace convert
