// SPDX-License-Identifier: MIT
#include "core/algorithm/demands.h"

#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "core/units.h"

namespace convert {
namespace {

using Chunk = Schedule::Chunk;
using NodeSet = Schedule::NodeSet;

// Number of nodes that a chunk begins or ends at.
enum class At : std::uint8_t { one, root, all };

struct Shape {
  At pre = At::one;
  At post = At::one;
};

std::optional<Shape> shape_of(Collective c) {
  switch (c) {
    case Collective::all_gather: return Shape{At::one, At::all};
    case Collective::reduce_scatter: return Shape{At::all, At::one};
    case Collective::all_reduce: return Shape{At::all, At::all};
    case Collective::broadcast: return Shape{At::root, At::all};
    case Collective::reduce: return Shape{At::all, At::root};
    case Collective::gather: return Shape{At::one, At::root};
    case Collective::scatter: return Shape{At::root, At::one};
    case Collective::all_to_all: return Shape{At::one, At::one};
    default: return std::nullopt;
  }
}

class Finder {
 public:
  Finder(const Schedule& s, Collective collective, Shape shape)
      : s_(s), name_(name(collective)), pairs_(collective == Collective::all_to_all), shape_(shape) {
    for (std::uint32_t n = 0; n < s.nodes; ++n) {
      if (!is_relay(s, n)) nodes_.push_back(n);
    }
  }

  std::vector<DemandFinding> run(bool uneven) {
    for (const Chunk& c : s_.chunks) check(c);
    if (!out_.empty()) return std::move(out_);  // missing chunks cannot be determined then
    if (pairs_) {
      find_missing_pair();
    } else if (!uneven && shape_.pre != shape_.post && (shape_.pre == At::one || shape_.post == At::one)) {
      find_missing_node();
    }
    return std::move(out_);
  }

 private:
  void check(const Chunk& c) {
    std::optional<std::uint32_t> ends[2];
    for (const bool post : {false, true}) {
      const At at = post ? shape_.post : shape_.pre;
      if (at == At::all) {
        if (!everywhere(c, post)) return;
        continue;
      }
      ends[post ? 1 : 0] = single(c, post);
      if (!ends[post ? 1 : 0]) return;
      if (at != At::root) continue;
      const std::uint32_t here = *ends[post ? 1 : 0];
      if (!root_) root_ = here;
      if (*root_ != here)
        return add(c, std::string(post ? "ends at " : "begins at ") + node_text(here) + ", other chunks at " +
                          node_text(*root_) + "; " + name_ + " has one root");
    }
    if (pairs_) {
      lines_.try_emplace({*ends[0], *ends[1]}, c.line);
    } else if (shape_.pre == At::one) {
      node_lines_.try_emplace(*ends[0], c.line);
    } else if (shape_.post == At::one) {
      node_lines_.try_emplace(*ends[1], c.line);
    }
  }

  // Returns the only node that a chunk begins at, or ends at. Nodes that have the chunk anyway do not count among
  // the nodes that receive it.
  [[nodiscard]] std::optional<std::uint32_t> single(const Chunk& c, bool post) {
    const NodeSet& set = post ? c.post : c.pre;
    const bool may_keep = post && shape_.pre != At::all;
    std::optional<std::uint32_t> found;
    std::size_t count = 0;
    if (set.all && nodes_.size() > 2) {
      count = nodes_.size();
    } else {
      const auto members = set.all ? std::span<const std::uint32_t>(nodes_) : listed(s_, set);
      for (const std::uint32_t n : members) {
        if (may_keep && members.size() > 1 && contains(s_, c.pre, n)) continue;
        if (count++ == 0) found = n;
      }
    }
    if (count == 1) return found;
    const std::string verb = post ? "ends at " : "begins at ";
    add(c, verb + counted(count, "node") + ", but a chunk of " + name_ + ' ' + verb + "one");
    return std::nullopt;
  }

  [[nodiscard]] bool everywhere(const Chunk& c, bool post) {
    const NodeSet& set = post ? c.post : c.pre;
    if (set.all) return true;
    const bool may_keep = post && shape_.pre != At::all && !c.pre.all;
    const auto takes_part = [&](std::uint32_t n) { return !is_relay(s_, n); };
    const auto in_set = [&](std::uint32_t n) { return contains(s_, set, n); };
    auto there = static_cast<std::size_t>(std::ranges::count_if(listed(s_, set), takes_part));
    if (may_keep) {
      there += static_cast<std::size_t>(
          std::ranges::count_if(listed(s_, c.pre), [&](std::uint32_t n) { return takes_part(n) && !in_set(n); }));
    }
    if (there == nodes_.size()) return true;
    const auto first = std::ranges::find_if(
        nodes_, [&](std::uint32_t n) { return !in_set(n) && !(may_keep && contains(s_, c.pre, n)); });
    const std::size_t others = nodes_.size() - there - 1;
    const std::string where = node_text(*first) + (others > 0 ? " and " + std::to_string(others) + " more" : "");
    const std::string of = !c.pre.all && c.pre.of.count == 1 ? "of " + node_text(listed(s_, c.pre)[0]) + ' ' : "";
    add(c, (post ? of + "is not demanded at " : "lacks the contribution of ") + where + ", which " + name_ +
               " requires");
    return false;
  }

  // Reports the first missing pair. Pairs ascend, so it is the first position with another pair.
  void find_missing_pair() {
    std::erase_if(lines_, [](const auto& pair) { return pair.first.first == pair.first.second; });
    const std::uint64_t n = nodes_.size();
    const std::uint64_t missing = n * (n - 1) - lines_.size();
    if (n < 2 || missing == 0) return;
    std::size_t from = 0, to = 1;
    std::uint32_t line = 0;
    for (const auto& [pair, own_line] : lines_) {
      if (pair != std::pair{nodes_[from], nodes_[to]}) break;
      line = own_line;
      to += to + 1 == from ? 2 : 1;
      if (to >= n) {
        ++from;
        to = 0;
      }
    }
    out_.push_back({"no chunk goes from " + node_text(nodes_[from]) + " to " + node_text(nodes_[to]) +
                        (missing > 1 ? " (the first of " + std::to_string(missing) + " such pairs)" : "") +
                        ", which " + name_ + " requires",
                    line});
  }

  // Reports the first node without a chunk. The root of a gather or scatter needs none.
  void find_missing_node() {
    const bool gives = shape_.pre == At::one;
    for (const std::uint32_t n : nodes_) {
      if (node_lines_.contains(n) || (root_ && *root_ == n)) continue;
      const auto before = node_lines_.lower_bound(n);
      out_.push_back({"no chunk " + std::string(gives ? "begins" : "ends") + " at " + node_text(n) + ", which " +
                          name_ + " requires",
                      before == node_lines_.begin() ? 0 : std::prev(before)->second});
      return;
    }
  }

  void add(const Chunk& c, const std::string& what) {
    out_.push_back({"chunk " + std::to_string(c.id) + ' ' + what, c.line});
  }
  [[nodiscard]] static std::string node_text(std::uint32_t n) { return "node " + std::to_string(n); }

  const Schedule& s_;
  std::string name_;
  bool pairs_;
  Shape shape_;
  std::vector<std::uint32_t> nodes_;  // without relays
  std::optional<std::uint32_t> root_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> lines_;  // by source and destination
  std::map<std::uint32_t, std::uint32_t> node_lines_;                       // by the node that gives or gets a
                                                                            // chunk
  std::vector<DemandFinding> out_;
};

}  // namespace

std::vector<DemandFinding> missing_demands(const Schedule& schedule, Collective collective, bool uneven) {
  const auto shape = shape_of(collective);
  if (!shape) return {};
  return Finder(schedule, collective, *shape).run(uneven);
}

}  // namespace convert
