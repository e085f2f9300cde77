// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "core/units.h"
#include "machine/chosen.h"
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
  if (program.options.network.model == NetworkModel::fair && network.npus() > ranks) return;  // other GPUs are idle
  failed = true;
  const std::string has = "the network has " + counted(network.npus(), "NPU");
  if (network.npus() < ranks) {
    const std::uint32_t gpus = network.machine == nullptr ? 0 : network.machine->machine().node.gpus;
    const std::string remedy = gpus == 0
                                   ? "use a network of " + counted(ranks, "NPU")
                                   : "give nodes=" + std::to_string((ranks + gpus - 1) / gpus) + " or omit nodes";
    return diagnostics.error({.file = network.source}, "network",
                             has + ", but there are traces of " + counted(ranks, "rank") + "; " + remedy);
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
  if (ranks > 1) text += std::string(is_set ? ", or " : "") + "use a network of " + counted(ranks, "NPU");
  diagnostics.error({.file = network.source}, "network", text);
}

// Records the features of traces and system that ASTRA-sim cannot run.
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

// Notes network devices that sends name but messages do not use.
void ReplayBuilder::State::note_nets() {
  if (const std::string why = send_ways.why_nets_are_ignored(); !why.empty())
    program.notes.push_back("network devices named by sends (net) are ignored: " + why);
  constexpr std::size_t problems = 4;
  std::array<std::uint64_t, problems> sends{};
  std::array<std::string, problems> first{};
  const auto add = [&](const RankCode& code, Rank rank, const auto& peer) {
    if (code.ways == nullptr) return;
    for (const SendWays::Way& way : code.ways->ways) {
      if (way.hops != 0) continue;
      const Rank to = peer(way.node);
      const auto problem = static_cast<std::size_t>(send_ways.nets().way(rank, to, way).problem);
      if (sends.at(problem)++ != 0) continue;
      first.at(problem) = "first from rank " + std::to_string(rank) + " to " + std::to_string(to) +
                          (way.net < 0 ? "" : ", net " + std::to_string(way.net)) +
                          (way.net_to < 0 ? "" : ", net_to " + std::to_string(way.net_to));
    }
  };
  for (Rank r = 0; r < program.ranks.size(); ++r) {
    const RankProgram& rank = program.ranks[r];
    add(*rank.code, r, [&](std::uint32_t node) { return rank.peers[rank.code->ops[node].channel]; });
  }
  std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
  for (const CollectivePlan& plan : program.plans) {
    const CollectiveCall& call = plan.call;
    if (call.custom == 0 || !seen.emplace(call.custom, call.group).second) continue;
    const SystemGroup& group = program.groups[call.group];
    const auto& places = program.customs[call.custom - 1].places;
    for (std::uint32_t place = 0; place < places.size(); ++place) {
      add(*places[place], group.rank(place),
          [&](std::uint32_t node) { return group.rank(places[place]->ops[node].peer); });
    }
  }
  const auto note = [&](NetDevices::Problem problem, const std::string& what) {
    const std::uint64_t n = sends.at(static_cast<std::size_t>(problem));
    if (n != 0)
      program.notes.push_back(counted(n, "send") + (n == 1 ? " names " : " name ") + what + " (" +
                              first.at(static_cast<std::size_t>(problem)) + ")");
  };
  note(NetDevices::Problem::unknown, "network devices that their hosts lack: messages take the shortest routes");
  note(NetDevices::Problem::failed,
       "network devices with failed links: messages take the shortest routes over the remaining links");
  note(NetDevices::Problem::apart,
       "two network devices without a common switch: messages take the shortest route from the sender's device");
}

void ReplayBuilder::State::check_peers() {
  const auto ranks = static_cast<std::int64_t>(program.ranks.size());
  // A missing trace is reported first; such peers are then no errors.
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
    diagnostics.warning({.file = first_name}, "sizes", "--size is ignored: the messages have their own sizes");
  }
  const ReplaySystem& system = *program.options.system;
  if (system.injection_scale != 1 && !system.config.endpoint_delay_given)
    diagnostics.warning({}, "system", "--injection-scale is ignored: no system file has an endpoint-delay");
  if (system.config.shared_bus && !program.rules.has_shared_bus()) {
    diagnostics.warning({.file = system.config.source}, "system",
                        "model-shared-bus is ignored: it requires ASTRA-sim's rules (--compat astra)");
  }
  for (const auto& [node, prefix] : system.per_node_custom) {
    if (nodes_used.contains(node)) continue;
    diagnostics.warning({.file = system.config.per_node_map}, "system",
                        "no rank has a collective node " + std::to_string(node) + " for algorithm " + prefix);
  }
  const std::vector<FreeWork::Calls>& free = program.options.free.calls;
  free_used.resize(free.size());
  for (std::size_t i = 0; i < free.size(); ++i) {
    if (!free_used[i])
      diagnostics.warning({.file = first_name}, "collective", "'" + free[i].text + "' matches no collective");
  }
  rules_used.resize(system.rules.size());
  for (std::size_t i = 0; i < rules_used.size(); ++i) {
    if (rules_used[i]) continue;
    diagnostics.warning({.file = first_name}, "collective", "'" + system.rules[i].text + "' matches no collective");
  }
}

}  // namespace convert
