// SPDX-License-Identifier: MIT
#include "formats/timeline/counters.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace convert {

FormatOption counter_format_option() {
  return {"counters", "WHICH",
          "none; npus: bytes in flight, memory; links: also the 16 busiest links (default); all"};
}

CounterOptions counter_options(const FormatOptions& options) {
  const auto text = options.get("counters");
  if (!text || *text == "links") return {};
  if (*text == "none") return {.npus = false, .links = 0};
  if (*text == "npus") return {.links = 0};
  if (*text == "all") return {.links = std::numeric_limits<std::size_t>::max()};
  throw usage_error("counters=" + *text + ": expected none, npus, links or all");
}

LinkCounters link_counters(const Run& run, std::size_t most) {
  LinkCounters out;
  const std::size_t bins = run.link_bins_each;
  if (bins == 0 || most == 0 || run.link_bins.size() < bins * run.links.size()) return out;
  std::vector<std::uint32_t> order(run.links.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, [&](auto a, auto b) { return run.links[a].busy_ps > run.links[b].busy_ps; });
  order.resize(std::min(order.size(), most));
  std::ranges::sort(order);
  for (const std::uint32_t i : order) {
    const Run::Link& link = run.links[i];
    out.names.push_back(std::string(run.texts[link.from]) + " → " + std::string(run.texts[link.to]));
  }
  std::vector<std::int64_t> last(order.size(), -1);
  for (std::size_t bin = 0; bin <= bins; ++bin) {
    for (std::uint32_t t = 0; t < order.size(); ++t) {
      const std::int64_t share = bin == bins ? 0 : run.link_bins[order[t] * bins + bin];
      const std::int64_t percent = (share * 100 + 127) / 255;
      if (percent == last[t]) continue;
      last[t] = percent;
      out.percent.push_back({run.link_bin_ps * static_cast<Picoseconds>(bin), t, percent});
    }
  }
  return out;
}

}  // namespace convert
