// SPDX-License-Identifier: MIT
// The main functions of the tools. They are compiled together, as they share most headers; main.cpp.in makes an
// executable of each.
#pragma once

namespace tools {

// Each returns the exit status of the tool of its name.
using MainFunction = int(int argc, char** argv);
MainFunction et_anonymize, et_bench, et_calibrate, et_convert, et_diff, et_generate, et_graph, et_link, et_merge,
    et_profile, et_replay, et_report, et_split, et_stats, et_synthesize, et_validate, etkit;

}  // namespace tools
