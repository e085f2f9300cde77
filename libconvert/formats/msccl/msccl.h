// SPDX-License-Identifier: MIT
// Reader and writer of algorithms as MSCCL-IR XML. Format: et-formats(5).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/algorithm/algorithm.h"
#include "core/diagnostic.h"

namespace convert {

// Parses a document and checks its structure. Throws Error(input) if no table can be built (malformed XML, a
// DOCTYPE, another root, missing or invalid attributes of <algo>). Reports every other defect to `diagnostics` with
// line and column; the returned algorithm then contains the readable parts. Only an algorithm without reported
// errors fulfils the invariants of core/algorithm/algorithm.h. Consumes `text`: the parser works in place.
[[nodiscard]] Algorithm read_msccl(std::string text, const std::string& file, Diagnostics& diagnostics);

// Returns the first position at which the tokenizers of the MSCCL runtimes, which accept a subset of XML, reject
// the document or differ from XML readers; otherwise nothing.
[[nodiscard]] std::optional<Diagnostic> find_runtime_syntax(std::string_view text, const std::string& file);

// Appends the document in MSCCLang's layout: its order of attributes, two-space indentation, no XML declaration.
void write_msccl(const Algorithm& algorithm, std::string& out);

}  // namespace convert
