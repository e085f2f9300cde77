// SPDX-License-Identifier: MIT
#include "scenario/option_values.h"

#include <algorithm>
#include <utility>

#include "collectives/collective.h"
#include "config/collective_rules.h"
#include "config/network/network.h"
#include "core/diagnostic.h"
#include "core/units.h"
#include "core/words.h"
#include "sets/synthesized/rule.h"

namespace convert {
namespace {

Error bad(const std::string& message) { return input_error({}, message); }

// Parses native algorithms, one for each dimension, such as "ring+direct"; returns nothing for any other text.
std::optional<std::vector<AlgorithmChoice>> parse_natives(std::string_view text) {
  std::vector<AlgorithmChoice> natives;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('+', at), text.size());
    const auto algorithm = parse_native_algorithm(text.substr(at, end - at));
    if (!algorithm) return std::nullopt;
    natives.push_back(*algorithm);
    at = end + 1;
  }
  return natives;
}

std::string unknown_native(const std::string& text) {
  for (const std::string& one : split(text, '+')) {
    if (parse_native_algorithm(one)) continue;
    const std::vector<std::string> known = native_algorithm_names();
    return "unknown algorithm 'astra:" + one + "'; ASTRA-sim has " + join(known) + hint_for(one, known);
  }
  return "not an algorithm";
}

// Returns an algorithm that etkit makes, with names in printed form.
std::string usual_made(const std::string& text, std::optional<Collective> collective) {
  if (!names_synthesis(text)) return usual_builtin(text, collective);
  check_synthesized(collective);
  const SynthesisRule rule = parse_synthesis_rule(text);
  if (rule.network || rule.occupancy || rule.forwarding || !rule.failed.empty()) {
    throw usage_error(std::string(rule.network      ? "net"
                                  : rule.occupancy  ? "occupancy"
                                  : rule.forwarding ? "forwarding"
                                                    : "fail") +
                      "= is for et-merge only; a replay synthesizes algorithms for its own network, occupancy, "
                      "forwarding and failed links");
  }
  return rule.text;
}

}  // namespace

std::optional<bool> parse_truth(std::string_view text) {
  for (const char* yes : {"true", "1", "on", "yes", "True", "t", "T"}) {
    if (text == yes) return true;
  }
  for (const char* no : {"false", "0", "off", "no", "False", "f", "F"}) {
    if (text == no) return false;
  }
  return std::nullopt;
}

std::optional<double> parse_scale(std::string_view text) {
  const auto value = parse_number(text);
  return value && *value >= 0 && *value <= 1e9 ? value : std::nullopt;
}

void add_straggler(const std::string& text, std::map<Rank, double>& to) {
  const std::size_t equals = text.find('=');
  const auto rank = parse_int(text.substr(0, equals));
  std::string factor = equals == std::string::npos ? "" : text.substr(equals + 1);
  if (factor.ends_with('x')) factor.pop_back();
  if (!rank || *rank < 0 || *rank >= max_npus || factor.empty())
    throw bad("'" + text + "' is not RANK=FACTOR, such as 3=1.5x");
  const std::optional<double> by = parse_scale(factor);
  if (!by) throw bad("'" + factor + "' is not a number from 0 to 1e9");
  if (*by == 0) throw bad("factor 0 is not allowed: '" + text + "'");
  if (!to.emplace(static_cast<Rank>(*rank), *by).second)
    throw bad("rank " + std::to_string(*rank) + " is given twice");
}

void add_free(const std::string& text, FreeWork& to) {
  if (same_name(text, "compute")) {
    to.compute = true;
  } else {
    to.calls.push_back({parse_collective_selection(text), text});
  }
}

std::string made_algorithm(const std::string& text, std::optional<Collective> collective) {
  return std::string(builtin_prefix) + usual_made(text, collective);
}

std::string usual_algorithms(const std::string& text) {
  if (names_synthesis(text)) {
    try {
      return usual_made(text, std::nullopt);
    } catch (const Error&) {
      return text;
    }
  }
  std::string usual;
  for (const AlgorithmChoice& choice : parse_natives(text).value_or(std::vector<AlgorithmChoice>()))
    usual += (usual.empty() ? "" : "+") + text_of(choice);
  return usual.empty() ? text : usual;
}

std::string usual_collective_rule(const std::string& text) {
  const CollectiveRule rule = parse_collective_rule(text);
  const std::size_t algorithm = text.size() - rule.algorithm.size() - (rule.native ? native_prefix.size() : 0);
  const std::string selection = text.substr(0, algorithm);
  std::string which;
  if (rule.which.type) which = name(*rule.which.type);
  if (!selection.empty()) which += selection.substr(selection.find_first_of(":="));
  if (which[0] == ':') which.insert(0, "all");
  return (which == "=" ? "" : which) + (rule.builtin ? usual_made(rule.algorithm, rule.which.type)
                                        : rule.native
                                            ? std::string(native_prefix) + usual_algorithms(rule.algorithm)
                                            : rule.algorithm);
}

SystemRule parse_system_rule(const std::string& text) {
  CollectiveRule parsed = parse_collective_rule(text);
  SystemRule rule{.which = std::move(parsed.which), .text = text};
  if (parsed.native) {
    auto natives = parse_natives(parsed.algorithm);
    if (!natives) throw bad("'" + text + "': " + unknown_native(parsed.algorithm));
    rule.choice.per_dim = std::move(*natives);
    if (rule.which.type && !is_listed(*rule.which.type)) {
      throw bad("'" + text + "': ASTRA-sim has one algorithm for " + std::string(name(*rule.which.type)) +
                "; give a name of et-generate --list, or a file");
    }
  } else if (parsed.builtin) {
    rule.choice.custom = made_algorithm(parsed.algorithm, rule.which.type);
  } else {
    rule.choice.custom = std::move(parsed.algorithm);
  }
  return rule;
}

}  // namespace convert
