// SPDX-License-Identifier: MIT
#include "simulate/networks/link_order.h"

#include <algorithm>
#include <tuple>

namespace convert {

LinkOrder::LinkOrder(std::span<const LinkTurn> turns, const Router& router) : turns_(turns) {
  for (std::uint32_t wire = 0; wire < router.wires(); ++wire) {
    const auto [from, to] = router.ends(wire);
    if (from != to) wire_of_.emplace(key(from, to), wire);
  }
}

void LinkOrder::begin(std::uint32_t message, const ScheduledWay& way) {
  if (ways_.size() <= message) ways_.resize(std::max<std::size_t>(std::size_t{message} + 1, ways_.size() * 2));
  ways_[message] = way;
}

std::pair<std::uint32_t, Device> LinkOrder::next_link(std::uint32_t message, Device from) const {
  const Device to = turns_[ways_[message].turns.begin].to;
  return {wire_of_.at(key(from, to)), to};
}

bool LinkOrder::take(std::uint32_t message, std::uint32_t wire, Device from) {
  const std::uint64_t at = key(ways_[message].run, wire);
  Line& line = lines_[at];
  const LinkTurn& turn = turns_[ways_[message].turns.begin];
  if (turn.number != line.next) {
    line.held.emplace(turn.number, Held{message, from});
    return false;
  }
  pass(message, line);
  if (line.next == turn.of) lines_.erase(at);  // the run has no more messages on this link
  return true;
}

void LinkOrder::pass(std::uint32_t message, Line& line) {
  ++line.next;
  ++ways_[message].turns.begin;
  --ways_[message].turns.count;
}

std::optional<std::uint32_t> LinkOrder::released(std::uint32_t run, std::uint32_t wire) {
  const auto line = lines_.find(key(run, wire));
  if (line == lines_.end() || line->second.held.empty()) return std::nullopt;
  const auto [turn, held] = *line->second.held.begin();
  if (turn != line->second.next) return std::nullopt;
  const std::uint32_t of = turns_[ways_[held.message].turns.begin].of;
  line->second.held.erase(line->second.held.begin());
  pass(held.message, line->second);
  if (line->second.next == of) lines_.erase(line);
  return held.message;
}

std::vector<HeldMessage> LinkOrder::held() const {
  std::vector<HeldMessage> all;
  for (const auto& [at, line] : lines_) {
    for (const auto& [turn, held] : line.held)
      all.push_back({held.message, static_cast<std::uint32_t>(at >> 32U), held.from,
                     turns_[ways_[held.message].turns.begin].to, line.next});
  }
  std::ranges::sort(all, {}, &HeldMessage::message);
  return all;
}

}  // namespace convert
