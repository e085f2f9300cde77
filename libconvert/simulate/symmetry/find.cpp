// SPDX-License-Identifier: MIT
#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "core/units.h"
#include "machine/call_time.h"
#include "machine/chosen.h"
#include "simulate/symmetry/class_rings.h"
#include "simulate/symmetry/digits.h"
#include "simulate/symmetry/group_shifts.h"
#include "simulate/symmetry/same_work.h"
#include "simulate/symmetry/symmetry.h"

namespace convert {
namespace {

// Finds the digits along which the ranks may move.
class Finder {
 public:
  Finder(const ReplayProgram& program, const WorkNumbers& work, bool finer, bool class_rings)
      : program_(program),
        work_(work),
        rounded_(program.ranks.size() > program.options.exact_up_to),
        class_rings_(class_rings && takes_class_rings(program)),
        digits_(rank_digits(program, finer)),
        groups_(program, digits_, rounded_, class_rings_),
        customs_(program),
        moved_(digits_.size(), true),
        exchanges_(digits_.size()),
        shifts_(digits_.size()),
        same_tags_(digits_.size(), true),
        counterpart_(program.plans.size(), {no_plan, 0}) {}

  Search find() {
    check_collectives();
    check_network();
    for (std::size_t d = 0; d < digits_.size(); ++d) {
      if (!moved_[d]) continue;
      if (!groups_.fits(d)) {
        block(d, "process groups do not map onto process groups");
      } else if (!traces_fit(d)) {
        moved_[d] = false;
      }
    }
    Search result{.found = Equivalence{.ranks = symmetry(moved_), .rounded = rounded_ && has_remainders()}};
    Equivalence& found = *result.found;
    for (std::size_t d = 0; d < digits_.size(); ++d) same_tags_[d] = same_tags_[d] || !moved_[d];
    if (std::ranges::find(same_tags_, false) != same_tags_.end() && !find_orbits(found)) {
      for (std::size_t d = 0; d < digits_.size(); ++d) {
        if (moved_[d] && !same_tags_[d]) block(d, "tags of messages differ irregularly");
      }
    }
    if (!choose_groups(found) || found.ranks.classes() == program_.ranks.size()) result.found.reset();
    result.why = why();
    if (!result.found && result.why.empty()) result.why = "groups of the representatives are images of each other";
    return result;
  }

 private:
  void block(std::size_t digit, const std::string& why) {
    moved_[digit] = false;
    why_.emplace(digit, why);
  }
  void block_all(const std::string& why) {
    for (std::size_t d = 0; d < digits_.size(); ++d) block(d, why);
  }
  // Returns what prevents ranks from moving along the lowest digit along which they do not move.
  [[nodiscard]] std::string why() const {
    for (std::size_t d = 0; d < digits_.size(); ++d) {
      const auto at = why_.find(d);
      if (at == why_.end()) continue;
      return "ranks " + std::to_string(digits_[d].stride) + " apart are not equivalent: " + at->second;
    }
    return {};
  }
  [[nodiscard]] bool has_remainders() const {
    return std::ranges::any_of(program_.plans, [&](const auto& plan) { return has_remainder(program_, plan); });
  }

  [[nodiscard]] Symmetry symmetry(const std::vector<bool>& moved) const {
    std::vector<Symmetry::Digit> digits;
    for (std::size_t d = 0; d < digits_.size(); ++d) {
      Motion motion = Motion::fixed;
      if (moved[d]) motion = !exchanges_[d] ? Motion::shift : shifts_[d] ? Motion::mixed : Motion::exchange;
      digits.push_back({digits_[d].base, motion});
    }
    return Symmetry(std::move(digits));
  }

  // Keeps the digits that algorithms allow.
  void check_collectives() {
    for (const CollectivePlan& plan : program_.plans) {
      if (plan.call.parts != 0) block_all(described(plan) + " has unequal shards");
      for (const auto& order : plan.orders) {
        for (const PhasePlan& p : order) {
          if (!p.group_ring) check_phase(plan, p);  // for rings of groups see GroupShifts
        }
      }
      // Shards of unequal size belong to indices in all dimensions.
      if (!rounded_ && is_whole(program_, plan.call.group) && has_remainder(program_, plan))
        block_all(described(plan) + " does not split into equal shards");
    }
    note_ways();
  }
  // Records how members of groups find each other, and along which digits messages go.
  void note_ways() {
    for (std::uint32_t g = 0; g < program_.groups.size(); ++g) {
      const std::vector<Rank>& ranks = program_.groups[g].ranks;
      if (ranks.empty()) continue;
      for (const Rank r : ranks) {
        if (groups_.exchanges(g)) note_way(ranks.front(), r, exchanges_);
        if (groups_.shifts(g)) note_way(ranks.front(), r, shifts_);
      }
    }
    if (std::ranges::find(exchanges_, true) == exchanges_.end()) return;
    for (const CollectivePlan& plan : program_.plans) {
      if (is_whole(program_, plan.call.group) && plan.call.custom != 0) shifts_.assign(digits_.size(), true);
    }
    for (Rank r = 0; r < program_.ranks.size(); ++r) {
      for (const Rank peer : program_.ranks[r].peers) note_way(r, peer, shifts_);
    }
  }
  void check_phase(const CollectivePlan& plan, const PhasePlan& p) {
    const std::uint64_t end = std::uint64_t{p.stride} * p.members;
    for (std::size_t d = 0; d < digits_.size(); ++d) {
      const std::uint64_t digit_end = std::uint64_t{digits_[d].stride} * digits_[d].base;
      if (digit_end <= p.stride || digits_[d].stride >= end) continue;
      const bool within = digits_[d].stride >= p.stride && digit_end <= end;
      if (within && p.algorithm == NativeAlgorithm::halving_doubling && p.members > 2) {
        exchanges_[d] = true;
      } else if (within && digit_end == end &&
                 (looks_the_same(program_, plan, p, rounded_) ||
                  (p.algorithm == NativeAlgorithm::halving_doubling && digits_[d].base == 2))) {
        shifts_[d] = true;
      } else if (within && class_rings_ && p.algorithm == NativeAlgorithm::ring &&
                 looks_the_same(program_, plan, p, rounded_)) {
        uneven_along_.emplace(d, p.dim, p.stride, p.members);
      } else {
        block(d,
              described(plan) + " runs " + std::string(name(p.algorithm)) + " over " + counted(p.members, "NPU"));
      }
    }
  }
  [[nodiscard]] std::string described(const CollectivePlan& plan) const {
    const std::int64_t id = program_.groups[plan.call.group].id;
    const std::string_view op = name(plan.call.op);
    const bool vowel = std::string_view("aeiou").find(op.front()) != std::string_view::npos;
    return (vowel ? "an " : "a ") + std::string(op) + " of " + counted(plan.call.bytes, "byte") +
           (id == 0 ? "" : " in group " + std::to_string(id));
  }
  void note_way(Rank from, Rank to, std::vector<bool>& ways) const {
    for (std::size_t d = 0; d < digits_.size(); ++d) {
      if (from / digits_[d].stride % digits_[d].base != to / digits_[d].stride % digits_[d].base) ways[d] = true;
    }
  }

  // Returns whether a fast link may follow a slow one: messages then share it.
  static bool may_share_wires(const NetworkOptions& options, const NetworkConfig& network) {
    const auto other_rate = [&](const NetworkDim& d) { return d.bytes_per_ns != network.dims[0].bytes_per_ns; };
    return options.forwarding == Forwarding::cut && std::ranges::any_of(network.dims, other_rate);
  }

  void check_network() {
    const NetworkOptions& options = program_.options.network;
    const NetworkConfig& network = program_.network;
    if (network.ideal) return;
    // Each GPU of a machine has its own links. In a mesh, each pair of GPUs of a node also has its own.
    if (options.model == NetworkModel::fair) {
      std::size_t places = 1;
      for (const std::uint32_t npus : program_.model.dims) places *= npus;
      if (places != program_.ranks.size()) return block_all("a node of the machine has idle GPUs");
      if (program_.model.dims.size() > 1 && has_shared_adapters(network.machine->machine()))
        block_all("the GPUs of a node share its adapters");
      return;
    }
    const bool has_wires = options.model != NetworkModel::unaware || options.watch_ports;
    if (!network.is_product()) return block_all("the network has no dimensions");
    if (options.routing.value_or(Routing::dimension) != Routing::dimension)
      return block_all("routes are not dimension by dimension (--routing)");
    if (!options.failed.empty()) return block_all("links have failed");
    if (may_share_wires(options, network)) return block_all("links of different bandwidths use cut forwarding");
    if (has_wires && program_.model.policy != WirePolicy::arrival)
      return block_all("links do not send messages in the order of arrival (--policy)");
    for (std::size_t d = 0; d < digits_.size(); ++d) {
      const NetworkDim& dim = network.dims[digits_[d].dim];
      const Symmetries fits = with(dim.topology, [](auto t) { return t.symmetries; });
      const bool wires_fit =
          !has_wires || !exchanges_[d] || fits == Symmetries::both || (fits == Symmetries::either && !shifts_[d]);
      const bool part = fits == Symmetries::shift && !digits_[d].top;
      if (fits == Symmetries::none || !wires_fit || part)
        block(d, "dimension " + std::to_string(digits_[d].dim + 1) + " of the network is a " +
                     std::string(with(dim.topology, [](auto t) { return t.word; })));
    }
  }

  // Compares each rank with its neighbour along the digit.
  bool traces_fit(std::size_t digit) {
    ++pass_;
    const RankDigit& d = digits_[digit];
    for (Rank r = 0; r < program_.ranks.size(); ++r) {
      if (r / d.stride % d.base != 0 && !ranks_fit(digit, r - d.stride, r)) return false;
    }
    return true;
  }
  bool ranks_fit(std::size_t digit, Rank ra, Rank rb) {
    const RankProgram& a = program_.ranks[ra];
    const RankProgram& b = program_.ranks[rb];
    const auto both = [&] { return "rank " + std::to_string(ra) + " and rank " + std::to_string(rb); };
    if (work_.of(a.code.get()) != work_.of(b.code.get())) {
      block(digit, both() + " have different nodes" + first_difference(*a.code, *b.code));
      return false;
    }
    for (std::size_t m = 0; m < a.peers.size(); ++m) {
      if (moved(digits_[digit], a.peers[m], 1) == b.peers[m]) continue;
      block(digit, both() + " have peers at different distances");
      return false;
    }
    for (std::uint32_t m = 0; m < a.peers.size() && !(a.tags.empty() && a.code == b.code && b.tags.empty()); ++m) {
      if (a.tag(m) != b.tag(m)) same_tags_[digit] = false;
    }
    for (std::size_t c = 0; c < a.plans.size(); ++c) {
      if (plans_fit(digit, a.plans[c], b.plans[c])) continue;
      block(digit, both() + " call different collectives: " + described(program_.plans[a.plans[c]]) + " and " +
                       described(program_.plans[b.plans[c]]));
      return false;
    }
    return true;
  }

  // Returns whether plan `y` is plan `x` moved.
  bool plans_fit(std::size_t digit, std::uint32_t x, std::uint32_t y) {
    if (counterpart_[x] == std::pair(y, pass_)) return true;
    const CollectiveCall& a = program_.plans[x].call;
    const CollectiveCall& b = program_.plans[y].call;
    CollectiveCall moved_call = a;
    GroupShifts::Image image{.group = a.group};
    if (!is_whole(program_, a.group)) image = groups_.image(a.group, digit);
    moved_call.group = image.group;
    moved_call.custom = b.custom;
    if (!(moved_call == b) || (a.custom == 0) != (b.custom == 0)) return false;
    if (a.custom != 0) {
      const CustomMove move{a.custom - 1, b.custom - 1, image.turn,
                            is_whole(program_, a.group) ? std::optional(digits_[digit]) : std::nullopt};
      const CustomWork::Fit fit = customs_.fit(move, digit);
      if (!fit.same) return false;
      if (!fit.same_tags) same_tags_[digit] = false;
    }
    counterpart_[x] = {y, pass_};
    return true;
  }

  // Returns whether channels correspond one to one although tags differ from rank to rank. Control messages of a
  // rendezvous also use tags.
  bool find_orbits(Equivalence& found) const {
    if (program_.options.system->rendezvous) return false;
    auto orbits = std::make_shared<ChannelOrbits>();
    for (Rank r = 0; r < program_.ranks.size(); ++r) add_channels(program_, r, r, *orbits);
    for (std::size_t d = 0; d < digits_.size(); ++d) {
      for (Rank r = 0; moved_[d] && r < program_.ranks.size(); ++r) {
        if (r / digits_[d].stride % digits_[d].base != 0) add_channels(program_, r - digits_[d].stride, r, *orbits);
      }
    }
    if (!orbits->tell_sources()) return false;
    found.orbits = std::move(orbits);
    return true;
  }

  // Chooses the digits with the fewest classes such that no two groups of representatives are images of each other.
  // If there are many digits, chooses all or none.
  bool choose_groups(Equivalence& found) {
    std::vector<std::vector<bool>> choices;
    const bool many = digits_.size() > most_digits;
    if (many) choices.push_back(moved_);
    for (std::uint32_t bits = 1; !many && bits < 1U << digits_.size(); ++bits) {
      std::vector<bool> some(digits_.size());
      bool fits = true;
      for (std::size_t d = 0; d < digits_.size(); ++d) {
        some[d] = (bits >> d & 1U) != 0;
        fits = fits && (!some[d] || moved_[d]);
      }
      if (fits) choices.push_back(std::move(some));
    }
    std::stable_sort(choices.begin(), choices.end(),
                     [&](const auto& a, const auto& b) { return symmetry(a).classes() < symmetry(b).classes(); });
    for (const auto& some : choices) {
      if (!groups_.orbits(some, found.group_images) || !rings_fit(some, found)) continue;
      found.ranks = symmetry(some);
      return true;
    }
    return false;
  }

  // Finds the rings that do not rotate if ranks move along `some` digits. Returns whether their members are
  // nevertheless equivalent.
  bool rings_fit(const std::vector<bool>& some, Equivalence& found) {
    const Symmetry ranks = symmetry(some);
    ClassRings rings(program_, ranks);
    std::vector<bool> of_groups(program_.groups.size());
    std::vector<bool> along(program_.model.dims.size());
    bool any = false;
    for (std::uint32_t g = 0; g < of_groups.size(); ++g) {
      if (!groups_.reorders(some, found.group_images[g])) continue;
      of_groups[g] = any = true;
      for (const std::uint32_t image : found.group_images[g]) {
        if (!rings.add(g, program_.groups[image].ranks)) return false;
      }
    }
    for (const auto& [digit, dim, stride, members] : uneven_along_) {
      if (!some[digit] || along[dim]) continue;
      along[dim] = any = true;
      if (!lines_fit(rings, static_cast<std::uint32_t>(of_groups.size()) + dim, stride, members)) return false;
    }
    found.class_rings_of_groups = any ? std::move(of_groups) : std::vector<bool>();
    found.class_rings_along = any ? std::move(along) : std::vector<bool>();
    return true;
  }
  bool lines_fit(ClassRings& rings, std::uint32_t ring, Rank stride, std::uint32_t members) const {
    std::vector<Rank> line(members);
    for (Rank first = 0; first < program_.ranks.size(); ++first) {
      if (first / stride % members != 0) continue;
      for (std::uint32_t i = 0; i < members; ++i) line[i] = first + i * stride;
      if (!rings.add(ring, line)) return false;
    }
    return true;
  }

  static constexpr std::uint32_t no_plan = UINT32_MAX;
  static constexpr std::size_t most_digits = 13;

  const ReplayProgram& program_;
  const WorkNumbers& work_;
  const bool rounded_;
  const bool class_rings_;
  const std::vector<RankDigit> digits_;
  const GroupShifts groups_;
  CustomWork customs_;
  std::vector<bool> moved_;  // by digit
  std::vector<bool> exchanges_;
  std::vector<bool> shifts_;
  std::vector<bool> same_tags_;
  std::set<std::tuple<std::size_t, std::uint32_t, std::uint32_t, std::uint32_t>> uneven_along_;  // see check_phase
  std::map<std::size_t, std::string> why_;  // by digit that does not move
  std::uint32_t pass_ = 0;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> counterpart_;  // by plan: a counterpart, and the pass
};

// Returns the requested result that requires a replay of each rank; empty if there is no such request.
std::string wish_of_each_rank(const ReplayProgram& program) {
  const ReplayOptions& options = program.options;
  if (!options.symmetry) return "it is switched off (--no-symmetry)";
  if (program.ranks.size() < 2) return "there is one rank";
  if (program.has_turns()) return "messages follow a link order";
  if (options.memory == MemoryTracking::trace) return "the memory of each rank is traced";
  if (options.network.log_hops) return "the route of each message is recorded";
  if (options.explain && !options.explain->end) return "a node of a rank is explained";
  if (options.explain && options.network.model == NetworkModel::fair) return "the end is explained (--model fair)";
  const bool records = options.timeline || options.traffic || options.explain || options.network.count_wires;
  if (records && program.ranks.size() <= options.most_npus_alone) return "each rank is recorded";
  const MemoryKind memory = options.system->memory.kind;
  if (memory == MemoryKind::per_node || memory == MemoryKind::pool) return "ranks share remote memory";
  return {};
}

std::size_t classes_of(const ReplayProgram& program, const Search& search) {
  return search.found ? search.found->ranks.classes() : program.ranks.size();
}

}  // namespace

Search find_symmetry(const ReplayProgram& program, bool class_rings) {
  if (std::string wish = wish_of_each_rank(program); !wish.empty()) return {.found = {}, .why = std::move(wish)};
  const WorkNumbers work(program);
  Search best = Finder(program, work, true, class_rings).find();
  if (classes_of(program, best) <= work.count()) return best;
  Search other = Finder(program, work, false, class_rings).find();
  return classes_of(program, other) < classes_of(program, best) ? std::move(other) : std::move(best);
}

}  // namespace convert
