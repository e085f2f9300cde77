// SPDX-License-Identifier: MIT
#include "simulate/system/layer.h"

#include <algorithm>

#include "simulate/system/stream.h"

namespace convert {
namespace {

// The number of queues over which a use of an NPU's dimension takes turns, and the first of them.
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

SystemLayer::SystemLayer(const SystemModel& model, const std::vector<SystemGroup>& groups,
                         const std::vector<CollectivePlan>& plans, const std::vector<CustomAlgorithm>& customs,
                         Rank npus, EventQueue& queue, NpuEvents& events, Messages& messages,
                         CollectiveListener& listener)
    : model_(model),
      groups_(groups),
      plans_(plans),
      custom_algorithms_(customs),
      queue_(queue),
      events_(events),
      messages_(messages),
      listener_(listener),
      customs_(events, messages),
      npu_queues_(
          model.astra ? static_cast<std::uint32_t>(std::max<std::size_t>(model.dims.size(), 1)) * model.queues : 1),
      sequence_(groups.size()),
      calls_(groups.size()) {
  if (plans.empty()) return;
  if (model.astra) queues_.resize(std::size_t{npus} * npu_queues_, {.limit = model.streams_per_queue()});
  turns_.resize(std::size_t{npus} * model.dims.size());
  for (std::size_t g = 0; g < groups.size(); ++g) calls_[g].resize(groups[g].size(model));
  if (model.astra && groups.size() > 1) numbers_.emplace(model, npus);
  if (model.shared_bus) bus_.emplace(*model.shared_bus, model.local_reduction_delay, events, npus, queue, *this);
}
SystemLayer::~SystemLayer() = default;

std::uint32_t SystemLayer::new_stream() {
  if (unused_streams_ == 0) {
    const auto first = static_cast<std::uint32_t>(blocks_.size()) << block_bits;
    blocks_.emplace_back(std::size_t{1} << block_bits);
    for (std::uint32_t i = 1U << block_bits; i-- > 0;) free_stream(first + i);
  }
  const std::uint32_t s = unused_streams_ - 1;
  unused_streams_ = stream(s).next;
  return s;
}

void SystemLayer::free_stream(std::uint32_t s) {
  stream(s).next = unused_streams_;
  unused_streams_ = s + 1;
}

const CollectivePlan& SystemLayer::plan_of(const Stream& st) const { return plans_[runs_[jobs_[st.job].run].call]; }

const CollectiveRun* SystemLayer::start(Rank npu, std::uint32_t plan_number, std::uint32_t op,
                                        std::uint32_t number) {
  const CollectivePlan& plan = plans_[plan_number];
  const std::uint32_t place = groups_[plan.call.group].place(npu);
  std::vector<std::uint32_t>& sequence = sequence_[plan.call.group];
  std::uint32_t& calls = calls_[plan.call.group][place];
  if (model_.astra) number = calls;
  if (number >= sequence.size()) sequence.resize(std::size_t{number} + 1, not_called);
  if (sequence[number] == not_called) {
    sequence[number] = static_cast<std::uint32_t>(runs_.size());
    runs_.push_back(
        {.call = plan_number, .number = number, .first_npu = npu, .first_op = op, .begin = queue_.now()});
    starts_.push_back({streams_made_, run_turns_.size()});
    streams_made_ += static_cast<std::uint32_t>(plan.chunks);
    const auto turns = turns_.begin() + static_cast<std::ptrdiff_t>(npu * model_.dims.size());
    run_turns_.insert(run_turns_.end(), turns, turns + static_cast<std::ptrdiff_t>(model_.dims.size()));
  }
  const std::uint32_t run = sequence[number];
  if (runs_[run].call != plan_number) return &runs_[run];
  if (number != calls) {
    ahead_.insert({plan.call.group, place, number});
  } else {
    ++calls;
    while (!ahead_.empty() && ahead_.erase({plan.call.group, place, calls}) != 0) ++calls;
  }
  ++runs_[run].called;
  runs_[run].last_begin = queue_.now();
  if (runs_[run].begin == queue_.now()) note_first(run, npu, op);
  take_turns(npu, plan);
  if (numbers_) numbers_->call(npu, run, plan);

  std::uint32_t job = 0;
  if (unused_jobs_.empty()) {
    job = static_cast<std::uint32_t>(jobs_.size());
    jobs_.emplace_back();
  } else {
    job = unused_jobs_.back();
    unused_jobs_.pop_back();
  }
  if (!model_.astra) {
    queues_.resize(std::max(queues_.size(), jobs_.size() * npu_queues_));
    const std::size_t phases = plan.orders.empty() ? 1 : plan.phases(0).size();
    queues_[std::size_t{job} * npu_queues_] = {
        .limit = static_cast<std::uint32_t>(std::min<std::size_t>(model_.active_chunks * phases, UINT32_MAX))};
  }
  jobs_[job] = {run, op, std::max<std::uint64_t>(plan.chunks, 1)};
  if (plan.chunks == 0) {  // nothing to do, at the end of this tick
    if (causes_ != nullptr) act(npu, job);
    events_.add(npu, 0, {Waiter::empty_job, job});
    return nullptr;
  }
  for (std::uint64_t chunk = 0; chunk < plan.chunks; ++chunk) {
    const std::uint32_t s = new_stream();
    Stream& st = stream(s);
    st = Stream{};
    st.npu = npu;
    st.job = job;
    st.chunk = chunk;
    st.priority = priority(run);
    st.tag = (starts_[run].first_stream + static_cast<std::uint32_t>(chunk)) % astra_tag_modulus;
    set_phase(s);
    enter_queue(s);
    start_waiting(queue_of(npu, job, st.queue));
  }
  return nullptr;
}

// An NPU calls the run at the time at which it began.
void SystemLayer::note_first(std::uint32_t run, Rank npu, std::uint32_t op) {
  CollectiveRun& r = runs_[run];
  if (npu < r.first_npu) {
    r.first_npu = npu;
    r.first_op = op;
  }
  if (watch_ == nullptr) return;
  first_callers_.resize(runs_.size());
  first_callers_[run].push_back({npu, op});
  const auto turns = turns_.begin() + static_cast<std::ptrdiff_t>(npu * model_.dims.size());
  const auto first = run_turns_.begin() + static_cast<std::ptrdiff_t>(starts_[run].turns);
  // Which of them is the first, and gives the turns, may differ from class to class.
  if (!std::equal(turns, turns + static_cast<std::ptrdiff_t>(model_.dims.size()), first)) watch_->give_up();
}

// Returns the priority of a collective's messages where they wait for a wire.
std::int64_t SystemLayer::priority(std::uint32_t run) const {
  const CollectiveCall& call = plans_[runs_[run].call].call;
  switch (model_.policy) {
    case WirePolicy::arrival: return 0;
    case WirePolicy::lifo: return run;
    case WirePolicy::fifo: return -std::int64_t{run};
    case WirePolicy::priority: return call.priority;
    case WirePolicy::smallest: return -call.bytes;
  }
  return 0;
}

// Advances the NPU's counters as if it chose the queues and trees itself; they are those of the NPU that called
// first, which are the same unless NPUs have run different numbers of collectives of other groups.
void SystemLayer::take_turns(Rank npu, const CollectivePlan& plan) {
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

void SystemLayer::set_phase(std::uint32_t s) {
  Stream& st = stream(s);
  const std::uint32_t run = jobs_[st.job].run;
  const CollectivePlan& plan = plans_[runs_[run].call];
  st.queue = 0;
  if (plan.orders.empty()) return;
  const PhasePlan& p = plan.phases(st.chunk)[st.phase_index];
  st.phase = &p;
  const Turns turns = model_.astra ? run_turns_[starts_[run].turns + p.dim] : Turns{};
  const QueueRange range = queue_range(p.use, model_.queues);
  const auto turn =
      static_cast<std::uint32_t>((turns.queue[static_cast<std::size_t>(p.use)] + st.chunk) % range.count);
  const std::uint32_t queue = range.first + turn;
  if (model_.astra) st.queue = p.dim * model_.queues + queue;
  st.anticlockwise =
      p.use == QueueUse::last || (p.use == QueueUse::next && model_.queues > 1 && queue >= model_.queues / 2);
  if (p.algorithm == NativeAlgorithm::double_binary_tree) {
    const std::uint32_t first = turns.tree[listed_place(plan.call.op)];
    st.low_root = ((first + st.chunk * p.trees + p.tree_turn) & 1U) != 0;
  }
}

void SystemLayer::enter_queue(std::uint32_t s) {
  Stream& st = stream(s);
  st.next = 0;
  Queue& q = queue_of(st.npu, st.job, st.queue);
  (q.head == 0 ? q.head : stream(q.tail - 1).next) = s + 1;
  q.tail = s + 1;
}

void SystemLayer::start_waiting(Queue& q) {
  while (q.head != 0 && q.running < q.limit) {
    const std::uint32_t s = q.head - 1;
    q.head = stream(s).next;
    ++q.running;
    init_phase(s);
  }
}

void SystemLayer::init_phase(std::uint32_t s) {
  Stream& st = stream(s);
  if (causes_ != nullptr) act(st.npu, st.job);
  const CollectivePlan& plan = plan_of(st);
  if (plan.call.custom == 0) return model_.astra ? init_algorithm(s) : exact_begin(s);
  const CustomAlgorithm& algorithm = custom_algorithms_[plan.call.custom - 1];
  customs_.begin(st.npu, *algorithm.places[groups_[plan.call.group].place(st.npu)], s,
                 model_.astra ? 0 : jobs_[st.job].run + 1);
}

// First what waits for the collective is told, then the queues move on.
void SystemLayer::end_phase(std::uint32_t s) {
  if (watch_ != nullptr) watch_->share();
  Stream& st = stream(s);
  const Rank npu = st.npu;
  const std::uint32_t job = st.job;
  const std::uint32_t old_queue = st.queue;
  const CollectivePlan& plan = plan_of(st);
  const bool last = plan.orders.empty() || st.phase_index + 1 == plan.phases(st.chunk).size();
  if (!last) {
    ++st.phase_index;
    set_phase(s);
    if (!model_.astra) return init_phase(s);
    enter_queue(s);
  } else if (--jobs_[job].streams_left == 0) {
    if (model_.astra) {
      end_job(npu, job);
    } else {  // its queue goes with it
      free_stream(s);
      return end_job(npu, job);
    }
  }
  --queue_of(npu, job, old_queue).running;
  start_waiting(queue_of(npu, job, old_queue));
  if (last) {
    free_stream(s);
  } else {
    start_waiting(queue_of(npu, job, st.queue));
  }
}

void SystemLayer::end_job(Rank npu, std::uint32_t job) {
  const Job done = jobs_[job];
  unused_jobs_.push_back(job);
  CollectiveRun& run = runs_[done.run];
  ++run.ended;
  run.end = queue_.now();
  listener_.collective_done(npu, done.op, done.run);
}

std::uint32_t SystemLayer::job_of(Waiter w) {
  if (w.kind() == Waiter::empty_job) return w.index();
  return stream(w.kind() == Waiter::custom_op ? customs_.runs()[customs_.pending(w.index()).run].stream : w.index())
      .job;
}

void SystemLayer::fire(Rank npu, Waiter w) {
  if (causes_ != nullptr && w.kind() != Waiter::bus) act(npu, job_of(w));
  switch (w.kind()) {
    case Waiter::reduction: events_.add(npu, stream(w.index()).reduction, {Waiter::phase_step, w.index()}); break;
    case Waiter::phase_step: model_.astra ? step(w.index()) : exact_step(w.index()); break;
    case Waiter::phase_recv: model_.astra ? received(w.index()) : exact_received(w.index()); break;
    case Waiter::phase_sent: exact_sent(w.index()); break;
    case Waiter::empty_job: end_job(npu, w.index()); break;
    case Waiter::bus: bus_->fire(w.index()); break;
    case Waiter::custom_op:
      if (const std::uint32_t s = customs_.complete(w.index()); s != 0) end_phase(s - 1);
      break;
    default: break;
  }
}

}  // namespace convert
