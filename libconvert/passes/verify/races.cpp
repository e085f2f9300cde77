// SPDX-License-Identifier: MIT
#include "passes/verify/races.h"

#include <algorithm>
#include <numeric>
#include <ranges>
#include <tuple>
#include <utility>

#include "passes/verify/accesses.h"

namespace convert {
namespace {

// Returns by step its connected component in the graph, named by one of its steps.
std::vector<std::uint32_t> pieces(std::span<const StepPair> edges, std::uint32_t steps) {
  std::vector<std::uint32_t> of(steps);
  std::iota(of.begin(), of.end(), 0U);
  const auto find = [&](std::uint32_t s) {
    while (of[s] != s) s = of[s] = of[of[s]];
    return s;
  };
  for (const StepPair& e : edges) of[find(e.from)] = find(e.to);
  for (std::uint32_t s = 0; s < steps; ++s) of[s] = find(s);
  return of;
}

class Search {
 public:
  Search(const StepGraph& p, std::span<const std::uint32_t> order, std::uint64_t budget)
      : p_(p), order_(order), budget_(budget) {}
  Races run(const BufferLayout& layout, const ExecuteOptions& options);

 private:
  void decide_within_ranks(Accesses& accesses);
  void drop_superseded(std::vector<Test>& tests, const Accesses& accesses);
  [[nodiscard]] std::vector<Conflict> distinct(const std::vector<Test>& tests);
  void decide_across_ranks(std::span<const Conflict> conflicts, std::vector<StepPair> flow);
  // Returns the ranks by step.
  [[nodiscard]] std::vector<std::uint32_t> ranks(const Accesses& accesses) const;
  void leave_undecided(const Conflict& c) {
    if (!result_.undecided) result_.undecided = c;
  }

  const StepGraph& p_;
  std::span<const std::uint32_t> order_;
  std::uint64_t budget_;
  Races result_;
};

std::vector<std::uint32_t> Search::ranks(const Accesses& accesses) const {
  std::vector<std::uint32_t> of(p_.step_count());
  for (std::uint32_t s = 0; s < p_.step_count(); ++s) {
    of[s] = static_cast<std::uint32_t>(p_.chains[accesses.chain_of()[s]].rank);
  }
  return of;
}

// Removes the tests of pairs that are ordered by chains and dependencies of the rank.
void Search::decide_within_ranks(Accesses& accesses) {
  std::vector<Test>& tests = accesses.tests();
  std::vector<StepPair> pairs;
  std::vector<std::size_t> asked;
  for (std::size_t i = 0; i < tests.size(); ++i) {
    if (tests[i].within_rank != Answer::open) continue;
    asked.push_back(i);
    pairs.push_back({tests[i].accesses.first, tests[i].accesses.second});
  }
  if (pairs.empty()) return;
  std::vector<Answer> answers(pairs.size(), Answer::open);
  std::vector<StepPair> edges;
  add_local_edges(p_, edges);
  Reachability(edges, order_, ranks(accesses)).decide(pairs, answers, budget_);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    tests[asked[i]].within_rank = answers[i];
    if (answers[i] == Answer::ordered && tests[asked[i]].accesses.hazard == Hazard::read_after_write) {
      accesses.flow().push_back(pairs[i]);
    }
  }
  std::erase_if(tests, [](const Test& t) { return t.within_rank == Answer::ordered; });
}

// Drops reads of a chunk that are ordered before another of its unordered reads, namely before a direct dependency
// of the later read. For the search, each write gets an additional step that has all dependencies of its reads.
void Search::drop_superseded(std::vector<Test>& tests, const Accesses& accesses) {
  std::vector<StepPair> edges;
  std::vector<std::uint32_t> rank_of = ranks(accesses);
  std::vector<StepPair> pairs;
  std::vector<std::size_t> asked;
  const auto of_one_write = [](const Test& a, const Test& b) {
    return a.accesses.second == b.accesses.second && a.accesses.slot == b.accesses.slot &&
           b.accesses.hazard == Hazard::write_after_read;
  };
  for (std::size_t begin = 0, end = 0; begin < tests.size(); begin = end) {
    end = begin + 1;
    if (tests[begin].accesses.hazard != Hazard::write_after_read) continue;
    while (end < tests.size() && of_one_write(tests[begin], tests[end])) ++end;
    if (end == begin + 1) continue;
    const auto any = static_cast<std::uint32_t>(rank_of.size());
    rank_of.push_back(rank_of[tests[begin].accesses.second]);
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint32_t read = tests[i].accesses.first;
      asked.push_back(i);
      pairs.push_back({read, any});
      if (read > p_.chains[accesses.chain_of()[read]].first) edges.push_back({read - 1, any});
      for (const Dependency& d : p_.deps_of(read)) edges.push_back({d.step, any});
    }
  }
  if (pairs.empty()) return;
  add_local_edges(p_, edges);
  std::vector<std::uint32_t> order(order_.begin(), order_.end());
  for (std::uint32_t s = p_.step_count(); s < rank_of.size(); ++s) order.push_back(s);
  std::vector<Answer> answers(pairs.size(), Answer::open);
  Reachability(edges, order, rank_of).decide(pairs, answers, budget_);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (answers[i] == Answer::ordered) tests[asked[i]].within_rank = Answer::ordered;
    if (answers[i] == Answer::open) leave_undecided(tests[asked[i]].accesses);
  }
  std::erase_if(tests, [](const Test& t) { return t.within_rank == Answer::ordered; });
}

// Keeps the first conflict of each pair of steps.
std::vector<Conflict> Search::distinct(const std::vector<Test>& tests) {
  using Place = std::tuple<std::uint32_t, std::uint32_t, std::size_t>;  // second, first, test
  std::vector<Place> firsts;
  firsts.reserve(tests.size());
  for (std::size_t i = 0; i < tests.size(); ++i)
    firsts.emplace_back(tests[i].accesses.second, tests[i].accesses.first, i);
  std::ranges::sort(firsts);
  const auto same = [](const Place& a, const Place& b) {
    return std::get<0>(a) == std::get<0>(b) && std::get<1>(a) == std::get<1>(b);
  };
  firsts.erase(std::unique(firsts.begin(), firsts.end(), same), firsts.end());
  const auto test_of = [](const Place& place) { return std::get<2>(place); };
  std::ranges::sort(firsts, {}, test_of);
  std::vector<Conflict> out;
  out.reserve(firsts.size());
  for (const std::size_t i : std::views::transform(firsts, test_of)) {
    if (tests[i].within_rank == Answer::open) {
      leave_undecided(tests[i].accesses);
    } else {
      out.push_back(tests[i].accesses);
    }
  }
  return out;
}

// Searches first only along the flow of chunks, as written data mostly came, by messages, from data that was read
// earlier. Then searches among all steps for the remaining pairs, in batches, so that the first ones get an answer.
void Search::decide_across_ranks(std::span<const Conflict> conflicts, std::vector<StepPair> flow) {
  if (conflicts.empty()) return;
  std::vector<StepPair> pairs;
  pairs.reserve(conflicts.size());
  for (const Conflict& c : conflicts) pairs.push_back({c.first, c.second});
  std::vector<Answer> answers(pairs.size(), Answer::open);
  add_message_edges(p_, flow);
  Reachability(flow, order_, pieces(flow, p_.step_count())).decide(pairs, answers, budget_);
  std::replace(answers.begin(), answers.end(), Answer::unordered, Answer::open);
  if (std::find(answers.begin(), answers.end(), Answer::open) != answers.end()) {
    std::vector<StepPair> edges;
    add_local_edges(p_, edges);
    add_message_edges(p_, edges);
    const Reachability all(edges, order_, std::vector<std::uint32_t>(p_.step_count()));
    std::size_t n = 0;
    for (std::size_t i = 0, part = 16384; i < pairs.size(); i += n, part *= 4) {
      n = std::min(part, pairs.size() - i);
      all.decide(std::span(pairs).subspan(i, n), std::span(answers).subspan(i, n), budget_);
    }
  }
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (answers[i] == Answer::ordered) result_.via_messages.push_back(conflicts[i]);
    if (answers[i] == Answer::unordered) result_.real.push_back(conflicts[i]);
    if (answers[i] == Answer::open) leave_undecided(conflicts[i]);
  }
}

Races Search::run(const BufferLayout& layout, const ExecuteOptions& options) {
  std::vector<Conflict> conflicts;
  std::vector<StepPair> flow;
  {
    Accesses accesses(p_, layout, options, budget_);
    accesses.run(order_);
    decide_within_ranks(accesses);
    drop_superseded(accesses.tests(), accesses);
    conflicts = distinct(accesses.tests());
    flow = std::move(accesses.flow());
    if (accesses.left_out()) leave_undecided(*accesses.left_out());
  }
  decide_across_ranks(conflicts, std::move(flow));
  return std::move(result_);
}

}  // namespace

Races find_races(const StepGraph& graph, const BufferLayout& layout, const ExecuteOptions& options,
                 std::span<const std::uint32_t> order, std::uint64_t budget) {
  return Search(graph, order, budget).run(layout, options);
}

}  // namespace convert
