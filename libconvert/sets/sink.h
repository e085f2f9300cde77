// SPDX-License-Identifier: MIT
// Writes a set of traces as a file for each rank, one document or a tar; if to files, all of it or nothing.
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
  std::optional<std::string> to{};    // "json,compress=gz"; else by the suffix of `path`, else chakra
  std::optional<std::string> path{};  // none or "-": standard output
  bool force = false;                 // replace a set of another size, write into a directory that is not empty
  std::string history{};  // line to add to the metadata's history, where anything may be added; empty: nothing
  unsigned jobs = 1;
  bool checked = false;             // the set as a whole has been checked: write_set() does not warn of it again
  std::vector<std::string> keep{};  // input files, which no output may replace
  // The set's last rank, where several processes write one set. Only the process with `whole` writes the groups and
  // removes stale files.
  std::optional<Rank> last_rank{};
  bool whole = true;
  // Called when all ranks are complete, before any file gets its name: files that it adds appear together with the
  // ranks. If it throws, the output is discarded.
  std::function<void(OutputFiles&)> before_commit{};
};

// Says where the output of a set goes.
struct SinkPlan {
  FormatChoice choice;
  std::optional<std::string> path;  // none: standard output
  bool tar = false;
  bool per_rank_files = false;  // `path` is then a prefix
  bool numbered = false;        // it is a folder with files R.json
  std::string suffix;           // ".gz", ".zst" behind each rank's name
  [[nodiscard]] bool binary() const { return (choice.format->file_per_rank && !numbered) || tar; }
  // Return the path of a rank's file, and the files that there are already.
  [[nodiscard]] std::string path_of(Rank rank) const {
    return numbered ? numbered_path(*path, rank, suffix) : rank_path(*path, rank, suffix);
  }
  [[nodiscard]] std::vector<RankFile> existing() const {
    return numbered ? numbered_files(*path) : existing_ranks(*path);
  }
};
// Plans the output, before the set is written: it calls SetSource::many(), which may read. Throws Error(usage) for
// options that do not go together or not with the set, Error(system).
[[nodiscard]] SinkPlan plan_sink(SetSource& source, const SinkOptions& options);

// Throws Error(usage) if there is a set of another number of ranks already, as write_set() does: before there is
// one to write.
void check_size(const SinkPlan& plan, Rank ranks);

// Writes all ranks of the source. If that is an algorithm, TraceSource::prepare() must have found no errors.
void write_set(SetSource& source, const SinkPlan& plan, const SinkOptions& options, Diagnostics& diagnostics);

// Opens the file `path` of the group, or standard output for none and "-".
[[nodiscard]] std::unique_ptr<Output> open_output(OutputFiles& files, const std::optional<std::string>& path);
// Writes bytes to `path` as a file of the group, or to standard output.
void write_bytes(OutputFiles& files, const std::optional<std::string>& path, std::string_view bytes);
// Does the same for a file by itself.
void write_bytes(const std::optional<std::string>& path, std::string_view bytes);

// Appends lines to the metadata's attribute `history`.
void add_history(Metadata& metadata, std::vector<std::string> more);

}  // namespace convert
