// SPDX-License-Identifier: MIT
// Brings the messages for a stream of a collective together with its receives. Both ends of a native algorithm know
// which message is the k-th of a phase, so that they need no table of what they have in common.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace convert {

// Holds the receives of one phase that wait, and the messages that came before their receive. Each message has a
// slot, which is known to its sender too.
class Inbox {
 public:
  // Says what a slot stands for: one message, whose receive is posted after (or with) those of lower slots; or all
  // messages of one size, 0 or 1, from one sender, which come and are received in order.
  enum class Slots : std::uint8_t { messages, sizes };

  // Begins a phase, once all receives of the one before have had their messages.
  void open(std::uint32_t phase, Slots slots) {
    phase_ = phase;
    slots_ = slots;
    counts_ = {};
  }
  [[nodiscard]] bool is_open(std::uint32_t phase) const { return phase_ == phase; }

  // Posts a receive. Returns whether its message has come already.
  bool post(std::uint32_t slot) {
    if (slots_ == Slots::sizes) return static_cast<std::int32_t>(counts_[slot]++) < 0;
    posted() = std::max(posted(), slot + 1);
    return early() != 0 && take_early(slot);
  }
  // Notes that a message has come. Returns whether a receive waits for it.
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
  std::array<std::uint32_t, 2> counts_{};  // by size: receives that wait, less messages; else posted(), early()
  std::uint64_t first_ = 0;                // a bit for each slot whose message came early
  std::unique_ptr<std::vector<std::uint64_t>> more_{};  // for slots from 64 on
};

}  // namespace convert
