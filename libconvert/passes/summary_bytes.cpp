// SPDX-License-Identifier: MIT
#include "passes/summary_bytes.h"

namespace convert {

class SummaryBytes {
 public:
  template <typename Bytes, typename Summary>
  static void visit_members(Bytes& bytes, Summary& s) {
    bytes(s.rank, s.name, s.positions_known, s.positions_are_lines, s.size, s.recorded, s.tells_order, s.ids);
    bytes(s.messages.sends, s.messages.recvs);
    bytes(s.ways.sends, s.ways.hops, s.ways.kept);
    bytes(s.names.text_, s.names.begin_);
    bytes(s.child_begin, s.children);
    bytes.each(s.collectives,
               [&](auto& use) { bytes(use.group, use.calls, use.details, use.splits, use.stated_sizes); });
  }
};

void visit(ByteWriter& to, const TraceSummary& summary) { SummaryBytes::visit_members(to, summary); }
void visit(ByteReader& from, TraceSummary& summary) { SummaryBytes::visit_members(from, summary); }

}  // namespace convert
