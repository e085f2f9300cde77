// SPDX-License-Identifier: MIT
#include "passes/verify/step_graph.h"

#include <algorithm>

namespace convert {
namespace {

std::size_t hash(std::int32_t src, std::int32_t dst, std::int64_t channel) {
  std::uint64_t h =
      (static_cast<std::uint64_t>(static_cast<std::uint32_t>(src)) << 32) | static_cast<std::uint32_t>(dst);
  h ^= static_cast<std::uint64_t>(channel) * 0x9e3779b97f4a7c15ULL;
  h *= 0xbf58476d1ce4e5b9ULL;
  return static_cast<std::size_t>(h ^ (h >> 29));
}

class Builder {
 public:
  explicit Builder(const Algorithm& a) : a_(a), connections_(p_.connections), published_(published_steps(a)) {}

  StepGraph build() {
    static_cast<StepHeader&>(p_) = header_of(a_);
    p_.file = a_.file;
    p_.chains.reserve(a_.tbs.size());
    p_.steps.reserve(a_.steps.size() + 1);
    graph_step_.assign(a_.steps.size(), no_index);
    std::int32_t rank = 0;
    for (const Gpu& gpu : a_.gpus) {
      p_.buffers.push_back({gpu.i_chunks, gpu.o_chunks, gpu.s_chunks, gpu.copies});
      p_.rank_chain_begin.push_back(static_cast<std::uint32_t>(p_.chains.size()));
      for (const Threadblock& tb : a_.threadblocks(gpu)) add_threadblock(tb, gpu, rank);
      ++rank;
    }
    p_.rank_chain_begin.push_back(static_cast<std::uint32_t>(p_.chains.size()));
    p_.steps.push_back({.dep_begin = static_cast<std::uint32_t>(p_.deps.size())});
    for (Dependency& d : p_.deps) {  // until now: algorithm steps
      if (d.step != no_index) d.step = graph_step_[d.step];
      if (d.step != no_index) p_.steps[d.step].awaited = true;
    }
    index_messages(p_);
    return std::move(p_);
  }

 private:
  void add_threadblock(const Threadblock& tb, const Gpu& gpu, std::int32_t rank) {
    const auto self = static_cast<std::uint32_t>(p_.chains.size());
    const auto ranks = static_cast<std::int32_t>(a_.gpus.size());
    Chain chain{static_cast<std::uint32_t>(p_.steps.size()), 0, rank};
    std::uint32_t out = no_index;
    std::uint32_t in = no_index;
    std::uint32_t dep_begin = static_cast<std::uint32_t>(p_.deps.size());
    for (std::uint32_t i = tb.first_step; i < tb.first_step + tb.step_count; ++i) {
      const Step& s = a_.steps[i];
      add_dependency(s, i, tb, gpu, self);
      if (s.type == StepType::nop) continue;  // the next step waits for its dependency
      GraphStep& step = p_.steps.emplace_back();
      data_of(step) = data_of(s);
      step.cnt = s.cnt > 0 && s.cnt <= max_step_chunks ? s.cnt : 0;
      step.dep_begin = dep_begin;
      step.source = i;
      if (sends(s.type) && tb.send >= 0 && tb.send < ranks) {
        if (out == no_index) out = connections_.get(rank, tb.send, tb.chan);
        step.out = out;
        ++p_.connections[out].sends;
      }
      if (receives(s.type) && tb.recv >= 0 && tb.recv < ranks) {
        if (in == no_index) in = connections_.get(tb.recv, rank, tb.chan);
        step.in = in;
        ++p_.connections[in].recvs;
      }
      graph_step_[i] = static_cast<std::uint32_t>(p_.steps.size() - 1);
      dep_begin = static_cast<std::uint32_t>(p_.deps.size());
      ++chain.count;
    }
    p_.deps.resize(dep_begin);  // trailing nops order nothing
    p_.chains.push_back(chain);
  }

  void add_dependency(const Step& s, std::uint32_t index, const Threadblock& tb, const Gpu& gpu,
                      std::uint32_t self) {
    if (s.depid < 0 || s.deps < 0 || static_cast<std::uint32_t>(s.depid) >= gpu.tb_count) return;
    const std::uint32_t chain = gpu.first_tb + static_cast<std::uint32_t>(s.depid);
    const Threadblock& target = a_.tbs[chain];
    if (static_cast<std::uint32_t>(s.deps) >= target.step_count) return;
    const std::uint32_t step = target.first_step + static_cast<std::uint32_t>(s.deps);
    if (&target == &tb) {  // own threadblock: an earlier step is always done; the same or a later one never
      if (step >= index) p_.deps.push_back({no_index, self});
      return;
    }
    p_.deps.push_back({published_[step], chain});
  }

  const Algorithm& a_;
  StepGraph p_;
  ConnectionTable connections_;
  std::vector<std::uint32_t> published_;
  std::vector<std::uint32_t> graph_step_;  // by algorithm step
};

}  // namespace

StepHeader header_of(const Algorithm& a) {
  return {.collective = a.collective,
          .protocol = a.protocol,
          .chunks = a.chunks,
          .inplace = a.inplace,
          .outofplace = runs_outofplace(a),
          .scheduled = a.scheduled,
          .relays = a.relays,
          .among_others = a.relays.empty() ? Collective::custom : a.among_others,
          .max_bytes = a.max_bytes};
}

std::uint32_t ConnectionTable::get(std::int32_t src, std::int32_t dst, std::int64_t channel) {
  const auto same = [&](std::uint32_t n) {
    const Connection& c = connections_[n];
    return c.src == src && c.dst == dst && c.channel == channel;
  };
  const auto hash_of = [&](std::uint32_t n) {
    const Connection& c = connections_[n];
    return hash(c.src, c.dst, c.channel);
  };
  const auto next = static_cast<std::uint32_t>(connections_.size());
  const std::uint32_t found = index_.find_or_add(hash(src, dst, channel), next, same, hash_of);
  if (found == next) connections_.push_back({.src = src, .dst = dst, .channel = channel});
  return found;
}

void index_messages(StepGraph& graph) {
  std::uint32_t sends = 0;
  std::uint32_t recvs = 0;
  for (Connection& c : graph.connections) {
    c.send_begin = sends;
    c.recv_begin = recvs;
    sends += c.sends;
    recvs += c.recvs;
    c.sends = c.recvs = 0;
  }
  graph.send_steps.resize(sends);
  graph.recv_steps.resize(recvs);
  for (std::uint32_t s = 0; s < graph.step_count(); ++s) {
    const GraphStep& step = graph.steps[s];
    if (step.out != no_index) {
      Connection& c = graph.connections[step.out];
      graph.send_steps[c.send_begin + c.sends++] = s;
    }
    if (step.in != no_index) {
      Connection& c = graph.connections[step.in];
      graph.recv_steps[c.recv_begin + c.recvs++] = s;
    }
  }
}

namespace {

// Returns the range, ascending by `first`, that contains a place. Empty ranges share their first place with others.
template <class Range>
std::uint32_t holder(const std::vector<Range>& ranges, std::uint32_t place, std::uint32_t Range::*first,
                     std::uint32_t Range::*count) {
  const auto after = std::ranges::upper_bound(ranges, place, {}, first);
  auto found = static_cast<std::uint32_t>(after - ranges.begin()) - 1;
  while (place >= ranges[found].*first + ranges[found].*count) --found;
  return found;
}

}  // namespace

std::string rank_word(const StepGraph& graph) {
  return graph.of_places ? "member " : graph.from_traces ? "rank " : "gpu ";
}

std::string connection_text(const StepGraph& graph, const Connection& c) {
  return rank_word(graph) + std::to_string(c.src) + " → " + rank_word(graph) + std::to_string(c.dst) +
         (graph.from_traces ? " with tag " : " on channel ") + std::to_string(c.channel);
}

std::uint32_t chain_of(const StepGraph& graph, std::uint32_t step) {
  return holder(graph.chains, step, &Chain::first, &Chain::count);
}

StepGraph make_step_graph(const Algorithm& algorithm) {
  StepGraph p = Builder(algorithm).build();
  const Algorithm* a = &algorithm;
  // The lookups use the source index, so they also work for copies of the graph.
  std::vector<std::uint32_t> source(p.step_count());
  for (std::uint32_t s = 0; s < p.step_count(); ++s) source[s] = p.steps[s].source;
  p.locate = [a, source](std::uint32_t s) {
    const Step& step = a->steps[source[s]];
    return Location{.file = a->file, .line = step.line, .column = step.column};
  };
  p.locate_rank = [a](std::int32_t rank) {
    return Location{.file = a->file, .line = a->gpus[static_cast<std::size_t>(rank)].line};
  };
  p.describe = [a, source](std::uint32_t s) {
    const std::uint32_t tb = holder(a->tbs, source[s], &Threadblock::first_step, &Threadblock::step_count);
    const std::uint32_t gpu = holder(a->gpus, tb, &Gpu::first_tb, &Gpu::tb_count);
    return "gpu " + std::to_string(gpu) + " threadblock " + std::to_string(tb - a->gpus[gpu].first_tb) + " step " +
           std::to_string(source[s] - a->tbs[tb].first_step) + " (" + std::string(name(a->steps[source[s]].type)) +
           ")";
  };
  return p;
}

}  // namespace convert
