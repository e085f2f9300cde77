// SPDX-License-Identifier: MIT
#include "passes/verify/postcondition.h"

#include <algorithm>
#include <utility>

namespace convert {
namespace {

// Compares the buffers with a collective's result. Places number the ranks that take part: all ranks except relays.
class Comparison {
 public:
  Comparison(const StepGraph& p, Collective collective, std::optional<std::int32_t> root,
             const BufferLayout& layout, const Execution& e)
      : p_(p), collective_(collective), root_(root), layout_(layout), e_(e) {
    for (std::int32_t r = 0; r < p.ranks(); ++r) {
      if (!std::ranges::binary_search(p.relays, r)) ranks_.push_back(r);
    }
    n_ = static_cast<std::int32_t>(ranks_.size());
    per_rank_ = p.chunks / std::max(1, n_);
  }

  std::optional<std::vector<Mismatch>> run() {
    switch (collective_) {
      case Collective::all_reduce:
        return all([&](std::int32_t, std::int32_t k) { return e_.values.complete(u(k)); });
      case Collective::reduce_scatter: return reduce_scatter();
      case Collective::all_gather:
        return all([&](std::int32_t, std::int32_t k) {
          return token(k / per_rank_, whole_buffers() ? k : k % per_rank_);
        });
      case Collective::all_to_all:
        return all([&](std::int32_t place, std::int32_t k) {
          return token(k / per_rank_, place * per_rank_ + k % per_rank_);
        });
      case Collective::broadcast: {
        const std::int32_t root = root_ ? *root_ : broadcast_root();
        return all([&](std::int32_t, std::int32_t k) { return token(root, k); });
      }
      case Collective::reduce:
        return at_root([&](std::int32_t, std::int32_t k) { return e_.values.complete(u(k)); });
      case Collective::gather: return either([&](bool parts) { return gather(parts); });
      case Collective::scatter: return either([&](bool parts) { return scatter(parts); });
      default: return std::nullopt;
    }
  }

 private:
  static std::uint32_t u(std::int32_t i) { return static_cast<std::uint32_t>(i); }

  // Returns whether the result is in the inputs, which have room for all chunks (see StepHeader::relays).
  [[nodiscard]] bool whole_buffers() const { return !p_.relays.empty() && collective_ != Collective::all_to_all; }

  [[nodiscard]] SlotValue token(std::int32_t place, std::int32_t chunk) const {
    return e_.values.token(u(ranks_[u(place)]), u(chunk));
  }

  [[nodiscard]] SlotValue output(std::int32_t place, std::int32_t k, std::uint64_t& slot) const {
    slot = layout_.slot(ranks_[u(place)], whole_buffers() ? Buffer::input : Buffer::output, k);
    return slot == BufferLayout::outside ? nothing : e_.slots[slot];
  }

  template <typename Expected>
  void compare(std::int32_t place, std::int32_t first, std::int32_t count, const Expected& expected,
               std::vector<Mismatch>& out) const {
    bool any = false;
    for (std::int32_t k = first; k < first + count; ++k) {
      std::uint64_t slot = 0;
      const SlotValue found = output(place, k, slot);
      const SlotValue wanted = expected(place, k);
      if (found == wanted) continue;
      if (std::exchange(any, true)) {
        ++out.back().more;
      } else {
        out.push_back({.rank = ranks_[u(place)],
                       .buffer = whole_buffers() ? Buffer::input : Buffer::output,
                       .chunk = k,
                       .expected = wanted,
                       .found = found,
                       .slot = slot});
      }
    }
  }

  template <typename Expected>
  void compare_rank(std::int32_t place, const Expected& expected, std::vector<Mismatch>& out) const {
    compare(place, 0, output_chunks(collective_, p_.chunks, n_), expected, out);
  }

  template <typename Expected>
  std::vector<Mismatch> all(const Expected& expected) const {
    std::vector<Mismatch> out;
    for (std::int32_t place = 0; place < n_; ++place) compare_rank(place, expected, out);
    return out;
  }

  [[nodiscard]] std::vector<Mismatch> reduce_scatter() const {
    std::vector<Mismatch> out;
    for (std::int32_t place = 0; place < n_; ++place) {
      const std::int32_t own = place * per_rank_, first = whole_buffers() ? own : 0;
      compare(
          place, first, per_rank_,
          [&](std::int32_t, std::int32_t k) { return e_.values.complete(u(own + k - first)); }, out);
    }
    return out;
  }

  // Returns the place whose data a slot holds, if it holds one chunk of one rank; otherwise -1.
  [[nodiscard]] std::int32_t source_of(SlotValue found) const {
    std::uint32_t chunk = 0;
    RankSets::Id set = 0;
    if (!e_.values.is_single_chunk(found, chunk, set) || set >= u(p_.ranks())) return -1;
    const auto at = std::ranges::lower_bound(ranks_, static_cast<std::int32_t>(set));
    return at == ranks_.end() || *at != static_cast<std::int32_t>(set)
               ? -1
               : static_cast<std::int32_t>(at - ranks_.begin());
  }

  // Returns the source of the data on the last place that holds one rank's data, or 0 (the comparison then fails).
  [[nodiscard]] std::int32_t broadcast_root() const {
    std::uint64_t slot = 0;
    for (std::int32_t place = n_ - 1; place >= 0; --place) {
      const std::int32_t source = source_of(output(place, 0, slot));
      if (source >= 0) return source;
    }
    return 0;
  }

  // Compares the root's buffer. If the root is unknown, uses the place with the fewest wrong chunks.
  template <typename Expected>
  std::vector<Mismatch> at_root(const Expected& expected) const {
    std::vector<Mismatch> best;
    for (std::int32_t place = root_.value_or(0); place < (root_ ? *root_ + 1 : n_); ++place) {
      std::vector<Mismatch> here;
      compare_rank(place, expected, here);
      if (here.empty()) return {};
      if (best.empty() || here[0].more < best[0].more) best = here;
    }
    return best;
  }

  // Accepts two layouts: a gather's inputs and a scatter's outputs are whole buffers, and a rank uses its shard.
  // Out of place, they may also consist of that shard alone, as in the runtimes.
  template <typename Check>
  std::vector<Mismatch> either(const Check& check) const {
    std::vector<Mismatch> whole = check(false);
    const bool aliased = layout_.slot(0, Buffer::input, 0) == layout_.slot(0, Buffer::output, 0);
    return !whole.empty() && !aliased && !whole_buffers() && check(true).empty() ? std::vector<Mismatch>{} : whole;
  }

  [[nodiscard]] std::vector<Mismatch> gather(bool parts) const {
    return at_root([&](std::int32_t, std::int32_t k) { return token(k / per_rank_, parts ? k % per_rank_ : k); });
  }

  [[nodiscard]] std::vector<Mismatch> scatter(bool parts) const {
    const std::int32_t root = root_ ? *root_ : scatter_root(parts);
    std::vector<Mismatch> out;
    for (std::int32_t place = 0; place < n_; ++place) {
      const std::int32_t first = parts ? 0 : place * per_rank_;
      const auto expected = [&](std::int32_t, std::int32_t k) {
        return token(root, place * per_rank_ + k - first);
      };
      compare(place, first, per_rank_, expected, out);
    }
    return out;
  }

  // Returns the place whose data most other places hold at the beginning of their shards; the lowest one of
  // several.
  [[nodiscard]] std::int32_t scatter_root(bool parts) const {
    std::vector<std::uint32_t> holders(u(n_), 0);
    for (std::int32_t place = 0; place < n_; ++place) {
      std::uint64_t slot = 0;
      const std::int32_t source = source_of(output(place, parts ? 0 : place * per_rank_, slot));
      if (source >= 0 && source != place) ++holders[u(source)];
    }
    return static_cast<std::int32_t>(std::ranges::max_element(holders) - holders.begin());
  }

  const StepGraph& p_;
  Collective collective_;
  std::optional<std::int32_t> root_;
  const BufferLayout& layout_;
  const Execution& e_;
  std::vector<std::int32_t> ranks_;  // by place
  std::int32_t n_ = 0;
  std::int32_t per_rank_ = 0;
};

}  // namespace

bool has_postcondition(Collective collective) {
  switch (collective) {
    using enum Collective;
    case all_reduce:
    case reduce:
    case all_gather:
    case broadcast:
    case all_to_all:
    case reduce_scatter:
    case gather:
    case scatter: return true;
    default: return false;
  }
}

std::optional<std::vector<Mismatch>> check_postcondition(const StepGraph& graph, Collective collective,
                                                         std::optional<std::int32_t> root,
                                                         const BufferLayout& layout, const Execution& execution) {
  return Comparison(graph, collective, root, layout, execution).run();
}

}  // namespace convert
