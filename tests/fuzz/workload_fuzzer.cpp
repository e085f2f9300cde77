// SPDX-License-Identifier: MIT
// Workload files, and the bodies of small ones.
#include <cstdint>
#include <iterator>
#include <numeric>
#include <string>
#include <string_view>

#include "fuzzer.h"
#include "generate/workload/workload.h"
#include "trace_fuzzing.h"

FUZZER(workload) {
  using namespace convert;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  fuzzing::may_refuse([&] {
    const Workload w = parse_workload("fuzz.yml", text, 0);
    try {
      check_workload(w);
    } catch (const Error& e) {
      return fuzzing::check(e.kind() == Error::Kind::usage, "a contradiction that is no error of usage");
    }
    const std::int64_t layers = w.model.layers + std::ssize(w.mlp.widths) + std::ssize(w.dlrm.bottom) +
                                std::ssize(w.dlrm.top) +
                                std::accumulate(w.image.blocks.begin(), w.image.blocks.end(), std::int64_t{0});
    if (layers * w.step.micro_batches * w.step.iterations * w.step.tokens * w.plan.context > 64 ||
        w.plan.ranks() > 64)
      return;
    const WorkloadSet set(w);
    std::uint64_t sent = 0, received = 0;
    for (Rank rank = 0; rank < set.ranks(); ++rank) {
      for (const Node& n : set.trace(rank).nodes.nodes) {
        sent += n.type == NodeType::comm_send ? 1U : 0U;
        received += n.type == NodeType::comm_recv ? 1U : 0U;
      }
    }
    fuzzing::check(sent == received, "a message without its other end");
  });
  return 0;
}
