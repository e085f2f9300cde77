// SPDX-License-Identifier: MIT
#include "simulate/symmetry.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "simulate/local_memory.h"

namespace convert {
namespace {

bool is_message(const Op& op) { return op.type == OpType::send || op.type == OpType::recv; }

// Whether code `b` of rank `rb` is code `a` of rank `ra` shifted.
bool is_shifted(const ReplayProgram& program, const Symmetry& s, const RankCode& a, Rank ra, const RankCode& b,
                Rank rb) {
  if (&a == &b) return true;
  if (a.ops.size() != b.ops.size() || a.ids != b.ids || !a.feeder.same_graph(b.feeder) ||
      !same_uses(a.tensors.get(), b.tensors.get())) {
    return false;
  }
  for (std::size_t i = 0; i < a.ops.size(); ++i) {
    Op x = a.ops[i];
    Op y = b.ops[i];
    if (is_message(x) && is_message(y)) {
      if (program.channels[x.channel].tag != program.channels[y.channel].tag) return false;
      x.channel = y.channel = 0;
      x.peer = s.back(x.peer, ra, false);
      y.peer = s.back(y.peer, rb, false);
    }
    if (!(x == y)) return false;
  }
  return true;
}

bool traces_fit(const ReplayProgram& program, const Symmetry& s) {
  for (Rank r = 0; r < program.ranks.size(); ++r) {
    const Rank rep = s.representative(r);
    if (!is_shifted(program, s, *program.ranks[rep].code, rep, *program.ranks[r].code, r)) return false;
  }
  for (const CustomAlgorithm& custom : program.customs) {
    if (custom.places.size() != program.ranks.size()) return false;
    for (Rank r = 0; r < program.ranks.size(); ++r) {
      const Rank rep = s.representative(r);
      if (!is_shifted(program, s, *custom.places[rep], rep, *custom.places[r], r)) return false;
    }
  }
  return true;
}

// Shifts along every dimension map an algorithm onto itself if all ranks run it over dimensions.
bool collectives_fit(const ReplayProgram& program) {
  const std::size_t dims = program.model.dims.size();
  for (const CollectivePlan& plan : program.plans) {
    if (program.groups[plan.call.group].size(program.model) != program.model.npus) return false;
    for (const auto& order : plan.orders) {
      for (const PhasePlan& p : order) {
        const bool turns = p.algorithm == NativeAlgorithm::ring || p.algorithm == NativeAlgorithm::direct ||
                           p.algorithm == NativeAlgorithm::halving_doubling ||
                           p.algorithm == NativeAlgorithm::dissemination;
        if (!turns || p.group_ring || (dims > 1 && p.members == program.model.npus)) return false;
        // Parts of unequal size belong to places.
        if (!program.model.astra && plan.call.bytes % (plan.chunks * program.model.npus) != 0) return false;
      }
    }
  }
  return true;
}

bool network_fits(const ReplayProgram& program) {
  if (program.options.network.model != NetworkModel::unaware) return false;
  if (program.network.ideal) return true;
  if (!program.network.is_product()) return false;
  return std::none_of(program.network.dims.begin(), program.network.dims.end(),
                      [](const NetworkDim& d) { return d.topology == Topology::mesh; });
}

}  // namespace

std::optional<Symmetry> find_symmetry(const ReplayProgram& program) {
  const ReplayOptions& options = program.options;
  const MemoryKind memory = options.system->memory.kind;
  if (options.timeline || options.explain || options.memory == MemoryTracking::trace || program.ranks.size() < 2 ||
      memory == MemoryKind::per_node || memory == MemoryKind::pool || !network_fits(program) ||
      !collectives_fit(program)) {
    return std::nullopt;
  }
  Symmetry symmetry(program.model.dims, std::vector<bool>(program.model.dims.size(), true));
  if (traces_fit(program, symmetry)) return symmetry;
  return std::nullopt;
}

ReplayProgram reduce(const ReplayProgram& program, const Symmetry& s) {
  ReplayProgram reduced = program;
  reduced.channels.clear();
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> known;
  const auto frame = [&](const RankCode& code) {
    auto copy = std::make_shared<RankCode>(code);
    for (Op& op : copy->ops) {
      if (!is_message(op)) continue;
      ChannelKey key = program.channels[op.channel];
      key = {.bytes = key.bytes,
             .src = s.representative(key.src),
             .dst = s.back(key.dst, key.src, false),
             .tag = key.tag};
      auto& same_hash = known[hash(key)];
      const auto found = std::find_if(same_hash.begin(), same_hash.end(),
                                      [&](std::uint32_t c) { return reduced.channels[c] == key; });
      if (found == same_hash.end()) {
        op.channel = static_cast<std::uint32_t>(reduced.channels.size());
        same_hash.push_back(op.channel);
        reduced.channels.push_back(key);
      } else {
        op.channel = *found;
      }
    }
    return copy;
  };
  Rank last = 0;
  for (Rank r = 0; r < program.ranks.size(); ++r) {
    if (s.representative(r) != r) {
      reduced.ranks[r].code = nullptr;
      continue;
    }
    reduced.ranks[r].code = frame(*program.ranks[r].code);
    for (CustomAlgorithm& custom : reduced.customs) custom.places[r] = frame(*custom.places[r]);
    last = r;
  }
  reduced.ranks.resize(last + 1);
  return reduced;
}

}  // namespace convert
