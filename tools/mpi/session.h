// SPDX-License-Identifier: MIT
// Connects this process with the other processes that mpirun has started. MPI's libraries take longer to load than
// many jobs run. They are linked to a module (module.cpp), which is loaded only if mpirun has started the process.
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

  // Returns null if this process is alone. Loads MPI only if mpirun has started the process. Throws Error(usage) if
  // there are other processes, but MPI cannot be loaded.
  [[nodiscard]] static std::unique_ptr<MpiSession> join();
  virtual ~MpiSession() = default;
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;

  [[nodiscard]] virtual int rank() const = 0;
  [[nodiscard]] virtual int size() const = 0;
  virtual void send(const void* bytes, std::size_t n, int to, int tag) = 0;
  // Waits for a message of `n` bytes.
  virtual void receive(void* bytes, std::size_t n, int from, int tag) = 0;
  // Returns an arrived message of less than 1 GiB that has not been received yet; nothing if no message has
  // arrived.
  [[nodiscard]] virtual std::optional<Message> arrived() = 0;
  // Returns the data of all processes, in order, to process 0; nothing to the others. All processes call it.
  [[nodiscard]] std::vector<std::string> gather(const std::string& bytes);
  // Waits until process 0 has called it; process 0 does not wait. All processes call it.
  virtual void follow_first() = 0;
  // Returns whether all processes have passed true. All processes call it.
  [[nodiscard]] virtual bool all(bool ok) = 0;
  // Ends MPI. All processes call it after writing their messages, because mpirun ends all processes if one ends
  // with an error. A process that has failed without notifying the others does not call it, so that mpirun ends
  // them.
  virtual void finish() = 0;

 protected:
  MpiSession() = default;
};

// Entry point of the module: starts MPI. Leaves `session` null if this MPI does not support threads.
extern "C" {
using StartMpi = void(std::unique_ptr<MpiSession>& session);
StartMpi etkit_start_mpi;
}

}  // namespace tools
