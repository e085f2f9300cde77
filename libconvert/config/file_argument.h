// SPDX-License-Identifier: MIT
// Files on the command line with options: FILE,KEY=VALUE…
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace convert {

// An argument such as "dgx.xml,hosts=4,fabric=rail", split into path and options.
struct FileArgument {
  std::string path;
  // In order. A piece without '=' after a comma belongs to the previous value: lat=nvlink:500ns,pci:700ns.
  std::vector<std::pair<std::string, std::string>> options{};
  std::string label = "network";  // begins messages

  // Returns the value of a key; nothing if the key is absent. All readers throw Error(usage), with file and key,
  // for a repeated key and an invalid value.
  [[nodiscard]] std::optional<std::string> get(std::string_view key) const;
  [[nodiscard]] std::int64_t whole(std::string_view key, std::int64_t low, std::int64_t high,
                                   std::int64_t otherwise) const;
  // Returns the index of the value in `names`; 0 if the key is absent.
  [[nodiscard]] std::size_t choice(std::string_view key, const std::vector<std::string>& names) const;
  // Throws Error(usage) for a key that is not in `known`, with the nearest known key. `noun`: "an NCCL topology".
  void check_keys(const std::vector<std::string>& known, std::string_view noun) const;
};

// Splits a text. All of it is the path if a file has that name, or if no piece after a comma is KEY=VALUE.
[[nodiscard]] FileArgument split_file_argument(const std::string& text);

}  // namespace convert
