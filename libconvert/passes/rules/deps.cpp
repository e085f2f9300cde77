// SPDX-License-Identifier: MIT
#include <algorithm>

#include "graph/left_out_process.h"
#include "passes/rules/rules.h"

namespace convert::rules {
namespace {

// Finds dependencies that repeat one of the same kind. A node may name its caller as a control dependency and also
// depend on it by a data dependency.
class Repeated {
 public:
  explicit Repeated(const NodeTable& table) : table_(table) {}

  bool operator()(const GraphDefect& d) {
    if (d.kind == DepKind::data) return true;  // data dependencies come first
    if (d.index != index_) {
      const auto control = table_.ctrl_deps(table_.nodes[d.index]);
      index_ = d.index;
      control_.assign(control.begin(), control.end());
      std::ranges::sort(control_);
    }
    const auto [first, last] = std::equal_range(control_.begin(), control_.end(), d.id);
    return last - first > 1;
  }

 private:
  const NodeTable& table_;
  std::uint32_t index_ = IdIndex::none;
  std::vector<NodeId> control_;  // of that node, ascending
};

}  // namespace

void check_deps(const Trace& trace, std::span<const GraphDefect> defects, Diagnostics& diagnostics) {
  using What = GraphDefect::What;
  Repeated repeated(trace.nodes);
  LeftOutProcess process(trace);
  for (const GraphDefect& d : defects) {
    if (d.what == What::duplicate_id) continue;
    const std::string dependency = node_text(trace.nodes.nodes[d.index].id) +
                                   (d.kind == DepKind::data ? ": data dependency on " : ": control dependency on ");
    Location where = location_of(trace, d.index);
    if (process.explains(d)) {
      diagnostics.warning(std::move(where), "deps",
                          dependency + node_text(d.id) + ", the process node, which the trace omits");
    } else if (d.what == What::dangling) {
      diagnostics.error(std::move(where), "deps", dependency + node_text(d.id) + ", which does not exist");
    } else if (d.what == What::self) {
      diagnostics.error(std::move(where), "deps", dependency + "itself: it can never start");
    } else if (repeated(d)) {
      diagnostics.warning(std::move(where), "deps", dependency + node_text(d.id) + " repeats an earlier one");
    }
  }
}

}  // namespace convert::rules
