// SPDX-License-Identifier: MIT
// Rules of -o: what the suffix of its name stands for, and whether it may be an input.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "common/app.h"
#include "common/options.h"

namespace tools {

// Returns which of `forms`, such as "json", the suffix of -o names, else "text". Throws Error(usage) for the suffix
// of something else that etkit writes, so that no text stands under its name, and no run is lost.
[[nodiscard]] std::string form_of_suffix(const std::optional<std::string>& output,
                                         std::initializer_list<std::string_view> forms);

// Throws Error(usage) if -o of a set has the suffix of a kind of file that no set is written as, and -t does not
// name the format.
void refuse_suffix_of_other_kind(const OutputOptions& output);

// Does the same for any -o but with the suffixes `own`: `kinds` says what is written.
void refuse_suffix_of_other_kind(const std::optional<std::string>& output, const std::string& kinds,
                                 std::initializer_list<std::string_view> own);

// Adds the option --in-place: an output may be an input.
void add_in_place_option(App& app);
// Protects what the tool reads from now on (io/replace/read_files.h), by what was given. run_tool() calls it once
// the command line is parsed.
void protect_inputs();

}  // namespace tools
