// SPDX-License-Identifier: MIT
// For a build without MPI: a process that mpirun has started together with others says so.
#include <cstdlib>
#include <string>

#include "core/diagnostic.h"
#include "mpi/link_team.h"
#include "mpi/team.h"

namespace tools {
namespace {

void refuse_company() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}) {  // of all signs those that tell a number
    const char* const size = std::getenv(name);
    if (size == nullptr || std::string(size) == "1") continue;
    throw convert::usage_error("started by mpirun as one of " + std::string(size) +
                               " processes, but built without MPI (ETKIT_MPI)");
  }
}

}  // namespace

std::unique_ptr<SweepTeam> join_team() {
  refuse_company();
  return nullptr;
}

std::unique_ptr<LinkTeam> join_link_team() {
  refuse_company();
  return nullptr;
}

}  // namespace tools
