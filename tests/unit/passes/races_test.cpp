// SPDX-License-Identifier: MIT
#include "passes/verify/races.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "passes/ten/algorithm.h"
#include "passes/ten/check.h"
#include "passes/verify/reach.h"
#include "passes/verify/verify.h"
#include "unit/passes/algorithms.h"
#include "unit/passes/random_program.h"
#include "unit/passes/ten_builder.h"

namespace convert {
namespace {

using test::Closure;
using test::make_algorithm;
using test::RandomProgram;
using test::Tb;

// The obvious search: every access is compared at once with the preceding write, reads and reductions.
class PlainSearch {
 public:
  PlainSearch(const StepGraph& p, const BufferLayout& layout, const ExecuteOptions& options,
              std::span<const std::uint32_t> order)
      : within_(p, within(p), order) {
    std::vector<StepPair> edges = within(p);
    add_message_edges(p, edges);
    const Closure across(p, edges, order);
    for (const std::uint32_t s : order) {
      const GraphStep& step = p.steps[s];
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
  static std::vector<StepPair> within(const StepGraph& p) {
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

using RaceRow = std::tuple<std::uint32_t, std::uint32_t, Hazard, std::uint64_t>;
std::vector<RaceRow> rows(const std::vector<Conflict>& conflicts) {
  std::vector<RaceRow> out;
  for (const Conflict& c : conflicts) out.emplace_back(c.first, c.second, c.hazard, c.slot);
  return out;
}

struct Seen {
  std::size_t real = 0;
  std::size_t via_messages = 0;
};

void expect_same_races(unsigned seed, std::uint32_t steps, Seen& seen) {
  RandomProgram random(seed, steps);
  const StepGraph& p = random.program();
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

// Beyond the budget, a search reports that it has no answer, neither a race nor an order.
TEST(Races, WhatTheBudgetDoesNotDecideIsNoVerdict) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    const RandomProgram random(seed, 60);
    const StepGraph& p = random.program();
    const BufferLayout layout(p, false);
    const Execution e = execute(p, layout, {});
    const Races whole = find_races(p, layout, {}, e.order);
    for (const std::uint64_t budget : {0U, 1U, 20U, 100U, 400U, 1600U}) {
      const Races part = find_races(p, layout, {}, e.order, budget);
      const auto is_part = [](const std::vector<Conflict>& some, const std::vector<Conflict>& all) {
        const std::vector<RaceRow> some_rows = rows(some);
        const std::vector<RaceRow> all_rows = rows(all);
        return std::all_of(some_rows.begin(), some_rows.end(), [&](const RaceRow& r) {
          return std::any_of(all_rows.begin(), all_rows.end(), [&](const RaceRow& a) {
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

// Chains of copies on one rank, as rows of their reads, writes and waits.
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

// Maximum work per step, which must suffice.
Races races_within(const Algorithm& a, std::uint64_t work_per_step) {
  const StepGraph p = make_step_graph(a);
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
  // Each threadblock reads chunk 0; each waits for the preceding one except one in 100, whose read is a race.
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

// The sums of a ring are forwarded to all ranks, so each chunk is overwritten by a later result, many steps later.
TEST(Races, AScheduleOfManyTransfersIsLinear) {
  for (const std::uint32_t rounds : {1U, 4U, 16U}) {
    constexpr std::uint32_t nodes = 64;
    test::ScheduleMaker m(Collective::all_reduce, nodes);
    for (std::uint32_t n = 0; n < nodes; ++n) m.wire(n, (n + 1) % nodes);
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
  std::vector<std::vector<Copying>> tbs{{{0, 1}}, {{2, 3, 0, 0}}, {{1, 4, 1, 0}}};  // the third waits through the
                                                                                    // second
  const Algorithm a = copies(tbs, 5);
  Diagnostics diagnostics;
  VerifyOptions options;
  options.search_budget = 3;
  verify(make_step_graph(a), options, diagnostics);
  ASSERT_EQ(diagnostics.all().size(), 1U);
  EXPECT_EQ(format_diagnostic(diagnostics.all()[0]),
            "test.xml:3:1: error: gpu 0 threadblock 2 step 0 (cpy) shares o[1] with gpu 0 threadblock 0 step 0 "
            "(cpy), but their order is unknown: the search for races reached its limit and stopped [races]\n"
            "test.xml:3:1: note: hint: direct dependencies between steps that share chunks need no search");
  Diagnostics none;
  verify(make_step_graph(a), {}, none);
  EXPECT_TRUE(none.all().empty());
}

}  // namespace
}  // namespace convert
