// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "analyze/findings/rules.h"

namespace convert::findings {

Facts::Facts(const Run& of) : run(of), parts(parts_of(of)), total(window(of)) {}

std::string brief_time(Picoseconds time) {
  if (time == 0) return "0";
  struct Unit {
    double ps;
    const char* name;
  };
  constexpr Unit units[] = {{1e12, "s"}, {1e9, "ms"}, {1e6, "µs"}, {1e3, "ns"}, {1, "ps"}};
  const auto value = static_cast<double>(time);
  for (const Unit& unit : units) {
    // A value that rounds up to 1000 belongs to the next unit.
    if (std::abs(value) < unit.ps * 0.99995 && unit.ps != 1) continue;
    const double shown = value / unit.ps;
    const double size = std::abs(shown);
    const int decimals = unit.ps == 1 ? 0 : size < 9.9995 ? 3 : size < 99.995 ? 2 : size < 999.95 ? 1 : 0;
    char text[40];
    std::snprintf(text, sizeof text, "%.*f %s", decimals, shown, unit.name);
    return text;
  }
  return "";
}

std::string percent(double share) {
  char text[40];
  std::snprintf(text, sizeof text, "%.1f %%", 100 * share);
  return text;
}

std::string link_name(const Run& run, const Run::Link& link) {
  const auto number = [](std::string_view device) {
    if (device.starts_with("npu")) device.remove_prefix(3);
    return std::string(device);
  };
  return number(run.texts[link.from]) + " → " + number(run.texts[link.to]);
}

void tell_outcome(RuleFinding& finding, const Facts& facts, const Run::WhatIf* w, std::string_view lead,
                  double estimate) {
  finding.effect = estimate;
  if (w == nullptr) return;
  finding.replay = w;
  finding.replayed = true;
  finding.effect = facts.gain(*w);
  finding.text += std::string(lead) + "the run takes " + brief_time(w->total_ps) + " (" +
                  percent(std::abs(finding.effect)) + (finding.effect < 0 ? " more)" : " less)");
  finding.numbers.push_back({"new_run", "", Unit::time, w->total_ps});
}

}  // namespace convert::findings
