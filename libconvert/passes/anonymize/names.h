// SPDX-License-Identifier: MIT
// Replaces the names of nodes by ones that tell no words.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/trace.h"
#include "passes/anonymize/options.h"

namespace convert {

// Returns twelve digits of the keyed hash; nothing for no name.
[[nodiscard]] std::string keyed_name(const KeyedHash& hash, std::string_view name);

// Returns the part of a name that is hashed: without the number of an iteration. Nothing of ProfilerStep#3, which
// stays as it is.
[[nodiscard]] std::string hashed_part(std::string_view name);

// Numbers the names of a set in the order of their first appearance.
using NameNumbers = std::unordered_map<std::string, std::uint32_t>;

// Replaces names of one rank. A name by which iterations are told apart, ProfilerStep#3 or "… iteration 3", still
// tells that: it is hashed without the number, which follows.
class NameHider {
 public:
  // `numbers`: for HiddenNames::number. All must outlive this object.
  NameHider(HiddenNames how, const KeyedHash& hash, const NameNumbers& numbers)
      : how_(how), hash_(hash), numbers_(numbers), known_(least_known) {}

  // Returns what stands for a name of a node of this type, valid until the next call.
  [[nodiscard]] std::string_view hide(std::string_view name, NodeType type);

 private:
  static constexpr std::size_t least_known = 256, most_known = 65'536;  // powers of two
  // What was hidden last of those names that fall to this place: names repeat, and hashing takes longer.
  struct Known {
    std::string name, hidden;
  };
  [[nodiscard]] std::string_view keyed(std::string_view name);
  [[nodiscard]] std::string number(std::string_view name) const;

  HiddenNames how_;
  const KeyedHash& hash_;
  const NameNumbers& numbers_;
  std::vector<Known> known_;
  std::size_t pushed_out_ = 0;
  std::string text_, rest_;
};

}  // namespace convert
