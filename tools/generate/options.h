// SPDX-License-Identifier: MIT
// Options of et-generate, and the requests that they make.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "collectives/collective.h"
#include "common/options.h"
#include "common/tool.h"
#include "config/workload/workload.h"
#include "generate/generate.h"
#include "generate/synthesized.h"

namespace tools {

struct GenerateOptions {
  std::vector<std::string> kind;
  OutputOptions output;
  bool list = false;
  std::optional<std::int64_t> npus;
  std::vector<std::int64_t> sizes;           // more than one: for collectives only
  std::optional<std::int64_t> largest_call;  // of an algorithm; 0: no limit; unset: twice its size
  std::optional<std::string> compat;
  std::optional<std::string> show;    // "plan" of a workload, "sizes" of a synthesis
  std::optional<std::string> format;  // of the output of --show and --bound
  // For algorithms:
  std::optional<std::string> algorithm;
  std::optional<std::int64_t> chunks;
  std::optional<std::string> dims;
  std::vector<std::string> dim_algorithms;
  std::optional<std::int64_t> root;
  std::optional<std::string> proto;
  SynthesisOptions synthesis;
  // For traces:
  convert::GenerateRequest trace;  // options without conversion
  std::optional<std::int64_t> compute_ps;
  std::optional<std::int64_t> backward_ps;
  std::vector<std::string> calls;  // "all_reduce:64MiB"
  std::optional<std::string> order;
  // For traces and workloads:
  std::optional<std::int64_t> seed;
  std::vector<std::string> noise;  // KEY=SIGMA
  // For workloads:
  std::vector<std::string> set;  // KEY=VALUE
  std::optional<std::string> plan;

  [[nodiscard]] std::optional<std::int64_t> size() const {
    return sizes.empty() ? std::nullopt : std::optional(sizes.front());
  }
};

void add_generate_options(App& app, GenerateOptions& to);

// Return the request. Throw Error(usage) for options that do not apply to this kind.
[[nodiscard]] convert::CollectiveRequest algorithm_request(const GenerateOptions& o, convert::Collective collective,
                                                           const Context& context);
[[nodiscard]] convert::GenerateRequest trace_request(const GenerateOptions& o, const Context& context);
// Throws Error(usage) if --show is not `offered`, the only value that the kind has.
void check_show(const GenerateOptions& o, std::string_view offered);
// Returns the noise of a workload. Throws Error(usage) if the workload has no times, and for noise of other kinds.
[[nodiscard]] convert::Noise workload_noise(const GenerateOptions& o, const convert::Workload& workload);

}  // namespace tools
