// SPDX-License-Identifier: MIT
// Replaces the names of nodes by names without words.
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

// Returns twelve digits of the keyed hash, or an empty text if `name` is empty.
[[nodiscard]] std::string keyed_name(const KeyedHash& hash, std::string_view name);

// Returns the part of a name that is hashed: the name without its iteration number. Returns an empty text for
// ProfilerStep#3, which is kept.
[[nodiscard]] std::string hashed_part(std::string_view name);

// Number of each name of a set, in order of first appearance.
using NameNumbers = std::unordered_map<std::string, std::uint32_t>;

// Hides node names. Keeps iteration numbers: "… iteration 3" is hashed without the number, which is appended, and
// ProfilerStep#3 is kept. Caches hashes and predicts the next name from the last two, as names repeat in the same
// order and hashing is slower.
class NameHider {
 public:
  // `numbers` is used for HiddenNames::number. All arguments must outlive this object.
  NameHider(HiddenNames how, const KeyedHash& hash, const NameNumbers& numbers)
      : how_(how), hash_(hash), numbers_(numbers), guesses_(guess_count, no_index) {}

  // Returns the replacement of a node's name, valid until the next call.
  [[nodiscard]] std::string_view hide(std::string_view name, NodeType type);
  // Returns keyed_name(), valid until the next call.
  [[nodiscard]] std::string_view keyed(std::string_view name);

 private:
  static constexpr std::uint32_t guess_bits = 15;
  static constexpr std::size_t most_known = 65'536, most_text = std::size_t{1} << 24U,
                               guess_count = std::size_t{1} << guess_bits;
  static constexpr std::size_t room = 48;  // bytes for the digits of a hash and an iteration number
  // A name without its iteration number.
  struct Known {
    Text text;
    std::uint32_t at = 0;  // position of the number
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
  std::vector<std::uint32_t> guesses_;  // by the last two names: the next name
  std::uint32_t last_ = 0, one_before_ = 0;
  std::string text_;
  std::array<char, room> out_{};
};

}  // namespace convert
