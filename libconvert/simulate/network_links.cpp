// SPDX-License-Identifier: MIT
#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "config/routes.h"
#include "core/diagnostic.h"
#include "simulate/link_table.h"
#include "simulate/link_watch.h"
#include "simulate/network.h"

namespace convert {
namespace {

constexpr std::uint32_t event_hop = event_network;            // message `arg` is at the end of a link
constexpr std::uint32_t event_link_free = event_network + 1;  // link `arg` takes the next packet

// Per-link queues on any topology, in picoseconds. Messages queue for a link in the order in which they (cut: their
// heads) come to it, those of higher priority before others; among those of one tick, in the order in which their
// last links took them. A link that becomes free in the tick in which a message comes to it serves those that wait
// before.
class LinksNetwork final : public Network {
 public:
  LinksNetwork(const NetworkConfig& config, const NetworkOptions& options, EventQueue& queue)
      : Network(queue),
        router_(make_router(config, options.routing, options.failed)),
        table_(router_->links(), options.count_links),
        cut_(options.forwarding == Forwarding::cut),
        busy_for_latency_(options.occupancy == Occupancy::alpha_beta) {}

  void send(Rank src, Rank dst, std::int64_t bytes, MessageToken message, std::int64_t priority) override {
    const std::uint32_t p = message;
    Packet& k = table_.new_packet(p);
    k.bytes = bytes;
    k.priority = priority;
    k.tail_ps = 0;
    k.position = {.at = src, .dst = dst};
    if (causes_ != nullptr) causes_->launched(p);
    take_hop(p, k);
  }

  MessageToken advance(Event event) override {
    if (event.kind() == event_link_free) {
      if (watch_) watch_->leave(event.arg());
      if (causes_ != nullptr) causes_->link_frees(event.arg());
      if (const std::uint32_t p = table_.leave(event.arg()); p != table_.none) transmit(p, table_.packet(p));
      return no_message;
    }
    if (watch_) watch_->hop(event.arg());
    if (causes_ != nullptr) causes_->hop_ends(event.arg());
    Packet& k = table_.packet(event.arg());
    if (k.position.at == k.position.dst) return event.arg();
    take_hop(event.arg(), k);
    return no_message;
  }

  void reduce(const NetworkConfig& config, const Symmetry& symmetry, OrderWatch& order) override {
    watch_.emplace(config, symmetry, order, queue_);
  }
  [[nodiscard]] std::string link_name(std::uint32_t link) const override {
    const auto [from, to] = router_->ends(link);
    return router_->device_name(from) + '>' + router_->device_name(to);
  }
  [[nodiscard]] std::vector<LinkUse> link_use(Picoseconds end) const override {
    return table_.use(end, [this](std::uint32_t link, LinkUse& u) {
      const auto [from, to] = router_->ends(link);
      u.from = router_->device_name(from);
      u.to = router_->device_name(to);
    });
  }

 private:
  struct Packet {
    std::int64_t bytes;
    std::int64_t priority;
    Picoseconds tail_ps;  // cut: when the last byte comes to the device where the head is
    Hop hop;              // the link on which it travels or for which it waits
    Position position;    // at the end of that link
    std::uint32_t next;
  };

  void take_hop(std::uint32_t p, Packet& k) {
    k.hop = router_->step(k.position);
    if (watch_) k.hop.link = watch_->come(p, k.hop.link);
    const auto sooner = [](const Packet& a, const Packet& b) { return a.priority > b.priority; };
    if (causes_ != nullptr) causes_->comes(p);
    if (table_.enter(k.hop.link, p, sooner)) transmit(p, k);
  }

  // The arrival is scheduled before the end of the link's occupation.
  void transmit(std::uint32_t p, Packet& k) {
    const Picoseconds now = queue_.now();
    const Picoseconds latency = k.hop.latency_ps;
    Picoseconds sent = round_to_ps(static_cast<double>(k.bytes) / k.hop.bytes_per_ns);  // from now
    Picoseconds arrival = add(sent, latency);
    if (cut_) {
      sent = std::max(sent, k.tail_ps - now);  // the last byte cannot leave before it has come
      arrival = add(sent, latency);
      k.tail_ps = add(now, arrival);
      if (k.position.at != k.position.dst) arrival = latency;  // of the head
    }
    const Picoseconds busy = busy_for_latency_ ? add(sent, latency) : sent;
    const bool is_watched = watch_ || causes_ != nullptr;  // then each event must come here
    const bool arrives = k.position.at == k.position.dst && !is_watched;
    queue_.push_after(arrival, p, arrives ? event_arrival : event_hop);
    queue_.push_after(busy, k.hop.link, event_link_free);
    table_.count(k.hop.link, k.bytes, now, busy);
    if (watch_) watch_->transmit(p, k.hop.link);
    if (causes_ != nullptr) causes_->takes_link(p, k.hop.link, k.bytes);
  }
  static Picoseconds add(Picoseconds a, Picoseconds b) {
    if (__builtin_add_overflow(a, b, &a)) EventQueue::too_late();
    return a;
  }

  std::unique_ptr<Router> router_;
  LinkTable<Packet> table_;
  const bool cut_;
  const bool busy_for_latency_;
  std::optional<LinkWatch> watch_;
};

}  // namespace

std::unique_ptr<Network> make_links_network(const NetworkConfig& config, const NetworkOptions& options,
                                            EventQueue& queue) {
  return std::make_unique<LinksNetwork>(config, options, queue);
}

}  // namespace convert
