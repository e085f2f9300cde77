// SPDX-License-Identifier: MIT
#include "sets/missing_ranks.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "core/rank_list.h"
#include "core/units.h"
#include "io/set_name.h"
#include "io/set_path.h"

namespace convert {
namespace {

constexpr std::size_t most_shown = 8;

bool is_one(const std::vector<RankRange>& ranks) {
  return ranks.size() == 1 && ranks[0].second - ranks[0].first == 1;
}

// Joins the first parts of a list that may be very long.
std::string listed(const std::vector<std::string>& parts) {
  std::string out;
  for (std::size_t i = 0; i < std::min(parts.size(), most_shown); ++i) out += (i == 0 ? "" : ", ") + parts[i];
  return parts.size() > most_shown ? out + ", …" : out;
}

// Returns the ranks of [0, world) that are not in `present`; the world may be much larger than the set.
std::vector<RankRange> missing_of_world(std::span<const Rank> present, std::uint64_t world) {
  std::vector<RankRange> missing;
  std::uint64_t next = 0;
  for (const Rank r : present) {
    if (r >= world) break;
    if (r > next) missing.emplace_back(next, r);
    next = std::uint64_t{r} + 1;
  }
  if (next < world) missing.emplace_back(next, world);
  return missing;
}

// Appends missing ranks beyond [0, world) that groups name; returns the groups that name missing ranks.
std::vector<std::string> add_missing_of_groups(std::span<const Rank> present, std::uint64_t world,
                                               const GroupLists& groups, std::vector<RankRange>& missing) {
  std::vector<std::string> names;
  std::vector<Rank> beyond;
  for (const auto& [name, ranks] : groups) {
    bool whole = true;
    for (const Rank r : ranks) {
      if (std::ranges::binary_search(present, r)) continue;
      whole = false;
      if (r >= world) beyond.push_back(r);
    }
    if (!whole) names.push_back(name);
  }
  std::ranges::sort(beyond);
  for (const Rank r : beyond) {
    if (missing.empty() || missing.back().second < r) {
      missing.emplace_back(r, std::uint64_t{r} + 1);
    } else {
      missing.back().second = std::max(missing.back().second, std::uint64_t{r} + 1);
    }
  }
  return names;
}

}  // namespace

std::string subset_hint(const std::string& file) {
  const std::optional<SetMember> rank = set_member(file);
  const std::string classes = rank ? rank->set + std::string(classes_suffix) : "";
  std::error_code error;
  if (!rank || !std::filesystem::exists(classes, error))
    return "check that the set has all ranks, or extract some ranks with et-split --ranks";
  return classes + " maps each kept rank to the ranks that it represents: this is a folded set";
}

void warn_of_missing_ranks(const std::string& set, std::span<const Rank> present, std::optional<Rank> world,
                           const GroupLists* groups, std::string_view hint, Diagnostics& diagnostics) {
  std::vector<RankRange> missing = missing_of_world(present, world.value_or(0));
  std::string why;
  if (!missing.empty()) why = "the whole set has " + counted(*world, "rank");
  if (groups != nullptr) {
    const std::vector<std::string> names = add_missing_of_groups(present, world.value_or(0), *groups, missing);
    if (!names.empty()) {
      why += (why.empty() ? "" : ", and ") + std::string(names.size() == 1 ? "process group " : "process groups ") +
             listed(names) + (names.size() == 1 ? " names " : " name ") + (is_one(missing) ? "it" : "them");
    }
  }
  if (missing.empty()) return;
  diagnostics.warning({.file = set}, "groups",
                      ranks_text(missing) + (is_one(missing) ? " is missing: " : " are missing: ") + why,
                      {"hint: " + std::string(hint)});
}

void warn_of_named_rank(const std::string& path, Rank rank, Diagnostics& diagnostics) {
  const auto ending = [](Rank r) { return "." + std::to_string(r) + ".et"; };
  const auto named = rank_of(path);
  const std::string old_ending = named ? ending(*named) : ".et";
  const std::size_t at = path.rfind(old_ending);
  if (named.value_or(0) == rank || at == std::string::npos) return;
  std::string fitting = path;
  fitting.replace(at, old_ending.size(), ending(rank));
  diagnostics.warning({.file = path}, "ranks",
                      "the name of the output states " + (named ? "rank " + std::to_string(*named) : "no rank") +
                          ", but the trace is rank " + std::to_string(rank) +
                          "; readers take the rank from the name" + (named ? "" : ", else 0"),
                      {"hint: rename it to " + fitting});
}

}  // namespace convert
