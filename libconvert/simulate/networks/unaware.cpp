// SPDX-License-Identifier: MIT
#include <optional>
#include <vector>

#include "simulate/networks/network.h"
#include "simulate/networks/port_watch.h"

namespace convert {
namespace {

// ASTRA-sim's congestion-unaware network. A message pays hops × latency + size / bandwidth of the lowest dimension
// in which the two addresses differ; further dimensions are free.
class UnawareNetwork final : public Network {
 public:
  UnawareNetwork(const NetworkConfig& config, bool watch_ports, const Symmetry* symmetry, EventQueue& queue)
      : Network(queue), dims_(config.dims) {
    if (watch_ports && !config.ideal) ports_.emplace(config, symmetry);
  }

  void send(Rank src, Rank dst, std::int64_t bytes, MessageToken message, std::int64_t /*priority*/) override {
    const Way w = way(src, dst);
    const Picoseconds time = delay(w, bytes);
    if (ports_) ports_->send(src, dst, w.dim->bytes_per_ns, queue_.now(), time, w.latency_ns);
    queue_.push_after(time, message, event_arrival);
  }
  MessageToken advance(Event) override { return no_message; }
  [[nodiscard]] std::optional<Picoseconds> fixed_delay(Rank src, Rank dst, std::int64_t bytes) const override {
    return delay(way(src, dst), bytes);
  }
  [[nodiscard]] bool watches_messages() const override { return ports_.has_value(); }
  [[nodiscard]] std::optional<PortLoad> worst_port(Picoseconds end) override {
    return ports_ ? ports_->worst(end) : std::nullopt;
  }

 private:
  // What a message pays for; no dimension in the ideal network.
  struct Way {
    const NetworkDim* dim = nullptr;
    double latency_ns = 0;
  };
  [[nodiscard]] Way way(Rank src, Rank dst) const {
    for (const NetworkDim& d : dims_) {
      const auto n = static_cast<Rank>(d.npus);
      const bool last = &d == &dims_.back();  // divisions are dear
      const Rank a = last ? src : src % n;
      const Rank b = last ? dst : dst % n;
      if (a != b) return {&d, hops(d.topology, a, b, n) * d.latency_ns};
      src /= n;
      dst /= n;
    }
    return {};
  }
  [[nodiscard]] static Picoseconds delay(const Way& way, std::int64_t bytes) {
    if (way.dim == nullptr) return 0;
    return truncate_delay(way.latency_ns + static_cast<double>(bytes) / way.dim->bytes_per_ns);
  }

  std::vector<NetworkDim> dims_;
  std::optional<PortWatch> ports_;
};

}  // namespace

std::unique_ptr<Network> make_unaware_network(const NetworkConfig& config, bool watch_ports,
                                              const Symmetry* symmetry, EventQueue& queue) {
  return std::make_unique<UnawareNetwork>(config, watch_ports, symmetry, queue);
}

}  // namespace convert
