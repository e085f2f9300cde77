// SPDX-License-Identifier: MIT
#include "profile/draw/synthesis.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "config/groups.h"
#include "profile/draw/calls.h"
#include "profile/draw/decks.h"
#include "profile/draw/drawn_rank.h"
#include "profile/draw/write_rank.h"
#include "util/draw.h"

namespace convert {
namespace {

// Independent random streams.
enum class Chance : std::uint8_t { job, unit, work, loose, cost, speed };

Draw chance(std::uint64_t seed, Chance what, std::uint64_t a = 0, std::uint64_t b = 0) {
  return {seed, static_cast<std::uint64_t>(what), a, b};
}

template <class T>
void shuffle(std::vector<T>& v, Draw draw) {
  for (std::size_t i = v.size(); i > 1; --i) std::swap(v[i - 1], v[draw.below(i)]);
}

}  // namespace

// Samples one rank.
class Synthesis::RankDrawer {
 public:
  RankDrawer(const Synthesis& s, std::size_t rank, const DrawnAs& as)
      : s_(s),
        profile_(s.profile_),
        rank_(rank),
        dealing_{s.seed_, as.rank, as.ranks},
        loose_(chance(s.seed_, Chance::loose, as.rank)),
        noise_(chance(s.seed_, Chance::cost, as.rank)),
        calls_(s.profile_, s.job_, s.seed_, rank),
        out_(s.profile_),
        pool_decks_(s.profile_.pools.size()),
        place_decks_(s.profile_.places.size()) {}

  // `work`: ns of an iteration by lane.
  Trace run(std::vector<double> work) {
    for (const std::uint32_t u : s_.units_) add_unit(s_.job_.units[u]);
    for (double& w : work) w *= static_cast<double>(s_.iterations_);
    out_.scale(work);
    s_.moved_deps_ += out_.moved_deps();
    return write_rank(profile_, s_.job_, s_.seed_, rank_, out_);
  }

 private:
  using Placed = std::pair<double, Symbol>;
  struct DrawnCost {
    NodeCost cost{};
    double duration_ns = 0;
  };
  // Common quantile of the nodes of a piece that have correlated costs.
  struct Common {
    double place = 0;  // quantile in their pools, 0 to 1
    double share = 0;  // share of the nodes of the piece
  };
  // Cost pools of a piece, and index of its next node.
  struct Costs {
    const std::vector<std::uint32_t>& pools;
    Common common{};
    std::size_t next = 0;
  };

  void add_unit(const ProfileJob::Unit& unit) {
    scaled_ = unit.part == ProfileJob::Part::iteration;
    const std::uint32_t number = unit.scripts[rank_];
    if (number == no_index) return;
    const ProfileScript& script = profile_.scripts[number];
    std::size_t open = 0;
    for (const ProfileScript::Step& s : script.steps) open += s.place == no_index ? 1 : 0;
    open += script.last_place == no_index ? 1 : 0;
    const std::vector<Symbol> rest = open > 0 ? rest_of(unit.part) : std::vector<Symbol>();
    std::size_t gap = 0;
    const auto add_gap = [&](std::uint32_t place) {
      if (place != no_index) return add_place(place);
      if (open == 0) return;  // unreachable: `open` counts this gap
      const std::size_t begin = rest.size() * gap / open, end = rest.size() * (gap + 1) / open;
      ++gap;
      for (std::size_t i = begin; i < end; ++i) add_symbol(rest[i], nullptr, false);
    };
    for (const ProfileScript::Step& s : script.steps) {
      add_gap(s.place);
      add_call(s);
    }
    add_gap(script.last_place);
  }

  // Returns about `share` of the pieces, in random order if positions are equal. Rounding keeps the number of
  // nodes.
  std::vector<Symbol> some_of(const std::vector<LoosePiece>& pieces, double share) {
    std::vector<Placed> placed;
    double due = 0;  // nodes
    constexpr double reach = 0.5, least = 0.25;
    for (const LoosePiece& p : pieces) {
      const double all = p.count * share;
      auto n = static_cast<std::uint64_t>(all);
      const auto length = static_cast<double>(s_.grammar_.length(p.symbol));
      due += (all - static_cast<double>(n)) * length;
      if (due >= length * (least + reach * loose_.unit())) {
        ++n;
        due -= length;
      }
      for (std::uint64_t i = 0; i < n; ++i) placed.emplace_back(p.position, p.symbol);
    }
    constexpr double blur = 4;  // pieces
    for (Placed& p : placed) p.first += blur * (loose_.unit() - 0.5) / static_cast<double>(placed.size());
    std::ranges::stable_sort(placed, {}, &Placed::first);
    std::vector<Symbol> out;
    for (const Placed& p : placed) out.push_back(p.second);
    return out;
  }

  std::vector<Symbol> rest_of(ProfileJob::Part part) {
    const auto p = static_cast<std::size_t>(part);
    return some_of(profile_.rest.at(p), s_.job_.rest.at(p)[rank_]);
  }

  void add_place(std::uint32_t number) {
    const ProfilePlace& place = profile_.places[number];
    std::uint64_t all = place.loose_segments;
    for (const ProfilePlace::Segment& s : place.segments) all += s.count;
    if (all == 0) return;
    constexpr std::uint64_t places = std::uint64_t{1} << 32U;  // decks of places are numbered after the pools
    std::uint64_t at = place_decks_[number].next(dealing_, places + number, all);
    for (const ProfilePlace::Segment& s : place.segments) {
      if (at < s.count) {
        if (s.symbol != no_index) add_symbol(s.symbol, &place, true);
        return;
      }
      at -= s.count;
    }
    for (const Symbol piece : some_of(place.loose, 1.0 / place.loose_segments)) add_symbol(piece, &place, false);
  }

  void add_symbol(Symbol symbol, const ProfilePlace* place, bool in_place) {
    const std::vector<std::uint32_t>& costs = profile_.costs[symbol];
    if (!costs.empty()) {
      Costs own{costs, common_of(symbol)};
      return add_tokens(symbol, own, place, in_place);
    }
    if (!s_.grammar_.is_rule(symbol)) return add_node(symbol, no_index, place, in_place, {});
    const auto [a, b] = s_.grammar_.parts(symbol);
    add_symbol(a, place, in_place);
    add_symbol(b, place, in_place);
  }

  void add_tokens(Symbol symbol, Costs& costs, const ProfilePlace* place, bool in_place) {
    if (!s_.grammar_.is_rule(symbol))
      return add_node(symbol, costs.pools[costs.next++], place, in_place, costs.common);
    const auto [a, b] = s_.grammar_.parts(symbol);
    add_tokens(a, costs, place, in_place);
    add_tokens(b, costs, place, in_place);
  }

  // The load of the rank, such as tokens for its experts, is the quantile if there is one.
  Common common_of(Symbol symbol) {
    const double together = profile_.together[symbol];
    if (together == 0) return {};
    // Two nodes both take part with the square of the share.
    return {.place = load_ ? *load_ : loose_.unit(), .share = std::sqrt(together)};
  }
  // If the costs of a pool differ, durations are varied by up to 1 %.
  DrawnCost cost_of(std::uint32_t number, const Common& common) {
    if (number == no_index || profile_.pools[number].empty()) return {};
    const CostPool& pool = profile_.pools[number];
    const std::uint64_t size = pool_size(pool);
    const bool with_others = common.share > 0 && noise_.unit() < common.share;
    const std::uint64_t at =
        with_others ? std::min(size - 1, static_cast<std::uint64_t>(common.place * static_cast<double>(size)))
                    : pool_decks_[number].next(dealing_, number, size);
    const NodeCost cost = cost_at(pool, at);
    const bool differ = pool.size() > 1 || pool.front().spread > 0;
    constexpr double width = 0.02;
    const double noise = differ ? 1 + width * (noise_.unit() - 0.5) : 1;
    return {cost, static_cast<double>(cost.duration_ns) * noise};
  }

  void add_call(const ProfileScript::Step& step) {
    const ProfileClass& c = profile_.classes[profile_.tokens[step.token].node_class];
    if (c.type == NodeType::comm_coll) {
      const DrawnCalls::Call call = calls_.next(c);
      if (c.splits != no_index) (void)calls_.parts(c, call);
      load_ = calls_.load();
    }
    const DrawnCost drawn = cost_of(step.pool, Common());
    out_.add_call(step.token, drawn.cost, drawn.duration_ns, scaled_, step.after);
  }

  void add_node(std::uint32_t token, std::uint32_t pool, const ProfilePlace* place, bool in_place,
                const Common& common) {
    DrawnCost drawn = cost_of(pool, common);
    if (place != nullptr) {
      const std::uint32_t lane = profile_.tokens[token].lane;
      for (const auto& [of, factor] : place->factors) {
        if (of == lane) drawn.duration_ns *= factor;
      }
    }
    out_.add(token, drawn.cost, drawn.duration_ns, scaled_, in_place);
  }

  const Synthesis& s_;
  const WorkloadProfile& profile_;
  std::size_t rank_;
  Dealing dealing_;
  Draw loose_, noise_;
  DrawnCalls calls_;
  std::optional<double> load_;  // of the latest collective
  DrawnRank out_;
  std::vector<Deck> pool_decks_, place_decks_;
  bool scaled_ = true;
};

Synthesis::Synthesis(const WorkloadProfile& profile, const SynthesisOptions& options)
    : profile_(profile),
      seed_(options.seed),
      job_(profile.jobs[chance(options.seed, Chance::job).below(profile.jobs.size())]),
      grammar_(static_cast<std::uint32_t>(profile.tokens.size()), profile.rules) {
  std::uint64_t recorded = 0;
  for (const ProfileJob::Unit& u : job_.units) {
    if (u.part == ProfileJob::Part::iteration) recorded += u.count;
  }
  iterations_ = options.iterations.value_or(recorded);
  choose_units();
  choose_work();
}

// The first iteration stays first, as it depends on no earlier one. Later iterations are drawn without replacement
// until all are used, then again.
void Synthesis::choose_units() {
  using Part = ProfileJob::Part;
  std::vector<std::uint32_t> deck, chosen;
  const auto add_all = [&](Part part, std::vector<std::uint32_t>& to) {
    for (std::uint32_t u = 0; u < job_.units.size(); ++u) {
      if (job_.units[u].part == part) to.insert(to.end(), job_.units[u].count, u);
    }
  };
  add_all(Part::prologue, units_);
  add_all(Part::iteration, deck);
  if (!deck.empty()) chosen.push_back(deck.front());
  if (deck.size() > 1) deck.erase(deck.begin());
  for (std::uint64_t round = 0; chosen.size() < iterations_ && !deck.empty(); ++round) {
    shuffle(deck, chance(seed_, Chance::unit, round));
    chosen.insert(chosen.end(), deck.begin(), deck.end());
  }
  chosen.resize(std::min<std::size_t>(chosen.size(), iterations_));
  units_.insert(units_.end(), chosen.begin(), chosen.end());
  add_all(Part::epilogue, units_);
}

// Ranks with equal scripts exchange their work at random.
void Synthesis::choose_work() {
  std::map<std::vector<std::uint32_t>, std::vector<std::uint32_t>> alike;
  for (std::uint32_t r = 0; r < ranks(); ++r) {
    std::vector<std::uint32_t> scripts;
    for (const ProfileJob::Unit& u : job_.units) scripts.push_back(u.scripts[r]);
    alike[scripts].push_back(r);
  }
  work_.resize(ranks());
  role_.resize(ranks());
  for (const auto& [scripts, members] : alike) {
    for (const std::uint32_t r : members) role_[r] = static_cast<std::uint32_t>(role_work_.size());
    fit_work(members);
    std::vector<std::uint32_t> to = members;
    shuffle(to, chance(seed_, Chance::work, members.front()));
    for (std::size_t i = 0; i < members.size(); ++i) work_[members[i]] = to[i];
  }
}

void Synthesis::fit_work(std::span<const std::uint32_t> alike) {
  std::vector<LaneWork>& lanes = role_work_.emplace_back(profile_.lanes.size());
  for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
    std::vector<double> logs;
    for (const std::uint32_t r : alike) {
      const std::vector<double>& work = job_.work_ns[r];
      if (lane < work.size() && work[lane] > 0) logs.push_back(std::log(work[lane]));
    }
    if (logs.empty()) continue;
    const auto n = static_cast<double>(logs.size());
    LaneWork& fit = lanes[lane];
    fit.told = true;
    fit.mu = std::accumulate(logs.begin(), logs.end(), 0.0) / n;
    double squares = 0;
    for (const double log : logs) squares += (log - fit.mu) * (log - fit.mu);
    if (n > 1) fit.sigma = std::sqrt(squares / (n - 1));
  }
}

// A rank is faster or slower by the same quantile in all lanes.
std::vector<double> Synthesis::drawn_work(std::size_t rank, const DrawnAs& as) const {
  const double z = chance(seed_, Chance::speed, as.rank).normal();
  std::vector<double> work;
  for (const LaneWork& fit : role_work_[role_[rank]])
    work.push_back(fit.told ? std::exp(fit.mu + fit.sigma * z) : 0);
  return work;
}

Trace Synthesis::draw(std::size_t rank) const {
  return RankDrawer(*this, rank, {rank, ranks()}).run(job_.work_ns[work_[rank]]);
}

Trace Synthesis::draw(std::size_t rank, const DrawnAs& as) const {
  return RankDrawer(*this, rank, as).run(drawn_work(rank, as));
}

std::string Synthesis::groups() const {
  std::vector<CommGroup> groups;
  for (std::size_t g = 0; g < job_.groups.size(); ++g) {
    if (!job_.groups[g].empty()) groups.push_back({static_cast<std::int64_t>(g) + 1, job_.groups[g]});
  }
  return groups.empty() ? std::string() : groups_text(groups);
}

}  // namespace convert
