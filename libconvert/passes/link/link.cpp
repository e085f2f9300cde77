// SPDX-License-Identifier: MIT
#include "passes/link/link.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "passes/link/build.h"
#include "passes/link/operators.h"
#include "passes/link/order/order.h"

namespace convert {
namespace {

// Measures the time of operators, annotations (but ProfilerStep, which frames all) and device operations.
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
  s.operators = match_operators(host, profile, s.report);
  if (profile != nullptr) measure(*profile, s.report);
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
