// SPDX-License-Identifier: MIT
#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "core/units.h"
#include "passes/rules/rules.h"

namespace convert::rules {
namespace {

// A source, destination and tag whose numbers of sends and receives differ.
struct Surplus {
  Rank src;
  Rank dst;
  std::int64_t tag;
  std::uint32_t sends;
  std::uint32_t recvs;
  std::uint32_t first;      // the first message without a partner: index into the sends or receives of its rank
  std::uint32_t last_send;  // if there are any
  std::uint32_t last_recv;
  [[nodiscard]] bool of_sends() const { return sends > recvs; }
};

// Finds likely partners: other messages without a partner that differ in one property.
class Candidates {
 public:
  explicit Candidates(const std::vector<Surplus>& all) {
    for (const Surplus& s : all) {
      ends_.try_emplace({s.of_sends(), s.src, s.dst}, &s);
      destination_.try_emplace({s.of_sends(), s.dst, s.tag}, &s);
      source_.try_emplace({s.of_sends(), s.src, s.tag}, &s);
    }
  }
  // Return a surplus of the other kind (sends, receives) that differs in one property only, or null.
  [[nodiscard]] const Surplus* of_other_tag(const Surplus& s) const {
    return find(ends_, !s.of_sends(), s.src, s.dst);
  }
  [[nodiscard]] const Surplus* of_other_source(const Surplus& s) const {
    return find(destination_, !s.of_sends(), s.dst, s.tag);
  }
  [[nodiscard]] const Surplus* of_other_destination(const Surplus& s) const {
    return find(source_, !s.of_sends(), s.src, s.tag);
  }
  // Returns the surplus of the same kind in the opposite direction, or null.
  [[nodiscard]] const Surplus* reversed(const Surplus& s) const {
    const Surplus* found = find(ends_, s.of_sends(), s.dst, s.src);
    return found != nullptr && found != &s && found->tag == s.tag ? found : nullptr;
  }

 private:
  using Table = std::map<std::tuple<bool, Rank, std::int64_t>, const Surplus*>;
  static const Surplus* find(const Table& table, bool of_sends, Rank rank, std::int64_t other) {
    const auto at = table.find({of_sends, rank, other});
    return at == table.end() ? nullptr : at->second;
  }
  Table ends_;         // by source and destination
  Table destination_;  // by destination and tag
  Table source_;       // by source and tag
};

class PairChecker {
 public:
  PairChecker(std::span<const TraceSummary> set, Diagnostics& diagnostics) : set_(set), diagnostics_(diagnostics) {}

  void check(const MessageGroup& g) {
    const std::size_t matched = std::min(g.sends.size(), g.recvs.size());
    if (g.sends.size() == g.recvs.size()) {
      // Compare sizes only if no side has extra messages; otherwise the pairs would be wrong.
      std::size_t k = 0;
      while (k < matched && fit(g, k)) ++k;
      if (k < matched && same_sizes(g)) {
        warn_of_order(g, k);
        return;
      }
      for (; k < matched; ++k) {
        if (!fit(g, k)) diagnostics_.add(misfit(g, k));
      }
      return;
    }
    surplus_.push_back({.src = g.src,
                        .dst = g.dst,
                        .tag = g.tag,
                        .sends = static_cast<std::uint32_t>(g.sends.size()),
                        .recvs = static_cast<std::uint32_t>(g.recvs.size()),
                        .first = (g.sends.size() > matched ? g.sends : g.recvs)[matched],
                        .last_send = g.sends.empty() ? 0 : g.sends.back(),
                        .last_recv = g.recvs.empty() ? 0 : g.recvs.back()});
  }

  void report_surplus() {
    const Candidates candidates(surplus_);
    for (const Surplus& s : surplus_) {
      const Message& m = first(s);
      const std::string subject = node_text(set_[rank(s)].id(m.node));
      const std::string message = s.of_sends() ? ": send to rank " + std::to_string(s.dst) + " with tag " +
                                                     std::to_string(s.tag) + " has no receive: "
                                               : ": receive from rank " + std::to_string(s.src) + " with tag " +
                                                     std::to_string(s.tag) + " has no send: ";
      diagnostics_.error(set_[rank(s)].location(m), "pairs", subject + message + counts(s), {hint(s, candidates)});
    }
  }

 private:
  // Returns the rank that has the messages without a partner.
  [[nodiscard]] static Rank rank(const Surplus& s) { return s.of_sends() ? s.src : s.dst; }
  [[nodiscard]] const Message& first(const Surplus& s) const {
    const RankMessages& all = set_[rank(s)].messages;
    return (s.of_sends() ? all.sends : all.recvs)[s.first];
  }
  [[nodiscard]] std::string id(Rank rank, const Message& m) const { return node_text(set_[rank].id(m.node)); }

  // Returns "rank 2 has 3 sends (last: node 17), rank 5 has 2 receives (last: node 9)"
  [[nodiscard]] std::string counts(const Surplus& s) const {
    std::string out = "rank " + std::to_string(s.src) + " has " + counted(s.sends, "such send");
    if (s.sends != 0) out += " (last: " + id(s.src, set_[s.src].messages.sends[s.last_send]) + ')';
    out += ", rank " + std::to_string(s.dst) + " has " + counted(s.recvs, "receive");
    if (s.recvs != 0) out += " (last: " + id(s.dst, set_[s.dst].messages.recvs[s.last_recv]) + ')';
    return out;
  }

  // Returns "rank 1 node 7 receives from rank 0 with tag 3"
  [[nodiscard]] std::string sentence(const Surplus& s) const {
    return "rank " + std::to_string(rank(s)) + ' ' + id(rank(s), first(s)) +
           (s.of_sends() ? " sends to rank " + std::to_string(s.dst)
                         : " receives from rank " + std::to_string(s.src)) +
           " with tag " + std::to_string(s.tag);
  }

  [[nodiscard]] std::string hint(const Surplus& s, const Candidates& candidates) const {
    const auto without_partner = [&](const Surplus& other) {
      return "hint: " + sentence(other) + ", which has no partner either; ";
    };
    if (const Surplus* other = candidates.of_other_tag(s))
      return without_partner(*other) + "if they are partners, give them the same comm_tag";
    if (const Surplus* other = candidates.of_other_source(s))
      return without_partner(*other) +
             (s.of_sends() ? "should it receive from rank " + std::to_string(s.src) + "?"
                           : "should this one receive from rank " + std::to_string(other->src) + "?");
    if (const Surplus* other = candidates.of_other_destination(s))
      return without_partner(*other) + (s.of_sends()
                                            ? "should this one send to rank " + std::to_string(other->dst) + "?"
                                            : "should it send to rank " + std::to_string(s.dst) + "?");
    if (const Surplus* other = candidates.reversed(s))
      return without_partner(*other) +
             (s.of_sends() ? "should one of the two receive?" : "should one of the two send?");
    return "hint: " + (s.of_sends() ? "a receive is missing on rank " + std::to_string(s.dst) +
                                          ", or there is an extra send on rank " + std::to_string(s.src)
                                    : "a send is missing on rank " + std::to_string(s.src) +
                                          ", or there is an extra receive on rank " + std::to_string(s.dst));
  }

  using Size = std::tuple<SizeUnit, std::uint64_t>;
  static Size size_of(const Message& m) { return {m.size_unit(), m.size}; }
  [[nodiscard]] const Message& send(const MessageGroup& g, std::size_t k) const {
    return set_[g.src].messages.sends[g.sends[k]];
  }
  [[nodiscard]] const Message& recv(const MessageGroup& g, std::size_t k) const {
    return set_[g.dst].messages.recvs[g.recvs[k]];
  }

  // Returns whether the sizes of the k-th send and receive agree, if both are known. Rule attributes reports
  // missing sizes.
  [[nodiscard]] bool fit(const MessageGroup& g, std::size_t k) const {
    const Message& s = send(g, k);
    const Message& r = recv(g, k);
    return s.size_unit() == SizeUnit::unknown || r.size_unit() == SizeUnit::unknown || size_of(s) == size_of(r);
  }

  // Returns whether both sides have the same sizes in some order. Simulators that also match by size, such as
  // ASTRA-sim, then find all partners.
  [[nodiscard]] bool same_sizes(const MessageGroup& g) const {
    std::vector<Size> sent;
    std::vector<Size> expected;
    for (std::size_t k = 0; k < g.sends.size(); ++k) {
      sent.push_back(size_of(send(g, k)));
      expected.push_back(size_of(recv(g, k)));
    }
    std::ranges::sort(sent);
    std::ranges::sort(expected);
    return sent == expected && std::get<SizeUnit>(sent.front()) != SizeUnit::unknown;
  }

  [[nodiscard]] Diagnostic misfit(const MessageGroup& g, std::size_t k) const {
    const Message& s = send(g, k);
    const Message& r = recv(g, k);
    return {.severity = Severity::error,
            .where = set_[g.src].location(s),
            .rule = "pairs",
            .message = id(g.src, s) + ": sends " + size_text(s) + " to rank " + std::to_string(g.dst) +
                       " with tag " + std::to_string(g.tag) + ", but its receive, " + id(g.dst, r) + " of rank " +
                       std::to_string(g.dst) + ", expects " + size_text(r),
            .notes = {"hint: give both the same comm_size"}};
  }

  // Warns about messages that would all match in another order; the k-th is the first mismatch.
  void warn_of_order(const MessageGroup& g, std::size_t k) {
    std::size_t other = k + 1;
    while (size_of(recv(g, other)) != size_of(send(g, k))) ++other;
    Diagnostic d = misfit(g, k);
    d.severity = Severity::warning;
    d.notes = {"hint: " + id(g.dst, recv(g, other)) + " of rank " + std::to_string(g.dst) +
               " expects that size: simulators, which also match by size, pair them; MPI and NCCL, which match in "
               "order of issue, do not; order both sides alike, or give each message its own comm_tag"};
    diagnostics_.add(std::move(d));
  }

  static std::string size_text(const Message& m) {
    return counted(m.size, m.size_unit() == SizeUnit::bytes ? "byte" : "chunk");
  }

  std::span<const TraceSummary> set_;
  Diagnostics& diagnostics_;
  std::vector<Surplus> surplus_;
};

}  // namespace

void check_pairs(std::span<const TraceSummary> set, Diagnostics& diagnostics) {
  PairChecker checker(set, diagnostics);
  for_each_message_group(messages_by_rank(set), [&](const MessageGroup& g) { checker.check(g); });
  checker.report_surplus();
}

}  // namespace convert::rules
