// SPDX-License-Identifier: MIT
// Finds provably equivalent ranks, so that one rank represents each class. The symmetries are shifts of digits of
// the rank numbers that map traces, collectives and links onto themselves.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config/network/wire_numbers.h"
#include "simulate/program/channel_index.h"
#include "simulate/program/program.h"
#include "util/divisor.h"

namespace convert {

// How ranks move along a digit. Halving doubling finds partners by XOR of digits, other algorithms by their
// difference. mixed: a program uses both.
enum class Motion : std::uint8_t { fixed, shift, exchange, mixed };

class Symmetry {
 public:
  struct Digit {
    std::uint32_t base = 1;
    Motion motion = Motion::fixed;
  };
  // `digits` begin with the fastest-changing digit.
  explicit Symmetry(std::vector<Digit> digits) : digits_(std::move(digits)) {
    for (const Digit& d : digits_) by_base_.emplace_back(d.base);
  }

  [[nodiscard]] const std::vector<Digit>& digits() const { return digits_; }
  // Returns the member of r's class whose digits are 0 along the digits that move.
  [[nodiscard]] Rank representative(Rank r) const { return back(r, r, false); }
  // Returns the image of `r` under the move that maps `by` onto its representative, by XOR if `exchange`.
  [[nodiscard]] Rank back(Rank r, Rank by, bool exchange) const {
    return combine(r, by, [&](const Digit& d, Rank a, Rank b) { return exchange ? a ^ b : difference(d, a, b); });
  }
  // Returns the image of `r` under the reverse move, which maps the representative of `by` onto `by`.
  [[nodiscard]] Rank forth(Rank r, Rank by, bool exchange) const {
    return combine(r, by, [&](const Digit& d, Rank a, Rank b) { return exchange ? a ^ b : sum(d, a, b); });
  }

  // Returns the image of `r` under the move of `by` onto its representative by each digit's own motion; none may be
  // mixed.
  [[nodiscard]] Rank back_by_own(Rank r, Rank by) const {
    return combine(r, by, [](const Digit& d, Rank a, Rank b) {
      return d.motion == Motion::exchange ? a ^ b : difference(d, a, b);
    });
  }

  [[nodiscard]] std::size_t classes() const {
    std::size_t n = 1;
    for (const Digit& d : digits_) n *= d.motion == Motion::fixed ? d.base : 1;
    return n;
  }

 private:
  static Rank difference(const Digit& d, Rank a, Rank b) { return a >= b ? a - b : a + d.base - b; }
  static Rank sum(const Digit& d, Rank a, Rank b) { return a + b >= d.base ? a + b - d.base : a + b; }

  template <typename Combine>
  [[nodiscard]] Rank combine(Rank r, Rank by, const Combine& moved) const {
    Rank result = 0;
    Rank stride = 1;
    for (std::size_t i = 0; i < digits_.size(); ++i) {
      const Digit& d = digits_[i];
      const Rank r_above = by_base_[i].quotient(r);
      const Rank by_above = by_base_[i].quotient(by);
      const Rank a = r - r_above * d.base;
      result += stride * (d.motion == Motion::fixed ? a : moved(d, a, by - by_above * d.base));
      stride *= d.base;
      r = r_above;
      by = by_above;
    }
    return result;
  }

  std::vector<Digit> digits_;
  std::vector<Divisor> by_base_;  // of each
};

// Returns the representative's link for this link; both are numbers of ProductWires.
[[nodiscard]] std::uint32_t representative_wire(const ProductWires& numbers, const Symmetry& symmetry,
                                                std::uint32_t wire);

// Sets of channels that are mapped onto each other.
class ChannelOrbits {
 public:
  // Returns the number of a channel, which is added if it is new.
  std::uint32_t number(const ChannelKey& key);
  void join(std::uint32_t a, std::uint32_t b) { parent_[find(a)] = find(b); }
  // Returns the set of a channel that was added.
  [[nodiscard]] std::uint32_t of(const ChannelKey& key) { return find(number(key)); }
  // Returns whether no set contains two channels of one source.
  [[nodiscard]] bool tell_sources();

 private:
  std::uint32_t find(std::uint32_t c) {
    while (parent_[c] != c) c = parent_[c] = parent_[parent_[c]];
    return c;
  }
  ChannelIndex index_;
  ChannelKeys keys_;
  std::vector<std::uint32_t> parent_;
};

// Map of a program onto itself.
struct Equivalence {
  Symmetry ranks;
  // By group, its images, including itself; empty if it contains no representative or every rank.
  std::vector<std::vector<std::uint32_t>> group_images{};
  std::shared_ptr<ChannelOrbits> orbits{};  // null: equivalent channels share tags
  bool rounded = false;                     // shards that differ by a byte count as equal
  // Rings that do not rotate, see ClassRings: by group, and by dimension for rings of all ranks.
  std::vector<bool> class_rings_of_groups{};
  std::vector<bool> class_rings_along{};
  [[nodiscard]] bool has_class_rings() const { return !class_rings_of_groups.empty(); }
};

// Result of the search for a symmetry of a program.
struct Search {
  std::optional<Equivalence> found{};  // the largest symmetry, if it saves work
  // Reason, for people, why ranks are not represented by others, or by fewer; empty: no reason.
  std::string why{};
};
// Finds the largest symmetry of a program. The order of simultaneous events, which is unknown in advance, must be
// checked during the run. `class_rings`: accept rings that are equivalent only by ClassRings.
[[nodiscard]] Search find_symmetry(const ReplayProgram& program, bool class_rings);

// Returns the program of the representatives, which send all messages; other ranks have no code. Its nodes have
// separate numbers.
[[nodiscard]] LinkedProgram reduce(const ReplayProgram& program, const Equivalence& equivalence);

}  // namespace convert
