// SPDX-License-Identifier: MIT
// The fidelity in one sentence, as text and as JSON.
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "analyze/fidelity/fidelity.h"
#include "analyze/figures/cells.h"
#include "core/words.h"
#include "util/json_writer.h"

namespace convert {
namespace {

// Collects the metrics that differ, each with its value.
class DifferentFigures {
 public:
  void distance(const char* what, double value) {
    if (value != 0) parts_.push_back(what + (' ' + text_cell(value, Unit::distance)));
  }
  void change(const char* what, const std::optional<double>& value) {
    if (value && *value != 0) parts_.push_back(what + (' ' + text_cell(*value, Unit::change)));
  }
  void counts(const char* what, std::uint64_t a, std::uint64_t b) {
    if (a != b) parts_.push_back(what + (' ' + std::to_string(a)) + " and " + std::to_string(b));
  }
  [[nodiscard]] std::string text() const { return parts_.empty() ? "single metrics, see below" : join(parts_); }

 private:
  std::vector<std::string> parts_;
};

// Returns the change with the largest magnitude.
std::optional<double> farthest(const std::vector<RunFidelity>& runs,
                               std::optional<double> (RunFidelity::*change)() const) {
  std::optional<double> most;
  for (const RunFidelity& r : runs) {
    const std::optional<double> v = (r.*change)();
    if (v && (!most || std::abs(*v) > std::abs(*most))) most = v;
  }
  return most;
}

}  // namespace

std::string Fidelity::sentence() const {
  if (same()) {
    return "B equals A in all metrics: " + counted(ranks_a, of_runs ? "NPU" : "rank") + ", " +
           counted(set.nodes_a, of_runs ? "slice" : "node");
  }
  DifferentFigures told;
  told.counts(of_runs ? "NPUs" : "ranks", ranks_a, ranks_b);
  told.counts(of_runs ? "slices" : "nodes", set.nodes_a, set.nodes_b);
  told.change("span as recorded", set.span_change());
  told.change(of_runs ? "span" : "span simulated", farthest(simulated, &RunFidelity::span_change));
  told.change("exposed communication", farthest(simulated, &RunFidelity::exposed_change));
  told.distance("classes", set.classes.total_variation);
  told.distance("durations", set.most_of_durations());
  told.distance("sizes", set.most_of_sizes());
  told.distance("in-degree", set.in_degree);
  told.distance("out-degree", set.out_degree);
  told.distance("order of calls", set.calls.value_or(0));
  double traffic_distance = 0;
  for (const TrafficFidelity& t : traffic) traffic_distance = std::max(traffic_distance, t.distance.value_or(0));
  told.distance("traffic", traffic_distance);
  return "B differs from A: " + told.text();
}

std::string fidelity_text(const Fidelity& fidelity, std::size_t top) {
  return fidelity.sentence() + "\n\n" + statistics_text(fidelity.sections(), top);
}

std::string fidelity_json(const Fidelity& fidelity, std::size_t top) {
  std::string out = fidelity.same() ? R"({"same":true,"summary":)" : R"({"same":false,"summary":)";
  append_json_string(out, fidelity.sentence());
  return out + ',' + statistics_json(fidelity.sections(), top).substr(1);
}

}  // namespace convert
