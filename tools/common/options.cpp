// SPDX-License-Identifier: MIT
#include "common/options.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "common/option_texts.h"
#include "core/diagnostic.h"
#include "core/units.h"
#include "core/words.h"
#include "formats/format.h"

namespace tools {

using convert::Format;
using convert::usage_error;

namespace {

constexpr std::int64_t most_jobs = 4096;

std::string padded(std::string_view text, std::size_t width) {
  std::string out(text);
  out.resize(std::max(out.size(), width), ' ');
  return out;
}

std::string list_options(const char* direction, std::span<const convert::FormatOption> options) {
  std::string out;
  for (const convert::FormatOption& o : options) {
    out += "    " + padded(direction, 7) + padded(std::string(o.key) + '=' + std::string(o.value), 22);
    out += std::string(o.help) + '\n';
  }
  return out;
}

bool is_format(std::string_view name) {
  const auto formats = convert::all_formats();
  return std::any_of(formats.begin(), formats.end(), [&](const Format* f) { return f->name == name; });
}

}  // namespace

std::int64_t jobs_from_environment() {
  const char* text = std::getenv("ET_JOBS");
  if (text == nullptr || *text == '\0') return 0;
  const auto n = convert::parse_int(text);
  if (!n || *n < 0 || *n > most_jobs) {
    throw usage_error("ET_JOBS=" + std::string(text) + ": expected an integer from 0 to " +
                      std::to_string(most_jobs));
  }
  return *n;
}

void add_common_options(App& app, CommonOptions& to, bool reads_files) {
  app.group("Common");
  app.add_integer("-j,--jobs", to.jobs, 0, most_jobs, "N", "threads; 0 = all cores (default: ET_JOBS, else 0)");
  app.add_choice("--progress", to.progress, {"auto", "always", "never"}, "show progress; auto: on a terminal")
      .advanced();
  app.add_choice("--color", to.color, {"auto", "always", "never"}, "colour messages; auto: on a terminal")
      .advanced();
  app.add_integer("--max-errors", to.max_errors, 0, 1'000'000'000, "N", "messages per file; 0 = all (default: 20)")
      .advanced();
  app.add_flag("--werror", to.werror, "treat warnings as errors").advanced();
  if (reads_files) {
    app.add_bytes("--max-expand", to.max_expand, "SIZE",
                  "largest unpacked size of a document (default: 64MiB plus 1000 times its packed size) and of a "
                  "stream (1GiB plus 1000 times)")
        .advanced();
  }
  app.add_flag("--list-formats", to.list_formats, "list the formats and exit; -v: with their options").advanced();
  app.add_flag("-q,--quiet", to.quiet, "no warnings, no progress");
  app.add_count("-v,--verbose", to.verbose, "print settings and a summary; -vv: more");
}

void add_input_options(App& app, InputOptions& to) {
  app.group("Input");
  app.add_operands(to.operands, "INPUT", "file, prefix of a set, directory, tar; - = stdin");
  app.add_option("-f,--from", to.from, "FORMAT[,KEY=VALUE...]", "format of the input (default: by content)");
  app.add_integer("--rank", to.rank, 0, 0xffffffff, "N", "rank of a single input (default: from the input)")
      .advanced();
}

void add_set_input_options(App& app, InputOptions& to) {
  add_input_options(app, to);
  app.add_option("--groups", to.groups, "FILE", "process groups (default: from the trace set)").advanced();
}

void add_target_options(App& app, OutputOptions& to, const std::string& types) {
  app.group("Output");
  app.add_option("-o,--output", to.path, "PATH", option_text::output).no_history();
  app.add_option("-t,--to", to.to, types, option_text::to);
}

void add_output_options(App& app, OutputOptions& to, const std::string& types) {
  add_target_options(app, to, types);
  app.add_flag("--force", to.force, option_text::force).no_history();
  app.add_flag("--no-history", to.no_history, "do not record how the output was made").no_history().advanced();
}

std::vector<std::string> inputs(const InputOptions& options) {
  const auto& given = options.operands;
  if (!given.empty()) return given;
  if (isatty(STDIN_FILENO) == 1) {
    throw usage_error(
        "no INPUT is given and standard input is a terminal; name a file, or pipe a trace in (see --help)");
  }
  return {"-"};
}

void require_one_standard_input(std::span<const std::string> inputs) {
  if (std::count(inputs.begin(), inputs.end(), "-") > 1)
    throw usage_error("standard input is given twice; only one input can be -");
}

void refuse_binary_on_tty(std::string_view advice) {
  if (isatty(STDOUT_FILENO) != 1) return;
  std::string message = "standard output is a terminal and the result is binary; name a file with -o, or pipe it";
  if (!advice.empty()) message += ", " + std::string(advice);
  throw usage_error(message);
}

void preset_formats(std::string_view program, InputOptions& input, OutputOptions& output) {
  const std::size_t slash = program.rfind('/');
  if (slash != std::string_view::npos) program.remove_prefix(slash + 1);
  const std::size_t two = program.find('2');
  if (two == std::string_view::npos) return;
  const std::string_view from = program.substr(0, two);
  const std::string_view to = program.substr(two + 1);
  if (!is_format(from) || !is_format(to)) return;
  input.from = from;
  output.to = to;
}

std::string list_formats(bool details) {
  std::string out;
  std::size_t width = 0;
  for (const Format* f : convert::all_formats()) width = std::max(width, f->name.size() + 1);
  for (const Format* f : convert::all_formats()) {
    out += padded(f->name, width) + padded(f->can_read() ? "read" : "-", 6) +
           padded(f->can_write() ? "write" : "-", 7);
    out += padded(convert::join(f->suffixes, " "), 14) + ' ' + std::string(f->summary) + '\n';
    if (details) out += list_options("read", f->read_options) + list_options("write", f->write_options);
  }
  if (details) out += "every output format\n" + list_options("write", convert::common_write_options());
  return out;
}

}  // namespace tools
