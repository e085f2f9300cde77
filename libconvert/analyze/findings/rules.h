// SPDX-License-Identifier: MIT
// Declares the rules of findings.h, each of which says one thing of a run or nothing.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyze/findings.h"
#include "analyze/parts.h"
#include "core/run.h"

namespace convert::findings {

// Holds what several rules ask of a run.
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
  [[nodiscard]] const Run::WhatIf* what_if(Run::Change change, std::int32_t subject) const;
  // Returns 1 - T'/T; below 0 if it gets slower, 0 of a run that takes no time.
  [[nodiscard]] double gain(const Run::WhatIf& w) const { return total == 0 ? 0 : 1 - share(w.total_ps); }
};

struct Weighed : Finding {
  double weight = 0;                    // share of the total that is at stake
  const Run::WhatIf* replay = nullptr;  // the replay whose result the text tells
};

[[nodiscard]] Finding headline(const Facts& facts);
#define FINDING(function, kind) [[nodiscard]] std::optional<Weighed> function(const Facts& facts);
#include "analyze/findings/findings.def"
#undef FINDING

// Return "22.74 ms", four significant digits; "15.3 %"; "0 → 1" of "npu0" and "npu1".
[[nodiscard]] std::string brief_time(Picoseconds time);
[[nodiscard]] std::string percent(double share);
[[nodiscard]] std::string link_name(const Run& run, const Run::Link& link);
// Adds what a stored replay found: "; if it computed like the median, the run takes 19.25 ms (15.3 % less)" with
// `lead` before "the run"; nothing where there is no such replay (null).
void tell_outcome(Weighed& finding, const Facts& facts, const Run::WhatIf* w, std::string_view lead);

}  // namespace convert::findings
