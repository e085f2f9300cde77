// SPDX-License-Identifier: MIT
// Machines that etkit contains: testdata/machines, built into the library.
#pragma once

#include <span>
#include <string_view>

namespace convert {

struct MachinePreset {
  std::string_view name;
  std::string_view yaml;
  std::string_view csv;  // its table of measured calls
};
// Returns all, by name.
[[nodiscard]] std::span<const MachinePreset> machine_presets();

// Returns the preset, or null.
[[nodiscard]] const MachinePreset* find_machine_preset(std::string_view name);

}  // namespace convert
