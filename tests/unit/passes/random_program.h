// SPDX-License-Identifier: MIT
// Random valid programs, and the order of their steps as a table.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "passes/verify/reach.h"
#include "passes/verify/step_graph.h"

namespace convert::test {

// A valid program, created by playing it: chains of random steps over few chunks, dependencies on steps already
// played, and messages that arrive after some time.
class RandomProgram {
 public:
  RandomProgram(unsigned seed, std::uint32_t steps) : random_(seed) {
    ranks_ = 1 + pick(4);
    chains_.resize(ranks_ * (1 + pick(6)));
    program_.scheduled = pick(2) == 0;
    program_.buffers.assign(ranks_, {.i_chunks = 4, .o_chunks = 4, .s_chunks = 4, .copies = {}});
    density_ = 1 + pick(4);
    for (std::uint32_t i = 0; i < steps; ++i) play(random_type());
    while (!pending_.empty()) play(StepType::recv);
    flatten();
  }
  [[nodiscard]] const StepGraph& program() const { return program_; }
  std::uint32_t pick(std::uint32_t below) { return static_cast<std::uint32_t>(random_() % below); }

 private:
  struct Played {
    GraphStep step;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> waits;  // chain, position
  };
  using Wire = std::pair<std::uint32_t, std::uint32_t>;  // chains

  [[nodiscard]] std::uint32_t rank_of(std::uint32_t chain) const {
    return chain / static_cast<std::uint32_t>(chains_.size() / ranks_);
  }
  StepType random_type() {
    using enum StepType;
    constexpr std::array types{send, send, send, recv, rcs, rrs, rrc, rrc, rrcs, cpy, cpy, re};
    return types.at(pick(types.size()));
  }
  std::uint32_t connection(Wire wire) {
    const auto [at, added] =
        connection_of_.try_emplace(wire, static_cast<std::uint32_t>(program_.connections.size()));
    if (added) {
      program_.connections.push_back({.src = static_cast<std::int32_t>(rank_of(wire.first)),
                                      .dst = static_cast<std::int32_t>(rank_of(wire.second)),
                                      .channel = static_cast<std::int64_t>(program_.connections.size())});
    }
    return at->second;
  }

  void play(StepType type) {
    std::uint32_t chain = pick(static_cast<std::uint32_t>(chains_.size()));
    Played played;
    if (receives(type)) {
      if (pending_.empty()) return;
      const auto at = pending_.begin() + pick(static_cast<std::uint32_t>(pending_.size()));
      chain = at->second;
      played.step.in = connection(*at);
      pending_.erase(at);
    }
    if (sends(type)) {
      const std::uint32_t to = pick(static_cast<std::uint32_t>(chains_.size()));
      if (rank_of(to) == rank_of(chain)) {
        if (!receives(type)) return;
        type = StepType::rrc;
      } else {
        played.step.out = connection({chain, to});
        pending_.emplace_back(chain, to);
      }
    }
    played.step.type = type;
    played.step.src_buf = static_cast<Buffer>(pick(2));
    played.step.dst_buf = pick(3) == 0 ? static_cast<Buffer>(pick(3)) : played.step.src_buf;
    played.step.src_off = static_cast<std::int32_t>(pick(4));
    played.step.dst_off = pick(3) == 0 ? static_cast<std::int32_t>(pick(4)) : played.step.src_off;
    played.step.cnt = static_cast<std::int32_t>(pick(4) == 0 ? 2 : 1);
    wait_for_some(chain, played);
    chains_[chain].push_back(played);
  }

  void wait_for_some(std::uint32_t chain, Played& played) {
    while (pick(4) < density_ && played.waits.size() < 3) {
      const std::uint32_t other = pick(static_cast<std::uint32_t>(chains_.size()));
      if (other == chain || rank_of(other) != rank_of(chain) || chains_[other].empty()) return;
      played.waits.emplace_back(other, pick(static_cast<std::uint32_t>(chains_[other].size())));
    }
  }

  void flatten() {
    std::vector<std::uint32_t> first;
    for (std::uint32_t c = 0; c < chains_.size(); ++c) {
      first.push_back(static_cast<std::uint32_t>(c == 0 ? 0 : first.back() + chains_[c - 1].size()));
    }
    for (std::uint32_t c = 0; c < chains_.size(); ++c) {
      program_.chains.push_back(
          {first[c], static_cast<std::uint32_t>(chains_[c].size()), static_cast<std::int32_t>(rank_of(c))});
      for (Played& p : chains_[c]) {
        p.step.dep_begin = static_cast<std::uint32_t>(program_.deps.size());
        for (const auto& [chain, position] : p.waits) program_.deps.push_back({first[chain] + position, chain});
        program_.steps.push_back(p.step);
        if (p.step.out != no_index) ++program_.connections[p.step.out].sends;
        if (p.step.in != no_index) ++program_.connections[p.step.in].recvs;
      }
    }
    program_.steps.push_back({.dep_begin = static_cast<std::uint32_t>(program_.deps.size())});
    for (const Dependency& d : program_.deps) program_.steps[d.step].awaited = true;
    index_messages(program_);
  }

  std::mt19937 random_;
  std::uint32_t ranks_ = 1;
  std::uint32_t density_ = 1;
  std::vector<std::vector<Played>> chains_;
  std::vector<Wire> pending_;  // messages in flight
  std::map<Wire, std::uint32_t> connection_of_;
  StepGraph program_;
};

// Order of steps, as a table.
class Closure {
 public:
  Closure(const StepGraph& p, std::span<const StepPair> edges, std::span<const std::uint32_t> order)
      : words_((p.step_count() + 63) / 64), before_(std::size_t{p.step_count()} * words_) {
    std::vector<std::vector<std::uint32_t>> from(p.step_count());
    for (const StepPair& e : edges) from[e.to].push_back(e.from);
    for (const std::uint32_t s : order) {
      for (const std::uint32_t f : from[s]) {
        for (std::size_t w = 0; w < words_; ++w) before_[s * words_ + w] |= before_[f * words_ + w];
        before_[s * words_ + f / 64] |= std::uint64_t{1} << (f % 64);
      }
    }
  }
  [[nodiscard]] bool ordered(std::uint32_t from, std::uint32_t to) const {
    return from == to || ((before_[to * words_ + from / 64] >> (from % 64)) & 1U) != 0;
  }

 private:
  std::size_t words_;
  std::vector<std::uint64_t> before_;
};

}  // namespace convert::test
