// SPDX-License-Identifier: MIT
#include "sets/derived/merge_algorithms.h"

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "core/collective.h"
#include "passes/lower/lower.h"
#include "passes/merge/chunk_flow.h"

namespace convert {

std::uint32_t tags_of(const Algorithm& a) {
  std::uint32_t most = 0;
  for (const Gpu& gpu : a.gpus) {
    std::map<std::int32_t, std::vector<std::int32_t>> channels;  // by peer
    for (const Threadblock& tb : a.threadblocks(gpu)) {
      const auto steps = a.steps_of(tb);
      if (a.scheduled) {
        const auto n =
            std::count_if(steps.begin(), steps.end(), [](const Step& s) { return s.type != StepType::nop; });
        most = std::max(most, static_cast<std::uint32_t>(n));
      } else if (tb.send >= 0) {
        channels[tb.send].push_back(tb.chan);
      }
    }
    for (auto& [peer, list] : channels) {
      std::sort(list.begin(), list.end());
      list.erase(std::unique(list.begin(), list.end()), list.end());
      most = std::max(most, static_cast<std::uint32_t>(list.size()));
    }
  }
  return most;
}

MergeAlgorithm merge_algorithm_of(std::string source, Algorithm algorithm, Diagnostics& diagnostics) {
  struct Built {
    Algorithm algorithm;
    std::optional<Lowering> lowering{};
  };
  const auto built = std::make_shared<Built>(Built{std::move(algorithm)});
  built->lowering.emplace(built->algorithm, std::nullopt, diagnostics);
  MergeAlgorithm out;
  out.source = std::move(source);
  out.places = static_cast<std::uint32_t>(built->algorithm.ranks());
  out.tags = tags_of(built->algorithm);
  out.chunks = built->algorithm.chunks;
  out.collective = name(claimed_collective(built->algorithm));
  out.relays = built->algorithm.relays;
  out.network = built->algorithm.scheduled_for.network;
  out.forwarding = built->algorithm.scheduled_for.forwarding;
  out.load = [built](std::uint32_t place) {
    Trace trace;
    built->lowering->lower(place, trace);
    return trace;
  };
  out.flow = lazy_flow([built] { return ChunkFlow::of(built->algorithm); });
  out.root = lazily([built] { return root_place(built->algorithm); });
  return out;
}

}  // namespace convert
