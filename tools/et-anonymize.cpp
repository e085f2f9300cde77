// SPDX-License-Identifier: MIT
// et-anonymize: makes a set that can be shared, and proves what it hides and keeps.
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "anonymize/leaks.h"
#include "anonymize/options.h"
#include "anonymize/proof.h"
#include "anonymize/table.h"
#include "common/sink.h"
#include "common/source.h"
#include "common/tool.h"
#include "core/units.h"
#include "io/secrets/keyed_sha256.h"
#include "io/set_path.h"
#include "programs.h"
#include "sets/anonymized/anonymizing.h"
#include "sets/anonymized/kept_set.h"
#include "sets/source.h"
#include "util/log.h"

namespace {

using namespace convert;

void tell(const AnonymizeCounts& counts) {
  log_info(counted(counts.dropped, "attribute") + " of " + counted(counts.nodes, "node") + " omitted" +
           (counts.wrong_kind == 0 ? "" : ", and " + std::to_string(counts.wrong_kind) + " of unexpected kinds") +
           (counts.merged == 0 ? "" : "; " + counted(counts.merged, "node") + " merged into others"));
  if (counts.turns != 0) log_note(tools::note_of_turns(counts.turns));
}

std::vector<std::string> file_names(const tools::AnonymizeToolOptions& o, const TraceSource& input) {
  std::vector<std::string> names;
  for (const std::string& path : tools::operand_files(tools::inputs(o.input), input.inputs()))
    names.emplace_back(file_name_part(path));
  return names;
}

// Proves the set before it is written; a set that fails is not written. Returns the report, or nothing if the proof
// fails.
std::optional<std::string> prove(const tools::AnonymizeToolOptions& o, const std::vector<std::string>& names,
                                 KeptSet& before, AnonymizedSet& after, tools::Context& context) {
  const tools::AnonymityProof proof = tools::prove_anonymity(
      before, after, {.names = names, .network = o.network.value_or(""), .jobs = context.jobs()});
  log_info(proof_line(proof));
  std::string report = o.report->ends_with(".txt") ? proof_text(proof) : proof_json(proof);
  const std::vector<std::string> failures = proof.failures();
  if (failures.empty()) return report;
  for (const std::string& f : failures)
    context.diagnostics.error({}, "proof", f + "; the set is not written; see " + *o.report);
  write_bytes(o.report, report);
  return std::nullopt;
}

// Writes to a file that only its owner may read, or to standard output.
void write_private(const std::string& path, std::string_view bytes) {
  path == "-" ? write_bytes(path, bytes) : write_secret(path, bytes);
}

int anonymize(const tools::AnonymizeToolOptions& o, tools::Context& context) {
  AnonymizeOptions options = anonymize_options(o);
  const std::string key = o.key ? read_key(*o.key) : random_bytes(secret_key_bytes);
  const KeyedSha256 keyed(key);
  const KeyedHash hash = [&](std::string_view bytes) { return keyed(bytes); };
  TraceSource input(tools::source_options(o.input, context), context.diagnostics);
  if (!input.prepare(false) || context.failed()) return 1;
  const std::vector<std::string> names = file_names(o, input);
  tools::warn_of_output_name(o, names, context.diagnostics);
  KeptSet before(input, context.jobs());
  AnonymizedSet after(before, std::move(options), hash, context.jobs());
  if (context.failed()) return 1;
  tools::warn_of_leaks(o, after.plan().sizes, context.diagnostics);
  tools::OutputOptions output = o.output;
  output.no_history = true;  // the metadata attribute anonymized replaces it, without the command line
  std::optional<std::string> report;
  if (o.report && !(report = prove(o, names, before, after, context))) return 1;
  const auto add_report = [&](OutputFiles& files) {
    if (report) write_bytes(files, o.report, *report);
  };
  const auto sink = open_sink(after, output, context, {.before_commit = add_report});
  if (o.key_out) write_private(*o.key_out, hex_digits(key) + "\n");
  if (o.table) write_private(*o.table, tools::name_table(before, hash, context.jobs()));
  sink.write(after, context.diagnostics);
  tell(after.counts());
  for (const std::string& line : tools::remaining_leaks(o, after.counts())) log_note(line);
  return 0;
}

}  // namespace

int tools::et_anonymize(int argc, char** argv) {
  const tools::ToolInfo info{
      .name = "et-anonymize",
      .operands = "[INPUT...]",
      .examples = {{"et-anonymize llama -o shared", "no names, texts and metadata; the same replays"},
                   {"et-anonymize llama -o shared --report proof.json", "with a proof of what is hidden and kept"},
                   {"et-anonymize --sizes pow2 --merge-chains --k 3 --jitter 10% llama -o shared",
                    "also hides shapes of layers; times change by at most a tenth"},
                   {"et-anonymize --key key llama2 -o shared2", "with the key of another set, to compare names"}},
  };
  return tools::run_tool(argc, argv, info, tools::add_anonymize_options, anonymize);
}
