// SPDX-License-Identifier: MIT
#include "simulate/system/layer.h"

#include <type_traits>

#include "simulate/explain/causes.h"
#include "simulate/program/program.h"
#include "simulate/rings/whole_rings.h"
#include "simulate/symmetry/order_observer.h"
#include "simulate/symmetry/ordered_causes.h"
#include "simulate/system/closed_runs.h"
#include "simulate/system/exact_algorithms.h"
#include "simulate/system/lane_phases.h"
#include "simulate/system/native_algorithms.h"
#include "simulate/system/stream.h"
#include "simulate/system/whole_phases.h"

namespace convert {
template <class Observer>
SystemLayer<Observer>::SystemLayer(const LinkedProgram& program, const EventQueue& queue,
                                   NpuEvents<Observer>& events, Messages<Observer>& messages,
                                   CollectiveListener& listener, Observer& observer)
    : SystemState(program.model, program.groups, program.plans, static_cast<Rank>(program.ranks.size()), queue),
      custom_algorithms_(program.customs),
      events_(events),
      messages_(messages),
      listener_(listener),
      observer_(observer),
      streams_meet_(!Observer::is_reduced && !program.options.system->rendezvous),
      runs_whole_rings_(std::is_same_v<Observer, NoObserver> &&
                        (can_run_whole_rings(program) || may_run_on_lanes(program))),
      customs_(events, messages, observer, program_launch(program)) {
  if (runs_whole_rings_ && !can_run_whole_rings(program)) lanes_.emplace();
  if (plans_.empty() || !model_.shared_bus) return;
  bus_.emplace(*model_.shared_bus, model_.local_reduction_delay, static_cast<Rank>(program.ranks.size()), queue,
               events, *this);
}

template <class Observer>
const CollectiveRun* SystemLayer<Observer>::start(Rank npu, std::uint32_t plan_number, std::uint32_t op,
                                                  NodeEnd end, std::uint32_t number) {
  const std::uint32_t run = call(npu, plan_number, op, number);
  if (runs_[run].plan != plan_number) return &runs_[run];
  listener_.collective_called(npu, op, run);
  if (runs_[run].begin == queue_.now())
    observer_.calls_first(run, npu, op, [&] { return has_turns_of_first(run, npu); });
  if (runs_whole_rings_ && model_.rules.collectives_share_queues() && runs_[run].begin == queue_.now() &&
      !has_turns_of_first(run, npu))
    order_is_open_ = true;
  const CollectivePlan& plan = plans_[plan_number];
  take_turns(npu, plan);
  if (numbers_) numbers_->call(npu, run, plan);
  const std::uint32_t job = new_job(run, op, end);
  if (plan.on_machine) {
    join_call(run, npu, job);
    return nullptr;
  }
  if (plan.chunks == 0) {  // nothing to do; ends in this tick
    observer_.acts([&] { return actor(npu, job); });
    events_.add(npu, 0, {Waiter::empty_job, job});
    return nullptr;
  }
  for (std::uint64_t chunk = 0; chunk < plan.chunks; ++chunk) {
    const std::uint32_t s = streams_meet_ ? join(run, npu, chunk) : new_stream();
    Stream& st = stream(s);
    st.npu = npu;
    st.job = job;
    st.chunk = chunk;
    st.priority = priority(run, chunk);
    st.tag = (starts_[run].first_stream + static_cast<std::uint32_t>(chunk)) % tag_modulus;
    set_phase(s);
    enter_queue(s);
    start_waiting(queue_of(npu, job, st.queue));
  }
  return nullptr;
}

// A call on a machine starts when its last member calls.
template <class Observer>
void SystemLayer<Observer>::join_call(std::uint32_t run, Rank npu, std::uint32_t job) {
  if (joined_.size() <= run) joined_.resize(std::size_t{run} + 1);
  JoinedCall& joined = joined_[run];
  const CollectivePlan& plan = plans_[runs_[run].plan];
  joined.jobs.emplace_back(npu, job);
  joined.npus += observer_.weight(plan.call.group, npu);
  if (joined.npus < groups_[plan.call.group].size(model_)) return;
  std::vector<Rank> members;
  for (const auto& [member, of] : joined.jobs) members.push_back(member);
  observer_.acts([&] { return actor(npu, job); });
  observer_.flow_begins(run);
  messages_.begin_call(run, plan.on_machine->flow, members);
}

template <class Observer>
void SystemLayer<Observer>::end_call(std::uint32_t run) {
  for (const auto& [npu, job] : std::exchange(joined_[run].jobs, {})) {
    observer_.flow_ends(run, npu);
    end_job(npu, job);
  }
}

template <class Observer>
void SystemLayer<Observer>::start_waiting(Queue& q) {
  while (q.head != 0 && q.running < q.limit) {
    const std::uint32_t s = q.head - 1;
    q.head = stream(s).next;
    ++q.running;
    init_phase(s);
  }
}

template <class Observer>
void SystemLayer<Observer>::init_phase(std::uint32_t s) {
  Stream& st = stream(s);
  observer_.acts([&] { return actor(st.npu, st.job); });
  const CollectivePlan& plan = plan_of(st);
  if (plan.call.custom == 0) {
    if (runs_whole_rings_) return begin_whole(s);
    return model_.rules.parts_are_equal() ? init_algorithm(s) : exact_begin(s);
  }
  const CustomAlgorithm& algorithm = custom_algorithms_[plan.call.custom - 1];
  customs_.begin(st.npu, *algorithm.places[groups_[plan.call.group].place(st.npu)], s,
                 model_.rules.custom_runs_share_channels() ? 0 : jobs_[st.job].run + 1);
}

// Dependents of the collective are notified before the queues advance.
template <class Observer>
void SystemLayer<Observer>::end_phase(std::uint32_t s) {
  Stream& st = stream(s);
  const Rank npu = st.npu;
  const std::uint32_t job = st.job;
  const std::uint32_t old_queue = st.queue;
  const CollectivePlan& plan = plan_of(st);
  const bool last = plan.orders.empty() || st.phase_index + 1 == plan.phases(st.chunk).size();
  const bool own_queue = !model_.rules.collectives_share_queues();
  release_kept(st);
  if (last || !own_queue) observer_.shares(own_queue ? std::optional(jobs_[job].run) : std::nullopt);
  if (!last) {
    ++st.phase_index;
    set_phase(s);
    if (own_queue) return init_phase(s);
    enter_queue(s);
  } else if (--jobs_[job].streams_left == 0) {
    if (own_queue) {  // the queue ends with its collective
      free_stream(s);
      return end_job(npu, job);
    }
    end_job(npu, job);
  }
  --queue_of(npu, job, old_queue).running;
  start_waiting(queue_of(npu, job, old_queue));
  if (last) {
    free_stream(s);
  } else {
    start_waiting(queue_of(npu, job, st.queue));
  }
}

template <class Observer>
void SystemLayer<Observer>::end_job(Rank npu, std::uint32_t job) {
  const Job done = jobs_[job];
  jobs_.remove(job);
  leave(done.run);
  CollectiveRun& run = runs_[done.run];
  run.end = queue_.now();
  listener_.collective_done(npu, done.op, done.end, done.run);
}

template <class Observer>
std::uint32_t SystemLayer<Observer>::job_of(Waiter w) {
  if (w.kind() == Waiter::empty_job) return w.index();
  const bool is_custom = w.kind() == Waiter::custom_op || w.kind() == Waiter::custom_launch;
  return stream(is_custom ? customs_.runs()[customs_.pending(w.index()).run].stream : w.index()).job;
}

template <class Observer>
void SystemLayer<Observer>::fire(Rank npu, Waiter w) {
  if (w.kind() != Waiter::bus) observer_.acts([&] { return actor(npu, job_of(w)); });
  switch (w.kind()) {
    case Waiter::reduction:
      if (stream(w.index()).whole) {
        add_last_pass(w.index(), stream(w.index()).reduction);
      } else {
        events_.add(npu, stream(w.index()).reduction, {Waiter::phase_step, w.index()});
      }
      break;
    case Waiter::phase_step: model_.rules.parts_are_equal() ? step(w.index()) : exact_step(w.index()); break;
    case Waiter::phase_recv:
      model_.rules.parts_are_equal() ? received(w.index()) : exact_received(w.index());
      break;
    case Waiter::phase_sent: exact_sent(w.index()); break;
    case Waiter::empty_job: end_job(npu, w.index()); break;
    case Waiter::bus: bus_->fire(w.index()); break;
    case Waiter::custom_launch: customs_.begin_work(w.index()); break;
    case Waiter::custom_op:
      if (const std::uint32_t s = customs_.complete(w.index()); s != 0) end_phase(s - 1);
      break;
    default: break;
  }
}

template <class Observer>
void SystemLayer<Observer>::arrive(typename Messages<Observer>::ForStream to) {
  const std::uint32_t s = to.stream;
  Stream& st = stream(s);
  const bool taken = come(st, to.spot);
  const Waiter receiver{taken ? Waiter::phase_recv : Waiter::nobody, s};
  observer_.tells_receiver({}, st.npu, receiver);
  if (!taken) return;
  observer_.fires(receiver);
  observer_.acts([&] { return actor(st.npu, st.job); });
  model_.rules.parts_are_equal() ? received(s) : exact_received(s);
}

template <class Observer>
void SystemLayer<Observer>::send_last(std::uint32_t s) {
  if constexpr (Observer::is_reduced) observer_.sends_last(s);
  messages_.come_last(s, stream(s).arrives - queue_.now());
}

template class SystemLayer<NoObserver>;
template class SystemLayer<OrderObserver>;
template class SystemLayer<Causes>;
template class SystemLayer<OrderedCauses>;

}  // namespace convert
