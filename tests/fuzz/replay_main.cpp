// SPDX-License-Identifier: MIT
// Runs a fuzz target on files, for compilers without libFuzzer: NAME, then files or directories of files.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <string>

#include "fuzzer.h"

namespace {

// Returns all targets. The map is created when the first one is added, before main().
std::map<std::string, convert::fuzzing::Fuzzer>& fuzzers() {
  static std::map<std::string, convert::fuzzing::Fuzzer> all;
  return all;
}

void run(convert::fuzzing::Fuzzer fuzzer, const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  // A copy of exactly this size, so that a sanitizer detects reads past the end.
  const auto copy = std::make_unique<std::uint8_t[]>(bytes.size());
  std::copy(bytes.begin(), bytes.end(), copy.get());
  fuzzer(copy.get(), bytes.size());
}

}  // namespace

namespace convert::fuzzing {

bool add_fuzzer(const char* name, Fuzzer fuzzer) { return fuzzers().emplace(name, fuzzer).second; }

}  // namespace convert::fuzzing

int main(int argc, char** argv) {
  const auto found = fuzzers().find(argc > 1 ? argv[1] : "");
  if (found == fuzzers().end()) {
    std::fputs("fuzz_seeds NAME FILE|DIRECTORY…; names:\n", stderr);
    for (const auto& [name, fuzzer] : fuzzers()) std::fprintf(stderr, "  %s\n", name.c_str());
    return 2;
  }
  std::size_t count = 0;
  for (int i = 2; i < argc; ++i) {
    if (std::filesystem::is_regular_file(argv[i])) {
      run(found->second, argv[i]);
      ++count;
    } else if (std::filesystem::is_directory(argv[i])) {
      for (const auto& entry : std::filesystem::recursive_directory_iterator(argv[i])) {
        if (!entry.is_regular_file()) continue;
        run(found->second, entry.path());
        ++count;
      }
    }
  }
  found->second(nullptr, 0);
  std::printf("%zu files\n", count);
  return count > 0 ? 0 : 1;
}
