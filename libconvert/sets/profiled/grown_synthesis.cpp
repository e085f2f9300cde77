// SPDX-License-Identifier: MIT
#include "sets/profiled/grown_synthesis.h"

#include <utility>
#include <vector>

#include "config/groups.h"
#include "core/diagnostic.h"

namespace convert {
namespace {

std::vector<CommGroup> groups_of(const Synthesis& synthesis, const std::string& name) {
  const std::string text = synthesis.groups();
  return text.empty() ? std::vector<CommGroup>() : parse_groups(name, text, static_cast<Rank>(synthesis.ranks()));
}

RankGrid grid_of(const Synthesis& synthesis, const ScaleOptions& options, const std::string& name) {
  const std::vector<Rank>& ranks = synthesis.job().ranks;
  if (ranks.back() + 1 != ranks.size())
    throw input_error({.file = name}, "the ranks of the profile are not 0…n-1, so they cannot grow", "scale");
  RankGrid grid;
  if (options.which == "dp") {
    const DataRanks& data = synthesis.job().data;
    if (data.ranks == 0)
      throw usage_error(
          "--scale dp: the profile does not state which ranks are data-parallel; use the id of such a "
          "group, or 0 if all ranks are: --scale 0=" +
          std::to_string(options.ranks));
    grid = data_grid(data, options.ranks);
  } else {
    grid = group_grid(options, groups_of(synthesis, name), static_cast<Rank>(ranks.size()), name);
  }
  if (ranks.size() * grid.factor > most_grown_ranks)
    throw usage_error("--scale " + options.which + "=" + std::to_string(options.ranks) + ": " +
                      std::to_string(ranks.size() * grid.factor) + " ranks are more than " +
                      std::to_string(most_grown_ranks));
  return grid;
}

}  // namespace

GrownSynthesis::GrownSynthesis(const Synthesis& synthesis, const ScaleOptions& options, const std::string& name)
    : synthesis_(synthesis),
      grid_(grid_of(synthesis, options, name)),
      groups_(name, groups_of(synthesis, name), grid_, static_cast<Rank>(synthesis.ranks())) {}

Trace GrownSynthesis::draw(Rank rank) const {
  Trace trace = synthesis_.draw(grid_.template_of(rank), DrawnAs{.rank = rank, .ranks = ranks()});
  const RankScaler scaler(grid_, groups_.before(), std::nullopt);
  (void)scaler.resize(trace);
  const std::uint64_t copy = grid_.copy_of(rank);
  scaler.renumber(trace, copy, [&](std::string_view group) { return groups_.name(group, copy); });
  return trace;
}

std::string GrownSynthesis::groups() const {
  return groups_.after().empty() ? std::string() : groups_text(groups_.after());
}

}  // namespace convert
