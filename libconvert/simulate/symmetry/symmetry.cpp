// SPDX-License-Identifier: MIT
#include "simulate/symmetry/symmetry.h"

#include "simulate/program/channel_index.h"

namespace convert {
namespace {

// Puts the messages of representatives onto channels of their own, which lead to representatives.
class Reducer {
 public:
  Reducer(const ReplayProgram& program, const Equivalence& equivalence, std::vector<ChannelKey>& channels)
      : program_(program), equivalence_(equivalence), channels_(channels) {}

  std::shared_ptr<const RankCode> reduce(const RankCode& code) {
    auto copy = std::make_shared<RankCode>(code);
    for (Op& op : copy->ops) {
      if (op.type == OpType::send || op.type == OpType::recv) {
        op.channel = channel(op.channel);
        op.peer = equivalence_.ranks.representative(op.peer);
      }
    }
    return copy;
  }

 private:
  std::uint32_t channel(std::uint32_t number) {
    const Symmetry& s = equivalence_.ranks;
    ChannelKey key = program_.channels[number];
    key = {.bytes = key.bytes,
           .src = s.representative(key.src),
           .dst = s.back(key.dst, key.src, false),
           .tag = key.tag};
    const bool by_orbit = !equivalence_.channel_orbits.empty();
    if (by_orbit) key.tag = equivalence_.channel_orbits[number];
    return index_.find_or_add(channels_, key);
  }

  const ReplayProgram& program_;
  const Equivalence& equivalence_;
  std::vector<ChannelKey>& channels_;
  ChannelIndex index_;
};

}  // namespace

std::uint32_t representative_wire(const ProductWires& numbers, const Symmetry& symmetry, std::uint32_t wire) {
  const ProductWires::Dim& d = numbers.dim_of(wire);
  const Rank owner = (wire - d.first_wire) / d.ports;
  std::uint32_t port = (wire - d.first_wire) % d.ports;
  if (with(d.topology, [](auto t) { return t.port_is_coordinate; })) {
    const Motion motion = symmetry.dims()[static_cast<std::size_t>(&d - numbers.dims().data())].motion;
    const std::uint32_t at = numbers.coordinate(d, owner);
    if (motion == Motion::shift) port = port >= at ? port - at : port + d.npus - at;
    if (motion == Motion::exchange) port ^= at;
  }
  return d.first_wire + symmetry.representative(owner) * d.ports + port;
}

ReplayProgram reduce(const ReplayProgram& program, const Equivalence& equivalence) {
  ReplayProgram reduced{.options = program.options,
                        .rules = program.rules,
                        .network = program.network,
                        .ranks = program.ranks,
                        .model = program.model,
                        .groups = program.groups,
                        .plans = program.plans,
                        .customs = program.customs,
                        .gaps = program.gaps};
  reduced.ops = 0;
  reduced.options.network.wires_like =
      static_cast<std::uint32_t>(program.ranks.size() / equivalence.ranks.classes());
  Reducer reducer(program, equivalence, reduced.channels);
  Rank last = 0;
  for (Rank r = 0; r < program.ranks.size(); ++r) {
    reduced.ranks[r].first_op = reduced.ops;
    if (equivalence.ranks.representative(r) != r) {
      reduced.ranks[r].code = nullptr;
      continue;
    }
    reduced.ranks[r].code = reducer.reduce(*program.ranks[r].code);
    reduced.ops += static_cast<std::uint32_t>(reduced.ranks[r].code->ops.size());
    last = r;
  }
  reduced.ranks.resize(last + 1);
  for (const CollectivePlan& plan : program.plans) {
    if (plan.call.custom == 0) continue;
    const SystemGroup& group = program.groups[plan.call.group];
    for (Rank r = 0; r <= last; ++r) {
      const std::uint32_t place = group.place(r);
      if (reduced.ranks[r].code == nullptr || place >= group.size(program.model)) continue;
      reduced.customs[plan.call.custom - 1].places[place] =
          reducer.reduce(*program.customs[plan.call.custom - 1].places[place]);
    }
  }
  return reduced;
}

}  // namespace convert
