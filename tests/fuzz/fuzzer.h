// SPDX-License-Identifier: MIT
// Declares fuzz targets. With libFuzzer each is a program; otherwise all are in one program, which replays files.
#pragma once

#include <cstddef>
#include <cstdint>

namespace convert::fuzzing {

using Fuzzer = int (*)(const std::uint8_t* data, std::size_t size);

// Registers a target by name in the program that replays files. Returns true.
bool add_fuzzer(const char* name, Fuzzer fuzzer);

}  // namespace convert::fuzzing

// FUZZER(name) { … } defines the target `name`: it receives an input as (data, size) and returns 0.
#ifdef ETKIT_FUZZ
#define FUZZER(name) extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
#else
#define FUZZER(name)                                                                                          \
  static int fuzz_##name(const std::uint8_t* data, std::size_t size);                                         \
  [[maybe_unused]] static const bool fuzz_##name##_added = convert::fuzzing::add_fuzzer(#name, &fuzz_##name); \
  static int fuzz_##name(const std::uint8_t* data, std::size_t size)
#endif
