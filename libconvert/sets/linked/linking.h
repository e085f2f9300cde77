// SPDX-License-Identifier: MIT
// Reads PyTorch traces from files: a host trace and its optional device trace, linked into one rank.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/diagnostic.h"
#include "core/trace.h"
#include "formats/format.h"
#include "io/input.h"
#include "passes/link/link.h"

namespace convert {

enum class LinkCompat : std::uint8_t {
  none,
  chakra,         // like MLCommons Chakra's linker and converter
  chakra_linked,  // like Chakra's linker, without the converter
};

struct LinkingOptions {
  LinkOptions link;
  LinkCompat compat = LinkCompat::none;
  bool hash = true;                   // record names and SHA-256 of the files
  std::optional<std::string> device;  // file of the device trace
  bool mismatched = false;            // link files of different processes or ranks anyway
  bool tell_coverage = true;          // warn about a profile that contains only some of the operators
  bool device_alone = false;          // the input is a device trace without a host trace
};

// Parses device=FILE,gaps=keep|drop,metadata-nodes=keep|drop,data-deps=yes|no,reduce=yes|no,mismatched=yes|no,
// compat=chakra. Throws Error(usage).
[[nodiscard]] LinkingOptions linking_options(const FormatOptions& options);

// A rank after reading: linked by etkit's rules, or a trace of a compat mode.
struct ReadRank {
  std::unique_ptr<LinkedRank> linked;
  Trace trace;  // of a compat mode
};
// Warns once for each reason why operations could not be linked; for tools that only read linked traces.
void warn_unmatched(const LinkReport& report, const std::string& host, const LinkingOptions& options,
                    Diagnostics& diagnostics);
// Reads and links a rank: `rank`, else the rank in the device trace, else 0. Throws Error as the readers and
// check_belonging() do.
[[nodiscard]] ReadRank read_linked(std::unique_ptr<Input> input, std::optional<Rank> rank,
                                   const LinkingOptions& options, Diagnostics& diagnostics);

}  // namespace convert
