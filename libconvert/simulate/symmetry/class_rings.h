// SPDX-License-Identifier: MIT
// Finds rings whose members are equivalent although no shift of the ranks rotates the ring. Example: a ring of 128
// NPUs and rings of 64 of these NPUs on one switch. Each class of members sends to one class and receives from one
// class, over the same kind of route. A member then behaves as its representative, as long as only rings require
// it: each event follows from events of the neighbours, which have representatives themselves.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "simulate/program/program.h"
#include "simulate/symmetry/symmetry.h"

namespace convert {

// Returns whether the options request nothing that distinguishes members of such a ring.
[[nodiscard]] bool takes_class_rings(const CommonProgram& program);

class ClassRings {
 public:
  ClassRings(const CommonProgram& program, const Symmetry& symmetry);

  // Compares the members of a ring, in ring order, with each other and with members of other rings of this number.
  // Returns false if members of one class send to, or receive from, different classes, or over different kinds of
  // routes.
  [[nodiscard]] bool add(std::uint32_t ring, std::span<const Rank> members);

 private:
  // Destination class of a member, and the kind of its route, which uses only links of its ends.
  struct Way {
    Rank to = 0;
    std::uint64_t dims = 0;  // bit per dimension in which the ends differ; in a model without links only the lowest
    std::uint32_t hops = 0;  // in the lowest of these dimensions
    friend bool operator==(const Way&, const Way&) = default;
  };
  [[nodiscard]] std::optional<Way> way(Rank from, Rank to) const;
  [[nodiscard]] bool add(std::uint32_t ring, bool backwards, Rank from, Rank to);

  const CommonProgram& program_;
  const Symmetry& symmetry_;
  const bool has_wires_;
  std::map<std::tuple<std::uint32_t, bool, Rank>, Way> ways_;  // by ring, direction and class
};

}  // namespace convert
