// SPDX-License-Identifier: MIT
#include "passes/scale/scale.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "core/collective.h"
#include "core/diagnostic.h"

namespace convert {
namespace {

__extension__ using WideSize = __int128;
constexpr std::int64_t ns_of_us = 1000;

// Returns ⌈n·part/whole⌉.
std::int64_t share_of(std::int64_t n, std::int64_t part, std::int64_t whole) {
  return static_cast<std::int64_t>((WideSize{n} * part + whole - 1) / whole);
}
std::int64_t shard_of(std::int64_t n, std::uint64_t ranks) {
  return share_of(n, 1, static_cast<std::int64_t>(ranks));
}

Error at_node(const Trace& trace, std::size_t i, const std::string& what) {
  const Node& n = trace.nodes.nodes[i];
  return input_error(location_of(trace, i),
                     "node " + std::to_string(n.id) + " (" + std::string(trace.nodes.name(n)) + ") of rank " +
                         std::to_string(trace.rank) + " " + what,
                     "scale");
}

Attr* attribute_of(NodeTable& table, const Node& n, Name name) {
  const Attr* const a = find(table.attributes(n), name);
  return a == nullptr ? nullptr : &table.attrs[static_cast<std::size_t>(a - table.attrs.data())];
}

std::string_view group_name(const NodeTable& table, const Node& n) {
  const auto name = string_value(table, table.attributes(n), attr::pg_name).value_or("");
  return name == "0" ? std::string_view() : name;
}

// The calls of a rank in a group that grows, in file order.
struct GroupCalls {
  ScaledGroup group;
  std::vector<std::size_t> gathers;   // nodes
  std::vector<std::int64_t> reduced;  // bytes of reduce-scatters
};

class Resizer {
 public:
  Resizer(const RankGrid& grid, const std::map<std::string, ScaledGroup, std::less<>>& groups,
          const std::optional<ShardSizes>& sizes, Trace& trace)
      : grid_(grid), groups_(groups), sizes_(sizes), trace_(trace), table_(trace.nodes) {}

  ScaleCounts run() {
    for (std::size_t i = 0; i < table_.nodes.size(); ++i) {
      if (table_.nodes[i].type == NodeType::comm_coll) read(i);
    }
    bool sharded = false;
    for (auto& [name, calls] : calls_) {
      for (std::size_t k = 0; k < calls.gathers.size(); ++k) gather(calls, k);
      sharded = sharded || !calls.gathers.empty();
    }
    if (sharded) resize_optimizers();
    return counts_;
  }

 private:
  void read(std::size_t i) {
    const Node& n = table_.nodes[i];
    const auto name = group_name(table_, n);
    const auto at = groups_.find(name);
    if (at == groups_.end())
      throw at_node(trace_, i, "belongs to group " + std::string(name) + ", whose ranks are unknown");
    const auto attrs = table_.attributes(n);
    if (const Attr* dims = find(attrs, attr::involved_dim); dims != nullptr && name.empty())
      throw at_node(trace_, i,
                    "involves some dimensions of a network (involved_dim); only process groups can be scaled");
    if (!at->second.grows) return;
    GroupCalls& calls = calls_[std::string(name)];
    calls.group = at->second;
    const IntValue type = int_value(attrs, attr::comm_type);
    const Collective op = type ? collective_of(type.value) : Collective{-1};
    if (op == Collective::all_to_all)
      throw at_node(trace_, i,
                    "is an all_to_all in a group that grows, which would redistribute experts or tables and change "
                    "the bytes of each pair; generate the workload anew");
    grow_size(n, op);
    if (op == Collective::all_gather) calls.gathers.push_back(i);
    const IntValue bytes = int_value(attrs, attr::comm_size);
    if (without_block(op) == Collective::reduce_scatter && bytes) calls.reduced.push_back(bytes.value);
  }

  // Scales the sizes that a collective states besides comm_size.
  void grow_size(const Node& n, Collective op) {
    const auto factor = static_cast<std::int64_t>(grid_.factor);
    if (Attr* const size = attribute_of(table_, n, attr::group_size); size != nullptr && is_integer(size->kind))
      size->bits *= grid_.factor;
    Attr* const out = attribute_of(table_, n, attr::comm_bytes_out);
    if (const IntValue v = int_value(out); v && without_block(op) == Collective::reduce_scatter)
      out->bits = static_cast<std::uint64_t>(share_of(v.value, 1, factor));
  }

  // Returns the new bytes of a shard, derived from a reduce-scatter whose shard has the old bytes.
  [[nodiscard]] std::optional<std::int64_t> exact_shard(const GroupCalls& calls, std::size_t k,
                                                        std::int64_t bytes) {
    if (!sizes_) return std::nullopt;
    const auto after = [&](std::int64_t reduced) -> std::optional<std::int64_t> {
      const std::int64_t n = reduced / sizes_->gradient_bytes;
      if (sizes_->element_bytes * shard_of(n, calls.group.ranks) != bytes) return std::nullopt;
      return sizes_->element_bytes * shard_of(n, calls.group.ranks * grid_.factor);
    };
    // Prefer the reduce-scatter of the same bucket: buckets are gathered in the reverse order of their reduction.
    if (calls.reduced.size() == calls.gathers.size()) {
      if (const auto same = after(calls.reduced[calls.reduced.size() - 1 - k])) return same;
    }
    for (const std::int64_t reduced : calls.reduced) {
      if (const auto one = after(reduced)) return one;
    }
    return std::nullopt;
  }

  void gather(const GroupCalls& calls, std::size_t k) {
    const Node& n = table_.nodes[calls.gathers[k]];
    Attr* const size = attribute_of(table_, n, attr::comm_size);
    const IntValue bytes = int_value(size);
    if (!bytes || bytes.value < 0) return;
    const auto exact = exact_shard(calls, k, bytes.value);
    const std::int64_t element = sizes_ ? sizes_->element_bytes : 1;
    const std::int64_t now =
        exact ? *exact
              : element * share_of(share_of(bytes.value, 1, element), 1, static_cast<std::int64_t>(grid_.factor));
    size->bits = static_cast<std::uint64_t>(now);
    ++counts_.gathers;
    counts_.inexact += exact || now * static_cast<std::int64_t>(grid_.factor) == bytes.value ? 0 : 1;
    Attr* const out = attribute_of(table_, n, attr::comm_bytes_out);
    if (int_value(out)) out->bits = static_cast<std::uint64_t>(now) * calls.group.ranks * grid_.factor;
  }

  // Counts the parameters that the rank updates, before and after: its shards of the reduced ones, and all others.
  void count_parameters() {
    if (!sizes_ || sizes_->parameters <= 0) return;
    std::int64_t rest = sizes_->parameters;
    for (const auto& [name, calls] : calls_) {
      std::int64_t n = 0;
      for (const std::int64_t bytes : calls.reduced) n += bytes / sizes_->gradient_bytes;
      n /= sizes_->reductions;
      if (n == 0) continue;
      before_ += shard_of(n, calls.group.ranks);
      after_ += shard_of(n, calls.group.ranks * grid_.factor);
      rest -= n;
    }
    before_ += rest;
    after_ += rest;
  }

  void resize_optimizers() {
    count_parameters();
    for (Node& n : table_.nodes) {
      if (n.type != NodeType::comp || !is_optimizer(table_.name(n))) continue;
      ++counts_.optimizers;
      Attr* const operations = attribute_of(table_, n, attr::num_ops);
      Attr* const bytes = attribute_of(table_, n, attr::tensor_size);
      const IntValue o = int_value(operations), b = int_value(bytes);
      const bool exact = before_ > 0 && o && b && o.value % before_ == 0 && b.value % before_ == 0 && b.value != 0;
      const auto factor = static_cast<std::int64_t>(grid_.factor);
      counts_.inexact += exact || (o.value % factor == 0 && b.value % factor == 0) ? 0 : 1;
      const std::int64_t part = exact ? after_ : 1, whole = exact ? before_ : factor;
      for (Attr* const a : {operations, bytes}) {
        if (const IntValue v = int_value(a); v && v.value >= 0)
          a->bits = static_cast<std::uint64_t>(share_of(v.value, part, whole));
      }
      retime(n, exact, part, whole, int_value(operations), int_value(bytes));
    }
  }

  void retime(Node& n, bool exact, std::int64_t part, std::int64_t whole, IntValue operations, IntValue bytes) {
    Attr* const nanos = attribute_of(table_, n, attr::duration_nanos);
    const IntValue before = int_value(nanos);
    if (n.duration_us == 0 && !before) return;
    std::int64_t ns = before ? before.value : static_cast<std::int64_t>(n.duration_us) * ns_of_us;
    ns = exact && sizes_->time_ns ? sizes_->time_ns(operations.value, bytes.value) : share_of(ns, part, whole);
    n.duration_us =
        static_cast<std::uint64_t>(ns == 0 ? 0 : std::max<std::int64_t>(1, (ns + ns_of_us / 2) / ns_of_us));
    set_nanos(n, nanos, ns);
  }

  // duration_nanos exists if the time is not a whole number of microseconds.
  void set_nanos(Node& n, Attr* nanos, std::int64_t ns) {
    if (nanos != nullptr) {
      nanos->bits = static_cast<std::uint64_t>(ns);
      if (ns % ns_of_us == 0 && sizes_ && nanos == &table_.attrs[n.attrs.begin + n.attrs.count - 1])
        --n.attrs.count;
      return;
    }
    if (ns % ns_of_us == 0) return;
    const Range old = n.attrs;
    n.attrs.begin = static_cast<std::uint32_t>(table_.attrs.size());
    for (std::uint32_t a = 0; a < old.count; ++a) {
      const Attr own = table_.attrs[old.begin + a];
      table_.attrs.push_back(own);
    }
    table_.add_int(attr::duration_nanos, Kind::uint64_val, ns);
    n.attrs.count = old.count + 1;
  }

  const RankGrid& grid_;
  const std::map<std::string, ScaledGroup, std::less<>>& groups_;
  const std::optional<ShardSizes>& sizes_;
  Trace& trace_;
  NodeTable& table_;
  std::map<std::string, GroupCalls> calls_;  // of groups that grow
  std::int64_t before_ = 0, after_ = 0;      // parameters that the rank updates; 0: unknown
  ScaleCounts counts_;
};

}  // namespace

bool is_optimizer(std::string_view name) {
  std::string lower(name);
  std::ranges::transform(lower, lower.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c; });
  static constexpr std::array<std::string_view, 5> words = {"optimizer", "adam", "grad_norm", "clip_grad",
                                                            "grad norm"};
  return std::ranges::any_of(words, [&](std::string_view w) { return lower.find(w) != std::string::npos; });
}

void ScaleCounts::add(const ScaleCounts& other, std::uint64_t times) {
  gathers += times * other.gathers;
  optimizers += times * other.optimizers;
  inexact += times * other.inexact;
}

ScaleCounts RankScaler::resize(Trace& trace) const { return Resizer(grid_, groups_, sizes_, trace).run(); }

void RankScaler::renumber(Trace& trace, std::uint64_t copy,
                          const std::function<std::string(std::string_view)>& name) const {
  NodeTable& table = trace.nodes;
  for (std::size_t i = 0; i < table.nodes.size(); ++i) {
    const Node& n = table.nodes[i];
    const bool call = n.type == NodeType::comm_coll;
    if (!call && n.type != NodeType::comm_send && n.type != NodeType::comm_recv) continue;
    // The root of a group that grows keeps its rank.
    const auto group = call ? groups_.find(group_name(table, n)) : groups_.end();
    const std::uint64_t of_peer = group != groups_.end() && group->second.grows ? 0 : copy;
    for (std::uint32_t a = n.attrs.begin; a < n.attrs.begin + n.attrs.count; ++a) {
      Attr& one = table.attrs[a];
      if (one.name == attr::comm_src || one.name == attr::comm_dst) {
        const IntValue peer = int_value(&one);
        if (!peer || peer.value < 0 || peer.value > largest_rank)
          throw at_node(trace, i, "names a peer that is not a rank");
        one.bits = grid_.grown(static_cast<Rank>(peer.value), of_peer);
      } else if (one.name == attr::pg_name && one.kind == Kind::string_val && call) {
        const std::string now = name(table.string(one));
        const Text text = table.add_text(now);
        one.bits = text.offset;
        one.size = text.size;
      }
    }
  }
  trace.rank = grid_.grown(trace.rank, copy);
}

}  // namespace convert
