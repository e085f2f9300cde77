// SPDX-License-Identifier: MIT
// Configuration of the system layer: the first byte selects system.json, memory.json or the map of nodes.
#include <cmath>
#include <cstdint>
#include <string_view>

#include "config/memory.h"
#include "config/system.h"
#include "core/diagnostic.h"
#include "fuzzer.h"
#include "trace_fuzzing.h"

namespace {

void read_system(std::string_view text) {
  const convert::SystemConfig c = convert::parse_system("fuzz.json", text);
  convert::fuzzing::check(c.active_chunks_per_dimension >= 1 && c.dataset_splits.value_or(1) >= 1 &&
                              c.endpoint_delay_ns >= 0 && c.local_reduction_delay >= 0,
                          "a number out of its range");
  convert::fuzzing::check(std::isfinite(c.local_mem_bytes_per_s) && std::isfinite(c.peak_flops) &&
                              c.local_mem_bytes_per_s >= 0 && c.peak_flops >= 0,
                          "a rate out of its range");
}

}  // namespace

FUZZER(system) {
  using namespace convert;
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  fuzzing::may_refuse([&] {
    switch (data[0] % 3) {
      case 0: read_system(text); break;
      case 1: (void)parse_memory("fuzz.json", text); break;
      default: (void)parse_per_node_map("fuzz.yml", text); break;
    }
  });
  return 0;
}
