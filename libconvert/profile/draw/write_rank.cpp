// SPDX-License-Identifier: MIT
#include "profile/draw/write_rank.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "profile/draw/calls.h"
#include "util/draw.h"

namespace convert {
namespace {

constexpr std::uint64_t ns_per_us = 1000;

std::uint64_t rounded_ns(double ns) {
  constexpr double most = 9e18;  // below 2^63
  return static_cast<std::uint64_t>(std::llround(std::clamp(ns, 0.0, most)));
}

std::string class_name(const ProfileClass& c, std::uint32_t number) {
  std::string_view word = c.optimizer ? "optimizer" : "class";
  if (c.type == NodeType::comm_send) word = "send";
  if (c.type == NodeType::comm_recv) word = "recv";
  if (c.type == NodeType::comm_coll) word = name(collective_of(c.collective));
  if (word.empty()) word = "collective";
  return std::string(word) + "_" + std::to_string(number);
}

class RankWriter {
 public:
  RankWriter(const WorkloadProfile& profile, const ProfileJob& job, std::uint64_t seed, std::size_t rank,
             const DrawnRank& drawn)
      : profile_(profile), job_(job), seed_(seed), rank_(rank), drawn_(drawn), calls_(profile, job, seed, rank) {
    for (std::uint32_t c = 0; c < profile.classes.size(); ++c) names_.push_back(class_name(profile.classes[c], c));
  }

  Trace run() {
    trace_.rank = job_.ranks[rank_];
    trace_.metadata.version = schema_version;
    for (const DrawnRank::Item& item : drawn_.items()) add(item);
    return std::move(trace_);
  }

 private:
  void add(const DrawnRank::Item& item) {
    const Token& token = profile_.tokens[item.token];
    const ProfileClass& c = profile_.classes[token.node_class];
    NodeTable& t = trace_.nodes;
    Node& node = t.add_node(t.nodes.size(), c.type, names_[token.node_class]);
    const auto ns = rounded_ns(item.duration_ns);
    node.duration_us = (ns + ns_per_us / 2) / ns_per_us;
    const std::vector<DrawnRank::Dep>& deps = drawn_.deps();
    for (const bool data : {true, false}) {
      for (std::uint32_t i = 0; i < item.deps.count; ++i) {
        const DrawnRank::Dep& d = deps[item.deps.begin + i];
        if ((d.kinds & (data ? 1U : 2U)) == 0) continue;
        data ? t.add_data_dep(d.node) : t.add_ctrl_dep(d.node);
      }
    }
    t.add_bool(attr::is_cpu_op, c.on_cpu);
    add_lane(profile_.lanes[token.lane]);
    const auto add_count = [&](Name name, Kind kind, std::uint64_t value) {
      if (value > 0) t.add_int(name, kind, static_cast<std::int64_t>(value));
    };
    if (ns % ns_per_us != 0) add_count(attr::duration_nanos, Kind::uint64_val, ns);
    add_count(attr::start_delay_nanos, Kind::uint64_val, item.cost.delay_ns);
    add_count(attr::num_ops, Kind::int64_val, item.cost.operations);
    add_count(attr::tensor_size, Kind::uint64_val, item.cost.bytes);
    if (c.location >= 0) t.add_int(attr::tensor_loc, Kind::uint32_val, c.location);
    if (c.communicates()) add_communication(c);
    t.end_node();
  }

  void add_lane(const NodeLane& lane) {
    NodeTable& t = trace_.nodes;
    if (lane.kind == NodeLane::Kind::stream) t.add_int(attr::stream, Kind::int64_val, lane.number);
    if (lane.kind == NodeLane::Kind::thread) t.add_int(attr::tid, Kind::int64_val, lane.number);
    if (lane.kind == NodeLane::Kind::threadblock) t.add_int(attr::tb_id, Kind::int32_val, lane.number);
  }

  void add_communication(const ProfileClass& c) {
    NodeTable& t = trace_.nodes;
    if (c.type == NodeType::comm_coll) return add_collective(c);
    const auto own = static_cast<std::int64_t>(job_.ranks[rank_]), peer = own + c.offset;
    const bool sends = c.type == NodeType::comm_send;
    const std::pair<std::int64_t, std::int64_t> ends = sends ? std::pair(own, peer) : std::pair(peer, own);
    // A message of a rank to itself has both ends on this rank.
    const std::uint64_t number = (sends ? sends_ : receives_)[ends]++;
    t.add_int(sends ? attr::comm_dst : attr::comm_src, Kind::int32_val, peer);
    t.add_int(attr::comm_tag, Kind::int32_val, static_cast<std::int64_t>(number));
    add_size(c, static_cast<std::uint64_t>(ends.first), static_cast<std::uint64_t>(ends.second) + 1, number);
    add_details(c);
  }

  void add_collective(const ProfileClass& c) {
    NodeTable& t = trace_.nodes;
    const DrawnCalls::Call call = calls_.next(c);
    t.add_int(attr::comm_type, Kind::int64_val, c.collective);
    if (c.splits != no_index) {
      add_splits(calls_.parts(c, call));
    } else {
      add_size(c, call.group, 0, call.number);
    }
    if (call.group > 0) t.add_string(attr::pg_name, std::to_string(call.group));
    if (c.details.root >= 0) {
      const bool from = comes_from_root(collective_of(c.collective));
      std::int64_t root = c.details.root;
      if (call.group > 0 && static_cast<std::size_t>(root) < job_.groups[call.group - 1].size())
        root = job_.groups[call.group - 1][static_cast<std::size_t>(root)];
      t.add_int(from ? attr::comm_src : attr::comm_dst, Kind::int32_val, root);
    }
    add_details(c);
  }

  void add_splits(const DrawnCalls::Parts& parts) {
    std::vector<std::int64_t> to, from;
    std::int64_t all = 0;
    for (std::size_t i = 0; i < parts.sent.size(); ++i) {
      all += to.emplace_back(parts.bytes(parts.own, i));
      from.push_back(parts.bytes(i, parts.own));
    }
    NodeTable& t = trace_.nodes;
    t.add_int(attr::comm_size, Kind::int64_val, all);
    t.add_ints(attr::send_splits, Kind::int64_list, to);
    t.add_ints(attr::recv_splits, Kind::int64_list, from);
  }

  void add_size(const ProfileClass& c, std::uint64_t a, std::uint64_t b, std::uint64_t number) {
    std::int64_t size = c.size;
    if (size < 0) {
      Draw draw(seed_, (a << 32U) + b, number);
      size = DrawnCalls::size_of(profile_.sizes[c.sizes], draw);
    }
    trace_.nodes.add_int(attr::comm_size, Kind::int64_val, size);
  }

  void add_details(const ProfileClass& c) {
    NodeTable& t = trace_.nodes;
    const CommDetails& d = c.details;
    if (d.bytes_out >= 0) t.add_int(attr::comm_bytes_out, Kind::int64_val, d.bytes_out);
    if (d.group_size >= 0) t.add_int(attr::group_size, Kind::int32_val, d.group_size);
    if (d.priority >= 0) t.add_int(attr::comm_priority, Kind::int32_val, d.priority);
    if (!d.dtype.empty()) t.add_string(attr::comm_dtype, d.dtype);
    if (!d.dims.empty()) {
      std::vector<std::int64_t> dims;
      for (const char used : d.dims) dims.push_back(used == '1' ? 1 : 0);
      t.add_ints(attr::involved_dim, Kind::bool_list, dims);
    }
  }

  const WorkloadProfile& profile_;
  const ProfileJob& job_;
  std::uint64_t seed_;
  std::size_t rank_;
  const DrawnRank& drawn_;
  std::vector<std::string> names_;
  DrawnCalls calls_;
  Trace trace_;
  std::map<std::pair<std::int64_t, std::int64_t>, std::uint64_t> sends_, receives_;
};

}  // namespace

Trace write_rank(const WorkloadProfile& profile, const ProfileJob& job, std::uint64_t seed, std::size_t rank,
                 const DrawnRank& drawn) {
  return RankWriter(profile, job, seed, rank, drawn).run();
}

}  // namespace convert
