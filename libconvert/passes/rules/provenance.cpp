// SPDX-License-Identifier: MIT
// Checks the threadblocks, positions and dependencies in nodes' attributes against their actual dependencies, and
// compares the ranks of a set.
#include "passes/provenance.h"

#include <algorithm>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "core/algorithm/algorithm.h"
#include "passes/provenance_rule.h"
#include "passes/rules/provenance_nodes.h"
#include "passes/rules/rules.h"

namespace convert::rules {
namespace {

constexpr std::size_t most_if_whole = 100;  // kept findings of a rank

// A step: the nodes of a rank with the same threadblock and position, which are its RECV, COMP and SEND.
struct StepAt {
  std::int64_t npu = 0;  // in a trace of a whole system
  std::int32_t tb = 0;
  std::int32_t position = 0;
  std::uint32_t first = no_index;
  std::uint32_t last = no_index;
  std::int32_t depid = -1;
  std::int32_t deps = -1;
  bool hasdep = false;
  bool scheduled = false;  // from a schedule: only sends depend on the previous step
  bool has_turns = false;  // link_seq defines the order of sends
  std::span<const std::uint64_t> nop_depids{};
  std::span<const std::uint64_t> nop_steps{};
};

int stage(NodeType type) { return type == NodeType::comm_recv ? 0 : type == NodeType::comp ? 1 : 2; }
bool takes_part(NodeType type) {
  return type == NodeType::comm_recv || type == NodeType::comp || type == NodeType::comm_send;
}

class StepChecker {
 public:
  StepChecker(const Trace& trace, const Graph& graph, Diagnostics& diagnostics, ProvenanceFacts& facts)
      : trace_(trace), table_(trace.nodes), graph_(graph), diagnostics_(diagnostics), facts_(facts) {
    const auto metadata = std::span<const Attr>(trace.metadata.table.attrs);
    peers_ = {int32_list(trace.metadata.table, metadata, msccl::tb_send),
              int32_list(trace.metadata.table, metadata, msccl::tb_recv)};
    channels_ = int32_list(trace.metadata.table, metadata, msccl::tb_chan);
    tbs_known_ = find(metadata, msccl::tb_send) != nullptr;
  }

  void run() {
    step_of_.assign(table_.nodes.size(), no_index);
    for (std::uint32_t i = 0; i < table_.nodes.size(); ++i) collect(i);
    group();
    for (std::size_t k = 0; k < steps_.size(); ++k) {
      const bool begins = k == 0 || !same_tb(steps_[k - 1], steps_[k]);
      check_position(steps_[k], begins ? nullptr : &steps_[k - 1]);
      check_order(steps_[k]);
      check_dependencies(steps_[k], begins ? nullptr : &steps_[k - 1]);
    }
  }

 private:
  // A single node, before the nodes of a step are grouped.
  struct Entry {
    StepAt step;
    std::uint32_t node;
  };

  void collect(std::uint32_t i) {
    const Node& node = table_.nodes[i];
    if (!takes_part(node.type) || !ProvenanceNode::tells(table_, node)) return;
    const ProvenanceNode n(table_, node);
    if (!n.has(attr::tb_id) || !n.has(attr::local_time_step)) return;
    Entry e{{}, i};
    if (!read(i, n, e.step)) return;
    check_threadblock(i, n, e.step);
    entries_.push_back(e);
  }

  [[nodiscard]] bool read(std::uint32_t i, const ProvenanceNode& n, StepAt& out) {
    for (const Name field : {attr::tb_id, attr::local_time_step, attr::depid, attr::deps, attr::hasdep}) {
      if (!n.has(field) || n.get(field)) continue;
      error(i, "attribute " + std::string(field.view()) + " is not an int32");
      return false;
    }
    out.npu = n.wide(attr::npu).value_or(0);
    out.tb = *n.get(attr::tb_id);
    out.position = *n.get(attr::local_time_step);
    out.depid = n.get(attr::depid).value_or(-1);
    out.deps = n.get(attr::deps).value_or(-1);
    const std::int32_t publishes = n.get(attr::hasdep).value_or(0);
    out.hasdep = publishes != 0;
    out.scheduled = n.has(attr::ten_link);
    out.has_turns = n.has(attr::link_seq);
    out.first = out.last = i;
    for (const auto& [field, list] :
         {std::pair{attr::nop_depids, &out.nop_depids}, std::pair{attr::nop_steps, &out.nop_steps}}) {
      const Attr* const a = n.attr(field);
      if (a != nullptr && a->kind == Kind::int32_list) *list = table_.list(*a);
    }
    if (out.nop_depids.size() != out.nop_steps.size()) {
      error(i, "nop_depids and nop_steps differ in length");
      return false;
    }
    if (publishes != 0 && publishes != 1) error(i, "hasdep is " + std::to_string(publishes) + ", expected 0 or 1");
    if ((out.depid < 0) != (out.deps < 0) || out.depid < -1 || out.deps < -1) {
      error(i, "depid is " + std::to_string(out.depid) + " and deps is " + std::to_string(out.deps) +
                   ", expected both from 0, or both -1");
      out.depid = out.deps = -1;
    }
    if (out.tb < 0 || out.position < 0) {
      error(i, std::string(out.tb < 0 ? "tb_id" : "local_time_step") + " is negative");
      return false;
    }
    return true;
  }

  // Checks a node against its threadblock in the metadata.
  void check_threadblock(std::uint32_t i, const ProvenanceNode& n, const StepAt& s) {
    if (!tbs_known_) return;
    const auto tb = static_cast<std::size_t>(s.tb);
    if (tb >= peers_[0].size()) {
      return error(i, "tb_id is " + std::to_string(s.tb) + ", but the metadata has " +
                          std::to_string(peers_[0].size()) + " threadblocks (msccl.tb_send)");
    }
    const NodeType type = table_.nodes[i].type;
    if (type == NodeType::comp) return;
    const auto attrs = table_.attributes(table_.nodes[i]);
    const bool sends = type == NodeType::comm_send;
    const IntValue tag = int_value(attrs, attr::comm_tag);
    if (!n.has(attr::ten_link) && tag && tb < channels_.size() && tag.value != channels_[tb]) {
      error(i, "comm_tag is " + std::to_string(tag.value) + ", but threadblock " + std::to_string(s.tb) +
                   " is on channel " + std::to_string(channels_[tb]));
    }
    // The ranks of a subset may be renumbered.
    const IntValue peer = int_value(attrs, sends ? attr::comm_dst : attr::comm_src);
    const std::vector<std::int32_t>& peers = peers_[sends ? 0 : 1];
    if (peer && tb < peers.size() && peer.value != peers[tb]) {
      error_if_whole(i, std::string(sends ? "sends to" : "receives from") + " rank " + std::to_string(peer.value) +
                            ", but threadblock " + std::to_string(s.tb) + (sends ? " sends to" : " receives from") +
                            (peers[tb] < 0 ? " no rank" : " rank " + std::to_string(peers[tb])));
    }
  }

  // Groups the nodes of each step.
  void group() {
    const auto key = [this](const Entry& e) {
      return std::tuple(e.step.npu, e.step.tb, e.step.position, stage(table_.nodes[e.node].type), e.node);
    };
    const auto before = [&](const Entry& a, const Entry& b) { return key(a) < key(b); };
    if (!std::ranges::is_sorted(entries_, before)) std::ranges::sort(entries_, before);
    for (const Entry& e : entries_) {
      const bool joins =
          !steps_.empty() && same_tb(steps_.back(), e.step) && steps_.back().position == e.step.position;
      if (joins) {
        join(e, steps_.back());
      } else {
        steps_.push_back(e.step);
      }
      step_of_[e.node] = static_cast<std::uint32_t>(steps_.size() - 1);
    }
    entries_ = {};
  }

  void join(const Entry& e, StepAt& into) {
    if (table_.nodes[into.last].type == table_.nodes[e.node].type) {
      return error(e.node, text(into) + " already has " + text(into.last) + " of the same type");
    }
    if (!depends(e.node, into.last))
      error(e.node, "belongs to " + text(into) + ", but does not depend on its " + text(into.last));
    if (std::tie(e.step.depid, e.step.deps, e.step.hasdep) != std::tie(into.depid, into.deps, into.hasdep))
      error(e.node, "depid, deps or hasdep differ from " + text(into.last) + ", which belongs to the same step");
    into.last = e.node;
  }

  // Checks that positions are consecutive, counting the nops recorded between them.
  void check_position(const StepAt& s, const StepAt* before) {
    if (!written_by_us(s)) return;
    const auto wanted = static_cast<std::int64_t>(before == nullptr ? 0 : before->position + std::int64_t{1}) +
                        static_cast<std::int64_t>(s.nop_depids.size());
    if (s.position == wanted) return;
    error(s.position < wanted, s.first,
          "local_time_step is " + std::to_string(s.position) + ", but " + std::to_string(wanted) +
              " is the next position of threadblock " + std::to_string(s.tb));
  }

  // Checks that no step depends on a later one of its threadblock.
  void check_order(const StepAt& s) {
    for (const Edge& e : graph_.parents(s.first)) {
      const std::uint32_t k = step_of_[e.node];
      if (k == no_index || !same_tb(steps_[k], s) || steps_[k].position <= s.position) continue;
      error(s.first, "is " + text(s) + ", but depends on " + text(e.node) + ", which is " + text(steps_[k]));
    }
  }

  void check_dependencies(const StepAt& s, const StepAt* before) {
    std::vector<std::uint32_t> known;  // nodes on which the step depends by its attributes
    const auto nops = static_cast<std::int64_t>(s.nop_depids.size());
    const bool next = before != nullptr && before->position + std::int64_t{1} + nops == s.position;
    const bool sends = table_.nodes[s.last].type == NodeType::comm_send;
    if (next && (!s.scheduled || sends) && !s.has_turns && !depends(s.first, before->last)) {
      error(s.first, "is " + text(s) + ", but does not depend on " + text(before->last) + ", the previous step");
    }
    for (std::size_t k = 0; k < s.nop_depids.size(); ++k) {
      check_dependency(s, static_cast<std::int32_t>(s.nop_depids[k]), static_cast<std::int32_t>(s.nop_steps[k]),
                       known);
    }
    check_dependency(s, s.depid, s.deps, known);
    if (written_by_us(s)) check_parents(s, known);
  }

  void check_dependency(const StepAt& s, std::int32_t on_tb, std::int32_t on_step,
                        std::vector<std::uint32_t>& known);

  // Reports dependencies of a step that its attributes do not name.
  void check_parents(const StepAt& s, const std::vector<std::uint32_t>& known) {
    const auto check = [&](std::uint32_t node) {
      for (const Edge& e : graph_.parents(node)) {
        const std::uint32_t k = step_of_[e.node];
        if (k == no_index || same_tb(steps_[k], s) || std::ranges::find(known, e.node) != known.end()) continue;
        error_if_whole(
            node, "depends on " + text(e.node) + " (" + text(steps_[k]) + "), which depid and deps do not state");
      }
    };
    check(s.first);
    if (s.last != s.first) check(s.last);
  }

  [[nodiscard]] static bool same_tb(const StepAt& a, const StepAt& b) { return a.npu == b.npu && a.tb == b.tb; }
  [[nodiscard]] bool written_by_us(const StepAt& s) const {
    return find(table_.attributes(table_.nodes[s.first]), attr::step_type) != nullptr;
  }

  // Returns whether a node depends on `on`, directly or through a reduction without provenance.
  [[nodiscard]] bool depends(std::uint32_t node, std::uint32_t on) const {
    return std::ranges::any_of(graph_.parents(node), [&](const Edge& e) {
      if (e.node == on) return true;
      if (step_of_[e.node] != no_index || table_.nodes[e.node].type != NodeType::comp) return false;
      const auto parents = graph_.parents(e.node);
      return parents.size() == 1 && parents[0].node == on;
    });
  }

  [[nodiscard]] std::string text(std::uint32_t node) const { return node_text(table_.nodes[node].id); }
  [[nodiscard]] static std::string text(const StepAt& s) {
    return "step " + std::to_string(s.position) + " of threadblock " + std::to_string(s.tb);
  }
  void error(std::uint32_t node, const std::string& what) {
    diagnostics_.error(location_of(trace_, node), "provenance", text(node) + ": " + what);
  }
  // Reports an error that counts only if no nodes were removed from the trace.
  void error_if_whole(std::uint32_t node, const std::string& what) {
    if (facts_.if_whole.size() < most_if_whole)
      facts_.if_whole.push_back(
          {Severity::error, location_of(trace_, node), "provenance", text(node) + ": " + what, {}});
  }
  void error(bool sure, std::uint32_t node, const std::string& what) {
    sure ? error(node, what) : error_if_whole(node, what);
  }

  const Trace& trace_;
  const NodeTable& table_;
  const Graph& graph_;
  Diagnostics& diagnostics_;
  ProvenanceFacts& facts_;
  std::array<std::vector<std::int32_t>, 2> peers_;  // by threadblock: of sends, of receives
  std::vector<std::int32_t> channels_;
  bool tbs_known_ = false;
  std::vector<Entry> entries_;
  std::vector<StepAt> steps_;           // by threadblock and position
  std::vector<std::uint32_t> step_of_;  // by node
};

// Checks that a step depends on the step named by its dependency: on its end if it publishes its completion, else
// on the end of the next publishing step of the same threadblock.
void StepChecker::check_dependency(const StepAt& s, std::int32_t on_tb, std::int32_t on_step,
                                   std::vector<std::uint32_t>& known) {
  if (on_tb < 0) return;
  const std::string named = "step " + std::to_string(on_step) + " of threadblock " + std::to_string(on_tb);
  if (on_tb == s.tb) {
    if (on_step >= s.position)
      error(s.first, "is " + text(s) + ", but depid and deps name the same or a later step, " + named);
    if (!s.scheduled) return;
  }
  const auto at = std::partition_point(steps_.begin(), steps_.end(), [&](const StepAt& o) {
    return std::tuple(o.npu, o.tb, o.position) < std::tuple(s.npu, on_tb, on_step);
  });
  const auto in_tb = [&](auto it) { return it != steps_.end() && it->npu == s.npu && it->tb == on_tb; };
  const bool ours = written_by_us(s);
  auto effective = at;
  while (ours && in_tb(effective) && !effective->hasdep) ++effective;
  if (!in_tb(effective)) {
    if (ours) {
      error_if_whole(s.first, "depid and deps name " + named +
                                  (in_tb(at) ? ", but neither it nor a later step there has hasdep"
                                             : ", which does not exist"));
    }
    return;
  }
  if (!ours && effective->position != on_step) return;  // a nop, or a removed step
  known.push_back(effective->last);
  if (depends(s.first, effective->last)) return;
  const auto published = std::find_if(at, steps_.end(), [](const StepAt& o) { return o.hasdep; });
  if (!ours && in_tb(published) && depends(s.first, published->last)) return;
  error(at->position == on_step && effective->position - on_step == effective - at, s.first,
        "depid and deps name " + named + ", but it does not depend on " + text(effective->last) +
            (effective->position == on_step ? "" : ", the next step there with hasdep"));
}

}  // namespace
}  // namespace convert::rules

namespace convert {

std::span<const Name> provenance_attributes() { return rules::ProvenanceNode::names; }

ProvenanceFacts check_provenance(const Trace& trace, const Graph& graph, Diagnostics& diagnostics) {
  ProvenanceFacts facts{.rank = trace.rank};
  facts.counters = check_chunk_counters(trace, diagnostics);
  if (facts.counters.total != 0) facts.where = location_of(trace, facts.counters.node);
  facts.ranks = int32_value(std::span<const Attr>(trace.metadata.table.attrs), msccl::ngpus).value_or(0);
  rules::StepChecker(trace, graph, diagnostics, facts).run();
  return facts;
}

void check_provenance(std::span<const ProvenanceFacts> facts, std::span<const TraceSummary> set,
                      Diagnostics& diagnostics) {
  for (std::size_t r = 0; r < facts.size(); ++r) {
    const ProvenanceFacts& own = facts[r];
    if (own.ranks == static_cast<std::int64_t>(facts.size())) {
      for (const Diagnostic& d : own.if_whole) diagnostics.add(d);
    }
    if (own.counters.total == 0) continue;
    for (const Message& m : set[r].messages.recvs) {
      if (m.peer < 0 || static_cast<std::size_t>(m.peer) >= facts.size()) continue;
      const ChunkCounters& other = facts[static_cast<std::size_t>(m.peer)].counters;
      if (other.total == 0) continue;
      const std::string peer = "rank " + std::to_string(m.peer) + ", from which it receives";
      const bool counts = other.total == own.counters.total;
      const WholeBytes& a = own.counters.whole;
      const WholeBytes& b = other.whole;
      if (counts && std::max(a.least, b.least) <= std::min(a.most, b.most)) continue;
      diagnostics.error(
          own.where, "provenance",
          counts ? "the sizes of its messages and of the messages of " + peer + ", cannot be chunks of one buffer"
                 : "total_chunk_cnt is " + std::to_string(own.counters.total) + ", but " +
                       std::to_string(other.total) + " on " + peer);
      break;
    }
  }
}

}  // namespace convert
