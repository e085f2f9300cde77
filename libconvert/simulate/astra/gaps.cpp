// SPDX-License-Identifier: MIT
#include "simulate/astra/gaps.h"

namespace convert {

std::string_view cause(AstraGap gap) {
  switch (gap) {
    case AstraGap::several_dimensions: return "its congestion-aware network supports only one dimension";
    case AstraGap::ring_of_two: return "a ring of two NPUs stops its congestion-aware network";
    case AstraGap::metadata_node: return "METADATA nodes stop its statistics";
    case AstraGap::invalid_node:
      return "dependents of INVALID nodes (with the roofline model also of COMP nodes of 0 bytes) are never issued "
             "if no other node of their NPU ends later";
    case AstraGap::time_zero:
      return "an event that ends at time 0 stops its clock: an endpoint-delay of 0, or a first node or message "
             "that takes no time";
    case AstraGap::no_operations: return "with the roofline model a COMP node of 0 operations takes 2^63 ns";
    case AstraGap::custom_chunks:
      return "a custom collective of several chunks never ends; set preferred-dataset-splits to 1";
    case AstraGap::custom_group_order:
      return "a custom collective confuses the ranks of a group whose ranks are not in ascending order";
    case AstraGap::custom_node:
      return "a custom collective never ends if it has nodes other than sends, receives and COMP nodes";
    case AstraGap::gathers_less_than_chunks:
      return "an all-gather with less than one byte per chunk (preferred-dataset-splits) never ends";
    case AstraGap::uneven_group_use:
      return "a collective of all ranks never ends if the ranks have run different numbers of chunks of "
             "group collectives before it";
    case AstraGap::long_rendezvous: return "with the rendezvous protocol it loses messages of 2^31 bytes or more";
    case AstraGap::statistics:
      return "its statistics stop it if a message ends an NPU that has CPU, memory or INVALID nodes";
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
