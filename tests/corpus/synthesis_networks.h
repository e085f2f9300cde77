// SPDX-License-Identifier: MIT
// Reads the networks of the corpus's synthesis/topologies, and builds those that are too large for a file.
#pragma once

#include <cmath>
#include <cstdint>
#include <fstream>
#include <optional>
#include <string>

#include "config/network/network.h"
#include "corpus/corpus.h"
#include "synthesis/problem.h"

namespace corpus {

struct SynthesisNetwork {
  convert::NetworkConfig config;
  std::optional<std::vector<convert::Rank>> participants{};
};

inline std::filesystem::path synthesis_folder() { return root() / "synthesis"; }

inline SynthesisNetwork read_synthesis_network(const std::string& name) {
  SynthesisNetwork out{.config = {.source = name}};
  std::ifstream in(synthesis_folder() / "topologies" / (name + ".tsv"));
  const auto number = [](const std::string& text) { return static_cast<std::uint32_t>(std::stoul(text)); };
  std::string line;
  while (std::getline(in, line)) {
    const auto cells = split(line, '\t');
    if (cells[0] == "#npus") out.config.graph.npus = number(cells[1]);
    if (cells[0] == "#switches") out.config.graph.switches = number(cells[1]);
    if (cells[0] == "#participants" && cells[1] != "all") {
      out.participants.emplace();
      for (const std::string& rank : split(cells[1], ',')) out.participants->push_back(number(rank));
    }
    if (cells[0][0] == '#' || cells[0] == "from") continue;
    out.config.graph.wires.push_back({.from = number(cells[0]),
                                      .to = number(cells[1]),
                                      .bytes_per_ns = std::stod(cells[2]) / 1000,
                                      .latency_ps = std::llround(std::stod(cells[3]) * 1000)});
  }
  return out;
}

// Returns the network of that name: from a file, or built for "torus_8x8x8", "mesh_32x32", "hypercube_1024".
inline SynthesisNetwork synthesis_network(const std::string& name) {
  if (std::filesystem::exists(synthesis_folder() / "topologies" / (name + ".tsv")))
    return read_synthesis_network(name);
  std::string text = name;
  text[text.find('_')] = ':';
  return {.config = convert::parse_short_network(text + ",bw=50GB/s,lat=500ns")};
}

// Returns the problem of a collective with `shard_bytes` for each participant.
inline convert::SynthesisProblem synthesis_problem(const SynthesisNetwork& network, convert::Collective collective,
                                                   std::int64_t shard_bytes) {
  const std::size_t n =
      network.participants ? network.participants->size() : static_cast<std::size_t>(network.config.npus());
  convert::Diagnostics diagnostics;
  return convert::make_problem(network.config,
                               {.collective = collective,
                                .bytes = shard_bytes * static_cast<std::int64_t>(n),
                                .group = network.participants},
                               diagnostics);
}

}  // namespace corpus
