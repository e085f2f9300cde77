// SPDX-License-Identifier: MIT
// Checks the rule attributes: the metadata of a trace, and each node on its own, so that nodes may come in batches.
#pragma once

#include <memory>

#include "core/diagnostic.h"
#include "core/trace.h"

namespace convert::rules {

// Checks one trace.
class AttributeRule {
 public:
  // Both arguments must outlive this object.
  AttributeRule(const Trace& trace, Diagnostics& diagnostics);
  ~AttributeRule();
  AttributeRule(const AttributeRule&) = delete;
  AttributeRule& operator=(const AttributeRule&) = delete;

  // Checks the nodes that the trace currently holds; they follow the nodes of earlier batches. The first call also
  // checks the metadata.
  void check_batch();
  // Finishes the trace. Required even if there was no batch.
  void finish();

 private:
  class Checker;
  std::unique_ptr<Checker> checker_;
  bool begun_ = false;
};

}  // namespace convert::rules
