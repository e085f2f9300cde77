// SPDX-License-Identifier: MIT
// Shared checks of workload settings: model kinds that have a key, and errors about contradictions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "config/workload/workload.h"
#include "core/diagnostic.h"

namespace convert {

// Throws Error(usage) if the setting does not apply to models of that kind.
void check_kind_of_setting(ModelKind kind, std::string_view path);

// Returns a kind by its name. Throws Error(usage) with the known kinds.
[[nodiscard]] ModelKind parse_model_kind(std::string_view text);

[[nodiscard]] inline std::string named(std::string_view key, std::int64_t value) {
  return std::string(key) + " " + std::to_string(value);
}

// Throws Error(usage) with both keys if `whole` is not a multiple of `part`.
inline void divides(std::string_view part_key, std::int64_t part, std::string_view whole_key, std::int64_t whole) {
  if (whole % part != 0)
    throw usage_error(named(whole_key, whole) + " is not a multiple of " + named(part_key, part));
}

// Throws Error(usage) for contradictory settings of a run that does not train.
void check_inference(const Workload& w);

// Throw Error(usage) for contradictory or too large settings of models of other kinds than transformers.
void check_mlp(const Workload& w);
void check_dlrm(const Workload& w);
void check_resnet(const Workload& w);
void check_vit(const Workload& w);

}  // namespace convert
