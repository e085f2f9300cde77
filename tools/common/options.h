// SPDX-License-Identifier: MIT
// Options with the same meaning in every tool: inputs, outputs, and the common ones.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/app.h"

namespace tools {

struct CommonOptions {
  bool quiet = false;
  int verbose = 0;
  std::string color = "auto";
  std::string progress = "auto";
  std::optional<std::int64_t> jobs;  // 0: all cores; unset: the value of ET_JOBS
  std::int64_t max_errors = 20;
  bool werror = false;
  std::optional<std::int64_t> max_expand;  // bytes
  bool list_formats = false;
};

struct InputOptions {
  std::vector<std::string> operands;  // as given; see inputs()
  std::optional<std::string> from;    // "msccl,size=1MiB", for parse_format_choice
  std::optional<std::int64_t> rank;
  std::optional<std::string> groups;  // a file
};

struct OutputOptions {
  std::optional<std::string> to;
  std::optional<std::string> path;
  bool force = false;
  bool no_history = false;
  [[nodiscard]] bool to_stdout() const { return !path || *path == "-"; }
};

// Returns the value of ET_JOBS, or 0 if unset. Throws Error(usage) if it is not a number of threads.
[[nodiscard]] std::int64_t jobs_from_environment();

void add_common_options(App& app, CommonOptions& to, bool reads_files);
void add_input_options(App& app, InputOptions& to);
// Adds the input options and --groups.
void add_set_input_options(App& app, InputOptions& to);
// Adds -o and -t; `types` names the argument of -t in the help.
void add_target_options(App& app, OutputOptions& to, const std::string& types);
void add_output_options(App& app, OutputOptions& to, const std::string& types = "FORMAT[,KEY=VALUE...]");

// Returns the operands, or "-" if there are none. Throws Error(usage) if there are none and standard input is a
// terminal.
[[nodiscard]] std::vector<std::string> inputs(const InputOptions& options);
// Throws Error(usage) if more than one input is "-".
void require_one_standard_input(std::span<const std::string> inputs);

// Throws Error(usage) if standard output is a terminal. `advice` ends the message: "or write text with -t json".
void refuse_binary_on_tty(std::string_view advice = {});

// Sets --from and --to for a program that is started by a name such as msccl2chakra.
void preset_formats(std::string_view program, InputOptions& input, OutputOptions& output);

// Returns the table of --list-formats; with `details` also each format's options.
[[nodiscard]] std::string list_formats(bool details);

}  // namespace tools
