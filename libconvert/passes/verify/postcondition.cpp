// SPDX-License-Identifier: MIT
#include "passes/verify/postcondition.h"

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
      case Collective::reduce: return reduce();
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
  void compare_rank(std::int32_t r, const Expected& expected, std::vector<Mismatch>& out) const {
    const std::int32_t chunks = output_chunks(collective_, p_.chunks, n_);
    bool any = false;
    for (std::int32_t k = 0; k < chunks; ++k) {
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

  [[nodiscard]] std::vector<Mismatch> reduce() const {
    const auto expected = [&](std::int32_t, std::int32_t k) { return e_.values.complete(u(k)); };
    std::vector<Mismatch> best;
    for (std::int32_t r = root_.value_or(0); r < (root_ ? *root_ + 1 : n_); ++r) {
      std::vector<Mismatch> here;
      compare_rank(r, expected, here);
      if (here.empty()) return {};
      if (best.empty() || here[0].more < best[0].more) best = here;
    }
    return best;
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
