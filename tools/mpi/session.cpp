// SPDX-License-Identifier: MIT
#include "mpi/session.h"

#include <dlfcn.h>

#include <cstdint>
#include <cstdlib>
#include <string>

#include "core/diagnostic.h"

namespace tools {
namespace {

// Returns the number of processes that mpirun has started together: empty if mpirun has not started this process,
// "?" if the environment has no number.
std::string company() {
  // Variables of Open MPI, of MPICH and its relatives, and of schedulers that start processes themselves.
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}) {
    if (const char* const size = std::getenv(name)) return size;
  }
  for (const char* name : {"PMI_RANK", "PMIX_RANK"}) {
    if (std::getenv(name) != nullptr) return "?";
  }
  return {};
}

StartMpi* load_module() {
  // Open MPI loads parts of itself, which look up their symbols in the global scope.
  void* const module = dlopen("etkit-mpi.so", RTLD_NOW | RTLD_GLOBAL);
  return module == nullptr ? nullptr : reinterpret_cast<StartMpi*>(dlsym(module, "etkit_start_mpi"));
}

// Messages with these tags are received only in gather().
constexpr int tag_size = 101;
constexpr int tag_bytes = 102;

}  // namespace

std::vector<std::string> MpiSession::gather(const std::string& bytes) {
  std::uint64_t n = bytes.size();
  if (rank() != 0) {
    send(&n, sizeof n, 0, tag_size);
    send(bytes.data(), bytes.size(), 0, tag_bytes);
    return {};
  }
  std::vector<std::string> all = {bytes};
  for (int from = 1; from < size(); ++from) {
    receive(&n, sizeof n, from, tag_size);
    std::string& other = all.emplace_back(n, '\0');
    receive(other.data(), other.size(), from, tag_bytes);
  }
  return all;
}

std::unique_ptr<MpiSession> MpiSession::join() {
  const std::string processes = company();
  if (processes.empty()) return nullptr;
  StartMpi* const start = load_module();
  if (start == nullptr) {
    if (processes == "1" || processes == "?") return nullptr;
    const char* const why = dlerror();
    throw convert::usage_error("started by mpirun as one of " + processes +
                               " processes, but MPI cannot be loaded (was etkit built with ETKIT_MPI?): " +
                               (why == nullptr ? "not etkit's module" : why));
  }
  std::unique_ptr<MpiSession> session;
  start(session);
  if (session == nullptr) throw convert::usage_error("this MPI does not support threads (MPI_THREAD_SERIALIZED)");
  if (session->size() > 1) return session;
  session->finish();
  return nullptr;
}

}  // namespace tools
