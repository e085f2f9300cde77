// SPDX-License-Identifier: MIT
#include "graph/communication_marks.h"

namespace convert {

std::string kernelless_text(std::uint64_t nodes, Picoseconds time) {
  return counted(nodes, "communication node") + (nodes == 1 ? " has" : " have") +
         " no kernel in the device trace (communication_without_kernel): the duration is the time of the call on "
         "the CPU, " +
         format_time(time) + " in total";
}

std::string missing_text(std::uint64_t nodes) {
  return counted(nodes, "call") + (nodes == 1 ? " of a collective has" : " of collectives have") +
         " no recorded communication (communication_missing): waits for it appear as CPU delays";
}

}  // namespace convert
