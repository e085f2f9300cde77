// SPDX-License-Identifier: MIT
#include "config/network/multipath.h"

namespace convert {

std::string name(const RouteSpread& spread) {
  std::string text(name(spread.multipath));
  if (spread.multipath == Multipath::hash) text += ",seed=" + std::to_string(spread.seed);
  return text;
}

std::string describe(const RouteSpread& spread) {
  switch (spread.multipath) {
    case Multipath::split: return "messages split over equal-cost routes";
    case Multipath::hash: return "equal-cost routes by hash (seed " + std::to_string(spread.seed) + ")";
    case Multipath::single: return "one of several equal-cost routes";
  }
  return "";
}

}  // namespace convert
