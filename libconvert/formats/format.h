// SPDX-License-Identifier: MIT
// Formats: names, sniffers, and how to read and write each format.
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

// An option of a format, as listed by --list-formats -v and et-formats(5).
struct FormatOption {
  std::string_view key;
  std::string_view value;  // "BYTES", "NAME"
  std::string_view help;
};

// An option value implied by the suffix of a written file: ".ten.csv" means form=csv.
struct SuffixOption {
  std::string_view suffix;
  std::string_view key;
  std::string_view value;
};

// The key=value pairs given after a format name: "msccl,size=1MiB".
class FormatOptions {
 public:
  FormatOptions() = default;
  explicit FormatOptions(std::vector<std::pair<std::string, std::string>> values) : values_(std::move(values)) {}
  [[nodiscard]] const std::vector<std::pair<std::string, std::string>>& all() const { return values_; }
  [[nodiscard]] std::optional<std::string> get(std::string_view key) const;
  // Sets the key to this value if it has none.
  void set_default(std::string_view key, std::string_view value);
  // Returns the value of a key in bytes. Throws Error(usage) that names the key if the value is malformed.
  [[nodiscard]] std::optional<std::int64_t> get_bytes(std::string_view key) const;

 private:
  std::vector<std::pair<std::string, std::string>> values_;
};

// Maximum number of bytes that a reader of a file returns at once, unless a single node is larger.
inline constexpr std::size_t batch_bytes = std::size_t{1} << 20U;
// Number of nodes to request from a reader if the whole rank is kept; also limits the expansion of compressed
// files.
inline constexpr std::size_t all_nodes = std::size_t{1} << 20U;

// Stream of ranks, each a stream of nodes. Methods throw Error(input) with the location for bad input.
class TraceReader {
 public:
  virtual ~TraceReader() = default;
  // Moves to the next rank: sets rank, name and metadata of `out` and clears its nodes. Returns false at the end.
  virtual bool next_rank(Trace& out) = 0;
  // Replaces out.nodes by at most max_nodes (≥ 1) further nodes of the rank. Returns false, with no nodes, at the
  // end of the rank. Readers of files also bound the nodes in bytes (about 1 MiB, or one node if it is larger), so
  // that a stream needs little memory. Readers of traces in memory may ignore max_nodes.
  virtual bool next_nodes(Trace& out, std::size_t max_nodes) = 0;

  // Returns the process groups that contain the rank, after next_rank(). Their names are numbers. For formats with
  // Format::tells_groups.
  [[nodiscard]] virtual std::span<const ProcessGroup> groups() const { return {}; }

  // The nodes of a rank in the encoding of a Chakra file.
  struct Encoded {
    std::string_view bytes;
    std::uint64_t offset = 0;  // in the file
  };
  // Returns all nodes of the rank in encoded form, unchecked and not consumed, if they are stored in this form, in
  // at most `most` bytes, and no node was read. Valid until the next call.
  [[nodiscard]] virtual std::optional<Encoded> peek_encoded(std::size_t most);
  // Consumes the bytes of `shown`, which are `nodes` nodes.
  virtual void skip_encoded(const Encoded& shown, std::uint64_t nodes);
  // Consumer of encoded nodes. Takes the complete messages, each with its length prefix, at the beginning of
  // `shown`. Returns their number of bytes, or nothing if it takes no more.
  using Take = std::function<std::optional<std::size_t>(std::string_view shown)>;
  enum class Taken : std::uint8_t { none, some, all };
  // Passes the nodes of the rank in encoded form to `take`, unchecked and in pieces as they are read. No node of
  // the rank may have been read. Returns Taken::none, and consumes nothing, if the nodes are stored in another
  // form; Taken::some if they are truncated or damaged, or `take` ends early.
  [[nodiscard]] virtual Taken take_encoded(const Take& take);
};

// A set described by one file; its ranks are created on demand.
class DescribedSet {
 public:
  virtual ~DescribedSet() = default;
  [[nodiscard]] virtual Rank ranks() const = 0;  // ≥ 1
  // Returns a reader of the ranks first … last - 1, which refers to this object. Thread-safe.
  [[nodiscard]] virtual std::unique_ptr<TraceReader> open(Rank first, Rank last) const = 0;
  // Returns the class-compressed form of the set, with the process groups, or null.
  [[nodiscard]] virtual const MasterSet* master() const { return nullptr; }
};

// Encoder of ranks into bytes, without input or output of its own. Different objects may encode ranks in parallel;
// begin_set and end_set frame the concatenation of their results in rank order.
class TraceWriter {
 public:
  virtual ~TraceWriter() = default;
  // Stores the process groups of the set, given as the text of a groups file. Called before begin_set, or before
  // end_set if the format does not store groups at the beginning (Format::peek_groups). Returns false if the format
  // cannot store groups.
  virtual bool take_groups(std::string_view /*json*/) { return false; }
  // Begins the set. `many`: more than one rank follows.
  virtual void begin_set(bool many, std::string& out);
  // Begins a rank. `head` has its rank, name and metadata. `ordinal`: 0 for the first rank of the set.
  virtual void begin_rank(const Trace& head, std::size_t ordinal, bool many, std::string& out) = 0;
  virtual void nodes(const Trace& batch, std::string& out) = 0;  // appends batch.nodes to the current rank
  virtual void end_rank(std::string& out);
  virtual void end_set(bool many, std::string& out);
};

struct ReadContext {
  Input& input;
  std::optional<Rank> rank;  // rank in the file name
  const FormatOptions& options;
  Diagnostics& diagnostics;
  std::optional<Rank> ranks{};  // number of ranks of the set, if known before it is read
};

inline constexpr std::size_t told_rank_bytes = std::size_t{1} << 16U;

struct Format {
  std::string_view name;
  std::string_view summary;
  std::vector<std::string_view> suffixes{};  // ".et"; without compression suffix
  std::vector<FormatOption> read_options{};
  std::vector<FormatOption> write_options{};
  std::vector<SuffixOption> suffix_options{};
  bool (*sniff)(std::string_view head) = nullptr;  // head: ≤ 4 KiB, decompressed; null: by suffix only

  // Returns the process groups stored before the first rank, as the text of a groups file; empty if there are none.
  // Consumes nothing.
  std::string (*peek_groups)(Input&) = nullptr;

  // Returns the rank that the beginning of a file, up to told_rank_bytes, states; nothing if it states none. Null:
  // files of this format never state their rank.
  std::optional<Rank> (*told_rank)(std::string_view head) = nullptr;

  // At most one reader and at most one writer are set; write_master may be set in addition.
  std::unique_ptr<TraceReader> (*read)(const ReadContext&) = nullptr;
  // Parses the text of `file`; read options do not affect it.
  Algorithm (*read_algorithm)(std::string text, const std::string& file, Diagnostics&) = nullptr;
  // Parses a schedule. Read options about the derived algorithm are handled by sets/source.h.
  Schedule (*read_schedule)(std::string text, const std::string& file, const FormatOptions&,
                            Diagnostics&) = nullptr;
  // Parses a file that describes a trace set.
  std::unique_ptr<DescribedSet> (*read_set)(std::string text, const std::string& file, const FormatOptions&,
                                            Diagnostics&) = nullptr;

  // Another tool's format: file name and SHA-256 are recorded in the metadata. `read` must read the whole input
  // before it returns the first rank.
  bool imported = false;
  bool linked = false;        // PyTorch host traces: read and linked with a device trace by sets/linked/linking.h
  bool tells_groups = false;  // each rank's file has the groups that contain the rank

  std::unique_ptr<TraceWriter> (*write)(const FormatOptions&) = nullptr;
  // Writes a set of files, named by rank number only, with data about the whole set.
  std::unique_ptr<SetWriter> (*write_set)(const FormatOptions&) = nullptr;
  void (*write_master)(const MasterSet&, Output&) = nullptr;  // for a class-compressed set
  void (*write_drawing)(const drawing::Drawing&, const FormatOptions&, Output&) = nullptr;  // for all ranks at once
  void (*write_algorithm)(const Algorithm&, const FormatOptions&, std::string& out) = nullptr;
  void (*write_schedule)(const Schedule&, const FormatOptions&, std::string& out) = nullptr;
  // Reads a run (core/run.h); writes one or more runs as process groups of one file. Does not close the output.
  Run (*read_run)(const ReadContext&) = nullptr;
  void (*write_runs)(std::span<const Run>, const FormatOptions&, Output&) = nullptr;
  bool nodes_apart = false;    // the encoding of a node depends on that node only
  bool file_per_rank = false;  // each rank is a separate file (a set on disk, a tar in a pipe)
  bool framed_set = false;     // a set of several ranks is encoded differently from a single rank

  [[nodiscard]] bool describes_set() const {
    return read_algorithm != nullptr || read_set != nullptr || read_schedule != nullptr;
  }
  // Return whether the format holds traces, or data from which traces are made.
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
// Returns the options that every written format accepts.
[[nodiscard]] std::span<const FormatOption> common_write_options();
// Returns the format with that name. Throws Error(usage) with the nearest known name.
[[nodiscard]] const Format& find_format(std::string_view name);
// Returns the format whose suffix ends `path` (compression suffixes ignored), or null. If several formats share the
// suffix, prefers a format that can be read (or written), then the longest suffix.
[[nodiscard]] const Format* format_by_suffix(std::string_view path, Direction direction);
// Returns the format that matches the content. If none or several match, returns the format by the suffix of
// `name`, else the first match, or null.
[[nodiscard]] const Format* detect_format(std::string_view head, std::string_view name);
struct FormatChoice {
  const Format* format = nullptr;
  FormatOptions options;
};
// Parses "msccl,size=1MiB". Throws Error(usage) for an unknown format, an unknown key (listing the known keys), a
// key given twice, or a format that cannot be read (or written).
[[nodiscard]] FormatChoice parse_format_choice(std::string_view text, Direction direction);
// Returns the format of option -t, else by the file name, else chakra. Options implied by the file name are added
// unless -t sets them. Throws Error(usage).
[[nodiscard]] FormatChoice written_format(const std::optional<std::string>& to,
                                          const std::optional<std::string>& path);

}  // namespace convert
