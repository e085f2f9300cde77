// SPDX-License-Identifier: MIT
#include "formats/param/import.h"

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>

#include "core/element_type.h"
#include "core/units.h"
#include "core/world_size.h"
#include "formats/param/waits.h"

namespace convert {
namespace {

// With more concurrent operations than this, following nodes wait for one node that joins these operations.
constexpr std::size_t most_joined = 64;

// A group as defined by a rank's inits.
struct InitGroup {
  const ParamEntry* init = nullptr;
  std::int64_t id = 0;                  // number in the trace
  std::vector<std::int64_t> members{};  // ascending
  [[nodiscard]] bool has(std::int64_t rank) const { return std::ranges::binary_search(members, rank); }
};

// Counter of omitted or unusual entries, with the first line.
struct LineTally {
  std::uint64_t count = 0;
  std::uint32_t line = 0;
  void add(const ParamEntry& e) {
    if (count++ == 0) line = e.line;
  }
};

class ParamImporter {
 public:
  ParamImporter(const ParamFile& file, Rank rank, std::optional<Rank> ranks)
      : file_(file), rank_(rank), ranks_(ranks), waits_(find_param_waits(file)) {}

  ParamRank make() {
    Trace& trace = out_.trace;
    trace.rank = rank_;
    trace.name = file_.name;
    trace.metadata.version = schema_version;
    table().positions_are_lines = true;
    collect_groups();
    if (const std::int64_t world = world_of_file(); world > 0 && world <= largest_rank)
      set_world_size(trace.metadata, static_cast<Rank>(world));
    if (std::ranges::any_of(file_.entries, [](const ParamEntry& e) { return e.start_ns >= 0; }))
      trace.metadata.table.add_bool(param_names().replay_times, true);
    node_.assign(file_.entries.size(), no_node);
    find_ends_of_batches();
    for (std::uint32_t i = 0; i < file_.entries.size(); ++i) add(i);
    return std::move(out_);
  }

  void warn(Diagnostics& diagnostics) const {
    const auto tell = [&](std::uint64_t count, std::uint32_t line, const std::string& one, const std::string& many,
                          const std::string& rest) {
      if (count == 0) return;
      diagnostics.warning({.file = file_.name, .line = line}, "param",
                          std::to_string(count) + (count == 1 ? one : many) + rest);
    };
    tell(elsewhere_.count, elsewhere_.line, " entry", " entries",
         " of groups and messages of other ranks: omitted, as in PARAM's replay");
    tell(other_size_.count, other_size_.line, " entry has", " entries have",
         " a world_size other than the size of the group; the size of the group is used");
    tell(other_init_.count, other_init_.line, " init changes", " inits change",
         " the ranks of an earlier group; the last init is used");
    if (waits_.idle != 0)
      tell(waits_.idle, file_.entries[waits_.first_idle].line, " wait", " waits",
           " for an operation that is not running: omitted");
  }

 private:
  static constexpr NodeId no_node = std::numeric_limits<NodeId>::max();

  NodeTable& table() { return out_.trace.nodes; }

  void collect_groups() {
    for (const ParamEntry& e : file_.entries) {
      if (e.kind != ParamEntry::Kind::communication || e.operation->kind != ParamOperation::Kind::init) continue;
      const auto ranks = file_.view(e.ranks);
      if (e.world >= 0 && e.world != static_cast<std::int64_t>(ranks.size())) other_size_.add(e);
      InitGroup& group = groups_[e.group];
      if (group.init != nullptr && !std::ranges::equal(ranks, file_.view(group.init->ranks))) other_init_.add(e);
      group = {&e, e.group, {ranks.begin(), ranks.end()}};
      std::ranges::sort(group.members);
    }
    name_group_0();
    for (const auto& [pg, group] : groups_) {
      if (!group.has(rank_)) continue;
      ProcessGroup known{.name = std::to_string(group.id)};
      for (const std::int64_t r : file_.view(group.init->ranks)) known.ranks.push_back(static_cast<Rank>(r));
      known.size = static_cast<std::uint32_t>(known.ranks.size());
      out_.groups.push_back(std::move(known));
    }
  }

  // Group 0 of a trace contains all ranks. In PARAM's files, group 0 is an arbitrary group; then it gets a free
  // number.
  void name_group_0() {
    const auto zero = groups_.find(0);
    if (zero == groups_.end() || is_all_ranks(zero->second)) return;
    const std::int64_t last = groups_.rbegin()->first;
    zero->second.id = last == std::numeric_limits<std::int64_t>::max() ? 0 : last + 1;
  }

  [[nodiscard]] bool is_all_ranks(const InitGroup& group) const {
    const auto listed = file_.view(group.init->ranks);
    const auto n = static_cast<std::int64_t>(listed.size());
    for (std::size_t i = 0; i < listed.size(); ++i) {
      if (listed[i] != static_cast<std::int64_t>(i)) return false;
    }
    if (ranks_) return *ranks_ == n;
    const auto within = [n](const auto& other) { return other.second.members.back() < n; };
    return rank_ < n && std::ranges::all_of(groups_, within);
  }

  // Returns the number of ranks that the file states; 0 if it states none.
  [[nodiscard]] std::int64_t world_of_file() const {
    const auto zero = groups_.find(0);
    if (zero != groups_.end() && zero->second.id == 0)
      return static_cast<std::int64_t>(zero->second.members.size());
    for (const ParamEntry& e : file_.entries) {
      if (e.kind == ParamEntry::Kind::communication && in_all(e) && e.world > 0) return e.world;
    }
    return 0;
  }
  // Returns whether the entry runs in the default group of the replay, which exists without inits.
  [[nodiscard]] bool in_all(const ParamEntry& e) const { return e.group < 0 || (e.group == 0 && groups_.empty()); }

  const InitGroup* group_of(const ParamEntry& e) const {
    if (in_all(e)) return nullptr;
    const auto at = groups_.find(e.group);
    if (at != groups_.end()) return &at->second;
    throw input_error(file_.locate(e), "no init creates process group " + std::to_string(e.group), "param");
  }

  void add(std::uint32_t i) {
    const ParamEntry& e = file_.entries[i];
    if (e.kind != ParamEntry::Kind::communication) return add_computation(e);
    if (e.operation->kind == ParamOperation::Kind::init) return;
    const InitGroup* const group = group_of(e);
    if (e.operation->kind == ParamOperation::Kind::wait) return add_wait(i);
    if (e.operation->kind == ParamOperation::Kind::batch) return end_batch(i);
    if (!takes_part(e, group)) {
      elsewhere_.add(e);
      return;
    }
    add_communication(i, group);
  }

  [[nodiscard]] bool takes_part(const ParamEntry& e, const InitGroup* group) const {
    if (group != nullptr && !group->has(rank_)) return false;
    if (e.operation->kind != ParamOperation::Kind::message) return true;
    const bool sends = e.operation->type == Collective::send;
    if ((sends ? e.source : e.target) != rank_) return false;
    const std::int64_t peer = sends ? e.target : e.source;
    if (group != nullptr && !group->has(peer))
      throw input_error(file_.locate(e),
                        "rank " + std::to_string(peer) + " is not in process group " + std::to_string(e.group),
                        "param");
    return true;
  }

  void find_ends_of_batches() {
    for (std::uint32_t i = 0; i < file_.entries.size(); ++i) {
      if (waits_.of_batch[i] != no_index && takes_part(file_.entries[i], group_of(file_.entries[i])))
        last_of_batch_[waits_.of_batch[i]] = i;
    }
  }

  // Begins a node that waits for all previous nodes.
  NodeId begin(NodeType type, std::string_view name, const ParamEntry& e) {
    NodeTable& t = table();
    if (frontier_.size() > most_joined) join(e);
    const NodeId id = t.nodes.size();
    t.add_node(id, type, name);
    t.positions.push_back(e.line);
    for (const NodeId parent : frontier_) t.add_data_dep(parent);
    t.add_bool(attr::is_cpu_op, false);
    return id;
  }
  void join(const ParamEntry& e) {
    std::vector<NodeId> parents = std::exchange(frontier_, {});
    NodeTable& t = table();
    const NodeId id = begin(NodeType::comp, "wait", e);
    for (const NodeId parent : parents) t.add_data_dep(parent);
    t.add_int(attr::num_ops, Kind::int64_val, 0);
    t.add_int(attr::tensor_size, Kind::uint64_val, 0);
    t.end_node();
    frontier_ = {id};
  }
  void end(const ParamEntry& e) {
    NodeTable& t = table();
    if (e.start_ns >= 0) {
      t.nodes.back().start_us = static_cast<std::uint64_t>(e.start_ns / 1000);
      t.add_int(attr::start_nanos, Kind::uint64_val, e.start_ns);
    }
    if (e.has_request) add_request(param_names().req, e);
    if (e.has_markers) add_markers(param_names().markers, e);
    t.end_node();
  }

  void add_request(Name name, const ParamEntry& e) {
    const std::string_view text = file_.view(e.request);
    const auto number = parse_int(text);
    if (number && std::to_string(*number) == text) {
      table().add_int(name, Kind::int64_val, *number);
    } else {
      table().add_string(name, text);
    }
  }
  void add_markers(Name name, const ParamEntry& e) {
    std::vector<std::string> markers;
    for (std::uint32_t k = 0; k < e.markers.count; ++k)
      markers.emplace_back(file_.view(file_.texts[e.markers.begin + k]));
    table().add_strings(name, markers);
  }

  void add_computation(const ParamEntry& e) {
    NodeTable& t = table();
    const bool gemm = e.kind == ParamEntry::Kind::gemm;
    const std::string_view name = gemm ? "gemm" : "emb_lookup";
    const NodeId id = begin(NodeType::comp, name, e);
    const std::string_view type = file_.view(e.type);
    const std::int64_t element_bytes = gemm ? element_type(type)->bytes : param_float.bytes;
    t.add_int(attr::num_ops, Kind::int64_val, param_operations(e));
    t.add_int(attr::tensor_size, Kind::uint64_val, param_bytes(e, element_bytes));
    t.add_string(param_names().compute, name);
    if (e.count != 1) t.add_int(Name("count"), Kind::int64_val, e.count);
    if (gemm) {
      t.add_string(attr::dtype, type);
      add_sizes(e.gemm);
    } else {
      if (e.direction.size != 0) t.add_string(Name("direction"), file_.view(e.direction));
      for (std::size_t k = 0; k < e.lookup.size(); ++k) {
        if (e.lookup[k] >= 0) t.add_int(Name(param_lookup_keys[k]), Kind::int64_val, e.lookup[k]);
      }
    }
    end(e);
    frontier_ = {id};
  }
  void add_sizes(const ParamGemm& gemm) {
    NodeTable& t = table();
    if (gemm.square) return t.add_int(Name("mm_dim"), Kind::int64_val, gemm.rows);
    t.add_int(Name("mm0_dim0"), Kind::int64_val, gemm.rows);
    t.add_int(Name("mm0_dim1"), Kind::int64_val, gemm.inner);
    t.add_int(Name("mm1_dim0"), Kind::int64_val, gemm.inner);
    t.add_int(Name("mm1_dim1"), Kind::int64_val, gemm.columns);
  }

  void add_communication(std::uint32_t i, const InitGroup* group) {
    const ParamEntry& e = file_.entries[i];
    const bool message = e.operation->kind == ParamOperation::Kind::message;
    const NodeType type = !message                                ? NodeType::comm_coll
                          : e.operation->type == Collective::send ? NodeType::comm_send
                                                                  : NodeType::comm_recv;
    const NodeId id = begin(type, e.operation->name, e);
    node_[i] = id;
    if (message) {
      add_message(e);
    } else {
      add_collective(e, group);
    }
    if (e.group >= 0) table().add_string(attr::pg_name, std::to_string(group == nullptr ? 0 : group->id));
    if (e.operation->type != Collective::barrier) table().add_string(attr::comm_dtype, file_.view(e.type));
    if (e.operation != &param_operation(e.operation->type))
      table().add_string(attr::collective_name, e.operation->name);
    const bool posted = is_posted(i);
    add_wait_attributes(i, posted);
    end(e);
    if (waits_.of_batch[i] != no_index) {
      batches_[waits_.of_batch[i]].push_back(id);
    } else if (!posted) {
      frontier_ = {id};
    }
  }

  // Returns whether the following entries need not wait for it.
  [[nodiscard]] bool is_posted(std::uint32_t i) const {
    const ParamEntry& e = file_.entries[i];
    if (e.operation->kind == ParamOperation::Kind::message) return e.operation->posted || e.batched;
    return waits_.wait_of[i] != no_index;
  }

  void add_wait_attributes(std::uint32_t i, bool posted) {
    const ParamEntry& e = file_.entries[i];
    if (e.batched) table().add_bool(param_names().use_batch, true);
    std::uint32_t wait = waits_.wait_of[i];
    if (const std::uint32_t batch = waits_.of_batch[i]; batch != no_index) {
      const bool last = !file_.entries[i + 1].batched || i + 1 == batch;
      if (!last) return;
      const ParamEntry& end = file_.entries[batch];
      if (end.has_request) {
        add_request(param_names().batch_req, end);
      } else {
        table().add_string(param_names().batch_req, "");
      }
      wait = waits_.wait_of[batch];
    }
    if (wait != no_index) {
      const ParamEntry& w = file_.entries[wait];
      table().add_bool(param_names().waited, true);
      if (w.start_ns >= 0) table().add_int(param_names().wait_start_nanos, Kind::int64_val, w.start_ns);
      if (w.has_markers) add_markers(param_names().wait_markers, w);
    } else if (posted || e.operation->kind == ParamOperation::Kind::message) {
      table().add_bool(param_names().waited, false);
    }
  }

  void add_message(const ParamEntry& e) {
    NodeTable& t = table();
    const bool from_out = e.in_bytes == 0 && e.operation->type == Collective::recv;
    t.add_int(attr::comm_src, Kind::int32_val, e.source);
    t.add_int(attr::comm_dst, Kind::int32_val, e.target);
    // Messages of a group match in order, so each group uses one tag.
    t.add_int(attr::comm_tag, Kind::int32_val, std::max<std::int64_t>(e.group, 0) % largest_tag);
    const std::int64_t bytes = from_out ? e.out_bytes : e.in_bytes;
    t.add_int(attr::comm_size, Kind::int64_val, bytes);
    if (e.out_bytes != bytes) t.add_int(attr::comm_bytes_out, Kind::int64_val, e.out_bytes);
  }

  void add_collective(const ParamEntry& e, const InitGroup* group) {
    NodeTable& t = table();
    const Collective type = e.operation->type;
    const std::int64_t ranks = group != nullptr ? static_cast<std::int64_t>(group->members.size())
                               : e.world > 0    ? e.world
                                                : std::int64_t{ranks_.value_or(0)};
    if (group != nullptr && e.world >= 0 && e.world != ranks) other_size_.add(e);
    t.add_int(attr::comm_type, Kind::int64_val, static_cast<std::int64_t>(type));
    if (type == Collective::barrier) {
      t.add_int(attr::comm_size, Kind::int64_val, 0);
      return;
    }
    const std::int64_t bytes = size_of(e, ranks);
    t.add_int(attr::comm_size, Kind::int64_val, bytes);
    if (ranks > 0 && ranks <= largest_rank) t.add_int(attr::group_size, Kind::int32_val, ranks);
    if (e.out_bytes != param_bytes_out(type, bytes, ranks))
      t.add_int(attr::comm_bytes_out, Kind::int64_val, e.out_bytes);
    if (has_root(type) && e.root >= 0 && e.root <= largest_rank) {
      const bool from = comes_from_root(type);
      t.add_int(from ? attr::comm_src : attr::comm_dst, Kind::int32_val, e.root);
    }
    if (e.has_splits) add_splits(e, ranks);
  }

  // Returns comm_size: the input of a rank; for a scatter the output, as only the root has an input.
  static std::int64_t size_of(const ParamEntry& e, std::int64_t ranks) {
    if (e.operation->type != Collective::scatter) return e.in_bytes;
    return e.out_bytes == 0 && ranks > 0 ? e.in_bytes / ranks : e.out_bytes;
  }

  void add_splits(const ParamEntry& e, std::int64_t ranks) {
    for (const auto& [split, name] :
         {std::pair{e.in_split, attr::send_splits}, std::pair{e.out_split, attr::recv_splits}}) {
      if (split.count == 0) continue;
      if (ranks > 0 && split.count != ranks)
        throw input_error(file_.locate(e),
                          "an all_to_allv of " + counted(static_cast<std::uint64_t>(ranks), "rank") + " with " +
                              counted(split.count, "split"),
                          "param");
      table().add_ints(name, Kind::int64_list, file_.view(split));
    }
  }

  void add_wait(std::uint32_t i) {
    const std::uint32_t target = waits_.of_wait[i];
    if (target == no_index) return;
    if (const auto batch = batches_.find(target); batch != batches_.end()) {
      frontier_.insert(frontier_.end(), batch->second.begin(), batch->second.end());
      batches_.erase(batch);
    } else if (node_[target] != no_node && is_posted(target)) {
      frontier_.push_back(node_[target]);
    }
  }

  void end_batch(std::uint32_t i) {
    if (waits_.wait_of[i] != no_index) return;
    const auto batch = batches_.find(i);
    if (batch == batches_.end()) return;
    frontier_ = std::move(batch->second);
    batches_.erase(batch);
  }

  const ParamFile& file_;
  Rank rank_;
  std::optional<Rank> ranks_;
  ParamWaits waits_;
  ParamRank out_;
  std::map<std::int64_t, InitGroup> groups_;                        // key: pg_id
  std::vector<NodeId> node_;                                        // by entry
  std::vector<NodeId> frontier_;                                    // nodes that the next entry waits for
  std::unordered_map<std::uint32_t, std::vector<NodeId>> batches_;  // entry of a batch → its messages
  std::unordered_map<std::uint32_t, std::uint32_t> last_of_batch_;  // entry → its last message of this rank
  LineTally elsewhere_, other_size_, other_init_;
};

}  // namespace

ParamRank import_param(const ParamFile& file, Rank rank, std::optional<Rank> ranks, Diagnostics& diagnostics) {
  ParamImporter importer(file, rank, ranks);
  ParamRank made = importer.make();
  importer.warn(diagnostics);
  return made;
}

}  // namespace convert
