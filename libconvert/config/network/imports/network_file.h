// SPDX-License-Identifier: MIT
// Reads what names a network's file on the command line: its path, and options of its format behind it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace convert {

// Holds "dgx.xml,hosts=4,fabric=rail" taken apart.
struct NetworkFile {
  std::string path;
  // In their order. What has no '=' behind a comma belongs to the value before it: lat=nvlink:500ns,pci:700ns.
  std::vector<std::pair<std::string, std::string>> options{};

  // Returns the value of a key, nothing if it is not given. Functions throw Error(usage) that names file and key:
  // at a key that is given twice, and for a value that is none of those wanted.
  [[nodiscard]] std::optional<std::string> get(std::string_view key) const;
  [[nodiscard]] std::int64_t whole(std::string_view key, std::int64_t low, std::int64_t high,
                                   std::int64_t otherwise) const;
  // Returns the place among the names of the value; that of the first if the key is not given.
  [[nodiscard]] std::size_t choice(std::string_view key, const std::vector<std::string>& names) const;
  // Throws Error(usage) for a key that is not among `known`, with the nearest. `noun`: "an NCCL topology".
  void check_keys(const std::vector<std::string>& known, std::string_view noun) const;
};

// Takes a text apart. All of it is the path if a file has that name, or if nothing behind a comma is KEY=VALUE.
[[nodiscard]] NetworkFile split_network_file(const std::string& text);

}  // namespace convert
