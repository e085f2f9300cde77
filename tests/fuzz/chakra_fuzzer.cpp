// SPDX-License-Identifier: MIT
// Chakra: decode, encode, decode, encode; and through JSON if the text allows it.
#include <cstdint>

#include "fuzzer.h"
#include "trace_fuzzing.h"

FUZZER(chakra) {
  using namespace convert;
  using namespace convert::fuzzing;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  check_round_trip(bytes, "chakra");
  std::string canonical;
  std::string text;
  try {
    canonical = recode(bytes, "chakra", "chakra", 3);
    text = recode(bytes, "chakra", "jsonl", 3);
  } catch (const Error&) {
    return 0;
  }
  check(recode(text, "jsonl", "chakra", 2) == canonical, "jsonl reads back differently");
  check(recode(recode(bytes, "chakra", "json", 5), "json", "chakra", 1) == canonical,
        "json reads back differently");
  return 0;
}
