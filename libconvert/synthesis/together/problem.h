// SPDX-License-Identifier: MIT
// Holds several collectives that run at the same time on one network.
#pragma once

#include <vector>

#include "synthesis/moves.h"
#include "synthesis/problem.h"

namespace convert {

// All on one graph, whose links have the same indices for each of them.
struct JointProblem {
  std::vector<SynthesisProblem> named{};  // with the devices of the network, whose names they have
  // The same with the devices numbered anew: those that take part by their places, then all others, which are
  // switches: they pass on what comes, and neither copy it nor add it up.
  std::vector<SynthesisProblem> placed{};
  std::vector<std::vector<Device>> device{};  // of the network, by device of a placed one

  [[nodiscard]] std::size_t size() const { return named.size(); }
  [[nodiscard]] const LinkGraph& graph() const { return named.front().graph; }
};

// Takes problems, one or more, that make_problem() has made of one network with the same links left out. `order`:
// by problem the devices in the order of their new numbers, those that take part first; missing ones come behind
// them. Where groups that lie alike number devices alike, what is made for one serves all.
[[nodiscard]] JointProblem make_joint_problem(std::vector<SynthesisProblem> problems,
                                              const std::vector<std::vector<Device>>& order = {});

// Gives pieces the sizes that chunks of traces have where they do not divide a collective (bytes_of_run()).
void set_chunk_sizes(const SynthesisProblem& problem, std::vector<Piece>& pieces);

}  // namespace convert
