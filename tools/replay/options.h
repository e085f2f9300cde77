// SPDX-License-Identifier: MIT
// Reads the options of a replay: its settings as text, by our names and by ASTRA-sim's.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "common/options.h"
#include "config/sweep.h"
#include "scenario/settings.h"

namespace tools {

// An option of a setting; without a setting an option of ASTRA-sim that is ignored.
struct SettingOption {
  const convert::Setting* setting;
  std::string name;  // as messages call it
  bool flag = false;
  std::optional<std::string> text{};
  std::vector<std::string> texts{};
};

struct ReplayInputOptions {
  InputOptions input;
  std::deque<SettingOption> settings{};
  std::vector<std::string> set{};  // KEY=VALUE
};
void add_replay_options(App& app, ReplayInputOptions& to);

// Holds the options that were given.
struct ReplayCommand {
  InputOptions input;
  std::vector<convert::SweepSetting> settings{};  // one value each
  std::vector<std::string> unused{};              // without effect
  bool astra_names = false;
  std::optional<convert::SweepSetting> implied_compat{};  // where nothing else says compat
};
// Throws Error(usage) for values that cannot be.
[[nodiscard]] ReplayCommand read_command(const ReplayInputOptions& options);

// Return the settings of a replay, and the base of a sweep; say which options have no effect. Throw Error(usage).
[[nodiscard]] convert::RunSettings replay_settings(const ReplayCommand& command);
[[nodiscard]] std::vector<convert::SweepSetting> sweep_base(const ReplayCommand& command);

// Notes, each once, what networks in short form leave the latency out.
void note_missing_latency(const std::vector<convert::SweepValue>& networks);

}  // namespace tools
