// SPDX-License-Identifier: MIT
// Network formats of other tools. To add one, write its file in this folder and a line in imports.def.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/file_argument.h"
#include "config/network/network.h"

namespace convert {

struct ImportSource {
  const std::string& name;   // of the input, for messages
  std::string_view text;     // without a byte order mark
  const FileArgument& file;  // the options
};

struct NetworkImport {
  std::string_view noun{};          // "an NCCL topology"
  std::vector<std::string> keys{};  // of its options
  // Returns whether a text, or its beginning, looks like this format.
  bool (*sniff)(std::string_view text) = nullptr;
  // Throws Error(input) [network] with the location, Error(usage) for options.
  NetworkConfig (*read)(const ImportSource& source) = nullptr;
  // Null if the format is supported; else returns a message with the kind of file and the input to use instead:
  // "is a topology of hwloc …".
  std::string (*refusal)(std::string_view text) = nullptr;
};

// Returns the format of a text without a byte order mark, or of its beginning; null for YAML of etkit and
// ASTRA-sim.
[[nodiscard]] const NetworkImport* find_import(std::string_view text);

// Returns the name of the first element of a text that looks like XML, after comments and declarations; else an
// empty string.
[[nodiscard]] std::string_view first_element(std::string_view text);
// Returns whether a JSON or YAML text contains a key: in quotes, or at the beginning of a line.
[[nodiscard]] bool mentions_key(std::string_view text, std::string_view key);

}  // namespace convert
