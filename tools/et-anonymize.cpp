// SPDX-License-Identifier: MIT
// et-anonymize: a set that can be given away, and a proof of what it hides and keeps.
#include <memory>
#include <optional>
#include <string>

#include "anonymize/options.h"
#include "common/sink.h"
#include "common/source.h"
#include "common/tool.h"
#include "core/units.h"
#include "io/keyed_sha256.h"
#include "sets/derived/anonymizing.h"
#include "sets/derived/kept_set.h"
#include "sets/source.h"
#include "util/log.h"

namespace {

using namespace convert;

void tell(const AnonymizeCounts& counts) {
  log_info(counted(counts.dropped, "attribute") + " of " + counted(counts.nodes, "node") + " left out" +
           (counts.wrong_kind == 0 ? "" : ", and " + std::to_string(counts.wrong_kind) + " of unexpected kinds") +
           (counts.merged == 0 ? "" : "; " + counted(counts.merged, "node") + " merged into others"));
}

void warn_of_kept(const tools::AnonymizeToolOptions& o, Diagnostics& diagnostics) {
  for (const std::string& name : o.keep)
    diagnostics.warning({}, "keep", "--keep " + name + ": its values are given away as they are, words and all");
}

int anonymize(const tools::AnonymizeToolOptions& o, tools::Context& context) {
  AnonymizeOptions options = anonymize_options(o);
  warn_of_kept(o, context.diagnostics);
  const std::string key = o.key ? read_key(*o.key) : random_bytes(secret_key_bytes);
  const KeyedSha256 hash(key);
  TraceSource input(tools::source_options(o.input, context), context.diagnostics);
  if (!input.prepare(false) || context.failed()) return 1;
  KeptSet before(input, context.jobs());
  AnonymizedSet after(
      before, std::move(options), [&](std::string_view bytes) { return hash(bytes); }, context.jobs());
  if (context.failed()) return 1;
  tools::OutputOptions output = o.output;
  output.no_history = true;  // the metadata say anonymized in its place, without the command line
  const auto sink = open_sink(after, output, context);
  if (o.key_out) write_secret(*o.key_out, hex_digits(key) + "\n");
  sink.write(after, context.diagnostics);
  tell(after.counts());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const tools::ToolInfo info{
      .name = "et-anonymize",
      .summary = "hide the words of a trace, keep how it replays",
      .operands = "[INPUT...]",
      .examples = {{"et-anonymize llama -o shared", "names, texts and metadata are gone; replays are the same"},
                   {"et-anonymize llama -o shared --report proof.json", "with a proof of both"},
                   {"et-anonymize --sizes pow2 --merge-chains --k 3 --jitter 10% llama -o shared",
                    "shapes of layers are hidden too, and times change by up to a tenth"},
                   {"et-anonymize --key-out key llama -o shared && et-anonymize --key key llama2 -o shared2",
                    "two sets whose names can be compared"}},
  };
  return tools::run_tool(argc, argv, info, tools::add_anonymize_options, anonymize);
}
