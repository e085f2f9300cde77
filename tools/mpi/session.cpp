// SPDX-License-Identifier: MIT
#include "mpi/session.h"

#include <mpi.h>

#include <array>
#include <cstdlib>

#include "core/diagnostic.h"

namespace tools {

std::unique_ptr<MpiSession> MpiSession::join() {
  // Open MPI, MPICH and its relatives, and schedulers that start processes themselves.
  constexpr std::array<const char*, 3> signs = {"OMPI_COMM_WORLD_SIZE", "PMI_RANK", "PMIX_RANK"};
  bool started = false;
  for (const char* sign : signs) started = started || std::getenv(sign) != nullptr;
  if (!started) return nullptr;
  std::unique_ptr<MpiSession> session(new MpiSession());
  if (session->size() > 1) return session;
  session->finish();
  return nullptr;
}

MpiSession::MpiSession() {
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
  if (provided < MPI_THREAD_SERIALIZED) throw convert::usage_error("this MPI does not serve programs with threads");
}

void MpiSession::finish() {
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
}

}  // namespace tools
