// SPDX-License-Identifier: MIT
#include "sets/synthesized/library.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "core/diagnostic.h"
#include "core/units.h"
#include "sets/synthesized/synthesized.h"
#include "synthesis/portfolio/candidates.h"
#include "synthesis/problem.h"
#include "util/log.h"

namespace convert {
namespace {

// Returns the settings that distinguish choices, without the number of threads.
std::string text_of(const SynthesisChoice& choice) {
  std::string text = std::to_string(static_cast<int>(choice.effort)) + ' ' +
                     std::to_string(choice.pieces.value_or(0)) + ' ' + std::to_string(choice.most_pieces) + ' ' +
                     std::to_string(choice.seed);
  for (const SynthesisMethod m : choice.methods) text += ' ' + std::string(name(m));
  return text;
}

}  // namespace

void make_scalable(Algorithm& a) {
  for (ScheduledTransfer& t : a.transfers) t.bytes.reset();
}

std::uint32_t size_class(std::int64_t bytes) {
  return static_cast<std::uint32_t>(std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(bytes, 0))));
}

SynthesisLibrary::SynthesisLibrary(NetworkConfig network, const std::vector<std::string>& failed,
                                   Schedule::Occupancy occupancy, Forwarding forwarding, FasterBuilder faster)
    : network_(std::move(network)), occupancy_(occupancy), forwarding_(forwarding), faster_(std::move(faster)) {
  if (network_.ideal)
    throw usage_error("synthesized algorithms require a network with links, not an ideal network");
  whole_ = build_wire_graph(network_);
  erase_failed_wires(whole_, failed);
  whole_.participants.clear();
  id_ = network_id(whole_);
}

// Reports errors with the names of the whole network.
void SynthesisLibrary::check_ways(const GroupCollective& wanted) const {
  NetworkConfig whole{.source = network_.source, .graph = whole_};
  SynthesisRequest request{.collective = wanted.collective, .bytes = 1, .group = wanted.group};
  if (has_root(wanted.collective)) request.root = wanted.group.at(wanted.root);
  std::ranges::sort(*request.group);
  Diagnostics ignored;  // about a byte that cannot be divided
  (void)make_problem(whole, request, ignored);
}

const SynthesisLibrary::View& SynthesisLibrary::view_of(const GroupCollective& wanted) {
  for (const Rank r : wanted.group) {
    if (r >= whole_.npus) {
      throw usage_error("the network " + network_.source + " has " + counted(whole_.npus, "NPU") +
                        ", none for rank " + std::to_string(r));
    }
  }
  const auto at = views_.find({wanted.group, wanted.detours});
  if (at != views_.end()) return at->second;
  GroupNetwork own = network_of_group(whole_, wanted.group, wanted.detours, network_.source);
  const auto known = networks_.try_emplace(own.text(), std::move(own.network)).first;
  return views_
      .emplace(std::pair(wanted.group, wanted.detours), View{&known->first, &known->second, std::move(own.device)})
      .first->second;
}

// Devices of the whole network cut through, except NPUs that act as switches in the network of a group.
std::vector<std::uint8_t> SynthesisLibrary::cuts_of(const View& view) const {
  std::vector<std::uint8_t> cuts(view.device.size(), 0);
  if (forwarding_ == Forwarding::store) return {};
  for (std::size_t d = view.network->graph.npus; d < cuts.size(); ++d)
    cuts[d] = forwarding_ == Forwarding::cut || view.device[d] >= whole_.npus ? 1 : 0;
  if (std::ranges::find(cuts, 1) == cuts.end()) cuts.clear();
  return cuts;
}

Algorithm SynthesisLibrary::make(const GroupCollective& wanted, const SynthesisChoice& choice, unsigned jobs) {
  const View& view = view_of(wanted);
  const std::int64_t bytes = std::max<std::int64_t>(wanted.bytes, 1);
  const std::vector<std::uint8_t> cuts = cuts_of(view);
  const std::string key = std::string(name(wanted.collective)) + ' ' + std::to_string(wanted.root) + ' ' +
                          std::to_string(bytes) + ' ' + text_of(choice) + ' ' + *view.text + ' ' +
                          std::string(cuts.begin(), cuts.end());
  auto at = known_.find(key);
  if (at == known_.end()) {
    check_ways(wanted);
    SynthesisRequest request{.collective = wanted.collective, .bytes = bytes, .occupancy = occupancy_};
    if (has_root(wanted.collective)) request.root = wanted.root;
    Diagnostics rounding;  // ignored: the bytes of a collective are spread over the chunks
    SynthesisProblem problem = make_problem(*view.network, request, rounding);
    problem.forwarding = forwarding_;
    problem.cuts = cuts;
    SynthesisChoice with = choice;
    with.jobs = jobs;
    // A rule applies to collectives of many sizes; the smallest have fewer bytes than the requested number of
    // chunks.
    if (with.pieces)
      with.pieces = static_cast<std::uint32_t>(std::min<std::int64_t>(*with.pieces, problem.shard_bytes));
    Diagnostics findings;
    SynthesizedAlgorithm made = synthesize_algorithm(problem, with, findings);
    log_info(made.made.summary);
    std::optional<Algorithm> built;
    if (faster_ && wanted.group.size() == whole_.npus && with.effort != SynthesisEffort::fast &&
        wants(with, SynthesisMethod::builders)) {
      request.forwarding = forwarding_;
      // A collective with fewer bytes than chunks cannot use an algorithm.
      const auto fits = [&](const Algorithm& a) { return a.chunks <= bytes; };
      const Picoseconds limit = fits(made.made.algorithm) ? made.total : INT64_MAX;
      built = faster_(*view.network, request, problem, with, limit, fits);
      if (built) log_info("replaced by " + built->name + ", which is faster");
    }
    at = known_.emplace(key, built ? std::move(*built) : std::move(made.made.algorithm)).first;
    make_scalable(at->second);
  }
  Algorithm placed = at->second;
  for (TransferHop& hop : placed.hops) hop.to = view.device[hop.to];
  placed.scheduled_for.network = id_;
  return placed;
}

}  // namespace convert
