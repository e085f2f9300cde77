// SPDX-License-Identifier: MIT
// Settings of one replay, by name; the command line and sweeps set each from text.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/sweep.h"
#include "config/system.h"
#include "core/units.h"
#include "scenario/inputs.h"
#include "simulate/program/program.h"

namespace convert {

// Bandwidth or latency of a network's links that replaces the network's own.
struct WireSetting {
  bool latency = false;
  std::optional<std::size_t> dim{};  // a dimension, or a level of a tree; unset: all links
  bool factor = false;
  double value = 0;  // ns, bytes per ns, or the factor
};

struct RunSettings {
  std::string folder{};     // of paths that are not in the working folder
  bool reads_once = false;  // a single replay: its files may be pipes, and are opened when they are read
  std::optional<std::string> workload{};
  std::optional<std::string> network{};
  std::optional<std::int64_t> nodes{};  // of a machine, as its key
  std::optional<std::string> from{};    // format of the workload
  ReplayOptions options{};
  std::optional<NetworkModel> model{};
  std::optional<IssueMode> issue{};
  std::optional<bool> astra{};
  bool compute_recorded = false;
  bool comm_recorded = false;
  SystemInputs system{};
  bool no_groups = false;  // ignore the groups of the trace set, too
  std::vector<WireSetting> wires{};
  // A key of system.json, a configuration that has its value, and where it was set.
  struct SystemKey {
    std::string key;
    SystemConfig config;
    SweepSetting setting{};
    SweepValue value{};
  };
  std::vector<SystemKey> system_keys{};

  // Sets a key of sweep_keys(). Throws Error(input), without a position, for a value that `key` does not accept.
  void set(const std::string& key, const std::string& value);
  // Does the same. The Error has the position of the value, or is a usage error that names the option.
  void set(const SweepSetting& setting, const SweepValue& value);
};

// Kind of a setting's value.
enum class SettingKind : std::uint8_t {
  text,
  format,
  network,
  file,
  choice,
  variant,  // a name, with options after commas
  list,
  bytes,
  time,
  number,
  rate,
  delay
};
// Part of a replay that a setting affects. With recorded communication, `wires` and `communication` have no
// meaning; with recorded computation as well, `npu` has none either. `wires`: values change at most the network's
// shape in a program.
enum class SettingPart : std::uint8_t { wires, communication, npu, times };
struct SettingText {
  const std::string& key;
  const std::string& text;
};
// A line of settings.def.
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
// Returns the options with ASTRA-sim's names, each with the key of its setting, or "" if the option is ignored.
[[nodiscard]] std::span<const Setting> astra_options();
// Returns the setting of a key such as "bandwidth.1"; null if it is a key of system.json.
[[nodiscard]] const Setting* find_setting(const std::string& key);

// Returns the keys of all settings, and the keys of system.json.
[[nodiscard]] const SweepKeys& sweep_keys();
// Returns a value with collectives and algorithms in printed form, so that equal settings have equal texts. Values
// that `key` does not accept are unchanged.
[[nodiscard]] std::string usual_value(const std::string& key, const std::string& value);

// Throws Error if settings have no meaning because all runs use recorded times.
void check_recorded(std::span<const SweepSetting> settings);

struct Quantity {
  double value = 0;
  ValueUnit unit = ValueUnit::number;
};
// Returns the quantity of a value, for an axis of a plot; nothing if the value is not a quantity.
[[nodiscard]] std::optional<Quantity> quantity(const std::string& key, const std::string& value);

// Returns the files that the value of a setting names; not the workload's.
[[nodiscard]] std::vector<std::string> setting_files(const std::string& key, const std::string& value,
                                                     const std::string& folder);

}  // namespace convert
