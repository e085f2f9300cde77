// SPDX-License-Identifier: MIT
// Data-parallel training: gradients of a layer are on their way while the layers before it are still computed.
#include <string>

#include "generate/kinds.h"

namespace convert::generate {

void make_layers(const GenerateRequest& r, TraceBuilder& b) {
  const std::int64_t layers = r.layers.value_or(8);
  const std::uint64_t forward_ns = r.compute_ns.value_or(50'000);
  const std::uint64_t backward_ns = r.backward_ns.value_or(2 * forward_ns);
  std::vector<GeneratedCollective> comm = r.comm;
  if (comm.empty()) comm = {{Collective::all_reduce, std::int64_t{16} << 20}};
  std::vector<NodeId> updated(static_cast<std::size_t>(layers));  // the collective that ended the layer's iteration
  TraceBuilder::Parents after;
  for (std::int64_t i = 0; i < r.iterations.value_or(1); ++i) {
    const auto label = [&](const char* what, std::int64_t layer) {
      return std::string(what) + " layer " + std::to_string(layer) + " iteration " + std::to_string(i);
    };
    for (std::int64_t layer = 0; layer < layers; ++layer) {
      if (i > 0) after.push_back(updated[static_cast<std::size_t>(layer)]);
      after = {b.compute(label("forward", layer), forward_ns, after)};
    }
    for (std::int64_t layer = layers; layer-- > 0;) {
      after = {b.compute(label("backward", layer), backward_ns, after)};
      TraceBuilder::Parents gradients = after;
      for (const GeneratedCollective& c : comm) gradients = {add_collective(b, c, gradients)};
      updated[static_cast<std::size_t>(layer)] = gradients.front();
    }
  }
}

}  // namespace convert::generate
