// SPDX-License-Identifier: MIT
// Replaces the names of nodes by ones that tell no words.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/index_table.h"
#include "core/trace.h"
#include "passes/anonymize/options.h"

namespace convert {

using KeyedDigits = std::array<char, 12>;

// Returns twelve digits of the keyed hash; nothing for no name.
[[nodiscard]] std::string keyed_name(const KeyedHash& hash, std::string_view name);

// Returns the part of a name that is hashed: without the number of an iteration. Nothing of ProfilerStep#3, which
// stays as it is.
[[nodiscard]] std::string hashed_part(std::string_view name);

// Numbers the names of a set in the order of their first appearance.
using NameNumbers = std::unordered_map<std::string, std::uint32_t>;

// Replaces names of nodes. A name by which iterations are told apart, ProfilerStep#3 or "… iteration 3", still
// tells that: it is hashed without the number, which follows. Remembers what it hashed, and which name came behind
// which: names repeat, in an order that does too, and hashing takes longer.
class NameHider {
 public:
  // `numbers`: for HiddenNames::number. All must outlive this object.
  NameHider(HiddenNames how, const KeyedHash& hash, const NameNumbers& numbers)
      : how_(how), hash_(hash), numbers_(numbers), guesses_(guess_count, no_index) {}

  // Returns what stands for a name of a node of this type, valid until the next call.
  [[nodiscard]] std::string_view hide(std::string_view name, NodeType type);
  // Returns keyed_name(), valid until the next call.
  [[nodiscard]] std::string_view keyed(std::string_view name);

 private:
  static constexpr std::uint32_t guess_bits = 15;
  static constexpr std::size_t most_known = 65'536, most_text = std::size_t{1} << 24U,
                               guess_count = std::size_t{1} << guess_bits;
  static constexpr std::size_t room = 48;  // for digits of a hash, and an iteration
  // A name without the number of an iteration.
  struct Known {
    Text text;
    std::uint32_t at = 0;  // where the number stands
    std::uint32_t hash = 0;
    bool numbered = false;
    KeyedDigits digits{};
  };
  [[nodiscard]] std::string_view plain(std::string_view name, NodeType type);
  [[nodiscard]] std::size_t number_size(const Known& known, std::string_view name) const;
  [[nodiscard]] std::uint32_t find_or_hash(std::string_view text, std::size_t at, bool numbered);
  [[nodiscard]] std::string_view put(const Known& known, std::string_view number);

  HiddenNames how_;
  const KeyedHash& hash_;
  const NameNumbers& numbers_;
  TextPool texts_;
  std::vector<Known> known_;
  IndexTable<> index_;
  std::vector<std::uint32_t> guesses_;  // by the last two names: the one behind them
  std::uint32_t last_ = 0, one_before_ = 0;
  std::string text_;
  std::array<char, room> out_{};
};

}  // namespace convert
