// SPDX-License-Identifier: MIT
// For a build without MPI.
#include <cstdlib>
#include <string>

#include "core/diagnostic.h"
#include "mpi/team.h"

namespace tools {

std::unique_ptr<SweepTeam> join_team() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}) {
    const char* const size = std::getenv(name);
    if (size == nullptr || std::string(size) == "1") continue;
    throw convert::usage_error("started by mpirun as one of " + std::string(size) +
                               " processes, but built without MPI (ETKIT_MPI)");
  }
  return nullptr;
}

}  // namespace tools
