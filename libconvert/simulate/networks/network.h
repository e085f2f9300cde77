// SPDX-License-Identifier: MIT
// Networks that carry messages between NPUs: one interface with three models.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/network/forwarding.h"
#include "config/network/multipath.h"
#include "config/network/network.h"
#include "config/network/routes.h"
#include "core/algorithm/algorithm.h"
#include "core/timeline.h"
#include "core/trace.h"
#include "simulate/engine/engine.h"
#include "simulate/networks/busy_bins.h"
#include "simulate/networks/call_flow.h"
#include "simulate/networks/link_order.h"
#include "simulate/networks/port_watch.h"

namespace convert {

class Symmetry;

// Number of a message. The sender chooses a low number that no other message under way has, since networks
// index tables with it. The network returns the number when the message arrives.
using MessageToken = std::uint32_t;
inline constexpr MessageToken no_message = 0xffffffff;

// Kinds of events. Kinds from event_network on belong to the network.
inline constexpr std::uint32_t event_npu = 0;      // the completions of one NPU at this time
inline constexpr std::uint32_t event_receive = 1;  // a receive that was posted after the arrival of its message
inline constexpr std::uint32_t event_arrival = 2;  // message `arg` is at its destination
inline constexpr std::uint32_t event_last = 3;     // the last message of a ring phase has arrived, for stream `arg`
inline constexpr std::uint32_t event_sent = 4;     // the last message was sent and arrives later; see ClosedPhases
inline constexpr std::uint32_t event_call = 5;     // perhaps a call of Network::begin_call() ends: see take_call()
inline constexpr std::uint32_t event_network = 6;

// Traffic of a directed link so far. A message counts from the start of its transmission.
struct WireUse {
  std::uint32_t wire = 0;  // number of the link in the network
  Device from_device = 0;
  Device to_device = 0;
  std::string from;  // "npu3", "switch0", or the name of a switch in a list of links
  std::string to;
  std::int64_t bytes = 0;
  std::uint32_t messages = 0;
  Picoseconds busy_ps = 0;       // up to the time of the query
  std::uint32_t peak_queue = 0;  // maximum number of waiting messages, excluding the message on the link
};

// Timing of a hop of a message that meets no others.
struct WireHop {
  std::uint32_t wire = 0;
  Picoseconds busy = 0;     // time for which the link is busy
  Picoseconds arrival = 0;  // when the message, or its head, is at the end of the link
};
struct MessageWay {
  std::vector<WireHop> hops{};  // empty in a model without links
  Picoseconds delay = 0;        // in a model without links
};

// Carries messages. The order of simultaneous events is part of a model's contract, as results depend on it if
// messages meet. send() and advance() push their events at once, in the order that the model documents.
class Network {
 public:
  virtual ~Network() = default;
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  // Starts a message now. Later, either an event_arrival with `message` comes due, or advance() returns the
  // message. In the model links, a free link first takes the message of highest priority, and among equals the
  // first to come.
  virtual void send(Rank src, Rank dst, std::int64_t bytes, MessageToken message, std::int64_t priority) = 0;
  void send(Rank src, Rank dst, std::int64_t bytes, MessageToken message) { send(src, dst, bytes, message, 0); }
  // use_turns() sets the table of routes of schedules, which must outlive the network. go_by() gives a message a
  // route in that table, before the message is sent. Only in the model links.
  virtual void use_turns(std::span<const LinkTurn> /*table*/) {}
  virtual void go_by(MessageToken /*message*/, const ScheduledWay& /*way*/) {}
  // Returns whether routes depend on tags. If so, set_tag() is called before each send(), with the message's tag.
  [[nodiscard]] virtual bool routes_by_tag() const { return false; }
  virtual void set_tag(std::int64_t /*tag*/) {}
  // Returns whether messages so far had a choice of equal-cost routes. Only in the model links.
  [[nodiscard]] virtual bool has_ties() const { return false; }
  // Returns the messages that wait for lower sequence numbers on a link.
  [[nodiscard]] virtual std::vector<HeldMessage> held() const { return {}; }
  // Starts call `call` of the members now; with a symmetry, of the representatives among them. At its end, an
  // event_call comes due. Only in the model fair.
  virtual void begin_call(std::uint32_t /*call*/, const CallFlow& /*flow*/, std::span<const Rank> /*members*/) {}
  // Returns the call that ends with the event_call of argument `arg`; nothing if the call now ends at another time.
  [[nodiscard]] virtual std::optional<std::uint32_t> take_call(std::uint32_t /*arg*/) { return {}; }
  // Declares, before send(), that the next message is of an algorithm, with this protocol if it states one. Only in
  // the model fair.
  virtual void next_is_of_program(std::optional<Protocol> /*protocol*/) {}
  // Handles an event of a kind ≥ event_network. Returns the message that it delivers, or no_message.
  virtual MessageToken advance(Event event) = 0;
  // Prefetch the data that advance() will need: call prefetch() first, and prefetch_more() some time later.
  virtual void prefetch(Event /*event*/) const {}
  virtual void prefetch_more(Event /*event*/) const {}
  // Prefetches the data that send() will need for a message that is not under way.
  virtual void prefetch_new(MessageToken /*message*/) const {}
  // Handles any event that send() or advance() has pushed. Returns the message that it delivers, or no_message.
  MessageToken handle(Event event) { return event.kind() == event_arrival ? event.arg() : advance(event); }
  // Returns the delay of a message in a network without contention, which is independent of other messages. The
  // sender may then push its event_arrival instead of calling send(), unless the network watches messages. src !=
  // dst.
  [[nodiscard]] virtual std::optional<Picoseconds> fixed_delay(Rank, Rank, std::int64_t) const { return {}; }
  [[nodiscard]] virtual bool watches_messages() const { return false; }
  // Watches a message that is sent at `begin`, now or later, without carrying it.
  virtual void watch(Rank /*src*/, Rank /*dst*/, std::int64_t /*bytes*/, Picoseconds /*begin*/) {}
  // Returns the route of a message and its times on each link, if messages take each link in the order in which
  // they reach it; nothing otherwise.
  [[nodiscard]] virtual std::optional<MessageWay> way(Rank, Rank, std::int64_t) { return {}; }
  // Returns whether no message is on a link or waits for it.
  [[nodiscard]] virtual bool is_idle(std::uint32_t /*wire*/) const { return true; }
  // Returns the links that carried a message until `end`, the current simulated time, if
  // NetworkOptions::count_wires is set; empty in a model without links.
  [[nodiscard]] virtual std::vector<WireUse> wire_use(Picoseconds /*end*/) const { return {}; }
  // Returns the times of messages on links, if NetworkOptions::log_hops is set. Only in the model links.
  [[nodiscard]] virtual std::vector<HopSlice> logged_hops() const { return {}; }
  // Returns the busy times of links, if NetworkOptions::bin_wires is set; null in a model without links.
  [[nodiscard]] virtual const BusyBins* busy_bins() const { return nullptr; }
  // Returns the NPU port whose bandwidth messages exceeded most until `end`, if NetworkOptions::watch_ports is set.
  // Only in the model unaware. May be called once.
  [[nodiscard]] virtual std::optional<PortLoad> worst_port(Picoseconds /*end*/) { return {}; }
  // Returns the name of a link, "npu0>npu1", in a model with links.
  [[nodiscard]] virtual std::string wire_name(std::uint32_t) const { return {}; }

 protected:
  explicit Network(EventQueue& queue) : queue_(queue) {}
  EventQueue& queue_;
};

// How messages share links.
// - unaware: each message has the latency and full bandwidth, independent of other messages.
// - aware: directed links with first-in-first-out queues; a message is stored and forwarded whole at each hop.
// - links: like aware, but in picoseconds and on any topology (the others accept only products of dimensions), with
//   the options below.
// - fair: on a machine, collective calls and messages take their measured or calculated times; those that use one
//   port or adapter at a time share it max-min fairly.
enum class NetworkModel : std::uint8_t { unaware, aware, wires, fair };
[[nodiscard]] std::string_view name(NetworkModel model);
// Returns whether the model is one of ASTRA-sim's. These count whole nanoseconds: every delay is at least 1 ns.
[[nodiscard]] constexpr bool counts_whole_ns(NetworkModel model) {
  return model == NetworkModel::unaware || model == NetworkModel::aware;
}

// How long a message occupies a link: for its bytes (beta), or also for the latency (alpha_beta).
enum class Occupancy : std::uint8_t { beta, alpha_beta };
[[nodiscard]] std::string_view name(Occupancy occupancy);  // "beta", "alpha-beta"

// A network model and its options. Occupancy, forwarding, routing, multipath and failed are for the model links
// only.
struct NetworkOptions {
  NetworkModel model = NetworkModel::unaware;
  Occupancy occupancy = Occupancy::beta;
  std::optional<Forwarding> forwarding{};  // default: switches
  std::optional<Routing> routing{};        // see make_router
  std::optional<Multipath> multipath{};    // default: split, or single if hops are logged
  std::uint64_t multipath_seed = 0;        // for hash
  std::vector<std::string> failed{};       // "3-4", "npu3-switch0", "3>4"; see remove_failed_wires
  bool count_wires = false;                // enables Network::wire_use; aware and links
  bool bin_wires = false;                  // enables Network::busy_bins; requires count_wires
  bool log_hops = false;                   // enables Network::logged_hops; links
  std::uint32_t wires_like = 1;            // number of links that each link represents there
  bool watch_ports = false;                // enables Network::worst_port; unaware
  bool names_links = false;                // messages have routes of schedules; links

  // Returns how messages share routes of equal cost.
  [[nodiscard]] RouteSpread spread() const {
    return {multipath.value_or(log_hops ? Multipath::single : Multipath::split), multipath_seed, names_links};
  }
};
// Throws Error(usage) if the model does not accept the network or an option. Devices named by routing and failed
// links are checked by make_network.
void check_network_options(const NetworkConfig& config, const NetworkOptions& options);

// Returns whether an NPU can send to itself: only through the switch of a one-dimensional network, aware or links.
[[nodiscard]] bool can_send_to_self(const NetworkConfig& config, NetworkModel model);

// Creates the network. Throws as check_network_options does, and for the model links as make_router. `observer` is
// notified of packets. With a symmetry, only representatives send, and their links represent all links. The network
// keeps references to queue and observer.
template <class Observer>
[[nodiscard]] std::unique_ptr<Network> make_network(const NetworkConfig& config, const NetworkOptions& options,
                                                    EventQueue& queue, Observer& observer);
[[nodiscard]] std::unique_ptr<Network> make_network(const NetworkConfig& config, const NetworkOptions& options,
                                                    EventQueue& queue);

// Returns `ns` nanoseconds in picoseconds, truncated to whole nanoseconds. Throws Error beyond 106 days.
[[nodiscard]] Picoseconds truncate_delay(double ns);

// Create the network of one model each. `symmetry` may be null.
[[nodiscard]] std::unique_ptr<Network> make_unaware_network(const NetworkConfig& config, bool watch_ports,
                                                            const Symmetry* symmetry, EventQueue& queue);
template <class Observer>
[[nodiscard]] std::unique_ptr<Network> make_fair_network(const NetworkConfig& config, EventQueue& queue,
                                                         Observer& observer);
template <class Observer>
[[nodiscard]] std::unique_ptr<Network> make_aware_network(const NetworkConfig& config,
                                                          const NetworkOptions& options, EventQueue& queue,
                                                          Observer& observer);
template <class Observer>
[[nodiscard]] std::unique_ptr<Network> make_wires_network(const NetworkConfig& config,
                                                          const NetworkOptions& options, EventQueue& queue,
                                                          Observer& observer);

}  // namespace convert
