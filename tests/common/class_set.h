// SPDX-License-Identifier: MIT
// Traces in a test's memory as a class-compressed set.
#pragma once

#include <vector>

#include "core/master/builder.h"
#include "core/trace.h"

namespace convert::test {

inline MasterSet by_classes(const std::vector<Trace>& traces) {
  MasterBuilder builder;
  for (const Trace& t : traces) {
    builder.begin_rank(t.rank, t.metadata);
    builder.nodes(t.nodes);
    builder.end_rank();
  }
  return builder.finish();
}

}  // namespace convert::test
