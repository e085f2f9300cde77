// SPDX-License-Identifier: MIT
// Several collectives that run at the same time on one network.
#pragma once

#include <vector>

#include "synthesis/moves.h"
#include "synthesis/problem.h"

namespace convert {

// All problems have one graph, whose links have the same indices in each problem.
struct JointProblem {
  std::vector<SynthesisProblem> named{};  // with the device numbers of the network, and so with its names
  // The same with renumbered devices: first participants in their order, then all others, which count as switches:
  // they forward data, but neither copy nor reduce it.
  std::vector<SynthesisProblem> placed{};
  std::vector<std::vector<Device>> device{};  // device of the network, by device of a placed problem

  [[nodiscard]] std::size_t size() const { return named.size(); }
  [[nodiscard]] const LinkGraph& graph() const { return named.front().graph; }
};

// Combines problems, at least one, that make_problem() has made from one network with the same links omitted.
// `order`: by problem, the devices in the order of their new numbers, participants first; missing devices follow.
// If groups with equivalent positions number their devices equally, a solution for one serves all.
[[nodiscard]] JointProblem make_joint_problem(std::vector<SynthesisProblem> problems,
                                              const std::vector<std::vector<Device>>& order = {});

// Sets chunk sizes as in traces whose chunks do not divide a collective (bytes_of_run()).
void set_chunk_sizes(const SynthesisProblem& problem, std::vector<Piece>& pieces);

}  // namespace convert
