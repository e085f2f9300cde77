// SPDX-License-Identifier: MIT
#include "synthesize/options.h"

#include <limits>

#include "common/form.h"

namespace tools {

void declare_synthesize(App& app, SynthesizeOptions& o) {
  app.group("Input");
  app.add_operands(o.operands, "PROFILE", "one or more that et-profile wrote; - = stdin");
  app.add_flag("--mix", o.mix, "of several profiles take one by chance, each as often as it has jobs");
  constexpr std::int64_t most_profiles = 1'000'000;
  app.add_integer("--cluster", o.cluster, 1, most_profiles, "N", "of several profiles take number N, from 1 on");
  app.group("Synthesis");
  constexpr std::int64_t most_iterations = 1'000'000;
  app.add_integer("--seed", o.seed, 0, std::numeric_limits<std::int64_t>::max(), "N",
                  "of all that chance decides (default: 1)");
  app.add_integer("--iterations", o.iterations, 1, most_iterations, "N",
                  "training steps (default: as many as were recorded)");
  app.add_option("--scale", o.scale, "dp=RANKS|GROUP=RANKS",
                 "more data-parallel ranks: how many of these, or a group by its id, 0 = all ranks, has then");
  add_output_options(app, o.output);
  add_in_place_option(app);
}

}  // namespace tools
