// SPDX-License-Identifier: MIT
#include "passes/verify/races.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <tuple>
#include <utility>

#include "passes/ten/check.h"
#include "passes/ten/program.h"
#include "passes/verify/reach.h"
#include "passes/verify/verify.h"
#include "unit/passes/algorithms.h"
#include "unit/passes/ten_builder.h"

namespace convert {
namespace {

using test::make_algorithm;
using test::Tb;

// A program that runs, made by playing it: chains of random steps over few chunks, dependencies on what has been
// played, and messages that arrive some time later.
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
  [[nodiscard]] const Program& program() const { return program_; }
  std::uint32_t pick(std::uint32_t below) { return static_cast<std::uint32_t>(random_() % below); }

 private:
  struct Played {
    ProgramStep step;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> waits;  // chain, position
  };
  using Link = std::pair<std::uint32_t, std::uint32_t>;  // chains

  [[nodiscard]] std::uint32_t rank_of(std::uint32_t chain) const {
    return chain / static_cast<std::uint32_t>(chains_.size() / ranks_);
  }
  StepType random_type() {
    using enum StepType;
    constexpr std::array types{send, send, send, recv, rcs, rrs, rrc, rrc, rrcs, cpy, cpy, re};
    return types.at(pick(types.size()));
  }
  std::uint32_t connection(Link link) {
    const auto [at, added] =
        connection_of_.try_emplace(link, static_cast<std::uint32_t>(program_.connections.size()));
    if (added) {
      program_.connections.push_back({.src = static_cast<std::int32_t>(rank_of(link.first)),
                                      .dst = static_cast<std::int32_t>(rank_of(link.second)),
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
  std::vector<Link> pending_;  // messages on their way
  std::map<Link, std::uint32_t> connection_of_;
  Program program_;
};

// Who comes before whom, as a table.
class Closure {
 public:
  Closure(const Program& p, std::span<const StepPair> edges, std::span<const std::uint32_t> order)
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

// The search as one would write it down: every access is compared, at once, with the write, the reads and the sums
// before it.
class PlainSearch {
 public:
  PlainSearch(const Program& p, const BufferLayout& layout, const ExecuteOptions& options,
              std::span<const std::uint32_t> order)
      : within_(p, within(p), order) {
    std::vector<StepPair> edges = within(p);
    add_message_edges(p, edges);
    const Closure across(p, edges, order);
    for (const std::uint32_t s : order) {
      const ProgramStep& step = p.steps[s];
      const std::int32_t rank = p.chains[chain_of(p, s)].rank;
      for (std::int32_t j = 0; j < step.cnt; ++j) {
        const ChunkAccess a = access(p, layout, options, step, rank, j);
        if (a.adds) {
          add(a.dst, s);
        } else {
          if (reads_src(step.type)) read(a.src, s);
          if (step.type == StepType::re) read(a.dst, s);
          if (writes_dst(step.type)) write(a.dst, s);
        }
      }
    }
    std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
    for (const Conflict& c : conflicts_) {
      if (!seen.insert({c.first, c.second}).second) continue;
      (across.ordered(c.first, c.second) ? races.via_messages : races.real).push_back(c);
    }
  }
  Races races;

 private:
  struct Slot {
    std::vector<std::uint32_t> writer;  // at most one
    std::vector<std::uint32_t> readers;
    std::vector<std::uint32_t> sums;
  };
  static std::vector<StepPair> within(const Program& p) {
    std::vector<StepPair> edges;
    add_local_edges(p, edges);
    return edges;
  }
  void compare(const std::vector<std::uint32_t>& before, std::uint32_t s, Hazard hazard, std::uint64_t slot) {
    for (const std::uint32_t b : before) {
      if (!within_.ordered(b, s)) conflicts_.push_back({b, s, hazard, slot});
    }
  }
  void read(std::uint64_t at, std::uint32_t s) {
    if (at == BufferLayout::outside) return;
    Slot& slot = slots_[at];
    compare(slot.writer, s, Hazard::read_after_write, at);
    compare(slot.sums, s, Hazard::read_after_write, at);
    std::erase_if(slot.readers, [&](std::uint32_t r) { return within_.ordered(r, s); });
    slot.readers.push_back(s);
  }
  void write(std::uint64_t at, std::uint32_t s) {
    if (at == BufferLayout::outside) return;
    Slot& slot = slots_[at];
    compare(slot.writer, s, Hazard::write_after_write, at);
    compare(slot.readers, s, Hazard::write_after_read, at);
    compare(slot.sums, s, Hazard::write_after_write, at);
    slot = {{s}, {}, {}};
  }
  void add(std::uint64_t at, std::uint32_t s) {
    Slot& slot = slots_[at];
    compare(slot.writer, s, Hazard::read_after_write, at);
    compare(slot.readers, s, Hazard::write_after_read, at);
    slot.sums.push_back(s);
  }

  Closure within_;
  std::map<std::uint64_t, Slot> slots_;
  std::vector<Conflict> conflicts_;
};

using Row = std::tuple<std::uint32_t, std::uint32_t, Hazard, std::uint64_t>;
std::vector<Row> rows(const std::vector<Conflict>& conflicts) {
  std::vector<Row> out;
  for (const Conflict& c : conflicts) out.emplace_back(c.first, c.second, c.hazard, c.slot);
  return out;
}

struct Seen {
  std::size_t real = 0;
  std::size_t via_messages = 0;
};

void expect_same_races(unsigned seed, std::uint32_t steps, Seen& seen) {
  RandomProgram random(seed, steps);
  const Program& p = random.program();
  const BufferLayout layout(p, false);
  const ExecuteOptions options{.operand_is_dst = random.pick(3) == 0};
  const Execution e = execute(p, layout, options);
  ASSERT_TRUE(e.blocked.empty()) << seed;
  const PlainSearch plain(p, layout, options, e.order);
  const Races found = find_races(p, layout, options, e.order);
  EXPECT_FALSE(found.undecided) << seed;
  EXPECT_EQ(rows(found.real), rows(plain.races.real)) << "seed " << seed;
  EXPECT_EQ(rows(found.via_messages), rows(plain.races.via_messages)) << "seed " << seed;
  seen.real += found.real.size();
  seen.via_messages += found.via_messages.size();
}

TEST(Races, OfSmallRandomProgramsAreThoseOfAPlainSearch) {
  Seen seen;
  for (unsigned seed = 0; seed < 6000 && !::testing::Test::HasFailure(); ++seed) {
    expect_same_races(seed, 4 + seed % 60, seen);
  }
  EXPECT_GT(seen.real, 10'000U);
  EXPECT_GT(seen.via_messages, 1'000U);
}

TEST(Races, OfLongRandomProgramsAreThoseOfAPlainSearch) {
  Seen seen;
  for (unsigned seed = 0; seed < 12 && !::testing::Test::HasFailure(); ++seed) {
    expect_same_races(seed + 1'000'000, 3000, seen);
  }
  EXPECT_GT(seen.via_messages, 1'000U);
}

// Without the budget a search has no answer, and says so instead of calling it a race or an order.
TEST(Races, WhatTheBudgetDoesNotDecideIsNoVerdict) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    const RandomProgram random(seed, 60);
    const Program& p = random.program();
    const BufferLayout layout(p, false);
    const Execution e = execute(p, layout, {});
    const Races whole = find_races(p, layout, {}, e.order);
    for (const std::uint64_t budget : {0U, 1U, 20U, 100U, 400U, 1600U}) {
      const Races part = find_races(p, layout, {}, e.order, budget);
      const auto is_part = [](const std::vector<Conflict>& some, const std::vector<Conflict>& all) {
        const std::vector<Row> some_rows = rows(some);
        const std::vector<Row> all_rows = rows(all);
        return std::all_of(some_rows.begin(), some_rows.end(), [&](const Row& r) {
          return std::any_of(all_rows.begin(), all_rows.end(), [&](const Row& a) {
            return std::get<0>(a) == std::get<0>(r) && std::get<1>(a) == std::get<1>(r);
          });
        });
      };
      const bool complete =
          rows(part.real) == rows(whole.real) && rows(part.via_messages) == rows(whole.via_messages);
      EXPECT_TRUE(complete || part.undecided) << "seed " << seed << " budget " << budget;
      EXPECT_TRUE(is_part(part.real, whole.real) && is_part(part.via_messages, whole.via_messages))
          << "seed " << seed << " budget " << budget;
    }
  }
}

// Chains of copies on one rank, as rows of where they read and write and what they wait for.
struct Copying {
  std::int32_t from;
  std::int32_t to;
  std::int32_t depid = -1;
  std::int32_t deps = -1;
};
Algorithm copies(const std::vector<std::vector<Copying>>& tbs, std::int32_t chunks) {
  std::vector<Tb> rows;
  for (const auto& tb : tbs) {
    Tb& t = rows.emplace_back(Tb{-1, -1, 0, {}});
    for (const Copying& c : tb) {
      t.rows.push_back({StepType::cpy, Buffer::output, c.from, Buffer::output, c.to, 1, c.depid, c.deps, true});
    }
  }
  return make_algorithm(Collective::custom, chunks, false, chunks, chunks, 0, {rows});
}

// How much work each step costs, at most: that much must do.
Races races_within(const Algorithm& a, std::uint64_t work_per_step) {
  const Program p = make_program(a);
  const BufferLayout layout(p, false);
  const Execution e = execute(p, layout, {});
  EXPECT_TRUE(e.blocked.empty());
  return find_races(p, layout, {}, e.order, work_per_step * p.step_count());
}

constexpr std::int32_t many = 20'000;

TEST(Races, AThreadblockForEachStepOfALongChainIsLinear) {
  std::vector<std::vector<Copying>> tbs;
  for (std::int32_t k = 0; k < many; ++k) tbs.push_back({{std::max(0, k - 7), k, k - 1, k == 0 ? -1 : 0}});
  const Races races = races_within(copies(tbs, many), 40);
  EXPECT_FALSE(races.undecided);
  EXPECT_TRUE(races.real.empty());
}

TEST(Races, AnOrderThroughAThirdThreadblockIsLinear) {
  std::vector<std::vector<Copying>> tbs(3);
  for (std::int32_t k = 0; k < many; ++k) tbs[0].push_back({many, k});
  tbs[1].push_back({many, many + 1, 0, many - 1});
  for (std::int32_t k = 0; k < many; ++k) tbs[2].push_back({k, many + 2, k == 0 ? 1 : -1, k == 0 ? 0 : -1});
  const Races races = races_within(copies(tbs, many + 3), 40);
  EXPECT_FALSE(races.undecided);
  EXPECT_TRUE(races.real.empty());
}

TEST(Races, ManyReadersBeforeOneWriteAreLinear) {
  // Each threadblock reads chunk 0; each waits for the one before it but one in 100, whose read is a race.
  std::vector<std::vector<Copying>> tbs;
  for (std::int32_t k = 0; k < many; ++k) {
    const bool waits = k > 1 && k % 100 != 0;
    tbs.push_back({{0, k + 1, waits ? k - 2 : -1, waits ? 0 : -1}});
  }
  tbs.push_back({{many + 1, 0, many - 1, 0}});
  const Races races = races_within(copies(tbs, many + 2), 200);
  EXPECT_FALSE(races.undecided);
  EXPECT_FALSE(races.real.empty());
}

// The sums of a ring travel on to all ranks, so each chunk is overwritten by what came of it, many steps later.
TEST(Races, AScheduleOfManyTransfersIsLinear) {
  for (const std::uint32_t rounds : {1U, 4U, 16U}) {
    constexpr std::uint32_t nodes = 64;
    test::ScheduleMaker m(Collective::allreduce, nodes);
    for (std::uint32_t n = 0; n < nodes; ++n) m.link(n, (n + 1) % nodes);
    for (std::uint32_t c = 0; c < nodes * rounds; ++c) m.chunk({}, {});
    for (std::uint32_t s = 0; s < rounds * (2 * nodes - 2); ++s) {
      const std::uint32_t step = s % (2 * nodes - 2);
      for (std::uint32_t n = 0; n < nodes; ++n) {
        const std::uint32_t chunk = s / (2 * nodes - 2) * nodes + (n + 2 * nodes - step) % nodes;
        m.move(n, (n + 1) % nodes, chunk, s, s + 1, step < nodes - 1 ? Schedule::Op::reduce : Schedule::Op::copy);
      }
    }
    Diagnostics diagnostics;
    Schedule timed;
    const Flow flow = check_schedule(m.s, timed, diagnostics);
    ASSERT_EQ(diagnostics.errors(), 0U);
    const Races races = races_within(make_algorithm(m.s, timed, flow), 20);
    EXPECT_FALSE(races.undecided) << rounds;
    EXPECT_TRUE(races.real.empty()) << rounds;
    EXPECT_EQ(races.via_messages.size(), std::size_t{rounds} * nodes * (nodes - 1)) << rounds;
  }
}

TEST(Races, ALimitThatIsReachedIsAFindingWithItsPlace) {
  std::vector<std::vector<Copying>> tbs{{{0, 1}}, {{2, 3, 0, 0}}, {{1, 4, 1, 0}}};  // the third through the second
  const Algorithm a = copies(tbs, 5);
  Diagnostics diagnostics;
  VerifyOptions options;
  options.search_budget = 3;
  verify(make_program(a), options, diagnostics);
  ASSERT_EQ(diagnostics.all().size(), 1U);
  EXPECT_EQ(
      format_diagnostic(diagnostics.all()[0]),
      "test.xml:3:1: error: gpu 0 threadblock 2 step 0 (cpy) shares o[1] with gpu 0 threadblock 0 step 0 (cpy), "
      "and whether anything orders the two was not found: the search for races has reached its limit and ends "
      "here [races]\ntest.xml:3:1: note: hint: a step that waits itself for those that it shares chunks with "
      "needs no search");
  Diagnostics none;
  verify(make_program(a), {}, none);
  EXPECT_TRUE(none.all().empty());
}

TEST(StepGraph, ARunningOrderKeepsEveryEdge) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    const RandomProgram random(seed, 80);
    const Program& p = random.program();
    std::vector<std::uint32_t> place(p.step_count(), no_index);
    std::uint32_t next = 0;
    for (const std::uint32_t s : running_order(p)) place[s] = next++;
    ASSERT_EQ(next, p.step_count());
    std::vector<StepPair> edges;
    add_local_edges(p, edges);
    add_message_edges(p, edges);
    for (const StepPair& e : edges) ASSERT_LT(place[e.from], place[e.to]) << seed;
  }
}

TEST(StepGraph, ACircleOfMessagesIsOrderedByItsRanksAlone) {
  std::vector<std::vector<Tb>> gpus;
  for (std::int32_t r = 0; r < 2; ++r) {
    gpus.push_back({Tb{1 - r,
                       1 - r,
                       0,
                       {{StepType::recv, Buffer::input, 0, Buffer::input, 0},
                        {StepType::send, Buffer::input, 0, Buffer::input, 0}}}});
  }
  EXPECT_EQ(running_order(make_program(make_algorithm(Collective::custom, 1, true, 1, 0, 0, gpus))),
            (std::vector<std::uint32_t>{0, 1, 2, 3}));
}

// Graphs of several shapes: few long paths, many ends of one start, many starts of one end.
TEST(StepGraph, AnswersAsATableDoes) {
  std::mt19937 random(7);
  const auto pick = [&](std::size_t below) { return static_cast<std::uint32_t>(random() % below); };
  for (int round = 0; round < 60; ++round) {
    Program p;
    const bool long_paths = round % 4 == 0;
    const std::uint32_t n = long_paths ? 6000 : 400 + pick(1500);
    p.steps.resize(n + 1);
    std::vector<std::uint32_t> order(n);
    std::iota(order.begin(), order.end(), 0U);
    std::shuffle(order.begin(), order.end(), random);
    std::vector<std::uint32_t> groups(n);
    const std::uint32_t each = round % 3 == 0 ? 100 : n;
    for (std::uint32_t i = 0; i < n; ++i) groups[order[i]] = i / each;
    const std::uint32_t width = 1U << pick(long_paths ? 3 : 8);
    std::vector<StepPair> edges;
    std::vector<StepPair> pairs;
    for (std::uint32_t i = 0; i < n; ++i) {
      const auto link = [&](std::uint32_t from) {
        if (groups[order[from]] == groups[order[i]]) edges.push_back({order[from], order[i]});
      };
      if (i >= width) link(i - width);
      if (i > 0 && pick(width) == 0) link(pick(i));
      pairs.push_back({order[pick(round % 2 == 0 ? n : 3)], order[pick(n)]});
      pairs.push_back({order[pick(n)], order[pick(round % 5 == 0 ? 4 : n)]});
    }
    const Closure table(p, edges, order);
    std::vector<Answer> answers(pairs.size(), Answer::open);
    std::uint64_t budget = order_budget;
    StepGraph(edges, order, groups).decide(pairs, answers, budget);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const bool ordered = pairs[i].from != pairs[i].to && table.ordered(pairs[i].from, pairs[i].to);
      ASSERT_EQ(answers[i], ordered ? Answer::ordered : Answer::unordered) << round << " " << i;
    }
  }
}

}  // namespace
}  // namespace convert
