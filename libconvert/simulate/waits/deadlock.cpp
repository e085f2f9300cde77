// SPDX-License-Identifier: MIT
#include "simulate/waits/deadlock.h"

#include <algorithm>
#include <bit>
#include <ranges>
#include <tuple>
#include <utility>

#include "core/units.h"
#include "simulate/waits/graph.h"

namespace convert {
namespace {

using ChannelOp = std::pair<std::uint32_t, std::uint32_t>;
using For = WaitingNode::For;
using WaitKind = WaitGraph::Kind;

// Messages without a partner, indexed for near misses.
class Lonely {
 public:
  void add(const ChannelKey& key) {
    by_tag_.emplace_back(pair_of(key), key.tag, key.bytes);
    by_bytes_.emplace_back(pair_of(key), key.bytes, key.tag);
  }
  void sort() {
    std::sort(by_tag_.begin(), by_tag_.end());
    std::sort(by_bytes_.begin(), by_bytes_.end());
  }
  void set_near_miss(WaitingNode& w, const ChannelKey& key) const {
    const auto size = std::lower_bound(by_tag_.begin(), by_tag_.end(), Entry{pair_of(key), key.tag, 0});
    if (size != by_tag_.end() && same_start(*size, {pair_of(key), key.tag, 0})) {
      w.other_bytes = std::get<2>(*size);
      return;
    }
    const Entry first{pair_of(key), key.bytes, INT64_MIN};
    const auto tag = std::lower_bound(by_bytes_.begin(), by_bytes_.end(), first);
    if (tag != by_bytes_.end() && same_start(*tag, first)) w.other_tag = std::get<2>(*tag);
  }

 private:
  using Pair = std::tuple<std::uint32_t, Rank, Rank>;  // run, source, destination
  using Entry = std::tuple<Pair, std::int64_t, std::int64_t>;
  static Pair pair_of(const ChannelKey& key) { return {key.run, key.src, key.dst}; }
  static bool same_start(const Entry& a, const Entry& b) {
    return std::get<0>(a) == std::get<0>(b) && std::get<1>(a) == std::get<1>(b);
  }
  std::vector<Entry> by_tag_;
  std::vector<Entry> by_bytes_;
};

class Reporter {
 public:
  explicit Reporter(const ReplayRemains& remains) : remains_(remains), program_(remains.program), graph_(remains) {}

  WaitReport run() {
    list_unmatched();
    list_lonely();
    report_.waiting_total = graph_.size();
    // By rank, started nodes first: the nodes of a rank are contiguous in the graph's numbers.
    for (std::uint32_t begin = 0, end = 0; begin < graph_.size(); begin = end) {
      while (end < graph_.size() && graph_.rank(end) == graph_.rank(begin) &&
             graph_.inner(end) == graph_.inner(begin))
        ++end;
      for (const bool started : {true, false}) {
        for (std::uint32_t v = begin; v < end && report_.waiting.size() < WaitReport::max_listed; ++v) {
          if (graph_.started(v) == started) report_.waiting.push_back(waiting(v));
        }
      }
      if (!graph_.inner(begin)) add_blocked(begin, end);
    }
    const auto cycles = separate_cycles(graph_, WaitReport::max_cycles);
    for (const std::vector<std::uint32_t>& cycle : cycles) {
      std::vector<NodeRef>& to = &cycle == &cycles.front() ? report_.cycle : report_.more_cycles.emplace_back();
      for (const std::uint32_t v : cycle) to.push_back(graph_.ref(v));
    }
    if (graph_.size() == 0) list_open_calls();
    const std::vector<std::uint32_t> shortest = cycles.empty() ? std::vector<std::uint32_t>() : cycles.front();
    report_.hints = graph_.size() == 0 ? find_hints(graph_, report_.unmatched) : find_hints(graph_, shortest);
    return std::move(report_);
  }

 private:
  // Adds the first blocked node of one rank.
  void add_blocked(std::uint32_t begin, std::uint32_t end) {
    ++report_.blocked_total;
    if (report_.blocked.size() == WaitReport::max_listed) return;
    std::uint32_t first = begin;
    while (first < end && !graph_.started(first)) ++first;
    report_.blocked.push_back(waiting(first < end ? first : begin));
  }

  // Messages match in order, so the unmatched messages are a channel's last sends.
  void list_unmatched() {
    std::vector<std::uint32_t> left = graph_.unclaimed();
    std::vector<ChannelOp> sends;
    for (Rank r = 0; r < program_.ranks.size(); ++r) {
      for (std::uint32_t node = 0; node < remains_.feeders[r]->size(); ++node) {
        const Op& o = program_.op({r, node});
        if (o.type == OpType::send && left[o.channel] != 0 && !graph_.has(r, node))
          sends.emplace_back(o.channel, program_.ranks[r].first_op + node);
      }
    }
    std::sort(sends.begin(), sends.end());
    std::vector<std::uint32_t> unmatched;
    for (const auto& [channel, op] : std::views::reverse(sends)) {
      if (left[channel] == 0) continue;
      --left[channel];
      unmatched.push_back(op);
    }
    std::sort(unmatched.begin(), unmatched.end());
    for (const std::uint32_t op : unmatched) {
      const LinkedProgram::Place at = program_.place(op);
      add_unmatched({at.rank, program_.ranks[at.rank].code->id(at.node)},
                    program_.channels[program_.op(at).channel], false);
    }
    if (graph_.size() == 0) return list_of_collectives(std::move(left));
    for (std::uint32_t c = 0; c < left.size(); ++c) {
      if (left[c] != 0) lonely_sends_.add(graph_.key(c));
    }
  }

  // Lists messages that no trace node has sent. While nodes wait in collectives, they are reported only as near
  // misses.
  void list_of_collectives(std::vector<std::uint32_t> left) {
    for (const Channels::Left& l : remains_.messages.left()) {
      if (l.waiter.kind() != Waiter::nobody) continue;
      if (l.channel < program_.channels.size()) {
        if (left[l.channel] == 0) continue;
        --left[l.channel];
      }
      add_unmatched({}, *l.key, true);
    }
  }

  void add_unmatched(NodeRef node, const ChannelKey& key, bool inner) {
    if (inner) node.rank = key.src;
    lonely_sends_.add(key);
    ++report_.unmatched_total;
    if (report_.unmatched.size() < WaitReport::max_listed)
      report_.unmatched.push_back({node, key.dst, key.tag, key.bytes, inner});
  }

  // Calls of members that only send have ended in such collectives, although other members never call them.
  void list_open_calls() {
    const std::vector<CollectiveRun>& runs = remains_.system.runs();
    for (std::uint32_t i = 0; i < runs.size(); ++i) {
      const CollectiveRun& run = runs[i];
      const std::uint32_t group = program_.plans[run.plan].call.group;
      const SystemGroup& members = program_.groups[group];
      const auto size = static_cast<std::uint32_t>(members.size(program_.model));
      if (run.called >= size) continue;
      ++report_.waiting_total;
      ++report_.blocked_total;
      if (report_.blocked.size() == WaitReport::max_listed) continue;
      WaitingNode w{.node = first_caller(run), .what = For::no_call};
      w.collective = collective(run.plan, i);
      w.collective->missing = size - run.called;
      for (std::uint32_t place = 0; place < size; ++place) {
        w.peer = members.places.empty() ? place : members.places[place].first;
        if (!remains_.system.has_called(group, w.peer, run.number)) break;
      }
      report_.blocked.push_back(w);
      report_.waiting.push_back(std::move(w));
    }
  }

  void list_lonely() {
    for (std::uint32_t v = 0; v < graph_.size(); ++v) {
      if (!graph_.waits_for(v).empty()) continue;
      if (graph_.kind(v) == WaitKind::send) lonely_sends_.add(graph_.key(graph_.channel(v)));
      if (graph_.kind(v) == WaitKind::receive) lonely_receives_.add(graph_.key(graph_.channel(v)));
    }
    lonely_sends_.sort();
    lonely_receives_.sort();
  }

  WaitingNode waiting(std::uint32_t v) const {
    WaitingNode w{.node = graph_.ref(v)};
    const auto targets = graph_.waits_for(v);
    if (!targets.empty() && targets.front() < graph_.size()) w.on = graph_.ref(targets.front());
    switch (graph_.kind(v)) {
      case WaitKind::dependency: break;
      case WaitKind::slot:
        w.what = For::slot;
        w.slot = graph_.op(v).slot;
        break;
      case WaitKind::receive:
      case WaitKind::send: set_message(w, v); break;
      case WaitKind::turn: set_turn(w, v); break;
      case WaitKind::collective: set_collective(w, v); break;
      case WaitKind::refused:
        w.what = For::other_call;
        w.collective = collective(graph_.op(v).channel, graph_.run(v));
        w.other = collective(run_of(v).plan, graph_.run(v));
        set_particulars(*w.collective, graph_.op(v).channel, *w.other, run_of(v).plan);
        if (targets.empty()) w.on = first_caller(run_of(v));
    }
    return w;
  }

  void set_message(WaitingNode& w, std::uint32_t v) const {
    const ChannelKey& key = graph_.key(graph_.channel(v));
    w.sends = graph_.kind(v) == WaitKind::send;
    w.what = w.sends ? For::receive : For::send;
    w.peer = graph_.op(v).peer;
    w.tag = key.tag;
    w.bytes = key.bytes;
    if (!graph_.waits_for(v).empty()) return;
    w.what = For::nothing;
    (w.sends ? lonely_receives_ : lonely_sends_).set_near_miss(w, key);
  }

  void set_turn(WaitingNode& w, std::uint32_t v) const {
    const HeldMessage& held = graph_.held(v);
    const auto device = [this](Device d) {
      const WireGraph& graph = program_.network.graph;
      return graph.npus != 0 ? graph.device_name(d)
                             : plain_device_name(d, static_cast<std::uint32_t>(program_.ranks.size()));
    };
    w.what = For::turn;
    w.link = device(held.from) + '>' + device(held.to);
  }

  void set_collective(WaitingNode& w, std::uint32_t v) const {
    w.collective = collective(run_of(v).plan, graph_.run(v));
    const std::uint32_t under_way = graph_.vertex_of_run(graph_.run(v));
    const WaitGraph::Callers& callers = graph_.callers(under_way);
    w.collective->missing = callers.missing;
    if (callers.no_call_left != 0) {
      w.what = For::no_call;
      w.peer = callers.first_no_call_left;
    } else if (callers.no_such_call != 0) {
      w.what = For::none_left;
      w.peer = callers.first_no_such_call;
    } else if (callers.missing != 0) {
      w.what = For::call;
      w.on = graph_.ref(callers.next_call);
      w.peer = w.on.rank;
    } else {
      w.what = graph_.waits_for(v).empty() ? For::algorithm : For::inner;
    }
  }

  [[nodiscard]] const CollectiveRun& run_of(std::uint32_t v) const { return remains_.system.runs()[graph_.run(v)]; }
  [[nodiscard]] NodeRef first_caller(const CollectiveRun& run) const {
    return {run.first_npu, program_.ranks[run.first_npu].code->id(run.first_op)};
  }
  [[nodiscard]] WaitingNode::Collective collective(std::uint32_t plan, std::uint32_t run) const {
    const CollectiveCall& call = program_.plans[plan].call;
    return {.op = call.op,
            .bytes = call.bytes,
            .group = program_.groups[call.group].id,
            .number = remains_.system.runs()[run].number};
  }

  void set_particulars(WaitingNode::Collective& a, std::uint32_t plan_a, WaitingNode::Collective& b,
                       std::uint32_t plan_b) const {
    const CollectiveCall& x = program_.plans[plan_a].call;
    const CollectiveCall& y = program_.plans[plan_b].call;
    if (x.op != y.op) return;
    const auto differ = [&](const std::string& of_a, const std::string& of_b) {
      a.particulars += (a.particulars.empty() ? "" : ", ") + of_a;
      b.particulars += (b.particulars.empty() ? "" : ", ") + of_b;
    };
    if (x.bytes != y.bytes) {
      if (describe_call(x.op, x.bytes) == describe_call(y.op, y.bytes))
        differ(counted(x.bytes, "byte"), counted(y.bytes, "byte"));
      return;
    }
    if (x.root != y.root || x.names_root != y.names_root) differ(root_text(x), root_text(y));
    if (x.dims != y.dims) {
      const auto count = std::max<std::size_t>(
          program_.model.dims.size(), static_cast<std::size_t>(std::bit_width(shown(x.dims) | shown(y.dims))));
      differ(dims_text(x.dims, count), dims_text(y.dims, count));
    }
    if (x.priority != y.priority)
      differ("comm_priority " + std::to_string(x.priority), "comm_priority " + std::to_string(y.priority));
    if (x.custom != y.custom) differ(algorithm_text(x), algorithm_text(y));
  }
  [[nodiscard]] std::string root_text(const CollectiveCall& call) const {
    if (!call.names_root) return "no root";
    const std::vector<Rank>& ranks = program_.groups[call.group].ranks;
    return "root rank " + std::to_string(ranks.empty() ? call.root : ranks[call.root]);
  }
  static constexpr std::uint64_t all_dims = ~std::uint64_t{0};
  static std::uint64_t shown(std::uint64_t dims) { return (dims & all_dims << 63U) != 0 ? ~dims : dims; }
  static std::string dims_text(std::uint64_t dims, std::size_t count) {
    if (dims == all_dims) return "no involved_dim";
    std::string text;
    for (std::size_t d = 0; d < count; ++d) {
      text += d == 0 ? "" : ", ";
      text += (dims >> d & 1U) != 0 ? "true" : "false";
    }
    return "involved_dim [" + text + "]";
  }
  [[nodiscard]] std::string algorithm_text(const CollectiveCall& call) const {
    if (call.custom == 0) return "native algorithm";
    const CustomAlgorithm& algorithm = program_.customs[call.custom - 1];
    return algorithm.parts ? "unequal shards" : "algorithm " + algorithm.source;
  }

  const ReplayRemains& remains_;
  const LinkedProgram& program_;
  const WaitGraph graph_;
  WaitReport report_;
  Lonely lonely_sends_;
  Lonely lonely_receives_;
};

}  // namespace

WaitReport report_waits(const ReplayRemains& remains) { return Reporter(remains).run(); }

}  // namespace convert
