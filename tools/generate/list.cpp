// SPDX-License-Identifier: MIT
#include "generate/list.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "common/text.h"
#include "core/words.h"
#include "generate/generate.h"
#include "generate/workload.h"
#include "generate/workload/models.h"
#include "sets/synthesized/rule.h"
#include "synthesis/problem.h"

namespace tools {

using namespace convert;

namespace {

// Appends a name, and a text in the next column.
void add_entry(std::string& out, std::string_view name, std::string_view text) {
  constexpr std::size_t indent = 22;
  std::string left = "  " + std::string(name);
  left.resize(std::max(indent, left.size() + 1), ' ');
  out += left;
  append_wrapped(out, text, left.size(), indent);
}

}  // namespace

std::optional<Collective> collective_of(const std::string& text) {
  return parse_collective(text, [](Collective c) {
    const auto all = offered_collectives();
    return std::ranges::find(all, c) != all.end();
  });
}

void check_kind(const std::string& kind) {
  if (names_workload(kind) || collective_of(kind) || find_trace_kind(kind) != nullptr) return;
  if (parse_collective(kind, can_synthesize))
    throw usage_error(kind + " requires a network; give --algorithm synthesized and -n NETWORK");
  std::vector<std::string> known = workload_presets();
  for (const Collective c : offered_collectives()) known.emplace_back(name(c));
  for (const TraceKind& k : trace_kinds()) known.emplace_back(k.name);
  throw usage_error("unknown kind '" + kind + "'" + did_you_mean(kind, known) + "; see et-generate --list");
}

std::string list_text() {
  std::string out = "Collectives and their algorithms, the default first:\n";
  for (const Collective collective : offered_collectives()) {
    std::string names(default_collective_algorithm(collective));
    for (const CollectiveAlgorithm& a : collective_algorithms()) {
      if (a.offers(collective) && a.name != default_collective_algorithm(collective))
        names += " " + std::string(a.name);
    }
    if (can_synthesize(collective)) names += " " + std::string(synthesized_name);
    add_entry(out, name(collective), names);
  }
  for (const std::string& collective : names_of(can_synthesize)) {
    if (!collective_of(collective)) add_entry(out, collective, synthesized_name);
  }
  out += "\nAlgorithms:\n";
  for (const CollectiveAlgorithm& a : collective_algorithms()) {
    add_entry(out, a.name, std::string(a.summary) + " (" + std::string(a.source) + ")");
    add_entry(out, "", "ranks: " + std::string(a.ranks));
  }
  add_entry(out, synthesized_name,
            "made for the network of -n and the bytes of --size, close to the lower bound; see --bound");
  add_entry(out, "", "ranks: the NPUs of the network, or of --group");
  out += "\nKinds of traces, of each rank; defaults in parentheses:\n";
  for (const TraceKind& k : trace_kinds()) {
    add_entry(out, k.name, k.summary);
    if (!k.reference_case.empty()) add_entry(out, "", "--compat chakra: " + std::string(k.reference_case));
  }
  out += "\nModels, with parameters and plans (NPUs of the publication), the default first:\n";
  for (const std::string& model : workload_presets()) {
    std::vector<std::string> plans;
    for (const PlanName& p : preset_plans(model)) plans.push_back(p.name + " (" + std::to_string(p.npus) + ")");
    const Workload w = preset_workload(model, 0);
    add_entry(out, model, std::to_string(parameters_of(w)) + " parameters; " + join(plans));
  }
  return out;
}

}  // namespace tools
