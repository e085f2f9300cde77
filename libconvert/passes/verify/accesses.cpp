// SPDX-License-Identifier: MIT
#include "passes/verify/accesses.h"

#include <algorithm>

namespace convert {

Waited::Waited(const StepGraph& p) {
  auto& others = others_.items;
  for (const Chain& c : p.chains) {
    for (std::uint32_t s = c.first; s < c.first + c.count; ++s) {
      for (const Dependency& d : p.deps_of(s)) others.push_back(d.chain);
    }
    const auto mine = others.begin() + others_.begin.back();
    std::sort(mine, others.end());
    others.erase(std::unique(mine, others.end()), others.end());
    others_.end_row();
  }
  last_.assign(others.size(), no_index);
  any_.resize(p.chains.size());
}

Accesses::Accesses(const StepGraph& p, const BufferLayout& layout, const ExecuteOptions& options,
                   std::uint64_t& budget)
    : p_(p), layout_(layout), options_(options), budget_(budget) {
  for (std::uint32_t c = 0; c < p.chains.size(); ++c) {
    std::fill_n(chain_of_.begin() + p.chains[c].first, p.chains[c].count, c);
  }
}

void Accesses::run(std::span<const std::uint32_t> order) {
  for (const std::uint32_t s : order) {
    for (const Dependency& d : p_.deps_of(s)) waited_.wait(chain_of_[s], d);
    tests_of_step_ = readers_before_ = readers_end_ = tests_.size();
    for (std::int32_t j = 0; j < p_.steps[s].cnt; ++j) touch(s, j);
    if (left_out_) return;
  }
}

void Accesses::touch(std::uint32_t s, std::int32_t j) {
  const GraphStep& step = p_.steps[s];
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
  free(state.readers);
  free(state.sums);
  state = {.writer = s, .readers = {}, .sums = {}};
}

void Accesses::accumulate(std::uint64_t slot, std::uint32_t s) {
  Slot& state = slots_[slot];
  if (state.writer != no_index) test(state.writer, s, Hazard::read_after_write, slot);
  test_readers(state.readers, s, slot);
  append(state.sums, s);
}

// Drops earlier reads that this read has waited for: a write ordered after it is ordered after them. Looks only at
// the oldest ones, so that many readers of one chunk do not cost quadratic time.
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
      free({i, i});
    }
    i = next;
  }
  append(state.readers, s);
}

void Accesses::append(List& list, std::uint32_t step) {
  std::uint32_t at = free_;
  if (at != no_index) {
    free_ = lists_[at].next;
    lists_[at] = {step, no_index};
  } else {
    at = static_cast<std::uint32_t>(lists_.size());
    lists_.push_back({step, no_index});
  }
  (list.first == no_index ? list.first : lists_[list.last].next) = at;
  list.last = at;
}

// Adds no tests if the readers are the readers of the previous chunk, as is common in a range of chunks.
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

// Returns whether a recent chunk already requires the step to be ordered after `first`.
bool Accesses::noted(std::uint32_t first) const {
  constexpr std::size_t looked_at = 8;
  const std::size_t begin = std::max(tests_of_step_, tests_.size() - std::min(tests_.size(), looked_at));
  return std::any_of(tests_.begin() + static_cast<std::ptrdiff_t>(begin), tests_.end(), [&](const Test& t) {
    return t.accesses.first == first && t.accesses.hazard != Hazard::write_after_read;
  });
}

}  // namespace convert
