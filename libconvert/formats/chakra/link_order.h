// SPDX-License-Identifier: MIT
// Link order of a schedule's sends in the form that another simulator reads: the option `order` of .et.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "core/trace.h"
#include "formats/format.h"

namespace convert {

enum class LinkOrderForm : std::uint8_t { ctrl, attr, both };
// Returns the value of the option `order`. Throws Error(usage).
[[nodiscard]] LinkOrderForm link_order_form(const FormatOptions& options);

// Converts the nodes of one rank, batch by batch.
class LinkOrderWriter {
 public:
  explicit LinkOrderWriter(LinkOrderForm form) : form_(form) {}

  [[nodiscard]] bool changes() const { return form_ != LinkOrderForm::both; }
  // Returns the nodes of a batch with only one of the two forms; valid until the next call.
  [[nodiscard]] const NodeTable& change(const NodeTable& batch);

 private:
  struct Send {
    std::int64_t to;
    std::int64_t instance;
    friend bool operator==(const Send&, const Send&) = default;
  };
  void copy_attributes(const NodeTable& batch, const Node& node);

  LinkOrderForm form_;
  NodeTable out_;
  std::unordered_map<NodeId, Send> sends_;  // earlier sends with a sequence number, by node id
};

}  // namespace convert
