// SPDX-License-Identifier: MIT
#include "collectives/builder.h"

#include <algorithm>
#include <cassert>

#include "core/algorithm/messages.h"
#include "core/diagnostic.h"

namespace convert::collectives {
namespace {

// Limits memory to about 1 GiB while an algorithm is built.
constexpr std::uint64_t max_steps = std::uint64_t{1} << 24;
constexpr std::uint64_t max_slots = std::uint64_t{1} << 24;

constexpr std::int32_t local_lane = -1;  // threadblocks for copies

std::uint64_t pair_key(std::int32_t high, std::int32_t low) {
  return (static_cast<std::uint64_t>(static_cast<std::uint32_t>(high)) << 32) | static_cast<std::uint32_t>(low);
}

Error too_large(const char* what, std::uint64_t limit) {
  return usage_error("the program has more than " + std::to_string(limit) + " " + what +
                     "; use fewer ranks or chunks, or an algorithm with fewer steps");
}

}  // namespace

void Round::add(const Hop& hop, Arrival arrival, std::span<const Chunks> chunks) {
  std::vector<Piece> pieces;
  pieces.reserve(chunks.size());
  for (const Chunks& c : chunks) pieces.push_back({c, c});
  add(hop, arrival, std::move(pieces));
}

AlgorithmBuilder::AlgorithmBuilder(Collective collective, std::int32_t ranks, std::int64_t chunks,
                                   Protocol protocol, bool inplace, std::optional<std::int64_t> largest_call)
    : collective_(collective), protocol_(protocol), inplace_(inplace) {
  if (static_cast<std::uint64_t>(chunks) > max_slots / static_cast<std::uint64_t>(ranks))
    throw too_large("chunks on all ranks", max_slots);
  chunks_ = static_cast<std::int32_t>(chunks);
  ranks_.resize(static_cast<std::size_t>(ranks));
  if (largest_call)
    most_chunks_ = chunks_per_message(least_message_bytes(protocol, collective), *largest_call, chunks_);
}

std::vector<Piece> AlgorithmBuilder::split(std::span<const Piece> pieces) const {
  std::vector<Piece> out;
  for (const Piece& p : pieces) {
    for (std::int32_t done = 0; done < p.src.count; done += most_chunks_) {
      const std::int32_t count = std::min(most_chunks_, p.src.count - done);
      out.push_back({{p.src.buffer, p.src.first + done, count}, {p.dst.buffer, p.dst.first + done, count}});
    }
  }
  return out;
}

void AlgorithmBuilder::run(const Round& round, bool in_turn) {
  std::vector<std::vector<Piece>> pieces;
  std::size_t turns = 0;
  for (const Round::Entry& e : round.entries_) {
    pieces.push_back(split(e.pieces));
    turns = std::max(turns, pieces.back().size());
  }
  const auto in_flight = static_cast<std::size_t>(fifo_slots(protocol_));
  for (std::size_t turn = 0; turn < turns; turn += in_flight) {
    const auto for_pieces = [&](const auto& work) {
      for (std::size_t i = 0; i < pieces.size(); ++i) {
        const std::size_t end = std::min(turn + in_flight, pieces[i].size());
        for (std::size_t k = turn; k < end; ++k) work(round.entries_[i], pieces[i][k]);
      }
    };
    for_pieces([&](const Round::Entry& e, const Piece& p) { send(e.hop, p, in_turn); });
    for_pieces([&](const Round::Entry& e, const Piece& p) { receive(e.hop, p, e.arrival); });
  }
}

void AlgorithmBuilder::relay(std::span<const Round> rounds) {
  const std::size_t pieces = rounds.front().entries_.front().pieces.size();
  const auto in_flight = static_cast<std::size_t>(fifo_slots(protocol_));
  for (std::size_t first = 0; first < pieces; first += in_flight) {
    const std::size_t end = std::min(first + in_flight, pieces);
    const auto send_all = [&](const Round& round, std::size_t piece) {
      for (const Round::Entry& e : round.entries_) send(e.hop, e.pieces[piece], false);
    };
    for (std::size_t k = first; k < end; ++k) send_all(rounds.front(), k);
    for (std::size_t t = 0; t < rounds.size(); ++t) {
      for (std::size_t k = first; k < end; ++k) {
        for (const Round::Entry& e : rounds[t].entries_) receive(e.hop, e.pieces[k], e.arrival);
        if (t + 1 < rounds.size()) send_all(rounds[t + 1], k);
      }
    }
  }
}

std::uint32_t AlgorithmBuilder::threadblock(std::int32_t rank, std::int32_t channel, std::int32_t lane) {
  RankState& state = ranks_[static_cast<std::size_t>(rank)];
  const auto [at, added] =
      state.tb_of.try_emplace(pair_key(channel, lane), static_cast<std::uint32_t>(state.tbs.size()));
  if (added) state.tbs.emplace_back().channel = channel;
  return at->second;
}

// There are few channels and at most max_slots ranks, so two ranks and a channel fit in one key.
std::uint32_t AlgorithmBuilder::connection(const Hop& hop) {
  assert(hop.channel >= 0 && hop.channel < max_channels);
  const std::uint64_t key =
      (pair_key(hop.from, hop.to) << 5) + static_cast<std::uint64_t>(static_cast<std::uint32_t>(hop.channel));
  const auto [at, added] = connection_of_.try_emplace(key, static_cast<std::uint32_t>(connections_.size()));
  if (added) connections_.emplace_back();
  return at->second;
}

AlgorithmBuilder::Pending AlgorithmBuilder::pending(StepType type, const Chunks& src, const Chunks& dst) {
  Pending step{.type = type, .src_buf = src.buffer, .dst_buf = dst.buffer};
  step.src_off = src.first;
  step.dst_off = dst.first;
  step.cnt = dst.count;
  return step;
}

void AlgorithmBuilder::send(const Hop& hop, const Piece& piece, bool in_turn) {
  RankState& rank = ranks_[static_cast<std::size_t>(hop.from)];
  const std::uint32_t number = threadblock(hop.from, hop.channel, hop.send_lane);
  Tb& tb = rank.tbs[number];
  if (tb.send < 0) {
    tb.send = hop.to;
    tb.out = connection(hop);
  }
  assert(tb.send == hop.to);
  Pending step = pending(StepType::send, piece.src, piece.dst);
  const Ref self{number, static_cast<std::uint32_t>(tb.steps.size())};
  const Pending* previous = tb.steps.empty() ? nullptr : &tb.steps.back();
  // A fused step receives its message only when it sends; until then the message occupies a slot of its connection.
  step.may_fuse = !in_turn && previous != nullptr && receives(previous->type) && previous->cnt == step.cnt &&
                  previous->dst_buf == step.src_buf && previous->dst_off == step.src_off &&
                  connections_[tb.in].sent - connections_[tb.in].received + 1 <= fifo_slots(protocol_);
  std::vector<Ref> deps;
  if (in_turn && rank.last.tb != none) deps.push_back(rank.last);
  const Ref fused = step.may_fuse ? Ref{number, self.step - 1} : Ref{};
  read(rank, piece.src, self, deps, fused);
  reduce_dependencies(tb, number, deps);
  if (step.may_fuse && !deps.empty()) {
    step.may_fuse = false;
    tb.steps.back().needed = true;
  }
  add_step(rank, number, step, deps);
  Connection& c = connections_[tb.out];
  ++c.sent;
  assert(c.sent - c.received <= fifo_slots(protocol_));
}

void AlgorithmBuilder::receive(const Hop& hop, const Piece& piece, Arrival arrival) {
  RankState& rank = ranks_[static_cast<std::size_t>(hop.to)];
  const std::uint32_t number = threadblock(hop.to, hop.channel, hop.recv_lane);
  Tb& tb = rank.tbs[number];
  if (tb.recv < 0) {
    tb.recv = hop.from;
    tb.in = connection(hop);
  }
  assert(tb.recv == hop.from);
  // Runtimes take src as the local operand of a reduction. For a plain receive, src is only the address at the
  // sender.
  const bool reduces = arrival == Arrival::reduce;
  const Pending step =
      reduces ? pending(StepType::rrc, piece.dst, piece.dst) : pending(StepType::recv, piece.src, piece.dst);
  const Ref self{number, static_cast<std::uint32_t>(tb.steps.size())};
  std::vector<Ref> deps;
  if (reduces) read(rank, piece.dst, self, deps);
  write(rank, piece.dst, self, deps);
  reduce_dependencies(tb, number, deps);
  add_step(rank, number, step, deps);
  ++connections_[tb.in].received;
}

void AlgorithmBuilder::copy(std::int32_t rank_number, const Chunks& src, const Chunks& dst) {
  RankState& rank = ranks_[static_cast<std::size_t>(rank_number)];
  const std::uint32_t number = threadblock(rank_number, 0, local_lane);
  for (const Piece& p : split(std::vector<Piece>{{src, dst}})) {
    Tb& tb = rank.tbs[number];
    const Ref self{number, static_cast<std::uint32_t>(tb.steps.size())};
    std::vector<Ref> deps;
    read(rank, p.src, self, deps);
    write(rank, p.dst, self, deps);
    reduce_dependencies(tb, number, deps);
    add_step(rank, number, pending(StepType::cpy, p.src, p.dst), deps);
  }
}

void AlgorithmBuilder::add_step(RankState& rank, std::uint32_t number, const Pending& step,
                                const std::vector<Ref>& deps) {
  if (++steps_ > max_steps) throw too_large("steps", max_steps);
  Tb& tb = rank.tbs[number];
  for (const Ref& d : deps) {
    tb.waited[d.tb] = d.step;
    rank.tbs[d.tb].steps[d.step].awaited = true;
  }
  rank.last = {number, static_cast<std::uint32_t>(tb.steps.size())};
  tb.steps.push_back(step);
  tb.steps.back().dep_begin = static_cast<std::uint32_t>(tb.deps.size());
  tb.deps.insert(tb.deps.end(), deps.begin(), deps.end());
}

AlgorithmBuilder::Slot& AlgorithmBuilder::slot(RankState& rank, Buffer buffer, std::int32_t index) {
  auto& slots = rank.slots[static_cast<std::size_t>(buffer)];
  if (slots.size() <= static_cast<std::size_t>(index)) slots.resize(static_cast<std::size_t>(index) + 1);
  return slots[static_cast<std::size_t>(index)];
}

void AlgorithmBuilder::read(RankState& rank, const Chunks& chunks, Ref by, std::vector<Ref>& deps, Ref fused) {
  for (std::int32_t i = 0; i < chunks.count; ++i) {
    Slot& s = slot(rank, chunks.buffer, chunks.first + i);
    if (s.writer.tb != none) {
      deps.push_back(s.writer);
      if (s.writer != fused) rank.tbs[s.writer.tb].steps[s.writer.step].needed = true;
    }
    readers_.push_back({by, s.readers});
    s.readers = static_cast<std::uint32_t>(readers_.size() - 1);
  }
}

void AlgorithmBuilder::write(RankState& rank, const Chunks& chunks, Ref by, std::vector<Ref>& deps) {
  for (std::int32_t i = 0; i < chunks.count; ++i) {
    Slot& s = slot(rank, chunks.buffer, chunks.first + i);
    if (s.writer.tb != none) {
      deps.push_back(s.writer);
      ++rank.tbs[s.writer.tb].steps[s.writer.step].overwritten;
    }
    for (std::uint32_t r = s.readers; r != none; r = readers_[r].next) {
      if (readers_[r].ref != by) deps.push_back(readers_[r].ref);
    }
    s = {by, none};
  }
}

void AlgorithmBuilder::reduce_dependencies(const Tb& tb, std::uint32_t own, std::vector<Ref>& deps) {
  std::erase_if(deps, [&](const Ref& d) {
    if (d.tb == own) return true;
    const auto known = tb.waited.find(d.tb);
    return known != tb.waited.end() && known->second >= d.step;
  });
  std::sort(deps.begin(), deps.end(),
            [](const Ref& a, const Ref& b) { return a.tb != b.tb ? a.tb < b.tb : a.step > b.step; });
  deps.erase(std::unique(deps.begin(), deps.end(), [](const Ref& a, const Ref& b) { return a.tb == b.tb; }),
             deps.end());
}

// Counts chunks that remain in the buffers at the end but are not results as overwritten.
void AlgorithmBuilder::mark_unneeded_results(RankState& rank, std::int32_t number, std::int32_t root) {
  const std::int32_t part = chunks_ / static_cast<std::int32_t>(ranks_.size());
  const auto is_result = [&](std::size_t buffer, std::size_t index) {
    if (buffer == static_cast<std::size_t>(Buffer::scratch)) return false;
    if (collective_ == Collective::reduce) return number == root;
    if (collective_ == Collective::reduce_scatter) return static_cast<std::int32_t>(index) / part == number;
    return true;
  };
  for (std::size_t b = 0; b < 3; ++b) {
    for (std::size_t i = 0; i < rank.slots[b].size(); ++i) {
      const Ref w = rank.slots[b][i].writer;
      if (w.tb == none || is_result(b, i)) continue;
      ++rank.tbs[w.tb].steps[w.step].overwritten;
    }
  }
}

std::size_t AlgorithmBuilder::dep_count(const Tb& tb, std::size_t i) {
  const std::size_t end = i + 1 < tb.steps.size() ? tb.steps[i + 1].dep_begin : tb.deps.size();
  return end - tb.steps[i].dep_begin;
}

bool AlgorithmBuilder::fused(const Tb& tb, std::size_t i) {
  return i < tb.steps.size() && tb.steps[i].may_fuse && !tb.steps[i - 1].awaited;
}

std::vector<std::int32_t> AlgorithmBuilder::positions(const Tb& tb) {
  std::vector<std::int32_t> result;
  std::int32_t next = 0;
  for (std::size_t i = 0; i < tb.steps.size(); ++i) {
    if (!fused(tb, i)) next += std::max(static_cast<std::int32_t>(dep_count(tb, i)), 1);
    result.push_back(next - 1);
  }
  return result;
}

void AlgorithmBuilder::emit_rank(const RankState& rank, Algorithm& out) {
  std::vector<std::vector<std::int32_t>> position;
  for (const Tb& tb : rank.tbs) position.push_back(positions(tb));
  for (const Tb& tb : rank.tbs) {
    const auto first = static_cast<std::uint32_t>(out.steps.size());
    for (std::size_t i = 0; i < tb.steps.size(); ++i) {
      const Pending& p = tb.steps[i];
      const std::size_t deps = dep_count(tb, i);
      Step s;
      for (std::size_t d = 0; d < deps; ++d) {
        const Ref& target = tb.deps[p.dep_begin + d];
        s.depid = static_cast<std::int32_t>(target.tb);
        s.deps = position[target.tb][target.step];
        if (d + 1 < deps) out.steps.push_back(s);  // a nop
      }
      s.type = p.type;
      s.src_buf = p.src_buf;
      s.src_off = p.src_off;
      s.dst_buf = p.dst_buf;
      s.dst_off = p.dst_off;
      s.cnt = p.cnt;
      s.hasdep = p.awaited;
      if (fused(tb, i + 1)) {
        const bool stores = p.needed || p.overwritten < p.cnt;
        s.type = p.type == StepType::recv ? StepType::rcs : stores ? StepType::rrcs : StepType::rrs;
        s.hasdep = tb.steps[++i].awaited;
      }
      out.steps.push_back(s);
    }
    out.tbs.push_back({.send = tb.send,
                       .recv = tb.recv,
                       .chan = tb.channel,
                       .first_step = first,
                       .step_count = static_cast<std::uint32_t>(out.steps.size()) - first});
  }
}

Algorithm AlgorithmBuilder::finish(std::string name, std::int32_t root) {
  Algorithm a;
  a.file = name;
  a.name = std::move(name);
  a.collective = collective_;
  a.collective_text = msccl_name(collective_);
  a.protocol = protocol_;
  a.chunks = chunks_;
  a.inplace = inplace_;
  const auto ranks = static_cast<std::int32_t>(ranks_.size());
  for (std::int32_t r = 0; r < ranks; ++r) {
    RankState& rank = ranks_[static_cast<std::size_t>(r)];
    mark_unneeded_results(rank, r, root);
    Gpu& gpu = a.gpus.emplace_back();
    // An in-place algorithm uses only the larger of input and output.
    const bool output_only = inplace_ && collective_ == Collective::all_gather;
    gpu.i_chunks = output_only ? 0 : input_chunks(collective_, chunks_, ranks);
    gpu.o_chunks = inplace_ && !output_only ? 0 : output_chunks(collective_, chunks_, ranks);
    gpu.s_chunks = static_cast<std::int32_t>(rank.slots[static_cast<std::size_t>(Buffer::scratch)].size());
    gpu.first_tb = static_cast<std::uint32_t>(a.tbs.size());
    gpu.tb_count = static_cast<std::uint32_t>(rank.tbs.size());
    for (const Tb& tb : rank.tbs) a.channels = std::max(a.channels, tb.channel + 1);
    emit_rank(rank, a);
    rank = {};
  }
  return a;
}

}  // namespace convert::collectives
