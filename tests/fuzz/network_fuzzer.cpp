// SPDX-License-Identifier: MIT
// Network files and the short form of the command line.
#include <cstdint>
#include <string_view>

#include "config/network.h"
#include "core/diagnostic.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace convert;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    (void)parse_network_yaml("fuzz.yml", text);
  } catch (const Error&) {
  }
  try {
    if (is_short_network(text)) (void)parse_short_network(text);
  } catch (const Error&) {
  }
  return 0;
}
