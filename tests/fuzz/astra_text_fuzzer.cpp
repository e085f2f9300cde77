// SPDX-License-Identifier: MIT
// ASTRA-sim 1.0 text workloads: every dependency is an earlier node, and all ranks are equal.
#include <cstdint>
#include <string>

#include "formats/astra_text/astra_text.h"
#include "fuzzer.h"
#include "trace_fuzzing.h"

namespace {

using namespace convert;
using namespace convert::fuzzing;

constexpr std::size_t max_workload_bytes = 4096;

void check_rank(TraceReader& reader, Rank rank, NodeId first_id, std::size_t batch, NodeId& next_id) {
  Trace trace;
  check(reader.next_rank(trace) && trace.rank == rank, "the ranks are not 0, 1, …");
  next_id = first_id;
  while (reader.next_nodes(trace, batch)) {
    check(trace.nodes.nodes.size() <= batch, "more nodes than were asked for");
    check(trace.nodes.positions.size() == trace.nodes.nodes.size(), "nodes without places");
    for (const Node& n : trace.nodes.nodes) {
      check(n.id == next_id++, "ids have holes");
      for (const NodeId d : trace.nodes.data_deps(n))
        check(d >= first_id && d < n.id, "depends on what comes later");
    }
  }
}

void check_set(std::string_view text, bool compat, std::uint64_t passes, std::size_t batch) {
  Diagnostics diagnostics;
  const AstraOptions options{.npus = 2, .passes = passes, .compat = compat};
  const auto set = make_astra_set(read_astra_text(std::string(text), "f", compat, diagnostics), options);
  check(diagnostics.errors() == 0, "an error that is not thrown");
  const auto reader = set->open(0, 2);
  NodeId end = 0;
  check_rank(*reader, 0, 0, batch, end);
  const NodeId per_rank = end;
  check_rank(*reader, 1, compat ? per_rank : 0, 7, end);
  check(end == (compat ? 2 * per_rank : per_rank), "the ranks differ");
}

}  // namespace

FUZZER(astra_text) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (size > max_workload_bytes) return 0;
  (void)sniff_astra_text(text);
  for (const bool compat : {false, true}) {
    may_refuse([&] { check_set(text, compat, 1 + size % 3, 1 + size % 5); });
  }
  return 0;
}
