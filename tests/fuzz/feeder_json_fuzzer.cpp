// SPDX-License-Identifier: MIT
#include <cstdint>

#include "trace_fuzzing.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  convert::fuzzing::check_import({reinterpret_cast<const char*>(data), size}, "feeder-json");
  return 0;
}
