// SPDX-License-Identifier: MIT
// Writes the order in which sends of a schedule take links as other simulators want it: the option `order` of .et.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "core/trace.h"
#include "formats/format.h"

namespace convert {

enum class LinkOrderForm : std::uint8_t { ctrl, attr, both };
// Returns what the option `order` asks for. Throws Error(usage).
[[nodiscard]] LinkOrderForm link_order_form(const FormatOptions& options);

// Changes the nodes of one rank, batch after batch.
class LinkOrderWriter {
 public:
  explicit LinkOrderWriter(LinkOrderForm form) : form_(form) {}

  [[nodiscard]] bool changes() const { return form_ != LinkOrderForm::both; }
  // Returns the nodes of a batch with one of the two forms only; valid until the next call.
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
  std::unordered_map<NodeId, Send> sends_;  // with turns, so far
};

}  // namespace convert
