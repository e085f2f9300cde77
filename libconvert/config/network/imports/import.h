// SPDX-License-Identifier: MIT
// Lists the formats of other tools that hold networks. To add one, write its file in this folder and a line in
// imports.def.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/network/imports/network_file.h"
#include "config/network/network.h"

namespace convert {

struct ImportSource {
  const std::string& name;  // of the input, for messages
  std::string_view text;    // without a byte order mark
  const NetworkFile& file;  // the options
};

struct NetworkImport {
  std::string_view noun{};          // "an NCCL topology"
  std::vector<std::string> keys{};  // of options
  // Returns whether a text, or its beginning, looks like it.
  bool (*sniff)(std::string_view text) = nullptr;
  // Throws Error(input) [network] with the place, Error(usage) for options.
  NetworkConfig (*read)(const ImportSource& source) = nullptr;
  // Null if the file is read; else returns its kind and the input to use instead: "is a topology of hwloc …".
  std::string (*refusal)(std::string_view text) = nullptr;
};

// Returns the format of a text without a byte order mark, or of its beginning; null for YAML of our own and
// ASTRA-sim's.
[[nodiscard]] const NetworkImport* find_import(std::string_view text);

// Returns the name of the first element of a text that looks like XML, comments and declarations left out; else
// nothing.
[[nodiscard]] std::string_view first_element(std::string_view text);
// Returns whether a JSON or YAML text has a key somewhere: in quotes, or at the beginning of a line.
[[nodiscard]] bool mentions_key(std::string_view text, std::string_view key);

}  // namespace convert
