// SPDX-License-Identifier: MIT
// Enforces the link order of a schedule, and the routes that it gives its messages.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "config/network/routes.h"
#include "core/trace.h"

namespace convert {

inline constexpr Device no_device = 0xffffffff;

// A link on the route of a scheduled message. `number` is the message's sequence number among all `of` messages
// that one run of a schedule sends over the link, from 0.
struct LinkTurn {
  Device to = 0;  // device at the end of the link
  std::uint32_t number = 0;
  std::uint32_t of = 0;
};

// Route of a message as a range of a table of LinkTurns, and its run of the schedule.
struct ScheduledWay {
  Range turns{};  // empty: no fixed route
  std::uint32_t run = 0;
  // Without turns: switches that the message visits in this order, by shortest routes.
  Device through = no_device;
  Device then = no_device;
};

// Message at a link that waits for messages with lower sequence numbers.
struct HeldMessage {
  std::uint32_t message = 0;  // MessageToken
  std::uint32_t run = 0;
  Device from = 0;
  Device to = 0;
  std::uint32_t next = 0;  // sequence number that the link expects next
};

// Next sequence numbers of all links. A message takes its sequence number when it reaches a link, not when it has
// left the link. The later messages then queue for the link in their order.
class LinkOrder {
 public:
  // Both arguments must outlive this. Every link of `turns` must be a link of the network.
  LinkOrder(std::span<const LinkTurn> turns, const Router& router);

  void begin(std::uint32_t message, const ScheduledWay& way);
  // Returns whether a message under way has a fixed route.
  [[nodiscard]] bool has(std::uint32_t message) const {
    return message < ways_.size() && ways_[message].turns.count != 0;
  }
  // Returns the next link of a message at `from`: its number, and the device at its end.
  [[nodiscard]] std::pair<std::uint32_t, Device> next_link(std::uint32_t message, Device from) const;
  // Returns whether the link expects the message next. If so, the link's sequence number advances; else the message
  // is held.
  [[nodiscard]] bool take(std::uint32_t message, std::uint32_t wire, Device from);
  // Returns the held message that the last take(message, wire, …) has released, if any. The message takes its
  // sequence number, so further messages may be released by further calls.
  [[nodiscard]] std::optional<std::uint32_t> released(std::uint32_t run, std::uint32_t wire);
  [[nodiscard]] std::uint32_t run_of(std::uint32_t message) const { return ways_[message].run; }

  [[nodiscard]] std::vector<HeldMessage> held() const;

 private:
  struct Held {
    std::uint32_t message;
    Device from;
  };
  struct Line {
    std::uint32_t next = 0;
    std::map<std::uint32_t, Held> held{};  // by sequence number
  };
  static std::uint64_t key(std::uint32_t a, std::uint32_t b) { return std::uint64_t{a} << 32U | b; }
  void pass(std::uint32_t message, Line& line);

  std::span<const LinkTurn> turns_;
  std::unordered_map<std::uint64_t, std::uint32_t> wire_of_;  // by ends
  std::vector<ScheduledWay> ways_;                            // by message: the rest of its route
  std::unordered_map<std::uint64_t, Line> lines_;             // by run and link
};

}  // namespace convert
