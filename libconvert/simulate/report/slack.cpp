// SPDX-License-Identifier: MIT
#include "simulate/report/slack.h"

#include <algorithm>
#include <array>
#include <limits>

namespace convert {
namespace {

constexpr Picoseconds unbounded = std::numeric_limits<Picoseconds>::max();

// Visits the slices from the last end to the first, so that all successors of a slice are known before it.
class SlackFinder {
 public:
  SlackFinder(const ReplayProgram& program, const Run& run, const SliceOps& ops)
      : program_(program),
        run_(run),
        slices_(run.timeline.slices),
        ops_(ops),
        slack_(slices_.size(), unbounded),
        meeting_of_(slices_.size(), no_index),
        meetings_(run.calls.size()),
        slot_next_(program.ranks.size(), {no_index, no_index, no_index, no_index}) {}

  std::vector<Picoseconds> run() {
    for (std::uint32_t i = 0; i < slices_.size(); ++i) meet(i);
    for (const Run::Step& step : run_.path) slack_[ops_.slice_of(like(step.npu), step.node)] = 0;
    for (std::uint32_t i = static_cast<std::uint32_t>(slices_.size()); i-- > 0;) visit(i);
    for (std::uint32_t i = 0; i < slices_.size(); ++i) {
      const Meeting* const m = meeting(i);
      if (m != nullptr && !is_early(slices_[i], *m)) slack_[i] = m->slack;
    }
    return std::move(slack_);
  }

 private:
  // A group of slices that ends only after all slices have begun.
  struct Meeting {
    Picoseconds last_begin = 0;
    Picoseconds slack = unbounded;  // of the slices visited so far
  };

  [[nodiscard]] Rank like(Rank npu) const {
    const auto c = std::ranges::lower_bound(run_.classes, npu, {}, &Run::Class::npu);
    return c == run_.classes.end() || c->npu != npu ? npu : c->like;
  }
  // Records the slices that slice `i` must meet.
  void meet(std::uint32_t i) {
    const Slice& s = slices_[i];
    if (s.call != no_index) return join(i, s.call);
    const OpType type = ops_.op(i).type;
    if (type != OpType::send && type != OpType::recv) return;
    std::vector<std::uint32_t>& of_channel = messages_of(s);
    const std::size_t message = (s.flow & UINT32_MAX) - 1;
    if (of_channel.size() <= message) of_channel.resize(message + 1, no_index);
    std::uint32_t& known = of_channel[message];
    if (!program_.options.system->rendezvous) {
      if (type == OpType::recv) known = i;
      return;
    }
    if (known == no_index) {
      known = static_cast<std::uint32_t>(meetings_.size());
      meetings_.emplace_back();
    }
    join(i, known);
  }
  void join(std::uint32_t i, std::uint32_t m) {
    meeting_of_[i] = m;
    meetings_[m].last_begin = std::max(meetings_[m].last_begin, slices_[i].begin_ps);
  }
  // Returns for each message of a channel its receive, or with rendezvous its meeting.
  [[nodiscard]] std::vector<std::uint32_t>& messages_of(const Slice& s) {
    const std::size_t channel = s.flow >> 32U;
    if (messages_.size() <= channel) messages_.resize(channel + 1);
    return messages_[channel];
  }
  [[nodiscard]] Meeting* meeting(std::uint32_t i) {
    return meeting_of_[i] == no_index ? nullptr : &meetings_[meeting_of_[i]];
  }
  // Returns whether a slice did not wait for the last one, as possible for the root of a broadcast.
  [[nodiscard]] static bool is_early(const Slice& s, const Meeting& m) { return s.end_ps < m.last_begin; }

  void visit(std::uint32_t i) {
    const Slice& s = slices_[i];
    Picoseconds latest = run_.total_ps;
    const auto followed_by = [&](std::uint32_t next) { latest = std::min(latest, latest_begin(next)); };
    ops_.for_each_child(i, followed_by);
    if (std::uint32_t* const next = next_in_slot(i); next != nullptr) {
      if (*next != no_index) followed_by(*next);
      *next = i;
    }
    if (ops_.op(i).type == OpType::send && !program_.options.system->rendezvous) {
      const std::uint32_t receive = messages_of(s)[(s.flow & UINT32_MAX) - 1];
      if (receive != no_index) followed_by(receive);
    }
    slack_[i] = std::min(slack_[i], latest - s.end_ps);
    Meeting* const m = meeting(i);
    if (m != nullptr && !is_early(s, *m)) m->slack = std::min(m->slack, slack_[i]);
  }

  // Returns the reference to the next node of the slice's slot; null if the slot has no limit.
  [[nodiscard]] std::uint32_t* next_in_slot(std::uint32_t i) {
    const Op& o = ops_.op(i);
    if (program_.options.issue != IssueMode::workload || o.type == OpType::invalid || o.slot == Slot::recv)
      return nullptr;
    if (o.slot == Slot::communication && !program_.rules.one_communication_at_a_time()) return nullptr;
    return &slot_next_[slices_[i].rank][static_cast<std::size_t>(o.slot)];
  }

  // Returns the latest begin of a slice that was visited. A receive takes no time: it waits for its message.
  [[nodiscard]] Picoseconds latest_begin(std::uint32_t i) {
    const Slice& s = slices_[i];
    const Meeting* const m = meeting(i);
    if (m == nullptr) return (ops_.op(i).type == OpType::recv ? s.end_ps : s.begin_ps) + slack_[i];
    const Picoseconds with_others = m->slack == unbounded ? unbounded : m->last_begin + m->slack;
    return is_early(s, *m) ? std::min(s.begin_ps + slack_[i], with_others) : with_others;
  }

  const ReplayProgram& program_;
  const Run& run_;
  const std::vector<Slice>& slices_;
  const SliceOps& ops_;
  std::vector<Picoseconds> slack_;
  std::vector<std::uint32_t> meeting_of_;                // by slice
  std::vector<Meeting> meetings_;                        // first the meetings of Run::calls
  std::vector<std::vector<std::uint32_t>> messages_;     // by channel and number
  std::vector<std::array<std::uint32_t, 4>> slot_next_;  // by NPU and slot
};

}  // namespace

std::vector<Picoseconds> find_slack(const ReplayProgram& program, const Run& run, const SliceOps& ops) {
  if (run.status != RunStatus::complete || run.timeline.slices.size() != ops.nodes()) return {};
  return SlackFinder(program, run, ops).run();
}

}  // namespace convert
