// SPDX-License-Identifier: MIT
// Small sets of traces as JSON lines: joined and split again, they are the same bytes. Also each trace as part of a
// larger system or of a joined set, merged collectives folded, and messages to other ranks omitted.
#include <cstdint>

#include "formats/chakra/stream.h"
#include "fuzzer.h"
#include "passes/split/collapse.h"
#include "passes/split/split.h"
#include "passes/split/subset.h"
#include "set_fuzzing.h"

namespace {

using namespace convert;

std::string bytes_of(const NodeTable& table) {
  std::string out;
  ChakraEncoder().nodes(table, out);
  return out;
}

bool ascends(const std::vector<Trace>& traces) {
  for (std::size_t i = 1; i < traces.size(); ++i) {
    if (traces[i].rank <= traces[i - 1].rank) return false;
  }
  return !traces.empty();
}

void check_identity(const std::vector<Trace>& traces) {
  RankJoiner joiner;
  for (const Trace& t : traces) joiner.add(t, "");
  Trace system;
  for (std::size_t i = 0; i < traces.size(); ++i) system.nodes.append(joiner.number(traces[i], i));
  write_joined(joiner.joined(), system.metadata);
  std::vector<NodePlace> places = places_by_attribute(system, attr::npu, false);
  const SystemSplit split(system, std::move(places), CrossEdges::error, read_joined(system));
  fuzzing::check(split.ranks().size() == traces.size(), "a split has other ranks than were joined");
  for (std::size_t i = 0; i < traces.size(); ++i)
    fuzzing::check(bytes_of(split.nodes(i)) == bytes_of(traces[i].nodes), "a rank changed by a join and a split");
}

void split_as_system(const Trace& trace, CrossEdges cross) {
  const auto joined = read_joined(trace);
  std::vector<NodePlace> places = places_by_attribute(trace, attr::npu, !joined);
  for (NodePlace& p : places) {
    if (p.ranks.rank == no_rank) p.ranks.rank = 0;
  }
  const SystemSplit split(trace, std::move(places), cross, joined);
  for (std::size_t i = 0; i < split.ranks().size(); ++i) (void)bytes_of(split.nodes(i));
}

}  // namespace

FUZZER(split) {
  using namespace convert::fuzzing;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (size > max_input_bytes) return 0;
  std::vector<Trace> traces;
  may_refuse([&] { traces = read_set(bytes); });
  if (ascends(traces)) may_refuse([&] { check_identity(traces); });
  for (const Trace& trace : traces) {
    for (const CrossEdges cross : {CrossEdges::pair, CrossEdges::drop})
      may_refuse([&] { split_as_system(trace, cross); });
    may_refuse([&] {
      Trace folded = trace;
      const CollapseCounts counts = collapse_collectives(folded);
      check(folded.nodes.nodes.size() + counts.nodes == trace.nodes.nodes.size() + counts.collectives,
            "folding lost a node");
    });
    may_refuse([&] {
      Trace taken = trace;
      const SubsetCounts counts = take_rank({.ranks = {trace.rank}, .drop_messages = true}, taken);
      check(taken.nodes.nodes.size() + counts.dropped == trace.nodes.nodes.size(), "a subset lost a node");
      (void)bytes_of(taken.nodes);
    });
  }
  return 0;
}
