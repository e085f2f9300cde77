// SPDX-License-Identifier: MIT
// Declares the networks that carry messages between NPUs: one interface, and three models of it.
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
#include "core/timeline.h"
#include "core/trace.h"
#include "simulate/engine/engine.h"
#include "simulate/networks/busy_bins.h"
#include "simulate/networks/link_order.h"
#include "simulate/networks/port_watch.h"

namespace convert {

class Symmetry;

// Numbers a message. The sender chooses a low number that no other message under way has, since networks index
// tables with it; the network returns it when the message arrives.
using MessageToken = std::uint32_t;
inline constexpr MessageToken no_message = 0xffffffff;

// Kinds of events. Those from event_network on belong to the network.
inline constexpr std::uint32_t event_npu = 0;      // the completions of one NPU that fall on this time
inline constexpr std::uint32_t event_receive = 1;  // a receive that was posted after its message had arrived
inline constexpr std::uint32_t event_arrival = 2;  // message `arg` is at its destination
inline constexpr std::uint32_t event_last = 3;     // the last message of a ring phase is there, for stream `arg`
inline constexpr std::uint32_t event_sent = 4;     // … has been sent: it is there later, see ClosedPhases
inline constexpr std::uint32_t event_network = 5;

// Holds what a directed wire has carried so far. A message counts when the wire begins to send it.
struct WireUse {
  std::uint32_t wire = 0;  // its number in the network
  Device from_device = 0;
  Device to_device = 0;
  std::string from;  // "npu3", "switch0", or the name of a switch in a list of wires
  std::string to;
  std::int64_t bytes = 0;
  std::uint32_t messages = 0;
  Picoseconds busy_ps = 0;       // up to the time asked for
  std::uint32_t peak_queue = 0;  // most messages that waited at once, without the one on the wire
};

// Says how a message comes to its destination if it meets no other.
struct WireHop {
  std::uint32_t wire = 0;
  Picoseconds busy = 0;     // the wire
  Picoseconds arrival = 0;  // of the message, or of its head, at the end of the wire
};
struct MessageWay {
  std::vector<WireHop> hops{};  // none in a model without wires
  Picoseconds delay = 0;        // there
};

// Carries messages. The order of events of one time is part of a model's contract (results depend on it wherever
// messages meet): send() and advance() push their events at once, in the order that the model states.
class Network {
 public:
  virtual ~Network() = default;
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  // Starts a message now: later either an event_arrival with `message` comes due, or advance() returns it. In the
  // model wires the message of highest priority takes a free wire first, of several the one that came first.
  virtual void send(Rank src, Rank dst, std::int64_t bytes, MessageToken message, std::int64_t priority) = 0;
  void send(Rank src, Rank dst, std::int64_t bytes, MessageToken message) { send(src, dst, bytes, message, 0); }
  // Gives a message, before it is sent, the way of a schedule in the table that use_turns() has set, which must
  // outlive the network. In the model wires only.
  virtual void use_turns(std::span<const LinkTurn> /*table*/) {}
  virtual void go_by(MessageToken /*message*/, const ScheduledWay& /*way*/) {}
  // Returns whether routes depend on tags. If so, set_tag() is called before each send(), with the tag of its
  // message.
  [[nodiscard]] virtual bool routes_by_tag() const { return false; }
  virtual void set_tag(std::int64_t /*tag*/) {}
  // Returns whether messages so far had a choice of equal-cost routes; in the model wires only.
  [[nodiscard]] virtual bool has_ties() const { return false; }
  // Returns the messages that wait for a turn which is another's.
  [[nodiscard]] virtual std::vector<HeldMessage> held() const { return {}; }
  // Handles an event of a kind ≥ event_network. Returns the message that has arrived by it, or no_message.
  virtual MessageToken advance(Event event) = 0;
  // Fetch what advance() will need: first call the one, some time later the other.
  virtual void prefetch(Event /*event*/) const {}
  virtual void prefetch_more(Event /*event*/) const {}
  // Fetches what send() will need of a message that is not under way.
  virtual void prefetch_new(MessageToken /*message*/) const {}
  // Handles any event that send() or advance() has pushed, and returns the same.
  MessageToken handle(Event event) { return event.kind() == event_arrival ? event.arg() : advance(event); }
  // Returns the delay of such a message in a network without contention, where other messages never change it: the
  // sender may then push its event_arrival in place of send(), unless the network watches messages. src != dst.
  [[nodiscard]] virtual std::optional<Picoseconds> fixed_delay(Rank, Rank, std::int64_t) const { return {}; }
  [[nodiscard]] virtual bool watches_messages() const { return false; }
  // Watches a message that is sent at `begin`, now or later, without carrying it.
  virtual void watch(Rank /*src*/, Rank /*dst*/, std::int64_t /*bytes*/, Picoseconds /*begin*/) {}
  // Returns the way of such a message, on which messages take each wire in the order in which they come to it, for
  // as long as it says; nothing where that may not be so.
  [[nodiscard]] virtual std::optional<MessageWay> way(Rank, Rank, std::int64_t) { return {}; }
  // Returns whether nothing is on a wire, nor waits for it.
  [[nodiscard]] virtual bool is_idle(std::uint32_t /*wire*/) const { return true; }
  // Returns the wires that carried a message until `end`, the current simulated time, if
  // NetworkOptions::count_wires asks for them; none in a model without wires.
  [[nodiscard]] virtual std::vector<WireUse> wire_use(Picoseconds /*end*/) const { return {}; }
  // Returns when messages were on links, if NetworkOptions::log_hops asks for it; in the model wires only.
  [[nodiscard]] virtual std::vector<HopSlice> logged_hops() const { return {}; }
  // Returns when they were busy, if NetworkOptions::bin_wires asks for it; null in a model without wires.
  [[nodiscard]] virtual const BusyBins* busy_bins() const { return nullptr; }
  // Returns the port of an NPU that the messages exceeded most until `end`, if NetworkOptions::watch_ports asks for
  // it; in the model unaware only. May be called once.
  [[nodiscard]] virtual std::optional<PortLoad> worst_port(Picoseconds /*end*/) { return {}; }
  // Returns the name of a wire, "npu0>npu1", in a model with wires.
  [[nodiscard]] virtual std::string wire_name(std::uint32_t) const { return {}; }

 protected:
  explicit Network(EventQueue& queue) : queue_(queue) {}
  EventQueue& queue_;
};

// Says how messages share wires.
// unaware: each message gets latency and full bandwidth, whatever else is under way.
// aware: directed wires with first-in-first-out queues; a message is stored and forwarded whole at each hop.
// wires: like aware, but to the picosecond and on any topology (the others take only products), with the options
// below.
enum class NetworkModel : std::uint8_t { unaware, aware, wires };
[[nodiscard]] std::string_view name(NetworkModel model);
// Returns whether the model is one of ASTRA-sim's, whose time is whole nanoseconds: everything takes one at least.
[[nodiscard]] constexpr bool counts_whole_ns(NetworkModel model) { return model != NetworkModel::wires; }

// Says how long a message keeps a wire: for its bytes (beta), or for the latency too (alpha_beta).
enum class Occupancy : std::uint8_t { beta, alpha_beta };
[[nodiscard]] std::string_view name(Occupancy occupancy);  // "beta", "alpha-beta"

// Holds the model and its options. Occupancy, forwarding, routing, multipath and failed are for the model wires
// only.
struct NetworkOptions {
  NetworkModel model = NetworkModel::unaware;
  Occupancy occupancy = Occupancy::beta;
  std::optional<Forwarding> forwarding{};  // switches if not given
  std::optional<Routing> routing{};        // see make_router
  std::optional<Multipath> multipath{};    // split if not given; single if hops are logged
  std::uint64_t multipath_seed = 0;        // of hash
  std::vector<std::string> failed{};       // "3-4", "npu3-switch0", "3>4"; see remove_failed_wires
  bool count_wires = false;                // for Network::wire_use; aware and wires
  bool bin_wires = false;                  // with count_wires, for Network::busy_bins
  bool log_hops = false;                   // for Network::logged_hops; wires
  std::uint32_t wires_like = 1;            // for how many wires each stands there
  bool watch_ports = false;                // for Network::worst_port; unaware
  bool names_links = false;                // messages have routes of schedules; wires

  // Returns how messages share routes of equal cost.
  [[nodiscard]] RouteSpread spread() const {
    return {multipath.value_or(log_hops ? Multipath::single : Multipath::split), multipath_seed, names_links};
  }
};
// Throws Error(usage) if the model does not take the network or an option. make_network checks the devices that
// routing and failed wires name.
void check_network_options(const NetworkConfig& config, const NetworkOptions& options);

// Returns whether an NPU can send to itself: only through the switch of a one-dimensional network, aware or wires.
[[nodiscard]] bool can_send_to_self(const NetworkConfig& config, NetworkModel model);

// Makes the network. Throws as check_network_options does, and for wires as make_router. `observer` is told of
// packets; with a symmetry only representatives send, and their wires stand for all. Refers to queue and observer.
template <class Observer>
[[nodiscard]] std::unique_ptr<Network> make_network(const NetworkConfig& config, const NetworkOptions& options,
                                                    EventQueue& queue, Observer& observer);
[[nodiscard]] std::unique_ptr<Network> make_network(const NetworkConfig& config, const NetworkOptions& options,
                                                    EventQueue& queue);

// Returns `ns` nanoseconds, cut to whole ones, in picoseconds. Throws Error beyond 106 days.
[[nodiscard]] Picoseconds truncate_delay(double ns);

// Make the network of one model each. `symmetry` may be null.
[[nodiscard]] std::unique_ptr<Network> make_unaware_network(const NetworkConfig& config, bool watch_ports,
                                                            const Symmetry* symmetry, EventQueue& queue);
template <class Observer>
[[nodiscard]] std::unique_ptr<Network> make_aware_network(const NetworkConfig& config,
                                                          const NetworkOptions& options, EventQueue& queue,
                                                          Observer& observer);
template <class Observer>
[[nodiscard]] std::unique_ptr<Network> make_wires_network(const NetworkConfig& config,
                                                          const NetworkOptions& options, EventQueue& queue,
                                                          Observer& observer);

}  // namespace convert
