// SPDX-License-Identifier: MIT
// Regular graphs: small graphs for single features, and data-parallel training.
#include <limits>
#include <string>

#include "generate/kinds.h"

namespace convert::generate {
namespace {

constexpr std::uint64_t compute_ns = 10'000;
constexpr std::int64_t nodes = 8;

std::uint64_t compute_time(const GenerateRequest& r) { return r.compute_ns.value_or(compute_ns); }
std::string numbered(const char* what, std::int64_t i) { return what + std::to_string(i); }

}  // namespace

void make_chain(const GenerateRequest& r, TraceBuilder& b) {
  TraceBuilder::Parents after;
  for (std::int64_t i = 0; i < r.count.value_or(nodes); ++i)
    after = {b.compute(numbered("comp", i), compute_time(r), after)};
}

void make_independent(const GenerateRequest& r, TraceBuilder& b) {
  for (std::int64_t i = 0; i < r.count.value_or(nodes); ++i) b.compute(numbered("comp", i), compute_time(r));
}

void make_diamond(const GenerateRequest& r, TraceBuilder& b) {
  const NodeId top = b.compute("fork", compute_time(r));
  TraceBuilder::Parents sides;
  for (std::int64_t i = 0; i < r.count.value_or(nodes); ++i)
    sides.push_back(b.compute(numbered("comp", i), compute_time(r), {top}));
  b.compute("join", compute_time(r), sides);
}

void make_collectives(const GenerateRequest& r, TraceBuilder& b) {
  std::vector<GeneratedCollective> comm = r.comm;
  if (comm.empty()) comm = {{Collective::all_reduce, 1 << 20}};
  TraceBuilder::Parents after;
  for (std::int64_t i = 0; i < r.count.value_or(1); ++i) {
    for (const GeneratedCollective& c : comm) {
      const NodeId id = add_collective(b, c, after);
      if (r.chained.value_or(true)) after = {id};
    }
  }
}

// Tags distinguish concurrent messages.
void make_send_ring(const GenerateRequest& r, TraceBuilder& b) {
  const std::int64_t bytes = r.size.value_or(65536);
  const Rank rank = b.trace().rank;
  TraceBuilder::Parents after;
  for (std::int64_t i = 0; i < r.count.value_or(nodes); ++i) {
    const std::int64_t tag = i % std::numeric_limits<std::int32_t>::max();
    b.send(next_rank(r, rank), bytes, tag, after);
    const NodeId received = b.receive(previous_rank(r, rank), bytes, tag, after);
    if (r.chained.value_or(true)) after = {received};
  }
}

// Data-parallel training: gradients of a layer are transferred while the preceding layers are still computed.
void make_layers(const GenerateRequest& r, TraceBuilder& b) {
  const std::int64_t layers = r.layers.value_or(8);
  const std::uint64_t forward_ns = r.compute_ns.value_or(50'000);
  const std::uint64_t backward_ns = r.backward_ns.value_or(2 * forward_ns);
  std::vector<GeneratedCollective> comm = r.comm;
  if (comm.empty()) comm = {{Collective::all_reduce, std::int64_t{16} << 20}};
  std::vector<NodeId> updated(static_cast<std::size_t>(layers));  // last collective of the layer in the previous
                                                                  // iteration
  TraceBuilder::Parents after;
  for (std::int64_t i = 0; i < r.iterations.value_or(1); ++i) {
    const auto label = [&](const char* what, std::int64_t layer) {
      return std::string(what) + " layer " + std::to_string(layer) + " iteration " + std::to_string(i);
    };
    for (std::int64_t layer = 0; layer < layers; ++layer) {
      if (i > 0) after.push_back(updated[static_cast<std::size_t>(layer)]);
      b.begin_layer(static_cast<std::uint64_t>(layer));
      after = {b.compute(label("forward", layer), forward_ns, after)};
    }
    for (std::int64_t layer = layers; layer-- > 0;) {
      b.begin_layer(static_cast<std::uint64_t>(layer));
      after = {b.compute(label("backward", layer), backward_ns, after)};
      TraceBuilder::Parents gradients = after;
      for (const GeneratedCollective& c : comm) gradients = {add_collective(b, c, gradients)};
      updated[static_cast<std::size_t>(layer)] = gradients.front();
    }
  }
}

}  // namespace convert::generate
