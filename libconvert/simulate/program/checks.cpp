// SPDX-License-Identifier: MIT
#include <algorithm>

#include "core/units.h"
#include "simulate/program/builder.h"

namespace convert {

std::string file_of_rank(std::string name, Rank rank, Rank other) {
  const std::string number = '.' + std::to_string(rank) + '.';
  const std::size_t at = name.rfind(number);
  if (at == std::string::npos) return "";
  return " (" + name.replace(at, number.size(), '.' + std::to_string(other) + '.') + ')';
}

void ReplayBuilder::State::check_network() {
  const NetworkConfig& network = program.network;
  const auto ranks = static_cast<std::int64_t>(program.ranks.size());
  if (network.ideal || network.npus() == ranks) return;
  failed = true;
  const std::string has = "the network has " + counted(network.npus(), "NPU");
  if (network.npus() < ranks) {
    return diagnostics.error({.file = network.source}, "network",
                             has + ", but there are traces of " + counted(ranks, "rank"));
  }
  const bool one = network.npus() == ranks + 1;
  const auto last = static_cast<Rank>(ranks - 1);
  std::string text = one ? "no trace of rank " : "no traces of ranks ";
  text += std::to_string(ranks) + (one ? "" : " to " + std::to_string(network.npus() - 1));
  const std::string file = file_of_rank(last_name, last, last + 1);
  const bool is_set = !file.empty() && (last == 0 || last_name != first_name);
  if (is_set) text += one ? file : file.substr(0, file.size() - 1) + " …)";
  text += ": " + has + (is_set || ranks > 1 ? "; " : "");
  if (is_set) text += one ? "add it" : "add them";
  if (ranks > 1) text += std::string(is_set ? ", or " : "") + "give a network of " + counted(ranks, "NPU");
  diagnostics.error({.file = network.source}, "network", text);
}

// Notes what of the traces and the system keeps ASTRA-sim from running them.
void ReplayBuilder::State::note_gaps() {
  if (!program.rules.notes_gaps()) return;
  program.gaps.add(compiler.gaps());
  program.gaps.add(custom_compiler.gaps());
  for (const CollectivePlan& plan : program.plans) note_gaps(plan.call);
}

void ReplayBuilder::State::note_gaps(const CollectiveCall& call) {
  if (call.op == Collective::all_gather && call.bytes < *program.model.splits)
    program.gaps.add(AstraGap::gathers_less_than_chunks);
  if (call.custom == 0) return;
  if (*program.model.splits > 1) program.gaps.add(AstraGap::custom_chunks);
  const std::vector<Rank>& ranks = program.groups[call.group].ranks;
  if (!std::is_sorted(ranks.begin(), ranks.end())) program.gaps.add(AstraGap::custom_group_order);
}

void ReplayBuilder::State::check_peers() {
  const auto ranks = static_cast<std::int64_t>(program.ranks.size());
  // Where a trace is missing, that is what is wrong.
  const std::int64_t expected = program.network.ideal ? ranks : std::max(ranks, program.network.npus());
  for (const HighestPeer& highest : highest_peers) {
    if (highest.peer < expected) continue;
    failed = true;
    diagnostics.error(highest.where, "peers",
                      "node " + std::to_string(highest.node) + ": its peer is rank " +
                          std::to_string(highest.peer) + ", but there are " + counted(ranks, "rank"));
  }
}

void ReplayBuilder::State::warn_of_unused_options() {
  if (program.options.size_bytes && !compiler.size_used() && !custom_compiler.size_used()) {
    diagnostics.warning({.file = first_name}, "sizes", "--size is not used: the messages have sizes of their own");
  }
  const ReplaySystem& system = *program.options.system;
  if (system.injection_scale != 1 && !system.config.endpoint_delay_given)
    diagnostics.warning({}, "system", "--injection-scale is not used: no system file states an endpoint-delay");
  if (system.config.shared_bus && !program.rules.has_shared_bus()) {
    diagnostics.warning({.file = system.config.source}, "system",
                        "model-shared-bus is not used: it is a part of ASTRA-sim's rules (--compat astra)");
  }
  for (const auto& [node, prefix] : system.per_node_custom) {
    if (nodes_used.contains(node)) continue;
    diagnostics.warning(
        {.file = system.config.per_node_map}, "system",
        "no rank has a collective of node " + std::to_string(node) + ", which is to take " + prefix);
  }
  const std::vector<FreeWork::Calls>& free = program.options.free.calls;
  free_used.resize(free.size());
  for (std::size_t i = 0; i < free.size(); ++i) {
    if (!free_used[i])
      diagnostics.warning({.file = first_name}, "collective", "'" + free[i].text + "' fits no collective");
  }
  rules_used.resize(system.rules.size());
  for (std::size_t i = 0; i < rules_used.size(); ++i) {
    if (rules_used[i]) continue;
    diagnostics.warning({.file = first_name}, "collective", "'" + system.rules[i].text + "' fits no collective");
  }
}

}  // namespace convert
