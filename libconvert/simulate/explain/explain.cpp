// SPDX-License-Identifier: MIT
#include "simulate/explain/explain.h"

#include <algorithm>
#include <unordered_set>

#include "simulate/system/state.h"

namespace convert {
namespace {

using Detail = Causes::Detail;
using CauseKind = Causes::Kind;
using ChainStep = Explanation::Step;
using Then = Explanation::Then;
using What = Explanation::What;

bool travels(const Detail& d) { return d.kind == CauseKind::message || d.kind == CauseKind::hop; }

// Returns whether two details belong to one step: a message and its hops, or all details of a collective.
bool together(const Detail& a, const Detail& b) {
  if (a.actor.run != 0 || b.actor.run != 0) return a.actor.run == b.actor.run && a.group == b.group;
  return travels(a) && travels(b) && a.actor == b.actor;
}

class Explainer {
 public:
  explicit Explainer(const ExplainSources& sources) : s_(sources) {}

  Explanation run() {
    Explanation e;
    e.at = s_.at;
    if (s_.target) {
      e.target = node(s_.target->actor);
      e.name = node_name(s_.target->actor);
    }
    for (std::size_t i = 0; i < s_.chain.size();) {
      std::size_t end = i + 1;
      while (end < s_.chain.size() && together(s_.chain[i], s_.chain[end])) ++end;
      e.steps.push_back(step(i, end));
      i = end;
    }
    std::reverse(e.steps.begin(), e.steps.end());
    return e;
  }

 private:
  [[nodiscard]] NodeRef node(Rank npu, std::uint32_t op) const {
    return {.rank = npu, .node = s_.program.ranks[npu].code->id(op)};
  }
  [[nodiscard]] NodeRef node(const Actor& a) const { return node(a.npu, a.op); }
  [[nodiscard]] std::string node_name(const Actor& a) const {
    return std::string(s_.program.ranks[a.npu].code->node_name(a.op));
  }
  [[nodiscard]] const Op& op(Rank npu, std::uint32_t op) const { return s_.program.ranks[npu].code->ops[op]; }
  [[nodiscard]] Picoseconds begin(std::size_t i) const { return i < s_.chain.size() ? s_.chain[i].begin : s_.at; }

  // Returns the step of the details [first, end).
  [[nodiscard]] ChainStep step(std::size_t first, std::size_t end) const {
    const Detail& last = s_.chain[end - 1];
    ChainStep to;
    to.node = node(last.actor);
    to.name = node_name(last.actor);
    to.begin = begin(first);
    to.time = begin(end) - to.begin;
    to.what = what(last);
    for (std::size_t i = first; i < end; ++i) {
      const Detail& d = s_.chain[i];
      if (!travels(d)) continue;
      to.message_time += begin(i + 1) - d.begin;
      const bool queued = d.kind == CauseKind::hop && d.came < d.begin;
      to.queued += queued ? 1 : 0;
      if (d.kind == CauseKind::message || queued) ++to.messages;
    }
    if (to.what == What::message || to.what == What::request) {
      to.to = s_.program.ranks[last.actor.npu].peers[op(last.actor.npu, last.actor.op).channel];
      to.bytes = last.bytes;
      to.waited = s_.chain[first].kind == CauseKind::hop ? s_.chain[first].begin - s_.chain[first].came : 0;
      if (end - first == 1 && last.kind == CauseKind::hop && last.wire != Causes::none)
        to.wire = s_.network.wire_name(last.wire);
    } else if (to.what == What::collective) {
      const CollectiveRun& run = s_.system.runs()[last.actor.run - 1];
      const CollectiveCall& call = s_.program.plans[run.plan].call;
      to.op = call.op;
      to.bytes = call.bytes;
      to.group = s_.program.groups[last.group == Causes::none ? call.group : last.group].id;
      to.number = run.number;
    }
    relate(last, end < s_.chain.size() ? std::optional(s_.chain[end]) : s_.target, to);
    return to;
  }

  [[nodiscard]] What what(const Detail& d) const {
    if (d.actor.run != 0) return What::collective;
    const Op& o = op(d.actor.npu, d.actor.op);
    if (d.kind == CauseKind::receive) return o.type == OpType::send ? What::requested : What::receive;
    if (travels(d)) return o.type == OpType::recv ? What::request : What::message;
    if (o.slot == Slot::cpu) return What::cpu;
    if (o.type == OpType::memory) return What::memory;
    return o.slot == Slot::compute ? What::compute : What::replayed;
  }

  // Sets how the end of `c` led to the beginning of `d`.
  void relate(const Detail& c, const std::optional<Detail>& d, ChainStep& to) const {
    to.then = Then::end;
    if (!d) return;
    to.next = node(d->actor);
    const Rank npu = d->actor.npu;
    if (d->starts && d->ended == Causes::none) {
      to.then = Then::offer;
    } else if (d->starts) {
      if (npu != c.actor.npu || d->ended != c.actor.op) to.through = node(npu, d->ended);
      to.then = freed(npu, d->ended, d->actor.op, to);
    } else if (d->kind == CauseKind::hop && c.kind == CauseKind::hop) {
      to.then = Then::wire;
    } else if (what(*d) == What::memory && what(c) == What::memory) {
      to.then = Then::memory;
    } else if (d->actor.run != 0 && c.actor.run != 0 && npu == c.actor.npu) {
      to.then = Then::chunk;
    } else {
      to.then = Then::go_on;
    }
  }

  [[nodiscard]] Then freed(Rank npu, std::uint32_t ended, std::uint32_t next, ChainStep& to) const {
    const Feeder& feeder = s_.program.ranks[npu].code->feeder;
    const std::span<const std::uint32_t> children = feeder.children(ended);
    if (std::find(children.begin(), children.end(), next) != children.end()) return Then::dependency;
    if (leads_through_invalid(npu, ended, next)) return Then::indirect;
    to.slot = op(npu, ended).slot;
    const ReplayOptions& options = s_.program.options;
    const bool limited = options.issue == IssueMode::workload && to.slot != Slot::recv &&
                         (to.slot != Slot::communication || s_.program.rules.one_communication_at_a_time());
    return limited && to.slot == op(npu, next).slot ? Then::resource : Then::offer;
  }

  // Returns whether `to` depends on `from` only through INVALID nodes.
  [[nodiscard]] bool leads_through_invalid(Rank npu, std::uint32_t from, std::uint32_t to) const {
    std::vector<std::uint32_t> open{from};
    std::unordered_set<std::uint32_t> seen;
    while (!open.empty()) {
      const std::uint32_t node = open.back();
      open.pop_back();
      for (const std::uint32_t child : s_.program.ranks[npu].code->feeder.children(node)) {
        if (child == to) return true;
        if (op(npu, child).type == OpType::invalid && seen.insert(child).second) open.push_back(child);
      }
    }
    return false;
  }

  const ExplainSources& s_;
};

}  // namespace

std::string_view name(Explanation::What what) {
  switch (what) {
    case What::compute: return "compute";
    case What::cpu: return "cpu";
    case What::memory: return "memory";
    case What::replayed: return "replayed";
    case What::message: return "message";
    case What::receive: return "receive";
    case What::request: return "request";
    case What::requested: return "requested";
    case What::collective: return "collective";
    case What::delay: return "delay";
  }
  return "";
}

std::string_view name(Explanation::Then then) {
  switch (then) {
    case Then::dependency: return "dependency";
    case Then::resource: return "resource";
    case Then::indirect: return "indirect";
    case Then::offer: return "offer";
    case Then::wire: return "link";
    case Then::memory: return "memory";
    case Then::chunk: return "chunk";
    case Then::go_on: return "go_on";
    case Then::begin: return "begin";
    case Then::end: return "end";
  }
  return "";
}

Explanation explain(const ExplainSources& sources) { return Explainer(sources).run(); }

}  // namespace convert
