// SPDX-License-Identifier: MIT
// What the parts of a workload's settings share: which kinds of models have a key, and how contradictions are told.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "config/workload/workload.h"
#include "core/diagnostic.h"

namespace convert {

// Throws Error(usage) if the setting has no meaning for models of that kind.
void check_kind_of_setting(ModelKind kind, std::string_view path);

// Returns a kind by its name. Throws Error(usage) that says which there are.
[[nodiscard]] ModelKind parse_model_kind(std::string_view text);

[[nodiscard]] inline std::string named(std::string_view key, std::int64_t value) {
  return std::string(key) + " " + std::to_string(value);
}

// Throws Error(usage) that names both keys if `whole` is no multiple of `part`.
inline void divides(std::string_view part_key, std::int64_t part, std::string_view whole_key, std::int64_t whole) {
  if (whole % part != 0) throw usage_error(named(whole_key, whole) + " is no multiple of " + named(part_key, part));
}

// Throws Error(usage) for what contradicts itself in a run that does not train.
void check_inference(const Workload& w);

// Throw Error(usage) for what contradicts itself, or is too large, in models of other kinds than transformers.
void check_mlp(const Workload& w);
void check_dlrm(const Workload& w);
void check_resnet(const Workload& w);
void check_vit(const Workload& w);

}  // namespace convert
