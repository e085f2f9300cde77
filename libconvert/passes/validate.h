// SPDX-License-Identifier: MIT
// Validates traces and sets: the table of rules, their selection, and the checks of one rank and of a set.
#pragma once

#include <bitset>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/diagnostic.h"
#include "core/trace.h"
#include "graph/graph.h"
#include "graph/kept_nodes.h"
#include "passes/trace_summary.h"

namespace convert {

namespace rules {
class AttributeRule;
}

enum class RuleFamily : std::uint8_t {
  input,      // reported by readers
  trace,      // one rank on its own
  set,        // all ranks together
  algorithm,  // a collective algorithm
  schedule,   // a schedule of an algorithm, as read
};
[[nodiscard]] std::string_view name(RuleFamily family);

struct RuleInfo {
  std::string_view name;  // stable: accepted by --rules and --ignore, and printed at the end of messages
  RuleFamily family;
  std::string_view summary;
  std::string_view covers;
};
// Returns the rules in the order of rules.def and --list-rules.
[[nodiscard]] std::span<const RuleInfo> all_rules();

enum class Rule : std::uint8_t {
#define RULE(id, family, summary, covers) id,
#include "passes/rules/rules.def"
#undef RULE
};

// Returns whether a rule only runs with --dataflow.
[[nodiscard]] bool needs_dataflow(std::string_view rule_name);

class RuleSet {
 public:
  RuleSet() = default;  // no rule
  [[nodiscard]] static RuleSet all();
  // Parses "deps,cycles". Throws Error(usage) on an unknown or empty name, with the nearest known one.
  [[nodiscard]] static RuleSet parse(std::string_view list);

  [[nodiscard]] bool has(Rule rule) const { return bits_[static_cast<std::size_t>(rule)]; }
  // Returns whether findings of this rule are reported: rules in the set, framing always, and names of no rule.
  [[nodiscard]] bool reports(std::string_view name) const;
  RuleSet& add(Rule rule) {
    bits_.set(static_cast<std::size_t>(rule));
    return *this;
  }
  RuleSet& add(const RuleSet& others) {
    bits_ |= others.bits_;
    return *this;
  }
  RuleSet& remove(const RuleSet& others) {
    bits_ &= ~others.bits_;
    return *this;
  }

 private:
  std::bitset<64> bits_;
};

// Runs the rules on one rank, whose nodes may come in batches.
class TraceCheck {
 public:
  // All arguments must outlive this object. Thread-safe if each trace has its own Diagnostics.
  TraceCheck(const Trace& trace, const RuleSet& enabled, Diagnostics& diagnostics);
  ~TraceCheck();
  TraceCheck(const TraceCheck&) = delete;
  TraceCheck& operator=(const TraceCheck&) = delete;
  // Checks, one by one, the nodes that the trace currently holds; they follow the nodes of earlier batches.
  void check_batch();
  // Checks the nodes together. The trace must hold all nodes; check_parts() are enough. Reports the findings, and
  // returns the graph for summarise().
  Graph finish();

 private:
  const Trace& trace_;
  const RuleSet& enabled_;
  Diagnostics& diagnostics_;
  std::unique_ptr<Diagnostics> of_attributes_;
  std::unique_ptr<rules::AttributeRule> attributes_;
};
// Returns the parts of nodes that TraceCheck::finish(), summarise() and check_provenance() read.
[[nodiscard]] const NodeParts& check_parts();
// Checks a rank that holds all its nodes.
Graph check_trace(const Trace& trace, const RuleSet& enabled, Diagnostics& diagnostics);
// Ranks of communicator groups, in group order, by pg_name.
using GroupLists = std::map<std::string, std::vector<Rank>, std::less<>>;
// Runs the rules across ranks. If the summaries are not ranks 0…n-1 in order, reports an error of `peers`, runs no
// other check and returns false. `groups`: null if unknown; `world`: number of ranks of the whole set; 0: these are
// all.
bool check_set(std::span<const TraceSummary> summaries, const RuleSet& enabled, Diagnostics& diagnostics,
               const GroupLists* groups = nullptr, std::size_t world = 0);

}  // namespace convert
