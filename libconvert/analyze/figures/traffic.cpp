// SPDX-License-Identifier: MIT
#include "analyze/figures/traffic.h"

#include <algorithm>

namespace convert {

Table traffic_table(const std::string& title, const std::vector<PairBytes>& pairs, const Sum& total) {
  Table t{.key = "pairs",
          .title = title,
          .columns = {{"from", "from", Unit::count},
                      {"to", "to", Unit::count},
                      {"messages", "messages", Unit::count},
                      {"bytes", "bytes", Unit::bytes},
                      {"bytes_share", "share", Unit::share}},
          .more = "pairs"};
  for (const PairBytes& p : pairs)
    t.rows.push_back({p.from, p.to, value_of(p.messages), value_of(p.bytes), share_of(p.bytes, total)});
  std::stable_sort(t.rows.begin(), t.rows.end(), [](const auto& a, const auto& b) { return a[3] > b[3]; });
  return t;
}

}  // namespace convert
