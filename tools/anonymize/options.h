// SPDX-License-Identifier: MIT
// Options of et-anonymize.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/options.h"
#include "passes/anonymize/options.h"

namespace tools {

struct AnonymizeToolOptions {
  InputOptions input;
  OutputOptions output;
  std::string names = "keyed";
  std::vector<std::string> keep;
  bool permute_ranks = false;
  bool no_times = false;
  std::optional<std::string> jitter;
  std::optional<std::int64_t> time_digits;
  std::optional<std::string> sizes;
  std::int64_t least_uses = 1;
  std::optional<std::string> scale;
  bool merge_chains = false;
  std::optional<std::string> key;
  std::optional<std::string> key_out;
  std::optional<std::string> table;
  std::optional<std::string> report;
  std::optional<std::string> network;
};

void add_anonymize_options(App& app, AnonymizeToolOptions& to);

// Returns the options of hiding. Throws Error(usage) for invalid values, and for options that cannot be combined.
[[nodiscard]] convert::AnonymizeOptions anonymize_options(const AnonymizeToolOptions& options);

// Returns the note that --permute-ranks has removed the link order of `sends` sends.
[[nodiscard]] std::string note_of_turns(std::uint64_t sends);

}  // namespace tools
