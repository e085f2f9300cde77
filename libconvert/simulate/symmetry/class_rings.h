// SPDX-License-Identifier: MIT
// Finds rings whose members are alike though no shift of the ranks turns the ring, as where a ring of 128 and rings
// of 64 of its members run on one switch: each class of members sends to one class and receives from one, over the
// same kind of way. A member then does what its representative does, as long as nothing but rings needs them: each
// event follows from events of the neighbours, which have their representatives in turn.
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

// Returns whether the options ask for nothing that tells members of such a ring apart.
[[nodiscard]] bool takes_class_rings(const CommonProgram& program);

class ClassRings {
 public:
  ClassRings(const CommonProgram& program, const Symmetry& symmetry);

  // Compares the members of a ring, in its order, with each other and with those of other rings of this number.
  // Returns false if some of one class send to, or receive from, other classes, or over other kinds of ways.
  [[nodiscard]] bool add(std::uint32_t ring, std::span<const Rank> members);

 private:
  // Says to which class a member sends, and what a message then meets: it takes wires of its ends alone.
  struct Way {
    Rank to = 0;
    std::uint64_t dims = 0;  // bit per dimension in which the ends differ; without wires of the lowest alone
    std::uint32_t hops = 0;  // in the lowest of them
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
