// SPDX-License-Identifier: MIT
#include "simulate/system/state.h"

#include <algorithm>

#include "simulate/system/stream.h"

namespace convert {
namespace {

// First queue and number of queues that a use of an NPU's dimension selects in rotation.
struct QueueRange {
  std::uint32_t first;
  std::uint32_t count;
};
QueueRange queue_range(QueueUse use, std::uint32_t queues) {
  if (queues == 1) return {0, 1};
  switch (use) {
    case QueueUse::next: break;
    case QueueUse::first: return {0, queues / 2};
    case QueueUse::last: return {queues / 2, queues - queues / 2};
  }
  return {0, queues};
}

}  // namespace

SystemState::SystemState(const SystemModel& model, const std::vector<SystemGroup>& groups,
                         const std::vector<CollectivePlan>& plans, Rank npus, const EventQueue& queue)
    : model_(model),
      groups_(groups),
      plans_(plans),
      queue_(queue),
      npu_queues_(model.rules.collectives_share_queues()
                      ? static_cast<std::uint32_t>(std::max<std::size_t>(model.dims.size(), 1)) * model.queues
                      : 1),
      sequence_(groups.size()),
      calls_(groups.size()) {
  if (plans.empty()) return;
  if (model.rules.collectives_share_queues())
    queues_.resize(std::size_t{npus} * npu_queues_, {.limit = model.streams_per_queue()});
  turns_.resize(std::size_t{npus} * model.dims.size());
  for (std::size_t g = 0; g < groups.size(); ++g) calls_[g].resize(groups[g].size(model));
  if (model.rules.notes_gaps() && groups.size() > 1) numbers_.emplace(model, npus);
}
SystemState::~SystemState() = default;

std::uint32_t SystemState::new_stream() {
  if (unused_streams_ == 0) {
    const auto first = static_cast<std::uint32_t>(blocks_.size()) << block_bits;
    blocks_.emplace_back(std::size_t{1} << block_bits);
    for (std::uint32_t i = 1U << block_bits; i-- > 0;) free_stream(first + i);
  }
  const std::uint32_t s = unused_streams_ - 1;
  unused_streams_ = stream(s).next;
  if (unused_streams_ != 0) {  // prefetch the next stream
    const char* next = reinterpret_cast<const char*>(&stream(unused_streams_ - 1));
    for (std::size_t line = 0; line < sizeof(Stream); line += 64) __builtin_prefetch(next + line, 1);
  }
  stream(s) = Stream{};
  return s;
}

void SystemState::free_stream(std::uint32_t s) {
  stream(s).next = unused_streams_;
  unused_streams_ = s + 1;
}

std::uint32_t SystemState::join(std::uint32_t run, Rank npu, std::uint64_t chunk) {
  const CollectivePlan& plan = plans_[runs_[run].plan];
  const SystemGroup& group = groups_[plan.call.group];
  if (plan.orders.empty()) return new_stream();
  Meeting& meeting = meetings_[run];
  if (meeting.cells == 0) {
    meeting.cells = meeting.unended = group.size(model_);
    meeting.streams.resize(meeting.cells * plan.chunks);
  }
  const std::uint32_t cell = plan.phases(0).front().group_ring ? group.place(npu) : group.number(npu);
  std::uint32_t& at = meeting.streams[chunk * meeting.cells + cell];
  if (at == 0) at = new_stream() + 1;
  Stream& st = stream(at - 1);
  st.cell = cell;
  st.peers = &at;
  return at - 1;
}

std::uint32_t SystemState::stream_at(const Stream& st, std::uint32_t place) {
  const std::int64_t places = std::int64_t{place} - st.place;
  std::uint32_t& at = st.peers[places * st.phase->cell_stride];
  if (at == 0) at = new_stream() + 1;
  return at - 1;
}

std::uint32_t& SystemState::begun(const Stream& st, std::uint64_t chunk) {
  const std::uint32_t run = jobs_[st.job].run;
  Meeting& meeting = meetings_[run];
  const std::size_t phases = plans_[runs_[run].plan].phases(st.chunk).size();
  if (meeting.begun.empty()) meeting.begun.resize(meeting.streams.size() * phases);
  const std::uint32_t first = st.cell - st.place * st.phase->cell_stride;
  return meeting.begun[(chunk * phases + st.phase_index) * meeting.cells + first];
}

void SystemState::leave(std::uint32_t run) {
  Meeting& meeting = meetings_[run];
  if (meeting.cells == 0 || --meeting.unended != 0) return;
  meeting.streams = {};
  meeting.begun = {};
}

bool SystemState::come(Stream& st, std::uint32_t spot) {
  if (st.inbox.is_open(phase_of(spot))) return st.inbox.come(slot_of(spot));
  st.early = early_.add({spot, st.early}) + 1;
  return false;
}

void SystemState::open_inbox(Stream& st, Inbox::Slots slots) {
  st.inbox.open(st.phase_index, slots);
  for (std::uint32_t* next = &st.early; *next != 0;) {
    const std::uint32_t i = *next - 1;
    const Early e = early_[i];
    if (!st.inbox.is_open(phase_of(e.spot))) {
      next = &early_[i].next;
      continue;
    }
    st.inbox.come(slot_of(e.spot));
    *next = e.next;
    early_.remove(i);
  }
}

std::uint32_t SystemState::new_job(std::uint32_t run, std::uint32_t op, NodeEnd end) {
  const CollectivePlan& plan = plans_[runs_[run].plan];
  const std::uint32_t job = jobs_.add({run, op, end, std::max<std::uint64_t>(plan.chunks, 1)});
  if (!model_.rules.collectives_share_queues()) {
    queues_.resize(std::max(queues_.size(), jobs_.size() * npu_queues_));
    const std::size_t phases = plan.orders.empty() ? 1 : plan.phases(0).size();
    queues_[std::size_t{job} * npu_queues_] = {
        .limit = static_cast<std::uint32_t>(std::min<std::size_t>(model_.active_chunks * phases, UINT32_MAX))};
  }
  return job;
}

std::uint32_t SystemState::call(Rank npu, std::uint32_t plan_number, std::uint32_t op, std::uint32_t number) {
  const CollectivePlan& plan = plans_[plan_number];
  const std::uint32_t place = groups_[plan.call.group].place(npu);
  std::vector<std::uint32_t>& sequence = sequence_[plan.call.group];
  std::uint32_t& calls = calls_[plan.call.group][place];
  if (model_.rules.collectives_meet_at_call_time()) number = calls;
  if (number >= sequence.size()) sequence.resize(std::size_t{number} + 1, not_called);
  if (sequence[number] == not_called) {
    sequence[number] = static_cast<std::uint32_t>(runs_.size());
    runs_.push_back(
        {.plan = plan_number, .number = number, .first_npu = npu, .first_op = op, .begin = queue_.now()});
    starts_.push_back({streams_made_, run_turns_.size()});
    meetings_.emplace_back();
    streams_made_ += static_cast<std::uint32_t>(plan.chunks);
    const auto turns = turns_.begin() + static_cast<std::ptrdiff_t>(npu * model_.dims.size());
    run_turns_.insert(run_turns_.end(), turns, turns + static_cast<std::ptrdiff_t>(model_.dims.size()));
  }
  const std::uint32_t run = sequence[number];
  CollectiveRun& r = runs_[run];
  if (r.plan != plan_number) return run;
  if (number != calls) {
    ahead_.insert({plan.call.group, place, number});
  } else {
    ++calls;
    while (!ahead_.empty() && ahead_.erase({plan.call.group, place, calls}) != 0) ++calls;
  }
  ++r.called;
  r.last_begin = queue_.now();
  if (r.begin == queue_.now() && npu < r.first_npu) {
    r.first_npu = npu;
    r.first_op = op;
  }
  return run;
}

bool SystemState::has_turns_of_first(std::uint32_t run, Rank npu) const {
  const auto turns = turns_.begin() + static_cast<std::ptrdiff_t>(npu * model_.dims.size());
  const auto first = run_turns_.begin() + static_cast<std::ptrdiff_t>(starts_[run].turns);
  return std::equal(turns, turns + static_cast<std::ptrdiff_t>(model_.dims.size()), first);
}

// Returns the priority of the messages of a collective's chunk at a link. If each chunk has its own order of
// dimensions, the first chunks go first. Otherwise all chunks would end together, and leave dimensions idle before.
std::int64_t SystemState::priority(std::uint32_t run, std::uint64_t chunk) const {
  const CollectivePlan& plan = plans_[runs_[run].plan];
  const CollectiveCall& call = plan.call;
  switch (model_.policy) {
    case WirePolicy::arrival: return plan.order_of.empty() ? 0 : -static_cast<std::int64_t>(chunk);
    case WirePolicy::lifo: return run;
    case WirePolicy::fifo: return -std::int64_t{run};
    case WirePolicy::priority: return call.priority;
    case WirePolicy::smallest: return -call.bytes;
  }
  return 0;
}

// Advances the NPU's counters as if it chose the queues and trees itself. The choice was made by the NPU that
// called first. Both are equal unless NPUs have run different numbers of collectives of other groups.
void SystemState::take_turns(Rank npu, const CollectivePlan& plan) {
  if (plan.orders.empty()) return;
  for (const PhasePlan& p : plan.phases(0)) {
    Turns& turns = turns_[npu * model_.dims.size() + p.dim];
    std::uint32_t& turn = turns.queue[static_cast<std::size_t>(p.use)];
    turn = static_cast<std::uint32_t>((turn + plan.chunks) % queue_range(p.use, model_.queues).count);
    if (p.algorithm == NativeAlgorithm::double_binary_tree) {
      std::uint8_t& tree = turns.tree[listed_place(plan.call.op)];
      tree = static_cast<std::uint8_t>((tree + plan.chunks) & 1U);
    }
  }
}

void SystemState::set_phase(std::uint32_t s) {
  Stream& st = stream(s);
  const std::uint32_t run = jobs_[st.job].run;
  const CollectivePlan& plan = plans_[runs_[run].plan];
  st.queue = 0;
  st.whole = false;
  if (plan.orders.empty()) return;
  const PhasePlan& p = plan.phases(st.chunk)[st.phase_index];
  st.phase = &p;
  st.ranks = groups_[plan.call.group].ranks.data();
  st.to_next = st.from_previous = 0;
  const bool shares = model_.rules.collectives_share_queues();
  const Turns turns = shares ? run_turns_[starts_[run].turns + p.dim] : Turns{};
  const QueueRange range = queue_range(p.use, model_.queues);
  const auto turn =
      static_cast<std::uint32_t>((turns.queue[static_cast<std::size_t>(p.use)] + st.chunk) % range.count);
  const std::uint32_t queue = range.first + turn;
  if (shares) st.queue = p.dim * model_.queues + queue;
  st.anticlockwise =
      p.use == QueueUse::last || (p.use == QueueUse::next && model_.queues > 1 && queue >= model_.queues / 2);
  if (p.algorithm == NativeAlgorithm::double_binary_tree) {
    const std::uint32_t first = turns.tree[listed_place(plan.call.op)];
    st.low_root = ((first + st.chunk * p.trees + p.tree_turn) & 1U) != 0;
  }
}

std::int64_t SystemState::unequal_part(const Stream& st, std::uint32_t place) const {
  const CollectivePlan& plan = plan_of(st);
  const SystemGroup& group = groups_[plan.call.group];
  const std::vector<std::int64_t>& parts = model_.parts[plan.call.parts - 1];
  const auto of_rank = [&](Rank r) {
    return part_bytes(parts[group.place(r)], static_cast<std::int64_t>(plan.chunks),
                      static_cast<std::int64_t>(st.chunk));
  };
  std::vector<Rank> ranks = {member(st, place)};
  const std::vector<PhasePlan>& phases = plan.phases(st.chunk);
  std::int64_t bytes = of_rank(ranks.front());
  for (std::size_t i = 0; i < st.phase_index; ++i) {
    const PhasePlan& p = phases[i];
    for (std::size_t known = ranks.size(), k = 0; k < known; ++k) {
      const Rank first = ranks[k] - ranks[k] / p.stride % p.members * p.stride;
      for (std::uint32_t at = 0; at < p.members; ++at) {
        const Rank other = first + at * p.stride;
        if (other == ranks[k]) continue;
        ranks.push_back(other);
        bytes += of_rank(other);
      }
    }
  }
  return bytes;
}

Round SystemState::round_of_unequal(const Stream& st, std::uint64_t number) const {
  return unequal_round(*st.phase, st.place, number, st.anticlockwise,
                       [&](std::uint32_t place) { return unequal_part(st, place); });
}

void SystemState::enter_queue(std::uint32_t s) {
  Stream& st = stream(s);
  st.next = 0;
  Queue& q = queue_of(st.npu, st.job, st.queue);
  (q.head == 0 ? q.head : stream(q.tail - 1).next) = s + 1;
  q.tail = s + 1;
}

UnendedCollectives SystemState::unended() const {
  const auto at = [this](std::uint32_t s) -> const Stream& {
    return blocks_[s >> block_bits][s & ((1U << block_bits) - 1)];
  };
  std::vector<bool> used(blocks_.size() << block_bits, true);
  for (std::uint32_t s = unused_streams_; s != 0; s = at(s - 1).next) used[s - 1] = false;
  UnendedCollectives left;
  for (std::uint32_t s = 0; s < used.size(); ++s) {
    if (!used[s] || at(s).job == Job::none) continue;
    const Job& job = jobs_[at(s).job];
    left.parts.push_back({at(s).npu, job.op, job.run});
  }
  for (std::uint32_t run = 0; run < custom_runs().runs().size(); ++run) {
    const CustomState::Run& r = custom_runs().runs()[run];
    if (!r.feeder.done()) left.customs.push_back({r.npu, jobs_[at(r.stream).job].op, run});
  }
  std::sort(left.parts.begin(), left.parts.end());
  left.parts.erase(std::unique(left.parts.begin(), left.parts.end()), left.parts.end());
  std::sort(left.customs.begin(), left.customs.end());
  return left;
}

}  // namespace convert
