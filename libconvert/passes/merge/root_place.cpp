// SPDX-License-Identifier: MIT
#include "passes/merge/root_place.h"

#include "passes/verify/execute.h"

namespace convert {

std::optional<std::uint32_t> root_place(const Algorithm& algorithm) {
  const bool reduces_to = algorithm.collective == Collective::reduce;
  if (!reduces_to && algorithm.collective != Collective::broadcast) return std::nullopt;
  const StepGraph program = make_step_graph(algorithm);
  const BufferLayout layout(program, algorithm.inplace);
  const Execution end = execute(program, layout, {.inplace = algorithm.inplace});
  if (!end.blocked.empty()) return std::nullopt;
  const auto holds = [&](std::int32_t place, std::int32_t k) {
    const std::uint64_t slot = layout.slot(place, Buffer::output, k);
    return slot == BufferLayout::outside ? nothing : end.slots[slot];
  };
  std::uint32_t chunk = 0;
  RankSets::Id origin = 0;
  for (std::int32_t p = program.ranks() - 1; p >= 0; --p) {
    if (reduces_to) {
      std::int32_t k = 0;
      while (k < program.chunks && holds(p, k) == end.values.complete(static_cast<std::uint32_t>(k))) ++k;
      if (k == program.chunks) return static_cast<std::uint32_t>(p);
    } else if (end.values.is_single_chunk(holds(p, 0), chunk, origin) && origin < algorithm.gpus.size() &&
               origin != static_cast<std::uint32_t>(p)) {
      return origin;
    }
  }
  return std::nullopt;
}

}  // namespace convert
