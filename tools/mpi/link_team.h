// SPDX-License-Identifier: MIT
// The processes that mpirun has started for one linking: each links some of the ranks.
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

  // The first process leads: it has what all have found.
  [[nodiscard]] virtual bool leads() const = 0;
  [[nodiscard]] virtual std::size_t number() const = 0;  // of this process, from 0
  [[nodiscard]] virtual std::size_t size() const = 0;
  // All processes call it, and all get the same: whether each has said true.
  [[nodiscard]] virtual bool all(bool ok) = 0;
  // All processes call it. To the first: what each has given, in their order; to the others nothing.
  [[nodiscard]] virtual std::vector<std::string> gather(const std::string& bytes) = 0;
  // Last of all, when messages are written. `ok`: this process has not failed. One that has failed, and not told
  // the others with all(false), ends them all.
  virtual void leave(bool ok) = 0;

 protected:
  LinkTeam() = default;
};

// Null if this process was not started together with others; MPI is not touched then. Throws Error(usage) if it
// was, but the program is built without MPI.
[[nodiscard]] std::unique_ptr<LinkTeam> join_link_team();

}  // namespace tools
