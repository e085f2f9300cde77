// SPDX-License-Identifier: MIT
// Repeated access to the ranks of a set.
#pragma once

#include <cstddef>
#include <vector>

#include "sets/set_source.h"

namespace convert {

// Stores the ranks of a stream, ascending, and linked ranks, whose reading reports findings; reads other ranks
// again each time.
class KeptRanks {
 public:
  // `source` must outlive this object.
  KeptRanks(SetSource& source, unsigned jobs) : source_(source) {
    if (source.independent_ranks() == 0 || source.groups_come_late()) held_ = source.load(jobs);
  }
  [[nodiscard]] std::size_t size() const { return held_.empty() ? source_.independent_ranks() : held_.size(); }
  // Returns a rank with its nodes. Thread-safe.
  [[nodiscard]] Trace read(std::size_t i) const {
    if (!held_.empty()) return held_[i];
    Trace trace;
    const auto reader = source_.open_rank(i);
    (void)reader->next_rank(trace);
    read_nodes(*reader, trace);
    return trace;
  }

 private:
  SetSource& source_;
  std::vector<Trace> held_;
};

}  // namespace convert
