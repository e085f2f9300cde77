// SPDX-License-Identifier: MIT
// Chrome traces: the result is written, reads back the same, and is a valid Perfetto trace.
#include <cstdint>
#include <string>

#include "formats/timeline/chrome.h"
#include "fuzzer.h"
#include "run_fuzzing.h"

FUZZER(chrome) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  (void)convert::sniff_chrome(bytes.substr(0, 4096));
  convert::fuzzing::check_run("chrome", bytes);
  return 0;
}
