// SPDX-License-Identifier: MIT
// Hints of a stopped replay; text.cpp describes the waits.
#include <algorithm>
#include <optional>
#include <utility>

#include "core/units.h"
#include "simulate/waits/graph.h"

namespace convert {
namespace {

using WaitKind = WaitGraph::Kind;

constexpr std::size_t max_hints = 3;

std::string rank_text(Rank r) { return "rank " + std::to_string(r); }

std::string message_text(const ChannelKey& key) {
  return "tag " + std::to_string(key.tag) + ", " + counted(key.bytes, "byte");
}

class Hints {
 public:
  Hints(const WaitGraph& graph, const std::vector<std::uint32_t>& cycle)
      : graph_(graph),
        cycle_(cycle),
        remains_(graph.remains()),
        program_(remains_.program),
        surplus_sends_(graph.unclaimed().size()) {}

  std::vector<std::string> find() {
    if (!cycle_.empty()) hints_.push_back(for_cycle());
    count_messages();
    std::vector<std::uint32_t> collectives;
    for (std::uint32_t v = 0; v < graph_.size() && hints_.size() < max_hints; ++v) {
      const WaitKind kind = graph_.kind(v);
      if ((kind == WaitKind::receive || kind == WaitKind::send) && graph_.waits_for(v).empty()) {
        if (std::optional<std::string> hint = for_message(v)) hints_.push_back(std::move(*hint));
      } else if (kind == WaitKind::refused && graph_.waits_for(v).empty()) {
        hints_.push_back(for_order(v));
      } else if (kind == WaitKind::collective) {
        const std::uint32_t c = graph_.vertex_of_run(graph_.run(v));
        if (graph_.callers(c).no_call_left == 0) continue;
        if (std::find(collectives.begin(), collectives.end(), c) != collectives.end()) continue;
        collectives.push_back(c);
        hints_.push_back(for_missing_call(v, graph_.callers(c)));
      }
    }
    return std::move(hints_);
  }

 private:
  // Cycles.
  std::string for_cycle() const {
    const std::size_t n = cycle_.size();
    std::optional<std::size_t> slot;
    bool only_dependencies = true;
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint32_t v = cycle_[i];
      if (graph_.kind(v) == WaitKind::refused) return for_order(v);
      if (graph_.kind(v) == WaitKind::slot && !slot) slot = i;
      only_dependencies = only_dependencies && graph_.kind(v) == WaitKind::dependency;
    }
    if (only_dependencies) return for_dependencies();
    if (slot) return for_slot(*slot);
    return for_early_start();
  }

  // Call of a collective.
  struct Caller {
    NodeRef node;
    std::uint32_t plan = 0;
  };

  // Returns the hint for a refused node v, at whose position node `a` of another rank has called another
  // collective.
  std::string for_order(std::uint32_t v) const {
    const CollectiveRun& run = remains_.system.runs()[graph_.run(v)];
    const std::uint32_t waiting = graph_.first_waiting(graph_.run(v));
    const Caller a{waiting != graph_.size() ? graph_.ref(waiting) : node_ref(run.first_npu, run.first_op),
                   run.plan};
    const Caller b{graph_.ref(v), graph_.op(v).channel};
    const std::uint32_t later_a = graph_.later_call(a.node.rank, b.plan);
    const std::uint32_t later_b = graph_.later_call(b.node.rank, a.plan);
    // Change the side with fewer ranks.
    const auto like_b = std::count_if(remains_.refused.begin(), remains_.refused.end(), [&](const RefusedCall& r) {
      return r.run == graph_.run(v) && program_.op({r.npu, r.op}).channel == b.plan;
    });
    const bool change_b = like_b <= static_cast<std::ptrdiff_t>(run.called);
    const bool has_a = later_a != graph_.size();
    const bool has_b = later_b != graph_.size();
    if (has_a && has_b) return change_b ? for_swapped(b, later_b, a) : for_swapped(a, later_a, b);
    if (has_a) return for_extra_call(a, b);
    if (has_b) return for_extra_call(b, a);
    return change_b ? for_other_call(b, a) : for_other_call(a, b);
  }

  std::string for_swapped(const Caller& early, std::uint32_t late, const Caller& model) const {
    const std::string as = ", as on " + rank_text(model.node.rank) +
                           ": all ranks of a group must call its collectives in the same order";
    const std::string early_what = " (" + call_name(early.plan) + ")";
    if (graph_.kind(late) == WaitKind::slot) {
      return "make " + describe(early.node) + early_what + " depend on " + short_name(late) +
             ", so that it comes second" + as;
    }
    return name(late) + " must come before node " + std::to_string(early.node.node) + early_what + as;
  }

  std::string for_extra_call(const Caller& extra, const Caller& without) const {
    return rank_text(without.node.rank) + " never calls the " + call_name(extra.plan) + " of " +
           describe(extra.node) + ": add it before node " + std::to_string(without.node.node) + " (" +
           call_name(without.plan) + "), or remove " + describe(extra.node);
  }

  std::string for_other_call(const Caller& changed, const Caller& kept) const {
    const CollectiveCall& from = program_.plans[changed.plan].call;
    const CollectiveCall& to = program_.plans[kept.plan].call;
    std::string what;
    const auto add = [&what](const std::string& text) { what += (what.empty() ? "" : ", ") + text; };
    if (from.op != to.op)
      add("comm_type " + std::string(convert::name(to.op)) + " instead of " + std::string(convert::name(from.op)));
    if (from.bytes != to.bytes)
      add("comm_size " + std::to_string(to.bytes) + " instead of " + std::to_string(from.bytes));
    if (from.root != to.root || from.names_root != to.names_root) add("the same root (comm_src, comm_dst)");
    if (from.dims != to.dims) add("the same involved_dim");
    if (from.priority != to.priority) add("the same comm_priority");
    if (from.custom != to.custom) add("the same algorithm");
    return "make " + describe(changed.node) + " the same call as " + describe(kept.node) + ": " + what;
  }

  // In a cycle of dependencies, some node depends on a node with a higher id, which is most likely the wrong
  // dependency.
  std::string for_dependencies() const {
    std::size_t i = 0;
    while (i + 1 < cycle_.size() && cycle_[i] > next(i)) ++i;
    return "remove the dependency of " + describe(graph_.ref(cycle_[i])) + " on " + node_text(next(i)) +
           ": these nodes form a cycle of dependencies";
  }

  std::string for_slot(std::size_t i) const {
    const std::uint32_t v = cycle_[i];
    const std::uint32_t holder = next(i);
    std::string hint = name(holder) + " holds the resource that " + short_name(v) + " needs: make " +
                       node_text(holder) + " depend on " + node_text(v);
    for (std::size_t k = i + 1; k < cycle_.size(); ++k) {
      const std::uint32_t w = cycle_[k];
      if (graph_.kind(w) == WaitKind::slot && same_call(w, holder) && same_call(next(k), v))
        return hint + ", so that it comes second, as on " + rank_text(graph_.rank(w));
    }
    return hint + ", so that it comes second";
  }

  // One of the nodes for which another rank waits must not depend on messages or collectives of other ranks.
  std::string for_early_start() const {
    const std::size_t n = cycle_.size();
    std::size_t best = n;
    int best_order = 4;
    for (std::size_t i = 0; i < n; ++i) {
      if (graph_.kind(cycle_[i]) != WaitKind::dependency) continue;
      if (graph_.kind(cycle_[(i + n - 1) % n]) == WaitKind::dependency) continue;
      const OpType type = graph_.op(cycle_[i]).type;
      const int order = type == OpType::send ? 0 : type == OpType::recv ? 1 : type == OpType::collective ? 2 : 3;
      if (order < best_order) {
        best_order = order;
        best = i;
      }
    }
    if (best == n) return "the cycle has no dependency that could be removed; change the waits of these nodes";
    std::size_t end = best;
    while (graph_.kind(cycle_[end % n]) == WaitKind::dependency) ++end;
    const std::uint32_t first = cycle_[best];
    const std::uint32_t last = cycle_[end % n];
    std::string hint = "let " + name(first) + " start before " + short_name(last) +
                       " has ended: remove the dependency of " + node_text(first) + " on " + node_text(next(best));
    if (end > best + 1) hint += ", or another one on the path to " + node_text(last);
    if (compete(first, last) && last < first)  // otherwise the lower id still goes first
      hint +=
          ", and make " + node_text(last) + " depend on " + node_text(first) + ", as both need the same resource";
    return hint;
  }

  // Returns whether two nodes of a rank need the same resource, which the rank has once.
  [[nodiscard]] bool compete(std::uint32_t v, std::uint32_t w) const {
    if (program_.options.issue != IssueMode::workload || graph_.inner(v) || graph_.inner(w)) return false;
    const Op& a = graph_.op(v);
    const Op& b = graph_.op(w);
    const auto takes = [](const Op& op) { return op.type != OpType::recv && op.type != OpType::invalid; };
    return takes(a) && takes(b) && a.slot == b.slot &&
           (a.slot != Slot::communication || program_.rules.one_communication_at_a_time());
  }

  // Missing calls and messages.
  std::string for_missing_call(std::uint32_t v, const WaitGraph::Callers& callers) const {
    const CollectiveCall& wanted = program_.plans[graph_.op(v).channel].call;
    const Rank rank = callers.first_no_call_left;
    const std::string group = describe_group(program_.groups[wanted.group].id);
    const std::string others =
        callers.no_call_left == 1 ? "" : " and " + counted(callers.no_call_left - 1, "other rank");
    if (remains_.feeders[rank]->size() == 0) {
      return "the trace of " + rank_text(rank) + " has no nodes: add the collectives of " + group + ", first the " +
             call_name(graph_.op(v).channel) + " of " + describe(graph_.ref(v)) +
             (callers.no_call_left == 1 ? "" : "; likewise" + others.substr(4));
    }
    for (const UnendedCollectives::Part& p : graph_.calls_of(rank)) {
      const CollectiveRun& run = remains_.system.runs()[p.run];
      const CollectiveCall& other = program_.plans[run.plan].call;
      if (other.group == wanted.group || other.op != wanted.op || other.bytes != wanted.bytes) continue;
      if (graph_.callers(graph_.vertex_of_run(p.run)).missing == 0) continue;
      return describe(node_ref(rank, p.op)) + " calls the same " + call_name(graph_.op(v).channel) + ", but on " +
             describe_group(program_.groups[other.group].id) + ": set its pg_name to the pg_name of " +
             describe(graph_.ref(v)) + ", \"" + std::to_string(program_.groups[wanted.group].id) +
             "\", or vice versa";
    }
    return "add the " + call_name(graph_.op(v).channel) + " of " + group + " to " + rank_text(rank) + others +
           ", which call" + (callers.no_call_left == 1 ? "s " : " ") +
           std::to_string(remains_.system.calls(wanted.group, rank)) +
           " of its collectives, or remove it from the ranks that call it (" + describe(graph_.ref(v)) + ")";
  }

  // Counts by channel how many more sends than receives remain.
  void count_messages() {
    for (std::uint32_t c = 0; c < surplus_sends_.size(); ++c) surplus_sends_[c] = graph_.unclaimed()[c];
    for (std::uint32_t v = 0; v < graph_.size(); ++v) {
      if (graph_.op(v).type == OpType::send) ++surplus_sends_[graph_.channel(v)];
      if (graph_.op(v).type == OpType::recv) --surplus_sends_[graph_.channel(v)];
    }
  }

  // Difference between two messages, the most likely mistake first.
  enum class Slip : std::uint8_t { size, tag, source, destination, size_and_tag, none };
  static Slip compare(const ChannelKey& a, const ChannelKey& b) {
    if (a.run != b.run) return Slip::none;
    const bool ends = a.src == b.src && a.dst == b.dst;
    if (ends && a.tag == b.tag) return Slip::size;
    if (ends && a.bytes == b.bytes) return Slip::tag;
    if (ends) return Slip::size_and_tag;
    if (a.tag != b.tag || a.bytes != b.bytes) return Slip::none;
    if (a.dst == b.dst) return Slip::source;
    return a.src == b.src ? Slip::destination : Slip::none;
  }

  // Returns nothing if another hint covers the message.
  std::optional<std::string> for_message(std::uint32_t v) {
    const bool sends = graph_.kind(v) == WaitKind::send;
    const std::uint32_t channel = graph_.channel(v);
    const ChannelKey& key = graph_.key(channel);
    std::uint32_t best = channel;
    Slip slip = Slip::none;
    for (std::uint32_t c = 0; c < surplus_sends_.size(); ++c) {
      if (sends ? surplus_sends_[c] >= 0 : surplus_sends_[c] <= 0) continue;
      if (const Slip s = compare(key, graph_.key(c)); s < slip) {
        slip = s;
        best = c;
      }
    }
    const ChannelKey& other = graph_.key(best);
    std::optional<NodeRef> partner;
    if (slip != Slip::none) partner = last_of(best, !sends);
    if (slip != Slip::none && !partner && graph_.inner(v)) partner = graph_.last_inside(v, best, !sends);
    if (!partner) return for_lonely(v, key);
    NodeRef self = graph_.ref(v);
    if (self.inner) self.node = 0;  // as partners have it
    if (std::find(partners_.begin(), partners_.end(), self) != partners_.end()) return std::nullopt;
    partners_.push_back(*partner);
    const std::string other_node = partner_text(*partner);
    const std::string both = describe(graph_.ref(v)) + " and " + other_node;
    const auto differ = [](std::int64_t a, std::int64_t b) {
      return " (" + std::to_string(a) + " and " + std::to_string(b) + ")";
    };
    switch (slip) {
      case Slip::size: return "give " + both + " the same comm_size" + differ(key.bytes, other.bytes);
      case Slip::tag: return "give " + both + " the same comm_tag" + differ(key.tag, other.tag);
      case Slip::size_and_tag:
        return "if " + both + " match, give them the same comm_tag" + differ(key.tag, other.tag) +
               " and comm_size" + differ(key.bytes, other.bytes);
      case Slip::source:
        if (!sends) {
          return "set comm_src of " + describe(graph_.ref(v)) + " to " + std::to_string(other.src) + ": " +
                 other_node + " sends it a matching message";
        }
        return "set comm_src of " + other_node + " to " + std::to_string(key.src) + ": " + describe(graph_.ref(v)) +
               " sends it a matching message";
      case Slip::destination:
        if (!sends) {
          return "set comm_dst of " + other_node + " to " + std::to_string(key.dst) + ": " +
                 describe(graph_.ref(v)) + " receives a matching message";
        }
        return "set comm_dst of " + describe(graph_.ref(v)) + " to " + std::to_string(other.dst) + ": " +
               other_node + " receives a matching message";
      case Slip::none: break;
    }
    return for_lonely(v, key);
  }

  std::string for_lonely(std::uint32_t v, const ChannelKey& key) const {
    const bool sends = graph_.kind(v) == WaitKind::send;
    const Rank peer = sends ? key.dst : key.src;
    const std::string message = sends ? "a receive from " + rank_text(key.src) : "a send to " + rank_text(key.dst);
    std::string where;
    if (graph_.inner(v)) where = " (to the custom algorithm)";
    if (!graph_.inner(v) && remains_.feeders[peer]->size() == 0) where = " (its trace has no nodes)";
    return "add " + message + " (" + message_text(key) + ") to " + rank_text(peer) + where + ", or remove " +
           describe(graph_.ref(v));
  }

  static std::string partner_text(const NodeRef& n) {
    return n.inner ? "inner node " + std::to_string(*n.inner) + " of " + rank_text(n.rank) : describe(n);
  }

  // Returns the last node of a channel that sends or receives; nothing if only custom algorithms use the channel.
  std::optional<NodeRef> last_of(std::uint32_t channel, bool send) const {
    const ChannelKey& key = graph_.key(channel);
    const Rank rank = send ? key.src : key.dst;
    const RankCode& code = *program_.ranks[rank].code;
    for (auto node = static_cast<std::uint32_t>(code.ops.size()); node-- > 0;) {
      const Op& op = program_.op({rank, node});
      if (op.type == (send ? OpType::send : OpType::recv) && op.channel == channel)
        return NodeRef{rank, code.id(node)};
    }
    return std::nullopt;
  }

  // Text.
  [[nodiscard]] std::uint32_t next(std::size_t i) const { return cycle_[(i + 1) % cycle_.size()]; }
  [[nodiscard]] bool same_call(std::uint32_t v, std::uint32_t w) const {
    return graph_.op(v).type == OpType::collective && graph_.op(w).type == OpType::collective &&
           graph_.op(v).channel == graph_.op(w).channel;
  }
  [[nodiscard]] std::string call_name(std::uint32_t plan) const {
    return describe_call(program_.plans[plan].call.op, program_.plans[plan].call.bytes);
  }
  [[nodiscard]] NodeRef node_ref(Rank rank, std::uint32_t op) const {
    return {rank, program_.ranks[rank].code->id(op)};
  }
  [[nodiscard]] std::string node_text(std::uint32_t v) const {
    const NodeRef n = graph_.ref(v);
    return n.inner ? "inner node " + std::to_string(*n.inner) : "node " + std::to_string(n.node);
  }
  [[nodiscard]] std::string what(std::uint32_t v) const {
    const Op& op = graph_.op(v);
    if (op.type == OpType::send) return " (send to " + rank_text(op.peer) + ")";
    if (op.type == OpType::recv) return " (receive from " + rank_text(op.peer) + ")";
    return op.type == OpType::collective ? " (" + call_name(op.channel) + ")" : "";
  }
  [[nodiscard]] std::string name(std::uint32_t v) const { return describe(graph_.ref(v)) + what(v); }
  [[nodiscard]] std::string short_name(std::uint32_t v) const { return node_text(v) + what(v); }

  const WaitGraph& graph_;
  const std::vector<std::uint32_t>& cycle_;
  const ReplayRemains& remains_;
  const LinkedProgram& program_;
  std::vector<std::string> hints_;
  std::vector<std::int64_t> surplus_sends_;
  std::vector<NodeRef> partners_;  // of messages in other hints
};

}  // namespace

std::vector<std::string> find_hints(const WaitGraph& graph, const std::vector<std::uint32_t>& cycle) {
  return Hints(graph, cycle).find();
}

std::vector<std::string> find_hints(const WaitGraph& graph, const std::vector<UnmatchedSend>& unmatched) {
  std::vector<std::string> hints;
  const SystemState& system = graph.remains().system;
  const LinkedProgram& program = graph.remains().program;
  for (const CollectiveRun& run : system.runs()) {
    const CollectiveCall& call = program.plans[run.plan].call;
    const SystemGroup& group = program.groups[call.group];
    if (hints.size() == max_hints) break;
    if (run.called == group.size(program.model)) continue;
    Rank missing = 0;
    for (std::uint32_t place = 0; place < group.size(program.model); ++place) {
      missing = group.places.empty() ? place : group.places[place].first;
      if (!system.has_called(call.group, missing, run.number)) break;
    }
    hints.push_back("add the " + describe_call(call.op, call.bytes) + " of " + describe_group(group.id) + " to " +
                    rank_text(missing) + ", which never calls it, or remove it from the others (" +
                    describe({run.first_npu, program.ranks[run.first_npu].code->id(run.first_op)}) + ")");
  }
  if (!hints.empty()) return hints;
  for (const UnmatchedSend& s : unmatched) {
    if (hints.size() == max_hints) break;
    const std::string message = "tag " + std::to_string(s.tag) + ", " + counted(s.bytes, "byte");
    hints.push_back("add a receive from " + rank_text(s.node.rank) + " (" + message + ") to " + rank_text(s.peer) +
                    ", or remove " + (s.inner ? "the send of the custom algorithm" : describe(s.node)));
  }
  return hints;
}

}  // namespace convert
