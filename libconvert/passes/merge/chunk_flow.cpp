// SPDX-License-Identifier: MIT
#include "passes/merge/chunk_flow.h"

#include <algorithm>
#include <utility>

#include "core/collective.h"
#include "passes/verify/execute.h"
#include "passes/verify/postcondition.h"

namespace convert {
namespace {

constexpr std::int32_t unknown = -1;
using Chunks = std::vector<std::int32_t>;  // by their index in the whole buffer

// Follows chunks through the steps in an order in which they can run. Threadblocks with connections form a
// determinate dataflow network, so every such order gives the same result.
class Follower {
 public:
  explicit Follower(const StepGraph& p) : p_(p), layout_(p, p.inplace), slots_(layout_.slots(), unknown) {
    out_.received.resize(p.step_count());
    out_.result.resize(p.step_count());
    taken_.resize(p.connections.size());
    load_inputs();
  }

  bool run() {
    const Execution e = execute(p_, layout_, {.values = false, .keep_order = true});
    if (!e.blocked.empty()) return false;
    message_of_.resize(p_.step_count());
    for (const std::uint32_t s : e.order) take(s);
    return true;
  }

  StepChunks out_;

 private:
  void load_inputs();
  void take(std::uint32_t s);
  Chunks read(std::int32_t rank, const GraphStep& step, bool from_dst) const;
  Range add(const Chunks& chunks);

  const StepGraph& p_;
  BufferLayout layout_;
  std::vector<std::int32_t> slots_;
  std::vector<std::uint32_t> taken_;  // by connection: number of messages received
  std::vector<Chunks> message_of_;    // by step, until the message is received
};

// Gives each input chunk its index in the whole buffer; in an all-gather, this concatenates the shards of the
// ranks.
void Follower::load_inputs() {
  for (std::int32_t r = 0; r < p_.ranks(); ++r) {
    const RankBuffers& b = p_.buffers[static_cast<std::size_t>(r)];
    const std::int64_t part = p_.collective == Collective::all_gather ? p_.chunks / p_.ranks() : p_.chunks;
    const std::int64_t begin = p_.collective == Collective::all_gather ? r * part : 0;
    const std::int64_t held = std::min(part, layout_.size(r, Buffer::input));
    for (std::int64_t k = 0; k < held; ++k)
      slots_[layout_.slot(r, Buffer::input, k)] = static_cast<std::int32_t>(begin + k);
    for (const Copy& copy : b.copies) {
      const std::uint64_t from = layout_.slot(r, Buffer::input, copy.i_off);
      const std::uint64_t to = layout_.slot(r, Buffer::output, copy.o_off);
      if (from != BufferLayout::outside && to != BufferLayout::outside) slots_[to] = slots_[from];
    }
  }
}

Chunks Follower::read(std::int32_t rank, const GraphStep& step, bool from_dst) const {
  Chunks out;
  for (std::int32_t j = 0; j < step.cnt; ++j) {
    const std::uint64_t slot = layout_.slot(rank, from_dst ? step.dst_buf : step.src_buf,
                                            std::int64_t{from_dst ? step.dst_off : step.src_off} + j);
    out.push_back(slot == BufferLayout::outside ? unknown : slots_[slot]);
  }
  return out;
}

// Adds chunks. The sum of contributions to one chunk is that chunk; the sum of different chunks is unknown.
Chunks sum(Chunks a, const Chunks& b) {
  for (std::size_t j = 0; j < a.size(); ++j) {
    const std::int32_t other = j < b.size() ? b[j] : unknown;
    if (a[j] == unknown) a[j] = other;
    if (other != unknown && a[j] != other) a[j] = unknown;
  }
  return a;
}

void Follower::take(std::uint32_t s) {
  const GraphStep& step = p_.steps[s];
  const std::int32_t rank = p_.chains[chain_of(p_, s)].rank;
  Chunks chunks;
  if (step.in != no_index) {
    const Connection& c = p_.connections[step.in];
    const std::uint32_t sender = p_.send_steps[c.send_begin + taken_[step.in]++];
    chunks = std::move(message_of_[sender]);
    out_.received[s] = out_.result[sender];
  }
  if (reduces(step.type)) {
    chunks = sum(read(rank, step, false), step.type == StepType::re ? read(rank, step, true) : chunks);
  } else if (reads_src(step.type)) {
    chunks = read(rank, step, false);
  }
  out_.result[s] = add(chunks);
  if (writes_dst(step.type)) {
    for (std::size_t j = 0; j < chunks.size(); ++j) {
      const std::uint64_t slot = layout_.slot(rank, step.dst_buf, step.dst_off + static_cast<std::int64_t>(j));
      if (slot != BufferLayout::outside) slots_[slot] = chunks[j];
    }
  }
  if (step.out != no_index) message_of_[s] = std::move(chunks);
}

Range Follower::add(const Chunks& chunks) {
  Range range{static_cast<std::uint32_t>(out_.runs.size()), 0};
  for (const std::int32_t k : chunks) {
    ChunkRun* const last = range.count == 0 ? nullptr : &out_.runs.back();
    const bool follows =
        last != nullptr && (k == unknown ? last->first < 0 : last->first >= 0 && k == last->first + last->count);
    if (follows) {
      ++last->count;
    } else {
      out_.runs.push_back({.first = k, .count = 1});
      ++range.count;
    }
  }
  return range;
}

}  // namespace

std::optional<StepChunks> chunks_of_steps(const StepGraph& graph) {
  Follower follower(graph);
  if (!follower.run()) return std::nullopt;
  return std::move(follower.out_);
}

std::optional<ChunkFlow> ChunkFlow::of(const Algorithm& algorithm) {
  const StepGraph graph = make_step_graph(algorithm);
  std::optional<StepChunks> chunks = chunks_of_steps(graph);
  if (!chunks) return std::nullopt;
  ChunkFlow flow;
  flow.chunks_ = algorithm.chunks;
  for (const Gpu& g : algorithm.gpus) flow.tbs_begin_.push_back(g.first_tb);
  flow.tbs_begin_.push_back(static_cast<std::uint32_t>(algorithm.tbs.size()));
  for (const Threadblock& t : algorithm.tbs) flow.steps_begin_.push_back(t.first_step);
  flow.steps_begin_.push_back(static_cast<std::uint32_t>(algorithm.steps.size()));
  flow.received_.resize(algorithm.steps.size());
  flow.result_.resize(algorithm.steps.size());
  for (std::uint32_t s = 0; s < graph.step_count(); ++s) {
    flow.received_[graph.steps[s].source] = chunks->received[s];
    flow.result_[graph.steps[s].source] = chunks->result[s];
  }
  flow.runs_ = std::move(chunks->runs);
  return flow;
}

std::span<const ChunkRun> ChunkFlow::of_node(const Trace& place, std::size_t node) const {
  const Node& n = place.nodes.nodes[node];
  const auto attrs = place.nodes.attributes(n);
  const auto small = [&](Name name) {
    const IntValue v = int_value(attrs, name);
    return v && v.value >= 0 && v.value <= INT32_MAX ? static_cast<std::int32_t>(v.value) : -1;
  };
  if (int_value(attrs, attr::total_chunk_cnt).value != chunks_) return {};
  const std::int32_t tb = small(attr::tb_id), position = small(attr::local_time_step);
  return n.type == NodeType::comm_recv ? received(place.rank, tb, position) : result(place.rank, tb, position);
}

std::span<const ChunkRun> ChunkFlow::runs_of(const std::vector<Range>& by_step, std::uint32_t place,
                                             std::int32_t tb, std::int32_t position) const {
  if (tb < 0 || position < 0 || place + 1 >= tbs_begin_.size()) return {};
  const std::uint64_t block = tbs_begin_[place] + static_cast<std::uint64_t>(tb);
  if (block >= tbs_begin_[place + 1]) return {};
  const std::uint64_t step = steps_begin_[block] + static_cast<std::uint64_t>(position);
  if (step >= steps_begin_[block + 1]) return {};
  const Range r = by_step[step];
  return {runs_.data() + r.begin, r.count};
}

std::optional<std::uint32_t> root_place(const Algorithm& algorithm) {
  const bool reduces_to = algorithm.collective == Collective::reduce;
  const bool of_parts = algorithm.collective == Collective::gather || algorithm.collective == Collective::scatter;
  if (!has_root(algorithm.collective) || (of_parts && algorithm.chunks % algorithm.ranks() != 0))
    return std::nullopt;
  const StepGraph graph = make_step_graph(algorithm);
  const BufferLayout layout(graph, algorithm.inplace);
  const Execution end = execute(graph, layout, {});
  if (!end.blocked.empty()) return std::nullopt;
  const auto holds = [&](std::int32_t place, std::int32_t k) {
    const std::uint64_t slot = layout.slot(place, Buffer::output, k);
    return slot == BufferLayout::outside ? nothing : end.slots[slot];
  };
  std::uint32_t chunk = 0;
  RankSets::Id origin = 0;
  for (std::int32_t p = graph.ranks() - 1; p >= 0; --p) {
    if (of_parts) {
      if (check_postcondition(graph, graph.collective, p, layout, end)->empty())
        return static_cast<std::uint32_t>(p);
    } else if (reduces_to) {
      std::int32_t k = 0;
      while (k < graph.chunks && holds(p, k) == end.values.complete(static_cast<std::uint32_t>(k))) ++k;
      if (k == graph.chunks) return static_cast<std::uint32_t>(p);
    } else if (end.values.is_single_chunk(holds(p, 0), chunk, origin) && origin < algorithm.gpus.size() &&
               origin != static_cast<std::uint32_t>(p)) {
      return origin;
    }
  }
  return std::nullopt;
}

}  // namespace convert
