// SPDX-License-Identifier: MIT
#include "passes/verify/races.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <tuple>

#include "passes/verify/reach.h"

namespace convert {
namespace {

// Two accesses that chains alone do not order.
struct Test {
  Conflict accesses;
  Answer within_rank = Answer::open;
};

// What each chain has waited for itself: the last such step of every other chain.
class Waited {
 public:
  explicit Waited(const Program& p) {
    for (const Chain& c : p.chains) {
      begin_.push_back(others_.size());
      for (std::uint32_t s = c.first; s < c.first + c.count; ++s) {
        for (const Dependency& d : p.deps_of(s)) others_.push_back(d.chain);
      }
      const auto mine = others_.begin() + static_cast<std::ptrdiff_t>(begin_.back());
      std::sort(mine, others_.end());
      others_.erase(std::unique(mine, others_.end()), others_.end());
    }
    begin_.push_back(others_.size());
    last_.assign(others_.size(), no_index);
    any_.resize(p.chains.size());
  }

  void wait(std::uint32_t chain, const Dependency& d) {
    any_[chain] = true;
    std::uint32_t& last = last_[find(chain, d.chain)];
    if (last == no_index || last < d.step) last = d.step;
  }
  [[nodiscard]] bool anything(std::uint32_t chain) const { return any_[chain]; }
  [[nodiscard]] bool for_step(std::uint32_t chain, std::uint32_t other_chain, std::uint32_t step) const {
    const std::size_t at = find(chain, other_chain);
    return at < begin_[chain + 1] && others_[at] == other_chain && last_[at] != no_index && last_[at] >= step;
  }

 private:
  [[nodiscard]] std::size_t find(std::uint32_t chain, std::uint32_t other) const {
    const auto from = others_.begin() + static_cast<std::ptrdiff_t>(begin_[chain]);
    const auto to = others_.begin() + static_cast<std::ptrdiff_t>(begin_[chain + 1]);
    return static_cast<std::size_t>(std::lower_bound(from, to, other) - others_.begin());
  }

  std::vector<std::size_t> begin_;     // by chain, into the others
  std::vector<std::uint32_t> others_;  // chains that it waits for some time, ascending
  std::vector<std::uint32_t> last_;    // step
  std::vector<bool> any_;              // by chain
};

// Goes through all accesses in the order of execution, and notes which pairs need an order.
class Accesses {
 public:
  Accesses(const Program& p, const BufferLayout& layout, const ExecuteOptions& options, std::uint64_t& budget)
      : p_(p),
        layout_(layout),
        options_(options),
        budget_(budget),
        most_tests_(4 * std::size_t{p.step_count()} + (std::size_t{1} << 22U)),
        chain_of_(p.step_count()),
        waited_(p),
        slots_(layout.slots()) {
    for (std::uint32_t c = 0; c < p.chains.size(); ++c) {
      std::fill_n(chain_of_.begin() + p.chains[c].first, p.chains[c].count, c);
    }
  }

  void run(std::span<const std::uint32_t> order) {
    for (const std::uint32_t s : order) {
      for (const Dependency& d : p_.deps_of(s)) waited_.wait(chain_of_[s], d);
      tests_of_step_ = readers_before_ = readers_end_ = tests_.size();
      for (std::int32_t j = 0; j < p_.steps[s].cnt; ++j) touch(s, j);
      if (left_out_) return;
    }
  }

  [[nodiscard]] const std::vector<std::uint32_t>& chain_of() const { return chain_of_; }
  // In the order of execution; those that a chain's own waits decide are left out.
  [[nodiscard]] std::vector<Test>& tests() { return tests_; }
  // From who wrote a chunk to who read it, where that is ordered within the rank.
  [[nodiscard]] std::vector<StepPair>& flow() { return flow_; }
  // The first test beyond what the budget or the memory allows: there it ended.
  [[nodiscard]] const std::optional<Conflict>& left_out() const { return left_out_; }

 private:
  struct List {  // of steps, in lists_
    std::uint32_t first = no_index;
    std::uint32_t last = no_index;
  };
  struct Item {
    std::uint32_t step;
    std::uint32_t next;
  };
  struct Slot {
    std::uint32_t writer = no_index;
    List readers;  // since that write, without those that a later one has waited for
    List sums;     // steps that added to it since that write, where sums commute
  };

  void touch(std::uint32_t s, std::int32_t j);
  void read(std::uint64_t slot, std::uint32_t s);
  void write(std::uint64_t slot, std::uint32_t s);
  void accumulate(std::uint64_t slot, std::uint32_t s);
  void add_reader(Slot& state, std::uint32_t s);
  void test(std::uint32_t first, std::uint32_t second, Hazard hazard, std::uint64_t slot);
  void test_readers(const List& readers, std::uint32_t second, std::uint64_t slot);
  void test_all(const List& list, std::uint32_t second, Hazard hazard, std::uint64_t slot) {
    for (std::uint32_t i = list.first; i != no_index; i = lists_[i].next)
      test(lists_[i].step, second, hazard, slot);
  }
  void append(List& list, std::uint32_t step);
  [[nodiscard]] bool noted(std::uint32_t first) const;
  // As far as chains and their own waits tell.
  [[nodiscard]] Answer within_rank(std::uint32_t from, std::uint32_t to) const {
    const std::uint32_t chain = chain_of_[to];
    const std::uint32_t other = chain_of_[from];
    if (chain == other || waited_.for_step(chain, other, from)) return Answer::ordered;
    return waited_.anything(chain) ? Answer::open : Answer::unordered;
  }

  const Program& p_;
  const BufferLayout& layout_;
  const ExecuteOptions& options_;
  std::uint64_t& budget_;
  std::size_t most_tests_;
  std::vector<std::uint32_t> chain_of_;
  Waited waited_;
  std::vector<Slot> slots_;
  std::vector<Item> lists_;
  std::vector<Test> tests_;
  std::size_t tests_of_step_ = 0;   // first test of the step that is looked at
  std::size_t readers_before_ = 0;  // its tests against the readers of the slot before
  std::size_t readers_end_ = 0;
  std::vector<StepPair> flow_;
  std::optional<Conflict> left_out_;
};

void Accesses::touch(std::uint32_t s, std::int32_t j) {
  const ProgramStep& step = p_.steps[s];
  const ChunkAccess chunk = access(p_, layout_, options_, step, p_.chains[chain_of_[s]].rank, j);
  if (chunk.adds) {
    accumulate(chunk.dst, s);
    return;
  }
  if (reads_src(step.type)) read(chunk.src, s);
  if (step.type == StepType::re) read(chunk.dst, s);
  if (writes_dst(step.type)) write(chunk.dst, s);
}

void Accesses::read(std::uint64_t slot, std::uint32_t s) {
  if (slot == BufferLayout::outside) return;
  Slot& state = slots_[slot];
  if (state.writer != no_index) test(state.writer, s, Hazard::read_after_write, slot);
  test_all(state.sums, s, Hazard::read_after_write, slot);
  add_reader(state, s);
}

void Accesses::write(std::uint64_t slot, std::uint32_t s) {
  if (slot == BufferLayout::outside) return;
  Slot& state = slots_[slot];
  if (state.writer != no_index) test(state.writer, s, Hazard::write_after_write, slot);
  test_readers(state.readers, s, slot);
  test_all(state.sums, s, Hazard::write_after_write, slot);
  state = {.writer = s, .readers = {}, .sums = {}};
}

void Accesses::accumulate(std::uint64_t slot, std::uint32_t s) {
  Slot& state = slots_[slot];
  if (state.writer != no_index) test(state.writer, s, Hazard::read_after_write, slot);
  test_readers(state.readers, s, slot);
  append(state.sums, s);
}

// A later write that is ordered after this read is ordered after those that it has waited for as well. Looks at the
// oldest ones only, so that many readers of one chunk do not cost their square.
void Accesses::add_reader(Slot& state, std::uint32_t s) {
  constexpr int looked_at = 8;
  std::uint32_t before = no_index;
  int seen = 0;
  for (std::uint32_t i = state.readers.first; i != no_index && seen < looked_at; ++seen) {
    const std::uint32_t next = lists_[i].next;
    if (within_rank(lists_[i].step, s) != Answer::ordered) {
      before = i;
    } else {
      (before == no_index ? state.readers.first : lists_[before].next) = next;
      if (next == no_index) state.readers.last = before;
    }
    i = next;
  }
  append(state.readers, s);
}

void Accesses::append(List& list, std::uint32_t step) {
  const auto at = static_cast<std::uint32_t>(lists_.size());
  lists_.push_back({step, no_index});
  (list.first == no_index ? list.first : lists_[list.last].next) = at;
  list.last = at;
}

// A row of chunks mostly has the same readers all along.
void Accesses::test_readers(const List& readers, std::uint32_t s, std::uint64_t slot) {
  const std::size_t begin = tests_.size();
  test_all(readers, s, Hazard::write_after_read, slot);
  const auto same = [](const Test& a, const Test& b) { return a.accesses.first == b.accesses.first; };
  const auto at = [&](std::size_t i) { return tests_.begin() + static_cast<std::ptrdiff_t>(i); };
  if (std::equal(at(readers_before_), at(readers_end_), at(begin), tests_.end(), same)) {
    tests_.resize(begin);
  } else {
    readers_before_ = begin;
    readers_end_ = tests_.size();
  }
}

void Accesses::test(std::uint32_t first, std::uint32_t second, Hazard hazard, std::uint64_t slot) {
  if (left_out_) return;
  const Answer known = within_rank(first, second);
  if (known == Answer::ordered) {
    if (hazard == Hazard::read_after_write &&
        (flow_.empty() || flow_.back().from != first || flow_.back().to != second)) {
      flow_.push_back({first, second});
    }
  } else if (hazard == Hazard::write_after_read || !noted(first)) {
    if (tests_.size() < most_tests_) {
      tests_.push_back({{first, second, hazard, slot}, known});
    } else {
      left_out_ = {first, second, hazard, slot};
    }
  }
  if (budget_ == 0) {
    left_out_ = {first, second, hazard, slot};
  } else {
    --budget_;
  }
}

// Is the step's order behind `first` asked for already, by a chunk shortly before?
bool Accesses::noted(std::uint32_t first) const {
  constexpr std::size_t looked_at = 8;
  const std::size_t begin = std::max(tests_of_step_, tests_.size() - std::min(tests_.size(), looked_at));
  return std::any_of(tests_.begin() + static_cast<std::ptrdiff_t>(begin), tests_.end(), [&](const Test& t) {
    return t.accesses.first == first && t.accesses.hazard != Hazard::write_after_read;
  });
}

// The pieces of a graph, each named by one of its steps.
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
  Search(const Program& p, std::span<const std::uint32_t> order, std::uint64_t budget)
      : p_(p), order_(order), budget_(budget) {}
  Races run(const BufferLayout& layout, const ExecuteOptions& options);

 private:
  void decide_within_ranks(Accesses& accesses);
  void drop_superseded(std::vector<Test>& tests, const Accesses& accesses);
  [[nodiscard]] std::vector<Conflict> distinct(const std::vector<Test>& tests);
  void decide_across_ranks(std::span<const Conflict> conflicts, std::vector<StepPair> flow);
  const StepGraph& within_ranks(const Accesses& accesses);
  void leave_undecided(const Conflict& c) {
    if (!result_.undecided) result_.undecided = c;
  }

  const Program& p_;
  std::span<const std::uint32_t> order_;
  std::uint64_t budget_;
  std::optional<StepGraph> within_ranks_;
  Races result_;
};

const StepGraph& Search::within_ranks(const Accesses& accesses) {
  if (!within_ranks_) {
    std::vector<std::uint32_t> rank_of(p_.step_count());
    for (std::uint32_t s = 0; s < p_.step_count(); ++s) {
      rank_of[s] = static_cast<std::uint32_t>(p_.chains[accesses.chain_of()[s]].rank);
    }
    within_ranks_.emplace(local_edges(p_), order_, rank_of);
  }
  return *within_ranks_;
}

// Leaves those tests that chains and dependencies of the rank do not answer with yes.
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
  within_ranks(accesses).decide(pairs, answers, budget_);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    tests[asked[i]].within_rank = answers[i];
    if (answers[i] == Answer::ordered && tests[asked[i]].accesses.hazard == Hazard::read_after_write) {
      accesses.flow().push_back(pairs[i]);
    }
  }
  std::erase_if(tests, [](const Test& t) { return t.within_rank == Answer::ordered; });
}

// Of several reads of one chunk that are not ordered before the write, those count that come before no other one.
void Search::drop_superseded(std::vector<Test>& tests, const Accesses& accesses) {
  std::vector<StepPair> pairs;
  std::vector<std::size_t> asked;  // the test of the earlier read
  const auto of_one_write = [](const Test& a, const Test& b) {
    return a.accesses.second == b.accesses.second && a.accesses.slot == b.accesses.slot &&
           b.accesses.hazard == Hazard::write_after_read;
  };
  for (std::size_t begin = 0, end = 0; begin < tests.size(); begin = end) {
    end = begin + 1;
    if (tests[begin].accesses.hazard != Hazard::write_after_read) continue;
    while (end < tests.size() && of_one_write(tests[begin], tests[end])) ++end;
    for (std::size_t i = begin; i < end; ++i) {
      if (pairs.size() > budget_ / 16) return leave_undecided(tests[i].accesses);
      for (std::size_t k = i + 1; k < end; ++k) {
        asked.push_back(i);
        pairs.push_back({tests[i].accesses.first, tests[k].accesses.first});
      }
    }
  }
  if (pairs.empty()) return;
  std::vector<Answer> answers(pairs.size(), Answer::open);
  within_ranks(accesses).decide(pairs, answers, budget_);
  std::vector<bool> superseded(tests.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (answers[i] == Answer::ordered) superseded[asked[i]] = true;
    if (answers[i] == Answer::open) leave_undecided(tests[asked[i]].accesses);
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < tests.size(); ++i) {
    if (!superseded[i]) tests[kept++] = tests[i];
  }
  tests.resize(kept);
}

// Of each pair of steps the first conflict.
std::vector<Conflict> Search::distinct(const std::vector<Test>& tests) {
  std::vector<std::size_t> by_pair(tests.size());
  std::iota(by_pair.begin(), by_pair.end(), std::size_t{0});
  const auto key = [&](std::size_t i) { return std::tuple(tests[i].accesses.second, tests[i].accesses.first, i); };
  std::sort(by_pair.begin(), by_pair.end(), [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
  const auto same = [&](std::size_t a, std::size_t b) {
    return tests[a].accesses.second == tests[b].accesses.second &&
           tests[a].accesses.first == tests[b].accesses.first;
  };
  by_pair.erase(std::unique(by_pair.begin(), by_pair.end(), same), by_pair.end());
  std::sort(by_pair.begin(), by_pair.end());
  std::vector<Conflict> out;
  out.reserve(by_pair.size());
  for (const std::size_t i : by_pair) {
    if (tests[i].within_rank == Answer::open) {
      leave_undecided(tests[i].accesses);
    } else {
      out.push_back(tests[i].accesses);
    }
  }
  return out;
}

// Mostly what is written has come, by messages, from what was read before, so that is looked at first: only what
// the chunk went through. The rest is asked of all steps, a part at a time, so that the first ones have an answer.
void Search::decide_across_ranks(std::span<const Conflict> conflicts, std::vector<StepPair> flow) {
  if (conflicts.empty()) return;
  std::vector<StepPair> pairs;
  pairs.reserve(conflicts.size());
  for (const Conflict& c : conflicts) pairs.push_back({c.first, c.second});
  std::vector<Answer> answers(pairs.size(), Answer::open);
  add_message_edges(p_, flow);
  StepGraph(flow, order_, pieces(flow, p_.step_count())).decide(pairs, answers, budget_);
  std::replace(answers.begin(), answers.end(), Answer::unordered, Answer::open);
  if (std::find(answers.begin(), answers.end(), Answer::open) != answers.end()) {
    std::vector<StepPair> edges = local_edges(p_);
    add_message_edges(p_, edges);
    const StepGraph all(edges, order_, std::vector<std::uint32_t>(p_.step_count()));
    constexpr std::size_t part = 16384;
    for (std::size_t i = 0; i < pairs.size(); i += part) {
      const std::size_t n = std::min(part, pairs.size() - i);
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
    within_ranks_.reset();
  }
  decide_across_ranks(conflicts, std::move(flow));
  return std::move(result_);
}

}  // namespace

Races find_races(const Program& program, const BufferLayout& layout, const ExecuteOptions& options,
                 std::span<const std::uint32_t> order, std::uint64_t budget) {
  return Search(program, order, budget).run(layout, options);
}

}  // namespace convert
