// SPDX-License-Identifier: MIT
#include "stats/options.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "common/form.h"
#include "common/option_texts.h"
#include "core/diagnostic.h"
#include "core/units.h"
#include "core/words.h"

namespace tools {
namespace {

constexpr std::size_t rows_of_text = 20;

struct SectionInfo {
  std::string_view name;
  std::string_view of;
  std::string_view what;
};
constexpr std::array<SectionInfo, 17> section_table = {{
    {"nodes", "traces", "numbers by type and name, dependencies, depth"},
    {"volume", "traces", "messages, bytes and operations, per NPU"},
    {"collectives", "traces, runs", "calls and bytes of traces; times, algbw, busbw of runs"},
    {"sizes", "traces", "histograms of messages and calls"},
    {"matrix", "traces, runs", "bytes that one NPU sends another"},
    {"memory", "traces, runs", "loads and stores of traces; largest use in runs"},
    {"flops", "traces", "operations per NPU; for recordings with --peak, the share used"},
    {"path", "traces, runs", "longest chain of traces; critical path of runs"},
    {"redundant", "traces", "dependencies that others imply; only on request"},
    {"time", "runs", "total time, and time categories of each NPU"},
    {"operations", "runs", "kernels of recordings, operations of replays: count, time, share"},
    {"overlap", "runs", "communication hidden and exposed, by process group"},
    {"skew", "runs", "how far apart NPUs call collectives, and who is last"},
    {"iterations", "runs", "duration of each iteration"},
    {"links", "runs", "bytes and busy time of each link"},
    {"idle", "recordings", "waiting for the host, and for the launch of kernels"},
    {"mfu", "runs, traces", "operations per second of a run, and of the peak"},
}};

// Returns operations per nanosecond for "989TFLOPS", "1.5PFLOPS", "312e12".
std::optional<double> parse_flops(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::toupper(c); });
  if (text.ends_with("FLOP/S")) text.replace(text.size() - 2, 2, "S");
  double scale = 1;
  if (text.ends_with("FLOPS")) {
    text.resize(text.size() - 5);
    constexpr std::array<std::pair<char, double>, 4> prefixes = {
        {{'G', 1e9}, {'T', 1e12}, {'P', 1e15}, {'E', 1e18}}};
    for (const auto& [letter, factor] : prefixes) {
      if (!text.ends_with(letter)) continue;
      scale = factor;
      text.pop_back();
      break;
    }
  }
  const auto number = convert::parse_number(text);
  if (!number || !(*number > 0)) return std::nullopt;
  return *number * scale / 1e9;
}

}  // namespace

double StatsOptions::ops_per_ns() const {
  if (!peak) return 0;
  const auto value = parse_flops(*peak);
  if (!value)
    throw convert::usage_error("--peak " + *peak + ": expected operations per second, such as 989TFLOPS or 312e12");
  return *value;
}

bool StatsOptions::wants(std::string_view section) const {
  return std::find(sections.begin(), sections.end(), section) != sections.end() ||
         (get && get->starts_with(std::string(section) + '.'));
}

std::size_t StatsOptions::rows() const {
  if (top) return static_cast<std::size_t>(*top);
  return form() == "text" ? rows_of_text : 0;
}

std::string StatsOptions::form() const { return format ? *format : form_of_suffix(output, {"json", "csv"}); }

void declare_stats(App& app, StatsOptions& o) {
  add_set_input_options(app, o.input);
  app.add_option("--run", o.run, "RUN", "run to measure: from et-replay -o, or a recording");
  app.group("Statistics");
  app.add_list("--show", o.sections, "WHAT,...", option_text::show);
  app.add_choice("--by", o.by, {"name", "type", "group", "rank"}, "percentiles of times, one row for each");
  app.add_option("-n,--network", o.network, "NETWORK", option_text::network);
  app.add_option("--peak", o.peak, "RATE", "peak of an NPU, such as 989TFLOPS, for the share used (MFU)");
  app.group("Output");
  app.add_choice("--format", o.format, {"text", "json", "csv"}, option_text::format);
  app.add_option("--get", o.get, "SECTION.NAME", "print this one number, such as nodes.total");
  app.add_integer("--top", o.top, 0, 1'000'000'000, "N", option_text::top);
  app.add_option("-o,--output", o.output, "PATH", option_text::output);
}

std::string section_list() {
  std::string out;
  for (const auto& [name, of, what] : section_table) {
    std::string line(name);
    line.resize(13, ' ');
    line += of;
    line.resize(27, ' ');
    out += line.append(what) + '\n';
  }
  return out;
}

void check_sections(const convert::Statistics& made, const StatsOptions& o) {
  for (const std::string& name : o.sections) {
    if (std::ranges::any_of(made, [&](const convert::Section& s) { return s.name == name; })) continue;
    for (const SectionInfo& s : section_table) {
      if (s.name == name)
        throw convert::usage_error("--show " + name + ": the input has no such section; it is a section of " +
                                   std::string(s.of));
    }
  }
}

void check_usage(const StatsOptions& o) {
  std::vector<std::string> names;
  for (const SectionInfo& s : section_table) names.emplace_back(s.name);
  for (const std::string& name : o.sections) {
    if (std::find(names.begin(), names.end(), name) == names.end() && name != "list")
      throw convert::usage_error("--show " + name + ": unknown section" + convert::hint_for(name, names));
  }
  if (o.get) {
    const std::string section = o.get->substr(0, o.get->find('.'));
    if (std::find(names.begin(), names.end(), section) == names.end())
      throw convert::usage_error("--get " + *o.get + ": unknown section" + convert::hint_for(section, names));
  }
  if (o.get && o.form() != "text")
    throw convert::usage_error("--get prints one number; it cannot be combined with " + o.form());
  (void)o.ops_per_ns();
  (void)o.form();
}

}  // namespace tools
