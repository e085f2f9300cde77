// SPDX-License-Identifier: MIT
// A machine as chosen on the command line: a preset or a file, with its number of nodes and changed figures.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "config/file_argument.h"
#include "config/network/network.h"
#include "machine/call_time.h"
#include "machine/machine.h"
#include "machine/measured.h"

namespace convert {

// Time of a call, and how sure it is.
struct MachineCost {
  CallAlgorithm algorithm{};
  CallSource source = CallSource::model;
  double time_ns = 0;
  double latency_ns = 0;              // part of the time in which the call uses no link
  std::optional<double> error_pct{};  // expected mean error; nothing if the machine states none
};

class ChosenMachine {
 public:
  // `nodes`: nothing, if as many as the ranks need. `uses_tables`: measured calls correct the formulas, unless the
  // hardware is `rescaled`, another than measured.
  ChosenMachine(Machine machine, std::optional<std::uint32_t> nodes, bool uses_tables, bool rescaled);
  ChosenMachine(const ChosenMachine&) = delete;
  ChosenMachine& operator=(const ChosenMachine&) = delete;

  [[nodiscard]] const Machine& machine() const { return machine_; }
  [[nodiscard]] const std::optional<std::uint32_t>& nodes() const { return nodes_; }
  [[nodiscard]] bool uses_tables() const { return uses_tables_; }
  [[nodiscard]] bool is_rescaled() const { return rescaled_; }
  // Returns the time of a call. Throws Error(input) for a collective without a time on machines, and for several
  // nodes without adapters.
  [[nodiscard]] MachineCost cost(const MachineCall& call) const;
  // Returns the time of a call on a changed machine, by formulas, multiplied by the correction of this machine if
  // the call takes the same algorithm. Throws like cost().
  [[nodiscard]] MachineCost changed_cost(const MachineCall& call, const Machine& changed) const;

 private:
  const Machine machine_;
  std::optional<std::uint32_t> nodes_;
  bool uses_tables_ = false;
  bool rescaled_ = false;
  MeasuredCurves curves_;
};

// Returns whether a network option names a machine: "machine:NAME", or the name of a preset if no file has this
// name.
[[nodiscard]] bool names_machine(const std::string& option);
// Returns "; did you mean dgx-h100?" for the misspelt name of a preset; empty if a file has the name, or if no name
// is near.
[[nodiscard]] std::string preset_hint(const std::string& name);
// Returns the machine of an option such as "dgx-h100,nodes=16" or "machine:dgx-h100,adapters=4". Throws
// Error(usage) for an unknown name, and for an unknown key or a bad value.
[[nodiscard]] std::shared_ptr<const ChosenMachine> choose_preset(const std::string& option);
// Returns the machine of an option that names a preset or a machine file: "mine.yml,nodes=4".
[[nodiscard]] std::shared_ptr<const ChosenMachine> choose_machine(const std::string& option);
// Does the same for the text of a machine file. Tables are read from its folder.
[[nodiscard]] std::shared_ptr<const ChosenMachine> choose_machine(const FileArgument& file, std::string_view text);

// Returns the network of a machine: its ports and adapters as dimensions, if the number of nodes is known.
[[nodiscard]] NetworkConfig network_of(std::shared_ptr<const ChosenMachine> machine, const std::string& option);
// Gives a machine without a number of nodes as many as the ranks need. Changes no other network.
void fit_nodes(NetworkConfig& network, std::uint32_t ranks);

// Returns the table of the presets: name and what it is; with `details` their sources too.
[[nodiscard]] std::string list_machines(bool details);

}  // namespace convert
