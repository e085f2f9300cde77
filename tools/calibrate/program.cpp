// SPDX-License-Identifier: MIT
#include "calibrate/program.h"

#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>

#include "core/diagnostic.h"
#include "core/units.h"
#include "machine/chosen.h"
#include "scenario/bench/call_bench.h"

namespace tools {

convert::AlgorithmTime algorithm_time(const std::string& network, const std::string& algorithm) {
  using namespace convert;
  return [network, algorithm](const Machine& machine, const BenchmarkCurve& curve, double bytes) {
    const CallBench bench({.collective = curve.collective,
                           .network = network,
                           .algorithm = algorithm,
                           .npus = curve.ranks,
                           .nodes = curve.nodes,
                           .machine = std::make_shared<const ChosenMachine>(machine, std::nullopt, false, false)});
    const std::optional<TimedCall> call = bench.time(std::llround(bytes));
    if (!call) {
      throw input_error({.file = algorithm}, "the algorithm has no time for " + format_bytes(std::llround(bytes)) +
                                                 ", fewer bytes than it has chunks");
    }
    return static_cast<double>(call->time) / ps_per_ns;
  };
}

}  // namespace tools
