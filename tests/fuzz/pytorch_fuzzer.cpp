// SPDX-License-Identifier: MIT
// PyTorch's host traces, through windows of any size.
#include <cstdint>

#include "fuzzer.h"
#include "window_fuzzing.h"

FUZZER(pytorch) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  (void)convert::sniff_pytorch(bytes.substr(0, 4096));
  convert::fuzzing::check_windows(bytes, convert::test::host_outcome);
  return 0;
}
