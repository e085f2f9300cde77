// SPDX-License-Identifier: MIT
// Holds MPI from its start to its end, for a process that mpirun has started together with others.
#pragma once

#include <memory>

namespace tools {

class MpiSession {
 public:
  // Returns null if this process is alone; MPI is not touched if mpirun has not started it.
  [[nodiscard]] static std::unique_ptr<MpiSession> join();
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int size() const { return size_; }
  // Ends MPI. All processes call it when they have written their messages, as mpirun ends them all when one ends
  // with an error. A process that has failed without telling the others wants that, so it does not call this.
  void finish();

 private:
  MpiSession();
  int rank_ = 0;
  int size_ = 1;
};

}  // namespace tools
