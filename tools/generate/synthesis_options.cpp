// SPDX-License-Identifier: MIT
#include "core/words.h"
#include "generate/options.h"
#include "generate/synthesized.h"

namespace tools {

using namespace convert;

void add_synthesis_options(App& app, SynthesisOptions& o) {
  app.group("Synthesis");
  app.add_option("-n,--network", o.network, "FILE|NAME",
                 "--algorithm synthesized: for this network, which gives --npus");
  app.add_list("--fail", o.failed, "LINK,...", "without these links, such as 3-4 or npu3-switch0; 3>4: one way");
  app.add_list("--avoid", o.avoid, "LINK,...", "links, or all links of devices, not to be used");
  app.add_list("--only", o.only, "LINK,...", "use no other links");
  app.add_option("--group", o.group, "RANKS",
                 "NPUs that take part, such as 0-7,16 (default: all); 0-3;4-7: groups that do at once");
  app.add_texts("--also", o.also, "COLLECTIVE:BYTES[:RANKS;...]",
                "another collective that runs at the same time; may be repeated");
  app.add_flag("--group-only", o.group_only, "other NPUs do not forward messages");
  app.add_choice("--occupancy", o.occupancy, {"beta", "alpha-beta"},
                 "a message keeps a link for its bytes, or for the latency too");
  app.add_choice("--forwarding", o.forwarding, {"switches", "store", "cut"},
                 "how switches forward messages, as in et-replay (default: switches)");
  app.add_list("--method", o.methods, "NAME,...",
               "methods: greedy, trees, exact, latency, paired, paths, builders (default: auto, all that fit)");
  app.add_choice("--effort", o.effort, {"fast", "normal", "best"}, "how many candidates are made");
  app.add_choice("--objective", o.objective, {"time", "bandwidth", "transfers"},
                 "the fastest; for the largest sizes; with the fewest messages within 2 %");
  app.add_time("--time-limit", o.time_limit_ps, "TIME",
               "stop with the best so far; the result then depends on the machine");
  app.add_integer("--max-chunks", o.most_pieces, 1, 1 << 24, "K",
                  "split each rank's part into K at most (default: 64; 256 of large parts)");
  app.add_choice("--target", o.target, {"msccl", "rccl"}, "with -t msccl: programs that this runtime accepts");
  app.add_flag("--bound", o.bound, "print the least time and the links that limit it; no algorithm");
  app.add_choice("--report", o.report, {"sizes"},
                 "print time, algbw and busbw for each --size; write no algorithm");
  app.add_choice("--format", o.format, {"text", "json"}, "of --bound and --report (default: text)");
}

bool is_synthesized(const GenerateOptions& o) { return o.algorithm && same_name(*o.algorithm, "synthesized"); }

}  // namespace tools
