// SPDX-License-Identifier: MIT
// Holds the settings of one replay, by name: the command line and sweeps set each from text.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/sweep.h"
#include "config/system.h"
#include "scenario/inputs.h"
#include "simulate/program/program.h"

namespace convert {

// Holds the bandwidth or latency of a network's wires, in place of what the network says.
struct WireSetting {
  bool latency = false;
  std::optional<std::size_t> dim{};  // a dimension, or a level of a tree; none: all wires
  bool factor = false;
  double value = 0;  // ns, bytes per ns, or the factor
};

struct RunSettings {
  std::string folder{};     // where paths are looked for that the working folder does not have
  bool reads_once = false;  // a single replay: its files may be pipes, and are opened when they are read
  std::optional<std::string> workload{};
  std::optional<std::string> network{};
  std::optional<std::string> from{};  // format of the workload
  ReplayOptions options{};
  std::optional<NetworkModel> model{};
  std::optional<IssueMode> issue{};
  std::optional<bool> astra{};
  bool compute_recorded = false;
  bool comm_recorded = false;
  SystemInputs system{};
  bool no_groups = false;  // ignore the groups of the trace set, too
  std::vector<WireSetting> wires{};
  // Holds a key of system.json, with a configuration that has its value.
  struct SystemKey {
    std::string key;
    SystemConfig config;
  };
  std::vector<SystemKey> system_keys{};

  // Sets a key of sweep_keys(). Throws Error(input), without a place, for a value that `key` does not take.
  void set(const std::string& key, const std::string& value);
  // Does the same; the Error has the place of the value, or is a usage error that names the option.
  void set(const SweepSetting& setting, const SweepValue& value);
};

// Says what a setting's value is.
enum class SettingKind : std::uint8_t {
  text,
  format,
  network,
  file,
  choice,
  variant,  // a name, with options behind commas
  list,
  bytes,
  time,
  number,
  rate,
  delay
};
// Says what a setting is about. Some have no meaning with recorded times: wires and communication where
// communication is recorded, npu where computing is too. wires: values change no more of a program than the
// network's shape.
enum class SettingPart : std::uint8_t { wires, communication, npu, times };
struct SettingText {
  const std::string& key;
  const std::string& text;
};
// Holds a line of settings.def.
struct Setting {
  const char* key;
  const char* option;  // "-s,--system"; empty: none
  const char* value;
  const char* help;
  SettingKind kind = SettingKind::text;
  SettingPart part = SettingPart::times;
  void (*apply)(RunSettings& to, const SettingText& value) = nullptr;

  // Returns whether commas separate the elements of the option's value.
  [[nodiscard]] bool splits_at_commas() const { return std::string_view(value).ends_with(",..."); }
};
[[nodiscard]] std::span<const Setting> all_settings();
// Returns the options with ASTRA-sim's names, each with the key of its setting, or "" if it has no effect.
[[nodiscard]] std::span<const Setting> astra_options();
// Returns the setting of a key such as "bandwidth.1"; null if it is a key of system.json.
[[nodiscard]] const Setting* find_setting(const std::string& key);

// Returns the keys of all settings, and those of system.json.
[[nodiscard]] const SweepKeys& sweep_keys();
// Returns a value with collectives and their algorithms as we print them, so that one setting has one text. What
// `key` does not take stays as it is.
[[nodiscard]] std::string usual_value(const std::string& key, const std::string& value);

// Throws Error if there are settings that have no meaning because all runs take recorded times.
void check_recorded(std::span<const SweepSetting> settings);

enum class SettingUnit : std::uint8_t { number, factor, bytes, ns, bytes_per_s };
struct Quantity {
  double value = 0;
  SettingUnit unit = SettingUnit::number;
};
// Returns what a value is on an axis of a plot; nothing if it is no quantity.
[[nodiscard]] std::optional<Quantity> quantity(const std::string& key, const std::string& value);

// Returns the files whose contents a setting stands for; not the workload's.
[[nodiscard]] std::vector<std::string> setting_files(const std::string& key, const std::string& value,
                                                     const std::string& folder);

}  // namespace convert
