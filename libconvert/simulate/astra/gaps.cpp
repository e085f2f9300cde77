// SPDX-License-Identifier: MIT
#include "simulate/astra/gaps.h"

namespace convert {

std::string_view cause(AstraGap gap) {
  switch (gap) {
    case AstraGap::several_dimensions: return "its congestion-aware network has one dimension only";
    case AstraGap::ring_of_two: return "a ring of two NPUs stops its congestion-aware network";
    case AstraGap::metadata_node: return "METADATA nodes stop its statistics";
    case AstraGap::invalid_node:
      return "what INVALID nodes free (under the roofline model also COMP nodes of no bytes) is never issued where "
             "nothing else of their NPU ends after them";
    case AstraGap::time_zero:
      return "what ends at time 0 stops its clock: an endpoint-delay of 0, or a node or message at the start that "
             "takes no time";
    case AstraGap::no_operations: return "under the roofline model a COMP node of no operations takes 2^63 ns";
    case AstraGap::custom_chunks:
      return "a custom collective never ends unless it is in one chunk (preferred-dataset-splits 1)";
    case AstraGap::custom_group_order:
      return "a custom collective mixes up the ranks of a group that does not list them in ascending order";
    case AstraGap::custom_node:
      return "a custom collective never ends if it has other nodes than sends, receives and COMP nodes";
    case AstraGap::gathers_less_than_chunks:
      return "an all-gather of less than one byte for each of preferred-dataset-splits never ends";
    case AstraGap::uneven_group_use:
      return "a collective of all ranks never ends where they have run different numbers of chunks of groups' "
             "collectives before it";
    case AstraGap::long_rendezvous: return "with the rendezvous protocol it loses messages of 2^31 bytes and more";
    case AstraGap::statistics:
      return "its statistics stop it where a message ends an NPU that has CPU, memory or INVALID nodes";
  }
  return "";
}

std::vector<AstraGap> AstraGaps::list() const {
  std::vector<AstraGap> gaps;
  for (unsigned g = 0; g < astra_gaps; ++g) {
    if (has(static_cast<AstraGap>(g))) gaps.push_back(static_cast<AstraGap>(g));
  }
  return gaps;
}

}  // namespace convert
