// SPDX-License-Identifier: MIT
// Finds pairs of steps that access the same chunk and are not ordered by their chains and direct dependencies
// alone.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/rows.h"
#include "passes/verify/execute.h"
#include "passes/verify/reach.h"
#include "passes/verify/step_graph.h"

namespace convert {

enum class Hazard : std::uint8_t { read_after_write, write_after_read, write_after_write };

struct Conflict {           // two accesses to one slot by different chains of a rank
  std::uint32_t first = 0;  // step executed earlier
  std::uint32_t second = 0;
  Hazard hazard = Hazard::read_after_write;
  std::uint64_t slot = 0;
};

// Two accesses that chains alone do not order, and whether they are ordered within their rank.
struct Test {
  Conflict accesses;
  Answer within_rank = Answer::open;
};

// Direct dependencies of each chain: the last step of every other chain that it has waited for.
class Waited {
 public:
  explicit Waited(const StepGraph& p);

  void wait(std::uint32_t chain, const Dependency& d) {
    any_[chain] = true;
    std::uint32_t& last = last_[find(chain, d.chain)];
    if (last == no_index || last < d.step) last = d.step;
  }
  [[nodiscard]] bool anything(std::uint32_t chain) const { return any_[chain]; }
  [[nodiscard]] bool for_step(std::uint32_t chain, std::uint32_t other_chain, std::uint32_t step) const {
    const std::size_t at = find(chain, other_chain);
    return at < others_.begin[chain + 1] && others_.items[at] == other_chain && last_[at] != no_index &&
           last_[at] >= step;
  }

 private:
  [[nodiscard]] std::size_t find(std::uint32_t chain, std::uint32_t other) const {
    const auto row = others_[chain];
    const auto place = std::lower_bound(row.begin(), row.end(), other) - row.begin();
    return others_.begin[chain] + static_cast<std::size_t>(place);
  }

  Rows others_;                      // by chain: chains that it ever waits for, ascending
  std::vector<std::uint32_t> last_;  // by others_.items: step
  std::vector<bool> any_;            // by chain
};

// Visits all accesses in the order of execution, and records the pairs that must be ordered.
class Accesses {
 public:
  // Prepares for run(), in which every test costs 1 of `budget`. All arguments must outlive this object.
  Accesses(const StepGraph& p, const BufferLayout& layout, const ExecuteOptions& options, std::uint64_t& budget);

  // Visits the steps of `order`, the order of execution. Stops if the budget or the memory is exhausted.
  void run(std::span<const std::uint32_t> order);

  [[nodiscard]] const std::vector<std::uint32_t>& chain_of() const { return chain_of_; }
  // Returns the tests in the order of execution, without tests that a chain's direct dependencies decide.
  [[nodiscard]] std::vector<Test>& tests() { return tests_; }
  // Returns pairs of a chunk's writer and reader that are ordered within the rank.
  [[nodiscard]] std::vector<StepPair>& flow() { return flow_; }
  // Returns the first test beyond the budget or the memory, at which run() stopped, or nullopt if there was none.
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
    List readers;  // since that write, without readers that a later reader has waited for
    List sums;     // steps that added to it since that write, if sums commute
  };

  void touch(std::uint32_t s, std::int32_t j);
  void read(std::uint64_t slot, std::uint32_t s);
  void write(std::uint64_t slot, std::uint32_t s);
  void accumulate(std::uint64_t slot, std::uint32_t s);
  void add_reader(Slot& state, std::uint32_t s);
  void test(std::uint32_t first, std::uint32_t second, Hazard hazard, std::uint64_t slot);
  void test_readers(const List& readers, std::uint32_t second, std::uint64_t slot);
  void test_all(const List& list, std::uint32_t second, Hazard hazard, std::uint64_t slot) {
    for (std::uint32_t i = list.first; i != no_index && !left_out_; i = lists_[i].next) {
      test(lists_[i].step, second, hazard, slot);
    }
  }
  void append(List& list, std::uint32_t step);
  void free(List list) {
    if (list.first == no_index) return;
    lists_[list.last].next = free_;
    free_ = list.first;
  }
  [[nodiscard]] bool noted(std::uint32_t first) const;
  // Returns the answer of chains and their direct dependencies.
  [[nodiscard]] Answer within_rank(std::uint32_t from, std::uint32_t to) const {
    const std::uint32_t chain = chain_of_[to];
    const std::uint32_t other = chain_of_[from];
    if (chain == other || waited_.for_step(chain, other, from)) return Answer::ordered;
    return waited_.anything(chain) ? Answer::open : Answer::unordered;
  }

  const StepGraph& p_;
  const BufferLayout& layout_;
  const ExecuteOptions& options_;
  std::uint64_t& budget_;
  std::size_t most_tests_ = 4 * std::size_t{p_.step_count()} + (std::size_t{1} << 22U);
  std::vector<std::uint32_t> chain_of_ = std::vector<std::uint32_t>(p_.step_count());
  Waited waited_{p_};
  std::vector<Slot> slots_ = std::vector<Slot>(layout_.slots());
  std::vector<Item> lists_;
  std::uint32_t free_ = no_index;  // free items
  std::vector<Test> tests_;
  std::size_t tests_of_step_ = 0;   // first test of the current step
  std::size_t readers_before_ = 0;  // its tests against the readers of the previous slot
  std::size_t readers_end_ = 0;
  std::vector<StepPair> flow_;
  std::optional<Conflict> left_out_;
};

}  // namespace convert
