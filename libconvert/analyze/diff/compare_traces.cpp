// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "analyze/diff/difference.h"
#include "analyze/diff/match.h"
#include "analyze/diff/metadata.h"
#include "analyze/diff/values.h"
#include "analyze/sets/node_times.h"
#include "core/found_attrs.h"
#include "graph/graph.h"
#include "graph/messages.h"

namespace convert {
namespace {

constexpr std::array match_names = {attr::comm_src, attr::comm_dst,       attr::comm_tag,
                                    attr::pg_name,  attr::duration_nanos, attr::start_nanos};
using MatchAttrs = FoundAttrs<match_names>;

// One rank of one side: its nodes, their match keys and times.
struct SideNodes {
  const Trace& trace;
  std::vector<GraphDefect> defects;  // without duplicate node ids
  Graph graph;
  std::vector<std::uint32_t> order;
  std::vector<Matchable> matchable;
  std::vector<std::int64_t> start_ns;    // from the first start of the rank; -1: unknown
  std::vector<Picoseconds> duration_ps;  // -1: unknown
};

class TraceComparison {
 public:
  TraceComparison(const Trace& a, const Trace& b, const DiffWishes& wishes)
      : wishes_(wishes), a_(read(a, true)), b_(read(b, false)) {}

  Difference run() {
    out_.structure = wishes_.structure;
    out_.times = wishes_.times;
    out_.tolerant = wishes_.tolerates();
    match();
    out_.ranks = 1;
    out_.nodes_a = a_.matchable.size();
    out_.nodes_b = b_.matchable.size();
    out_.matched = match_.matched;
    if (!wishes_.times) {
      compare_metadata(a_.trace, b_.trace, wishes_, out_);
      for (std::uint32_t i = 0; i < out_.nodes_a; ++i) {
        if (match_.b_of_a[i] == no_index) out_.only_a.add_made([&] { return ref(a_, i); });
      }
      for (std::uint32_t j = 0; j < out_.nodes_b; ++j) {
        if (match_.a_of_b[j] == no_index) out_.only_b.add_made([&] { return ref(b_, j); });
      }
    }
    for (std::uint32_t i = 0; i < out_.nodes_a; ++i) {
      if (match_.b_of_a[i] != no_index) compare_nodes(i, match_.b_of_a[i]);
    }
    if (!wishes_.times) {
      out_.edges_only_a = std::move(edges_.only_a);
      out_.edges_only_b = std::move(edges_.only_b);
    }
    add_times();
    return std::move(out_);
  }

 private:
  struct Edges {
    Difference::List<Difference::Edge> only_a, only_b;
  };

  // Ids can be renumbered, while some nodes still have a matching id on the other side by chance. So if matching by
  // ids leaves disagreements, the traces are also matched without ids, and the better result is kept.
  void match() {
    match_ = match_nodes(a_.matchable, a_.order, b_.matchable, b_.order);
    edges_ = compare_edges(match_);
    const std::uint64_t off = disagreement(match_, edges_);
    if (off == 0) return;
    NodeMatching other = match_nodes(a_.matchable, a_.order, b_.matchable, b_.order, UseIds::no);
    Edges edges = compare_edges(other);
    if (disagreement(other, edges) >= off) return;
    match_ = std::move(other);
    edges_ = std::move(edges);
  }

  // Returns the number of disagreements: nodes without partner, partners that communicate differently, and
  // dependencies that differ.
  [[nodiscard]] std::uint64_t disagreement(const NodeMatching& match, const Edges& edges) const {
    std::uint64_t n = edges.only_a.count + edges.only_b.count;
    n += a_.matchable.size() + b_.matchable.size() - 2 * match.matched;
    for (std::size_t i = 0; i < match.b_of_a.size(); ++i) {
      if (match.b_of_a[i] == no_index) continue;
      const Matchable& x = a_.matchable[i];
      const Matchable& y = b_.matchable[match.b_of_a[i]];
      if (x.meets != y.meets || x.partner != y.partner || x.tag != y.tag) ++n;
    }
    return n;
  }

  SideNodes read(const Trace& trace, bool is_a) {
    std::vector<GraphDefect> defects;
    Graph graph = build_graph(trace.nodes, &defects);
    std::erase_if(defects, [](const GraphDefect& d) { return d.what == GraphDefect::What::duplicate_id; });
    SideNodes s{.trace = trace,
                .defects = std::move(defects),
                .graph = std::move(graph),
                .order = {},
                .matchable = {},
                .start_ns = {},
                .duration_ps = {}};
    s.order = communication_order(trace.nodes, s.graph);
    const std::vector<Node>& nodes = trace.nodes.nodes;
    s.matchable.reserve(nodes.size());
    std::int64_t first = -1;
    for (const Node& node : nodes) {
      const MatchAttrs f(trace.nodes.attributes(node));
      s.matchable.push_back(matchable(trace, node, f, is_a));
      const IntValue exact = int_value(f[attr::duration_nanos]);
      s.duration_ps.push_back(duration_of(node, exact));
      const std::int64_t ns = start_ns_of(node, int_value(f[attr::start_nanos]));
      s.start_ns.push_back(ns);
      if (ns >= 0 && (first < 0 || ns < first)) first = ns;
    }
    for (std::int64_t& ns : s.start_ns) ns = ns < 0 ? -1 : ns - first;
    return s;
  }

  Matchable matchable(const Trace& trace, const Node& node, const MatchAttrs& f, bool is_a) {
    Matchable m{
        .id = node.id, .type = static_cast<std::uint32_t>(node.type), .name = texts_.add(trace.nodes.name(node))};
    const auto message = [&](Matchable::Meets meets, Name peer_name) {
      const IntValue peer = int_value(f[peer_name]), tag = int_value(f[attr::comm_tag]);
      if (!peer || !tag || peer.value < 0 || peer.value > std::int64_t{largest_rank}) return;
      m.meets = meets;
      m.partner = is_a ? wishes_.in_b(static_cast<Rank>(peer.value)) : static_cast<Rank>(peer.value);
      m.tag = tag.value;
    };
    if (node.type == NodeType::comm_send) message(Matchable::Meets::receiver, attr::comm_dst);
    if (node.type == NodeType::comm_recv) message(Matchable::Meets::sender, attr::comm_src);
    if (node.type == NodeType::comm_coll) {
      const Attr* group = f[attr::pg_name];
      const bool named = group != nullptr && group->kind == Kind::string_val;
      const std::string_view name = named ? trace.nodes.string(*group) : std::string_view();
      m.meets = Matchable::Meets::group;
      m.partner = texts_.add(name == "0" ? std::string_view() : is_a ? wishes_.group_in_b(name) : name);
    }
    return m;
  }

  static Difference::NodeRef ref(const SideNodes& side, std::uint32_t i) {
    const Node& node = side.trace.nodes.nodes[i];
    return {side.trace.rank, node.id, std::string(side.trace.nodes.name(node)),
            std::string(node_type_name(node.type))};
  }

  void change(std::uint32_t i, std::uint32_t j, std::string_view what, const auto& old_value,
              const auto& new_value) {
    if (wishes_.ignores(what)) return;
    ++out_.changes_by_what[std::string(what)];
    changed_ = true;
    out_.changes.add_made([&] {
      return Difference::Change{ref(a_, i), b_.trace.nodes.nodes[j].id, std::string(what), old_value(),
                                new_value()};
    });
  }

  void compare_nodes(std::uint32_t i, std::uint32_t j) {
    changed_ = false;
    const NodeTable& ta = a_.trace.nodes;
    const NodeTable& tb = b_.trace.nodes;
    const Node& x = ta.nodes[i];
    const Node& y = tb.nodes[j];
    out_.other_ids += x.id != y.id ? 1 : 0;
    if (!wishes_.structure) compare_times(i, j);
    if (!wishes_.times) {
      if (a_.matchable[i].name != b_.matchable[j].name) {
        change(
            i, j, "name", [&] { return std::string(ta.name(x)); }, [&] { return std::string(tb.name(y)); });
      }
      compare_attributes(i, j);
      compare_io(i, j, "inputs", x.inputs, y.inputs);
      compare_io(i, j, "outputs", x.outputs, y.outputs);
      if (x.extra != 0 || y.extra != 0) compare_extra(i, j, "", extra_of(ta, x.extra), extra_of(tb, y.extra));
    }
    out_.changed_nodes += changed_ ? 1 : 0;
  }

  void compare_times(std::uint32_t i, std::uint32_t j) {
    const auto compare = [&](std::string_view what, Picoseconds a, Picoseconds b) {
      if (a == b || (a >= 0 && b >= 0 && wishes_.same_time(a, b))) return;
      const auto text = [](Picoseconds t) { return t < 0 ? std::string("(none)") : format_time(t); };
      change(
          i, j, what, [&] { return text(a); }, [&] { return text(b); });
    };
    compare("duration", a_.duration_ps[i], b_.duration_ps[j]);
    const auto ps = [](std::int64_t ns) {
      return ns < 0 ? -1 : ns > INT64_MAX / ps_per_ns ? INT64_MAX : ns * ps_per_ns;
    };
    compare("start", ps(a_.start_ns[i]), ps(b_.start_ns[j]));
  }

  // Returns a peer of A as a rank number of B. Returns the value itself for other attributes.
  [[nodiscard]] std::optional<std::int64_t> mapped_peer(const Attr& attribute) const {
    if (wishes_.ranks.empty() || (attribute.name != attr::comm_src && attribute.name != attr::comm_dst))
      return std::nullopt;
    const IntValue v = int_value(&attribute);
    if (!v || v.value < 0 || v.value > std::int64_t{largest_rank}) return std::nullopt;
    return wishes_.in_b(static_cast<Rank>(v.value));
  }
  [[nodiscard]] bool same_attribute(const Attr& x, const Attr& y) const {
    return same_kind(x, y) && same_content(x, y);
  }
  [[nodiscard]] bool same_kind(const Attr& x, const Attr& y) const {
    return x.kind == y.kind || wishes_.ignores("kinds");
  }
  [[nodiscard]] bool same_content(const Attr& x, const Attr& y) const {
    if (const auto peer = mapped_peer(x)) return int_value(&y) && int_value(&y).value == *peer;
    if (x.name == attr::pg_name && !wishes_.groups.empty() && x.kind == Kind::string_val && y.kind == x.kind)
      return wishes_.group_in_b(a_.trace.nodes.string(x)) == b_.trace.nodes.string(y);
    return same_value(a_.trace.nodes, x, b_.trace.nodes, y);
  }

  void compare_attributes(std::uint32_t i, std::uint32_t j) {
    const NodeTable& ta = a_.trace.nodes;
    const NodeTable& tb = b_.trace.nodes;
    const auto xs = ta.attributes(ta.nodes[i]), ys = tb.attributes(tb.nodes[j]);
    if (xs.size() == ys.size() && std::equal(xs.begin(), xs.end(), ys.begin(), [&](const Attr& x, const Attr& y) {
          return x.name == y.name && x.extra == 0 && y.extra == 0 &&
                 (is_time_attribute(x.name) || same_attribute(x, y));
        }))
      return;
    for (const Attr& x : xs) {
      if (is_time_attribute(x.name) || find(xs, x.name) != &x) continue;  // the first attribute of a name counts
      const Attr* y = find(ys, x.name);
      if (y != nullptr) compare_extra(i, j, x.name.view(), extra_of(ta, x.extra), extra_of(tb, y->extra));
      if (y != nullptr && same_attribute(x, *y)) continue;
      const bool kinds = y != nullptr && !same_kind(x, *y);
      change(
          i, j, x.name.view(), [&] { return value_text(ta, x, kinds); },
          [&] { return y == nullptr ? std::string("(none)") : value_text(tb, *y, kinds); });
    }
    for (const Attr& y : ys) {
      if (is_time_attribute(y.name) || find(ys, y.name) != &y || find(xs, y.name) != nullptr) continue;
      change(
          i, j, y.name.view(), [] { return std::string("(none)"); }, [&] { return value_text(tb, y); });
    }
  }

  // Compares contents other than values. `of`: prefix of the texts, as several attributes of a node can differ.
  void compare_extra(std::uint32_t i, std::uint32_t j, std::string_view of, const Extra& x, const Extra& y) {
    for_each_extra(a_.trace.nodes, x, b_.trace.nodes, y, [&](std::string_view what, auto p, auto q) {
      const std::string begin = of.empty() ? std::string() : std::string(of) + ": ";
      change(
          i, j, what, [&] { return begin + extra_text(what, p); }, [&] { return begin + extra_text(what, q); });
    });
  }

  void compare_io(std::uint32_t i, std::uint32_t j, std::string_view what, std::uint32_t x, std::uint32_t y) {
    if (x == 0 && y == 0) return;
    const auto text = [](const NodeTable& t, std::uint32_t k) {
      if (k == 0) return std::string("(none)");
      const IoInfo& io = t.io[k - 1];
      return std::string(t.view(io.values)) + " shapes " + std::string(t.view(io.shapes)) + " types " +
             std::string(t.view(io.types));
    };
    const NodeTable& ta = a_.trace.nodes;
    const NodeTable& tb = b_.trace.nodes;
    const auto unknown = [](const NodeTable& t, std::uint32_t k) {
      Extra extra;
      if (k != 0) extra.unknown = t.io[k - 1].unknown;
      return extra;
    };
    compare_extra(i, j, what, unknown(ta, x), unknown(tb, y));
    if (x != 0 && y != 0) {
      const IoInfo& p = ta.io[x - 1];
      const IoInfo& q = tb.io[y - 1];
      if (ta.view(p.values) == tb.view(q.values) && ta.view(p.shapes) == tb.view(q.shapes) &&
          ta.view(p.types) == tb.view(q.types))
        return;
    }
    change(
        i, j, what, [&] { return text(ta, x); }, [&] { return text(tb, y); });
  }

  // Compares dependencies that a graph omits: on missing nodes, on the node itself, or given twice.
  template <class Add>
  void compare_defects(const NodeMatching& match, const Add& add, Edges& out) const {
    if (a_.defects.empty() && b_.defects.empty()) return;
    using Defect = std::tuple<std::uint32_t, GraphDefect::What, std::uint64_t, DepKind>;  // by node of B
    const IdIndex of_a(a_.trace.nodes), of_b(b_.trace.nodes);
    std::map<Defect, std::pair<std::vector<const GraphDefect*>, std::vector<const GraphDefect*>>> all;
    const auto key = [](std::uint32_t node, const GraphDefect& d, std::uint32_t twice) {
      const bool dangling = d.what == GraphDefect::What::dangling;
      return Defect(node, d.what, dangling ? d.id : d.what == GraphDefect::What::self ? 0 : twice, d.kind);
    };
    // A node that only the other side has counts once, not again for its dependents.
    const auto is_counted = [](const GraphDefect& d, const IdIndex& others,
                               const std::vector<std::uint32_t>& match_of) {
      const std::uint32_t other = others.find(d.id);
      return d.what == GraphDefect::What::dangling && other != IdIndex::none && match_of[other] == no_index;
    };
    for (const GraphDefect& d : a_.defects) {
      const std::uint32_t j = match.b_of_a[d.index];
      const std::uint32_t on = of_a.find(d.id);
      if (j == no_index || is_counted(d, of_b, match.a_of_b)) continue;
      all[key(j, d, on == IdIndex::none ? no_index : match.b_of_a[on])].first.push_back(&d);
    }
    for (const GraphDefect& d : b_.defects) {
      if (match.a_of_b[d.index] == no_index || is_counted(d, of_a, match.b_of_a)) continue;
      all[key(d.index, d, of_b.find(d.id))].second.push_back(&d);
    }
    for (const auto& [of, sides] : all) {
      const auto& [in_a, in_b] = sides;
      for (std::size_t k = in_b.size(); k < in_a.size(); ++k)
        add(out.only_a, a_, in_a[k]->index, in_a[k]->id, in_a[k]->kind);
      for (std::size_t k = in_a.size(); k < in_b.size(); ++k)
        add(out.only_b, b_, in_b[k]->index, in_b[k]->id, in_b[k]->kind);
    }
  }

  [[nodiscard]] Edges compare_edges(const NodeMatching& match) const {
    Edges out;
    using Parent = std::pair<std::uint32_t, DepKind>;  // in B
    std::vector<Parent> x, y;
    const auto add = [](Difference::List<Difference::Edge>& to, const SideNodes& side, std::uint32_t node,
                        NodeId on, DepKind kind) {
      to.add_made([&] {
        return Difference::Edge{side.trace.rank, side.trace.nodes.nodes[node].id, on,
                                kind == DepKind::data ? "data" : "control"};
      });
    };
    const auto id = [](const SideNodes& side, std::uint32_t node) { return side.trace.nodes.nodes[node].id; };
    compare_defects(match, add, out);
    for (std::uint32_t i = 0; i < a_.matchable.size(); ++i) {
      const std::uint32_t j = match.b_of_a[i];
      if (j == no_index) continue;
      x.clear();
      y.clear();
      for (const Edge& e : a_.graph.parents(i)) {
        if (match.b_of_a[e.node] != no_index) x.emplace_back(match.b_of_a[e.node], e.kind);
      }
      for (const Edge& e : b_.graph.parents(j)) {
        if (match.a_of_b[e.node] != no_index) y.emplace_back(e.node, e.kind);
      }
      if (x == y) continue;
      std::sort(x.begin(), x.end());
      std::sort(y.begin(), y.end());
      auto p = x.begin();
      auto q = y.begin();
      while (p != x.end() || q != y.end()) {
        if (q == y.end() || (p != x.end() && *p < *q)) {
          add(out.only_a, a_, i, id(a_, match.a_of_b[p->first]), p->second);
          ++p;
        } else if (p == x.end() || *q < *p) {
          add(out.only_b, b_, j, id(b_, q->first), q->second);
          ++q;
        } else {
          ++p;
          ++q;
        }
      }
    }
    return out;
  }

  void add_times() {
    if (wishes_.structure) return;
    std::vector<NameTimes::Row> rows(texts_.size());
    const auto add = [&](const SideNodes& s, NameTimes::Times NameTimes::Row::*side) {
      for (std::uint32_t i = 0; i < s.duration_ps.size(); ++i) {
        if (s.duration_ps[i] >= 0) (rows[s.matchable[i].name].*side).add(s.duration_ps[i]);
      }
    };
    add(a_, &NameTimes::Row::a);
    add(b_, &NameTimes::Row::b);
    out_.names = NameTimes(std::move(texts_), std::move(rows));
  }

  const DiffWishes& wishes_;
  TextSet texts_;  // names and groups of both sides
  SideNodes a_, b_;
  NodeMatching match_;
  Edges edges_;
  Difference out_;
  bool changed_ = false;  // the node under comparison has a change
};

}  // namespace

Rank DiffWishes::in_b(Rank a) const {
  const auto at = ranks.find(a);
  return at == ranks.end() ? a : at->second;
}

std::string_view DiffWishes::group_in_b(std::string_view a) const {
  const auto at = groups.find(a);
  return at == groups.end() ? a : std::string_view(at->second);
}

Rank Partners::in_b(Rank a) {
  const Rank b = wishes_.in_b(a);
  if (wishes_.ranks.empty()) return b;
  const auto [at, added] = taken_.try_emplace(b, a);
  if (added) return b;
  const auto [low, high] = std::minmax(at->second, a);
  const Rank unmapped = wishes_.ranks.contains(a) ? at->second : a;
  throw usage_error("--map-ranks: ranks " + std::to_string(low) + " and " + std::to_string(high) +
                    " of A are both rank " + std::to_string(b) + " of B; map rank " + std::to_string(unmapped) +
                    " of A as well");
}

bool DiffWishes::same_time(Picoseconds a, Picoseconds b) const {
  const double off = std::fabs(static_cast<double>(b) - static_cast<double>(a));
  return a == b || off <= static_cast<double>(tolerance_ps) || off <= tolerance_part * static_cast<double>(a);
}

Difference compare_traces(const Trace& a, const Trace& b, const DiffWishes& wishes) {
  return TraceComparison(a, b, wishes).run();
}

}  // namespace convert
