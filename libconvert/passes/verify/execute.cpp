// SPDX-License-Identifier: MIT
#include "passes/verify/execute.h"

#include <algorithm>
#include <utility>

#include "core/units.h"

namespace convert {
namespace {

struct SlotState {
  SlotValue value = nothing;
  std::uint32_t writer = no_index;  // step
};

class Machine {
 public:
  Machine(const StepGraph& p, const BufferLayout* layout, const ExecuteOptions& options)
      : p_(p),
        layout_(layout),
        options_(options),
        result_(static_cast<std::uint32_t>(std::max(1, p.ranks())), p.relays) {}

  Execution run() {
    prepare();
    for (std::size_t c = p_.chains.size(); c-- > 0;) ready_.push_back(static_cast<std::uint32_t>(c));
    while (!ready_.empty()) {
      const std::uint32_t c = ready_.back();
      ready_.pop_back();
      advance(c);
    }
    finish();
    return std::move(result_);
  }

 private:
  struct Queue {              // one connection
    std::uint64_t write = 0;  // next value to write and to read, in messages_
    std::uint64_t read = 0;
    std::uint32_t sent = 0;
    std::uint32_t received = 0;
    // lists of chains; longer than one only if threadblocks share a connection
    std::uint32_t waiting_receivers = no_index;
    std::uint32_t waiting_senders = no_index;
  };

  void prepare();
  void load_inputs();
  void advance(std::uint32_t chain);
  bool ends_step(std::uint32_t chain, const GraphStep& step);
  bool blocked(std::uint32_t chain, std::uint32_t s, const GraphStep& step);
  void compute(std::uint32_t s, const GraphStep& step, std::int32_t rank);
  void finish();

  SlotValue read(std::uint64_t slot) const { return slot == BufferLayout::outside ? nothing : slots_[slot].value; }
  void write(std::uint64_t slot, SlotValue value, std::uint32_t s) {
    if (slot != BufferLayout::outside) slots_[slot] = {value, s};
  }
  SlotValue reduce(SlotValue a, SlotValue b, std::uint32_t s);
  void wake(std::uint32_t& list) {
    for (std::uint32_t c = list; c != no_index; c = next_waiter_[c]) ready_.push_back(c);
    list = no_index;
  }

  const StepGraph& p_;
  const BufferLayout* layout_;
  const ExecuteOptions& options_;
  Execution result_;
  std::vector<std::uint32_t> next_;  // by chain: the next step
  std::vector<std::uint32_t> ready_;
  std::vector<std::uint32_t> next_waiter_;  // by chain: the next one that waits for the same event
  std::vector<std::uint32_t> waiters_;      // by step: the first chain that waits for it
  std::vector<std::int32_t> moved_;         // by chain: moved chunks of its next step, if messages are split
  std::vector<Queue> queues_;
  std::vector<SlotValue> messages_;
  std::vector<SlotState> slots_;
  std::vector<Blocked> last_block_;  // by chain
};

void Machine::prepare() {
  next_.resize(p_.chains.size());
  for (std::size_t c = 0; c < p_.chains.size(); ++c) next_[c] = p_.chains[c].first;
  if (options_.carried != 0) moved_.assign(p_.chains.size(), 0);
  next_waiter_.assign(p_.chains.size(), no_index);
  waiters_.assign(p_.step_count(), no_index);
  last_block_.resize(p_.chains.size());
  queues_.resize(p_.connections.size());
  if (!options_.values) return;
  std::uint64_t base = 0;
  for (std::size_t i = 0; i < p_.connections.size(); ++i) {
    const Connection& c = p_.connections[i];
    queues_[i].write = queues_[i].read = base;
    for (std::uint32_t k = 0; k < c.sends; ++k)
      base += static_cast<std::uint64_t>(p_.steps[p_.send_steps[c.send_begin + k]].cnt);
  }
  messages_.resize(base);
  slots_.resize(layout_->slots());
  if (options_.trace_writers) result_.source_writer.assign(p_.step_count(), no_index);
  load_inputs();
}

void Machine::load_inputs() {
  for (std::int32_t r = 0; r < p_.ranks(); ++r) {
    const RankBuffers& b = p_.buffers[static_cast<std::size_t>(r)];
    if (std::ranges::binary_search(p_.relays, r)) continue;  // relays start without data
    // All declared chunks are the input of a custom collective; only chunks that some step uses have slots.
    const std::int64_t declared =
        p_.collective == Collective::custom ? b.i_chunks : input_chunks(p_.collective, p_.chunks, p_.ranks());
    const auto chunks = static_cast<std::int32_t>(std::min(declared, layout_->size(r, Buffer::input)));
    for (std::int32_t k = 0; k < chunks; ++k) {
      slots_[layout_->slot(r, Buffer::input, k)].value =
          result_.values.token(static_cast<std::uint32_t>(r), static_cast<std::uint32_t>(k));
    }
    for (const Copy& copy : b.copies) {
      const std::uint64_t from = layout_->slot(r, Buffer::input, copy.i_off);
      const std::uint64_t to = layout_->slot(r, Buffer::output, copy.o_off);
      if (from != BufferLayout::outside && to != BufferLayout::outside) slots_[to].value = slots_[from].value;
    }
  }
}

// Runs a chain until it blocks or ends.
void Machine::advance(std::uint32_t c) {
  const Chain& chain = p_.chains[c];
  const std::uint32_t end = chain.first + chain.count;
  for (std::uint32_t s = next_[c]; s < end;) {
    const GraphStep& step = p_.steps[s];
    if (blocked(c, s, step)) return;
    if (options_.values) compute(s, step, chain.rank);
    if (options_.values || options_.keep_order) result_.order.push_back(s);
    if (step.in != no_index) {
      Queue& q = queues_[step.in];
      ++q.received;
      wake(q.waiting_senders);
    }
    if (step.out != no_index) {
      Queue& q = queues_[step.out];
      ++q.sent;
      result_.peak_fifo = std::max(result_.peak_fifo, q.sent - q.received);
      wake(q.waiting_receivers);
    }
    if (!ends_step(c, step)) continue;
    next_[c] = ++s;
    if (step.awaited) wake(waiters_[s - 1]);
  }
}

// Returns whether the moved message is the last one of its step.
bool Machine::ends_step(std::uint32_t c, const GraphStep& step) {
  if (options_.carried == 0) return true;
  moved_[c] += options_.carried;
  if (moved_[c] < step.cnt) return false;
  moved_[c] = 0;
  return true;
}

bool Machine::blocked(std::uint32_t c, std::uint32_t s, const GraphStep& step) {
  using Why = Blocked::Why;
  // A chain waits for one thing at a time, so one entry per chain serves all lists.
  const auto block = [&](std::uint32_t* list, Why why, std::uint32_t other) {
    if (list != nullptr) next_waiter_[c] = std::exchange(*list, c);
    last_block_[c] = {c, s, why, other};
    return true;
  };
  for (const Dependency& d : p_.deps_of(s)) {
    if (d.step == no_index) return block(nullptr, Why::never_published, no_index);
    if (next_[d.chain] <= d.step) return block(&waiters_[d.step], Why::dependency, d.step);
  }
  if (receives(step.type)) {
    if (step.in == no_index) return block(nullptr, Why::empty_connection, no_index);
    Queue& q = queues_[step.in];
    if (q.sent == q.received) return block(&q.waiting_receivers, Why::empty_connection, step.in);
  }
  // A fused step requires its output slot before it consumes its input.
  if (step.out != no_index && options_.slots != 0) {
    Queue& q = queues_[step.out];
    if (q.sent - q.received >= static_cast<std::uint32_t>(options_.slots))
      return block(&q.waiting_senders, Why::full_connection, step.out);
  }
  return false;
}

SlotValue Machine::reduce(SlotValue a, SlotValue b, std::uint32_t s) {
  std::uint32_t rank = no_index;
  const SlotValue sum = result_.values.reduce(a, b, rank);
  if (rank != no_index && result_.doubled++ == 0) {
    result_.first_doubled = s;
    result_.first_doubled_rank = rank;
  }
  return sum;
}

void Machine::compute(std::uint32_t s, const GraphStep& step, std::int32_t rank) {
  const StepType type = step.type;
  Queue* in = step.in != no_index ? &queues_[step.in] : nullptr;
  Queue* out = step.out != no_index ? &queues_[step.out] : nullptr;
  // The sender defines the message's length; the surplus of an unequal pair (reported elsewhere) is lost.
  std::int32_t incoming = 0;
  if (in != nullptr) {
    const Connection& connection = p_.connections[step.in];
    incoming = p_.steps[p_.send_steps[connection.send_begin + in->received]].cnt;
  }
  for (std::int32_t j = 0; j < step.cnt; ++j) {
    const auto [src, dst, adds] = access(p_, *layout_, options_, step, rank, j);
    SlotValue v = in != nullptr && j < incoming ? messages_[in->read + static_cast<std::uint64_t>(j)] : nothing;
    if (adds) {
      v = reduce(slots_[src].value, v, s);
      slots_[dst].value = v;
    } else if (reads_src(type)) {
      if (options_.trace_writers && j == 0 && src != BufferLayout::outside)
        result_.source_writer[s] = slots_[src].writer;
      const SlotValue local = read(src);
      if (type == StepType::re) {
        v = reduce(read(dst), local, s);
      } else {
        v = reduces(type) ? reduce(local, v, s) : local;
      }
    }
    if (v == nothing && result_.undefined_reads++ == 0) result_.first_undefined = s;
    if (writes_dst(type) && !adds) write(dst, v, s);
    if (out != nullptr) messages_[out->write + static_cast<std::uint64_t>(j)] = v;
  }
  if (in != nullptr) in->read += static_cast<std::uint64_t>(incoming);
  if (out != nullptr) out->write += static_cast<std::uint64_t>(step.cnt);
}

void Machine::finish() {
  for (std::uint32_t c = 0; c < p_.chains.size(); ++c) {
    if (next_[c] < p_.chains[c].first + p_.chains[c].count) result_.blocked.push_back(last_block_[c]);
  }
  if (!options_.values) return;
  result_.slots.resize(slots_.size());
  for (std::size_t i = 0; i < slots_.size(); ++i) result_.slots[i] = slots_[i].value;
  if (!options_.trace_writers) return;
  result_.last_writer.resize(slots_.size());
  for (std::size_t i = 0; i < slots_.size(); ++i) result_.last_writer[i] = slots_[i].writer;
}

// Returns the number of chunks of each buffer that steps and copies touch; three numbers per rank.
std::vector<std::int64_t> used_chunks(const StepGraph& p) {
  std::vector<std::int64_t> used(static_cast<std::size_t>(p.ranks()) * 3, 0);
  const auto use = [&](std::int32_t rank, Buffer buffer, std::int64_t end) {
    std::int64_t& most = used[static_cast<std::size_t>(rank) * 3 + static_cast<std::size_t>(buffer)];
    most = std::max(most, end);
  };
  for (const Chain& c : p.chains) {
    for (std::uint32_t i = c.first; i < c.first + c.count; ++i) {
      const GraphStep& s = p.steps[i];
      use(c.rank, s.src_buf, std::int64_t{s.src_off} + s.cnt);
      use(c.rank, s.dst_buf, std::int64_t{s.dst_off} + s.cnt);
    }
  }
  for (std::int32_t r = 0; r < p.ranks(); ++r) {
    for (const Copy& c : p.buffers[static_cast<std::size_t>(r)].copies) {
      use(r, Buffer::input, std::int64_t{c.i_off} + 1);
      use(r, Buffer::output, std::int64_t{c.o_off} + 1);
    }
  }
  return used;
}

}  // namespace

BufferLayout::BufferLayout(const StepGraph& graph, bool inplace) {
  const std::int32_t n = graph.ranks();
  const bool custom = graph.collective == Collective::custom;
  const bool alias = inplace && !custom;
  const std::int64_t full_in = custom ? 0 : input_chunks(graph.collective, graph.chunks, n);
  const std::int64_t full_out = custom ? 0 : output_chunks(graph.collective, graph.chunks, n);
  const std::vector<std::int64_t> used = used_chunks(graph);
  // Limit the memory: a file of a few steps may claim any number of chunks, but steps can only fill so much of it.
  std::uint64_t moved = 0;
  for (const GraphStep& s : graph.steps) moved += static_cast<std::uint64_t>(s.cnt);
  const std::uint64_t limit = (std::uint64_t{1} << 20) + 16 * moved;
  for (std::int32_t r = 0; r < n; ++r) {
    rank_begin_.push_back(slots_);
    const RankBuffers& b = graph.buffers[static_cast<std::size_t>(r)];
    const std::int64_t* use = &used[static_cast<std::size_t>(r) * 3];
    // With relays, all declared chunks of the other ranks have slots, as the result is read from there.
    const bool whole = !graph.relays.empty() && !std::ranges::binary_search(graph.relays, r);
    Extent in{slots_, std::max(std::min<std::int64_t>(b.i_chunks, whole ? b.i_chunks : use[0]), full_in)};
    Extent out{slots_, std::max(std::min<std::int64_t>(b.o_chunks, whole ? b.o_chunks : use[1]), full_out)};
    if (alias && graph.collective == Collective::all_gather) {
      in.begin += static_cast<std::uint64_t>(r * full_in);
      slots_ += static_cast<std::uint64_t>(std::max(out.size, r * full_in + in.size));
    } else if (alias && graph.collective == Collective::reduce_scatter) {
      out.begin += static_cast<std::uint64_t>(r * full_out);
      slots_ += static_cast<std::uint64_t>(std::max(in.size, r * full_out + out.size));
    } else if (alias) {
      in.size = out.size = std::max(in.size, out.size);
      slots_ += static_cast<std::uint64_t>(in.size);
    } else {
      out.begin += static_cast<std::uint64_t>(in.size);
      slots_ += static_cast<std::uint64_t>(in.size + out.size);
    }
    extents_.push_back(in);
    extents_.push_back(out);
    extents_.push_back({slots_, std::min<std::int64_t>(b.s_chunks, use[2])});
    slots_ += static_cast<std::uint64_t>(extents_.back().size);
    if (slots_ > limit) {
      throw input_error(graph.locate_rank(r),
                        "the buffers have " + counted(slots_, "chunk") + " or more, but the steps move only " +
                            std::to_string(moved) + "; check nchunksperloop and the offsets",
                        "offsets");
    }
  }
}

std::string BufferLayout::text(std::uint64_t slot) const {
  const auto after = std::upper_bound(rank_begin_.begin(), rank_begin_.end(), slot);
  if (after == rank_begin_.begin()) return "?";
  const std::size_t first = static_cast<std::size_t>(after - rank_begin_.begin() - 1) * 3;
  for (std::size_t i = first; i < first + 3; ++i) {
    const Extent& e = extents_[i];
    if (slot >= e.begin && slot < e.begin + static_cast<std::uint64_t>(e.size)) {
      return std::string(1, letter(static_cast<Buffer>(i % 3))) + "[" + std::to_string(slot - e.begin) + "]";
    }
  }
  return "?";
}

Execution execute(const StepGraph& graph, const BufferLayout& layout, const ExecuteOptions& options) {
  return Machine(graph, &layout, options).run();
}

Execution progress(const StepGraph& graph, int slots, std::int32_t carried) {
  const ExecuteOptions options{.slots = slots, .carried = carried, .values = false};
  return Machine(graph, nullptr, options).run();
}

bool completes(const StepGraph& graph, int slots, std::int32_t carried) {
  return progress(graph, slots, carried).blocked.empty();
}

}  // namespace convert
