// SPDX-License-Identifier: MIT
// What the command line says of a replay: its settings as text, by our names and by ASTRA-sim's.
#pragma once

#include <string>
#include <vector>

#include "common/options.h"
#include "config/sweep.h"
#include "scenario/settings.h"

namespace tools {

struct ReplayInputOptions {
  InputOptions input;
  // As given, one value each; ASTRA-sim's options without effect are apart.
  std::vector<convert::SweepSetting> settings{};
  std::vector<convert::SweepSetting> unused{};
  bool astra_names = false;
};

void add_replay_options(App& app, ReplayInputOptions& to);
// Returns what the command line says as the settings of a single replay, or as the base of a sweep. Says which
// options have no effect, and that a network in short form leaves the latency out. Throw Error(usage).
[[nodiscard]] convert::RunSettings replay_settings(ReplayInputOptions& options);
[[nodiscard]] std::vector<convert::SweepSetting> sweep_base(ReplayInputOptions& options);

// Says that a network in short form leaves the latency out. Throws Error(usage) if it is none.
void note_missing_latency(const std::string& network);

}  // namespace tools
