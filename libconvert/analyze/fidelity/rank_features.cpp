// SPDX-License-Identifier: MIT
#include "analyze/fidelity/rank_features.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_map>

#include "analyze/sets/node_times.h"
#include "core/collective.h"
#include "core/found_attrs.h"
#include "graph/graph.h"
#include "graph/messages.h"

namespace convert {
namespace {

constexpr std::array read_attrs = {attr::duration_nanos, attr::is_cpu_op,    attr::comm_type,
                                   attr::comm_size,      attr::pg_name,      attr::comm_src,
                                   attr::comm_dst,       attr::involved_dim, attr::tensor_size};
using ReadAttrs = FoundAttrs<read_attrs>;

std::uint64_t hash_with(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0xff51afd7ed558ccd;
  return hash ^ (hash >> 32);
}

class FeatureReader {
 public:
  explicit FeatureReader(const Trace& trace) : trace_(trace), table_(trace.nodes) { out_.rank = trace.rank; }

  RankFeatures read() {
    const RankLanes lanes = lanes_of(table_);
    const std::vector<NodeLane> roles = roles_of(lanes);
    const Graph graph = build_graph(table_);
    out_.nodes = table_.nodes.size();
    keys_.reserve(table_.nodes.size());
    for (std::uint32_t i = 0; i < table_.nodes.size(); ++i) read_node(i, roles[lanes.of_node[i]], graph);
    for (auto& [key, values] : durations_) out_.lanes[key].durations_ns = Distribution(std::move(values));
    for (auto& [type, values] : sizes_) out_.sizes[type] = Distribution(std::move(values));
    out_.in_degree = Distribution(std::move(parents_));
    out_.out_degree = Distribution(std::move(children_));
    read_calls(graph);
    read_classes();
    return std::move(out_);
  }

 private:
  struct Numbers {
    std::uint64_t without = 0, with = 0;
  };

  // Numbers threads by their node count.
  static std::vector<NodeLane> roles_of(const RankLanes& lanes) {
    std::vector<std::uint64_t> nodes(lanes.lanes.size());
    for (const std::uint32_t lane : lanes.of_node) ++nodes[lane];
    std::vector<std::uint32_t> threads;
    for (std::uint32_t i = 0; i < nodes.size(); ++i) {
      if (lanes.lanes[i].kind == NodeLane::Kind::thread) threads.push_back(i);
    }
    std::ranges::stable_sort(threads, [&](std::uint32_t x, std::uint32_t y) { return nodes[x] > nodes[y]; });
    std::vector<NodeLane> roles = lanes.lanes;
    for (std::size_t i = 0; i < threads.size(); ++i) roles[threads[i]].number = static_cast<std::int64_t>(i) + 1;
    return roles;
  }

  void read_node(std::uint32_t i, const NodeLane& lane, const Graph& graph) {
    const Node& node = table_.nodes[i];
    const ReadAttrs found(table_.attributes(node));
    const std::pair key(lane, node.type);
    if (i == 0 || last_key_ != key) {
      last_key_ = key;
      last_lane_ = &out_.lanes[key];
      last_durations_ = &durations_[key];
    }
    ++last_lane_->nodes;
    if (const Picoseconds time = duration_of(node, int_value(found[attr::duration_nanos])); time >= 0) {
      last_lane_->work_ps.add(time);
      last_durations_->push_back(time / ps_per_ns);
    }
    parents_.push_back(static_cast<std::int64_t>(graph.parents(i).size()));
    children_.push_back(static_cast<std::int64_t>(graph.children(i).size()));
    keys_.push_back(class_of(node, found));
  }

  NodeClass class_of(const Node& node, const ReadAttrs& found) {
    NodeClass c{.type = node.type};
    const IntValue cpu = int_value(found[attr::is_cpu_op]);
    c.on_cpu = cpu && cpu.value != 0;
    if (!c.communicates()) {
      c.name = name_of(node);
      if (node.type == NodeType::mem_load || node.type == NodeType::mem_store)
        add_size(node.type, int_value(found[attr::tensor_size]));
      return c;
    }
    const IntValue bytes = int_value(found[attr::comm_size]);
    if (bytes) c.bytes = bytes.value;
    add_size(node.type, bytes);
    if (node.type == NodeType::comm_coll) {
      if (const IntValue op = int_value(found[attr::comm_type])) c.op = op.value;
      c.group = group_of(found);
    } else if (const IntValue peer =
                   int_value(found[node.type == NodeType::comm_send ? attr::comm_dst : attr::comm_src])) {
      c.peer = static_cast<std::int64_t>(static_cast<std::uint64_t>(peer.value) - trace_.rank);
    }
    return c;
  }

  void add_size(NodeType type, IntValue bytes) {
    if (bytes) sizes_[type].push_back(bytes.value);
  }

  // Returns 1 + the index of the name in names_.
  std::uint64_t name_of(const Node& node) {
    const auto [at, is_new] = name_numbers_.try_emplace(table_.name(node), names_.size());
    if (is_new) {
      const std::string_view name = table_.name(node);
      names_.push_back(
          {number_of_name(name, IterationNumbers::without), number_of_name(name, IterationNumbers::with)});
      numbered_ = numbered_ || names_.back().without != names_.back().with;
    }
    return at->second + 1;
  }

  // Returns the number of a group. A group has one number for each set of network dimensions.
  std::uint64_t group_of(const ReadAttrs& found) {
    const Attr* const name = found[attr::pg_name];
    std::string group(name != nullptr && name->kind == Kind::string_val ? table_.string(*name)
                                                                        : std::string_view());
    if (group == "0") group.clear();
    if (const Attr* const dims = found[attr::involved_dim]; dims != nullptr && dims->kind == Kind::bool_list) {
      const auto involved = table_.list(*dims);
      if (std::ranges::find(involved, 0U) != involved.end()) {
        group += '\n';
        for (const std::uint64_t d : involved) group += d == 0 ? '0' : '1';
      }
    }
    if (group.empty()) return 0;
    const auto [at, is_new] = group_numbers_.try_emplace(group, out_.groups.size() + 1);
    if (is_new) out_.groups.push_back(group);
    return at->second;
  }

  void read_calls(const Graph& graph) {
    std::vector<std::uint64_t> sequence;
    for (const std::uint32_t i : communication_order(table_, graph)) {
      const NodeClass& c = keys_[i];
      std::uint64_t hash = hash_with(1, static_cast<std::uint64_t>(c.type));
      hash = hash_with(hash, static_cast<std::uint64_t>(c.op));
      sequence.push_back(hash_with(hash, static_cast<std::uint64_t>(c.bytes)));
    }
    out_.calls = Autocorrelation(sequence);
  }

  void read_classes() {
    std::ranges::sort(keys_);
    for (auto at = keys_.begin(); at != keys_.end();) {
      const auto end = std::find_if(at, keys_.end(), [&](const NodeClass& c) { return c != *at; });
      NodeClass c = *at;
      const auto times = static_cast<std::uint64_t>(end - at);
      const Numbers name = c.name == 0 ? Numbers{} : names_[c.name - 1];
      c.name = name.without;
      out_.classes[c] += times;
      c.name = name.with;
      if (numbered_) out_.numbered_classes[c] += times;
      at = end;
    }
  }

  const Trace& trace_;
  const NodeTable& table_;
  RankFeatures out_;
  std::map<std::pair<NodeLane, NodeType>, std::vector<std::int64_t>> durations_;
  std::map<NodeType, std::vector<std::int64_t>> sizes_;
  std::vector<std::int64_t> parents_, children_;
  std::vector<NodeClass> keys_;  // by node
  std::unordered_map<std::string_view, std::uint64_t> name_numbers_;
  std::unordered_map<std::string, std::uint64_t> group_numbers_;
  std::vector<Numbers> names_;
  bool numbered_ = false;  // at least one name has an iteration number
  std::pair<NodeLane, NodeType> last_key_;
  Features::InLane* last_lane_ = nullptr;
  std::vector<std::int64_t>* last_durations_ = nullptr;
};

}  // namespace

void Features::add(const Features& other, std::uint64_t times) {
  nodes += times * other.nodes;
  for (const auto& [key, lane] : other.lanes) {
    InLane& to = lanes[key];
    to.nodes += times * lane.nodes;
    to.durations_ns.add(lane.durations_ns, times);
    to.work_ps.add(lane.work_ps, times);
  }
  for (const auto& [type, values] : other.sizes) sizes[type].add(values, times);
  in_degree.add(other.in_degree, times);
  out_degree.add(other.out_degree, times);
  // Ranks without iteration numbers in names have the same classes with them.
  const bool numbered = !numbered_classes.empty() || !other.numbered_classes.empty();
  if (numbered && numbered_classes.empty()) numbered_classes = classes;
  for (const auto& [key, count] : other.classes) classes[key] += times * count;
  if (numbered) {
    for (const auto& [key, count] : other.numbered_classes.empty() ? other.classes : other.numbered_classes)
      numbered_classes[key] += times * count;
  }
  calls.add(other.calls, times);
}

RankFeatures features_of(const Trace& trace) { return FeatureReader(trace).read(); }

}  // namespace convert
