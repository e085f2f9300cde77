// SPDX-License-Identifier: MIT
#include <optional>
#include <vector>

#include "simulate/networks/network.h"
#include "simulate/networks/port_watch.h"
#include "util/divisor.h"

namespace convert {
namespace {

// ASTRA-sim's congestion-unaware network. A message takes hops × latency + size / bandwidth of the lowest dimension
// in which the two addresses differ; further dimensions are free.
class UnawareNetwork final : public Network {
 public:
  UnawareNetwork(const NetworkConfig& config, bool watch_ports, const Symmetry* symmetry, EventQueue& queue)
      : Network(queue), dims_(config.dims) {
    for (const NetworkDim& d : dims_) by_npus_.emplace_back(static_cast<std::uint32_t>(d.npus));
    if (watch_ports && !config.ideal) ports_.emplace(config, symmetry);
  }

  void send(Rank src, Rank dst, std::int64_t bytes, MessageToken message, std::int64_t /*priority*/) override {
    const Way w = way_of(src, dst);
    const Picoseconds time = delay(w, bytes);
    if (ports_) ports_->send(src, dst, w.dim->bytes_per_ns, queue_.now(), queue_.now(), time, w.latency_ns);
    queue_.push_after(time, message, event_arrival);
  }
  MessageToken advance(Event) override { return no_message; }
  [[nodiscard]] std::optional<Picoseconds> fixed_delay(Rank src, Rank dst, std::int64_t bytes) const override {
    return delay(way_of(src, dst), bytes);
  }
  [[nodiscard]] bool watches_messages() const override { return ports_.has_value(); }
  void watch(Rank src, Rank dst, std::int64_t bytes, Picoseconds begin) override {
    const Way w = way_of(src, dst);
    if (ports_) ports_->send(src, dst, w.dim->bytes_per_ns, queue_.now(), begin, delay(w, bytes), w.latency_ns);
  }
  [[nodiscard]] std::optional<MessageWay> way(Rank src, Rank dst, std::int64_t bytes) override {
    return MessageWay{.hops = {}, .delay = delay(way_of(src, dst), bytes)};
  }
  [[nodiscard]] std::optional<PortLoad> worst_port(Picoseconds end) override {
    return ports_ ? ports_->worst(end) : std::nullopt;
  }

 private:
  // Costs of a message's route; `dim` is null in the ideal network.
  struct Way {
    const NetworkDim* dim = nullptr;
    double latency_ns = 0;
  };
  [[nodiscard]] Way way_of(Rank src, Rank dst) const {
    for (std::size_t i = 0; i < dims_.size(); ++i) {
      const NetworkDim& d = dims_[i];
      const Rank a = by_npus_[i].remainder(src);
      const Rank b = by_npus_[i].remainder(dst);
      if (a != b) return {&d, hops(d.topology, a, b, static_cast<Rank>(d.npus)) * d.latency_ns};
      src = by_npus_[i].quotient(src);
      dst = by_npus_[i].quotient(dst);
    }
    return {};
  }
  [[nodiscard]] static Picoseconds delay(const Way& way, std::int64_t bytes) {
    if (way.dim == nullptr) return 0;
    return truncate_delay(way.latency_ns + static_cast<double>(bytes) / way.dim->bytes_per_ns);
  }

  std::vector<NetworkDim> dims_;
  std::vector<Divisor> by_npus_;  // by dimension
  std::optional<PortWatch> ports_;
};

}  // namespace

std::unique_ptr<Network> make_unaware_network(const NetworkConfig& config, bool watch_ports,
                                              const Symmetry* symmetry, EventQueue& queue) {
  return std::make_unique<UnawareNetwork>(config, watch_ports, symmetry, queue);
}

}  // namespace convert
