// SPDX-License-Identifier: MIT
#include "core/units.h"
#include "passes/rules/rules.h"

namespace convert::rules {
namespace {

void check_messages(const TraceSummary& s, const std::vector<Message>& messages, bool sends, std::size_t ranks,
                    Diagnostics& diagnostics) {
  for (const Message& m : messages) {
    const std::string node = node_text(s.id(m.node));
    if (static_cast<std::size_t>(m.peer) >= ranks) {
      diagnostics.error(s.location(m), "peers",
                        node + (sends ? ": comm_dst is " : ": comm_src is ") + std::to_string(m.peer) +
                            (ranks == 1 ? ", but the set has only rank 0"
                                        : ", but the set has the ranks 0 to " + std::to_string(ranks - 1)),
                        {static_cast<std::size_t>(m.peer) == ranks
                             ? "hint: ranks count from 0; or is a rank missing from the set?"
                             : "hint: are all ranks in the set?"});
    } else if (static_cast<Rank>(m.peer) == s.rank) {
      diagnostics.error(
          s.location(m), "peers",
          node + (sends ? ": sends to its own rank " : ": receives from its own rank ") + std::to_string(s.rank),
          {"hint: a copy within a rank is a COMP node"});
    }
  }
}

}  // namespace

bool check_ranks(std::span<const TraceSummary> set, Diagnostics& diagnostics) {
  for (std::size_t i = 0; i < set.size(); ++i) {
    if (set[i].rank == i) continue;
    diagnostics.error({.file = set[i].name, .rank = static_cast<std::int64_t>(set[i].rank)}, "peers",
                      i > 0 && set[i].rank == set[i - 1].rank
                          ? "rank " + std::to_string(set[i].rank) + " occurs twice"
                          : "rank " + std::to_string(i) + " is missing from the set",
                      {set.size() == 1 ? "hint: the only trace of a set must be rank 0"
                                       : "hint: the " + counted(set.size(), "trace") +
                                             " of a set must be the ranks 0 to " + std::to_string(set.size() - 1)});
    return false;
  }
  return true;
}

void check_peers(std::span<const TraceSummary> set, Diagnostics& diagnostics) {
  for (const TraceSummary& s : set) {
    check_messages(s, s.messages.sends, true, set.size(), diagnostics);
    check_messages(s, s.messages.recvs, false, set.size(), diagnostics);
  }
}

std::vector<const RankMessages*> messages_by_rank(std::span<const TraceSummary> set) {
  std::vector<const RankMessages*> out;
  for (const TraceSummary& s : set) out.push_back(&s.messages);
  return out;
}

}  // namespace convert::rules
