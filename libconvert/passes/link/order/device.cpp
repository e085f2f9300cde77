// SPDX-License-Identifier: MIT
#include <algorithm>

#include "passes/link/order/finder.h"

namespace convert {

void OrderFinder::on_call(std::uint32_t thread, std::uint32_t index, std::int64_t time_ns) {
  Thread& t = threads_[thread];
  const Profile::Call& call = device_->calls[index];
  const auto launched = launches_.of_call(index);
  if (!launched.empty()) {
    (void)anchor(thread, time_ns);
    const bool shared = launches_.is_shared(*device_, index);
    for (const std::uint32_t d : launched) {
      const Profile::DeviceOp& op = device_->device_ops[d];
      if (shared && d != launched.front())
        report_.add(Unmatched::launch_shared, static_cast<std::uint64_t>(op.correlation), device_->name(op));
      if (op.start_ns < call.start_ns - tolerance_ns)
        report_.add(Unmatched::kernel_before_launch, static_cast<std::uint64_t>(op.correlation), device_->name(op));
      launch(thread, d, call.start_ns, t.open.empty() ? no_index : t.open.back());
      ++report_.launched_by_correlation;
    }
    if (launches_.blocks(*device_, index) && !wait_for(t, launched.back(), time_ns, call.end_ns()))
      unresolved(index);
    return;
  }
  switch (call.kind) {
    case CallKind::event_record: records_.try_emplace(call.correlation, moment(thread, call)); break;
    case CallKind::stream_wait: wait_stream(thread, index); break;
    case CallKind::stream_sync:
    case CallKind::event_sync:
    case CallKind::device_sync:
      cut(thread, time_ns);
      if (!synchronise(thread, call)) unresolved(index);
      break;
    default: break;
  }
}

void OrderFinder::launch(std::uint32_t thread, std::uint32_t operation, std::int64_t call_ns,
                         std::uint32_t caller) {
  const Thread& t = threads_[thread];
  Operation& o = operations_[operation];
  o.launch = streams_.launch(operation, thread, call_ns);
  o.after = t.last;
  o.caller = caller;
  o.call_ns = call_ns;
  o.ready_ns = t.since_ns;
  o.parts = comm_calls_.launch(t.open, thread, operation, launches_.call_of(operation) != no_index);
  const std::uint32_t stream = streams_.of(operation);
  emit_ready(streams_[stream], stream);
}

// Adds the nodes of operations by begin. An operation whose launch has not been visited yet holds back later ones.
void OrderFinder::emit_ready(Streams::Stream& stream, std::uint32_t number) {
  while (stream.next < stream.operations.size() && operations_[stream.operations[stream.next]].launch != 0)
    emit(stream.operations[stream.next++], stream, number);
}

// Collects in waits_ the dependencies of an operation other than its launch. Returns the time when all have ended.
std::int64_t OrderFinder::find_waits(std::uint32_t operation, Streams::Stream& stream) {
  const auto& all = device_->device_ops;
  const Operation& o = operations_[operation];
  std::int64_t ready = 0;
  waits_.clear();
  const auto add = [&](std::uint32_t other, DepRule rule) {
    for (std::uint32_t p = 0; p < operations_[other].nodes(); ++p)
      waits_.push_back({operations_[other].node + p, rule});
    ready = std::max(ready, all[other].end_ns());
  };
  if (stream.last != no_index) add(stream.last, DepRule::stream_order);
  for (; stream.next_wait < stream.waits.size(); ++stream.next_wait) {
    const Streams::Wait& w = stream.waits[stream.next_wait];
    if (w.launches >= o.launch || device_->calls[w.call].start_ns > o.call_ns) break;
    // An operation that ended after this one began is no dependency; clocks of two devices differ a little.
    const Profile::DeviceOp& other = all[w.operation];
    const bool same_device = other.device == all[operation].device;
    const std::int64_t tolerance = same_device ? rounding_ns() : tolerance_ns;
    if (operations_[w.operation].node != no_index && other.end_ns() - tolerance <= all[operation].start_ns) {
      add(w.operation, DepRule::event);
    } else {
      unresolved(w.call);
    }
  }
  if (options_.data_deps && o.caller != no_index) {
    storages_.for_each_writer(host_, operators_.all[o.caller].host, [&](std::uint32_t node) {
      const std::int64_t ended = all[nodes_[node].source].end_ns();
      if (ended - rounding_ns() > all[operation].start_ns) return;  // content of another iteration, or a race
      waits_.push_back({node, DepRule::data});
      ready = std::max(ready, ended);
    });
  }
  return ready;
}

void OrderFinder::emit(std::uint32_t operation, Streams::Stream& stream, std::uint32_t number) {
  Operation& o = operations_[operation];
  const Profile::DeviceOp& d = device_->device_ops[operation];
  const std::int64_t ready = find_waits(operation, stream);
  if (stream.last != no_index && d.start_ns < device_->device_ops[stream.last].end_ns() - tolerance_ns)
    report_.add(Unmatched::stream_overlap, static_cast<std::uint64_t>(d.correlation), device_->name(d));
  const std::int64_t delay = std::max<std::int64_t>(d.start_ns - std::max(ready, o.ready_ns), 0);
  report_.start_delay_ns += static_cast<std::uint64_t>(delay);
  const std::uint32_t parts = o.nodes();
  constexpr std::size_t many = 4096;
  if (parts > 1 && waits_.size() * parts > many) {
    (void)nodes_.add(OrderedNode::Kind::join, operation, number, ready);
    for (const OrderedDep& dep : waits_) nodes_.add_dep(dep.node, dep.rule);
    waits_.assign(1, {nodes_.last(), waits_.front().rule});
  }
  o.node = nodes_.next();
  for (std::uint32_t p = 0; p < parts; ++p) {
    OrderedNode& n = nodes_.add(OrderedNode::Kind::device, operation, number, d.start_ns);
    n.duration_ns = d.duration_ns;
    n.start_delay_ns = delay;
    n.caller = o.caller == no_index ? no_index : node_of_[o.caller];
    n.comm = o.parts.count == 0 ? 0 : comm_calls_.part(o.parts.begin + p) + 1;
    nodes_.add_dep(o.after, DepRule::launch);
    for (const OrderedDep& dep : waits_) nodes_.add_dep(dep.node, dep.rule);
  }
  stream.last = operation;
  if (options_.data_deps && o.caller != no_index) storages_.write(host_, operators_.all[o.caller].host, o.node);
}

const Profile::Sync* OrderFinder::sync_of(const Profile::Call& call) const {
  const std::uint32_t found = syncs_->find(call.correlation);
  return found == IdLookup::none ? nullptr : &device_->syncs[found];
}

// Returns the operation after which an event was recorded.
std::uint32_t OrderFinder::recorded(const Profile::Sync& sync, const Streams::Moment& now) const {
  if (sync.wait_on_stream < 0) return no_index;
  const std::uint32_t stream = streams_.find(sync.device, sync.wait_on_stream);
  if (stream == no_index) return no_index;
  const auto record = records_.find(sync.record_correlation);
  return streams_.last_launched(stream, record == records_.end() ? now : record->second);
}

void OrderFinder::wait_stream(std::uint32_t thread, std::uint32_t call) {
  const Profile::Sync* sync = sync_of(device_->calls[call]);
  if (sync == nullptr || sync->wait_on_stream < 0) return unresolved(call);
  const std::uint32_t operation = recorded(*sync, moment(thread, device_->calls[call]));
  const std::uint32_t stream = streams_.find(sync->device, sync->stream);
  // If the profiler names the streams, a missing operation or waiting stream means that there is no wait.
  if (operation == no_index || stream == no_index) return;
  streams_[stream].waits.push_back({streams_.launches(), operation, call});
}

bool OrderFinder::synchronise(std::uint32_t thread, const Profile::Call& call) {
  Thread& t = threads_[thread];
  const Profile::Sync* sync = sync_of(call);
  const Streams::Moment now = moment(thread, call);
  const std::int64_t begin = call.start_ns, end = call.end_ns();
  if (call.kind == CallKind::device_sync) {
    bool all = true;
    streams_.for_each_launched(now, [&](const Streams::Stream& stream, std::uint32_t last) {
      if (sync != nullptr && stream.device != sync->device) return;
      all = (wait_for(t, last, begin, end) || lasts_past(last, end)) && all;
    });
    return all;
  }
  if (sync != nullptr && call.kind == CallKind::stream_sync && sync->stream >= 0) {
    const std::uint32_t stream = streams_.find(sync->device, sync->stream);
    if (stream == no_index) return true;
    const std::uint32_t last = streams_.last_launched(stream, now);
    return wait_for(t, last, begin, end) || lasts_past(last, end);
  }
  if (sync != nullptr && call.kind == CallKind::event_sync && sync->wait_on_stream >= 0)
    return wait_for(t, recorded(*sync, now), begin, end);
  return synchronise_unknown(thread, call);
}

// Returns whether an operation ends so long after a synchronisation with it that its duration must be wrong, and
// reports it.
bool OrderFinder::lasts_past(std::uint32_t operation, std::int64_t returned_ns) {
  constexpr std::int64_t clear_ns = 1'000'000;  // clocks of CPU and device do not differ that much
  const Profile::DeviceOp& d = device_->device_ops[operation];
  if (d.start_ns > returned_ns || d.end_ns() - returned_ns < clear_ns) return false;
  if (past_sync_.insert(operation).second) {
    report_.add(Unmatched::duration_past_sync, static_cast<std::uint64_t>(d.correlation), device_->name(d));
    report_.unmatched_ns[static_cast<std::size_t>(Unmatched::duration_past_sync)] +=
        static_cast<std::uint64_t>(d.duration_ns);
  }
  return true;
}

// If the profiler does not record the target, waits for the operation that ends last within the call. Returns false
// if no operation does.
bool OrderFinder::synchronise_unknown(std::uint32_t thread, const Profile::Call& call) {
  std::uint32_t operation = no_index;
  std::int64_t latest = call.start_ns;
  streams_.for_each_launched(moment(thread, call), [&](const Streams::Stream&, std::uint32_t last) {
    const std::int64_t ended = device_->device_ops[last].end_ns();
    if (ended > latest && ended - rounding_ns() <= call.end_ns()) operation = last, latest = ended;
  });
  return operation != no_index && wait_for(threads_[thread], operation, call.start_ns, call.end_ns());
}

// Makes the thread wait in [from, until] for an operation: a dependency replaces the time that it is blocked.
// Returns false if it cannot have waited for the operation.
bool OrderFinder::wait_for(Thread& t, std::uint32_t operation, std::int64_t from_ns, std::int64_t until_ns) {
  if (operation == no_index) return true;
  const Profile::DeviceOp& d = device_->device_ops[operation];
  const Operation& o = operations_[operation];
  if (o.node == no_index) return false;  // held back by an earlier operation of its stream that is launched later
  // An operation that ends clearly after the wait is no dependency.
  if (d.end_ns() - tolerance_ns > until_ns) return false;
  block(t, std::clamp(d.end_ns(), from_ns, until_ns));
  // An earlier wait for this or a later operation of the stream implies it.
  std::uint32_t& waited = t.waited[streams_.of(operation)];
  const std::uint32_t count = streams_.place(operation) + 1;
  if (count <= waited) return true;
  waited = count;
  for (std::uint32_t p = 0; p < o.nodes(); ++p) t.pending.push_back({o.node + p, DepRule::synchronisation});
  return true;
}

}  // namespace convert
