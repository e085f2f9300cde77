// SPDX-License-Identifier: MIT
#include <algorithm>

#include "core/units.h"
#include "passes/rules/rules.h"

namespace convert::rules {
namespace {

class PairChecker {
 public:
  PairChecker(std::span<const TraceSummary> set, Diagnostics& diagnostics) : set_(set), diagnostics_(diagnostics) {}

  void check(const MessageGroup& g) {
    const std::size_t matched = std::min(g.sends.size(), g.recvs.size());
    if (g.sends.size() > matched) {
      unmatched_send(g, matched);
    } else if (g.recvs.size() > matched) {
      unmatched_recv(g, matched);
    } else {
      // With a message too many on one side, sizes would be compared with the wrong partner.
      for (std::size_t k = 0; k < matched; ++k) compare(g, k);
    }
  }

 private:
  [[nodiscard]] const Message& send(const MessageGroup& g, std::size_t k) const {
    return set_[g.src].messages.sends[g.sends[k]];
  }
  [[nodiscard]] const Message& recv(const MessageGroup& g, std::size_t k) const {
    return set_[g.dst].messages.recvs[g.recvs[k]];
  }
  [[nodiscard]] std::string id(Rank rank, const Message& m) const { return node_text(set_[rank].id(m.node)); }

  void unmatched_send(const MessageGroup& g, std::size_t k) {
    diagnostics_.error(set_[g.src].location(send(g, k)), "pairs",
                       id(g.src, send(g, k)) + ": send to rank " + std::to_string(g.dst) + " with tag " +
                           std::to_string(g.tag) + " has no receive: " + counts(g));
  }

  void unmatched_recv(const MessageGroup& g, std::size_t k) {
    diagnostics_.error(set_[g.dst].location(recv(g, k)), "pairs",
                       id(g.dst, recv(g, k)) + ": receive from rank " + std::to_string(g.src) + " with tag " +
                           std::to_string(g.tag) + " waits for a send that never comes: " + counts(g));
  }

  // "rank 2 has 3 sends (last: node 17), rank 5 has 2 receives (last: node 9)"
  [[nodiscard]] std::string counts(const MessageGroup& g) const {
    std::string out = "rank " + std::to_string(g.src) + " has " + counted(g.sends.size(), "such send");
    if (!g.sends.empty()) out += " (last: " + id(g.src, send(g, g.sends.size() - 1)) + ')';
    out += ", rank " + std::to_string(g.dst) + " has " + counted(g.recvs.size(), "receive");
    if (!g.recvs.empty()) out += " (last: " + id(g.dst, recv(g, g.recvs.size() - 1)) + ')';
    return out;
  }

  void compare(const MessageGroup& g, std::size_t k) {
    const Message& s = send(g, k);
    const Message& r = recv(g, k);
    if (s.size_unit() == SizeUnit::unknown || r.size_unit() == SizeUnit::unknown) return;  // rule attributes
    if (s.size_unit() == r.size_unit() && s.size == r.size) return;
    diagnostics_.error(set_[g.src].location(s), "pairs",
                       id(g.src, s) + ": sends " + size_text(s) + " to rank " + std::to_string(g.dst) +
                           " with tag " + std::to_string(g.tag) + ", but its receive, " + id(g.dst, r) +
                           " of rank " + std::to_string(g.dst) + ", expects " + size_text(r));
  }

  static std::string size_text(const Message& m) {
    return counted(m.size, m.size_unit() == SizeUnit::bytes ? "byte" : "chunk");
  }

  std::span<const TraceSummary> set_;
  Diagnostics& diagnostics_;
};

}  // namespace

void check_pairs(std::span<const TraceSummary> set, Diagnostics& diagnostics) {
  PairChecker checker(set, diagnostics);
  for_each_message_group(messages_by_rank(set), [&](const MessageGroup& g) { checker.check(g); });
}

}  // namespace convert::rules
