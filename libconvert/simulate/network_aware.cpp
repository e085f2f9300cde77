// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdlib>
#include <new>
#include <vector>

#include "core/diagnostic.h"
#include "simulate/network.h"

namespace convert {
namespace {

constexpr std::uint32_t event_hop = event_network;            // packet `arg` is at the end of its link
constexpr std::uint32_t event_link_free = event_network + 1;  // link `arg` has sent the last byte

// ASTRA-sim's congestion-aware network, of one dimension or several. Each set of NPUs that differ only in
// coordinate d has the links of dimension d's topology. Messages correct their coordinates lowest dimension first;
// in a ring they go the shorter way, clockwise if both are equal. A ring of two has one link each way.
class AwareNetwork final : public Network {
 public:
  AwareNetwork(const NetworkConfig& config, EventQueue& queue);

  void send(Rank src, Rank dst, std::int64_t bytes, MessageToken message) override;
  MessageToken advance(const Event& event) override;

 private:
  struct Dim {
    Topology topology;
    std::uint32_t npus;
    std::uint32_t stride;      // distance in rank of neighbours
    std::uint32_t first_link;  // of rank 0; each rank has `fanout` links of its own
    std::uint32_t fanout;
    double bytes_per_ns;
    double latency_ns;
  };
  // All zero is an idle link: the table is zero pages until it is used, as a fully connected network has npus²
  // links of which an algorithm uses few.
  struct Link {
    std::uint32_t head = 0;  // 1 + first packet that waits
    std::uint32_t tail = 0;
    std::uint32_t busy = 0;
  };
  struct Packet {
    std::int64_t bytes;
    MessageToken message;
    std::uint32_t next;  // in a link's queue, 1 + packet; or in the list of unused packets
    Rank at;             // on a link: where the link leads, or (to a switch) where the switch sends it on
    Rank dst;
    std::uint8_t dim;
    bool to_switch;
  };
  struct FreeMemory {
    void operator()(Link* p) const { std::free(p); }
  };

  static constexpr std::uint32_t block_bits = 12;
  [[nodiscard]] Packet& packet(std::uint32_t p) { return blocks_[p >> block_bits][p & ((1U << block_bits) - 1)]; }
  std::uint32_t new_packet();
  [[nodiscard]] std::uint32_t coordinate(const Dim& d, Rank r) const {
    return dims_.size() == 1 ? r : r / d.stride % d.npus;
  }
  bool forward(std::uint32_t p);
  std::uint32_t take_hop(Packet& k, const Dim& d, std::uint32_t from, std::uint32_t to);
  void enqueue(std::uint32_t link, std::uint32_t p);
  void transmit(std::uint32_t link, std::uint32_t p);

  std::vector<Dim> dims_;
  std::unique_ptr<Link[], FreeMemory> links_;
  std::vector<std::unique_ptr<Packet[]>> blocks_;
  std::uint32_t unused_ = 0;  // 1 + first packet of the list
};

AwareNetwork::AwareNetwork(const NetworkConfig& config, EventQueue& queue) : Network(queue) {
  std::uint64_t links = 0;
  std::uint32_t stride = 1;
  const auto npus = static_cast<std::uint64_t>(config.npus());
  for (const NetworkDim& d : config.dims) {
    const auto n = static_cast<std::uint32_t>(d.npus);
    // Ring: clockwise, anticlockwise. Switch: up, down. Fully connected: to each coordinate.
    const std::uint32_t fanout = d.topology == Topology::fully_connected ? n : 2;
    dims_.push_back(
        {d.topology, n, stride, static_cast<std::uint32_t>(links), fanout, d.bytes_per_ns, d.latency_ns});
    links += npus * fanout;
    if (links >= UINT32_MAX) {
      throw input_error({.file = config.source},
                        "the congestion-aware model takes fewer than 2^32 links, this network has " +
                            std::to_string(links) + " or more");
    }
    stride *= n;
  }
  links_.reset(static_cast<Link*>(std::calloc(std::max<std::uint64_t>(links, 1), sizeof(Link))));
  if (links_ == nullptr) throw std::bad_alloc();
}

std::uint32_t AwareNetwork::new_packet() {
  if (unused_ == 0) {
    const auto first = static_cast<std::uint32_t>(blocks_.size()) << block_bits;
    blocks_.push_back(std::make_unique_for_overwrite<Packet[]>(std::size_t{1} << block_bits));
    for (std::uint32_t i = 1U << block_bits; i-- > 0;) {
      packet(first + i).next = unused_;
      unused_ = first + i + 1;
    }
  }
  const std::uint32_t p = unused_ - 1;
  unused_ = packet(p).next;
  return p;
}

void AwareNetwork::send(Rank src, Rank dst, std::int64_t bytes, MessageToken message) {
  const std::uint32_t p = new_packet();
  packet(p) = {.bytes = bytes, .message = message, .next = 0, .at = src, .dst = dst, .dim = 0, .to_switch = false};
  if (src == dst) {  // see can_send_to_self
    enqueue(take_hop(packet(p), dims_[0], src, dst), p);
  } else {
    forward(p);
  }
}

MessageToken AwareNetwork::advance(const Event& event) {
  if (event.kind == event_link_free) {
    Link& link = links_[event.arg];
    if (link.head == 0) {
      link.busy = 0;
    } else {
      const std::uint32_t p = link.head - 1;
      link.head = packet(p).next;
      transmit(event.arg, p);
    }
    return no_message;
  }
  if (forward(event.arg)) return no_message;
  Packet& k = packet(event.arg);
  k.next = unused_;
  unused_ = event.arg + 1;
  return k.message;
}

// Puts the packet on its next link. False: it is at its destination.
bool AwareNetwork::forward(std::uint32_t p) {
  Packet& k = packet(p);
  if (k.to_switch) {
    k.to_switch = false;
    const Dim& d = dims_[k.dim];
    enqueue(d.first_link + k.at * d.fanout + 1, p);
    return true;
  }
  if (k.at == k.dst) return false;
  for (;; ++k.dim) {
    const Dim& d = dims_[k.dim];
    const std::uint32_t from = coordinate(d, k.at);
    const std::uint32_t to = coordinate(d, k.dst);
    if (from == to) continue;
    enqueue(take_hop(k, d, from, to), p);
    return true;
  }
}

// Moves the packet a hop towards coordinate `to` and returns the link for it.
std::uint32_t AwareNetwork::take_hop(Packet& k, const Dim& d, std::uint32_t from, std::uint32_t to) {
  const std::uint32_t first = d.first_link + k.at * d.fanout;
  if (d.topology == Topology::ring) {
    const std::uint32_t clockwise = to > from ? to - from : to + d.npus - from;
    const bool forwards = clockwise <= d.npus - clockwise;
    const std::uint32_t next = forwards ? (from + 1 == d.npus ? 0 : from + 1) : (from == 0 ? d.npus - 1 : from - 1);
    k.at += (next - from) * d.stride;  // modulo 2^32
    return first + (forwards ? 0 : 1);
  }
  k.at += (to - from) * d.stride;
  if (d.topology == Topology::fully_connected) return first + to;
  k.to_switch = true;
  return first;
}

void AwareNetwork::enqueue(std::uint32_t link, std::uint32_t p) {
  Link& l = links_[link];
  if (l.busy == 0) {
    l.busy = 1;
    transmit(link, p);
    return;
  }
  packet(p).next = 0;
  (l.head == 0 ? l.head : packet(l.tail - 1).next) = p + 1;
  l.tail = p + 1;
}

// The arrival is scheduled before the end of transmission; each delay is cut to whole nanoseconds by itself.
void AwareNetwork::transmit(std::uint32_t link, std::uint32_t p) {
  const Packet& k = packet(p);
  const Dim& d = dims_[k.dim];
  const double on_wire_ns = static_cast<double>(k.bytes) / d.bytes_per_ns;
  queue_.push_after(truncate_delay(d.latency_ns + on_wire_ns), p, event_hop);
  queue_.push_after(truncate_delay(on_wire_ns), link, event_link_free);
}

}  // namespace

std::unique_ptr<Network> make_aware_network(const NetworkConfig& config, EventQueue& queue) {
  return std::make_unique<AwareNetwork>(config, queue);
}

}  // namespace convert
