// SPDX-License-Identifier: MIT
#include "passes/compat/device.h"

#include <algorithm>
#include <utility>

#include "passes/compat/failure.h"

namespace convert::compat {
namespace {

void check_times(const Profile& profile) {
  if (profile.negative_durations != 0) {
    throw reference_fails(profile.file, {}, "has negative durations", "ValueError");
  }
  const auto check = [&](const Profile::Event& event) {
    if (event.exact_times && event.end_ns() / 1000 <= largest_exact) return;
    throw input_error(
        {.file = profile.file},
        "event " + std::to_string(event.order) +
            " has a time finer than nanoseconds or beyond 285 years, which --compat chakra cannot compute with");
  };
  for (const Profile::CpuOp& op : profile.cpu_ops) check(op);
  for (const Profile::Call& call : profile.calls) check(call);
  for (const Profile::DeviceOp& op : profile.device_ops) check(op);
}

std::int64_t external_id(const Profile::Event& event) {
  return event.usual_external_id ? event.external_id : Profile::none;
}

std::vector<CpuOp> cpu_ops_by_start(const Profile& profile) {
  std::vector<CpuOp> ops;
  ops.reserve(profile.cpu_ops.size());
  for (std::size_t i = 0; i < profile.cpu_ops.size(); ++i) {
    const Profile::CpuOp& op = profile.cpu_ops[i];
    if (!op.usual_category || profile.name(op).find("ProfilerStep") != std::string_view::npos) continue;
    const Number duration = microseconds(op.duration_ns, op.whole_duration);
    ops.push_back({.start = microseconds(op.start_ns, op.whole_start),
                   .duration = duration,
                   .exclusive = duration,
                   .external_id = external_id(op),
                   .rf_id = op.rf_id,
                   .thread = op.thread,
                   .op = static_cast<std::uint32_t>(i)});
  }
  std::vector<double> starts;
  starts.reserve(ops.size());
  for (const CpuOp& op : ops) starts.push_back(op.start.value);
  std::vector<CpuOp> sorted;  // moves each entry only once
  sorted.reserve(ops.size());
  for (const std::uint32_t i : order_by_start(starts)) sorted.push_back(ops[i]);
  return sorted;
}

}  // namespace

std::vector<std::uint32_t> order_by_start(const std::vector<double>& starts) {
  std::vector<std::pair<double, std::uint32_t>> keys;
  keys.reserve(starts.size());
  for (const double start : starts) keys.emplace_back(start, static_cast<std::uint32_t>(keys.size()));
  std::ranges::sort(keys);
  std::vector<std::uint32_t> order;
  order.reserve(keys.size());
  for (const auto& key : keys) order.push_back(key.second);
  return order;
}

Threads threads_of(const std::vector<CpuOp>& ops, std::size_t threads) {
  Threads result;
  result.begin.assign(threads, 0);
  result.end.assign(threads, 0);
  result.ops.resize(ops.size());
  for (const CpuOp& op : ops) {
    if (result.end[op.thread]++ == 0) result.order.push_back(op.thread);
  }
  std::uint32_t at = 0;
  for (std::size_t t = 0; t < threads; ++t) {
    result.begin[t] = at;
    at += std::exchange(result.end[t], at);
  }
  for (std::size_t i = 0; i < ops.size(); ++i)
    result.ops[result.end[ops[i].thread]++] = static_cast<std::uint32_t>(i);
  return result;
}

std::span<const DeviceTrace::Launched> DeviceTrace::launched_by(std::int64_t external_id) const {
  const auto id = static_cast<std::uint64_t>(external_id);
  const std::uint32_t begin = first_launched.find(id);
  if (begin == no_index) return {};
  std::uint32_t end = begin;
  while (end < launched.size() && launched[end].external_id == id) ++end;
  return std::span(launched).subspan(begin, end - begin);
}

DeviceTrace read_device_trace(const Profile& profile) {
  check_times(profile);
  std::vector<CpuOp> ops = cpu_ops_by_start(profile);
  const Threads threads = threads_of(ops, profile.threads.size());
  set_exclusive_times(ops, threads, profile);
  set_followed(ops, threads);
  std::vector<DeviceTrace::Launched> launched = match_launches(ops, threads, profile);

  IdLookup by_rf_id(
      ops.size(), [&](std::size_t i) { return Profile::given(ops[i].rf_id); }, IdLookup::Equal::last);
  IdLookup first_launched(launched.size(), [&](std::size_t i) { return std::optional(launched[i].external_id); });
  return {std::move(ops), std::move(launched), std::move(by_rf_id), std::move(first_launched)};
}

}  // namespace convert::compat
