// SPDX-License-Identifier: MIT
#include "passes/validate.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "passes/provenance_rule.h"
#include "passes/rules/attributes.h"
#include "passes/rules/rules.h"

namespace convert {
namespace {

constexpr std::array table = {
#define RULE(id, family, summary, covers) RuleInfo{#id, RuleFamily::family, summary, covers},
#include "passes/rules/rules.def"
#undef RULE
};
static_assert(table.size() <= 64, "RuleSet holds 64 rules");

std::size_t rule_index(std::string_view rule_name) {
  return static_cast<std::size_t>(std::ranges::find(table, rule_name, &RuleInfo::name) - table.begin());
}

}  // namespace

std::string_view name(RuleFamily family) {
  static constexpr std::array<std::string_view, 5> names = {"input", "trace", "set", "algorithm", "schedule"};
  return names[static_cast<std::size_t>(family)];
}

std::span<const RuleInfo> all_rules() { return table; }

bool needs_dataflow(std::string_view rule_name) {
  const std::size_t index = rule_index(rule_name);
  return index >= static_cast<std::size_t>(Rule::postcondition) && index <= static_cast<std::size_t>(Rule::operand);
}

RuleSet RuleSet::all() {
  RuleSet set;
  for (std::size_t i = 0; i < table.size(); ++i) set.add(static_cast<Rule>(i));
  return set;
}

RuleSet RuleSet::parse(std::string_view list) {
  RuleSet set;
  while (true) {
    const std::size_t comma = list.find(',');
    const std::string_view item = list.substr(0, comma);
    const std::size_t index = rule_index(item);
    if (index == table.size()) {
      std::vector<std::string> names;
      for (const RuleInfo& r : table) names.emplace_back(r.name);
      const std::string near = item.empty() ? "" : nearest(item, names);
      throw usage_error("unknown rule '" + std::string(item) + "'" +
                        (near.empty() ? "; see --list-rules" : "; did you mean '" + near + "'?"));
    }
    set.add(static_cast<Rule>(index));
    if (comma == std::string_view::npos) return set;
    list.remove_prefix(comma + 1);
  }
}

bool RuleSet::reports(std::string_view rule_name) const {
  const std::size_t index = rule_index(rule_name);
  return index == table.size() || bits_[index] || index == static_cast<std::size_t>(Rule::framing);
}

TraceCheck::TraceCheck(const Trace& trace, const RuleSet& enabled, Diagnostics& diagnostics)
    : trace_(trace), enabled_(enabled), diagnostics_(diagnostics) {
  if (!enabled.has(Rule::attributes)) return;
  of_attributes_ = diagnostics.sibling();
  attributes_ = std::make_unique<rules::AttributeRule>(trace, *of_attributes_);
}

TraceCheck::~TraceCheck() = default;

void TraceCheck::check_batch() {
  if (attributes_) attributes_->check_batch();
}

Graph TraceCheck::finish() {
  std::vector<GraphDefect> defects;
  Graph graph = build_graph(trace_.nodes, &defects);
  if (enabled_.has(Rule::ids)) rules::check_ids(trace_, defects, diagnostics_);
  if (enabled_.has(Rule::deps)) rules::check_deps(trace_, defects, diagnostics_);
  if (enabled_.has(Rule::cycles)) rules::check_cycles(trace_, graph, diagnostics_);
  if (!attributes_) return graph;
  attributes_->finish();
  diagnostics_.append(*of_attributes_);
  return graph;
}

const NodeParts& check_parts() {
  static const NodeParts parts = [] {
    NodeParts needed = summary_parts();
    return needed.attributes(NodeParts::On::all, provenance_attributes());
  }();
  return parts;
}

Graph check_trace(const Trace& trace, const RuleSet& enabled, Diagnostics& diagnostics) {
  TraceCheck check(trace, enabled, diagnostics);
  check.check_batch();
  return check.finish();
}

bool check_set(std::span<const TraceSummary> summaries, const RuleSet& enabled, Diagnostics& diagnostics,
               const GroupLists* groups, std::size_t world) {
  if (!rules::check_ranks(summaries, diagnostics)) return false;
  if (enabled.has(Rule::peers)) rules::check_peers(summaries, diagnostics);
  if (enabled.has(Rule::pairs)) rules::check_pairs(summaries, diagnostics);
  if (enabled.has(Rule::collectives)) rules::check_collectives(summaries, groups, world, diagnostics);
  if (enabled.has(Rule::deadlock)) rules::check_deadlock(summaries, groups, diagnostics);
  if (enabled.has(Rule::turns)) rules::check_turns(summaries, groups, world, diagnostics);
  return true;
}

}  // namespace convert
