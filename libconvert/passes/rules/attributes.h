// SPDX-License-Identifier: MIT
// Checks the rule attributes: the metadata of a trace, and each node by itself, so that nodes may come in batches.
#pragma once

#include <memory>

#include "core/diagnostic.h"
#include "core/trace.h"

namespace convert::rules {

class AttributeRule {
 public:
  // Both must outlive this.
  AttributeRule(const Trace& trace, Diagnostics& diagnostics);
  ~AttributeRule();
  AttributeRule(const AttributeRule&) = delete;
  AttributeRule& operator=(const AttributeRule&) = delete;

  // Checks the nodes that the trace holds now, which come behind those of the batches before; the metadata first.
  void check_batch();
  // Ends the trace, which may have had no batch at all.
  void finish();

 private:
  class Checker;
  std::unique_ptr<Checker> checker_;
  bool begun_ = false;
};

}  // namespace convert::rules
