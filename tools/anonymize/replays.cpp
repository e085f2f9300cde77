// SPDX-License-Identifier: MIT
#include "anonymize/replays.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "passes/anonymize/times.h"
#include "scenario/scenario.h"

namespace tools {

using namespace convert;

namespace {

// Bytes of the whole buffer, for messages that state chunks but no bytes.
constexpr std::int64_t size_of_algorithms = 1 << 20;

std::string not_replayed(std::string_view rule) {
  return rule.empty() ? "not replayed" : "not replayed (rule " + std::string(rule) + ")";
}

// A report does not contain names of files.
std::string told_network(const std::string& network) {
  std::error_code ignored;
  return std::filesystem::exists(network, ignored) ? "a network file" : network;
}

RunSettings settings_of(const std::string& network, bool recorded) {
  RunSettings settings;
  settings.workload = "the set";
  settings.network = network;
  settings.options.size_bytes = size_of_algorithms;
  settings.compute_recorded = settings.comm_recorded = recorded;
  return settings;
}

ReplayOutcome outcome_of(const ReplayResult& result) {
  ReplayOutcome out{.status = std::string(name(result.status)), .total_ps = result.total_ps};
  for (std::size_t i = 0; i < result.npus.size(); ++i) {
    const NpuResult& npu = result.npus[i];
    out.npus[result.rank(i)] = {npu.finish_ps.value_or(-1), npu.compute_ps, npu.times.communication,
                                npu.exposed_communication_ps};
  }
  return out;
}

// Returns only the rule of an error: messages may contain words of the set.
ReplayOutcome replay_of(SetSource& set, const RunSettings& settings, unsigned jobs) {
  Diagnostics findings;
  try {
    Scenario scenario = make_scenario(settings);
    add_groups(scenario, set.groups());
    check_scenario(scenario);
    LoadedReplay loaded = load_replay(set, scenario, jobs, findings);
    if (loaded && findings.errors() == 0)
      return outcome_of(loaded.recorded ? std::move(*loaded.recorded) : replay(*loaded.program));
  } catch (const Error& e) {
    if (e.kind() == Error::Kind::system) throw;
    return {.status = not_replayed(e.rule())};
  }
  const auto first = std::ranges::find(findings.all(), Severity::error, &Diagnostic::severity);
  return {.status = not_replayed(first == findings.all().end() ? std::string_view() : first->rule)};
}

double difference(Picoseconds before, Picoseconds after) {
  if (before == after) return 0;
  const double base = before <= 0 ? 1 : static_cast<double>(before);
  return std::abs(static_cast<double>(after) - static_cast<double>(before)) / base;
}

void compare_outcomes(ReplayProof& proof, const SetFacts& facts) {
  proof.equal = proof.before.status == proof.after.status && proof.before.npus.size() == proof.after.npus.size();
  for (const auto& [rank, figures] : proof.before.npus) {
    const auto other = proof.after.npus.find(facts.rank(rank));
    if (other == proof.after.npus.end()) continue;
    for (std::size_t k = 0; k < figures.size(); ++k) {
      proof.largest.at(k) = std::max(proof.largest.at(k), difference(figures.at(k), other->second.at(k)));
      proof.equal = proof.equal && figures.at(k) == other->second.at(k);
    }
  }
}

}  // namespace

bool ReplayProof::holds() const {
  if (before.npus.empty()) return true;  // without a replay there is no promise
  if (before.status != after.status) return false;
  if (all_promised) return equal;
  // Doubles that are sums of integers.
  constexpr double rounding = 1e-12;
  return !promised || largest[0] <= *promised + rounding;
}

std::vector<ReplayProof> prove_replays(KeptSet& before, AnonymizedSet& after, const std::string& network,
                                       unsigned jobs) {
  const AnonymizeOptions& o = after.plan().options;
  const bool times = o.changes_times() || o.scale != 1;
  std::vector<ReplayProof> out;
  for (const bool recorded : {true, false}) {
    const RunSettings settings = settings_of(network, recorded);
    ReplayProof& proof = out.emplace_back();
    proof.how = recorded ? "as recorded" : told_network(network);
    proof.before = replay_of(before, settings, jobs);
    proof.after = replay_of(after, settings, jobs);
    compare_outcomes(proof, after.plan().facts);
    const bool whole = !times && !o.merge_chains && (recorded || (!o.changes_sizes() && !o.permute_ranks));
    if (whole || (recorded && o.scale == 1)) proof.promised = time_bound(o);
    proof.all_promised = whole;
  }
  return out;
}

}  // namespace tools
