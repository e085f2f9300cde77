// SPDX-License-Identifier: MIT
// Class-compressed sets and their sections. A fuzzer cannot see through compression and checksums, so it changes
// sections.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "formats/master/layout.h"
#include "io/input.h"
#include "io/output.h"

namespace convert::fuzzing {

inline constexpr std::array<const char*, 5> section_names = {"texts", "shapes", "classes", "order", "groups"};
using MasterSections = std::array<std::string, section_names.size()>;

inline std::string file_of(const MasterSections& sections) {
  std::string file;
  const auto out = memory_output(file);
  blocks::Writer writer(*out, master_file::kind);
  for (std::size_t i = 0; i < sections.size(); ++i) writer.block(section_names[i], 1, sections[i]);
  writer.finish();
  out->close();
  return file;
}

// Throws Error as a reader of blocks does.
inline MasterSections sections_of(std::string_view file) {
  MasterSections sections;
  const auto input = memory_input("f", file);
  blocks::Reader reader(*input, master_file::kind);
  while (const auto block = reader.next()) {
    for (std::size_t i = 0; i < sections.size(); ++i) {
      if (block->name == section_names[i]) sections[i] += block->payload;
    }
  }
  return sections;
}

// Returns a file unchanged; from other input makes the file whose sections are its parts between "|#|".
inline std::string master_of_input(std::string_view input) {
  if (input.starts_with(master_file::kind.magic)) return std::string(input);
  MasterSections sections;
  for (std::string& section : sections) {
    const std::size_t end = input.find("|#|");
    section = input.substr(0, end);
    input.remove_prefix(end == std::string_view::npos ? input.size() : end + 3);
  }
  return file_of(sections);
}

}  // namespace convert::fuzzing
