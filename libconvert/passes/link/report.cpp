// SPDX-License-Identifier: MIT
#include "passes/link/report.h"

#include "util/json_writer.h"

namespace convert {

std::string_view unmatched_name(Unmatched kind) {
  static constexpr std::array<std::string_view, unmatched_kinds> names = {
      "host_not_profiled",     "host_outside_profile", "host_name_differs",          "event_without_host",
      "kernel_by_external_id", "kernel_by_time",       "synchronisation_unresolved", "communication_unknown",
      "communication_size",    "communication_peer"};
  return names[static_cast<std::size_t>(kind)];
}

std::string_view unmatched_text(Unmatched kind) {
  static constexpr std::array<std::string_view, unmatched_kinds> texts = {
      "host operators that the profile does not hold",
      "host operators outside the profiled interval",
      "host operators whose event has another name",
      "profiled operators that the host trace does not hold",
      "device operations without a launch, placed by their External id",
      "device operations without a launch, placed by their time",
      "synchronisations of which the profile does not say what they wait for",
      "communication kernels of an unknown collective",
      "communication of unknown size",
      "sends and receives of an unknown peer"};
  return texts[static_cast<std::size_t>(kind)];
}

std::string_view dep_rule_name(DepRule rule) {
  static constexpr std::array<std::string_view, dep_rules> names = {
      "program_order", "launch", "stream_order", "event", "synchronisation", "hand_over", "data"};
  return names[static_cast<std::size_t>(rule)];
}

namespace {

std::string percent(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return "0 %";
  const std::uint64_t tenths = part * 1000 / whole;
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " %";
}

std::string microseconds(std::uint64_t ns) {
  const std::string rest = std::to_string(ns % 1000);
  return std::to_string(ns / 1000) + "." + std::string(3 - rest.size(), '0') + rest + " us";
}

}  // namespace

void append_json(const LinkReport& r, std::string& out) {
  JsonWriter w(out);
  w.begin_object().member("rank", r.rank);
  w.line(2).key("read").begin_object();
  w.member("host_nodes", r.host_nodes).member("profile_events", r.profile_events);
  w.member("cpu_events", r.cpu_events).member("device_events", r.device_events).end_object();
  w.line(2).key("nodes").begin_object();
  w.member("cpu", r.cpu_nodes).member("delay", r.delay_nodes).member("metadata", r.metadata_nodes);
  w.member("kernel", r.kernel_nodes).member("memcpy", r.memcpy_nodes).member("memset", r.memset_nodes).end_object();
  w.line(2).key("matched").begin_object();
  w.member("by_id", r.matched_by_id).member("by_order", r.matched_by_order);
  w.member("by_order_unsure", r.matched_by_order_unsure);
  w.member("launched_by_correlation", r.launched_by_correlation).end_object();
  w.line(2).key("unmatched").begin_object();
  for (std::size_t i = 0; i < unmatched_kinds; ++i)
    w.member(unmatched_name(static_cast<Unmatched>(i)), r.unmatched[i]);
  w.end_object();
  w.line(2).member("duplicate_ids", r.duplicate_ids).member("missing_callers", r.missing_callers);
  w.line(2).key("dependencies").begin_object();
  for (std::size_t i = 0; i < dep_rules; ++i) w.member(dep_rule_name(static_cast<DepRule>(i)), r.deps[i]);
  w.end_object();
  w.line(2).key("time_ns").begin_object();
  w.member("span", r.span_ns).member("cpu_delay", r.cpu_delay_ns).member("blocked", r.blocked_ns);
  w.member("device", r.device_ns).member("device_busy", r.device_busy_ns).member("start_delay", r.start_delay_ns);
  w.end_object();
  w.line(2).key("estimated").begin_object().member("kernels", r.estimated_nodes).end_object();
  w.line(2).key("communication").begin_array();
  for (const auto& [key, c] : r.communication) {
    w.line(4).begin_object().member("collective", key.first).member("group", key.second).member("count", c.count);
    w.member("bytes", c.bytes).member("ns", c.nanoseconds).end_object();
  }
  w.end_array();
  if (r.list) {
    w.line(2).key("unmatched_list").begin_array();
    for (const LinkReport::Item& item : r.items) {
      w.line(4).begin_object().member("reason", unmatched_name(item.kind)).member("id", item.id);
      w.member("name", item.name).end_object();
    }
    w.end_array();
  }
  w.line(1).end_object();
}

std::vector<std::string> summary(const LinkReport& r) {
  const auto n = [](std::uint64_t value) { return std::to_string(value); };
  std::vector<std::string> lines;
  lines.push_back(n(r.host_nodes) + " host nodes, " + n(r.device_events) + " device operations, " +
                  n(r.cpu_events) + " profiled operators → " + n(r.cpu_nodes + r.metadata_nodes) + " operators, " +
                  n(r.delay_nodes) + " delays, " + n(r.kernel_nodes) + " kernels, " + n(r.memcpy_nodes) +
                  " copies, " + n(r.memset_nodes) + " fills");
  lines.push_back("matched " + n(r.matched_by_id) + " operators by id, " +
                  n(r.matched_by_order + r.matched_by_order_unsure) + " by order (" + n(r.matched_by_order_unsure) +
                  " unsure), " + n(r.launched_by_correlation) + " device operations by correlation");
  for (std::size_t i = 0; i < unmatched_kinds; ++i) {
    if (r.unmatched[i] != 0)
      lines.push_back(n(r.unmatched[i]) + " " + std::string(unmatched_text(static_cast<Unmatched>(i))));
  }
  if (r.span_ns != 0) {
    lines.push_back("span " + microseconds(r.span_ns) + ", device busy " + percent(r.device_busy_ns, r.span_ns) +
                    " (" + microseconds(r.device_busy_ns) + "), " + n(r.estimated_nodes) +
                    " kernels with estimated operations");
  }
  for (const auto& [key, c] : r.communication) {
    lines.push_back(key.first + " of group " + key.second + ": " + n(c.count) + ", " + n(c.bytes) + " bytes, " +
                    microseconds(c.nanoseconds));
  }
  return lines;
}

}  // namespace convert
