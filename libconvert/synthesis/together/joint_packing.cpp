// SPDX-License-Identifier: MIT
#include "synthesis/together/joint_packing.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>

#include "synthesis/flows/paths.h"
#include "synthesis/mirror.h"
#include "synthesis/trees/growth.h"
#include "synthesis/way_search.h"

namespace convert {
namespace {

bool has_ways(Collective c) {
  return c == Collective::all_to_all || c == Collective::scatter || c == Collective::gather;
}

std::vector<Device> roots_of(const SynthesisProblem& p) {
  return has_root(p.collective) ? std::vector{p.root} : p.participants;
}

// The trees of one collective in one direction, or its routes.
class Task {
 public:
  virtual ~Task() = default;
  // Make and remove tree, or route, number k, with its load.
  virtual void make(std::size_t k) = 0;
  virtual void remove(std::size_t k) = 0;
  [[nodiscard]] virtual bool overloads(std::size_t k) const = 0;
  virtual void store(JointPacking::Part& to) const = 0;
  std::size_t count = 0;   // number of trees, or routes
  std::int64_t bytes = 1;  // bytes that each carries
};

class TreeTask : public Task {
 public:
  TreeTask(SynthesisProblem problem, LinkLoads& loads, const TreeChoice& choice, bool sums)
      : problem_(std::move(problem)),
        loads_(loads),
        grower_(problem_, loads, choice, TreeGrower::Bystanders::pass_once),
        sums_(sums) {
    const std::vector<Device> roots = roots_of(problem_);
    packing_.of_root = choice.trees;
    packing_.trees.resize(roots.size() * choice.trees);
    for (std::size_t k = 0; k < packing_.trees.size(); ++k) packing_.trees[k].root = roots[k / choice.trees];
    count = packing_.trees.size();
    bytes = std::max<std::int64_t>(1, problem_.shard_bytes / choice.trees);
  }

  // Without non-participating NPUs, a tree always reaches all.
  void make(std::size_t k) override { (void)grower_.grow(packing_.trees[place(k)]); }
  void remove(std::size_t k) override { loads_.remove(packing_.trees[place(k)].links); }
  [[nodiscard]] bool overloads(std::size_t k) const override {
    return loads_.overloads(packing_.trees[place(k)].links);
  }
  void store(JointPacking::Part& to) const override { (sums_ ? to.sums : to.gathers) = packing_; }

 private:
  // One tree of each root, then the next of each.
  [[nodiscard]] std::size_t place(std::size_t k) const {
    const std::size_t roots = count / packing_.of_root;
    return k % roots * packing_.of_root + k / roots;
  }

  const SynthesisProblem problem_;
  LinkLoads& loads_;
  TreeGrower grower_;
  const bool sums_;
  TreePacking packing_;
};

class WayTask : public Task {
 public:
  WayTask(const SynthesisProblem& problem, LinkLoads& loads, const TreeChoice& choice)
      : commodities_(commodities_of(problem)),
        each_(choice.trees),
        loads_(loads),
        search_(problem.graph),
        ways_(commodities_.size() * choice.trees) {
    count = ways_.size();
    bytes = std::max<std::int64_t>(1, problem.shard_bytes / choice.trees);
  }

  void make(std::size_t k) override {
    const Commodity& c = commodities_[place(k) / each_];
    const auto length = [&](std::uint32_t link) { return loads_.length(link); };
    std::vector<std::uint32_t>& way = ways_[place(k)];
    way = search_.way_to(search_.run(c.from, length, [&](Device d) { return d == c.to; }));
    loads_.add(way);
  }
  void remove(std::size_t k) override { loads_.remove(ways_[place(k)]); }
  [[nodiscard]] bool overloads(std::size_t k) const override { return loads_.overloads(ways_[place(k)]); }
  void store(JointPacking::Part& to) const override { to.ways = ways_; }

 private:
  [[nodiscard]] std::size_t place(std::size_t k) const {
    return k % commodities_.size() * each_ + k / commodities_.size();
  }

  const std::vector<Commodity> commodities_;
  const std::size_t each_;
  LinkLoads& loads_;
  WaySearch search_;
  std::vector<std::vector<std::uint32_t>> ways_;
};

class JointPacker {
 public:
  JointPacker(const JointProblem& problem, double share, const TreeChoice& choice)
      : problem_(problem), choice_(choice), loads_(problem.named.front(), share) {
    for (std::size_t c = 0; c < problem.size(); ++c) add_tasks(c);
  }

  JointPacking run() {
    // One tree of each root of all collectives, then the next; the largest data first.
    std::vector<std::size_t> order(tasks_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t t) { return tasks_[t].task->bytes; });
    for (std::uint32_t round = 0; round < choice_.trees; ++round) {
      for (const std::size_t t : order) {
        Task& task = *tasks_[t].task;
        loads_.set_step(task.bytes);
        const std::size_t each = task.count / choice_.trees;
        for (std::size_t k = round * each; k < (round + 1) * each; ++k) task.make(k);
      }
    }
    JointPacking best = stored();
    double load = loads_.worst();
    for (std::uint32_t pass = 0; pass < choice_.passes && loads_.any_overloaded(); ++pass) {
      for (const std::size_t t : order) make_anew(*tasks_[t].task);
      if (loads_.worst() >= load) continue;
      load = loads_.worst();
      best = stored();
    }
    return best;
  }

 private:
  struct Owned {
    std::size_t collective;
    std::unique_ptr<Task> task;
  };

  void add_tasks(std::size_t c) {
    const SynthesisProblem& p = problem_.placed[c];
    if (p.size() < 2) return;
    if (has_ways(p.collective)) {
      tasks_.push_back({c, std::make_unique<WayTask>(p, loads_, choice_)});
      return;
    }
    const bool sums = p.collective == Collective::all_reduce || p.collective == Collective::reduce_scatter ||
                      p.collective == Collective::reduce;
    if (sums) tasks_.push_back({c, std::make_unique<TreeTask>(opposite_of(p), loads_, choice_, true)});
    if (!sums || p.collective == Collective::all_reduce)
      tasks_.push_back({c, std::make_unique<TreeTask>(p, loads_, choice_, false)});
  }

  void make_anew(Task& task) {
    loads_.set_step(task.bytes);
    for (std::size_t k = 0; k < task.count; ++k) {
      if (!task.overloads(k)) continue;
      task.remove(k);
      task.make(k);
    }
  }

  [[nodiscard]] JointPacking stored() const {
    JointPacking out{.parts = std::vector<JointPacking::Part>(problem_.size()), .trees = choice_.trees};
    for (const Owned& t : tasks_) t.task->store(out.parts[t.collective]);
    return out;
  }

  const JointProblem& problem_;
  const TreeChoice choice_;
  LinkLoads loads_;
  std::vector<Owned> tasks_;
};

TreeMoves moves_of_ways(const SynthesisProblem& problem, const std::vector<std::vector<std::uint32_t>>& ways,
                        std::uint32_t each, std::uint32_t pieces) {
  const std::vector<Commodity> commodities = commodities_of(problem);
  TreeMoves out;
  for (std::size_t w = 0; w < ways.size(); ++w) {
    const Commodity& c = commodities[w / each];
    const std::size_t rounds = (commodities.size() + problem.size() - 1) / problem.size();
    for (std::uint32_t j = 0; j < pieces; ++j) {
      const auto piece = static_cast<std::uint32_t>(out.moves.pieces.size());
      out.moves.pieces.push_back({.owner = c.from, .other = c.to});
      const std::size_t round = w / each / problem.size();
      out.rank.push_back((static_cast<double>(round) + (j + 0.5) / pieces) / static_cast<double>(rounds));
      add_path(problem.graph, ways[w], piece, out.moves);
    }
  }
  return out;
}

// Reverses moves, without times.
Moves turned_around(const SynthesisProblem& problem, TreeMoves made) {
  std::vector<Picoseconds> starts(made.moves.links.size(), 0);
  return mirrored(problem, {.moves = std::move(made.moves), .starts = std::move(starts)}).moves;
}

}  // namespace

JointPacking pack_together(const JointProblem& problem, double share, const TreeChoice& choice) {
  return JointPacker(problem, share, choice).run();
}

TreeMoves moves_of(const SynthesisProblem& problem, const JointPacking::Part& part, std::uint32_t trees,
                   std::uint32_t pieces) {
  if (problem.size() < 2) {
    const Device alone = problem.participants.front();
    return {.moves = {.pieces = {{.owner = alone, .other = alone, .bytes = problem.shard_bytes}}}, .rank = {0}};
  }
  if (has_ways(problem.collective)) return moves_of_ways(problem, part.ways, trees, pieces);
  if (part.sums.trees.empty()) return moves_of(problem, part.gathers, pieces);
  TreeMoves out = moves_of(opposite_of(problem), part.sums, pieces);
  std::vector<double> rank = out.rank;
  SynthesisProblem scatter = problem;
  if (problem.collective == Collective::all_reduce) scatter.collective = Collective::reduce_scatter;
  Moves sums = turned_around(scatter, std::move(out));
  if (problem.collective == Collective::all_reduce)
    sums = joined_moves(sums, moves_of(problem, part.gathers, pieces).moves);
  return {.moves = std::move(sums), .rank = std::move(rank)};
}

}  // namespace convert
