// SPDX-License-Identifier: MIT
#include "passes/link/report.h"

#include "core/units.h"
#include "util/json_writer.h"
#include "util/utf8.h"

namespace convert {

const UnmatchedInfo& unmatched_info(Unmatched kind) {
  static constexpr std::array<UnmatchedInfo, unmatched_kinds> infos = {{
      {"host_not_profiled", "host operators missing from the profile", true, false},
      {"host_outside_profile", "host operators outside the profiled interval", true, false},
      {"no_host_profiled", "host operators, all missing from the profile", true, true},
      {"host_name_differs", "host operators whose event has another name", true, true},
      {"host_id_repeated", "host nodes with the id of an earlier one", true, true},
      {"caller_missing", "host nodes whose caller is not in the trace", true, true},
      {"caller_later", "host nodes whose caller follows them or calls them in a cycle", true, true},
      {"event_without_host", "profiled operators missing from the host trace", false, false},
      {"kernel_by_external_id", "device operations without a launch, placed by their External id", false, true},
      {"kernel_by_time", "device operations without a launch, placed by their time", false, true},
      {"launch_shared", "device operations with the correlation of another one's launch", false, true},
      {"launch_without_operation", "launches of kernels without a device operation", false, true},
      {"kernel_before_launch", "device operations that begin before they are launched", false, true},
      {"duration_impossible",
       "device operations that last beyond all events, shortened to the start of the next one on their stream",
       false, true},
      {"duration_past_sync",
       "device operations that end after a synchronisation with them has returned: their duration is implausible",
       false, true},
      {"stream_overlap",
       "device operations that begin while another one of their stream runs, and are placed after it", false, true},
      {"synchronisation_unresolved", "synchronisations whose target the profile does not record", false, true},
      {"communication_unknown", "device operations of an unknown collective", false, true},
      {"communication_size", "communication of unknown size", false, true},
      {"communication_peer", "sends and receives with an unknown peer", false, true},
      {"communication_peer_assumed",
       "sends and receives in a process group of unknown ranks, assumed to be consecutive", false, true},
      {"communication_group", "collectives of an unknown process group, assumed to be the group of all ranks",
       false, true},
      {"communication_kernel",
       "communication calls without a kernel in the device trace, which take the time of the call on the CPU",
       false, true},
      {"communication_missing",
       "calls of collectives whose communication is missing from the profile; waits for it become CPU delays",
       false, true},
  }};
  return infos[static_cast<std::size_t>(kind)];
}

std::string_view dep_rule_name(DepRule rule) {
  static constexpr std::array<std::string_view, dep_rule_kinds> names = {
      "program_order", "launch", "stream_order", "event", "synchronisation", "hand_over", "data"};
  return names[static_cast<std::size_t>(rule)];
}

namespace {

std::string percent(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return "0 %";
  const std::uint64_t tenths = part * 1000 / whole;
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " %";
}

std::string thousandths(std::uint64_t value, const char* unit) {
  const std::string rest = std::to_string(value % 1000);
  return std::to_string(value / 1000) + "." + std::string(3 - rest.size(), '0') + rest + unit;
}
std::string microseconds(std::uint64_t ns) { return thousandths(ns, " µs"); }
std::string milliseconds(std::int64_t ns) { return thousandths(static_cast<std::uint64_t>(ns) / 1000, " ms"); }

}  // namespace

void append_json(const LinkReport& r, std::string& out) {
  JsonWriter w(out);
  w.begin_object().member("rank", r.rank);
  w.line(2).key("read").begin_object();
  w.member("host_nodes", r.host_nodes).member("profile_events", r.profile_events);
  w.member("cpu_events", r.cpu_events).member("device_events", r.device_events).end_object();
  w.line(2).key("nodes").begin_object();
  w.member("cpu", r.cpu_nodes).member("delay", r.delay_nodes).member("metadata", r.metadata_nodes);
  w.member("kernel", r.kernel_nodes).member("memcpy", r.memcpy_nodes).member("memset", r.memset_nodes);
  w.member("metadata_left_out", r.metadata_left_out).end_object();
  w.line(2).key("matched").begin_object();
  w.member("by_id", r.matched_by_id).member("by_anchor", r.matched_by_anchor);
  w.member("by_order", r.matched_by_order).member("by_order_unsure", r.matched_by_order_unsure);
  w.member("launched_by_correlation", r.launched_by_correlation).end_object();
  if (r.window) {
    w.line(2).key("window").begin_object();
    w.member("begin_ns", r.window->begin_ns).member("end_ns", r.window->end_ns);
    w.member("profile_ns", r.window->profile_ns).key("left_out").begin_object();
    w.member("cpu_events", r.window->cpu_events).member("calls", r.window->calls);
    w.member("device_events", r.window->device_events).end_object().end_object();
  }
  w.line(2).key("unmatched").begin_object();
  for (std::size_t i = 0; i < unmatched_kinds; ++i)
    w.member(unmatched_info(static_cast<Unmatched>(i)).name, r.unmatched[i]);
  w.end_object();
  w.line(2).key("dependencies").begin_object();
  for (std::size_t i = 0; i < dep_rule_kinds; ++i) w.member(dep_rule_name(static_cast<DepRule>(i)), r.deps[i]);
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
      w.line(4).begin_object().member("reason", unmatched_info(item.kind).name);
      if (item.id != LinkReport::Item::no_id) w.member("id", item.id);
      w.member("name", item.name).end_object();
    }
    w.end_array();
  }
  w.line(1).end_object();
}

std::string unmatched_message(std::uint64_t count, const LinkReport::Item& first, std::uint64_t nanoseconds,
                              std::uint64_t device_ns) {
  std::string out = std::string(unmatched_info(first.kind).text) + ": " + std::to_string(count);
  if (nanoseconds != 0) out += ", " + percent(nanoseconds, device_ns) + " of the time of device operations";
  out += (nanoseconds == 0 && count == 1 ? ", " : "; the first is ") + cut_text(first.name, 60);
  if (first.id != LinkReport::Item::no_id) out += " (" + std::to_string(first.id) + ")";
  return out;
}

std::vector<std::string> summary(const LinkReport& r) {
  const auto n = [](std::uint64_t value) { return std::to_string(value); };
  std::vector<std::string> lines;
  lines.push_back(counted(r.host_nodes, "host node") + ", " + counted(r.device_events, "device operation") + ", " +
                  counted(r.cpu_events, "profiled operator") + " → " +
                  counted(r.cpu_nodes + r.metadata_nodes, "operator") + ", " + counted(r.delay_nodes, "delay") +
                  ", " + counted(r.kernel_nodes, "kernel") + ", " + n(r.memcpy_nodes) +
                  (r.memcpy_nodes == 1 ? " copy, " : " copies, ") + counted(r.memset_nodes, "fill"));
  if (r.metadata_left_out != 0) {
    lines.push_back(counted(r.metadata_left_out, "METADATA node") +
                    " (announcements of process groups) omitted; use --metadata-nodes keep to keep these");
  }
  if (r.window) {
    lines.push_back("observed from " + milliseconds(r.window->begin_ns) + " to " + milliseconds(r.window->end_ns) +
                    " of the profile's " + milliseconds(r.window->profile_ns) +
                    "; omitted outside: " + counted(r.window->cpu_events, "profiled operator") + ", " +
                    counted(r.window->calls, "call") + ", " + counted(r.window->device_events, "device operation"));
  }
  const std::string by_anchor = r.matched_by_anchor == 0 ? "" : n(r.matched_by_anchor) + " by sequence number, ";
  lines.push_back("matched " + counted(r.matched_by_id, "operator") + " by id, " + by_anchor +
                  n(r.matched_by_order + r.matched_by_order_unsure) + " by order (" + n(r.matched_by_order_unsure) +
                  " uncertain), " + counted(r.launched_by_correlation, "device operation") + " by correlation");
  for (std::size_t i = 0; i < unmatched_kinds; ++i) {
    if (r.unmatched[i] != 0)
      lines.push_back(unmatched_message(r.unmatched[i], r.first[i], r.unmatched_ns[i], r.device_ns));
  }
  if (r.span_ns != 0) {
    lines.push_back("span " + microseconds(r.span_ns) + ", device busy " + percent(r.device_busy_ns, r.span_ns) +
                    " (" + microseconds(r.device_busy_ns) + "), " + counted(r.estimated_nodes, "kernel") +
                    " with estimated operations");
  }
  for (const auto& [key, c] : r.communication) {
    lines.push_back(key.first + " of group " + key.second + ": " + n(c.count) + ", " + n(c.bytes) + " bytes, " +
                    microseconds(c.nanoseconds));
  }
  return lines;
}

}  // namespace convert
