// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <span>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "config/network/routes.h"
#include "core/diagnostic.h"
#include "simulate/engine/pool.h"
#include "simulate/explain/causes.h"
#include "simulate/networks/network.h"
#include "simulate/networks/wire_table.h"
#include "simulate/symmetry/order_observer.h"
#include "simulate/symmetry/ordered_causes.h"

namespace convert {
namespace {

constexpr std::uint32_t most_parts = 64;  // of a message; more parts would hardly change its time

constexpr std::uint32_t event_share_free = event_network + 2;  // share `arg` of a link is free again

// Per-link queues on any topology, in picoseconds. Messages queue for a link in the order in which they (with cut:
// their heads) reach it, higher priority first. Messages of one tick queue in the order in which their last links
// took them. If a link becomes free in the tick in which a message reaches it, it serves the waiting messages
// first.
//
// With cut forwarding, a message that comes over slower links needs only a share of a faster link. Other messages
// that fit in the rest of the link are sent beside it. A fast link after slow links therefore carries the sum of
// their bandwidths.
//
// A message that is split over routes of equal cost (see Multipath) continues as several packets. It arrives with
// the last packet.
template <class Observer>
class WiresNetwork final : public Network {
 public:
  WiresNetwork(const NetworkConfig& config, const NetworkOptions& options, EventQueue& queue, Observer& observer)
      : Network(queue),
        router_(make_router(config, options.routing, options.failed, options.spread())),
        table_(router_->wires(), options),
        splits_(router_->spread().multipath == Multipath::split ? 1 : 0),
        by_tag_(router_->spread().multipath == Multipath::hash),
        npus_(static_cast<Device>(config.npus())),
        first_cut_(first_cut(config, options.forwarding.value_or(Forwarding::switches))),
        busy_for_latency_(options.occupancy == Occupancy::alpha_beta),
        logs_hops_(options.log_hops),
        observer_(observer) {}

  void send(Rank src, Rank dst, std::int64_t bytes, MessageToken message, std::int64_t priority) override {
    const std::uint32_t p = message << splits_;
    Packet& k = table_.new_packet(p);
    k.bytes = bytes;
    k.priority = priority;
    k.tail_ps = 0;
    least_priority_ = std::min(least_priority_, priority);
    k.position = {.at = src, .dst = dst};
    if (by_tag_) k.position.phase = router_->flow(src, dst, tag_);
    if (logs_hops_) log_sent(p, src, k);
    if (detour_.first != no_device) begin_detour(message, k);
    observer_.launched(p, message);
    take_hop(p, k);
  }

  void use_turns(std::span<const LinkTurn> table) override { order_.emplace(table, *router_); }
  void go_by(MessageToken message, const ScheduledWay& way) override {
    if (way.through != no_device) {
      detour_ = {.first = way.through, .second = way.then};
    } else {
      order_->begin(message, way);
    }
  }
  [[nodiscard]] bool routes_by_tag() const override { return by_tag_; }
  void set_tag(std::int64_t tag) override { tag_ = tag; }
  // Messages with named links may leave no choice to others. In that case only actual splits count.
  [[nodiscard]] bool has_ties() const override {
    return router_->has_ties() && (splits_ == 0 || !router_->spread().names_links || has_split_);
  }
  [[nodiscard]] std::vector<HeldMessage> held() const override {
    return order_ ? order_->held() : std::vector<HeldMessage>();
  }

  MessageToken advance(Event event) override {
    if (event.kind() == event_wire_free) {
      observer_.wire_frees(event.arg());
      serve_next(event.arg());
      return no_message;
    }
    if (event.kind() == event_share_free) {
      free_share(event.arg());
      return no_message;
    }
    observer_.hop_ends(event.arg());
    Packet& k = table_.packet(event.arg());
    if (is_last(k)) return splits_ == 0 ? event.arg() : end_packet(event.arg());
    if (k.position.at == k.position.dst) k.position.dst = detours_[message_of(event.arg())].after(k.position.at);
    take_hop(event.arg(), k);
    return no_message;
  }

  [[nodiscard]] std::optional<MessageWay> way(Rank src, Rank dst, std::int64_t bytes) override;
  [[nodiscard]] bool is_idle(std::uint32_t wire) const override { return table_.is_idle(wire); }
  void prefetch(Event event) const override {
    if (event.kind() == event_hop) table_.prefetch_packet(event.arg());
    if (event.kind() == event_wire_free) table_.prefetch_wire(event.arg());
  }
  void prefetch_more(Event event) const override {
    if (event.kind() == event_wire_free) table_.prefetch_first(event.arg());
  }
  void prefetch_new(MessageToken message) const override { table_.prefetch_new(message << splits_); }

  [[nodiscard]] std::string wire_name(std::uint32_t wire) const override {
    const std::vector<RoutedLink> links = router_->links(wire);
    const std::string more = links.size() == 1 ? "" : " and " + std::to_string(links.size() - 1) + " more";
    return router_->device_name(links[0].from) + '>' + router_->device_name(links[0].to) + more;
  }
  [[nodiscard]] std::vector<WireUse> wire_use(Picoseconds end) const override {
    std::vector<std::pair<std::uint32_t, WireUse>> all;  // by link number
    for (const WireUse& u : table_.use(end, [](std::uint32_t, WireUse&) {})) {
      const std::vector<RoutedLink> links = router_->links(u.wire);
      double left = 0;  // bandwidth of the remaining links
      for (const RoutedLink& link : links) left += link.bytes_per_ns;
      std::int64_t bytes = u.bytes;
      for (const RoutedLink& link : links) {
        WireUse& of_link = all.emplace_back(link.number, u).second;
        of_link.from_device = link.from;
        of_link.to_device = link.to;
        of_link.from = router_->device_name(link.from);
        of_link.to = router_->device_name(link.to);
        const double share = static_cast<double>(bytes) * (link.bytes_per_ns / left);
        of_link.bytes = std::min(bytes, static_cast<std::int64_t>(std::llround(share)));
        bytes -= of_link.bytes;
        left -= link.bytes_per_ns;
      }
    }
    std::ranges::stable_sort(all, {}, &std::pair<std::uint32_t, WireUse>::first);
    std::vector<WireUse> out;
    for (auto& [number, use] : all) out.push_back(std::move(use));
    return out;
  }
  [[nodiscard]] std::vector<HopSlice> logged_hops() const override { return hops_; }
  [[nodiscard]] const BusyBins* busy_bins() const override { return table_.bins(); }

 private:
  struct Packet {
    std::int64_t bytes;
    std::int64_t priority;
    Picoseconds tail_ps;  // cut: when the last byte reaches the device where the head is
    Hop hop;              // the link on which the packet travels or for which it waits
    Position position;    // at the end of that link
    std::uint32_t next;
  };

  // Shares in use of a link whose messages need only a share each.
  struct Shares {
    double used = 0;  // at most 1
    std::uint32_t count = 0;
  };
  struct Share {
    std::uint32_t wire = 0;
    double part = 0;
    std::uint32_t cause = 0;
  };

  // Cached transmission time of a message; most messages have one of few sizes.
  struct Time {
    std::int64_t bytes = -1;
    double bytes_per_ns = 0;
    Picoseconds time = 0;
  };

  // Returns the first of the devices that forward a message when its head has arrived; all later devices do so too.
  static Device first_cut(const NetworkConfig& config, Forwarding forwarding) {
    if (forwarding == Forwarding::cut) return 0;
    return forwarding == Forwarding::store ? UINT32_MAX : static_cast<Device>(config.npus());
  }

  void take_hop(std::uint32_t p, Packet& k) {
    if (order_ && (p & splits_) == 0 && order_->has(p >> splits_)) return take_turn(p, k);
    if (splits_ != 0) {
      const std::span<const std::uint32_t> tied = router_->ties(k.position);
      if (!tied.empty()) return part(p, k, tied);
    }
    k.hop = router_->step(k.position);
    enter(p, k);
  }
  // Takes a hop of a schedule, if the link expects the message next, and then the hops of the messages it releases.
  [[gnu::noinline]] void take_turn(std::uint32_t p, Packet& k) {
    const Device from = k.position.at;
    const auto [wire, to] = order_->next_link(p >> splits_, from);
    k.hop = router_->hop(wire);
    k.position.at = to;
    const std::uint32_t run = order_->run_of(p >> splits_);
    if (!order_->take(p >> splits_, wire, from)) return;
    enter(p, k);
    while (const std::optional<std::uint32_t> next = order_->released(run, wire))
      enter(*next << splits_, table_.packet(*next << splits_));
  }

  // Splits a packet over links of equal cost, in proportion to their bandwidths. A message takes at most
  // `most_parts` routes; further packets take one link each, in rotation.
  [[gnu::noinline]] void part(std::uint32_t p, Packet& k, std::span<const std::uint32_t> tied) {
    has_split_ = true;
    const MessageToken message = message_of(p);
    if (more_parts_.size() <= message) more_parts_.resize(std::size_t{message} + 1);
    if (more_parts_[message] + tied.size() > most_parts) {
      k.hop = router_->take(k.position, tied[p / 2 % tied.size()]);
      return enter(p, k);
    }
    double sum = 0;
    for (const std::uint32_t wire : tied) sum += router_->hop(wire).bytes_per_ns;
    const Packet whole = k;
    const std::int64_t bytes = whole.bytes;
    std::int64_t begin = 0;
    double share = 0;
    for (const std::uint32_t wire : tied) {
      share += router_->hop(wire).bytes_per_ns;
      const bool is_last = wire == tied.back();
      const std::int64_t end =
          is_last ? bytes
                  : std::clamp(static_cast<std::int64_t>(static_cast<double>(bytes) * (share / sum)), begin, bytes);
      if (end == begin && !(is_last && begin == 0)) continue;  // an empty message has one part
      const std::uint32_t q = begin == 0 ? p : add_part(message, whole);
      Packet& piece = table_.packet(q);
      piece.bytes = end - std::exchange(begin, end);
      piece.position = whole.position;
      piece.hop = router_->take(piece.position, wire);
      enter(q, piece);
    }
  }
  // Routes a message through the switches that it names, before its destination.
  [[gnu::noinline]] void begin_detour(MessageToken message, Packet& k) {
    if (detours_.size() <= message) detours_.resize(std::size_t{message} + 1);
    Detour& detour = detours_[message] = std::exchange(detour_, {});
    detour.last = std::exchange(k.position.dst, detour.first);
  }
  // Returns whether a packet is at its destination, which is an NPU, or on the last link to it.
  [[nodiscard]] bool is_last(const Packet& k) const {
    return k.position.at == k.position.dst && k.position.dst < npus_;
  }
  // Adds a packet to a message, as a copy of `whole`.
  std::uint32_t add_part(MessageToken message, const Packet& whole) {
    ++more_parts_[message];
    const std::uint32_t q = parts_.add({.message = message}) * 2 + 1;
    table_.new_packet(q) = whole;
    observer_.launched(q, message);
    return q;
  }
  [[nodiscard]] MessageToken message_of(std::uint32_t p) const {
    if (splits_ == 0) return p;
    return p % 2 == 0 ? p / 2 : parts_[p / 2].message;
  }
  // Handles a packet's arrival at its destination. Returns the message if this is its last packet.
  [[gnu::noinline]] MessageToken end_packet(std::uint32_t p) {
    const MessageToken message = message_of(p);
    if (p % 2 != 0) parts_.remove(p / 2);
    if (message >= more_parts_.size() || more_parts_[message] == 0) return message;
    --more_parts_[message];
    return no_message;
  }
  void enter(std::uint32_t p, Packet& k) {
    k.hop.wire = observer_.comes(p, k.hop.wire);
    const auto sooner = [](const Packet& a, const Packet& b) { return a.priority > b.priority; };
    if (!shares_.empty()) {
      const auto at = shares_.find(k.hop.wire);
      if (at != shares_.end() && table_.waiting(k.hop.wire) == 0 && fits(k, at->second))
        return transmit_share(p, k, at->second);
    }
    // Messages rarely go before others; if not, the queue is not searched.
    const bool first =
        k.priority <= least_priority_ ? table_.enter(k.hop.wire, p) : table_.enter(k.hop.wire, p, sooner);
    if (first) transmit(p, k);
  }

  void serve_next(std::uint32_t wire) {
    const std::uint32_t p = table_.leave(wire);
    if (p == table_.none) return;
    transmit(p, table_.packet(p));
    serve_beside(wire);
  }
  // Serves messages that wait for a link whose capacity is only partly in use.
  void serve_beside(std::uint32_t wire) {
    for (auto at = shares_.find(wire); at != shares_.end() && table_.waiting(wire) != 0;) {
      const std::uint32_t p = table_.first(wire);
      if (!fits(table_.packet(p), at->second)) return;
      table_.leave(wire);
      transmit_share(p, table_.packet(p), at->second);
    }
  }
  void free_share(std::uint32_t number) {
    const Share share = share_pool_[number];
    share_pool_.remove(number);
    observer_.share_frees(share.cause);
    const auto at = shares_.find(share.wire);
    at->second.used -= share.part;
    if (--at->second.count != 0) return serve_beside(share.wire);
    shares_.erase(at);
    serve_next(share.wire);
  }

  // The bytes alone, and the time until the last byte has left, which cannot precede its arrival.
  [[nodiscard]] Picoseconds wire_time(const Packet& k) {
    Time& last = last_[static_cast<std::uint64_t>(k.bytes) % last_.size()];
    if (last.bytes != k.bytes || last.bytes_per_ns != k.hop.bytes_per_ns)
      last = {k.bytes, k.hop.bytes_per_ns, round_to_ps(static_cast<double>(k.bytes) / k.hop.bytes_per_ns)};
    return last.time;
  }
  [[nodiscard]] Picoseconds time_alone(const Packet& k, Picoseconds wire) const {
    return std::max(wire, k.tail_ps - queue_.now());
  }
  // Returns the share of its link that the message can use.
  [[nodiscard]] double usable(const Packet& k, Picoseconds wire) const {
    const Picoseconds alone = time_alone(k, wire);
    return alone <= wire ? 1 : static_cast<double>(std::max<Picoseconds>(wire, 1)) / static_cast<double>(alone);
  }
  // Returns whether at least half of the share that the message can use is free.
  [[nodiscard]] bool fits(const Packet& k, const Shares& shares) {
    return 1 - shares.used >= usable(k, wire_time(k)) / 2;
  }

  void transmit(std::uint32_t p, Packet& k) {
    const Picoseconds wire = wire_time(k);
    if (k.tail_ps - queue_.now() > wire) return transmit_share(p, k, shares_[k.hop.wire]);
    const Picoseconds busy = send_on(p, k, wire);
    queue_.push_after(busy, k.hop.wire, event_wire_free);
    table_.count(k.hop.wire, k.bytes, queue_.now(), busy);
    observer_.takes_wire(p, k.hop.wire, k.bytes);
  }
  void transmit_share(std::uint32_t p, Packet& k, Shares& shares) {
    const Picoseconds wire = wire_time(k);
    const double part = std::min(usable(k, wire), 1 - shares.used);
    shares.used += part;
    ++shares.count;
    const auto sent = round_to_ps(static_cast<double>(wire) / part / static_cast<double>(ps_per_ns));
    const std::uint32_t number = share_pool_.add({.wire = k.hop.wire, .part = part, .cause = 0});
    queue_.push_after(send_on(p, k, std::max(sent, time_alone(k, wire))), number, event_share_free);
    table_.count(k.hop.wire, k.bytes, queue_.now(), wire);
    observer_.takes_wire(p, k.hop.wire, k.bytes);
    share_pool_[number].cause = observer_.cause_on(k.hop.wire);
  }
  // Sends a message whose last byte leaves after `sent`. Returns how long it occupies its share of the link; the
  // caller must schedule that end after this call.
  Picoseconds send_on(std::uint32_t p, Packet& k, Picoseconds sent) {
    const Picoseconds latency = k.hop.latency_ps;
    const bool last = is_last(k);
    Picoseconds arrival = EventQueue::sum(sent, latency);
    k.tail_ps = EventQueue::sum(queue_.now(), arrival);
    if (logs_hops_) log_hop(p, k);
    if (!last && k.position.at >= first_cut_) arrival = latency;  // of the head
    queue_.push_after(arrival, p, last && !Observer::sees_hops && splits_ == 0 ? event_arrival : event_hop);
    return busy_for_latency_ ? EventQueue::sum(sent, latency) : sent;
  }

  void log_sent(std::uint32_t p, Rank src, const Packet& k) {
    if (logged_.size() <= p) logged_.resize(std::size_t{p} + 1);
    logged_[p] = {.message = sent_++, .src = src, .dst = k.position.dst, .bytes = k.bytes};
  }
  void log_hop(std::uint32_t p, const Packet& k) {
    HopSlice& hop = hops_.emplace_back(logged_[p]);
    hop.to = k.position.at;
    hop.begin_ps = queue_.now();
    hop.end_ps = k.tail_ps;
  }

  std::unique_ptr<Router> router_;
  std::optional<LinkOrder> order_;  // for scheduled messages
  WireTable<Packet> table_;
  // 1: messages may be split. Packet 2m is message m, or its first part; other parts have odd numbers.
  const std::uint32_t splits_;
  const bool by_tag_;
  bool has_split_ = false;  // a message was split over routes of equal cost
  std::int64_t tag_ = 0;
  struct Part {
    MessageToken message = 0;
  };
  Pool<Part, &Part::message> parts_;
  std::vector<std::uint32_t> more_parts_;  // by message: number of its packets under way, less one
  const Device npus_;
  struct Detour {
    Device first = no_device;
    Device second = no_device;  // none: continues to the last device
    Device last = no_device;
    // Returns the next destination of a packet. The packets of one message reach a switch one by one.
    [[nodiscard]] Device after(Device at) const {
      return at == first && second != no_device && second != first ? second : last;
    }
  };
  Detour detour_;                // of the next message to be sent
  std::vector<Detour> detours_;  // by message that names switches on its route
  std::int64_t least_priority_ = std::numeric_limits<std::int64_t>::max();  // of all messages so far
  const Device first_cut_;
  std::array<Time, 16> last_{};
  std::unordered_map<std::uint32_t, Shares> shares_;  // by link; links without shares in use are absent
  Pool<Share, &Share::wire> share_pool_;
  const bool busy_for_latency_;
  const bool logs_hops_;
  std::vector<HopSlice> hops_;
  std::vector<HopSlice> logged_;  // by message under way: the common fields of its hops
  std::uint32_t sent_ = 0;
  Observer& observer_;
};

// Messages on links of equal bandwidth never need only a share.
template <class Observer>
std::optional<MessageWay> WiresNetwork<Observer>::way(Rank src, Rank dst, std::int64_t bytes) {
  if (src == dst) return {};
  MessageWay way;
  Packet k{};
  k.bytes = bytes;
  k.position = {.at = src, .dst = dst};
  double bytes_per_ns = 0;
  if (by_tag_) return {};
  while (k.position.at != dst) {
    if (splits_ != 0 && !router_->ties(k.position).empty()) return {};
    k.hop = router_->step(k.position);
    if (!way.hops.empty() && k.hop.bytes_per_ns != bytes_per_ns) return {};
    bytes_per_ns = k.hop.bytes_per_ns;
    const Picoseconds sent = wire_time(k);
    const Picoseconds whole = EventQueue::sum(sent, k.hop.latency_ps);
    const bool head = k.position.at != dst && k.position.at >= first_cut_;
    way.hops.push_back({k.hop.wire, busy_for_latency_ ? whole : sent, head ? k.hop.latency_ps : whole});
  }
  return way;
}

}  // namespace

template <class Observer>
std::unique_ptr<Network> make_wires_network(const NetworkConfig& config, const NetworkOptions& options,
                                            EventQueue& queue, Observer& observer) {
  return std::make_unique<WiresNetwork<Observer>>(config, options, queue, observer);
}
template std::unique_ptr<Network> make_wires_network(const NetworkConfig&, const NetworkOptions&, EventQueue&,
                                                     NoObserver&);
template std::unique_ptr<Network> make_wires_network(const NetworkConfig&, const NetworkOptions&, EventQueue&,
                                                     OrderObserver&);
template std::unique_ptr<Network> make_wires_network(const NetworkConfig&, const NetworkOptions&, EventQueue&,
                                                     Causes&);
template std::unique_ptr<Network> make_wires_network(const NetworkConfig&, const NetworkOptions&, EventQueue&,
                                                     OrderedCauses&);

}  // namespace convert
