// SPDX-License-Identifier: MIT
#include "passes/split/collapse.h"

#include <algorithm>
#include <utility>

#include "passes/merged_collectives.h"
#include "passes/provenance.h"

namespace convert {
namespace {

class Collapse {
 public:
  explicit Collapse(Trace& trace) : trace_(trace), table_(trace.nodes), merged_(trace, "collapse") {}

  CollapseCounts run() {
    CollapseCounts counts{.collectives = merged_.size(), .nodes = 0};
    for (std::uint32_t c = 0; c < merged_.size(); ++c) {
      counts.nodes += merged_.all()[c].nodes.size();
      merged_.check(c);
    }
    if (merged_.size() != 0) write();
    return counts;
  }

 private:
  void write() {
    std::uint32_t next = 0;
    for (std::uint32_t k = 0; k < table_.nodes.size(); ++k) {
      if (merged_.of(k) != no_index) continue;
      const Node& from = table_.nodes[k];
      while (next < merged_.size() && merged_.all()[next].id <= from.id) add_collective(next++);
      out_.begin_copy(table_, from, from.id, from.type);
      add_deps(k, no_index);
      for (const Attr& a : table_.attributes(from)) out_.add_copy(table_, a);
      out_.end_copy(table_, from);
    }
    while (next < merged_.size()) add_collective(next++);
    trace_.nodes = std::move(out_);
    std::erase_if(trace_.metadata.table.attrs, [](const Attr& a) { return merged::program_of(a.name) >= 0; });
  }

  void add_collective(std::uint32_t number) {
    const MergedCollective& c = merged_.all()[number];
    if (const std::uint32_t twin = merged_.ids().find(c.id); twin != IdIndex::none && merged_.of(twin) == no_index)
      throw merged_.error(twin, "has the id of " + merged_.describe(number));
    merged_.restore(number, out_);
    add_deps(c.root, number);
  }

  void add_deps(std::uint32_t node, std::uint32_t own);

  Trace& trace_;
  const NodeTable& table_;
  MergedCollectives merged_;
  NodeTable out_;
};

void Collapse::add_deps(std::uint32_t n, std::uint32_t own) {
  const Node& from = table_.nodes[n];
  merged_.fold(n, table_.data_deps(from), own, [&](NodeId id) { out_.add_data_dep(id); });
  merged_.fold(n, table_.ctrl_deps(from), own, [&](NodeId id) { out_.add_ctrl_dep(id); });
}

}  // namespace

CollapseCounts collapse_collectives(Trace& trace) { return Collapse(trace).run(); }

}  // namespace convert
