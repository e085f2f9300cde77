// SPDX-License-Identifier: MIT
#include <memory>
#include <tuple>
#include <vector>

#include "config/network/wire_numbers.h"
#include "simulate/explain/causes.h"
#include "simulate/networks/network.h"
#include "simulate/networks/wire_table.h"
#include "simulate/symmetry/order_observer.h"
#include "simulate/symmetry/ordered_causes.h"

namespace convert {
namespace {

// ASTRA-sim's congestion-aware network, with one or more dimensions. Each set of NPUs that differ only in
// coordinate d has the links of dimension d's topology. Messages correct their coordinates lowest dimension first.
// In a ring they take the shorter direction, clockwise if both are equal. A ring of two has one link in each
// direction.
template <class Observer>
class AwareNetwork final : public Network {
 public:
  AwareNetwork(const NetworkConfig& config, const NetworkOptions& options, EventQueue& queue, Observer& observer)
      : Network(queue),
        numbers_(config),
        dims_(numbers_.dims()),
        last_(dims_.size()),
        table_(numbers_.wires(), options),
        observer_(observer) {}

  void send(Rank src, Rank dst, std::int64_t bytes, MessageToken message, std::int64_t priority) override;
  MessageToken advance(Event event) override;
  [[nodiscard]] std::optional<MessageWay> way(Rank src, Rank dst, std::int64_t bytes) override;
  [[nodiscard]] bool is_idle(std::uint32_t wire) const override { return table_.is_idle(wire); }
  void prefetch(Event event) const override {
    if (event.kind() == event_hop) table_.prefetch_packet(event.arg());
    if (event.kind() == event_wire_free) table_.prefetch_wire(event.arg());
  }
  void prefetch_more(Event event) const override {
    if (event.kind() == event_wire_free) table_.prefetch_first(event.arg());
  }
  void prefetch_new(MessageToken message) const override { table_.prefetch_new(message); }
  [[nodiscard]] std::vector<WireUse> wire_use(Picoseconds end) const override;
  [[nodiscard]] const BusyBins* busy_bins() const override { return table_.bins(); }
  [[nodiscard]] std::string wire_name(std::uint32_t wire) const override {
    const auto [from, to] = numbers_.ends(wire);
    return numbers_.device_name(from) + '>' + numbers_.device_name(to);
  }

 private:
  using Dim = ProductWires::Dim;
  struct Packet {
    std::int64_t bytes;
    std::uint32_t next;
    Rank at;  // on a link: end of the link, or (to a switch) the NPU to which the switch forwards
    Rank dst;
    std::uint8_t dim;
    bool to_switch;
  };

  struct Delays {
    std::int64_t bytes = -1;
    Picoseconds busy = 0;     // of the link
    Picoseconds arrival = 0;  // at the end of the link
  };

  const Delays& delays(std::uint8_t dim, std::int64_t bytes) {
    Delays& last = last_[dim];
    if (last.bytes != bytes) {  // consecutive messages often have the same size
      const double on_wire_ns = static_cast<double>(bytes) / dims_[dim].bytes_per_ns;
      last = {bytes, truncate_delay(on_wire_ns), truncate_delay(dims_[dim].latency_ns + on_wire_ns)};
    }
    return last;
  }
  bool forward(std::uint32_t p);
  std::uint32_t take_hop(Packet& k, const Dim& d, std::uint32_t from, std::uint32_t to);
  void enqueue(std::uint32_t wire, std::uint32_t p) {
    wire = observer_.comes(p, wire);
    if (table_.enter(wire, p)) transmit(wire, p);
  }
  void transmit(std::uint32_t wire, std::uint32_t p);

  ProductWires numbers_;
  const std::vector<Dim>& dims_;
  std::vector<Delays> last_;  // by dimension
  WireTable<Packet> table_;
  Observer& observer_;
};

template <class Observer>
void AwareNetwork<Observer>::send(Rank src, Rank dst, std::int64_t bytes, MessageToken message,
                                  std::int64_t /*priority*/) {
  const std::uint32_t p = message;
  table_.new_packet(p) = {.bytes = bytes, .next = 0, .at = src, .dst = dst, .dim = 0, .to_switch = false};
  observer_.launched(p, message);
  if (src == dst) {  // see can_send_to_self
    enqueue(take_hop(table_.packet(p), dims_[0], src, dst), p);
  } else {
    forward(p);
  }
}

template <class Observer>
MessageToken AwareNetwork<Observer>::advance(Event event) {
  if (event.kind() == event_wire_free) {
    observer_.wire_frees(event.arg());
    if (const std::uint32_t p = table_.leave(event.arg()); p != table_.none) transmit(event.arg(), p);
    return no_message;
  }
  observer_.hop_ends(event.arg());
  return forward(event.arg()) ? no_message : event.arg();
}

template <class Observer>
std::vector<WireUse> AwareNetwork<Observer>::wire_use(Picoseconds end) const {
  return table_.use(end, [this](std::uint32_t wire, WireUse& u) {
    std::tie(u.from_device, u.to_device) = numbers_.ends(wire);
    u.from = numbers_.device_name(u.from_device);
    u.to = numbers_.device_name(u.to_device);
  });
}

template <class Observer>
std::optional<MessageWay> AwareNetwork<Observer>::way(Rank src, Rank dst, std::int64_t bytes) {
  if (src == dst) return {};
  MessageWay way;
  Packet k{.bytes = bytes, .next = 0, .at = src, .dst = dst, .dim = 0, .to_switch = false};
  while (k.at != dst) {
    const Dim& d = dims_[k.dim];
    const std::uint32_t from = numbers_.coordinate(d, k.at);
    const std::uint32_t to = numbers_.coordinate(d, dst);
    if (from == to) {
      ++k.dim;
      continue;
    }
    const Delays& time = delays(k.dim, bytes);
    way.hops.push_back({take_hop(k, d, from, to), time.busy, time.arrival});
    if (k.to_switch) way.hops.push_back({d.first_wire + k.at * d.ports + 1, time.busy, time.arrival});
  }
  return way;
}

// Moves the packet to its next link; returns false if it is at its destination.
template <class Observer>
bool AwareNetwork<Observer>::forward(std::uint32_t p) {
  Packet& k = table_.packet(p);
  if (k.to_switch) {
    k.to_switch = false;
    const Dim& d = dims_[k.dim];
    enqueue(d.first_wire + k.at * d.ports + 1, p);
    return true;
  }
  if (k.at == k.dst) return false;
  for (;; ++k.dim) {
    const Dim& d = dims_[k.dim];
    const std::uint32_t from = numbers_.coordinate(d, k.at);
    const std::uint32_t to = numbers_.coordinate(d, k.dst);
    if (from == to) continue;
    enqueue(take_hop(k, d, from, to), p);
    return true;
  }
}

// Moves the packet a hop towards coordinate `to` and returns the link for it.
template <class Observer>
std::uint32_t AwareNetwork<Observer>::take_hop(Packet& k, const Dim& d, std::uint32_t from, std::uint32_t to) {
  const std::uint32_t first = d.first_wire + k.at * d.ports;
  return with(d.topology, [&](auto t) {
    const std::uint32_t port = t.port(from, to, d.npus);
    const std::uint32_t next = t.has_switch ? to : t.other_end(from, port, d.npus);
    k.at += (next - from) * d.stride;  // modulo 2^32
    k.to_switch = t.has_switch;
    return first + port;
  });
}

// The arrival is scheduled before the end of transmission. Each delay is truncated to whole nanoseconds separately.
template <class Observer>
void AwareNetwork<Observer>::transmit(std::uint32_t wire, std::uint32_t p) {
  const Packet& k = table_.packet(p);
  const Delays& d = delays(k.dim, k.bytes);
  const bool arrives = k.at == k.dst && !k.to_switch && !Observer::sees_hops;
  queue_.push_after(d.arrival, p, arrives ? event_arrival : event_hop);
  queue_.push_after(d.busy, wire, event_wire_free);
  table_.count(wire, k.bytes, queue_.now(), d.busy);
  observer_.takes_wire(p, wire, k.bytes);
}

}  // namespace

template <class Observer>
std::unique_ptr<Network> make_aware_network(const NetworkConfig& config, const NetworkOptions& options,
                                            EventQueue& queue, Observer& observer) {
  return std::make_unique<AwareNetwork<Observer>>(config, options, queue, observer);
}
template std::unique_ptr<Network> make_aware_network(const NetworkConfig&, const NetworkOptions&, EventQueue&,
                                                     NoObserver&);
template std::unique_ptr<Network> make_aware_network(const NetworkConfig&, const NetworkOptions&, EventQueue&,
                                                     OrderObserver&);
template std::unique_ptr<Network> make_aware_network(const NetworkConfig&, const NetworkOptions&, EventQueue&,
                                                     Causes&);
template std::unique_ptr<Network> make_aware_network(const NetworkConfig&, const NetworkOptions&, EventQueue&,
                                                     OrderedCauses&);

}  // namespace convert
