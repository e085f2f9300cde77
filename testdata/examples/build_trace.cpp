// SPDX-License-Identifier: MIT
// Two ranks that compute, add up their gradients and exchange a message, as toy.0.et and toy.1.et.
#include <iostream>

#include "generate/trace_builder.h"
#include "sets/made_set.h"

int main(int argc, char** argv) try {
  std::vector<convert::Trace> traces;
  for (convert::Rank rank = 0; rank < 2; ++rank) {
    convert::TraceBuilder builder(rank);
    const auto forward = builder.compute("forward", 50'000);
    const auto backward = builder.compute("backward", 100'000, {forward});
    const auto sum = builder.collective(convert::Collective::all_reduce, 1 << 20, {backward});
    if (rank == 0) builder.send(1, 4096, 7, {sum});
    if (rank == 1) builder.receive(0, 4096, 7, {sum});
    traces.push_back(builder.finish());
  }
  convert::write_traces(traces, argc > 1 ? argv[1] : "toy");
} catch (const convert::Error& e) {
  std::cerr << e.what() << '\n';
  return 1;
}
