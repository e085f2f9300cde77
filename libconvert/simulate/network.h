// SPDX-License-Identifier: MIT
// What carries messages between NPUs: the one virtual interface of the simulator.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "config/network.h"
#include "core/trace.h"
#include "simulate/engine.h"

namespace convert {

// Whoever sends chooses the number; the network hands it back at the arrival.
using MessageToken = std::uint32_t;
inline constexpr MessageToken no_message = 0xffffffff;

// Kinds of events. Those from event_network on belong to the network.
inline constexpr std::uint32_t event_npu = 0;      // the completions of one NPU that fall on this time
inline constexpr std::uint32_t event_receive = 1;  // a receive that was posted after its message had arrived
inline constexpr std::uint32_t event_arrival = 2;  // message `arg` is at its destination
inline constexpr std::uint32_t event_network = 3;

// The order of events within a tick is part of a model's contract (results depend on it wherever messages meet):
// send() and advance() push their events at once, in the order that the model states.
class Network {
 public:
  virtual ~Network() = default;
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  // Starts a message now. Later either an event_arrival with `message` comes due, or advance() returns it.
  virtual void send(Rank src, Rank dst, std::int64_t bytes, MessageToken message) = 0;
  // An event of a kind ≥ event_network has come due. Returns the message that has arrived by it, or no_message.
  virtual MessageToken advance(const Event& event) = 0;

 protected:
  explicit Network(EventQueue& queue) : queue_(queue) {}
  EventQueue& queue_;
};

// unaware: each message gets latency and full bandwidth, whatever else is under way.
// aware: directed links with first-in-first-out queues; a message is stored and forwarded whole at each hop.
enum class NetworkModel : std::uint8_t { unaware, aware };
[[nodiscard]] std::string_view name(NetworkModel model);

// Whether an NPU can send to itself: only through the switch of a one-dimensional aware network.
[[nodiscard]] bool can_send_to_self(const NetworkConfig& config, NetworkModel model);

[[nodiscard]] std::unique_ptr<Network> make_network(const NetworkConfig& config, NetworkModel model,
                                                    EventQueue& queue);

// Delays are computed in double nanoseconds and cut to whole ones. Throws Error beyond 106 days.
[[nodiscard]] Picoseconds truncate_delay(double ns);

// One per model.
[[nodiscard]] std::unique_ptr<Network> make_unaware_network(const NetworkConfig& config, EventQueue& queue);
[[nodiscard]] std::unique_ptr<Network> make_aware_network(const NetworkConfig& config, EventQueue& queue);

}  // namespace convert
