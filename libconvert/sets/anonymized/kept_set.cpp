// SPDX-License-Identifier: MIT
#include "sets/anonymized/kept_set.h"

#include "formats/whole_ranks.h"

namespace convert {

std::unique_ptr<TraceReader> KeptSet::open(std::size_t next, std::size_t end) {
  return std::make_unique<WholeRanks>([this, next, end](Trace& out) mutable {
    if (next == end) return false;
    out = ranks_.read(next++);
    return true;
  });
}

std::unique_ptr<TraceReader> KeptSet::open_rank(std::size_t i) {
  return held_ ? open(i, i + 1) : source_.open_rank(i);
}
std::unique_ptr<TraceReader> KeptSet::open_all() { return held_ ? open(0, ranks_.size()) : source_.open_all(); }

}  // namespace convert
