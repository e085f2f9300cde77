// SPDX-License-Identifier: MIT
// Links what PyTorch recorded on the host with what the profiler recorded on the device: one trace that simulators
// can run.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "core/diagnostic.h"
#include "core/process_group.h"
#include "core/profile.h"
#include "core/trace.h"
#include "passes/link/communication.h"
#include "passes/link/report.h"

namespace convert {

struct LinkOptions {
  bool keep_gaps = true;        // time of CPU threads outside operators becomes delay nodes
  bool data_deps = false;       // data dependencies by tensor storages
  bool reduce = false;          // without dependencies that others imply
  bool metadata_nodes = false;  // announcements of process groups are METADATA nodes; else they are left out
  bool list_unmatched = false;  // LinkReport::items
};

struct LinkedTrace {
  Trace trace;
  std::vector<GroupTable::Group> groups;  // that the rank communicates in, and those that its traces tell of
  LinkReport report;
};

// A rank that is linked, but whose nodes have not been made yet: they can be taken a few at a time.
class LinkedRank {
 public:
  // `host`: as read_pytorch gives it. `device`: none if there is no profile; the nodes have no times then.
  // `groups`: what both files tell of process groups. Nodes get new ids in an order in which parents come first.
  LinkedRank(Trace host, std::optional<Profile> device, const std::vector<ProcessGroup>& groups,
             const LinkOptions& options);
  ~LinkedRank();
  LinkedRank(const LinkedRank&) = delete;
  LinkedRank& operator=(const LinkedRank&) = delete;

  // Rank, name and metadata; once, before the nodes.
  void head(Trace& out);
  // Replaces out.nodes by at most so many further nodes; false, and none, at the end. `out` must be the same object
  // each time.
  bool next_nodes(Trace& out, std::size_t max_nodes);
  // Whole when all nodes have been taken.
  [[nodiscard]] const LinkReport& report() const;
  [[nodiscard]] const std::vector<GroupTable::Group>& groups() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// All at once.
[[nodiscard]] LinkedTrace link(Trace host, std::optional<Profile> device, const std::vector<ProcessGroup>& groups,
                               const LinkOptions& options);

}  // namespace convert
