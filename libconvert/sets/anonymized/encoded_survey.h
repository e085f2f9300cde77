// SPDX-License-Identifier: MIT
// Surveys the nodes of a rank as a Chakra file holds them, without decoding them.
#pragma once

#include <optional>
#include <string_view>

#include "passes/anonymize/survey.h"

namespace convert {

// Returns what RankSurveyor finds in these nodes, but for their names and sizes. Nothing if they are written in
// another way than protobuf's own writers do, or are damaged.
[[nodiscard]] std::optional<RankSurvey> survey_encoded(const Trace& head, std::string_view nodes);

}  // namespace convert
