// SPDX-License-Identifier: MIT
#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "passes/lower/export.h"
#include "passes/verify/execute.h"

namespace convert {
namespace {

// Disjoint sets by index.
class Classes {
 public:
  explicit Classes(std::size_t n) : parent_(n) { std::iota(parent_.begin(), parent_.end(), 0U); }
  std::uint32_t find(std::uint32_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void unite(std::uint32_t a, std::uint32_t b) { parent_[find(b)] = find(a); }

 private:
  std::vector<std::uint32_t> parent_;
};

// A threadblock of the result while it is filled.
struct Block {
  std::int32_t send = -1;
  std::int32_t recv = -1;
  std::int32_t chan = 0;
  std::vector<Step> steps;
  std::map<std::uint32_t, std::int32_t> waited;  // other block of the rank → latest position waited for
};

// Position of a step of the graph: the position of its last part, on which other steps depend.
struct Placed {
  std::uint32_t block = no_index;  // within the rank
  std::int32_t position = -1;
};

class ThreadblockPacker {
 public:
  ThreadblockPacker(const StepGraph& p, Algorithm header)
      : p_(p),
        out_(std::move(header)),
        classes_(p.connections.size()),
        receiver_block_(p.connections.size(), no_index),
        sender_block_(p.connections.size(), no_index) {}

  Algorithm run() {
    const std::vector<std::uint32_t> order = feasible_order();
    chain_.resize(p_.step_count());
    for (std::uint32_t c = 0; c < p_.chains.size(); ++c) {
      std::fill_n(chain_.begin() + p_.chains[c].first, p_.chains[c].count, c);
    }
    pair_connections();
    assign_channels();
    blocks_.resize(static_cast<std::size_t>(p_.ranks()));
    assign_blocks();
    assign_local_steps();
    placed_.resize(p_.step_count());
    for (const std::uint32_t s : order) place(s);
    emit();
    return std::move(out_);
  }

 private:
  // Returns an order of execution that fits the FIFOs. Each threadblock's steps are a subsequence of it, so the
  // result is feasible too.
  std::vector<std::uint32_t> feasible_order() {
    ExecuteOptions options{.slots = fifo_slots(p_.protocol), .values = false, .keep_order = true};
    Execution e = execute(p_, BufferLayout(p_, p_.inplace), options);
    if (!e.blocked.empty()) {
      options.slots = 0;
      e = execute(p_, BufferLayout(p_, p_.inplace), options);
      if (!e.blocked.empty())
        throw input_error({.file = p_.file}, "the steps deadlock; they cannot be exported (see et-validate)",
                          "deadlock");
    }
    return e.order;
  }

  // Pairs the receive and send connections that share the most fused steps in one threadblock.
  void pair_connections() {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> joined;
    for (std::uint32_t s = 0; s < p_.step_count(); ++s) {
      const GraphStep& step = p_.steps[s];
      if (step.in != no_index && step.out != no_index) joined[{step.in, step.out}] += 2;
    }
    // Neighbours in a chain benefit from a common threadblock too, but less than a fused step.
    for (const Chain& c : p_.chains) {
      std::uint32_t in = no_index;
      std::uint32_t out = no_index;
      for (std::uint32_t s = c.first; s < c.first + c.count; ++s) {
        const GraphStep& step = p_.steps[s];
        if (step.in != no_index) in = step.in;
        if (step.out != no_index) out = step.out;
        if (in != no_index && out != no_index && p_.connections[in].channel == p_.connections[out].channel)
          joined.try_emplace({in, out}, 1);
      }
    }
    std::vector<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> by_weight;
    for (const auto& [pair, weight] : joined) by_weight.emplace_back(weight, pair.first, pair.second);
    std::ranges::stable_sort(by_weight, std::greater<>{}, [](const auto& w) { return std::get<0>(w); });
    send_of_.assign(p_.connections.size(), no_index);
    recv_of_.assign(p_.connections.size(), no_index);
    std::vector<std::set<std::pair<std::int32_t, std::int32_t>>> ends(
        p_.connections.size());  // (src, dst) in each class
    for (std::size_t c = 0; c < ends.size(); ++c) ends[c].insert({p_.connections[c].src, p_.connections[c].dst});
    for (const auto& [weight, in, out] : by_weight) {
      if (send_of_[in] != no_index || recv_of_[out] != no_index) continue;
      const std::uint32_t a = classes_.find(in);
      const std::uint32_t b = classes_.find(out);
      if (a != b) {  // one channel for both classes requires that no pair of ranks is in both
        auto& small = ends[a].size() < ends[b].size() ? ends[a] : ends[b];
        auto& large = ends[a].size() < ends[b].size() ? ends[b] : ends[a];
        if (std::ranges::any_of(small, [&](const auto& e) { return large.contains(e); })) continue;
        large.insert(small.begin(), small.end());
        small.clear();
        classes_.unite(a, b);
        auto merged = std::move(large);
        ends[a].clear();
        ends[b].clear();
        ends[classes_.find(a)] = std::move(merged);
      }
      send_of_[in] = out;
      recv_of_[out] = in;
    }
  }

  // Assigns different channels to classes that share a pair of ranks. A tag is kept as the channel if it is free.
  void assign_channels() {
    std::map<std::uint32_t, std::vector<std::uint32_t>> members;
    for (std::uint32_t c = 0; c < p_.connections.size(); ++c) members[classes_.find(c)].push_back(c);
    std::map<std::pair<std::int32_t, std::int32_t>, std::uint32_t> used;  // bit mask of channels
    channel_.assign(p_.connections.size(), 0);
    for (const auto& [root, connections] : members) {
      std::uint32_t taken = 0;
      for (const std::uint32_t c : connections) taken |= used[{p_.connections[c].src, p_.connections[c].dst}];
      const std::int64_t wish = p_.connections[connections.front()].channel;
      std::int32_t chan =
          wish >= 0 && wish < max_channels && (taken >> wish & 1U) == 0 ? static_cast<std::int32_t>(wish) : 0;
      while (chan < max_channels && (taken >> chan & 1U) != 0) ++chan;
      if (chan == max_channels) {
        const Connection& c = p_.connections[connections.front()];
        throw input_error({.file = p_.file},
                          "more than 32 channels would be needed from rank " + std::to_string(c.src) + " to rank " +
                              std::to_string(c.dst) + "; use fewer different tags",
                          "channels");
      }
      for (const std::uint32_t c : connections) {
        used[{p_.connections[c].src, p_.connections[c].dst}] |= 1U << chan;
        channel_[c] = chan;
      }
    }
  }

  void assign_blocks() {
    const auto block_for = [&](std::int32_t rank, std::uint32_t in, std::uint32_t out) {
      auto& blocks = blocks_[static_cast<std::size_t>(rank)];
      Block b;
      if (in != no_index) b.recv = p_.connections[in].src;
      if (out != no_index) b.send = p_.connections[out].dst;
      b.chan = channel_[in != no_index ? in : out];
      blocks.push_back(std::move(b));
      const auto number = static_cast<std::uint32_t>(blocks.size() - 1);
      if (in != no_index) receiver_block_[in] = number;
      if (out != no_index) sender_block_[out] = number;
    };
    for (std::uint32_t s = 0; s < p_.step_count(); ++s) {  // in chain order, which the numbers follow
      const GraphStep& step = p_.steps[s];
      const std::int32_t rank = p_.chains[chain_[s]].rank;
      if (step.in != no_index && receiver_block_[step.in] == no_index) block_for(rank, step.in, send_of_[step.in]);
      if (step.out != no_index && sender_block_[step.out] == no_index)
        block_for(rank, recv_of_[step.out], step.out);
    }
  }

  // Assigns local steps to the threadblock of the latest message before them in their chain, or of the first one
  // after them. A chain without messages gets its own threadblock.
  void assign_local_steps() {
    local_block_.assign(p_.step_count(), no_index);
    for (const Chain& chain : p_.chains) {
      const std::uint32_t end = chain.first + chain.count;
      const auto block_of = [&](std::uint32_t s) {
        const GraphStep& t = p_.steps[s];
        return t.in != no_index ? receiver_block_[t.in] : (t.out != no_index ? sender_block_[t.out] : no_index);
      };
      std::uint32_t block = no_index;
      for (std::uint32_t s = chain.first; s < end && block == no_index; ++s) block = block_of(s);
      if (block == no_index && chain.count > 0) {
        auto& blocks = blocks_[static_cast<std::size_t>(chain.rank)];
        block = static_cast<std::uint32_t>(blocks.size());
        blocks.emplace_back();
      }
      for (std::uint32_t s = chain.first; s < end; ++s) {
        if (const std::uint32_t own = block_of(s); own != no_index) block = own;
        local_block_[s] = block;
      }
    }
  }

  // Collects the placed parts that must be done before step s, and looks through steps that do nothing.
  void collect_parents(std::uint32_t s, std::vector<Placed>& out) const {
    std::vector<std::uint32_t> open;
    std::set<std::uint32_t> seen;
    const auto parents = [&](std::uint32_t step) {
      if (step > p_.chains[chain_[step]].first && seen.insert(step - 1).second) open.push_back(step - 1);
      for (const Dependency& d : p_.deps_of(step)) {
        if (seen.insert(d.step).second) open.push_back(d.step);
      }
    };
    parents(s);
    while (!open.empty()) {
      const std::uint32_t t = open.back();
      open.pop_back();
      if (placed_[t].block == no_index) {
        parents(t);
      } else {
        out.push_back(placed_[t]);
      }
    }
  }

  void place(std::uint32_t s) {
    const GraphStep& step = p_.steps[s];
    if (step.type == StepType::nop) return;
    std::vector<Placed> parents;
    collect_parents(s, parents);
    const std::int32_t rank = p_.chains[chain_[s]].rank;
    // Sums of a schedule may come in any order; the runtimes require a fixed order.
    if (p_.scheduled && step.type == StepType::rrc) {
      const auto [last, first] = last_sum_.try_emplace({rank, step.dst_buf, step.dst_off}, s);
      if (!first) parents.push_back(placed_[std::exchange(last->second, s)]);
    }
    Step part{.type = step.type,
              .src_buf = step.src_buf,
              .dst_buf = step.dst_buf,
              .src_off = step.src_off,
              .dst_off = step.dst_off,
              .cnt = step.cnt};
    if (step.in == no_index && step.out == no_index) {
      placed_[s] = append(rank, local_block_[s], part, parents);
    } else if (step.in == no_index) {
      placed_[s] = append(rank, sender_block_[step.out], part, parents);
    } else if (step.out == no_index || receiver_block_[step.in] == sender_block_[step.out]) {
      placed_[s] = append(rank, receiver_block_[step.in], part, parents);
    } else {
      split(s, rank, part, parents);
    }
  }

  // rcs → r, s;  rrcs → rrc, s;  rrs → rrc into scratch, s from there.
  void split(std::uint32_t s, std::int32_t rank, Step part, std::vector<Placed>& parents) {
    const GraphStep& step = p_.steps[s];
    if (part.type == StepType::rrs) {
      Gpu& gpu = out_.gpus[static_cast<std::size_t>(rank)];
      part.dst_buf = Buffer::scratch;
      part.dst_off = gpu.s_chunks;
      gpu.s_chunks += part.cnt;
    }
    part.type = part.type == StepType::rcs ? StepType::recv : StepType::rrc;
    std::vector<Placed> received{append(rank, receiver_block_[step.in], part, parents)};
    const Step forward{.type = StepType::send,
                       .src_buf = part.dst_buf,
                       .dst_buf = part.dst_buf,
                       .src_off = part.dst_off,
                       .dst_off = part.dst_off,
                       .cnt = part.cnt};
    placed_[s] = append(rank, sender_block_[step.out], forward, received);
  }

  Placed append(std::int32_t rank, std::uint32_t number, Step step, const std::vector<Placed>& parents) {
    auto& blocks = blocks_[static_cast<std::size_t>(rank)];
    Block& block = blocks[number];
    std::map<std::uint32_t, std::int32_t> waits;  // the latest position per other block is enough
    for (const Placed& p : parents) {
      if (p.block == number) continue;
      const auto known = block.waited.find(p.block);
      if (known != block.waited.end() && known->second >= p.position) continue;
      auto& position = waits.try_emplace(p.block, -1).first->second;
      position = std::max(position, p.position);
    }
    std::size_t left = waits.size();
    for (const auto& [other, position] : waits) {
      blocks[other].steps[static_cast<std::size_t>(position)].hasdep = true;
      block.waited[other] = position;
      if (--left > 0) {
        block.steps.push_back({.type = StepType::nop, .depid = static_cast<std::int32_t>(other), .deps = position});
      } else {
        step.depid = static_cast<std::int32_t>(other);
        step.deps = position;
      }
    }
    block.steps.push_back(step);
    return {number, static_cast<std::int32_t>(block.steps.size() - 1)};
  }

  void emit() {
    out_.tbs.clear();
    out_.steps.clear();
    std::int32_t last_channel = 0;
    for (std::size_t r = 0; r < blocks_.size(); ++r) {
      Gpu& gpu = out_.gpus[r];
      if (!p_.scheduled) gpu.copies.clear();  // copies are steps now
      gpu.first_tb = static_cast<std::uint32_t>(out_.tbs.size());
      gpu.tb_count = static_cast<std::uint32_t>(blocks_[r].size());
      for (const Block& b : blocks_[r]) {
        out_.tbs.push_back({.send = b.send,
                            .recv = b.recv,
                            .chan = b.chan,
                            .first_step = static_cast<std::uint32_t>(out_.steps.size()),
                            .step_count = static_cast<std::uint32_t>(b.steps.size()),
                            .line = 0});
        out_.steps.insert(out_.steps.end(), b.steps.begin(), b.steps.end());
        last_channel = std::max(last_channel, b.chan);
      }
    }
    out_.channels = last_channel + 1;
  }

  const StepGraph& p_;
  Algorithm out_;
  Classes classes_;                     // connections that share a channel
  std::vector<std::uint32_t> send_of_;  // by receive connection: the send connection of the same threadblock
  std::vector<std::uint32_t> recv_of_;
  std::vector<std::int32_t> channel_;          // by connection
  std::vector<std::uint32_t> receiver_block_;  // by connection, within its rank
  std::vector<std::uint32_t> sender_block_;
  std::vector<std::uint32_t> chain_;        // by step
  std::vector<std::uint32_t> local_block_;  // by step: its threadblock if it moves no message
  std::vector<std::vector<Block>> blocks_;  // by rank
  std::vector<Placed> placed_;              // by step
  std::map<std::tuple<std::int32_t, Buffer, std::int32_t>, std::uint32_t> last_sum_;  // of a chunk of a rank
};

}  // namespace

Algorithm pack_threadblocks(const StepGraph& graph, Algorithm header) {
  return ThreadblockPacker(graph, std::move(header)).run();
}

}  // namespace convert
