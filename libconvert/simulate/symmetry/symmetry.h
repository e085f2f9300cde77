// SPDX-License-Identifier: MIT
// Finds ranks that are provably equivalent, so that one of each class can stand for all: shifts along whole
// dimensions of the network, some or all, that map traces, collectives and wires onto themselves.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "config/network/wire_numbers.h"
#include "simulate/program/program.h"
#include "simulate/symmetry/order_watch.h"

namespace convert {

// Says how ranks move along a dimension. Partners of halving doubling are found by XOR of coordinates, others by
// their difference. mixed: a program has both.
enum class Motion : std::uint8_t { fixed, shift, exchange, mixed };

class Symmetry {
 public:
  struct Dim {
    std::uint32_t npus = 1;
    Motion motion = Motion::fixed;
  };
  // `dims` begin with the one whose coordinate changes fastest.
  explicit Symmetry(std::vector<Dim> dims) : dims_(std::move(dims)) {}

  [[nodiscard]] const std::vector<Dim>& dims() const { return dims_; }
  // Returns the member of r's class whose coordinates are 0 in all dimensions along which ranks move.
  [[nodiscard]] Rank representative(Rank r) const { return back(r, r, false); }
  // Returns where `r` goes if `by` is moved onto its representative, by XOR with `exchange`.
  [[nodiscard]] Rank back(Rank r, Rank by, bool exchange) const {
    return combine(r, by, [&](const Dim& d, Rank a, Rank b) { return exchange ? a ^ b : difference(d, a, b); });
  }
  // Returns where `r` goes if the representative of `by` is moved onto `by`: the reverse.
  [[nodiscard]] Rank forth(Rank r, Rank by, bool exchange) const {
    return combine(r, by, [&](const Dim& d, Rank a, Rank b) { return exchange ? a ^ b : sum(d, a, b); });
  }

  // Returns where rank `origin` goes if `at` is moved onto its representative, by XOR in dimensions of exchange;
  // unknown_origin if it is moved along a mixed dimension.
  [[nodiscard]] Rank origin_at(Rank origin, Rank at) const { return origin_moved(origin, at, difference); }
  // Returns the rank that goes to `origin` then; unknown_origin likewise.
  [[nodiscard]] Rank origin_from(Rank origin, Rank at) const { return origin_moved(origin, at, sum); }

  [[nodiscard]] std::size_t classes() const {
    std::size_t n = 1;
    for (const Dim& d : dims_) n *= d.motion == Motion::fixed ? d.npus : 1;
    return n;
  }

 private:
  static Rank difference(const Dim& d, Rank a, Rank b) { return a >= b ? a - b : a + d.npus - b; }
  static Rank sum(const Dim& d, Rank a, Rank b) { return a + b >= d.npus ? a + b - d.npus : a + b; }

  template <typename Combine>
  [[nodiscard]] Rank combine(Rank r, Rank by, const Combine& moved) const {
    Rank result = 0;
    Rank stride = 1;
    for (const Dim& d : dims_) {
      const Rank a = r % d.npus;
      result += stride * (d.motion == Motion::fixed ? a : moved(d, a, by % d.npus));
      stride *= d.npus;
      r /= d.npus;
      by /= d.npus;
    }
    return result;
  }
  template <typename Combine>
  [[nodiscard]] Rank origin_moved(Rank origin, Rank at, const Combine& moved) const {
    if (origin == unknown_origin) return origin;
    bool known = true;
    const Rank result = combine(origin, at, [&](const Dim& d, Rank a, Rank b) {
      known = known && (b == 0 || d.motion != Motion::mixed);
      return d.motion == Motion::exchange ? a ^ b : moved(d, a, b);
    });
    return known ? result : unknown_origin;
  }

  std::vector<Dim> dims_;
};

// Returns the wire of a representative that stands for this one; both are numbers of ProductWires.
[[nodiscard]] std::uint32_t representative_wire(const ProductWires& numbers, const Symmetry& symmetry,
                                                std::uint32_t wire);

// Says how a program is mapped onto itself.
struct Equivalence {
  Symmetry ranks;
  // By group, those onto which it is mapped, itself among them; empty if no representative or every rank is in it.
  std::vector<std::vector<std::uint32_t>> group_images{};
  std::vector<std::uint32_t> channel_orbits{};  // by channel: equivalent ones share one; empty: they share tags
};

// Returns the largest symmetry found, if it saves anything. What cannot be known in advance (which of several
// simultaneous events comes first) is watched during the run.
[[nodiscard]] std::optional<Equivalence> find_symmetry(const ReplayProgram& program);

// Returns the program of the representatives alone, who send all messages: other ranks have no code. Its nodes have
// numbers of their own.
[[nodiscard]] ReplayProgram reduce(const ReplayProgram& program, const Equivalence& equivalence);

// Says what a result is of that has a timeline of representatives alone.
struct Reduction {
  ReplayProgram program;  // theirs
  Equivalence equivalence;
};

}  // namespace convert
