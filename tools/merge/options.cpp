// SPDX-License-Identifier: MIT
#include "merge/options.h"

#include <utility>

#include "common/form.h"
#include "common/option_texts.h"
#include "config/collective_rules.h"
#include "config/network/network.h"
#include "core/rank_list.h"
#include "io/input.h"
#include "scenario/inputs.h"
#include "scenario/synthesized/judged_builders.h"
#include "sets/synthesized/rule.h"

namespace tools {

using namespace convert;

namespace {

// Returns the network of a synthesized algorithm, if its rule names one. Errors of the rule are reported when it is
// merged.
std::optional<std::string> network_of_rule(const CollectiveRule& rule) {
  if (!rule.builtin || !names_synthesis(rule.algorithm)) return std::nullopt;
  try {
    return parse_synthesis_rule(rule.algorithm).network;
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

void add_merge_options(App& app, MergeToolOptions& o) {
  add_set_input_options(app, o.input);
  app.group("Merging");
  app.add_option("-w,--workload", o.workload, "INPUT", "the workload, instead of an operand");
  app.add_texts("-a,--algorithm", o.algorithms, "[WHICH[:CONDITION...]=]ALGORITHM", option_text::algorithm);
  app.add_option("--map", o.map, "FILE", "rules in YAML, or ASTRA-sim's map of nodes");
  app.add_integer("--chunks", o.chunks, 1, max_instances, "K", option_text::chunks);
  app.add_flag("--require-all", o.require_all, "report a collective without a rule as an error");
  app.add_choice("--misfits", o.misfits, {"error", "warn"}, "collectives that their algorithm cannot express");
  app.add_option("--ranks", o.ranks, "LIST", option_text::ranks);
  add_output_options(app, o.output);
  add_in_place_option(app);
}

MergeOptions merge_options(const MergeToolOptions& o, unsigned jobs) {
  MergeOptions options{.rules = {},
                       .require_all = o.require_all,
                       .allow_misfits = o.misfits == "warn",
                       .ranks = {},
                       .faster = faster_builder(IssueMode::workload),
                       .jobs = jobs};
  for (const std::string& text : o.algorithms) {
    options.rules.push_back(parse_collective_rule(text));
    if (options.rules.back().native)
      throw usage_error("-a " + text +
                        ": et-replay simulates ASTRA-sim's native algorithms; et-generate --list has the "
                        "names of programs");
    if (const CollectiveRule& rule = options.rules.back(); !rule.builtin && rule.algorithm != "-")
      check_algorithm_path(rule.algorithm);
  }
  if (o.map) {
    const auto input = open_input(*o.map);
    for (CollectiveRule& rule : parse_rule_map(input->name(), input->read_rest()))
      options.rules.push_back(std::move(rule));
  }
  options.chunks = static_cast<std::uint32_t>(o.chunks);
  if (o.ranks) options.ranks = parse_ranks(*o.ranks);
  return options;
}

std::vector<std::string> files_of_rules(const MergeToolOptions& options, const MergeOptions& merging) {
  std::vector<std::string> files;
  if (options.map) files.push_back(*options.map);
  for (const CollectiveRule& rule : merging.rules) {
    if (!rule.builtin) files.push_back(rule.algorithm);
    if (const auto network = network_of_rule(rule); network && !is_short_network(*network))
      files.push_back(split_file_argument(*network).path);
  }
  return files;
}

}  // namespace tools
