// SPDX-License-Identifier: MIT
#include "passes/verify/postcondition.h"

#include <algorithm>
#include <utility>

namespace convert {
namespace {

class Comparison {
 public:
  Comparison(const StepGraph& p, Collective collective, std::optional<std::int32_t> root,
             const BufferLayout& layout, const Execution& e)
      : p_(p), collective_(collective), root_(root), layout_(layout), e_(e) {}

  std::optional<std::vector<Mismatch>> run() {
    switch (collective_) {
      case Collective::all_reduce:
        return all([&](std::int32_t, std::int32_t k) { return e_.values.complete(u(k)); });
      case Collective::reduce_scatter:
        return all([&](std::int32_t r, std::int32_t k) { return e_.values.complete(u(r * per_rank_ + k)); });
      case Collective::all_gather:
        return all(
            [&](std::int32_t, std::int32_t k) { return e_.values.token(u(k / per_rank_), u(k % per_rank_)); });
      case Collective::all_to_all:
        return all([&](std::int32_t r, std::int32_t k) {
          return e_.values.token(u(k / per_rank_), u(r * per_rank_ + k % per_rank_));
        });
      case Collective::broadcast: {
        const std::uint32_t root = root_ ? u(*root_) : broadcast_root();
        return all([&](std::int32_t, std::int32_t k) { return e_.values.token(root, u(k)); });
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

  [[nodiscard]] SlotValue output(std::int32_t rank, std::int32_t k, std::uint64_t& slot) const {
    slot = layout_.slot(rank, Buffer::output, k);
    return slot == BufferLayout::outside ? nothing : e_.slots[slot];
  }

  template <typename Expected>
  void compare(std::int32_t r, std::int32_t first, std::int32_t count, const Expected& expected,
               std::vector<Mismatch>& out) const {
    bool any = false;
    for (std::int32_t k = first; k < first + count; ++k) {
      std::uint64_t slot = 0;
      const SlotValue found = output(r, k, slot);
      const SlotValue wanted = expected(r, k);
      if (found == wanted) continue;
      if (std::exchange(any, true)) {
        ++out.back().more;
      } else {
        out.push_back({r, k, wanted, found, slot, 0});
      }
    }
  }

  template <typename Expected>
  void compare_rank(std::int32_t r, const Expected& expected, std::vector<Mismatch>& out) const {
    compare(r, 0, output_chunks(collective_, p_.chunks, n_), expected, out);
  }

  template <typename Expected>
  std::vector<Mismatch> all(const Expected& expected) const {
    std::vector<Mismatch> out;
    for (std::int32_t r = 0; r < n_; ++r) compare_rank(r, expected, out);
    return out;
  }

  // Returns whose data the last rank with one rank's data holds; 0 if there is none (the comparison fails then).
  [[nodiscard]] std::uint32_t broadcast_root() const {
    std::uint64_t slot = 0;
    std::uint32_t chunk = 0;
    RankSets::Id set = 0;
    for (std::int32_t r = n_ - 1; r >= 0; --r) {
      if (e_.values.is_single_chunk(output(r, 0, slot), chunk, set) && set < u(n_)) return set;
    }
    return 0;
  }

  // Compares what the root holds; without a known root that of whom the least is wrong.
  template <typename Expected>
  std::vector<Mismatch> at_root(const Expected& expected) const {
    std::vector<Mismatch> best;
    for (std::int32_t r = root_.value_or(0); r < (root_ ? *root_ + 1 : n_); ++r) {
      std::vector<Mismatch> here;
      compare_rank(r, expected, here);
      if (here.empty()) return {};
      if (best.empty() || here[0].more < best[0].more) best = here;
    }
    return best;
  }

  // A gather's inputs and a scatter's outputs are whole buffers, of which a rank uses its part; out of place they
  // may also be, as the runtimes have them, that part alone.
  template <typename Check>
  std::vector<Mismatch> either(const Check& check) const {
    std::vector<Mismatch> whole = check(false);
    const bool aliased = layout_.slot(0, Buffer::input, 0) == layout_.slot(0, Buffer::output, 0);
    return !whole.empty() && !aliased && check(true).empty() ? std::vector<Mismatch>{} : whole;
  }

  [[nodiscard]] std::vector<Mismatch> gather(bool parts) const {
    return at_root([&](std::int32_t, std::int32_t k) {
      return e_.values.token(u(k / per_rank_), u(parts ? k % per_rank_ : k));
    });
  }

  [[nodiscard]] std::vector<Mismatch> scatter(bool parts) const {
    const std::uint32_t root = root_ ? u(*root_) : scatter_root(parts);
    std::vector<Mismatch> out;
    for (std::int32_t r = 0; r < n_; ++r) {
      const std::int32_t first = parts ? 0 : r * per_rank_;
      const auto expected = [&](std::int32_t, std::int32_t k) {
        return e_.values.token(root, u(r * per_rank_ + k - first));
      };
      compare(r, first, per_rank_, expected, out);
    }
    return out;
  }

  // Returns whose data most of the others hold where their parts begin; the lowest such rank.
  [[nodiscard]] std::uint32_t scatter_root(bool parts) const {
    std::vector<std::uint32_t> holders(u(n_), 0);
    for (std::int32_t r = 0; r < n_; ++r) {
      std::uint64_t slot = 0;
      std::uint32_t chunk = 0;
      RankSets::Id source = 0;
      const SlotValue found = output(r, parts ? 0 : r * per_rank_, slot);
      if (e_.values.is_single_chunk(found, chunk, source) && source < u(n_) && source != u(r)) ++holders[source];
    }
    return static_cast<std::uint32_t>(std::ranges::max_element(holders) - holders.begin());
  }

  const StepGraph& p_;
  Collective collective_;
  std::optional<std::int32_t> root_;
  const BufferLayout& layout_;
  const Execution& e_;
  std::int32_t n_ = p_.ranks();
  std::int32_t per_rank_ = p_.chunks / n_;
};

}  // namespace

std::optional<std::vector<Mismatch>> check_postcondition(const StepGraph& graph, Collective collective,
                                                         std::optional<std::int32_t> root,
                                                         const BufferLayout& layout, const Execution& execution) {
  return Comparison(graph, collective, root, layout, execution).run();
}

}  // namespace convert
