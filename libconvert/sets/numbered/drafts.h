// SPDX-License-Identifier: MIT
// Writes sets whose files, one a rank, say things of the whole set (formats/set_writer.h).
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

// In which order texts are put. `any`: by several threads at once, and where the whole set is known before it is
// read each as soon as its rank is; else all ranks' drafts are held until the last is read.
enum class DraftOrder : std::uint8_t { any, ascending };

// Calls put(rank, text) for each rank of the source. Returns the ranks, ascending. Throws Error(input) if two are
// of one rank, and what the writer throws.
[[nodiscard]] std::vector<Rank> write_drafts(SetSource& source, const SetWriter& writer, unsigned jobs,
                                             DraftOrder order,
                                             const std::function<void(Rank, std::string_view)>& put,
                                             Diagnostics& diagnostics);

// Throws Error(usage) if there is a folder of that name that holds anything but ranks that are named by number, or
// a file.
void require_own_folder(const std::string& path);

}  // namespace convert
