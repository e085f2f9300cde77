// SPDX-License-Identifier: MIT
// Lists what an anonymised set still reveals: the entries of WHAT LEAKS ANYWAY in et-anonymize(1) that apply to it.
#pragma once

#include <string>
#include <vector>

#include "anonymize/options.h"
#include "core/diagnostic.h"
#include "passes/anonymize/anonymize.h"
#include "passes/anonymize/sizes.h"

namespace tools {

// Warns of an output name that contains a word of `names`, the names of the input files.
void warn_of_output_name(const AnonymizeToolOptions& options, const std::vector<std::string>& names,
                         convert::Diagnostics& diagnostics);

// Warns of attributes that --keep writes unchanged, and of kinds of sizes with fewer nodes than --k.
void warn_of_leaks(const AnonymizeToolOptions& options, const convert::SizeRule& sizes,
                   convert::Diagnostics& diagnostics);

// Returns two lines: facts that can be inferred; unchanged values, with the options that hide more. `counts`: of
// the whole set.
[[nodiscard]] std::vector<std::string> remaining_leaks(const AnonymizeToolOptions& options,
                                                       const convert::AnonymizeCounts& counts);

}  // namespace tools
