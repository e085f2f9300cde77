// SPDX-License-Identifier: MIT
#include "passes/findings_order.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

namespace convert {

std::vector<const Diagnostic*> in_order_of_lines(std::span<const Diagnostic> findings) {
  std::vector<const Diagnostic*> out;
  std::map<std::string_view, std::vector<const Diagnostic*>> of_file;
  for (const Diagnostic& d : findings) {
    if (d.where.line != 0) of_file[d.where.file].push_back(&d);
  }
  const auto place = [](const Diagnostic* d) { return std::pair(d->where.line, d->where.column); };
  for (auto& [file, all] : of_file) {
    std::ranges::stable_sort(all, {}, place);
    std::ranges::reverse(all);  // to be consumed from the end
  }
  for (const Diagnostic& d : findings) {
    if (d.where.line == 0) {
      out.push_back(&d);
      continue;
    }
    std::vector<const Diagnostic*>& rest = of_file[d.where.file];
    out.push_back(rest.back());
    rest.pop_back();
  }
  return out;
}

}  // namespace convert
