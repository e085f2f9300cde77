// SPDX-License-Identifier: MIT
#include "passes/verify/values.h"

#include <algorithm>
#include <bit>

namespace convert {
namespace {

// Runs take 2 words each; longer sets may become bitsets.
constexpr std::size_t max_run_words = 16;
// Sums of more distinct chunks are certainly errors, and are not distinguished further.
constexpr std::size_t max_terms = 64;
constexpr std::size_t max_mixed = 100'000;

std::size_t hash_words(std::span<const std::uint32_t> words, bool doubled) {
  std::uint64_t h = doubled ? 0x9e3779b97f4a7c15ULL : 0;
  for (const std::uint32_t w : words) {
    h = (h ^ w) * 0x9fb21c651e98df25ULL;
    h ^= h >> 32;
  }
  return static_cast<std::size_t>(h);
}

}  // namespace

RankSets::RankSets(std::uint32_t ranks, std::span<const std::int32_t> outside)
    : ranks_(ranks), bit_words_((ranks + 31) / 32) {
  for (std::uint32_t r = 0; r < ranks; ++r) {
    const std::uint32_t run[] = {r, r};
    intern(run, false, false);
  }
  std::uint32_t first = 0;
  const auto add_until = [&](std::uint32_t end) {
    if (first < end) scratch_.insert(scratch_.end(), {first, end - 1});
    first = end + 1;
  };
  for (const std::int32_t r : outside) add_until(static_cast<std::uint32_t>(r));
  add_until(ranks);
  const bool few = scratch_.size() <= max_run_words;
  all_ = intern(scratch_, false, false);
  if (few) return;
  expand(all_, left_);
  all_ = intern(left_, true, false);
}

RankSets::Id RankSets::intern(std::span<const std::uint32_t> content, bool bits, bool doubled) {
  const auto same = [&](Id id) {
    const Entry& e = entries_[id];
    return e.doubled == doubled && e.bits == bits && std::ranges::equal(words(id), content);
  };
  const auto hash_of = [&](Id id) { return hash_words(words(id), entries_[id].doubled); };
  const auto next = static_cast<Id>(entries_.size());
  const Id found = index_.find_or_add(hash_words(content, doubled), next, same, hash_of);
  if (found == next) {
    entries_.push_back({words_.size(), static_cast<std::uint32_t>(content.size()), bits, doubled});
    words_.insert(words_.end(), content.begin(), content.end());
  }
  return found;
}

// Merges two run lists into scratch_. Returns true if they overlap.
bool RankSets::unite_runs(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b) {
  scratch_.clear();
  bool overlap = false;
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() || j < b.size()) {
    const bool from_a = j >= b.size() || (i < a.size() && a[i] <= b[j]);
    const std::uint32_t first = from_a ? a[i] : b[j];
    const std::uint32_t last = from_a ? a[i + 1] : b[j + 1];
    (from_a ? i : j) += 2;
    if (!scratch_.empty() && first <= scratch_.back() + 1) {
      overlap |= first <= scratch_.back();
      scratch_.back() = std::max(scratch_.back(), last);
    } else {
      scratch_.push_back(first);
      scratch_.push_back(last);
    }
  }
  return overlap;
}

void RankSets::expand(Id id, std::vector<std::uint32_t>& bits) const {
  const auto content = words(id);
  if (entries_[id].bits) {
    bits.assign(content.begin(), content.end());
    return;
  }
  bits.assign(bit_words_, 0);
  for (std::size_t i = 0; i < content.size(); i += 2) {
    for (std::uint32_t r = content[i]; r <= content[i + 1]; ++r) bits[r / 32] |= 1U << (r % 32);
  }
}

// Merges into left_ as a bitset, then into scratch_ as runs if there are few. Returns true if they overlap.
bool RankSets::unite_bits(Id a, Id b) {
  expand(a, left_);
  expand(b, right_);
  std::uint32_t common = 0;
  for (std::size_t w = 0; w < left_.size(); ++w) {
    common |= left_[w] & right_[w];
    left_[w] |= right_[w];
  }
  scratch_.clear();
  std::uint32_t r = 0;
  while (r < ranks_ && scratch_.size() <= max_run_words) {
    const std::uint32_t word = left_[r / 32] >> (r % 32);
    if (word == 0) {
      r = (r / 32 + 1) * 32;
      continue;
    }
    r += static_cast<std::uint32_t>(std::countr_zero(word));
    const std::uint32_t first = r;
    while (r < ranks_ && ((left_[r / 32] >> (r % 32)) & 1U) != 0) ++r;
    scratch_.push_back(first);
    scratch_.push_back(r - 1);
  }
  return common != 0;
}

RankSets::Id RankSets::unite(Id a, Id b) {
  const Entry& ea = entries_[a];
  const Entry& eb = entries_[b];
  bool doubled = ea.doubled || eb.doubled;
  const bool few = !ea.bits && !eb.bits && ea.words + eb.words <= max_run_words;
  doubled |= few ? unite_runs(words(a), words(b)) : unite_bits(a, b);
  // One form per content: runs if there are few, else bits.
  if (few || scratch_.size() <= max_run_words) return intern(scratch_, false, doubled);
  return intern(left_, true, doubled);
}

bool RankSets::contains(Id id, std::uint32_t rank) const {
  const auto content = words(id);
  if (entries_[id].bits) return ((content[rank / 32] >> (rank % 32)) & 1U) != 0;
  for (std::size_t i = 0; i < content.size(); i += 2) {
    if (rank >= content[i] && rank <= content[i + 1]) return true;
  }
  return false;
}

std::uint32_t RankSets::first_common(Id a, Id b) const {
  for (std::uint32_t r = 0; r < ranks_; ++r) {
    if (contains(a, r) && contains(b, r)) return r;
  }
  return ranks_;
}

std::string RankSets::text(Id id) const {
  std::string out;
  for (std::uint32_t r = 0; r < ranks_; ++r) {
    if (!contains(id, r)) continue;
    std::uint32_t last = r;
    while (last + 1 < ranks_ && contains(id, last + 1)) ++last;
    out += (out.empty() ? "" : ",") + std::to_string(r) + (last > r ? "-" + std::to_string(last) : "");
    r = last;
  }
  return out;
}

SlotValue Values::reduce(SlotValue a, SlotValue b, std::uint32_t& doubled_rank) {
  if (a == nothing || b == nothing) return nothing;
  const auto chunk = static_cast<std::uint32_t>(a >> 32);
  if (chunk != static_cast<std::uint32_t>(b >> 32) || chunk == mixed_chunk) return reduce_mixed(a, b, doubled_rank);
  const auto x = static_cast<std::uint32_t>(a);
  const auto y = static_cast<std::uint32_t>(b);
  return (a & 0xffffffff00000000ULL) | unite(x, y, doubled_rank);
}

RankSets::Id Values::unite(RankSets::Id a, RankSets::Id b, std::uint32_t& doubled_rank) {
  const RankSets::Id set = sets_.unite(a, b);
  if (sets_.doubled(set) && !sets_.doubled(a) && !sets_.doubled(b)) doubled_rank = sets_.first_common(a, b);
  return set;
}

Values::Terms Values::terms(SlotValue v) const {
  const auto chunk = static_cast<std::uint32_t>(v >> 32);
  const auto low = static_cast<std::uint32_t>(v);
  if (chunk == mixed_chunk) return mixed_[low];
  return {{chunk - 1, low}};
}

SlotValue Values::reduce_mixed(SlotValue a, SlotValue b, std::uint32_t& doubled_rank) {
  if (a == pack_mixed(too_mixed) || b == pack_mixed(too_mixed)) return pack_mixed(too_mixed);
  Terms sum = terms(a);
  for (const auto& [chunk, set] : terms(b)) {
    const auto at = std::ranges::lower_bound(sum, chunk, {}, &Terms::value_type::first);
    if (at == sum.end() || at->first != chunk) {
      sum.insert(at, {chunk, set});
      continue;
    }
    at->second = unite(at->second, set, doubled_rank);
  }
  if (sum.size() > max_terms || mixed_.size() >= max_mixed) return pack_mixed(too_mixed);
  // No hash-consing: such values only occur in wrong graphs, and are never compared with one another.
  mixed_.push_back(std::move(sum));
  return pack_mixed(static_cast<std::uint32_t>(mixed_.size() - 1));
}

bool Values::is_single_chunk(SlotValue v, std::uint32_t& chunk, RankSets::Id& set) const {
  const auto high = static_cast<std::uint32_t>(v >> 32);
  if (v == nothing || high == mixed_chunk) return false;
  chunk = high - 1;
  set = static_cast<std::uint32_t>(v);
  return true;
}

std::string Values::text(SlotValue v) const {
  if (v == nothing) return "nothing";
  if (v == pack_mixed(too_mixed)) return "a sum of very many chunks";
  std::string out;
  for (const auto& [chunk, set] : terms(v)) {
    out += (out.empty() ? "" : " + ") + ("chunk " + std::to_string(chunk)) +
           (set < sets_.ranks() ? " of rank " : " of ranks ") + sets_.text(set);
    if (sets_.doubled(set)) out += " (some more than once)";
  }
  return out;
}

}  // namespace convert
