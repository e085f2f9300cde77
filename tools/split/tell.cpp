// SPDX-License-Identifier: MIT
#include "split/tell.h"

#include "core/units.h"
#include "util/log.h"

namespace tools {

using namespace convert;

void tell(const SplitToolOptions& o, const RankwiseSet::Counts& counts) {
  if (o.collapse)
    log_info(counted(counts.folded.collectives, "collective") + " folded from " +
             counted(counts.folded.nodes, "node"));
  if (o.ranks) log_info(counted(counts.taken.dropped, "message") + " dropped");
}

void tell_before(const IterationSet& set) {
  for (const std::string& line : set.description()) log_info(line);
  if (const auto note = set.spread()) log_note(*note);
}

void tell(const TakenCounts& counts) {
  log_info(counted(counts.left_out, "node") + " omitted, with " + counted(counts.dropped, "edge") +
           " to omitted nodes");
  if (counts.made != 0) log_info(counted(counts.made, "edge") + " between copies");
}

void tell(const WindowCounts& counts, const SplitToolOptions& o) {
  log_info(counted(counts.left_out, "node") + " omitted, with " + counted(counts.dropped, "edge") +
           " to omitted nodes");
  if (counts.partial != 0)
    log_info(counted(counts.partial, "node") + " of communication partly outside the window " +
             (o.partial == "drop" ? "omitted" : "replaced by computations"));
}

void tell(const FoldedSet& set) {
  log_info(std::to_string(set.independent_ranks()) + " of " + counted(set.ranks(), "rank") +
           " represent all ranks");
}

}  // namespace tools
