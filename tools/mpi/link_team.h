// SPDX-License-Identifier: MIT
// Joins the processes that mpirun has started for one linking; each links some of the ranks.
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

  // Returns whether this is the first process, which has what all have found.
  [[nodiscard]] virtual bool leads() const = 0;
  [[nodiscard]] virtual std::size_t number() const = 0;  // of this process, from 0
  [[nodiscard]] virtual std::size_t size() const = 0;
  // Returns whether each process has passed true. All processes call it, and all get the same.
  [[nodiscard]] virtual bool all(bool ok) = 0;
  // Returns to the first process what each has given, in their order; to the others nothing. All processes call it.
  [[nodiscard]] virtual std::vector<std::string> gather(const std::string& bytes) = 0;
  // Leaves the team; to be called last, when messages are written. If this process has failed (not `ok`) and has
  // not said so by all(false), mpirun then ends all of them.
  virtual void leave(bool ok) = 0;

 protected:
  LinkTeam() = default;
};

// Returns null if this process is alone; MPI is not touched if mpirun has not started it. Throws Error(usage) if
// there are others, but no MPI to talk to them.
[[nodiscard]] std::unique_ptr<LinkTeam> join_link_team();

}  // namespace tools
