// SPDX-License-Identifier: MIT
#include <cstdint>

#include "fuzzer.h"
#include "trace_fuzzing.h"

FUZZER(jsonl) {
  convert::fuzzing::check_round_trip({reinterpret_cast<const char*>(data), size}, "jsonl");
  return 0;
}
