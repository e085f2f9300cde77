// SPDX-License-Identifier: MIT
// MPI from its begin to its end, for a process that mpirun has started together with others.
#pragma once

#include <memory>

namespace tools {

class MpiSession {
 public:
  // Null if this process is alone; MPI is not touched if mpirun has not started it.
  [[nodiscard]] static std::unique_ptr<MpiSession> join();
  // Without MPI_Finalize mpirun ends all processes: that is wanted where one has failed.
  ~MpiSession();
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int size() const { return size_; }
  // The processes have agreed that they have failed: each ends by itself.
  void end_together() { together_ = true; }

 private:
  MpiSession();
  int rank_ = 0;
  int size_ = 1;
  bool together_ = false;
};

}  // namespace tools
