// SPDX-License-Identifier: MIT
// Any set of traces to any output: a file per rank, one document, a tar on a pipe; whole or not at all.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/diagnostic.h"
#include "formats/format.h"
#include "io/output.h"
#include "sets/set_source.h"

namespace convert {

struct SinkOptions {
  std::optional<std::string> to{};    // "json,compress=gz"; else by the suffix of `path`, else chakra
  std::optional<std::string> path{};  // none or "-": standard output
  bool force = false;                 // replace a set of another size, write into a directory that is not empty
  std::string history{};  // line to add to the metadata's history, where anything may be added; empty: nothing
  unsigned jobs = 1;
  bool checked = false;             // what is wrong with the set as a whole has been told
  std::vector<std::string> keep{};  // files that are read, and that no output may replace
  // Other processes write the other ranks of the set, this is its last one. Only one of the processes looks after
  // what belongs to the set as a whole: stale files, groups.
  std::optional<Rank> last_rank{};
  bool whole = true;
  // Called when all ranks are complete, before anything gets its name: files that it adds get theirs with the
  // ranks. What it throws discards the output.
  std::function<void(OutputFiles&)> before_commit{};
};

// Where the output of a set goes, decided before anything is read.
struct SinkPlan {
  FormatChoice choice;
  std::optional<std::string> path;  // none: standard output
  bool tar = false;
  bool per_rank_files = false;  // `path` is then a prefix
  std::string suffix;           // ".gz", ".zst" behind each rank's name
  [[nodiscard]] bool binary() const { return choice.format->file_per_rank || tar; }
};
[[nodiscard]] SinkPlan plan_sink(SetSource& source, const SinkOptions& options);

// Writes all ranks of the source. An algorithm must have been prepared, and have no errors.
void write_set(SetSource& source, const SinkPlan& plan, const SinkOptions& options, Diagnostics& diagnostics);

// The file `path` of the group, or standard output for none and "-".
[[nodiscard]] std::unique_ptr<Output> open_output(OutputFiles& files, const std::optional<std::string>& path);
// Writes bytes to `path` as a file of the group, or to standard output.
void write_bytes(OutputFiles& files, const std::optional<std::string>& path, std::string_view bytes);
// The same of a file by itself.
void write_bytes(const std::optional<std::string>& path, std::string_view bytes);

// Appends a line to the metadata's attribute `history`.
void add_history(Metadata& metadata, const std::string& line);

}  // namespace convert
