// SPDX-License-Identifier: MIT
#include <algorithm>
#include <numeric>
#include <utility>

#include "simulate/astra/issue_order.h"
#include "simulate/engine/local_memory.h"
#include "simulate/symmetry/group_shifts.h"
#include "simulate/symmetry/symmetry.h"

namespace convert {
namespace {

bool same_order(const IssueOrder* a, const IssueOrder* b) {
  return a == b || (a != nullptr && b != nullptr && *a == *b);
}

bool is_message(const Op& op) { return op.type == OpType::send || op.type == OpType::recv; }

// Holds sets of channels that shifts map onto each other.
class ChannelOrbits {
 public:
  explicit ChannelOrbits(std::size_t channels) : parent_(channels) {
    std::iota(parent_.begin(), parent_.end(), std::uint32_t{0});
  }
  void join(std::uint32_t a, std::uint32_t b) { parent_[find(a)] = find(b); }
  std::uint32_t find(std::uint32_t c) {
    while (parent_[c] != c) c = parent_[c] = parent_[parent_[c]];
    return c;
  }

 private:
  std::vector<std::uint32_t> parent_;
};

constexpr std::size_t max_dims = 10;

class Finder {
 public:
  explicit Finder(const ReplayProgram& program)
      : program_(program),
        dims_(program.model.dims),
        groups_(program),
        moved_(dims_.size(), true),
        exchanges_(dims_.size()),
        shifts_(dims_.size()),
        same_tags_(dims_.size(), true),
        counterpart_(program.plans.size()),
        compared_(program.plans.size()) {}

  std::optional<Equivalence> find() {
    if (!check_collectives()) return std::nullopt;
    check_network();
    for (std::size_t d = 0; d < dims_.size(); ++d) moved_[d] = moved_[d] && dims_[d] > 1 && groups_.fits(d);
    for (std::size_t d = 0; d < dims_.size(); ++d) moved_[d] = moved_[d] && traces_fit(d);
    Equivalence found{symmetry(moved_)};
    for (std::size_t d = 0; d < dims_.size(); ++d) same_tags_[d] = same_tags_[d] || !moved_[d];
    if (std::find(same_tags_.begin(), same_tags_.end(), false) != same_tags_.end() && !find_orbits(found)) {
      for (std::size_t d = 0; d < dims_.size(); ++d) moved_[d] = moved_[d] && same_tags_[d];
    }
    if (!choose_groups(found)) return std::nullopt;
    if (found.ranks.classes() == program_.ranks.size()) return std::nullopt;
    return found;
  }

 private:
  [[nodiscard]] Symmetry symmetry(const std::vector<bool>& moved) const {
    std::vector<Symmetry::Dim> dims;
    for (std::size_t d = 0; d < dims_.size(); ++d) {
      Motion motion = Motion::fixed;
      if (moved[d]) motion = !exchanges_[d] ? Motion::shift : shifts_[d] ? Motion::mixed : Motion::exchange;
      dims.push_back({dims_[d], motion});
    }
    return Symmetry(std::move(dims));
  }

  // Keeps the dimensions that algorithms allow; returns false if none is left.
  bool check_collectives() {
    for (const CollectivePlan& plan : program_.plans) {
      if (plan.call.custom != 0 || !is_whole(program_, plan.call.group)) plain_ = false;
      for (const auto& order : plan.orders) {
        for (const PhasePlan& p : order) {
          if (!check_phase(plan, p)) return false;
        }
      }
    }
    if (std::find(exchanges_.begin(), exchanges_.end(), true) == exchanges_.end()) return true;
    for (const ChannelKey& c : program_.channels) note_way(c.src, c.dst);
    for (const SystemGroup& g : program_.groups) {
      for (const Rank r : g.ranks) note_way(g.ranks.front(), r);
    }
    return true;
  }
  bool check_phase(const CollectivePlan& plan, const PhasePlan& p) {
    if (p.group_ring) return true;  // see GroupShifts
    std::uint32_t stride = 1;
    for (std::size_t d = 0; d < p.dim; ++d) stride *= dims_[d];
    if (p.members != dims_[p.dim] || p.stride != stride) return false;
    if (p.algorithm == NativeAlgorithm::halving_doubling && dims_[p.dim] > 2) {
      exchanges_[p.dim] = true;
    } else if (looks_the_same(program_, plan, p) || p.algorithm == NativeAlgorithm::halving_doubling) {
      shifts_[p.dim] = true;
    } else {
      moved_[p.dim] = false;
    }
    // Parts of unequal size belong to places in all dimensions.
    return program_.rules.parts_are_equal() || looks_the_same(program_, plan, {.algorithm = NativeAlgorithm::ring});
  }
  void note_way(Rank from, Rank to) {
    for (std::size_t d = 0; d < dims_.size(); ++d) {
      if (from % dims_[d] != to % dims_[d]) shifts_[d] = true;
      from /= dims_[d];
      to /= dims_[d];
    }
  }

  // Returns whether a fast wire comes after a slow one: messages go over it side by side.
  static bool may_share_wires(const NetworkOptions& options, const NetworkConfig& network) {
    const auto other_rate = [&](const NetworkDim& d) { return d.bytes_per_ns != network.dims[0].bytes_per_ns; };
    return options.forwarding == Forwarding::cut &&
           std::any_of(network.dims.begin(), network.dims.end(), other_rate);
  }

  void check_network() {
    const NetworkOptions& options = program_.options.network;
    const NetworkConfig& network = program_.network;
    if (network.ideal) return;
    const bool regular = network.is_product() &&
                         options.routing.value_or(Routing::dimension) == Routing::dimension &&
                         options.failed.empty() && !may_share_wires(options, network);
    const bool has_wires = options.model != NetworkModel::unaware || options.watch_ports;
    if (!regular || (has_wires && program_.model.policy != WirePolicy::arrival)) {
      std::fill(moved_.begin(), moved_.end(), false);
      return;
    }
    for (std::size_t d = 0; d < dims_.size(); ++d) {
      const Symmetries fits = with(network.dims[d].topology, [](auto t) { return t.symmetries; });
      const bool wires_fit =
          !has_wires || !exchanges_[d] || fits == Symmetries::both || (fits == Symmetries::either && !shifts_[d]);
      if (fits == Symmetries::none || !wires_fit) moved_[d] = false;
    }
  }

  // Compares each rank with its neighbour along the dimension.
  bool traces_fit(std::size_t dim) {
    const Symmetry shift = along(dim);
    for (Rank r = 0; r < program_.ranks.size(); ++r) {
      const Rank before = moved(dims_, r, dim, dims_[dim] - 1);
      if (before < r && !ranks_fit(shift, dim, before, r)) return false;
    }
    return true;
  }
  [[nodiscard]] Symmetry along(std::size_t dim) const {
    std::vector<Symmetry::Dim> dims;
    for (std::size_t d = 0; d < dims_.size(); ++d)
      dims.push_back({dims_[d], d == dim ? Motion::shift : Motion::fixed});
    return Symmetry(std::move(dims));
  }
  bool ranks_fit(const Symmetry& shift, std::size_t dim, Rank ra, Rank rb) {
    const RankCode& a = *program_.ranks[ra].code;
    const RankCode& b = *program_.ranks[rb].code;
    if (&a == &b && plain_) return true;
    ++pass_;
    return is_shifted(shift, dim, a, ra, b, rb);
  }

  // Returns whether code `b` of rank `rb` is code `a` of rank `ra` shifted.
  bool is_shifted(const Symmetry& shift, std::size_t dim, const RankCode& a, Rank ra, const RankCode& b, Rank rb) {
    if (a.ops.size() != b.ops.size() || a.ids != b.ids || !a.feeder.same_graph(b.feeder) ||
        !same_uses(a.tensors.get(), b.tensors.get()) || !same_order(a.issue_order.get(), b.issue_order.get())) {
      return false;
    }
    for (std::size_t i = 0; i < a.ops.size(); ++i) {
      Op x = a.ops[i];
      Op y = b.ops[i];
      if (x.type != y.type) return false;
      if (is_message(x)) {
        if (orbits_) orbits_->join(x.channel, y.channel);
        if (program_.channels[x.channel].tag != program_.channels[y.channel].tag) same_tags_[dim] = false;
        x.peer = shift.back(x.peer, ra, false);
        y.peer = shift.back(y.peer, rb, false);
      } else if (x.type == OpType::collective && !plans_fit(shift, dim, x.channel, ra, y.channel, rb)) {
        return false;
      }
      x.channel = y.channel = 0;
      if (!(x == y)) return false;
    }
    return true;
  }

  // Returns whether plan `y`, as rank `rb` runs it, is plan `x` of `ra` shifted.
  bool plans_fit(const Symmetry& shift, std::size_t dim, std::uint32_t x, Rank ra, std::uint32_t y, Rank rb) {
    if (compared_[x] == pass_ && counterpart_[x] == y) return true;
    const CollectiveCall& a = program_.plans[x].call;
    const CollectiveCall& b = program_.plans[y].call;
    CollectiveCall moved = a;
    if (!is_whole(program_, a.group)) moved.group = groups_.image(a.group, dim);
    moved.custom = b.custom;
    if (!(moved == b) || (a.custom == 0) != (b.custom == 0)) return false;
    if (a.custom != 0) {
      const auto code_of = [&](const CollectiveCall& call, Rank r) -> const RankCode& {
        return *program_.customs[call.custom - 1].places[program_.groups[call.group].place(r)];
      };
      if (!is_shifted(shift, dim, code_of(a, ra), ra, code_of(b, rb), rb)) return false;
    }
    compared_[x] = pass_;
    counterpart_[x] = y;
    return true;
  }

  // Where tags differ from rank to rank: whether channels still correspond one to one. Control messages of a
  // rendezvous go by tag, too.
  bool find_orbits(Equivalence& found) {
    if (program_.options.system->rendezvous) return false;
    const std::vector<bool> same_tags = same_tags_;
    orbits_.emplace(program_.channels.size());
    for (std::size_t d = 0; d < dims_.size(); ++d) {
      if (moved_[d]) (void)traces_fit(d);
    }
    same_tags_ = same_tags;
    std::vector<std::pair<std::uint32_t, Rank>> sources;
    for (std::uint32_t c = 0; c < program_.channels.size(); ++c) {
      found.channel_orbits.push_back(orbits_->find(c));
      sources.emplace_back(found.channel_orbits.back(), program_.channels[c].src);
    }
    std::sort(sources.begin(), sources.end());
    if (std::adjacent_find(sources.begin(), sources.end()) == sources.end()) return true;
    found.channel_orbits.clear();
    return false;
  }

  // Chooses the most dimensions such that no two groups of representatives are images of each other.
  bool choose_groups(Equivalence& found) const {
    if (dims_.size() > max_dims) return false;
    std::vector<std::vector<bool>> choices;
    for (std::uint32_t bits = 1; bits < 1U << dims_.size(); ++bits) {
      std::vector<bool> some(dims_.size());
      bool fits = true;
      for (std::size_t d = 0; d < dims_.size(); ++d) {
        some[d] = (bits >> d & 1U) != 0;
        fits = fits && (!some[d] || moved_[d]);
      }
      if (fits) choices.push_back(std::move(some));
    }
    std::stable_sort(choices.begin(), choices.end(),
                     [&](const auto& a, const auto& b) { return symmetry(a).classes() < symmetry(b).classes(); });
    for (const auto& some : choices) {
      if (!groups_.orbits(some, found.group_images)) continue;
      found.ranks = symmetry(some);
      return true;
    }
    return false;
  }

  const ReplayProgram& program_;
  const std::vector<std::uint32_t>& dims_;
  const GroupShifts groups_;
  bool plain_ = true;        // all collectives are native ones of all ranks
  std::vector<bool> moved_;  // by dimension
  std::vector<bool> exchanges_;
  std::vector<bool> shifts_;
  std::vector<bool> same_tags_;
  std::optional<ChannelOrbits> orbits_;
  std::uint32_t pass_ = 0;                  // ranks compared
  std::vector<std::uint32_t> counterpart_;  // by plan
  std::vector<std::uint32_t> compared_;     // by plan: the pass
};

}  // namespace

std::optional<Equivalence> find_symmetry(const ReplayProgram& program) {
  const ReplayOptions& options = program.options;
  const MemoryKind memory = options.system->memory.kind;
  const bool records = options.timeline || options.traffic || options.explain || options.network.count_wires;
  const bool each_rank = options.memory == MemoryTracking::trace ||
                         (records && program.ranks.size() <= options.most_npus_alone) ||
                         (options.explain && !options.explain->end);
  const bool shares_memory = memory == MemoryKind::per_node || memory == MemoryKind::pool;
  if (each_rank || shares_memory || program.ranks.size() < 2) return std::nullopt;
  return Finder(program).find();
}

}  // namespace convert
