// SPDX-License-Identifier: MIT
// Lets messages take links in the order that a schedule says, over the ways that it gives them.
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

// Is a link on the way of a scheduled message: `number` counts from 0 among all `of` messages that one run of a
// schedule sends over the link.
struct LinkTurn {
  Device to = 0;  // the device at its end
  std::uint32_t number = 0;
  std::uint32_t of = 0;
};

// Names the way of a message in a table of turns, and the run of the schedule to which it belongs.
struct ScheduledWay {
  Range turns{};  // none: it has no way of its own
  std::uint32_t run = 0;
  // Without turns: switches through which the message goes, one after the other, by shortest routes.
  Device through = no_device;
  Device then = no_device;
};

// A message that has come to a link whose turn is another's.
struct HeldMessage {
  std::uint32_t message = 0;  // MessageToken
  std::uint32_t run = 0;
  Device from = 0;
  Device to = 0;
  std::uint32_t next = 0;  // whose turn it is
};

// Keeps the turns of all links. A message takes its turn when it comes to a link, not when it has left it: those
// behind it then queue for the link in their order.
class LinkOrder {
 public:
  // Both must outlive this. Every link of `turns` must be one of the network.
  LinkOrder(std::span<const LinkTurn> turns, const Router& router);

  void begin(std::uint32_t message, const ScheduledWay& way);
  // Returns whether a message under way has a way of its own.
  [[nodiscard]] bool has(std::uint32_t message) const {
    return message < ways_.size() && ways_[message].turns.count != 0;
  }
  // Returns the link that a message at `from` comes to: its wire, and the device at its end.
  [[nodiscard]] std::pair<std::uint32_t, Device> next_link(std::uint32_t message, Device from) const;
  // Returns whether it is the message's turn there. If so the turn passes on, else the message is held.
  [[nodiscard]] bool take(std::uint32_t message, std::uint32_t wire, Device from);
  // Returns the message that has waited for the turn that passed on by the last take(message, wire, …), if one has;
  // it takes its turn, and may have let another one pass likewise.
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
    std::map<std::uint32_t, Held> held{};  // by turn
  };
  static std::uint64_t key(std::uint32_t a, std::uint32_t b) { return std::uint64_t{a} << 32U | b; }
  void pass(std::uint32_t message, Line& line);

  std::span<const LinkTurn> turns_;
  std::unordered_map<std::uint64_t, std::uint32_t> wire_of_;  // by ends
  std::vector<ScheduledWay> ways_;                            // by message: what is left of its way
  std::unordered_map<std::uint64_t, Line> lines_;             // by run and wire
};

}  // namespace convert
