// SPDX-License-Identifier: MIT
#include "analyze/runs/certainty.h"

#include <algorithm>
#include <functional>
#include <map>
#include <string_view>

namespace convert {
namespace {

struct OriginSum {
  std::uint64_t calls = 0;
  double npu_ps = 0;
  double error_ps = 0;  // npu_ps times the expected error
  bool known = true;

  void add(double time, double error_pct) {
    ++calls;
    npu_ps += time;
    known = known && error_pct >= 0;
    error_ps += time * error_pct;
  }
  [[nodiscard]] double error_pct() const { return known && npu_ps > 0 ? error_ps / npu_ps : -1; }
};

}  // namespace

Certainty certainty_of(const Run& run) {
  std::map<std::string_view, OriginSum> sums;
  OriginSum all;
  for (const Run::Call& c : run.calls) {
    if (c.source >= run.texts.size() || c.end_ps < 0) continue;
    const double time = static_cast<double>(c.end_ps - c.last_begin_ps) * c.npus;
    sums[run.texts[c.source]].add(time, c.error_pct);
    all.add(time, c.error_pct);
  }
  Certainty out;
  for (const auto& [source, sum] : sums) {
    out.origins.push_back({.source = std::string(source),
                           .calls = sum.calls,
                           .share = all.npu_ps > 0 ? sum.npu_ps / all.npu_ps : 0,
                           .error_pct = sum.error_pct()});
  }
  std::ranges::stable_sort(out.origins, std::ranges::greater(), &CallOrigin::share);
  out.error_pct = all.error_pct();
  return out;
}

}  // namespace convert
