// SPDX-License-Identifier: MIT
// Validation: the table of rules, which of them to run, and the rules on traces and trace sets.
#pragma once

#include <bitset>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/diagnostic.h"
#include "core/trace.h"
#include "graph/graph.h"
#include "passes/trace_summary.h"

namespace convert {

enum class RuleFamily : std::uint8_t {
  input,      // reported by readers
  trace,      // one rank by itself
  set,        // all ranks together
  algorithm,  // a collective algorithm
  schedule,   // a schedule of one, as it was read
};
[[nodiscard]] std::string_view name(RuleFamily family);

struct RuleInfo {
  std::string_view name;  // stable: what --rules and --ignore take and messages end in
  RuleFamily family;
  std::string_view summary;
  std::string_view covers;
};
// In the order in which they run.
[[nodiscard]] std::span<const RuleInfo> all_rules();

enum class Rule : std::uint8_t {
#define RULE(id, family, summary, covers) id,
#include "passes/rules/rules.def"
#undef RULE
};
[[nodiscard]] std::string_view name(Rule rule);

// Rules that only run with --dataflow.
[[nodiscard]] bool needs_dataflow(std::string_view rule_name);

class RuleSet {
 public:
  RuleSet() = default;  // no rule
  [[nodiscard]] static RuleSet all();
  // "deps,cycles". Throws Error(usage) on an unknown or empty name, with the nearest known one.
  [[nodiscard]] static RuleSet parse(std::string_view list);

  [[nodiscard]] bool has(Rule rule) const { return bits_[static_cast<std::size_t>(rule)]; }
  [[nodiscard]] bool has(std::string_view name) const;
  // Whether findings of that rule are wanted: if it is in the set, and framing always, without which nothing is
  // known.
  [[nodiscard]] bool reports(std::string_view name) const;
  [[nodiscard]] bool empty() const { return bits_.none(); }
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

// The rules on one rank; returns its graph, for summarise(). Traces may be checked in parallel, each with its own
// Diagnostics.
Graph check_trace(const Trace& trace, const RuleSet& enabled, Diagnostics& diagnostics);
// The ranks of communicator groups, in their order, by pg_name.
using GroupLists = std::map<std::string, std::vector<Rank>, std::less<>>;
// The rules across ranks; `groups` is null where nothing is known of them. False, with an error of `peers`, if the
// summaries are not the ranks 0…n-1 in order: nothing else is checked then.
// `world`: how many ranks the whole set has, where these may be some of them.
bool check_set(std::span<const TraceSummary> summaries, const RuleSet& enabled, Diagnostics& diagnostics,
               const GroupLists* groups = nullptr, std::size_t world = 0);

}  // namespace convert
