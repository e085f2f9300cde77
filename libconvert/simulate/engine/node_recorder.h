// SPDX-License-Identifier: MIT
// Records the start and end of nodes, for a timeline and for the use of local memory.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "core/timeline.h"
#include "simulate/engine/local_memory.h"
#include "simulate/engine/replay.h"
#include "simulate/program/program.h"

namespace convert {

// Fills a timeline: begin times and message numbers of nodes, and the collectives that they call.
class TimelineRecorder {
 public:
  TimelineRecorder(const LinkedProgram& program, ReplayResult& result)
      : program_(program),
        timeline_(result.timeline),
        calls_(result.slice_calls),
        call_of_(program.groups.size()),
        begin_(program.ops, not_under_way),
        sent_(program.channels.size()),
        posted_(program.channels.size()),
        flow_(program.ops) {}

  void begin(Rank r, std::uint32_t node, Picoseconds now) {
    const Op& op = program_.op({r, node});
    const std::uint64_t index = program_.ranks[r].first_op + node;
    begin_[index] = now;
    if (op.type == OpType::send) flow_[index] = ++sent_[op.channel];
    if (op.type == OpType::recv) flow_[index] = ++posted_[op.channel];
  }

  void end(Rank r, std::uint32_t node, Picoseconds now) {
    Slice& s = add(r, node, now);
    const Op& op = program_.op({r, node});
    if (op.type == OpType::send || op.type == OpType::recv)
      s.flow = (std::uint64_t{op.channel} << 32) + flow_[program_.ranks[r].first_op + node];
  }

  // Ends the nodes that are under way when the replay stops, and marks them as open.
  void stop(Picoseconds now) {
    for (Rank r = 0; r < program_.ranks.size(); ++r) {
      const LinkedRankProgram& rank = program_.ranks[r];
      for (std::uint32_t node = 0; rank.code != nullptr && node < rank.code->ops.size(); ++node) {
        if (begin_[rank.first_op + node] != not_under_way) add(r, node, now).open = true;
      }
    }
  }

 private:
  static constexpr Picoseconds not_under_way = -1;

  Slice& add(Rank r, std::uint32_t node, Picoseconds now) {
    const Op& op = program_.op({r, node});
    const RankCode& code = *program_.ranks[r].code;
    const std::uint64_t index = program_.ranks[r].first_op + node;
    Slice s{.begin_ps = begin_[index], .end_ps = now, .node = code.id(node), .rank = r, .lane = lane_of(op)};
    s.name = timeline_.names.add(code.node_name(node));
    if (op.type == OpType::send || op.type == OpType::recv) {
      s.bytes = op.value;
      s.peer = static_cast<std::int32_t>(op.peer);
    }
    if (op.type == OpType::collective) s.call = call(program_.plans[op.channel].call.group, op.peer);
    begin_[index] = not_under_way;
    return timeline_.slices.emplace_back(s);
  }

  // Returns the index of a group's collective in ReplayResult::slice_calls.
  std::uint32_t call(std::uint32_t group, std::uint32_t number) {
    std::vector<std::uint32_t>& known = call_of_[group];
    if (known.size() <= number) known.resize(number + 1, no_index);
    if (known[number] == no_index) {
      known[number] = static_cast<std::uint32_t>(calls_.size());
      calls_.push_back({program_.groups[group].id, number});
    }
    return known[number];
  }

  static Lane lane_of(const Op& op) {
    switch (op.type) {
      case OpType::send: return Lane::send;
      case OpType::recv: return Lane::recv;
      case OpType::memory: return op.slot == Slot::cpu ? Lane::cpu : Lane::memory;
      case OpType::collective: return Lane::collective;
      case OpType::invalid:
      case OpType::timed: break;
    }
    if (op.slot == Slot::cpu) return Lane::cpu;
    if (op.slot == Slot::recv) return Lane::recv;
    return op.slot == Slot::communication ? Lane::collective : Lane::compute;
  }

  const LinkedProgram& program_;
  Timeline& timeline_;
  std::vector<SliceCall>& calls_;
  std::vector<std::vector<std::uint32_t>> call_of_;  // by group and number: index in calls_
  std::vector<Picoseconds> begin_;                   // by op
  std::vector<std::uint32_t> sent_;                  // by channel
  std::vector<std::uint32_t> posted_;
  std::vector<std::uint32_t> flow_;  // by op: its number within the channel, from 1
};

// Records the data that the options request.
class NodeRecorder {
 public:
  NodeRecorder(const LinkedProgram& program, ReplayResult& result) : program_(program), result_(result) {
    if (program.options.timeline) timeline_.emplace(program, result);
    if (program.options.memory == MemoryTracking::off) return;
    for (const LinkedRankProgram& r : program.ranks)
      spans_.emplace_back(r.code != nullptr ? r.code->ops.size() : 0);
  }
  [[nodiscard]] static bool is_wanted(const ReplayOptions& options) {
    return options.timeline || options.memory != MemoryTracking::off;
  }

  void begin(Rank r, std::uint32_t node, Picoseconds now) {
    if (timeline_) timeline_->begin(r, node, now);
    if (!spans_.empty()) spans_[r][node].begin = now;
  }
  void end(Rank r, std::uint32_t node, Picoseconds now) {
    if (timeline_) timeline_->end(r, node, now);
    if (!spans_.empty()) spans_[r][node].end = now;
  }
  void finish() {
    if (timeline_) timeline_->stop(result_.reached_ps);
    if (!spans_.empty()) add_peaks(program_, spans_, result_);
    if (program_.options.memory == MemoryTracking::trace) result_.spans = std::move(spans_);
  }

 private:
  const LinkedProgram& program_;
  ReplayResult& result_;
  std::optional<TimelineRecorder> timeline_;
  std::vector<NodeSpans> spans_;  // by rank, if local memory is tracked
};

// Records nothing.
class NoRecorder {
 public:
  NoRecorder(const LinkedProgram& /*program*/, ReplayResult& /*result*/) {}
  void begin(Rank /*r*/, std::uint32_t /*node*/, Picoseconds /*now*/) {}
  void end(Rank /*r*/, std::uint32_t /*node*/, Picoseconds /*now*/) {}
  void finish() {}
};

}  // namespace convert
