// SPDX-License-Identifier: MIT
#include "passes/summary_bytes.h"

namespace convert {

class SummaryBytes {
 public:
  // Every member, in order: for writing (Bytes: ByteWriter) and for reading alike.
  template <typename Summary, typename Visit>
  static void visit(Summary& s, const Visit& visit) {
    visit(s.rank), visit(s.name), visit(s.positions_known), visit(s.positions_are_lines), visit(s.size),
        visit(s.recorded), visit(s.tells_order), visit(s.ids);
    visit(s.messages.sends), visit(s.messages.recvs);
    visit(s.names.text_), visit(s.names.begin_);
    visit(s.child_begin), visit(s.children);
  }
  template <typename Use, typename Visit>
  static void visit_use(Use& u, const Visit& visit) {
    visit(u.group), visit(u.calls), visit(u.details), visit(u.splits), visit(u.stated_sizes);
  }
};

void put(ByteWriter& to, const TraceSummary& summary) {
  const auto write = [&](const auto& value) { to.put(value); };
  SummaryBytes::visit(summary, write);
  to.put(summary.collectives.size());
  for (const GroupUse& use : summary.collectives) SummaryBytes::visit_use(use, write);
}

TraceSummary get_summary(ByteReader& from) {
  TraceSummary summary;
  const auto read = [&](auto& value) { from.get(value); };
  SummaryBytes::visit(summary, read);
  std::size_t uses = 0;
  from.get(uses);
  for (; uses > 0; --uses) SummaryBytes::visit_use(summary.collectives.emplace_back(), read);
  return summary;
}

}  // namespace convert
