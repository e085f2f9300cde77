// SPDX-License-Identifier: MIT
#include "synthesis/together/together.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "synthesis/narrowed.h"
#include "synthesis/portfolio/candidates.h"
#include "synthesis/together/common_times.h"
#include "synthesis/together/packed.h"

namespace convert {
namespace {

// Returns the placed problem without links at non-participating NPUs; nothing in the cases of without_devices().
std::optional<NarrowedProblem> own_links(const SynthesisProblem& named, const SynthesisProblem& placed,
                                         const std::vector<Device>& device) {
  std::vector<std::uint8_t> left_out(placed.graph.devices);
  for (Device d = 0; d < placed.graph.devices; ++d)
    left_out[d] = named.graph.is_npu(device[d]) && placed.takes_part[d] == 0 ? 1 : 0;
  return without_devices(placed, left_out);
}

// The links of a graph, sorted by their ends.
class LinksByEnds {
 public:
  LinksByEnds() = default;
  explicit LinksByEnds(const SynthesisProblem& p) : order_(p.graph.links.size()), place_(order_.size()) {
    std::iota(order_.begin(), order_.end(), 0U);
    std::ranges::sort(order_, {},
                      [&](std::uint32_t l) { return std::pair(p.graph.links[l].from, p.graph.links[l].to); });
    for (std::uint32_t k = 0; k < order_.size(); ++k) place_[order_[k]] = k;
  }

  // Returns the link with the same ends as link `l` of another graph that differs only in the order of links.
  [[nodiscard]] std::uint32_t like(const LinksByEnds& other, std::uint32_t l) const {
    return order_[other.place_[l]];
  }

  // Returns a text that is equal only for problems that differ in nothing but the order of links and in names.
  [[nodiscard]] std::string text(const SynthesisProblem& p) const {
    std::string text = std::string(name(p.collective)) + ' ' + std::to_string(p.size()) + ' ' +
                       std::to_string(p.root) + ' ' + std::to_string(p.shard_bytes);
    for (const std::uint32_t l : order_) {
      const LinkGraph::Link& link = p.graph.links[l];
      text += ' ' + std::to_string(link.from) + '>' + std::to_string(link.to) + ':' +
              std::to_string(link.bandwidth) + ':' + std::to_string(link.latency_ps);
    }
    return text;
  }

 private:
  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> place_;  // in that order, by link
};

class TogetherMaker {
 public:
  TogetherMaker(const JointProblem& problem, const SynthesisChoice& choice) : problem_(problem), choice_(choice) {}

  JointResult run() {
    out_.bounds = find_joint_bounds(problem_);
    add_alone();
    if (out_.total > out_.bounds.lower && !is_late(choice_)) add_apart();
    if (out_.total > out_.bounds.lower && !is_late(choice_)) add_packed();
    out_.stopped = out_.stopped || is_late(choice_);
    allow_rounding(out_.bounds, out_.total);
    for (TimedMoves& m : out_.made) m.method = out_.method;
    return std::move(out_);
  }

 private:
  void add_alone() {
    std::vector<TimedMoves> made;
    for (std::size_t c = 0; c < problem_.size(); ++c) {
      made.push_back(alone(problem_.placed[c], c));
      out_.alone.push_back(made.back().total);
    }
    alone_ = made;
    take(std::move(made), "each alone");
  }

  // Adds the candidate without links at other NPUs, which other collectives may need more.
  void add_apart() {
    std::vector<TimedMoves> made;
    bool any = false;
    for (std::size_t c = 0; c < problem_.size(); ++c) {
      const std::optional<NarrowedProblem> own =
          own_links(problem_.named[c], problem_.placed[c], problem_.device[c]);
      if (!own) {
        made.push_back(alone_[c]);
        continue;
      }
      any = true;
      made.push_back(alone(own->problem, c));
      own->widen(made.back().moves);
    }
    if (any) take(std::move(made), "each alone on its own links");
  }

  void add_packed() {
    const std::optional<PackedTogether> made = make_packed(problem_, choice_, out_.bounds.lower);
    if (made) keep(made->joint, made->timed, made->timed.method);
  }

  // Finds the best algorithm for a collective alone; once for all groups with equivalent positions.
  TimedMoves alone(const SynthesisProblem& placed, std::size_t c) {
    const LinksByEnds own(placed);
    const auto [at, added] = known_.try_emplace(own.text(placed));
    Known& known = at->second;
    if (added) known = {own, synthesized(placed, c)};
    TimedMoves out = known.made;
    for (std::uint32_t& l : out.moves.links) l = own.like(known.links, l);
    return out;
  }

  TimedMoves synthesized(const SynthesisProblem& placed, std::size_t c) {
    try {
      SynthesisResult result = synthesize(placed, choice_);
      out_.stopped = out_.stopped || result.stopped;
      return std::move(result.made);
    } catch (const Error& e) {
      throw Error(e.kind(), e.where(), collective_text(problem_.named[c]) + ": " + e.what(), std::string(e.rule()));
    }
  }

  // Gives a candidate common times, and keeps it if it is the best so far. Its own times determine the priorities:
  // as they are; delayed to the end of the longest collective; or stretched to it.
  void take(std::vector<TimedMoves> made, const std::string& method) {
    Picoseconds longest = 0;
    for (const TimedMoves& m : made) longest = std::max(longest, m.total);
    std::vector<std::vector<double>> starts(3);
    std::vector<Moves> moves;
    for (TimedMoves& m : made) {
      for (const Picoseconds s : m.starts) {
        const auto start = static_cast<double>(s);
        starts[0].push_back(start);
        starts[1].push_back(start + static_cast<double>(longest - m.total));
        starts[2].push_back(start * static_cast<double>(longest) / static_cast<double>(m.total));
      }
      moves.push_back(std::move(m.moves));
    }
    const JointMoves joint = put_together(problem_, std::move(moves));
    keep(joint, common_times(problem_, joint, starts), method);
  }

  void keep(const JointMoves& joint, const TimedMoves& timed, const std::string& method) {
    if (!out_.made.empty() && timed.total >= out_.total) return;
    out_.total = timed.total;
    out_.method = method;
    out_.made = taken_apart(problem_, joint, timed);
  }

  const JointProblem& problem_;
  const SynthesisChoice& choice_;
  struct Known {
    LinksByEnds links{};
    TimedMoves made{};
  };
  std::map<std::string, Known> known_;
  std::vector<TimedMoves> alone_;
  JointResult out_;
};

}  // namespace

JointResult synthesize_together(const JointProblem& problem, const SynthesisChoice& choice) {
  return TogetherMaker(problem, choice).run();
}

}  // namespace convert
