// SPDX-License-Identifier: MIT
#include <algorithm>

#include "collectives/families.h"

namespace convert::collectives {
namespace {

// The first floor_power_of_two(n) members, the cores, do the work. Core i also handles the shards of its partner,
// member cores + i.
class Cores {
 public:
  explicit Cores(const Group& g)
      : g_(g), cores_(floor_power_of_two(g.size())), parts_(static_cast<std::int32_t>(g.parts.size())) {}

  [[nodiscard]] std::int32_t count() const { return cores_; }
  // Returns the shard of a member beyond the cores, if it has one.
  [[nodiscard]] std::vector<Chunks> owned(std::int32_t other) const {
    return other < parts_ ? g_.part(other) : std::vector<Chunks>();
  }
  // Returns the shards of cores [begin, end) and their partners.
  [[nodiscard]] std::vector<Chunks> block(std::int32_t begin, std::int32_t end) const {
    return with_parts(g_, std::min(begin + cores_, parts_), std::min(end + cores_, parts_),
                      with_parts(g_, begin, end));
  }
  // Returns all shards except one.
  [[nodiscard]] std::vector<Chunks> all_but(std::int32_t part) const {
    return with_parts(g_, std::min(part + 1, parts_), parts_, with_parts(g_, 0, std::min(part, parts_)));
  }

  // Add a round. chunks(m): chunks sent by or to member m beyond the cores, or sent by core m.
  template <class Of>
  void from_others(AlgorithmBuilder& b, Arrival arrival, const Of& chunks) const {
    round(b, cores_, g_.size(), arrival, chunks, [&](std::int32_t m) { return hop(m, m - cores_); });
  }
  template <class Of>
  void to_others(AlgorithmBuilder& b, Arrival arrival, const Of& chunks) const {
    round(b, cores_, g_.size(), arrival, chunks, [&](std::int32_t m) { return hop(m - cores_, m); });
  }
  template <class Of>
  void exchange(AlgorithmBuilder& b, std::int32_t distance, Arrival arrival, const Of& chunks) const {
    round(b, 0, cores_, arrival, chunks, [&](std::int32_t m) { return hop(m, m ^ distance); });
  }

 private:
  [[nodiscard]] Hop hop(std::int32_t from, std::int32_t to) const {
    return peer_hop(g_.rank(from), g_.rank(to), g_.channel);
  }
  template <class Of, class HopOf>
  static void round(AlgorithmBuilder& b, std::int32_t begin, std::int32_t end, Arrival arrival, const Of& chunks,
                    const HopOf& hop_of) {
    Round all;
    for (std::int32_t m = begin; m < end; ++m) all.add(hop_of(m), arrival, chunks(m));
    b.run(all);
  }

  const Group& g_;
  std::int32_t cores_;
  std::int32_t parts_;
};

}  // namespace

void halving_reduce_scatter(AlgorithmBuilder& b, const Group& g) {
  const Cores cores(g);
  cores.from_others(b, Arrival::reduce, [&](std::int32_t) { return cores.all_but(g.size()); });
  for (std::int32_t half = cores.count() / 2; half >= 1; half /= 2) {
    cores.exchange(b, half, Arrival::reduce, [&](std::int32_t i) {
      const std::int32_t begin = (i ^ half) & ~(half - 1);
      return cores.block(begin, begin + half);
    });
  }
  cores.to_others(b, Arrival::store, [&](std::int32_t e) { return cores.owned(e); });
}

void doubling_all_gather(AlgorithmBuilder& b, const Group& g) {
  const Cores cores(g);
  cores.from_others(b, Arrival::store, [&](std::int32_t e) { return cores.owned(e); });
  for (std::int32_t held = 1; held < cores.count(); held *= 2) {
    cores.exchange(b, held, Arrival::store, [&](std::int32_t i) {
      const std::int32_t begin = i & ~(held - 1);
      return cores.block(begin, begin + held);
    });
  }
  cores.to_others(b, Arrival::store, [&](std::int32_t e) { return cores.all_but(e); });
}

Algorithm build_halving_doubling(const CollectiveRequest& r) {
  // An all-reduce needs one shard per core only, not one per rank.
  const std::int32_t parts = r.collective == Collective::all_reduce ? floor_power_of_two(r.ranks) : r.ranks;
  return build_flat(r, halving_doubling_scheme, parts);
}

Algorithm build_recursive_doubling(const CollectiveRequest& r) {
  return build_slices(r, 1, r.chunks, 1, [](AlgorithmBuilder& b, const Group& g) {
    const Cores cores(g);
    const auto all = [&](std::int32_t) -> const std::vector<Chunks>& { return g.part(0); };
    cores.from_others(b, Arrival::reduce, all);
    for (std::int32_t distance = 1; distance < cores.count(); distance *= 2)
      cores.exchange(b, distance, Arrival::reduce, all);
    cores.to_others(b, Arrival::store, all);
  });
}

}  // namespace convert::collectives
