// SPDX-License-Identifier: MIT
#include "validate/findings.h"

#include <unistd.h>

#include <cstdio>
#include <utility>

#include "common/report.h"
#include "core/units.h"
#include "io/set_path.h"
#include "passes/validate.h"
#include "sets/check.h"
#include "sets/sink.h"
#include "util/json_writer.h"
#include "util/log.h"
#include "util/visible.h"

namespace tools {

std::string rule_table() {
  std::string out;
  for (const convert::RuleInfo& rule : convert::all_rules()) {
    std::string line(rule.name);
    line.resize(15, ' ');
    line += convert::name(rule.family);
    line.resize(26, ' ');
    line += rule.summary;
    if (!rule.covers.empty()) line += "\n" + std::string(28, ' ') + "covers " + std::string(rule.covers);
    out += line + "\n";
  }
  return out;
}

namespace {

void print_json(const convert::Diagnostics& diagnostics, bool as_array) {
  std::string out = as_array ? "[" : "";
  bool first = true;
  for (const convert::Diagnostic* const finding : in_order_of_lines(diagnostics.all())) {
    const convert::Diagnostic& d = *finding;
    if (as_array) out += first ? "\n" : ",\n";
    first = false;
    convert::JsonWriter json(out);
    json.begin_object();
    json.member("severity", convert::severity_name(d.severity));
    json.member("file", d.where.file);
    if (d.where.rank >= 0) json.member("rank", d.where.rank);
    if (d.where.node >= 0) json.member("node", d.where.node);
    if (d.where.offset >= 0) json.member("offset", d.where.offset);
    if (d.where.line != 0) json.member("line", std::int64_t{d.where.line});
    if (d.where.column != 0) json.member("column", std::int64_t{d.where.column});
    json.member("rule", d.rule);
    json.member("message", d.message);
    if (!d.notes.empty()) {
      json.key("notes");
      json.begin_array();
      for (const std::string& note : d.notes) json.value(note);
      json.end_array();
    }
    json.end_object();
    if (!as_array) out += '\n';
  }
  if (as_array) out += first ? "]\n" : "\n]\n";
  convert::write_bytes(std::nullopt, out);
}

std::string verdict_line(const convert::TraceSource& source, const convert::CheckSummary& checked) {
  using convert::counted;
  const char* const unit = source.algorithm() == nullptr ? "rank" : source.schedule() == nullptr ? "GPU" : "NPU";
  const bool proved = checked.verdict.outcome == convert::Verdict::Outcome::proved;
  const auto& files = source.inputs().files();
  std::string line =
      files.size() == 1 ? std::string(convert::file_name_part(files.front().path)) : source.base_name();
  line += ": " + counted(checked.ranks, unit);
  if (checked.steps != 0) line += ", " + std::string(convert::name(checked.verdict.collective));
  line += ", " + (checked.steps != 0 ? counted(checked.steps, "step") : counted(checked.nodes, "node")) + ": valid";
  if (checked.merged != 0 && proved) return line + ", " + counted(checked.merged, "merged collective") + " proved";
  if (checked.merged == 0 && checked.steps == 0) return line;
  return line + (proved ? ", result proved" : ", result not proved");
}

}  // namespace

std::unique_ptr<convert::TraceSource> open_source(convert::SourceOptions options, Context& context) {
  try {
    return std::make_unique<convert::TraceSource>(std::move(options), context.diagnostics);
  } catch (const convert::Error& e) {
    convert::report_unreadable(e, context.diagnostics);
    return nullptr;
  }
}

void report_findings(const std::string& format, Context& context) {
  if (format == "text") return context.report();
  print_json(context.diagnostics, format == "json");
  context.set_reported();
}

void tell_verdict(const convert::TraceSource& source, const convert::CheckSummary& checked,
                  const Context& context) {
  if (context.common.quiet || isatty(STDERR_FILENO) != 1) return;
  std::fputs((convert::visible(verdict_line(source, checked)) + "\n").c_str(), stderr);
}

void log_summary(std::size_t ranks, const convert::Diagnostics& diagnostics) {
  using convert::counted;
  convert::log_info(counted(ranks, "rank") + ", " + counted(diagnostics.errors(), "error") + ", " +
                    counted(diagnostics.warnings(), "warning"));
}

}  // namespace tools
