// SPDX-License-Identifier: MIT
// Joins this process and others that mpirun has started together. MPI's libraries, which take longer to load than
// many a job takes, are in a module (module.cpp) that is loaded when mpirun has started the process.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tools {

class MpiSession {
 public:
  struct Message {
    int from = 0;
    int tag = 0;
    std::size_t bytes = 0;
  };

  // Returns null if this process is alone; MPI is not touched if mpirun has not started it. Throws Error(usage) if
  // there are others, but no MPI to talk to them.
  [[nodiscard]] static std::unique_ptr<MpiSession> join();
  virtual ~MpiSession() = default;
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;

  [[nodiscard]] virtual int rank() const = 0;
  [[nodiscard]] virtual int size() const = 0;
  virtual void send(const void* bytes, std::size_t n, int to, int tag) = 0;
  // Waits for a message of `n` bytes.
  virtual void receive(void* bytes, std::size_t n, int from, int tag) = 0;
  // Returns a message of less than 1 GiB that has come and waits to be received; nothing if there is none.
  [[nodiscard]] virtual std::optional<Message> arrived() = 0;
  // Returns to process 0 the data of each process, in order; to others nothing. All processes call it.
  [[nodiscard]] std::vector<std::string> gather(const std::string& bytes);
  // Waits until process 0 has come here too, which does not wait. All processes call it.
  virtual void follow_first() = 0;
  // Returns whether all processes have passed true. All call it.
  [[nodiscard]] virtual bool all(bool ok) = 0;
  // Ends MPI. All processes call it when they have written their messages, as mpirun ends them all when one ends
  // with an error. A process that has failed without telling the others wants that, so it does not call this.
  virtual void finish() = 0;

 protected:
  MpiSession() = default;
};

// What the module holds: starts MPI. Sets nothing if this MPI does not serve programs with threads.
extern "C" {
using StartMpi = void(std::unique_ptr<MpiSession>& session);
StartMpi etkit_start_mpi;
}

}  // namespace tools
