// SPDX-License-Identifier: MIT
#include "config/network/wire_numbers.h"

#include "core/diagnostic.h"

namespace convert {

ProductWires::ProductWires(const NetworkConfig& config) : npus_(static_cast<std::uint32_t>(config.npus())) {
  std::uint64_t wires = 0;
  std::uint32_t stride = 1;
  for (const NetworkDim& d : config.dims) {
    const auto n = static_cast<std::uint32_t>(d.npus);
    const std::uint32_t ports = with(d.topology, [&](auto t) { return t.ports(n); });
    dims_.push_back({.topology = d.topology,
                     .npus = n,
                     .stride = stride,
                     .first_wire = static_cast<std::uint32_t>(wires),
                     .ports = ports,
                     .first_switch = npus_ + switches_,
                     .bytes_per_ns = d.bytes_per_ns,
                     .latency_ns = d.latency_ns,
                     .latency_ps = round_to_ps(d.latency_ns),
                     .by_npus = Divisor(n),
                     .by_stride = Divisor(stride),
                     .by_block = Divisor(stride * n),
                     .by_ports = Divisor(ports)});
    wires += std::uint64_t{npus_} * ports;
    if (wires >= UINT32_MAX) {
      throw input_error({.file = config.source},
                        "a simulated network must have fewer than 2^32 links, this network has " +
                            std::to_string(wires) + " or more");
    }
    if (has_switch(d.topology)) switches_ += npus_ / n;
    stride *= n;
  }
  wires_ = static_cast<std::uint32_t>(wires);
}

const ProductWires::Dim& ProductWires::dim_of(std::uint32_t wire) const {
  std::size_t d = dims_.size() - 1;
  while (dims_[d].first_wire > wire) --d;
  return dims_[d];
}

std::pair<Device, Device> ProductWires::ends(std::uint32_t wire) const {
  const Dim& d = dim_of(wire);
  const std::uint32_t npu = (wire - d.first_wire) / d.ports;
  const std::uint32_t port = (wire - d.first_wire) % d.ports;
  if (has_switch(d.topology))
    return port == 0 ? std::pair{npu, switch_of(d, npu)} : std::pair{switch_of(d, npu), npu};
  const std::uint32_t at = coordinate(d, npu);
  const std::uint32_t other = with(d.topology, [&](auto t) { return t.other_end(at, port, d.npus); });
  return {npu, npu + (other - at) * d.stride};  // modulo 2^32
}

TreeWires::TreeWires(const NetworkConfig& config) : npus_(static_cast<std::uint32_t>(config.npus())) {
  std::uint32_t below = npus_;  // devices of the level below
  std::uint32_t span = 1;
  Device first_below = 0;
  for (const TreeLevel& l : config.levels) {
    const auto fanout = static_cast<std::uint32_t>(l.fanout);
    span *= fanout;
    levels_.push_back({.fanout = fanout,
                       .span = span,
                       .first_below = first_below,
                       .first_switch = npus_ + switches_,
                       .first_wire = wires_,
                       .bytes_per_ns = l.bytes_per_ns,
                       .latency_ps = round_to_ps(l.latency_ns)});
    first_below = npus_ + switches_;
    wires_ += 2 * below;
    below /= fanout;
    switches_ += below;
  }
}

const TreeWires::Level& TreeWires::level_of(std::uint32_t wire) const {
  std::size_t l = levels_.size() - 1;
  while (levels_[l].first_wire > wire) --l;
  return levels_[l];
}

std::pair<Device, Device> TreeWires::ends(std::uint32_t wire) const {
  const Level& level = level_of(wire);
  const std::uint32_t child = (wire - level.first_wire) / 2;
  const Device below = level.first_below + child;
  const Device above = level.first_switch + child / level.fanout;
  return (wire - level.first_wire) % 2 == 0 ? std::pair{below, above} : std::pair{above, below};
}

}  // namespace convert
