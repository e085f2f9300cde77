// SPDX-License-Identifier: MIT
// Reads and writes algorithms as MSCCL-IR XML. The format: et-formats(5).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/algorithm/algorithm.h"
#include "core/diagnostic.h"

namespace convert {

// Parses and checks the structure of a document. Throws Error(input) where no table can be made (malformed XML, a
// DOCTYPE, another root, missing or impossible attributes of <algo>); every other defect is reported to
// `diagnostics` with its line and column, and the returned algorithm then holds what could be understood
// (only an algorithm without reported errors fulfils the invariants of core/algorithm/algorithm.h).
// `text` is consumed: the parser works inside it.
[[nodiscard]] Algorithm read_msccl(std::string text, const std::string& file, Diagnostics& diagnostics);

// Returns the first place at which the tokenizers of the MSCCL runtimes (a subset of XML) refuse a document or
// differ from XML readers; nothing if there is no such place.
[[nodiscard]] std::optional<Diagnostic> find_runtime_syntax(std::string_view text, const std::string& file);

// Appends the document as MSCCLang lays it out: attributes in its order, two-space indentation, no XML declaration.
void write_msccl(const Algorithm& algorithm, std::string& out);

}  // namespace convert
