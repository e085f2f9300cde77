// SPDX-License-Identifier: MIT
// Rules of -o: the meaning of its suffix, and whether it may be an input.
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

// Throws Error(usage) if -o of a set has the suffix of a kind of file other than a set, and -t does not name the
// format.
void refuse_suffix_of_other_kind(const OutputOptions& output);

// Does the same for the file of any option without a suffix in `own`: `kinds` describes the output.
void refuse_suffix_of_other_kind(const std::optional<std::string>& output, const std::string& kinds,
                                 std::initializer_list<std::string_view> own, std::string_view option = "-o");

// Adds the option --in-place: an output may be an input.
void add_in_place_option(App& app);
// Protects files that the tool reads from now on (io/replace/read_files.h), by the options. run_tool() calls it
// after the command line is parsed.
void protect_inputs();

}  // namespace tools
