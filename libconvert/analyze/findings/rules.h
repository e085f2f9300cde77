// SPDX-License-Identifier: MIT
// Rules of findings.h: each returns its findings about a run, if any.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyze/findings.h"
#include "analyze/parts.h"
#include "core/run.h"

namespace convert::findings {

// Values that several rules need.
struct Facts {
  explicit Facts(const Run& of);
  const Run& run;
  std::vector<NpuParts> parts;
  Picoseconds total;  // window()

  // Returns the mean over NPUs of a time, as a share of the total; 0 without NPUs or time.
  template <class Fn>
  [[nodiscard]] double mean_share(const Fn& time) const {
    if (parts.empty() || total == 0) return 0;
    double sum = 0;
    for (const NpuParts& p : parts) sum += static_cast<double>(time(p));
    return sum / static_cast<double>(parts.size()) / static_cast<double>(total);
  }
  [[nodiscard]] double share(Picoseconds time) const {
    return total == 0 ? 0 : static_cast<double>(time) / static_cast<double>(total);
  }
  // Returns the stored replay with this change, or null.
  [[nodiscard]] const Run::WhatIf* what_if(Run::Change change, std::int32_t subject) const {
    return best([&](const Run::WhatIf& w) { return w.change == change && w.subject == subject; });
  }
  // Returns the stored replay with the greatest gain among replays that `fits` accepts, or null.
  template <class Fits>
  [[nodiscard]] const Run::WhatIf* best(const Fits& fits) const {
    const Run::WhatIf* best = nullptr;
    for (const Run::WhatIf& w : run.whatif) {
      if (w.total_ps >= 0 && fits(w) && (best == nullptr || w.total_ps < best->total_ps)) best = &w;
    }
    return best;
  }
  // Returns 1 - T'/T; negative if the run gets slower, 0 for a run of zero time.
  [[nodiscard]] double gain(const Run::WhatIf& w) const { return total == 0 ? 0 : 1 - share(w.total_ps); }
};

struct RuleFinding : Finding {
  const Run::WhatIf* replay = nullptr;  // replay whose result the text states
};
using Found = std::vector<RuleFinding>;

[[nodiscard]] Finding headline(const Facts& facts);
[[nodiscard]] std::optional<Finding> model_limits(const Facts& facts);
#define FINDING(function) [[nodiscard]] Found function(const Facts& facts);
#include "analyze/findings/findings.def"
#undef FINDING

// Return "22.74 ms" (four significant digits); "15.3 %"; "0 → 1" for a link from "npu0" to "npu1".
[[nodiscard]] std::string brief_time(Picoseconds time);
[[nodiscard]] std::string percent(double share);
[[nodiscard]] std::string link_name(const Run& run, const Run::Link& link);
// Adds the result of a stored replay to the text, and its gain as the effect: "; if it computed like the median,
// the run takes 19.25 ms (15.3 % less)" with `lead` before "the run". Without a replay (null) the effect is
// `estimate`.
void tell_outcome(RuleFinding& finding, const Facts& facts, const Run::WhatIf* w, std::string_view lead,
                  double estimate);

}  // namespace convert::findings
