// SPDX-License-Identifier: MIT
// Kineto's traces, through windows of any size.
#include <cstdint>

#include "fuzzer.h"
#include "window_fuzzing.h"

FUZZER(kineto) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  (void)convert::sniff_kineto(bytes.substr(0, 4096));
  convert::fuzzing::check_windows(bytes, convert::test::kineto_outcome);
  return 0;
}
