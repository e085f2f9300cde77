// SPDX-License-Identifier: MIT
// Makes the nodes of a linked trace: names, times, attributes, estimates.
#pragma once

#include <cstddef>
#include <memory>

#include "core/profile.h"
#include "core/trace.h"
#include "passes/link/communication.h"
#include "passes/link/link.h"
#include "passes/link/operators.h"
#include "passes/link/order/order.h"
#include "passes/link/report.h"

namespace convert {

class LinkedNodes {
 public:
  // Consumes `host`; keeps references to all else.
  LinkedNodes(Trace host, const Profile* device, const Operators& operators, const Order& order, GroupTable& groups,
              const LinkOptions& options, LinkReport& report);
  ~LinkedNodes();
  LinkedNodes(const LinkedNodes&) = delete;
  LinkedNodes& operator=(const LinkedNodes&) = delete;

  void head(Trace& out);  // call once, first
  // Replaces out.nodes by up to `max_nodes` further nodes; returns false, with none, at the end. `out` must be the
  // same object each time: its tables hold the texts, inputs and outputs of the host trace.
  bool next(Trace& out, std::size_t max_nodes);

 private:
  class Builder;
  std::unique_ptr<Builder> builder_;
};

}  // namespace convert
