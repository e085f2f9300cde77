// SPDX-License-Identifier: MIT
// et-link: links PyTorch's host traces and their device traces to one trace set.
#include <memory>

#include "common/form.h"
#include "common/options.h"
#include "common/tool.h"
#include "core/units.h"
#include "link/linking.h"
#include "mpi/link_team.h"
#include "programs.h"
#include "sets/source.h"
#include "util/log.h"

int tools::et_link(int argc, char** argv) {
  using namespace convert;
  tools::LinkToolOptions link;
  tools::OutputOptions output;
  std::unique_ptr<tools::LinkTeam> team;
  const tools::ToolInfo info{
      .name = "et-link",
      .operands = "",
      .examples = {{"et-link --host host.0.json --device kineto.0.json -o linked.0.et", "one rank"},
                   {"et-link --host 'host.%r.json' --device 'kineto.%r.json.gz' -o llama",
                    "all ranks, llama.0.et …, and llama.groups.json"},
                   {"et-link --host host.0.json --device kineto.0.json -v -o x.0.et --report x.json",
                    "with a report of what was matched"}},
  };
  const auto setup = [&](tools::App& app) {
    tools::add_link_options(app, link);
    tools::add_output_options(app, output);
    tools::add_in_place_option(app);
  };
  const int status = tools::run_tool(argc, argv, info, setup, [&](tools::Context& context) {
    team = tools::join_link_team();
    tools::Linking linking(link, output, context, team.get());
    linking.compare_inputs();
    if (!linking.has_ranks()) {
      linking.attend();
      return 0;
    }
    linking.find_cycles();
    TraceSource source(linking.source_options(), context.diagnostics);
    linking.write(source);
    log_info(counted(source.ranks_read(), "rank") + ", " + counted(source.nodes_read(), "node"));
    return 0;
  });
  if (team != nullptr) team->leave(status == 0);
  return status;
}
