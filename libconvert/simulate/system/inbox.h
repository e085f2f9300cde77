// SPDX-License-Identifier: MIT
// Matches the messages for a stream of a collective with its receives. Both ends of a native algorithm can
// compute the k-th message of a phase, so they need no table of channels.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace convert {

// Waiting receives of one phase, and messages that arrived before their receive. Each message has a slot, which its
// sender can compute, too.
class Inbox {
 public:
  // Meaning of a slot. messages: one message, whose receive is posted after, or together with, the receives of
  // lower slots. sizes: all messages of one size, 0 or 1, from one sender, which arrive and are received in order.
  enum class Slots : std::uint8_t { messages, sizes };

  // Starts a phase, after all receives of the previous phase have had their messages.
  void open(std::uint32_t phase, Slots slots) {
    phase_ = phase;
    slots_ = slots;
    counts_ = {};
  }
  [[nodiscard]] bool is_open(std::uint32_t phase) const { return phase_ == phase; }

  // Posts a receive. Returns whether its message has arrived before.
  bool post(std::uint32_t slot) {
    if (slots_ == Slots::sizes) return static_cast<std::int32_t>(counts_[slot]++) < 0;
    posted() = std::max(posted(), slot + 1);
    return early() != 0 && take_early(slot);
  }
  // Records the arrival of a message. Returns whether a receive waits for it.
  bool come(std::uint32_t slot) {
    if (slots_ == Slots::sizes) return static_cast<std::int32_t>(counts_[slot]--) > 0;
    if (slot < posted()) return true;
    ++early();
    word(slot) |= bit(slot);
    return false;
  }

 private:
  [[nodiscard]] std::uint32_t& posted() { return counts_[0]; }
  [[nodiscard]] std::uint32_t& early() { return counts_[1]; }
  bool take_early(std::uint32_t slot) {
    if (slot >= word_bits && (!more_ || slot / word_bits > more_->size())) return false;
    std::uint64_t& w = word(slot);
    if ((w & bit(slot)) == 0) return false;
    w &= ~bit(slot);
    --early();
    return true;
  }
  static constexpr std::uint32_t word_bits = 64;
  [[nodiscard]] static std::uint64_t bit(std::uint32_t slot) { return std::uint64_t{1} << slot % word_bits; }
  [[nodiscard]] std::uint64_t& word(std::uint32_t slot) {
    if (slot < word_bits) return first_;
    if (!more_) more_ = std::make_unique<std::vector<std::uint64_t>>();
    if (slot / word_bits > more_->size()) more_->resize(slot / word_bits);
    return (*more_)[slot / word_bits - 1];
  }

  std::uint32_t phase_ = UINT32_MAX;
  Slots slots_ = Slots::messages;
  std::array<std::uint32_t, 2> counts_{};  // by size: waiting receives minus messages; else posted(), early()
  std::uint64_t first_ = 0;                // a bit for each slot whose message arrived early
  std::unique_ptr<std::vector<std::uint64_t>> more_{};  // for slots from 64
};

}  // namespace convert
