// SPDX-License-Identifier: MIT
// Computes numbers of links and switches of products and trees, without tables.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "config/network/network.h"
#include "config/network/wire_graph.h"
#include "util/divisor.h"

namespace convert {

// Numbers links by dimension, then NPU, then port (see topology.h). Some numbers have no link.
class ProductWires {
 public:
  struct Dim {
    Topology topology;
    std::uint32_t npus;
    std::uint32_t stride;      // rank distance of neighbours
    std::uint32_t first_wire;  // of NPU 0
    std::uint32_t ports;       // of an NPU: each port has a link number
    Device first_switch;
    double bytes_per_ns;
    double latency_ns;
    Picoseconds latency_ps;
    Divisor by_npus;
    Divisor by_stride;
    Divisor by_block;  // npus × stride
    Divisor by_ports;
  };

  // Throws Error(input) if there are 2^32 - 1 numbers or more.
  explicit ProductWires(const NetworkConfig& config);

  [[nodiscard]] const std::vector<Dim>& dims() const { return dims_; }
  [[nodiscard]] std::uint32_t npus() const { return npus_; }
  [[nodiscard]] std::uint32_t switches() const { return switches_; }
  [[nodiscard]] std::uint32_t wires() const { return wires_; }
  [[nodiscard]] std::uint32_t coordinate(const Dim& d, std::uint32_t npu) const {
    return dims_.size() == 1 ? npu : d.by_npus.remainder(d.by_stride.quotient(npu));
  }
  // Returns the switch of dimension `d` that serves this NPU.
  [[nodiscard]] static Device switch_of(const Dim& d, std::uint32_t npu) {
    return d.first_switch + d.by_block.quotient(npu) * d.stride + d.by_stride.remainder(npu);
  }
  [[nodiscard]] const Dim& dim_of(std::uint32_t wire) const;
  // Returns the devices at the ends of a link; the same device twice if no link has this number.
  [[nodiscard]] std::pair<Device, Device> ends(std::uint32_t wire) const;
  [[nodiscard]] std::string device_name(Device device) const { return plain_device_name(device, npus_); }

 private:
  std::vector<Dim> dims_;
  std::uint32_t npus_;
  std::uint32_t switches_ = 0;
  std::uint32_t wires_ = 0;
};

// Numbers links by level, then by the device below: first the uplink of each device, then its downlink.
class TreeWires {
 public:
  struct Level {
    std::uint32_t fanout;
    std::uint32_t span;        // NPUs below a switch of this level
    Device first_below;        // NPU 0, or first switch of the level below
    Device first_switch;       // of this level
    std::uint32_t first_wire;  // up from first_below
    double bytes_per_ns;
    Picoseconds latency_ps;
  };

  explicit TreeWires(const NetworkConfig& config);

  [[nodiscard]] const std::vector<Level>& levels() const { return levels_; }
  [[nodiscard]] std::uint32_t npus() const { return npus_; }
  [[nodiscard]] std::uint32_t switches() const { return switches_; }
  [[nodiscard]] std::uint32_t wires() const { return wires_; }
  [[nodiscard]] const Level& level_of(std::uint32_t wire) const;
  [[nodiscard]] std::pair<Device, Device> ends(std::uint32_t wire) const;
  [[nodiscard]] std::string device_name(Device device) const { return plain_device_name(device, npus_); }

 private:
  std::vector<Level> levels_;
  std::uint32_t npus_;
  std::uint32_t switches_ = 0;
  std::uint32_t wires_ = 0;
};

}  // namespace convert
