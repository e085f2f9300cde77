// SPDX-License-Identifier: MIT
// et-diff: compares two trace sets, or two runs.
#include "analyze/diff/difference.h"
#include "common/tool.h"
#include "diff/inputs.h"
#include "diff/options.h"
#include "diff/statistics.h"
#include "programs.h"
#include "sets/sink.h"

namespace {

// Unreadable input has exit status 2 like any other error, because exit status 1 means that A and B differ.
int diff(const tools::DiffOptions& o, tools::Context& context) try {
  if (o.operands.size() != 2)
    throw convert::usage_error("exactly two inputs are required, A and B; see et-diff --help");
  const bool json = o.form() == "json";
  if (o.statistics) {
    o.check_statistics();
    const convert::Fidelity fidelity = tools::compare_statistics(o, context);
    if (context.failed()) return 2;
    convert::write_bytes(o.output, json ? fidelity_json(fidelity, o.rows()) : fidelity_text(fidelity, o.rows()));
    return fidelity.same() ? 0 : 1;
  }
  const convert::DiffWishes wishes = o.wishes();
  const convert::Difference difference = tools::compare(o, wishes, context);
  if (context.failed()) return 2;
  convert::write_bytes(o.output,
                       json ? difference_json(difference, o.rows()) : difference_text(difference, o.rows()));
  return difference.same() ? 0 : 1;
} catch (const convert::Error& e) {
  if (e.kind() != convert::Error::Kind::input) throw;
  context.diagnostics.error(e.where(), e.rule(), e.what());
  return 2;
}

}  // namespace

int tools::et_diff(int argc, char** argv) {
  const tools::ToolInfo info{
      .name = "et-diff",
      .operands = "A B",
      .examples = {{"et-diff llama.yesterday llama", "nodes, attributes, dependencies, times"},
                   {"et-diff a.run b.run", "which is faster, and why"},
                   {"et-diff --times --tolerance 1% a.run b.run", "slower than noise?"},
                   {"et-diff --statistics llama synthetic", "how faithful is the second to the first?"},
                   {"et-convert ring8.xml | et-diff --structure - ring8", "is it still the same algorithm?"}},
  };
  return tools::run_tool(argc, argv, info, tools::declare_diff, diff);
}
