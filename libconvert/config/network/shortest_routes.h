// SPDX-License-Identifier: MIT
// Shortest routes in any graph, with ties.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "config/network/bundles.h"
#include "config/network/multipath.h"
#include "config/network/routes.h"
#include "core/rows.h"

namespace convert {

// Tables of the next link by destination and device, built when the first message is sent to a destination.
class ShortestRouter final : public Router {
 public:
  ShortestRouter(WireGraph graph, const RouteSpread& spread);

  Hop step(Position& p) override;
  [[nodiscard]] std::span<const std::uint32_t> ties(const Position& p) override;
  Hop take(Position& p, std::uint32_t wire) const override;
  [[nodiscard]] std::uint32_t flow(Device src, Device dst, std::int64_t tag) const override;
  [[nodiscard]] const RouteSpread& spread() const override { return spread_; }
  [[nodiscard]] bool has_ties() const override { return has_ties_; }
  [[nodiscard]] std::uint32_t wires() const override { return static_cast<std::uint32_t>(graph_.wires.size()); }
  [[nodiscard]] std::pair<Device, Device> ends(std::uint32_t wire) const override {
    return {graph_.wires[wire].from, graph_.wires[wire].to};
  }
  [[nodiscard]] std::vector<RoutedLink> links(std::uint32_t wire) const override;
  [[nodiscard]] Hop hop(std::uint32_t wire) const override {
    return {wire, graph_.wires[wire].bytes_per_ns, graph_.wires[wire].latency_ps};
  }
  [[nodiscard]] std::string device_name(Device device) const override { return graph_.device_name(device); }

 private:
  static constexpr std::uint64_t none = UINT64_MAX;
  static constexpr std::uint32_t tie = std::uint32_t{1} << 31U;  // in a row: the other bits index tied_

  const std::uint32_t* row(Device dst);
  std::unique_ptr<std::uint32_t[]> make_row(Device dst);
  std::size_t reach_from(Device v, Device dst, std::uint64_t distance, std::uint32_t* row);
  void find_ties(Device dst, std::uint32_t* row);
  void note_ties(Device u, Device dst, std::uint32_t* row);
  [[nodiscard]] std::uint32_t choose(std::span<const std::uint32_t> tied, const Position& p) const;

  RouteSpread spread_;
  bool may_have_ties_;  // whether routes can tie; has_ties_ is set when a tie is found
  bool has_ties_ = false;
  WireGraph whole_;  // graph of `links_`, if there are bundles
  Rows links_;       // by link; empty without bundles
  WireGraph graph_;
  Rows in_;                                             // links by target device
  Rows out_;                                            // links by source device, if there may be ties
  bool by_hops_;                                        // every link has weight 1
  std::vector<std::unique_ptr<std::uint32_t[]>> rows_;  // by destination: the next link by device, or a tie
  Rows tied_;                                           // links of equal cost, by target device
  std::map<std::vector<std::uint32_t>, std::uint32_t> number_of_;  // index in tied_
  // Working state of make_row():
  std::vector<std::uint64_t> distance_;
  std::vector<Picoseconds> latency_;
  std::vector<Device> relay_;                          // first NPU on the route, or the destination
  std::vector<Device> reached_;                        // by distance
  std::map<std::uint64_t, std::vector<Device>> open_;  // by distance
};

}  // namespace convert
