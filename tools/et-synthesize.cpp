// SPDX-License-Identifier: MIT
// et-synthesize: makes traces that resemble the traces of a profile.
#include <optional>

#include "common/sink.h"
#include "common/tool.h"
#include "core/units.h"
#include "profile/draw/synthesis.h"
#include "programs.h"
#include "sets/made_set.h"
#include "sets/profiled/grown_synthesis.h"
#include "synthesize/options.h"
#include "synthesize/profiles.h"
#include "util/log.h"

namespace {

using namespace convert;

int synthesize(const tools::SynthesizeOptions& o, tools::Context& context) {
  const auto [profile, name] = tools::choose_profile(o);
  SynthesisOptions options{.seed = static_cast<std::uint64_t>(o.seed)};
  if (o.iterations) options.iterations = static_cast<std::uint64_t>(*o.iterations);
  const Synthesis synthesis(profile, options);
  std::optional<GrownSynthesis> grown;
  if (o.scale) grown.emplace(synthesis, scale_options(*o.scale), name);
  const Rank ranks = grown ? grown->ranks() : static_cast<Rank>(synthesis.ranks());
  MadeSet set(name, ranks, [&](Rank rank) { return grown ? grown->draw(rank) : synthesis.draw(rank); });
  if (std::string groups = grown ? grown->groups() : synthesis.groups(); !groups.empty())
    set.set_groups(std::move(groups));
  const auto sink = open_sink(set, o.output, context);
  sink.write(set, context.diagnostics);
  log_info(counted(ranks, "rank") + ", " + counted(synthesis.iterations(), "iteration") + "; " +
           std::to_string(synthesis.moved_deps()) + " dependencies reach back beyond the beginning");
  return 0;
}

}  // namespace

int tools::et_synthesize(int argc, char** argv) {
  const tools::ToolInfo info{
      .name = "et-synthesize",
      .operands = "[PROFILE...]",
      .examples = {{"et-synthesize llama.profile.json --seed 1 -o like", "like.0.et …, as many as were recorded"},
                   {"et-synthesize --iterations 100 llama.profile.json -o long", "a hundred training steps"},
                   {"et-synthesize --scale dp=64 llama.profile.json -o wide", "64 data-parallel ranks"},
                   {"et-synthesize --mix --seed 3 runs.profile.json -o run3",
                    "one profile of a pool, drawn by weight"},
                   {"et-profile llama | et-synthesize | et-validate", "a synthetic set, checked"}},
  };
  return tools::run_tool(argc, argv, info, tools::declare_synthesize, synthesize);
}
