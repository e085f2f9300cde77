// SPDX-License-Identifier: MIT
// Machine files: YAML, with tables of measured calls as CSV beside it. See et-machines(5).
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "machine/machine.h"

namespace convert {

struct MachineText;
// Returns the text of a file that a machine file names: by `extends` (a preset's name, or a path), or by `tables`.
// Throws Error.
using MachineFiles = std::function<MachineText(const std::string& named, bool is_table)>;

struct MachineText {
  std::string file;  // for messages
  std::string text;
  MachineFiles files{};  // of a machine file
};

// Returns whether a text may be the name of a machine: letters, digits, '-', '.' and '_'.
[[nodiscard]] bool is_machine_name(std::string_view text);
// Returns whether a YAML text is a machine file: its first key is one of a machine.
[[nodiscard]] bool is_machine_text(std::string_view text);

// Parses a machine file and its tables. Throws Error(input) [machine] with the location: for an unknown or missing
// key, a missing unit, a value outside of its bounds (see library_constants()), a bad row of a table.
[[nodiscard]] Machine parse_machine(const std::string& file, std::string_view text, const MachineFiles& files);

// Parses a table of measured calls, with the header collective,ranks,nodes,bytes,us in any order.
[[nodiscard]] std::vector<MeasuredCall> parse_measured(const std::string& file, std::string_view text);

}  // namespace convert
