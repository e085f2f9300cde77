// SPDX-License-Identifier: MIT
#include "calibrate/program.h"

#include <cmath>
#include <cstdint>
#include <memory>

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
    return static_cast<double>(bench.time(std::llround(bytes)).time) / ps_per_ns;
  };
}

}  // namespace tools
