// SPDX-License-Identifier: MIT
// Tells how long a run took, and lists the sections.
#include <algorithm>
#include <array>

#include "analyze/runs/by_key.h"
#include "analyze/runs/sections.h"
#include "analyze/runs/slices.h"

namespace convert {

Section time_section(const Run& run, const RunWishes& wishes) {
  Section s{.name = "time"};
  s.figures = {{"total", "from the begin to the end", Unit::time, run_time(run)},
               {"status", "status", Unit::text, std::string(name(run.status))},
               {"recorded", "", Unit::text, std::string(run.recorded ? "recorded" : "simulated")},
               {"npus", "NPUs", Unit::count, value_of(run.npus.size())},
               {"slices", "slices", Unit::count, value_of(run.timeline.slices.size())}};
  if (wishes.by && !run.timeline.slices.empty()) s.tables.push_back(slices_by(run, *wishes.by));
  if (run.timeline.slices.empty())
    s.notes.emplace_back("the run has no slices, so not where the time went: et-replay -o x.run keeps them");
  if (run.status == RunStatus::deadlock)
    s.notes.emplace_back("the run is deadlocked: times are those until nothing moved any more");
  return s;
}

std::span<const RunSection> run_sections() {
  static constexpr std::array<RunSection, 10> sections = {{
      {"time", [](const Run&) { return true; }, time_section},
      {"overlap", [](const Run& r) { return !r.timeline.slices.empty(); }, overlap_section},
      {"collectives", [](const Run& r) { return !r.calls.empty(); }, calls_section},
      {"skew", [](const Run& r) { return !r.calls.empty(); }, skew_section},
      {"iterations", [](const Run& r) { return !r.timeline.slices.empty() || !r.call_npus.empty(); },
       iterations_section},
      {"path", [](const Run& r) { return !r.path.empty(); }, run_path_section},
      {"links", [](const Run& r) { return !r.links.empty(); }, links_section},
      {"matrix", [](const Run& r) { return !r.matrix.empty(); }, traffic_section},
      {"memory",
       [](const Run& r) {
         return !r.memory.empty() || std::any_of(r.npus.begin(), r.npus.end(),
                                                 [](const Run::Npu& n) { return n.peak_memory_bytes >= 0; });
       },
       run_memory_section},
      {"mfu", [](const Run&) { return false; }, use_section},
  }};
  return sections;
}

}  // namespace convert
