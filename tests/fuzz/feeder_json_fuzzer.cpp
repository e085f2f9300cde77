// SPDX-License-Identifier: MIT
#include <cstdint>

#include "fuzzer.h"
#include "trace_fuzzing.h"

FUZZER(feeder_json) {
  using namespace convert::fuzzing;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  (void)convert::find_format("feeder-json").sniff(bytes.substr(0, 4096));
  may_refuse([&] { (void)recode(bytes, "feeder-json", "chakra", 100); });
  return 0;
}
