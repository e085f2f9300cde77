// SPDX-License-Identifier: MIT
// Reads PyTorch traces from files: a host trace and its device trace, if there is one, linked into one rank.
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
  chakra,         // as MLCommons Chakra's linker and converter do it
  chakra_linked,  // as its linker does it, without the converter
};

struct LinkingOptions {
  LinkOptions link;
  LinkCompat compat = LinkCompat::none;
  bool hash = true;                   // note names and SHA-256 of the files
  std::optional<std::string> device;  // file of the device trace
  bool mismatched = false;            // files of different processes or ranks are linked all the same
  bool tell_coverage = true;          // warn of a profile that holds only a part of the operators
  bool device_alone = false;          // the input is a device trace, and there is no host trace
};

// Parses device=FILE,gaps=keep|drop,metadata-nodes=keep|drop,data-deps=yes|no,reduce=yes|no,mismatched=yes|no,
// compat=chakra. Throws Error(usage).
[[nodiscard]] LinkingOptions linking_options(const FormatOptions& options);

// Holds a rank as it was read: linked by etkit's rules, or a trace of a compat mode.
struct ReadRank {
  std::unique_ptr<LinkedRank> linked;
  Trace trace;  // of a compat mode
};
// Warns once for each reason why operations could not be linked; for tools that only read linked traces.
void warn_unmatched(const LinkReport& report, const std::string& host, const LinkingOptions& options,
                    Diagnostics& diagnostics);
// Reads and links a rank: `rank`, else the one that the device trace names, else 0. Throws Error as the readers and
// check_belonging() do.
[[nodiscard]] ReadRank read_linked(std::unique_ptr<Input> input, std::optional<Rank> rank,
                                   const LinkingOptions& options, Diagnostics& diagnostics);

}  // namespace convert
