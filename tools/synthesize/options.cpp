// SPDX-License-Identifier: MIT
#include "synthesize/options.h"

#include <limits>

#include "common/form.h"
#include "common/option_texts.h"

namespace tools {

void declare_synthesize(App& app, SynthesizeOptions& o) {
  app.group("Input");
  app.add_operands(o.operands, "PROFILE", "one or more files of et-profile; - = stdin");
  app.add_flag("--mix", o.mix, "choose one profile at random, weighted by its number of jobs");
  constexpr std::int64_t most_profiles = 1'000'000;
  app.add_integer("--cluster", o.cluster, 1, most_profiles, "N", "use profile number N, from 1");
  app.group("Synthesis");
  constexpr std::int64_t most_iterations = 1'000'000;
  app.add_integer("--seed", o.seed, 0, std::numeric_limits<std::int64_t>::max(), "N", option_text::seed);
  app.add_integer("--iterations", o.iterations, 1, most_iterations, "N", option_text::iterations);
  app.add_option("--scale", o.scale, "dp=RANKS|GROUP=RANKS", option_text::scale);
  add_output_options(app, o.output);
  add_in_place_option(app);
}

}  // namespace tools
