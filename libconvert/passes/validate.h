// SPDX-License-Identifier: MIT
// Validates traces and sets: the table of rules, which of them to run, and the checks of one rank and of a set.
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
  trace,      // one rank by itself
  set,        // all ranks together
  algorithm,  // a collective algorithm
  schedule,   // a schedule of an algorithm, as it was read
};
[[nodiscard]] std::string_view name(RuleFamily family);

struct RuleInfo {
  std::string_view name;  // stable: what --rules and --ignore take and messages end in
  RuleFamily family;
  std::string_view summary;
  std::string_view covers;
};
// Returns the rules in the order of rules.def, which is that of --list-rules.
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
  // Reads "deps,cycles". Throws Error(usage) on an unknown or empty name, with the nearest known one.
  [[nodiscard]] static RuleSet parse(std::string_view list);

  [[nodiscard]] bool has(Rule rule) const { return bits_[static_cast<std::size_t>(rule)]; }
  // Returns whether findings of this rule are wanted: rules in the set, always framing, and names of no rule.
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
  // All must outlive this. Thread-safe if each trace has own Diagnostics.
  TraceCheck(const Trace& trace, const RuleSet& enabled, Diagnostics& diagnostics);
  ~TraceCheck();
  TraceCheck(const TraceCheck&) = delete;
  TraceCheck& operator=(const TraceCheck&) = delete;
  // Checks, each by itself, the nodes that the trace holds now, behind those of the batches before.
  void check_batch();
  // Checks the nodes together, when the trace holds all, of which check_parts() are enough. Reports what was found
  // and returns the graph, for summarise().
  Graph finish();

 private:
  const Trace& trace_;
  const RuleSet& enabled_;
  Diagnostics& diagnostics_;
  std::unique_ptr<Diagnostics> of_attributes_;
  std::unique_ptr<rules::AttributeRule> attributes_;
};
// Returns what TraceCheck::finish(), summarise() and check_provenance() need of nodes.
[[nodiscard]] const NodeParts& check_parts();
// Checks a rank whose nodes are all there.
Graph check_trace(const Trace& trace, const RuleSet& enabled, Diagnostics& diagnostics);
// Holds the ranks of communicator groups, in their order, by pg_name.
using GroupLists = std::map<std::string, std::vector<Rank>, std::less<>>;
// Runs the rules across ranks. Returns false, with an error of `peers` in any case, and no other check, if these
// are not ranks 0…n-1 in order. `groups`: null if unknown; `world`: ranks of the whole set; 0: these are all.
bool check_set(std::span<const TraceSummary> summaries, const RuleSet& enabled, Diagnostics& diagnostics,
               const GroupLists* groups = nullptr, std::size_t world = 0);

}  // namespace convert
