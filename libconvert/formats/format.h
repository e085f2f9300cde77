// SPDX-License-Identifier: MIT
// Describes formats to the rest of etkit: a name, a sniffer, and how to read and write it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/algorithm/algorithm.h"
#include "core/algorithm/schedule.h"
#include "core/diagnostic.h"
#include "core/process_group.h"
#include "core/trace.h"
#include "io/input.h"
#include "io/output.h"

namespace convert {

class MasterSet;
class SetWriter;
struct Run;
namespace drawing {
struct Drawing;
}

// An option of a format, as --list-formats -v and et-formats(5) show it.
struct FormatOption {
  std::string_view key;
  std::string_view value;  // "BYTES", "NAME"
  std::string_view help;
};

// What the suffix of a file to write says of an option: ".ten.csv" is form=csv.
struct SuffixOption {
  std::string_view suffix;
  std::string_view key;
  std::string_view value;
};

// key=value pairs given after a format's name: "msccl,size=1MiB".
class FormatOptions {
 public:
  FormatOptions() = default;
  explicit FormatOptions(std::vector<std::pair<std::string, std::string>> values) : values_(std::move(values)) {}
  [[nodiscard]] const std::vector<std::pair<std::string, std::string>>& all() const { return values_; }
  [[nodiscard]] std::optional<std::string> get(std::string_view key) const;
  // Gives the key this value unless it has one.
  void set_default(std::string_view key, std::string_view value);
  // Throws Error(usage) that names the key if the value is malformed.
  [[nodiscard]] std::optional<std::int64_t> get_bytes(std::string_view key) const;

 private:
  std::vector<std::pair<std::string, std::string>> values_;
};

// How many bytes readers of files hand out at once, unless a node is larger.
inline constexpr std::size_t batch_bytes = std::size_t{1} << 20U;
// How many nodes to ask a reader for when the whole rank is kept: what compressed files expand to is limited then.
inline constexpr std::size_t all_nodes = std::size_t{1} << 20U;

// A stream of ranks, each a stream of nodes. Bad input throws Error(input) with its place.
class TraceReader {
 public:
  virtual ~TraceReader() = default;
  // Moves to the next rank: sets rank, name and metadata of `out` and clears its nodes. False at the end.
  virtual bool next_rank(Trace& out) = 0;
  // Replaces out.nodes by at most max_nodes (≥ 1) further nodes of this rank. Returns false, with none, at its end.
  // Readers of files also bound them in bytes (about 1 MiB, or one node if that is larger), so that a stream needs
  // little memory; readers of traces in memory may ignore max_nodes.
  virtual bool next_nodes(Trace& out, std::size_t max_nodes) = 0;

  // Returns the process groups that the rank is in, after next_rank(); their names are numbers. Of formats that
  // have Format::tells_groups.
  [[nodiscard]] virtual std::span<const ProcessGroup> groups() const { return {}; }

  // The nodes of a rank as a Chakra file has them.
  struct Encoded {
    std::string_view bytes;
    std::uint64_t offset = 0;  // in the file
  };
  // Shows all nodes of a rank of which none was read, if that is how they stand, in at most `most` bytes. They are
  // not checked. Valid until the next call; consumes nothing.
  [[nodiscard]] virtual std::optional<Encoded> peek_encoded(std::size_t most);
  // Consumes what was shown: so many nodes.
  virtual void skip_encoded(const Encoded& shown, std::uint64_t nodes);
  // Returns how many bytes it took: of whole messages behind their lengths, as many as it is shown. Nothing if it
  // can take no more.
  using Take = std::function<std::optional<std::size_t>(std::string_view shown)>;
  enum class Taken : std::uint8_t { none, some, all };
  // Shows the nodes of a rank of which none was read to `take`, if that is how they stand, as many at a time as are
  // read at a time, not checked. Returns Taken::none if they stand otherwise: nothing is consumed. Ends early where
  // they are cut or damaged, or `take` ends it.
  [[nodiscard]] virtual Taken take_encoded(const Take& take);
};

// A set that one file describes: its ranks are made when they are asked for.
class DescribedSet {
 public:
  virtual ~DescribedSet() = default;
  [[nodiscard]] virtual Rank ranks() const = 0;  // ≥ 1
  // Returns a reader of the ranks first … last - 1, which refers to this object. Thread-safe.
  [[nodiscard]] virtual std::unique_ptr<TraceReader> open(Rank first, Rank last) const = 0;
  // Returns the set by classes of ranks, or null. It has the process groups.
  [[nodiscard]] virtual const MasterSet* master() const { return nullptr; }
};

// Encodes ranks into bytes; no input or output of its own. Ranks may be encoded by different objects in
// parallel: begin_set and end_set frame the concatenation of what each rank produced, in rank order.
class TraceWriter {
 public:
  virtual ~TraceWriter() = default;
  // Takes the process groups of the set, as the text of a groups file; called before begin_set, or before end_set
  // where the format does not have them at its beginning (Format::peek_groups). Returns false if it has no place.
  virtual bool take_groups(std::string_view /*json*/) { return false; }
  // Begins the set. `many`: more than one rank will follow.
  virtual void begin_set(bool many, std::string& out);
  // Begins a rank. `head` has its rank, name and metadata. `ordinal`: 0 for the first rank of the set.
  virtual void begin_rank(const Trace& head, std::size_t ordinal, bool many, std::string& out) = 0;
  virtual void nodes(const Trace& batch, std::string& out) = 0;  // appends batch.nodes, of the rank begun last
  virtual void end_rank(std::string& out);
  virtual void end_set(bool many, std::string& out);
};

struct ReadContext {
  Input& input;
  std::optional<Rank> rank;  // what the file's name says
  const FormatOptions& options;
  Diagnostics& diagnostics;
  std::optional<Rank> ranks{};  // of the whole set, where that is known before it is read
};

inline constexpr std::size_t told_rank_bytes = std::size_t{1} << 16U;

struct Format {
  std::string_view name;
  std::string_view summary;
  std::vector<std::string_view> suffixes{};  // ".et"; without compression suffix
  std::vector<FormatOption> read_options{};
  std::vector<FormatOption> write_options{};
  std::vector<SuffixOption> suffix_options{};
  bool (*sniff)(std::string_view head) = nullptr;  // up to 4 KiB after decompression; null: by suffix only

  // Returns the process groups that stand before the first rank, as the text of a groups file; empty if none do.
  // Consumes nothing.
  std::string (*peek_groups)(Input&) = nullptr;

  // Returns the rank that the beginning of a file, up to told_rank_bytes, says it is of; nothing if it says none.
  // Null: its files never do.
  std::optional<Rank> (*told_rank)(std::string_view head) = nullptr;

  // A format has at most one of the readers and at most one of the writers, and write_master besides.
  std::unique_ptr<TraceReader> (*read)(const ReadContext&) = nullptr;
  // Parses the whole text of `file`; no read option matters to it.
  Algorithm (*read_algorithm)(std::string text, const std::string& file, Diagnostics&) = nullptr;
  // Parses a schedule; sets/source.h handles those read_options that concern the algorithm made of it.
  Schedule (*read_schedule)(std::string text, const std::string& file, const FormatOptions&,
                            Diagnostics&) = nullptr;
  // Parses a file that describes a set.
  std::unique_ptr<DescribedSet> (*read_set)(std::string text, const std::string& file, const FormatOptions&,
                                            Diagnostics&) = nullptr;

  // Another tool's format: file name and SHA-256 go into the metadata. `read` must read all of the input before it
  // gives the first rank.
  bool imported = false;
  bool linked = false;        // PyTorch's: read, and linked with a device trace, by sets/linked/linking.h
  bool tells_groups = false;  // each rank's file tells the groups that the rank is in

  std::unique_ptr<TraceWriter> (*write)(const FormatOptions&) = nullptr;
  // Writes a set of files, named by their ranks' numbers alone, that say things of the whole set.
  std::unique_ptr<SetWriter> (*write_set)(const FormatOptions&) = nullptr;
  void (*write_master)(const MasterSet&, Output&) = nullptr;  // of a set that is held by classes
  void (*write_drawing)(const drawing::Drawing&, const FormatOptions&, Output&) = nullptr;  // of all ranks at once
  void (*write_algorithm)(const Algorithm&, const FormatOptions&, std::string& out) = nullptr;
  void (*write_schedule)(const Schedule&, const FormatOptions&, std::string& out) = nullptr;
  // Reads a run (core/run.h); writes one, or several as process groups of one file. Does not close the output.
  Run (*read_run)(const ReadContext&) = nullptr;
  void (*write_runs)(std::span<const Run>, const FormatOptions&, Output&) = nullptr;
  bool nodes_apart = false;    // a node's bytes depend on that node alone
  bool file_per_rank = false;  // each rank is a file of its own (a set on disk, a tar in a pipe)
  bool framed_set = false;     // a set of several ranks is written otherwise than a single rank

  [[nodiscard]] bool describes_set() const {
    return read_algorithm != nullptr || read_set != nullptr || read_schedule != nullptr;
  }
  // Return whether it holds traces, or what traces are made of.
  [[nodiscard]] bool reads_traces() const { return read != nullptr || describes_set() || linked; }
  [[nodiscard]] bool writes_traces() const {
    return write != nullptr || write_set != nullptr || write_drawing != nullptr || write_algorithm != nullptr ||
           write_schedule != nullptr;
  }
  [[nodiscard]] bool can_read() const { return reads_traces() || read_run != nullptr; }
  [[nodiscard]] bool can_write() const { return writes_traces() || write_runs != nullptr; }
};

enum class Direction : std::uint8_t { read, write };

[[nodiscard]] std::span<const Format* const> all_formats();
// Returns the options that every written format takes.
[[nodiscard]] std::span<const FormatOption> common_write_options();
// Returns the format of that name. Throws Error(usage) with the nearest known name.
[[nodiscard]] const Format& find_format(std::string_view name);
// Returns the format whose suffix ends `path` (compression suffixes ignored), or null. Where a suffix belongs to
// several formats, prefers one that can be read (or written), then the one with the longest suffix.
[[nodiscard]] const Format* format_by_suffix(std::string_view path, Direction direction);
// Returns the format by content; if none or several fit, by the suffix of `name`, else the first that fits, or
// null.
[[nodiscard]] const Format* detect_format(std::string_view head, std::string_view name);
struct FormatChoice {
  const Format* format = nullptr;
  FormatOptions options;
};
// Parses "msccl,size=1MiB". Throws Error(usage) on an unknown format, an unknown key (naming the known ones), a key
// given twice, or a format that cannot be read (or written).
[[nodiscard]] FormatChoice parse_format_choice(std::string_view text, Direction direction);
// Returns the format of option -t, else that of the file's name, else chakra; with the options that the file's name
// says and -t does not. Throws Error(usage).
[[nodiscard]] FormatChoice written_format(const std::optional<std::string>& to,
                                          const std::optional<std::string>& path);

}  // namespace convert
