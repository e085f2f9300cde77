// SPDX-License-Identifier: MIT
// Logs of issued and ended nodes.
#include <cstdint>

#include "fuzzer.h"
#include "run_fuzzing.h"

FUZZER(astra_log) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  (void)convert::detect_format(bytes.substr(0, 4096), "x.log");
  convert::fuzzing::check_run("astra-log", bytes);
  return 0;
}
