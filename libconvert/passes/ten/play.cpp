// SPDX-License-Identifier: MIT
#include "passes/ten/play.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "passes/verify/execute.h"

namespace convert {
namespace {

class Player {
 public:
  Player(const StepGraph& p, bool inplace, std::span<const Picoseconds> ready_ps)
      : p_(p),
        layout_(p, inplace),
        values_(static_cast<std::uint32_t>(std::max(1, p.ranks()))),
        collective_(claimed_collective(p)),
        ready_ps_(ready_ps) {
    out_.inplace = inplace;
    for (std::int32_t r = 0; r < p.ranks(); ++r) {
      if (!is_relay(r)) members_.push_back(r);
    }
  }

  Play run() {
    const Execution e = execute(p_, layout_, {});
    values_ = e.values;
    name_chunks(e);
    out_.done.assign(p_.step_count(), -1);
    out_.place.assign(p_.step_count(), -1);
    queues_.resize(p_.connections.size());
    slots_.resize(layout_.slots());
    ready_.assign(p_.step_count(), 0);
    in_.assign(p_.step_count(), no_index);
    sent_.assign(p_.step_count(), no_index);
    load_inputs();
    for (const std::uint32_t s : e.order) place(s);
    std::vector<std::uint32_t> order = e.order;
    std::ranges::stable_sort(order, {}, [&](std::uint32_t s) { return time_of(s); });
    for (const std::uint32_t s : order) compute(s);
    compare(e);
    finish();
    return std::move(out_);
  }

 private:
  struct Slot {
    SlotValue value = nothing;
    std::uint32_t chunk = no_index;
    std::int32_t held = 0;
    std::uint32_t cargo = no_index;  // that brought it
  };
  struct Queue {
    std::vector<std::uint32_t> messages;
    std::size_t read = 0;
  };

  static std::uint32_t u(std::int32_t i) { return static_cast<std::uint32_t>(i); }

  [[nodiscard]] bool is_relay(std::int32_t rank) const { return std::ranges::binary_search(p_.relays, rank); }
  // Returns when a step writes its result.
  [[nodiscard]] std::int64_t time_of(std::uint32_t s) const { return ready_ps_.empty() ? ready_[s] : ready_ps_[s]; }

  [[nodiscard]] bool reduces_collective() const {
    using enum Collective;
    if (collective_ == all_reduce || collective_ == reduce_scatter || collective_ == reduce) return true;
    return collective_ == custom &&
           std::ranges::any_of(p_.steps, [](const GraphStep& s) { return reduces(s.type); });
  }
  // Returns whether each rank has room for the chunks of all ranks, including its own.
  [[nodiscard]] bool gathers_in_whole_buffers() const {
    return !p_.relays.empty() && collective_ == Collective::all_gather;
  }

  [[nodiscard]] std::int64_t input_size(std::int32_t rank) const {
    const RankBuffers& b = p_.buffers[static_cast<std::size_t>(rank)];
    const std::int64_t declared =
        p_.collective == Collective::custom ? b.i_chunks : input_chunks(p_.collective, p_.chunks, p_.ranks());
    return std::min(declared, layout_.size(rank, Buffer::input));
  }

  void name_chunks(const Execution& e) {
    sums_ = reduces_collective();
    const auto members = static_cast<std::int32_t>(members_.size());
    part_ = std::max(1, p_.chunks / std::max(1, members));
    out_.needed = sums_ ? members : 1;
    for (const std::int32_t r : members_) stride_ = std::max(stride_, input_size(r));
    if (!p_.relays.empty() && collective_ != Collective::custom)
      stride_ = std::min<std::int64_t>(stride_, p_.chunks);
    const bool one_owner = sums_ || collective_ == Collective::broadcast || gathers_in_whole_buffers();
    if (collective_ == Collective::broadcast || collective_ == Collective::reduce) root_ = root(e);
    out_.stride = one_owner ? 0 : static_cast<std::uint32_t>(stride_);
    out_.chunks.resize(static_cast<std::size_t>(stride_ * (one_owner ? 1 : p_.ranks())));
    for (std::size_t c = 0; c < out_.chunks.size(); ++c) out_.chunks[c] = ends_of(static_cast<std::int64_t>(c));
  }

  [[nodiscard]] Play::Chunk ends_of(std::int64_t chunk) const {
    const auto owner = static_cast<std::int32_t>(chunk / std::max<std::int64_t>(1, stride_));
    const auto member = [&](std::int64_t place) {
      return place < static_cast<std::int64_t>(members_.size()) ? members_[static_cast<std::size_t>(place)] : -2;
    };
    switch (collective_) {
      case Collective::all_reduce: return {-1, -1};
      case Collective::reduce_scatter: return {-1, member(chunk / part_)};
      case Collective::reduce: return {-1, root_};
      case Collective::broadcast: return {root_, -1};
      case Collective::all_gather: return {gathers_in_whole_buffers() ? member(chunk / part_) : owner, -1};
      case Collective::all_to_all: return {owner, member(chunk % stride_ / part_)};
      default: return {sums_ ? -1 : owner, -2};
    }
  }

  // Returns the root derived from the data: for a broadcast the source of the last ranks' data, for a reduction the
  // rank with the most complete chunks.
  [[nodiscard]] std::int32_t root(const Execution& e) const {
    std::uint32_t chunk = 0;
    RankSets::Id set = 0;
    const auto output = [&](std::int32_t r, std::int64_t k) {
      const std::uint64_t slot = layout_.slot(r, p_.relays.empty() ? Buffer::output : Buffer::input, k);
      return slot == BufferLayout::outside ? nothing : e.slots[slot];
    };
    if (collective_ == Collective::broadcast) {
      for (std::int32_t r = p_.ranks() - 1; r >= 0; --r) {
        if (values_.is_single_chunk(output(r, 0), chunk, set) && set < u(p_.ranks()))
          return static_cast<std::int32_t>(set);
      }
      return 0;
    }
    std::int32_t best = 0;
    std::int64_t most = -1;
    for (std::int32_t r = 0; r < p_.ranks(); ++r) {
      std::int64_t right = 0;
      for (std::int32_t k = 0; k < p_.chunks; ++k) right += output(r, k) == values_.complete(u(k)) ? 1 : 0;
      if (right > most) best = r;
      most = std::max(most, right);
    }
    return best;
  }

  void load_inputs() {
    for (const std::int32_t r : members_) {
      for (std::int32_t k = 0; k < input_size(r); ++k)
        write(r, layout_.slot(r, Buffer::input, k), values_.token(u(r), u(k)), no_index, -1);
      for (const Copy& c : p_.buffers[static_cast<std::size_t>(r)].copies) {
        const std::uint64_t from = layout_.slot(r, Buffer::input, c.i_off);
        const std::uint64_t to = layout_.slot(r, Buffer::output, c.o_off);
        if (from != BufferLayout::outside && to != BufferLayout::outside)
          write(r, to, slots_[from].value, no_index, -1);
      }
    }
  }

  // Returns the chunk of a value, and its number of contributions; negative if there are duplicates.
  [[nodiscard]] std::pair<std::uint32_t, std::int32_t> content(SlotValue v) {
    std::uint32_t chunk = 0;
    RankSets::Id set = 0;
    if (v == nothing || !values_.is_single_chunk(v, chunk, set)) return {no_index, 0};
    if (!sums_) {
      if (set >= u(p_.ranks())) return {no_index, 0};
      if (gathers_in_whole_buffers()) {
        const bool own = chunk < out_.chunks.size() && out_.chunks[chunk].pre == static_cast<std::int32_t>(set);
        return own ? std::pair{chunk, 1} : std::pair{no_index, 0};
      }
      if (collective_ == Collective::broadcast)
        return static_cast<std::int32_t>(set) == root_ ? std::pair{chunk, 1} : std::pair{no_index, 0};
      return {static_cast<std::uint32_t>(set * stride_ + chunk), 1};
    }
    if (chunk >= out_.chunks.size()) return {no_index, 0};
    return {chunk, size_of(set)};
  }

  [[nodiscard]] std::int32_t size_of(RankSets::Id set) {
    if (set >= sizes_.size()) sizes_.resize(std::size_t{set} + 1);
    if (sizes_[set] != 0) return sizes_[set];
    std::int32_t n = 0;
    for (std::int32_t r = 0; r < p_.ranks(); ++r) n += values_.sets().contains(set, u(r)) ? 1 : 0;
    return sizes_[set] = values_.sets().doubled(set) ? -std::max(1, n) : n;
  }

  void write(std::int32_t rank, std::uint64_t slot, SlotValue v, std::uint32_t cargo, std::int64_t time) {
    if (slot == BufferLayout::outside) return;
    Slot& s = slots_[slot];
    const std::uint32_t before = s.chunk;
    s.value = v;
    s.cargo = cargo;
    std::tie(s.chunk, s.held) = content(v);
    if (before != no_index && before != s.chunk) {
      auto& holders = holders_[key(rank, before)];
      std::erase(holders, slot);
      note(rank, before, time);
    }
    if (s.chunk == no_index) return;
    auto& holders = holders_[key(rank, s.chunk)];
    if (std::ranges::find(holders, slot) == holders.end()) holders.push_back(slot);
    note(rank, s.chunk, time);
  }

  [[nodiscard]] std::uint64_t key(std::int32_t rank, std::uint32_t chunk) const {
    return static_cast<std::uint64_t>(rank) * out_.chunks.size() + chunk;
  }

  // Records the largest number of contributions to a chunk in any slot of a rank.
  void note(std::int32_t rank, std::uint32_t chunk, std::int64_t time) {
    std::int32_t most = 0;
    for (const std::uint64_t slot : holders_[key(rank, chunk)]) {
      if (std::abs(slots_[slot].held) > std::abs(most)) most = slots_[slot].held;
    }
    set(rank, chunk, most, time);
  }
  void set(std::int32_t rank, std::uint32_t chunk, std::int32_t held, std::int64_t time) {
    std::int32_t& shown = shown_[key(rank, chunk)];
    if (shown == held) return;
    shown = held;
    out_.changes.push_back({time, rank, chunk, held});
  }

  // Determines when a step runs, and the messages that it receives and sends.
  void place(std::uint32_t s) {
    const GraphStep& step = p_.steps[s];
    const std::uint32_t c = chain_of(p_, s);
    const std::int32_t rank = p_.chains[c].rank;
    std::int32_t ready = 0;
    std::int32_t place = 0;
    const auto after = [&](std::uint32_t other) {
      ready = std::max(ready, out_.done[other]);
      place = std::max(place, out_.place[other] + 1);
    };
    if (s > p_.chains[c].first) after(s - 1);
    for (const Dependency& d : p_.deps_of(s)) after(d.step);
    const std::uint32_t message = step.in == no_index ? no_index : take(step.in);
    if (message != no_index) {
      Play::Message& m = out_.messages[message];
      ready = std::max(ready, m.begin + 1);
      place = std::max(place, out_.place[m.send_step] + 1);
      m.end = ready;
      m.recv_step = s;
      m.reduces = m.reduces || reduces(step.type);
    }
    out_.place[s] = place;
    const std::uint32_t sent = step.out == no_index ? no_index : open(s, step, rank, ready);
    in_[s] = message;
    sent_[s] = sent;
    ready_[s] = ready;
    out_.done[s] = sent == no_index ? ready : ready + 1;
    out_.end = std::max(out_.end, out_.done[s]);
  }

  std::uint32_t take(std::uint32_t connection) {
    Queue& q = queues_[connection];
    return q.read < q.messages.size() ? q.messages[q.read++] : no_index;
  }

  std::uint32_t open(std::uint32_t s, const GraphStep& step, std::int32_t rank, std::int32_t begin) {
    const auto message = static_cast<std::uint32_t>(out_.messages.size());
    const Connection& to = p_.connections[step.out];
    out_.messages.push_back({.begin = begin,
                             .end = begin + 1,
                             .src = rank,
                             .dst = to.dst,
                             .send_step = s,
                             .recv_step = no_index,
                             .cargo = {static_cast<std::uint32_t>(out_.cargo.size()), u(step.cnt)}});
    out_.cargo.resize(out_.cargo.size() + u(step.cnt));
    in_flight_.resize(out_.cargo.size());
    queues_[step.out].messages.push_back(message);
    return message;
  }

  // Applies a step to each of its chunks, like execute().
  void compute(std::uint32_t s) {
    const GraphStep& step = p_.steps[s];
    const std::int32_t rank = p_.chains[chain_of(p_, s)].rank;
    const std::uint32_t message = in_[s], sent = sent_[s];
    const std::int64_t time = time_of(s);
    const Range incoming = message == no_index ? Range{} : out_.messages[message].cargo;
    for (std::int32_t j = 0; j < step.cnt; ++j) {
      const auto [src, dst, adds] = access(p_, layout_, {}, step, rank, j);
      const std::uint32_t cargo = u(j) < incoming.count ? incoming.begin + u(j) : no_index;
      SlotValue v = cargo == no_index ? nothing : in_flight_[cargo];
      std::uint32_t brought = cargo;
      std::uint32_t twice = no_index;
      if (reduces(step.type)) {
        const SlotValue local = read(src);
        if (step.type == StepType::re) {
          v = values_.reduce(read(dst), local, twice);
          mark_added(src);
          brought = no_index;
        } else {
          v = values_.reduce(local, v, twice);
        }
      } else if (reads_src(step.type)) {
        v = read(src);
        brought = src == BufferLayout::outside ? no_index : slots_[src].cargo;
      }
      if (writes_dst(step.type) || adds) write(rank, dst, v, brought, time);
      if (cargo != no_index) {
        const auto [chunk, held] = content(v);
        if (chunk == out_.cargo[cargo].chunk) out_.cargo[cargo].held = held;
      }
      if (sent == no_index) continue;
      const std::uint32_t out = out_.messages[sent].cargo.begin + u(j);
      in_flight_[out] = v;
      std::tie(out_.cargo[out].chunk, out_.cargo[out].held) = content(v);
    }
  }

  [[nodiscard]] SlotValue read(std::uint64_t slot) const {
    return slot == BufferLayout::outside ? nothing : slots_[slot].value;
  }

  // Marks a message as a reduction if the copy of it is added.
  void mark_added(std::uint64_t src) {
    if (src == BufferLayout::outside || slots_[src].cargo == no_index) return;
    const std::uint32_t cargo = slots_[src].cargo;
    const auto at =
        std::ranges::upper_bound(out_.messages, cargo, {}, [](const Play::Message& m) { return m.cargo.begin; });
    if (at != out_.messages.begin()) std::prev(at)->reduces = true;
  }

  // Compares the final output with the result; chunks in other buffers do not count.
  void compare(const Execution& e) {
    if (!p_.relays.empty()) return;
    if (!divides()) ++out_.wrong;
    std::int64_t end = out_.end;
    for (const Picoseconds t : ready_ps_) end = std::max(end, t);
    for (std::int32_t r = 0; r < p_.ranks(); ++r) {
      const std::int64_t outputs = demanded(r);
      for (std::int64_t k = 0; k < outputs; ++k) {
        const std::uint64_t slot = layout_.slot(r, Buffer::output, k);
        const SlotValue found = slot == BufferLayout::outside ? nothing : e.slots[slot];
        const auto [chunk, held] = content(found);
        const std::uint32_t wanted = wanted_at(r, k);
        if (chunk == wanted && held == out_.needed) {
          set(r, wanted, held, end);
          continue;
        }
        ++out_.wrong;
        set(r, wanted, chunk == wanted ? held : 0, end);
      }
    }
  }

  // Returns whether every rank has a shard.
  [[nodiscard]] bool divides() const {
    using enum Collective;
    const Collective c = p_.collective;
    return (c != reduce_scatter && c != all_gather && c != all_to_all) || p_.chunks % p_.ranks() == 0;
  }

  [[nodiscard]] std::int64_t demanded(std::int32_t rank) const {
    using enum Collective;
    const Collective c = p_.collective;
    const bool known =
        c == all_reduce || c == reduce_scatter || c == all_gather || c == all_to_all || c == broadcast;
    if (!divides()) return 0;
    return known || (c == reduce && rank == root_) ? output_chunks(c, p_.chunks, p_.ranks()) : 0;
  }

  [[nodiscard]] std::uint32_t wanted_at(std::int32_t rank, std::int64_t k) const {
    const std::int64_t part = std::max(1, p_.chunks / p_.ranks());
    switch (p_.collective) {
      case Collective::reduce_scatter: return static_cast<std::uint32_t>(rank * part + k);
      case Collective::all_to_all: return static_cast<std::uint32_t>(k / part * stride_ + rank * part + k % part);
      default: return static_cast<std::uint32_t>(k);
    }
  }

  void finish() {
    std::ranges::stable_sort(out_.changes, {}, &Play::Change::time);
    const auto unfinished = [](const Play::Message& m) { return m.recv_step == no_index; };
    for (Play::Message& m : out_.messages) {
      if (unfinished(m)) m.end = std::max(m.end, out_.end);
    }
    std::ranges::stable_sort(out_.messages, [](const Play::Message& a, const Play::Message& b) {
      return std::tie(a.begin, a.src, a.dst) < std::tie(b.begin, b.src, b.dst);
    });
  }

  const StepGraph& p_;
  BufferLayout layout_;
  Values values_;
  Collective collective_;              // of all ranks except relays
  std::vector<std::int32_t> members_;  // these ranks
  std::span<const Picoseconds> ready_ps_;
  std::vector<std::int32_t> ready_;  // by step: time of its result, in steps
  std::vector<std::uint32_t> in_;    // by step: the message that it receives
  std::vector<std::uint32_t> sent_;  // by step: the message that it sends
  bool sums_ = false;
  std::int32_t part_ = 1;  // chunks of a rank
  std::int32_t root_ = 0;
  std::int64_t stride_ = 0;           // chunks of an owner
  std::vector<Queue> queues_;         // by connection
  std::vector<SlotValue> in_flight_;  // by cargo
  std::vector<Slot> slots_;
  std::vector<std::int32_t> sizes_;                                        // of sets of ranks
  std::unordered_map<std::uint64_t, std::vector<std::uint64_t>> holders_;  // slots, by rank and chunk
  std::unordered_map<std::uint64_t, std::int32_t> shown_;
  Play out_;
};

}  // namespace

Play play(const StepGraph& graph, std::span<const Picoseconds> ready_ps) {
  Play out = Player(graph, graph.inplace, ready_ps).run();
  if (!graph.inplace || !graph.outofplace || out.wrong > 0) return out;
  Play other = Player(graph, false, ready_ps).run();
  return other.wrong > 0 ? other : out;
}

}  // namespace convert
