// SPDX-License-Identifier: MIT
// Writes sets with one file per rank, whose files contain facts about the whole set (formats/set_writer.h).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/diagnostic.h"
#include "formats/set_writer.h"
#include "sets/set_source.h"

namespace convert {

// Order in which texts are written. `any`: by several threads; each text as soon as its rank is read, if the whole
// set is known before. Otherwise the drafts of all ranks are kept until the last rank is read.
enum class DraftOrder : std::uint8_t { any, ascending };

// Calls put(rank, text) for each rank of the source. Returns the ranks, ascending. Throws Error(input) if a rank is
// repeated, and the errors of the writer.
[[nodiscard]] std::vector<Rank> write_drafts(SetSource& source, const SetWriter& writer, unsigned jobs,
                                             DraftOrder order,
                                             const std::function<void(Rank, std::string_view)>& put,
                                             Diagnostics& diagnostics);

// Throws Error(usage) if `path` is a file, or a folder that contains anything except rank files named by number.
void require_own_folder(const std::string& path);

}  // namespace convert
