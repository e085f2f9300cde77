// SPDX-License-Identifier: MIT
#include "formats/timeline/align.h"

#include <algorithm>
#include <limits>

#include "formats/timeline/run_names.h"

namespace convert {
namespace {

constexpr Picoseconds never = std::numeric_limits<Picoseconds>::max();

// Returns the start of the first slice whose name begins with `name`.
Picoseconds first_begin(const Run& run, const std::string& name) {
  std::vector<bool> wanted(run.timeline.names.size());
  for (std::uint32_t i = 0; i < run.timeline.names.size(); ++i) wanted[i] = run.timeline.names[i].starts_with(name);
  Picoseconds first = never;
  for (const Slice& s : run.timeline.slices) {
    if (wanted[s.name]) first = std::min(first, s.begin_ps);
  }
  return first;
}

}  // namespace

std::vector<Picoseconds> delays_of(std::span<const Run> runs, const std::string& name) {
  std::vector<Picoseconds> delays(runs.size());
  if (name.empty()) return delays;
  Picoseconds latest = 0;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    delays[i] = first_begin(runs[i], name);
    if (delays[i] == never)
      throw usage_error("align=" + name + ": " + run_titles(runs)[i] + " has no slice with this name prefix");
    latest = std::max(latest, delays[i]);
  }
  for (std::size_t i = 0; i < runs.size(); ++i) {
    delays[i] = latest - delays[i];
    if (runs[i].reached_ps > never - delays[i])
      throw usage_error("align=" + name + ": " + run_titles(runs)[i] + " would end later than 106 days");
  }
  return delays;
}

}  // namespace convert
