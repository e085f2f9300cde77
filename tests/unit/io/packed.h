// SPDX-License-Identifier: MIT
// Helpers for the io tests: bytes to write, compressed and uncompressed, and sets of files.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/compression.h"
#include "io/input.h"
#include "io/output.h"

namespace convert::test {

using Names = std::vector<std::string>;

inline void write_file(OutputFiles& files, const std::string& path, std::string_view bytes) {
  const auto output = files.create_in_set(path);
  output->write(bytes);
  output->close();
}

inline std::string packed(std::string_view bytes, Compression compression) {
  std::string to;
  const auto output = compressed(memory_output(to), compression);
  output->write(bytes);
  output->close();
  return to;
}

inline std::string unpacked(std::string_view bytes) { return decompressed(memory_input("m", bytes))->read_rest(); }

// Returns `size` moderately compressible bytes, the same each time.
inline std::string sample(std::size_t size) {
  std::string bytes;
  std::uint32_t state = 1;
  while (bytes.size() < size) {
    state = state * 1664525 + 1013904223;
    bytes += static_cast<char>('a' + (state >> 24) % 16);
  }
  return bytes;
}

}  // namespace convert::test
