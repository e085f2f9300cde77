// SPDX-License-Identifier: MIT
// Writes a trace set as one file per rank, one document or a tar; files are written atomically, all or none.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/diagnostic.h"
#include "formats/format.h"
#include "io/output.h"
#include "io/set_path.h"
#include "sets/set_source.h"

namespace convert {

struct SinkOptions {
  std::optional<std::string> to{};    // "json,compress=gz"; by default from the suffix of `path`, else chakra
  std::optional<std::string> path{};  // empty or "-": standard output
  bool force = false;                 // replace a set of another size, write into a non-empty directory
  std::string history{};  // line to add to the metadata's history, if additions are allowed; empty: none
  unsigned jobs = 1;
  bool checked = false;             // the whole set has been checked: write_set() does not warn again
  std::vector<std::string> keep{};  // input files, which outputs must not replace
  // Last rank of the set, if several processes write it. Only the process with `whole` writes the groups and
  // removes stale files.
  std::optional<Rank> last_rank{};
  bool whole = true;
  // Called after all ranks are complete, before any file gets its name. Files that it adds appear together with the
  // ranks. If it throws, the output is discarded.
  std::function<void(OutputFiles&)> before_commit{};
};

// Destination of a set's output.
struct SinkPlan {
  FormatChoice choice;
  std::optional<std::string> path;  // empty: standard output
  bool tar = false;
  bool per_rank_files = false;  // `path` is a prefix
  bool numbered = false;        // `path` is a folder with files R.json
  std::string suffix;           // ".gz" or ".zst" after each rank's name
  [[nodiscard]] bool binary() const { return (choice.format->file_per_rank && !numbered) || tar; }
  // Return the path of a rank's file, and the files that already exist.
  [[nodiscard]] std::string path_of(Rank rank) const {
    return numbered ? numbered_path(*path, rank, suffix) : rank_path(*path, rank, suffix);
  }
  [[nodiscard]] std::vector<RankFile> existing() const {
    return numbered ? numbered_files(*path) : existing_ranks(*path);
  }
};
// Plans the output before the set is written; calls SetSource::many(), which may read. Throws Error(usage) for
// options that contradict each other or the set, Error(system).
[[nodiscard]] SinkPlan plan_sink(SetSource& source, const SinkOptions& options);

// Throws Error(usage) if a set of another size exists, as write_set() does, before the set is computed.
void check_size(const SinkPlan& plan, Rank ranks);

// Writes all ranks of the source. For an algorithm, TraceSource::prepare() must have found no errors.
void write_set(SetSource& source, const SinkPlan& plan, const SinkOptions& options, Diagnostics& diagnostics);

// Opens the file `path` of the group; standard output for no path and "-".
[[nodiscard]] std::unique_ptr<Output> open_output(OutputFiles& files, const std::optional<std::string>& path);
// Writes bytes to `path` as a file of the group, or to standard output.
void write_bytes(OutputFiles& files, const std::optional<std::string>& path, std::string_view bytes);
// The same for a single file.
void write_bytes(const std::optional<std::string>& path, std::string_view bytes);

// Appends lines to the metadata's attribute `history`.
void add_history(Metadata& metadata, std::vector<std::string> more);

}  // namespace convert
