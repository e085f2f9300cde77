// SPDX-License-Identifier: MIT
// Links what PyTorch recorded on the host and its profiler on the device into one trace for simulators.
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
  bool keep_gaps = true;        // a CPU thread's time outside its operators' first stretches becomes delay nodes
  bool data_deps = false;       // data dependencies by tensor storages
  bool reduce = false;          // leave out dependencies that others imply
  bool metadata_nodes = false;  // announcements of process groups are METADATA nodes; else they are left out
  bool list_unmatched = false;  // fill LinkReport::items
};

// Holds a linked rank whose nodes are made a few at a time.
class LinkedRank {
 public:
  // Matches the two files and finds the order of the work. `host`: as read_pytorch gives it. `device`: none if
  // there is no profile; then nodes have no times. `groups`: what both files tell of process groups. Nodes get new
  // ids, parents before children.
  LinkedRank(Trace host, std::optional<Profile> device, const std::vector<ProcessGroup>& groups,
             const LinkOptions& options);
  ~LinkedRank();
  LinkedRank(const LinkedRank&) = delete;
  LinkedRank& operator=(const LinkedRank&) = delete;

  // Fills in rank, name and metadata. Call once, before the nodes.
  void head(Trace& out);
  // Replaces out.nodes by up to `max_nodes` further nodes; returns false, with none, at the end. `out` must be the
  // same object each time.
  bool next_nodes(Trace& out, std::size_t max_nodes);
  // Returns what was linked and what was not; it is complete when next_nodes() has returned false.
  [[nodiscard]] const LinkReport& report() const;
  // Returns the groups that the rank communicates in or its traces tell of.
  [[nodiscard]] const std::vector<GroupTable::Group>& groups() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace convert
