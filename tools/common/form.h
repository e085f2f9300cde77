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

// Returns the element of `forms`, such as "json", that the suffix of -o names, else "text". Throws Error(usage) for
// the suffix of another file type that etkit writes: text must not get its name or replace a run.
[[nodiscard]] std::string form_of_suffix(const std::optional<std::string>& output,
                                         std::initializer_list<std::string_view> forms);

// Throws Error(usage) if -o of a set has the suffix of a file type other than a set, and -t does not name the
// format.
void refuse_suffix_of_other_kind(const OutputOptions& output);

// Throws Error(usage) if the file of `option` has a known suffix that is not in `own`; `kinds` describes the
// output.
void refuse_suffix_of_other_kind(const std::optional<std::string>& output, const std::string& kinds,
                                 std::initializer_list<std::string_view> own, std::string_view option = "-o");

// Throws Error(usage) if the file of --plot has the suffix of a picture other than SVG.
void check_plot_name(const std::string& path);

// Adds the option --in-place: an output may be an input.
void add_in_place_option(App& app);
// Protects the files that the tool reads from now on, as the options require (io/replace/read_files.h). Called by
// run_tool() after the command line is parsed.
void protect_inputs();

}  // namespace tools
