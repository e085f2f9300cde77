// SPDX-License-Identifier: MIT
#include "common/option_texts.h"
#include "core/words.h"
#include "generate/options.h"
#include "generate/synthesized.h"

namespace tools {

using namespace convert;

void add_synthesis_options(App& app, SynthesisOptions& o) {
  app.group("Synthesis");
  app.add_option("-n,--network", o.network, "NETWORK", option_text::network);
  app.add_list("--fail", o.failed, "LINK,...", option_text::fail).advanced();
  app.add_list("--avoid", o.avoid, "LINK,...", "do not use these links, or any link of these devices").advanced();
  app.add_list("--only", o.only, "LINK,...", "use only these links").advanced();
  app.add_option("--group", o.group, "RANKS",
                 "only these NPUs, such as 0-7,16 (default: all); 0-3;4-7: groups at the same time")
      .advanced();
  app.add_texts("--also", o.also, "COLLECTIVE:BYTES[:RANKS;...]",
                "another collective at the same time; may be repeated")
      .advanced();
  app.add_flag("--group-only", o.group_only, "other NPUs do not forward messages").advanced();
  app.add_choice("--occupancy", o.occupancy, {"beta", "alpha-beta"}, option_text::occupancy).advanced();
  app.add_choice("--forwarding", o.forwarding, {"switches", "store", "cut"},
                 std::string(option_text::forwarding) + " (default: switches)")
      .advanced();
  app.add_list("--method", o.methods, "NAME,...",
               "methods: greedy, trees, exact, latency, paired, paths, builders (default: all that apply)")
      .advanced();
  app.add_choice("--effort", o.effort, {"fast", "normal", "best"}, "number of candidates").advanced();
  app.add_choice("--objective", o.objective, {"time", "bandwidth", "transfers"},
                 "least time; highest bandwidth of large sizes; fewest messages within 2 % of the least time")
      .advanced();
  app.add_time("--time-limit", o.time_limit_ps, "TIME",
               "stop with the best so far; the result then depends on the machine")
      .advanced();
  app.add_integer("--max-chunks", o.most_pieces, 1, 1 << 24, "K",
                  "at most K chunks of each shard (default: 64; 256 for large shards)")
      .advanced();
  app.add_choice("--target", o.target, {"msccl", "rccl"}, option_text::target).advanced();
  app.add_flag("--bound", o.bound, "print the lower bound of the time and its links");
}

bool is_synthesized(const GenerateOptions& o) {
  return o.algorithm && same_name(o.algorithm->substr(0, o.algorithm->find(',')), "synthesized");
}

}  // namespace tools
