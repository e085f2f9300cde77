// SPDX-License-Identifier: MIT
// Replays traces in a test's memory.
#pragma once

#include <optional>
#include <span>

#include "simulate/engine/replay.h"

namespace convert::test {

// Compiles and runs the traces, with the kinds of collectives. Returns nothing if errors were reported.
inline std::optional<ReplayResult> replay_traces(std::span<const Trace> traces, const NetworkConfig& network,
                                                 const ReplayOptions& options, Diagnostics& diagnostics) {
  ReplayBuilder builder(network, options, diagnostics);
  for (const Trace& t : traces) builder.add(t);
  std::optional<ReplayProgram> program = builder.finish();
  if (!program) return std::nullopt;
  ReplayResult result = replay(*program);
  result.kinds = collective_kinds(*program);
  return result;
}

}  // namespace convert::test
