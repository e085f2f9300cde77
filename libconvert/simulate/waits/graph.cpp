// SPDX-License-Identifier: MIT
#include "simulate/waits/graph.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include "simulate/program/send_ways.h"

namespace convert {
namespace {

constexpr std::size_t max_member_edges = 10'000'000;

bool by_run(const UnendedCollectives::Part& a, const UnendedCollectives::Part& b) {
  return std::tie(a.run, a.npu, a.op) < std::tie(b.run, b.npu, b.op);
}

}  // namespace

WaitGraph::WaitGraph(const ReplayRemains& remains)
    : remains_(remains),
      program_(remains.program),
      unended_(remains.system.unended()),
      ranks_(static_cast<std::uint32_t>(program_.ranks.size())),
      parts_by_run_(unended_.parts) {
  std::sort(parts_by_run_.begin(), parts_by_run_.end(), by_run);
  collect_parts();
  mark_started();
  number_nodes();
  unclaimed_.resize(program_.channels.size() + run_channels_.size());
  list_calls();
  add_dependencies();
  add_messages(posted_, OpType::send);
  add_messages(asked_, OpType::recv);
  add_slots();
  add_turns();
  add_collectives();
  arrange_edges();
}

bool WaitGraph::all_called(std::uint32_t run) const {
  const CollectiveRun& r = remains_.system.runs()[run];
  return r.called == program_.groups[program_.plans[r.plan].call.group].size(program_.model);
}

void WaitGraph::collect_parts() {
  std::size_t first = 0;
  for (Rank r = 0; r < ranks_; ++r) {
    parts_.push_back({program_.ranks[r].code.get(), remains_.feeders[r], r, first, 0, 0});
    first += remains_.feeders[r]->size();
  }
  const auto& runs = remains_.system.custom_runs().runs();
  part_of_custom_run_.assign(runs.size(), no_index);
  for (const UnendedCollectives::Custom& c : unended_.customs) {
    const auto part =
        std::lower_bound(unended_.parts.begin(), unended_.parts.end(), UnendedCollectives::Part{c.npu, c.op, 0});
    if (!all_called(part->run)) continue;  // it waits for ranks, independent of its nodes
    part_of_custom_run_[c.custom_run] = static_cast<std::uint32_t>(parts_.size());
    const CustomState::Run& run = runs[c.custom_run];
    parts_.push_back({run.code, &run.feeder, c.npu, first, c.op, run.collective});
    first += run.feeder.size();
  }
  numbers_.assign(first, no_index);
}

// Returns the channel of a message of a trace or a custom algorithm.
std::uint32_t WaitGraph::channel_of(const ChannelKey& key) {
  return static_cast<std::uint32_t>(program_.channels.size()) + run_channel_index_.find_or_add(run_channels_, key);
}

void WaitGraph::mark_started() {
  const auto fixed = static_cast<std::uint32_t>(program_.channels.size());
  const auto of_custom_run = [this](const ChannelKey& key) {
    return key.run != 0 && !key.control &&
           program_.plans[remains_.system.runs()[key.run - 1].plan].call.custom != 0;
  };
  for (const Channels::Left& l : remains_.messages.left()) {
    const ChannelKey& key = *l.key;
    if (l.channel >= fixed && !of_custom_run(key)) continue;
    const std::uint32_t channel = l.channel < fixed ? l.channel : channel_of(key);
    std::size_t number = 0;
    if (l.waiter.kind() == Waiter::nobody) {
      if (unclaimed_.size() <= channel) unclaimed_.resize(channel + 1);
      ++unclaimed_[channel];
      continue;
    }
    if (l.waiter.kind() == Waiter::op) {
      number = parts_[l.send ? key.src : key.dst].first + l.waiter.index();
    } else if (l.waiter.kind() == Waiter::custom_op) {
      const CustomState::Pending& p = remains_.system.custom_runs().pending(l.waiter.index());
      if (part_of_custom_run_[p.run] == no_index) continue;
      number = parts_[part_of_custom_run_[p.run]].first + p.node;
    } else {
      continue;
    }
    numbers_[number] = static_cast<std::uint32_t>(l.send ? Kind::send : Kind::receive);
    (l.send ? asked_ : posted_).push_back({channel, number});
  }
  const auto by_channel = [](const Message& a, const Message& b) { return a.channel < b.channel; };
  std::stable_sort(posted_.begin(), posted_.end(), by_channel);
  std::stable_sort(asked_.begin(), asked_.end(), by_channel);
  const auto mark = [this](Rank rank, std::uint32_t op, Kind kind) {
    numbers_[parts_[rank].first + op] = static_cast<std::uint32_t>(kind);
  };
  mark_held();
  for (const UnendedCollectives::Part& p : unended_.parts) mark(p.npu, p.op, Kind::collective);
  for (const RefusedCall& r : remains_.refused) mark(r.npu, r.op, Kind::refused);
  for (Rank r = 0; r < ranks_; ++r) {
    for (const std::uint32_t node : remains_.feeders[r]->free_list()) mark(r, node, Kind::slot);
  }
}

void WaitGraph::number_nodes() {
  for (std::uint32_t p = 0; p < parts_.size(); ++p) {
    const Part& part = parts_[p];
    for (std::uint32_t node = 0; node < part.feeder->size(); ++node) {
      std::uint32_t& number = numbers_[part.first + node];
      if (number == no_index) {
        if (part.feeder->waits_for(node) == 0) continue;
        number = static_cast<std::uint32_t>(Kind::dependency);
      }
      const Op o = p < ranks_ ? program_.op({part.rank, node}) : part.code->ops[node];
      std::uint32_t index = o.channel;
      if (part.collective != 0 && (o.type == OpType::send || o.type == OpType::recv)) {
        ChannelKey key = program_.channels[o.channel];
        key.run = part.collective;
        index = channel_of(key);
      }
      nodes_.push_back({p, node, static_cast<Kind>(number), index});
      number = static_cast<std::uint32_t>(nodes_.size() - 1);
    }
  }
  const auto set_run = [this](Rank rank, std::uint32_t op, std::uint32_t run) {
    nodes_[number(rank, op)].index = static_cast<std::uint32_t>(runs_of_nodes_.size());
    runs_of_nodes_.push_back(run);
  };
  for (const UnendedCollectives::Part& p : unended_.parts) set_run(p.npu, p.op, p.run);
  for (const RefusedCall& r : remains_.refused) {
    set_run(r.npu, r.op, r.run);
    refused_.push_back({r.npu, r.run, number(r.npu, r.op)});
  }
  std::sort(refused_.begin(), refused_.end());
}

void WaitGraph::list_calls() {
  for (std::uint32_t v = 0; v < size(); ++v) {
    if (started(v) || op(v).type != OpType::collective) continue;
    calls_by_plan_.push_back({rank(v), op(v).channel, v});
    calls_by_group_.push_back({rank(v), program_.plans[op(v).channel].call.group, v});
  }
  std::sort(calls_by_plan_.begin(), calls_by_plan_.end());
  std::sort(calls_by_group_.begin(), calls_by_group_.end());
}

void WaitGraph::add_dependencies() {
  for (std::uint32_t v = 0; v < size(); ++v) {
    const Part& part = parts_[nodes_[v].part];
    for (const std::uint32_t child : part.feeder->children(nodes_[v].node)) {
      edges_.emplace_back(numbers_[part.first + child], v);
    }
  }
}

// The k-th waiting message of a channel matches the k-th of its partners that have not started.
void WaitGraph::add_messages(const std::vector<Message>& waiting, OpType partner) {
  if (waiting.empty()) return;
  std::vector<Edge> partners;
  for (std::uint32_t v = 0; v < size(); ++v) {
    if ((!started(v) || kind(v) == Kind::turn) && op(v).type == partner) partners.emplace_back(channel(v), v);
  }
  std::sort(partners.begin(), partners.end());
  auto next = partners.begin();
  for (const Message& m : waiting) {
    while (next != partners.end() && next->first < m.channel) ++next;
    if (next == partners.end() || next->first != m.channel) continue;
    edges_.emplace_back(numbers_[m.number], next->second);
    ++next;
  }
}

// Returns the number of a send among the nodes of all parts; no_index if the send belongs to no part.
std::size_t WaitGraph::number_of(const HeldSend& held) const {
  if (held.sent.kind() == Waiter::op) return parts_[held.npu].first + held.sent.index();
  if (held.sent.kind() != Waiter::custom_op) return no_index;
  const CustomState::Pending& p = remains_.system.custom_runs().pending(held.sent.index());
  if (part_of_custom_run_[p.run] == no_index) return no_index;
  return parts_[part_of_custom_run_[p.run]].first + p.node;
}

void WaitGraph::mark_held() {
  for (const HeldSend& h : remains_.held) {
    if (const std::size_t number = number_of(h); number != no_index)
      numbers_[number] = static_cast<std::uint32_t>(Kind::turn);
  }
}

const HeldMessage& WaitGraph::held(std::uint32_t v) const {
  const auto at = std::ranges::find_if(remains_.held, [&](const HeldSend& h) {
    const std::size_t number = number_of(h);
    return number != no_index && numbers_[number] == v;
  });
  return at->message;
}

// A send that waits for its turn on a link waits for the node that the link expects next. The expected node has not
// sent yet, or waits elsewhere.
void WaitGraph::add_turns() {
  if (remains_.held.empty()) return;
  using Turn = std::tuple<std::uint32_t, Device, Device, std::uint32_t>;  // run, link, number
  std::map<Turn, std::uint32_t> nodes;
  for (const Part& part : parts_) {
    const bool inside = part.code != program_.ranks[part.rank].code.get();
    const auto& ways = inside ? part.code->way_of : program_.ranks[part.rank].way_of;
    if (ways == nullptr) continue;
    for (std::uint32_t node = 0; node < part.feeder->size(); ++node) {
      const std::uint32_t v = numbers_[part.first + node];
      if (v == no_index) continue;
      const ScheduledWay& way = (*ways)[node];
      const std::uint32_t run = inside ? TurnTable::custom_run(part.collective) : way.run;
      Device at = part.rank;
      for (std::uint32_t t = way.turns.begin; t < way.turns.begin + way.turns.count; ++t) {
        const LinkTurn& turn = program_.turns[t];
        nodes[{run, at, turn.to, turn.number}] = v;
        at = turn.to;
      }
    }
  }
  for (const HeldSend& h : remains_.held) {
    const HeldMessage& m = h.message;
    const std::size_t number = number_of(h);
    const auto next = nodes.find({m.run, m.from, m.to, m.next});
    if (number != no_index && next != nodes.end()) edges_.emplace_back(numbers_[number], next->second);
  }
}

void WaitGraph::add_slots() {
  constexpr std::size_t slots = 4;
  std::array<std::uint32_t, slots> holder{};
  for (std::uint32_t begin = 0, end = 0; begin < size() && !inner(begin); begin = end) {
    holder.fill(no_index);
    for (end = begin; end < size() && nodes_[end].part == nodes_[begin].part; ++end) {
      if (started(end) && kind(end) != Kind::receive) holder[static_cast<std::size_t>(op(end).slot)] = end;
    }
    for (std::uint32_t v = begin; v < end; ++v) {
      const std::uint32_t h = holder[static_cast<std::size_t>(op(v).slot)];
      if (kind(v) == Kind::slot && h != no_index) edges_.emplace_back(v, h);
    }
  }
}

void WaitGraph::add_collectives() {
  for (std::size_t i = 0; i < parts_by_run_.size(); ++i) {
    const std::uint32_t run = parts_by_run_[i].run;
    if (i == 0 || run != parts_by_run_[i - 1].run) callers_.push_back({.run = run});
  }
  for (const UnendedCollectives::Part& p : unended_.parts) {
    if (!all_called(p.run)) edges_.emplace_back(number(p.npu, p.op), vertex_of_run(p.run));
  }
  for (std::uint32_t i = 0; i < callers_.size(); ++i) {
    if (!all_called(callers_[i].run)) add_missing(size() + i, callers_[i].run);
  }
  for (std::uint32_t v = 0; v < size(); ++v) {
    if (inner(v) && started(v)) edges_.emplace_back(number(rank(v), parts_[nodes_[v].part].call), v);
  }
  for (const Call& r : refused_) {
    if (const std::uint32_t v = first_waiting(r.what); v != size()) edges_.emplace_back(r.node, v);
  }
}

void WaitGraph::add_missing(std::uint32_t vertex, std::uint32_t run) {
  const CollectiveRun& r = remains_.system.runs()[run];
  const std::uint32_t group = program_.plans[r.plan].call.group;
  const SystemGroup& members = program_.groups[group];
  Callers& callers = callers_[vertex - size()];
  for (std::uint32_t place = 0; place < members.size(program_.model); ++place) {
    // By ascending rank.
    const Rank rank = members.places.empty() ? place : members.places[place].first;
    if (remains_.system.has_called(group, rank, r.number)) continue;
    const std::uint32_t later = later_call(rank, r.plan);
    if (callers.missing++ == 0) callers.next_call = later;
    if (later == size() && callers.no_such_call++ == 0) callers.first_no_such_call = rank;
    std::uint32_t call = find_call(refused_, rank, run);
    if (call == size()) call = later;
    if (call == size()) call = find_call(calls_by_group_, rank, group);
    if (call == size()) {
      if (callers.no_call_left++ == 0) callers.first_no_call_left = rank;
    } else if (edges_.size() < max_member_edges || callers.missing == 1) {
      edges_.emplace_back(vertex, call);
    }
  }
}

void WaitGraph::arrange_edges() {
  std::sort(edges_.begin(), edges_.end());
  begin_.assign(size() + callers_.size() + 1, 0);
  targets_.reserve(edges_.size());
  for (const auto& [from, to] : edges_) {
    ++begin_[from + 1];
    targets_.push_back(to);
  }
  for (std::size_t v = 0; v + 1 < begin_.size(); ++v) begin_[v + 1] += begin_[v];
  edges_ = {};
}

NodeRef WaitGraph::ref(std::uint32_t v) const {
  const Part& part = parts_[nodes_[v].part];
  const NodeId id = part.code->id(nodes_[v].node);
  if (!inner(v)) return {part.rank, id};
  return {part.rank, program_.ranks[part.rank].code->id(part.call), id};
}

std::optional<NodeRef> WaitGraph::last_inside(std::uint32_t v, std::uint32_t channel, bool send) const {
  const Part& part = parts_[nodes_[v].part];
  const CollectiveCall& call = program_.plans[program_.op({part.rank, part.call}).channel].call;
  ChannelKey wanted = key(channel);
  if (wanted.run != part.collective) return std::nullopt;
  wanted.run = 0;
  const Rank rank = send ? wanted.src : wanted.dst;
  const std::uint32_t place = program_.groups[call.group].place(rank);
  const CustomAlgorithm& algorithm = program_.customs[call.custom - 1];
  if (place >= algorithm.places.size()) return std::nullopt;
  const RankCode& code = *algorithm.places[place];
  for (auto node = static_cast<std::uint32_t>(code.ops.size()); node-- > 0;) {
    const Op& o = code.ops[node];
    if (o.type == (send ? OpType::send : OpType::recv) && program_.channels[o.channel] == wanted)
      return NodeRef{.rank = rank, .node = 0, .inner = code.id(node)};
  }
  return std::nullopt;
}

std::uint32_t WaitGraph::vertex_of_run(std::uint32_t run) const {
  const auto at = std::lower_bound(callers_.begin(), callers_.end(), run,
                                   [](const Callers& c, std::uint32_t wanted) { return c.run < wanted; });
  return size() + static_cast<std::uint32_t>(at - callers_.begin());
}

std::uint32_t WaitGraph::first_waiting(std::uint32_t run) const {
  const auto p =
      std::lower_bound(parts_by_run_.begin(), parts_by_run_.end(), UnendedCollectives::Part{0, 0, run}, by_run);
  return p == parts_by_run_.end() || p->run != run ? size() : number(p->npu, p->op);
}

std::uint32_t WaitGraph::find_call(const std::vector<Call>& calls, Rank rank, std::uint32_t what) const {
  const auto at = std::lower_bound(calls.begin(), calls.end(), Call{rank, what, 0});
  return at != calls.end() && at->rank == rank && at->what == what ? at->node : size();
}

std::uint32_t WaitGraph::later_call(Rank rank, std::uint32_t plan) const {
  return find_call(calls_by_plan_, rank, plan);
}

std::span<const UnendedCollectives::Part> WaitGraph::calls_of(Rank rank) const {
  const auto begin =
      std::lower_bound(unended_.parts.begin(), unended_.parts.end(), UnendedCollectives::Part{rank, 0, 0});
  auto end = begin;
  while (end != unended_.parts.end() && end->npu == rank) ++end;
  return {begin, end};
}

}  // namespace convert
