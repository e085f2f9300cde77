// SPDX-License-Identifier: MIT
#include "passes/link/link.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

#include "core/id_lookup.h"
#include "passes/link/build.h"
#include "passes/link/operators.h"
#include "passes/link/order/order.h"

namespace convert {
namespace {

// Measures the time of operators, annotations (except ProfilerStep, which encloses everything) and device
// operations.
void measure(const Profile& device, LinkReport& report) {
  std::int64_t first = std::numeric_limits<std::int64_t>::max(), last = std::numeric_limits<std::int64_t>::min();
  const auto take = [&](const Profile::Event& e) {
    first = std::min(first, e.start_ns);
    last = std::max(last, e.end_ns());
  };
  for (const Profile::CpuOp& op : device.cpu_ops) {
    if (device.name(op).find("ProfilerStep") == std::string_view::npos) take(op);
  }
  std::vector<std::pair<std::int64_t, std::int64_t>> busy;
  busy.reserve(device.device_ops.size());
  for (const Profile::DeviceOp& op : device.device_ops) {
    take(op);
    busy.emplace_back(op.start_ns, op.end_ns());
    report.device_ns += static_cast<std::uint64_t>(op.duration_ns);
  }
  if (last > first) report.span_ns = static_cast<std::uint64_t>(last - first);
  if (!std::is_sorted(busy.begin(), busy.end())) std::sort(busy.begin(), busy.end());
  std::int64_t until = std::numeric_limits<std::int64_t>::min();
  for (const auto& [begin, end] : busy) {
    if (end > until) report.device_busy_ns += static_cast<std::uint64_t>(end - std::max(begin, until));
    until = std::max(until, end);
  }
}

// Shortens device operations that end after everything else, although the next operation of the stream, from
// another launch, begins and ends earlier. Streams run in order, so such a duration is wrong.
void cut_durations(Profile& device, LinkReport& report) {
  auto& operations = device.device_ops;
  std::int64_t host_end = std::numeric_limits<std::int64_t>::min();
  for (const Profile::CpuOp& op : device.cpu_ops) host_end = std::max(host_end, op.end_ns());
  for (const Profile::Call& call : device.calls) host_end = std::max(host_end, call.end_ns());
  std::vector<std::uint32_t> by_end(operations.size());
  std::iota(by_end.begin(), by_end.end(), 0U);
  const auto ends_before = [&](std::uint32_t a, std::uint32_t b) {
    return operations[a].end_ns() < operations[b].end_ns();
  };
  std::make_heap(by_end.begin(), by_end.end(), ends_before);
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<std::uint32_t>> streams;  // each by begin
  const auto begin_of = [&](std::uint32_t i) { return operations[i].start_ns; };
  const auto next_of = [&](const Profile::DeviceOp& op) -> const Profile::DeviceOp* {
    std::vector<std::uint32_t>& stream = streams[{op.device, op.stream}];
    if (stream.empty()) {
      for (std::uint32_t i = 0; i < operations.size(); ++i) {
        if (operations[i].device == op.device && operations[i].stream == op.stream) stream.push_back(i);
      }
      std::ranges::stable_sort(stream, {}, begin_of);
    }
    const auto next = std::ranges::upper_bound(stream, op.start_ns, {}, begin_of);
    return next == stream.end() || operations[*next].correlation == op.correlation ? nullptr : &operations[*next];
  };
  for (; !by_end.empty(); by_end.pop_back()) {
    std::pop_heap(by_end.begin(), by_end.end(), ends_before);
    Profile::DeviceOp& last = operations[by_end.back()];
    if (last.end_ns() <= host_end || by_end.size() == 1 || last.end_ns() == operations[by_end.front()].end_ns())
      return;
    const Profile::DeviceOp* const next = next_of(last);
    if (next == nullptr || next->end_ns() >= last.end_ns()) return;
    last.duration_ns = next->start_ns - last.start_ns;
    report.add(Unmatched::duration_impossible, static_cast<std::uint64_t>(last.correlation), device.name(last));
  }
}

// Reports launches of kernels without a device operation. Launches into a graph that is being captured have no
// operation.
void report_idle_launches(const Profile& device, LinkReport& report) {
  const IdLookup operations(device.device_ops.size(),
                            [&](std::size_t i) { return Profile::given(device.device_ops[i].correlation); });
  std::vector<std::pair<std::int64_t, bool>> captures;  // begins and ends, by time
  for (const Profile::Call& call : device.calls) {
    const std::string_view name = device.name(call);
    if (name.find("BeginCapture") != std::string_view::npos) captures.emplace_back(call.start_ns, true);
    if (name.find("EndCapture") != std::string_view::npos) captures.emplace_back(call.start_ns, false);
  }
  std::ranges::sort(captures);
  // The state before the first event is the opposite of the state that it starts.
  const auto captured = [&](std::int64_t ns) {
    const auto next = std::ranges::upper_bound(captures, std::pair(ns, true));
    if (next != captures.begin()) return std::prev(next)->second;
    return next != captures.end() && !next->second;
  };
  for (const Profile::Call& call : device.calls) {
    if (call.correlation < 0 || device.name(call).find("LaunchKernel") == std::string_view::npos) continue;
    if (operations.find(call.correlation) != IdLookup::none || captured(call.start_ns)) continue;
    report.add(Unmatched::launch_without_operation, static_cast<std::uint64_t>(call.correlation),
               device.name(call));
  }
}

}  // namespace

struct LinkedRank::State {
  std::optional<Profile> device;
  LinkReport report;
  Operators operators;
  Order order;
  GroupTable groups;
  LinkOptions options;
  std::optional<LinkedNodes> nodes;
};

LinkedRank::LinkedRank(Trace host, std::optional<Profile> device, const std::vector<ProcessGroup>& groups,
                       const LinkOptions& options)
    : state_(new State{std::move(device), {}, {}, {}, GroupTable(groups), options, {}}) {
  State& s = *state_;
  s.report.rank = host.rank;
  s.report.list = options.list_unmatched;
  s.report.host_nodes = host.nodes.nodes.size();
  Profile* const profile = s.device ? &*s.device : nullptr;
  if (profile != nullptr) {
    s.report.profile_events = profile->events;
    s.report.cpu_events = profile->cpu_ops.size();
    s.report.device_events = profile->device_ops.size();
  }
  if (profile != nullptr) cut_durations(*profile, s.report);
  s.operators = match_operators(host, profile, s.report);
  if (profile != nullptr) {
    measure(*profile, s.report);
    report_idle_launches(*profile, s.report);
  }
  const OrderOptions order_options{.keep_gaps = options.keep_gaps && profile != nullptr,
                                   .data_deps = options.data_deps,
                                   .announcements = options.metadata_nodes};
  s.order = find_order(host, profile, s.operators, order_options, s.report);
  if (options.reduce) reduce(s.order, s.report);
  s.nodes.emplace(std::move(host), profile, s.operators, s.order, s.groups, s.options, s.report);
}

LinkedRank::~LinkedRank() = default;

void LinkedRank::head(Trace& out) { state_->nodes->head(out); }

bool LinkedRank::next_nodes(Trace& out, std::size_t max_nodes) { return state_->nodes->next(out, max_nodes); }

const LinkReport& LinkedRank::report() const { return state_->report; }

const std::vector<GroupTable::Group>& LinkedRank::groups() const { return state_->groups.all(); }

}  // namespace convert
