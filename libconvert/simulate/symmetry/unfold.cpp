// SPDX-License-Identifier: MIT
#include <algorithm>
#include <optional>

#include "config/network/wire_numbers.h"
#include "simulate/symmetry/ordered_causes.h"
#include "simulate/symmetry/symmetry.h"
#include "simulate/system/state.h"

namespace convert {
namespace {

using Detail = Causes::Detail;

class Unfolder {
 public:
  Unfolder(const ReplayProgram& program, const Equivalence& equivalence, const std::vector<CollectiveRun>& runs)
      : program_(program), equivalence_(equivalence), symmetry_(equivalence.ranks), runs_(runs) {
    if (program.network.is_product() && !program.network.ideal) wires_.emplace(program.network);
  }

  void run(std::vector<Detail>& chain) const {
    std::optional<Detail> later;  // in the frame of the representatives
    Rank at = 0;                  // its NPU
    for (std::size_t i = chain.size(); i-- > 0;) {
      const Detail d = chain[i];
      at = later ? before(*later, at, d) : d.actor.npu;
      put(chain[i], at);
      later = d;
    }
  }

 private:
  // Returns the NPU of `d`, the cause of `later`, which took place on `at`.
  [[nodiscard]] Rank before(const Detail& later, Rank at, const Detail& d) const {
    switch (later.after) {
      case Causes::After::same: break;
      case Causes::After::received: return moved_onto(d, d.to, at);
      case Causes::After::left_wire:
        return moved_onto(d, owner(d.wire), symmetry_.forth(owner(later.wire), at, later.exchange));
    }
    return at;
  }
  // Returns the source of message `d` if rank `seen`, in the frame of its representative, is `at`.
  [[nodiscard]] Rank moved_onto(const Detail& d, Rank seen, Rank at) const {
    return symmetry_.forth(d.actor.npu, symmetry_.back(at, seen, d.exchange), d.exchange);
  }
  [[nodiscard]] Rank owner(std::uint32_t wire) const {
    const ProductWires::Dim& d = wires_->dim_of(wire);
    return (wire - d.first_wire) / d.ports;
  }

  void put(Detail& d, Rank at) const {
    if (d.kind == Causes::Kind::message || d.kind == Causes::Kind::hop)
      d.to = symmetry_.forth(d.to, at, d.exchange);
    d.wire = Causes::none;
    d.actor.npu = at;
    if (d.actor.run == 0) return;
    const std::uint32_t group = program_.plans[runs_[d.actor.run - 1].plan].call.group;
    const auto has = [&](std::uint32_t image) {
      const SystemGroup& g = program_.groups[image];
      return g.place(at) < g.size(program_.model);
    };
    const std::vector<std::uint32_t>& images = equivalence_.group_images[group];
    const auto image = std::ranges::find_if(images, has);
    if (image != images.end()) d.group = *image;
  }

  const ReplayProgram& program_;
  const Equivalence& equivalence_;
  const Symmetry& symmetry_;
  const std::vector<CollectiveRun>& runs_;
  std::optional<ProductWires> wires_;
};

}  // namespace

std::vector<Detail> unfold(std::vector<Detail> chain, const ReplayProgram& program, const Equivalence& equivalence,
                           const std::vector<CollectiveRun>& runs) {
  Unfolder(program, equivalence, runs).run(chain);
  return chain;
}

}  // namespace convert
