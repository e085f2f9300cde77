// SPDX-License-Identifier: MIT
// Configuration: network files, the short form of the command line, communicator groups.
#include <cstdint>
#include <string_view>

#include "config/groups.h"
#include "config/network.h"
#include "core/diagnostic.h"
#include "trace_fuzzing.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace convert;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  fuzzing::may_refuse([&] { (void)parse_network_yaml("fuzz.yml", text); });
  fuzzing::may_refuse([&] { (void)parse_groups("fuzz.groups.json", text, 8); });
  try {
    if (is_short_network(text)) (void)parse_short_network(text);
  } catch (const Error& e) {
    fuzzing::check(e.kind() == Error::Kind::usage, "the short form is part of the command line");
  }
  return 0;
}
