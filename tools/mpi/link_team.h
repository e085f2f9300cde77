// SPDX-License-Identifier: MIT
// Team of the processes that mpirun has started for one linking; each process links some of the ranks.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace tools {

class LinkTeam {
 public:
  virtual ~LinkTeam() = default;
  LinkTeam(const LinkTeam&) = delete;
  LinkTeam& operator=(const LinkTeam&) = delete;

  // Returns whether this is the first process, which gets the results of all processes.
  [[nodiscard]] virtual bool leads() const = 0;
  [[nodiscard]] virtual std::size_t number() const = 0;  // of this process, from 0
  [[nodiscard]] virtual std::size_t size() const = 0;
  // Returns whether all processes have passed true. All processes call it and get the same result.
  [[nodiscard]] virtual bool all(bool ok) = 0;
  // Returns the bytes of all processes, in their order, to the first process; nothing to the others. All processes
  // call it.
  [[nodiscard]] virtual std::vector<std::string> gather(const std::string& bytes) = 0;
  // Leaves the team; called last, after the messages are written. If this process has failed (not `ok`) and all()
  // has not returned false, mpirun then ends all processes.
  virtual void leave(bool ok) = 0;

 protected:
  LinkTeam() = default;
};

// Returns null if this process is alone. Loads MPI only if mpirun has started the process. Throws Error(usage) if
// there are other processes, but MPI cannot be loaded.
[[nodiscard]] std::unique_ptr<LinkTeam> join_link_team();

}  // namespace tools
