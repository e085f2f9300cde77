// SPDX-License-Identifier: MIT
// A workload of 8 layers for tests.
#pragma once

#include <string>
#include <vector>

#include "generate/workload/workload.h"

namespace convert {

using Settings = std::vector<WorkloadSetting>;
inline Settings with(Settings settings, const Settings& more) {
  settings.insert(settings.end(), more.begin(), more.end());
  return settings;
}

// What is changed as --set does.
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

// Returns why a workload is refused.
inline std::string failure(const Settings& settings) {
  try {
    const WorkloadSet set(small(settings));
  } catch (const Error& e) {
    return e.kind() == Error::Kind::usage ? e.what() : "no error of usage: " + std::string(e.what());
  }
  return "";
}

}  // namespace convert
