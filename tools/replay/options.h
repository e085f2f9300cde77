// SPDX-License-Identifier: MIT
// Options of a replay: its settings as text, by etkit's names and by ASTRA-sim's names.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "common/options.h"
#include "config/sweep.h"
#include "scenario/settings.h"

namespace tools {

// Option of a setting. An option without a setting is an option of ASTRA-sim that is ignored.
struct SettingOption {
  const convert::Setting* setting;
  std::string name;  // in messages
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

// The options that were given.
struct ReplayCommand {
  InputOptions input;
  std::vector<convert::SweepSetting> settings{};  // one value each
  std::vector<std::string> unused{};              // ignored
  bool astra_names = false;
  std::optional<convert::SweepSetting> implied_compat{};  // used if nothing else sets compat
};
// Throws Error(usage) for invalid values.
[[nodiscard]] ReplayCommand read_command(const ReplayInputOptions& options);

// Return the settings of a replay, and the base of a sweep. Note the options that are ignored. Throw Error(usage).
[[nodiscard]] convert::RunSettings replay_settings(const ReplayCommand& command);
[[nodiscard]] std::vector<convert::SweepSetting> sweep_base(const ReplayCommand& command);

// Notes, once each, the networks in short form without a latency.
void note_missing_latency(const std::vector<convert::SweepValue>& networks);

}  // namespace tools
