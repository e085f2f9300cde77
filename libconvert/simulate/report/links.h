// SPDX-License-Identifier: MIT
// Configured properties of a link between two devices.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "config/network/network.h"
#include "config/network/wire_numbers.h"

namespace convert {

class LinkFacts {
 public:
  struct Facts {
    std::int32_t dim = -1;  // dimension of a product, level of a tree; -1: none
    double bytes_per_ns = 0;
    double latency_ns = 0;
  };

  explicit LinkFacts(const NetworkConfig& network);
  // Returns the facts of the link from one device to another.
  [[nodiscard]] Facts of(Device from, Device to) const;

 private:
  [[nodiscard]] std::int32_t dim_of(Device from, Device to) const;

  std::optional<ProductWires> product_;
  std::optional<TreeWires> tree_;
  std::map<std::pair<Device, Device>, Facts> graph_;
};

}  // namespace convert
