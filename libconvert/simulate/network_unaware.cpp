// SPDX-License-Identifier: MIT
#include <algorithm>
#include <vector>

#include "simulate/network.h"

namespace convert {
namespace {

// ASTRA-sim's congestion-unaware network. A message pays hops × latency + size / bandwidth of the lowest dimension
// in which the two addresses differ; further dimensions are free.
class UnawareNetwork final : public Network {
 public:
  UnawareNetwork(const NetworkConfig& config, EventQueue& queue) : Network(queue), dims_(config.dims) {}

  void send(Rank src, Rank dst, std::int64_t bytes, MessageToken message, std::int64_t /*priority*/) override {
    queue_.push_after(delay(src, dst, bytes), message, event_arrival);
  }
  MessageToken advance(Event) override { return no_message; }
  [[nodiscard]] std::optional<Picoseconds> fixed_delay(Rank src, Rank dst, std::int64_t bytes) const override {
    return delay(src, dst, bytes);
  }

 private:
  [[nodiscard]] Picoseconds delay(Rank src, Rank dst, std::int64_t bytes) const {
    for (const NetworkDim& d : dims_) {
      const auto n = static_cast<Rank>(d.npus);
      const bool last = &d == &dims_.back();  // divisions are dear
      const Rank a = last ? src : src % n;
      const Rank b = last ? dst : dst % n;
      if (a != b) {
        return truncate_delay(hops(d.topology, a, b, n) * d.latency_ns +
                              static_cast<double>(bytes) / d.bytes_per_ns);
      }
      src /= n;
      dst /= n;
    }
    return 0;  // the ideal network
  }

  static double hops(Topology topology, Rank a, Rank b, Rank n) {
    switch (topology) {
      case Topology::fully_connected: return 1;
      case Topology::switched: return 2;
      case Topology::mesh: return a < b ? b - a : a - b;
      case Topology::ring: break;
    }
    const Rank clockwise = b > a ? b - a : b + n - a;
    return std::min(clockwise, n - clockwise);
  }

  std::vector<NetworkDim> dims_;
};

}  // namespace

std::unique_ptr<Network> make_unaware_network(const NetworkConfig& config, EventQueue& queue) {
  return std::make_unique<UnawareNetwork>(config, queue);
}

}  // namespace convert
