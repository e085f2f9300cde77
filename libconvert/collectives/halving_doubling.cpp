// SPDX-License-Identifier: MIT
#include <algorithm>

#include "collectives/families.h"

namespace convert::collectives {
namespace {

// The members up to a power of two, the cores, do the work; member core+i has core i for a partner, which works on
// its parts too.
class Cores {
 public:
  explicit Cores(const Group& g)
      : g_(g), cores_(power_below(g.size())), parts_(static_cast<std::int32_t>(g.parts.size())) {}

  [[nodiscard]] std::int32_t count() const { return cores_; }
  // A member beyond the cores owns a part.
  [[nodiscard]] bool owns(std::int32_t other) const { return other < parts_; }
  // The parts of cores [begin, end) and their partners.
  [[nodiscard]] std::vector<Chunks> block(std::int32_t begin, std::int32_t end) const {
    std::vector<Chunks> chunks;
    append_parts(g_, begin, end, chunks);
    append_parts(g_, std::min(begin + cores_, parts_), std::min(end + cores_, parts_), chunks);
    return chunks;
  }
  // All parts but one.
  [[nodiscard]] std::vector<Chunks> all_but(std::int32_t part) const {
    std::vector<Chunks> chunks;
    append_parts(g_, 0, std::min(part, parts_), chunks);
    append_parts(g_, std::min(part + 1, parts_), parts_, chunks);
    return chunks;
  }
  [[nodiscard]] Hop hop(std::int32_t from, std::int32_t to) const {
    return peer_hop(g_.rank(from), g_.rank(to), g_.channel);
  }

 private:
  const Group& g_;
  std::int32_t cores_;
  std::int32_t parts_;
};

}  // namespace

void halving_reduce_scatter(ProgramBuilder& b, const Group& g) {
  const Cores cores(g);
  Round gather;
  for (std::int32_t e = cores.count(); e < g.size(); ++e)
    gather.add(cores.hop(e, e - cores.count()), Arrival::reduce, cores.all_but(g.size()));
  b.run(gather);
  for (std::int32_t half = cores.count() / 2; half >= 1; half /= 2) {
    Round round;
    for (std::int32_t i = 0; i < cores.count(); ++i) {
      const std::int32_t partner = i ^ half;
      const std::int32_t begin = partner & ~(half - 1);
      round.add(cores.hop(i, partner), Arrival::reduce, cores.block(begin, begin + half));
    }
    b.run(round);
  }
  Round hand_out;
  for (std::int32_t e = cores.count(); e < g.size(); ++e) {
    if (cores.owns(e)) hand_out.add(cores.hop(e - cores.count(), e), Arrival::store, g.part(e));
  }
  b.run(hand_out);
}

void doubling_all_gather(ProgramBuilder& b, const Group& g) {
  const Cores cores(g);
  Round gather;
  for (std::int32_t e = cores.count(); e < g.size(); ++e) {
    if (cores.owns(e)) gather.add(cores.hop(e, e - cores.count()), Arrival::store, g.part(e));
  }
  b.run(gather);
  for (std::int32_t held = 1; held < cores.count(); held *= 2) {
    Round round;
    for (std::int32_t i = 0; i < cores.count(); ++i) {
      const std::int32_t begin = i & ~(held - 1);
      round.add(cores.hop(i, i ^ held), Arrival::store, cores.block(begin, begin + held));
    }
    b.run(round);
  }
  Round hand_out;
  for (std::int32_t e = cores.count(); e < g.size(); ++e)
    hand_out.add(cores.hop(e - cores.count(), e), Arrival::store, cores.all_but(e));
  b.run(hand_out);
}

Algorithm build_recursive_doubling(const CollectiveRequest& r) {
  require_channels(r, 1, r.chunks);
  ProgramBuilder b = in_place_program(r, 1, r.chunks);
  const std::int32_t cores = power_below(r.ranks);
  for (std::int32_t k = 0; k < r.chunks; ++k) {
    const Group g = whole_group(r, 1, k, r.chunks, k);
    Round gather;
    for (std::int32_t e = cores; e < r.ranks; ++e)
      gather.add(peer_hop(e, e - cores, k), Arrival::reduce, g.part(0));
    b.run(gather);
    for (std::int32_t distance = 1; distance < cores; distance *= 2) {
      Round round;
      for (std::int32_t i = 0; i < cores; ++i) round.add(peer_hop(i, i ^ distance, k), Arrival::reduce, g.part(0));
      b.run(round);
    }
    Round hand_out;
    for (std::int32_t e = cores; e < r.ranks; ++e)
      hand_out.add(peer_hop(e - cores, e, k), Arrival::store, g.part(0));
    b.run(hand_out);
  }
  return b.finish(program_name(r));
}

}  // namespace convert::collectives
