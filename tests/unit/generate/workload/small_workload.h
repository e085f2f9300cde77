// SPDX-License-Identifier: MIT
// A workload of 8 layers for tests.
#pragma once

#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "generate/workload/workload.h"

namespace convert {

using Settings = std::vector<WorkloadSetting>;
inline Settings with(Settings settings, const Settings& more) {
  settings.insert(settings.end(), more.begin(), more.end());
  return settings;
}

// Returns the workload with settings as in --set.
inline Workload small(const Settings& settings = {}) {
  Workload w;
  w.name = "small";
  w.model = {.layers = 8, .hidden = 256, .heads = 8, .kv_heads = 4, .ffn = 512, .vocab = 1024};
  w.step.sequence = 16;
  for (const WorkloadSetting& s : settings) set_workload(w, s);
  return w;
}

inline StageFigures::Calls calls(const StageFigures& f, Collective op, GroupKind kind) {
  const auto at = f.calls.find({op, kind});
  return at == f.calls.end() ? StageFigures::Calls{} : at->second;
}
inline std::uint64_t bytes(const StageFigures& f, Collective op, GroupKind kind) {
  return static_cast<std::uint64_t>(calls(f, op, kind).bytes);
}

// Returns why a workload is rejected.
inline std::string failure(const Settings& settings) {
  try {
    const WorkloadSet set(small(settings));
  } catch (const Error& e) {
    return e.kind() == Error::Kind::usage ? e.what() : "no error of usage: " + std::string(e.what());
  }
  return "";
}

// Returns whether there are messages, and each sent message is received: with the same tag, size and pair of ranks,
// once each.
inline bool messages_meet(const WorkloadSet& set) {
  std::multiset<std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t>> sent, received;
  for (Rank r = 0; r < set.ranks(); ++r) {
    const Trace t = set.trace(r);
    for (const Node& n : t.nodes.nodes) {
      if (n.type != NodeType::comm_send && n.type != NodeType::comm_recv) continue;
      const auto attrs = t.nodes.attributes(n);
      const auto value = [&](Name name) { return int_value(attrs, name).value; };
      const bool sends = n.type == NodeType::comm_send;
      if (value(sends ? attr::comm_src : attr::comm_dst) != r) return false;
      (sends ? sent : received)
          .emplace(value(attr::comm_src), value(attr::comm_dst), value(attr::comm_tag), value(attr::comm_size));
    }
  }
  const std::set<std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t>> once(sent.begin(), sent.end());
  return sent == received && !sent.empty() && once.size() == sent.size();
}

}  // namespace convert
