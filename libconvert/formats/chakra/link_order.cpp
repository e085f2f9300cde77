// SPDX-License-Identifier: MIT
#include "formats/chakra/link_order.h"

#include "core/algorithm/link_way.h"
#include "core/attr_names.h"
#include "core/diagnostic.h"

namespace convert {

LinkOrderForm link_order_form(const FormatOptions& options) {
  const std::string text = options.get("order").value_or("both");
  if (text == "ctrl") return LinkOrderForm::ctrl;
  if (text == "attr") return LinkOrderForm::attr;
  if (text == "both") return LinkOrderForm::both;
  throw usage_error("order=" + text + ": expected ctrl, attr or both");
}

// Recognises a link order dependency by its parent: an earlier send with the same destination and instance; see
// keeps_link_order().
const NodeTable& LinkOrderWriter::change(const NodeTable& batch) {
  out_.clear();
  for (const Node& node : batch.nodes) {
    const auto attributes = batch.attributes(node);
    const bool has_turns = node.type == NodeType::comm_send && find(attributes, attr::link_seq) != nullptr;
    const Send own{int_value(attributes, attr::comm_dst).value, turn_scope(attributes)};
    out_.begin_copy(batch, node, node.id, node.type);
    for (const NodeId id : batch.data_deps(node)) out_.add_data_dep(id);
    for (const NodeId id : batch.ctrl_deps(node)) {
      const auto parent = has_turns && form_ == LinkOrderForm::attr ? sends_.find(id) : sends_.end();
      if (parent == sends_.end() || parent->second != own) out_.add_ctrl_dep(id);
    }
    copy_attributes(batch, node);
    out_.end_copy(batch, node);
    if (has_turns) sends_.emplace(node.id, own);
  }
  return out_;
}

void LinkOrderWriter::copy_attributes(const NodeTable& batch, const Node& node) {
  for (const Attr& a : batch.attributes(node)) {
    if (form_ == LinkOrderForm::ctrl &&
        (a.name == attr::link_seq || a.name == attr::link_via || a.name == attr::link_scope))
      continue;
    out_.add_copy(batch, a);
  }
}

}  // namespace convert
