// SPDX-License-Identifier: MIT
// Links the host trace of PyTorch and the device trace of its profiler into one trace for simulators.
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

// Options of linking.
struct LinkOptions {
  // turn a CPU thread's time outside its operators' first stretches into delay nodes
  bool keep_gaps = true;
  bool data_deps = false;  // add data dependencies by tensor storages
  bool reduce = false;     // omit dependencies that others imply
  // make METADATA nodes of announcements of process groups; else omit these
  bool metadata_nodes = false;
  bool list_unmatched = false;  // fill LinkReport::items
};

// A linked rank, whose nodes are built in batches.
class LinkedRank {
 public:
  // Matches the two files and determines the order of the work. `host`: as returned by read_pytorch(). `device`:
  // nullopt if there is no profile; nodes then have no times. `groups`: process groups defined by both files. Nodes
  // get new ids, parents before children.
  LinkedRank(Trace host, std::optional<Profile> device, const std::vector<ProcessGroup>& groups,
             const LinkOptions& options);
  ~LinkedRank();
  LinkedRank(const LinkedRank&) = delete;
  LinkedRank& operator=(const LinkedRank&) = delete;

  // Sets rank, name and metadata. Call once, before the nodes.
  void head(Trace& out);
  // Replaces out.nodes by up to `max_nodes` further nodes. Returns false, with no nodes, at the end. `out` must be
  // the same object each time.
  bool next_nodes(Trace& out, std::size_t max_nodes);
  // Returns the counts of linked and unlinked items; complete when next_nodes() has returned false.
  [[nodiscard]] const LinkReport& report() const;
  // Returns the groups that the rank communicates in or its traces define.
  [[nodiscard]] const std::vector<GroupTable::Group>& groups() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace convert
