// SPDX-License-Identifier: MIT
// One replay as named settings: each is set from text, then all together make what is replayed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/network/network.h"
#include "config/sweep.h"
#include "config/system.h"
#include "scenario/inputs.h"
#include "simulate/program/program.h"

namespace convert {

// How groups are called where there are to be none, not those of the trace set either; unless there is such a file.
inline constexpr const char* no_groups_file = "empty";

// Bandwidth or latency of a network's wires, in place of what the network says.
struct WireSetting {
  bool latency = false;
  std::optional<std::size_t> dim{};  // of a product or level of a tree; all wires without
  bool factor = false;
  double value = 0;  // ns, bytes per ns, or the factor
};

struct RunSettings {
  std::string folder{};  // where paths are looked for that the working folder does not have
  std::optional<std::string> workload{};
  std::optional<std::string> network{};
  std::optional<std::string> from{};  // format of the workload
  ReplayOptions options{};
  std::optional<NetworkModel> model{};
  std::optional<IssueMode> issue{};
  std::optional<bool> astra{};
  SystemInputs system{};
  bool no_groups = false;  // those of the trace set are not wanted either
  std::vector<WireSetting> wires{};
  // Keys of system.json: a configuration that has the value of this key.
  struct SystemKey {
    std::string key;
    SystemConfig config;
  };
  std::vector<SystemKey> system_keys{};

  // Throws Error(input), without a place, at a value that `key` does not take. A key of sweep_keys().
  void set(const std::string& key, const std::string& value);
};

[[nodiscard]] const SweepKeys& sweep_keys();
// A value with collectives and their algorithms as we print them, so that one setting has one text. What `key` does
// not take stays as it is.
[[nodiscard]] std::string usual_value(const std::string& key, const std::string& value);

// What a value is on an axis of a plot; nothing if it is no quantity.
enum class Unit : std::uint8_t { number, factor, bytes, ns, bytes_per_s };
struct Quantity {
  double value = 0;
  Unit unit = Unit::number;
};
[[nodiscard]] std::optional<Quantity> quantity(const std::string& key, const std::string& value);

// The settings as they are replayed. `options.system` is there.
struct Scenario {
  std::string workload;
  NetworkConfig network;
  ReplayOptions options;
  std::optional<std::string> from{};
  bool issue_by_trace = false;
  bool has_groups = false;
};
// Reads the files. Throws Error.
[[nodiscard]] Scenario make_scenario(const RunSettings& settings);

// Throws Error if the settings do not go together.
void check_scenario(const Scenario& scenario);

// Scenarios whose settings differ in nothing but the network and how messages share its wires (model, bandwidth,
// latency, occupancy, forwarding, routing, failed wires) compile to the same program if this is the same.
// Bandwidths are part of it where chunks are balanced by them.
[[nodiscard]] std::string network_shape(const Scenario& scenario);

// The files whose contents a setting stands for; not the workload's.
[[nodiscard]] std::vector<std::string> files_of(const std::string& key, const std::string& value,
                                                const std::string& folder);

}  // namespace convert
