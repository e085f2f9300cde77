// SPDX-License-Identifier: MIT
// What the io tests share: a directory that goes away, whole files, errors as values.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/diagnostic.h"
#include "io/compression.h"
#include "io/input.h"
#include "io/output.h"

namespace convert::test {

class Scratch {
 public:
  Scratch() {
    std::string pattern = ::testing::TempDir() + "etkit-io-XXXXXX";
    path_ = ::mkdtemp(pattern.data());
  }
  ~Scratch() { std::filesystem::remove_all(path_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  [[nodiscard]] std::string path(const std::string& name = {}) const {
    return name.empty() ? path_ : path_ + "/" + name;
  }
  std::string write(const std::string& name, std::string_view bytes) const {
    const std::filesystem::path file = path(name);
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << bytes;
    return file;
  }
  [[nodiscard]] std::string read(const std::string& name) const {
    std::ifstream file(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  // Names of all files, hidden ones too, sorted.
  [[nodiscard]] std::vector<std::string> names(const std::string& below = {}) const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(path(below))) {
      names.push_back(entry.path().filename());
    }
    std::sort(names.begin(), names.end());
    return names;
  }

 private:
  std::string path_;
};

// The Error that `run` throws; a failure of the test if it throws none.
template <class Run>
Error error_of(const Run& run) {
  try {
    run();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "no Error was thrown";
  return Error("none");
}

inline std::string text_of(const Error& error) { return format_location(error.where()) + ": " + error.what(); }

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

// `size` bytes that compress neither to nothing nor not at all, the same every time.
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
