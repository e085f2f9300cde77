// SPDX-License-Identifier: MIT
#include "sets/linked/belonging.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <limits>

#include "core/units.h"
#include "formats/pytorch/process_groups.h"

namespace convert {
namespace {

constexpr std::int64_t ns_per_s = 1'000'000'000;

// Parses "2024-06-30 11:23:59" as UTC.
std::optional<std::int64_t> seconds_of(std::string_view text) {
  if (text.size() != 19 || text[4] != '-' || text[7] != '-' || text[13] != ':' || text[16] != ':')
    return std::nullopt;
  const auto number = [&](std::size_t begin, std::size_t size) { return parse_int(text.substr(begin, size)); };
  const auto year = number(0, 4), month = number(5, 2), day = number(8, 2);
  const auto hour = number(11, 2), minute = number(14, 2), second = number(17, 2);
  if (!year || !month || !day || !hour || !minute || !second) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(static_cast<int>(*year)),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_days(date).time_since_epoch().count() * 86'400LL + *hour * 3600 + *minute * 60 + *second;
}

std::string date_of(std::int64_t seconds) {
  const std::chrono::year_month_day date{
      std::chrono::floor<std::chrono::days>(std::chrono::sys_seconds(std::chrono::seconds(seconds)))};
  char text[32];
  (void)std::snprintf(text, sizeof text, "%04d-%02u-%02u", static_cast<int>(date.year()),
                      static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
  return text;
}

// Old profilers count from 1970, current ones from a base in the file.
std::optional<std::int64_t> begin_of(const Profile& device) {
  constexpr std::int64_t year_2001_ns = 1'000'000'000 * ns_per_s;
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  for (const Profile::CpuOp& op : device.cpu_ops) first = std::min(first, op.start_ns);
  if (device.cpu_ops.empty()) return std::nullopt;
  if (device.base_ns > 0) return device.base_ns / ns_per_s + first / ns_per_s;
  return first > year_2001_ns ? std::optional(first / ns_per_s) : std::nullopt;
}

bool pids_differ(const Origins& from) {
  if (!from.host_pid || *from.host_pid == 0 || from.device_pids.empty()) return false;
  return std::none_of(from.device_pids.begin(), from.device_pids.end(),
                      [&](std::int64_t pid) { return static_cast<std::uint64_t>(pid) == *from.host_pid; });
}

bool ranks_differ(const Origins& from) {
  return from.rank && from.device_rank >= 0 && from.device_rank != static_cast<std::int64_t>(*from.rank);
}

// Returns "process 23442 in the host trace and 1734239 in the device trace, …".
std::string differences(const Origins& from) {
  constexpr std::int64_t most_apart_s = std::int64_t{36} * 3600;  // time zones, and a run over midnight
  std::string out;
  const auto add = [&](const std::string& what, const std::string& there, const std::string& here) {
    out +=
        (out.empty() ? "" : ", ") + what + " " + there + " in the host trace and " + here + " in the device trace";
  };
  if (pids_differ(from)) add("process", std::to_string(*from.host_pid), std::to_string(from.device_pids.front()));
  if (ranks_differ(from)) add("rank", std::to_string(*from.rank), std::to_string(from.device_rank));
  if (from.host_time && from.device_time && std::abs(*from.host_time - *from.device_time) > most_apart_s)
    add("date", date_of(*from.host_time), date_of(*from.device_time));
  return out;
}

// Returns "40 of 1604 operators agree by id and name, 630 of 630 by sequence number".
std::string agreement(const LinkReport::Evidence& e) {
  const auto of = [](std::uint64_t part, std::uint64_t all) {
    return std::to_string(std::min(part, all)) + " of " + std::to_string(all);
  };
  if (e.comparable() == 0)
    return "none of " + std::to_string(e.operators) + " operators has an id or sequence number in both";
  std::string out;
  if (e.with_id != 0) out = of(e.agree_by_id, e.with_id) + " operators agree by id and name";
  if (e.with_sequence == 0 || (e.with_id != 0 && 2 * e.agree_by_id >= e.with_id)) return out;
  if (!out.empty()) return out + ", " + of(e.agree_by_sequence, e.with_sequence) + " by name and sequence number";
  return of(e.agree_by_sequence, e.with_sequence) + " operators agree by name and sequence number";
}

std::string range(const LinkReport::Range& r) {
  return r.low == r.high ? std::to_string(r.low) : std::to_string(r.low) + "–" + std::to_string(r.high);
}

// Returns whether the profile, possibly of a part of the host trace, is reliably from the same run.
bool part_agrees(const LinkReport::Coverage& c) { return c.numbered != 0 && 2 * c.agreeing >= c.numbered; }

void check_origin(const Origins& from, const LinkReport& report, bool mismatched, Diagnostics& diagnostics) {
  const LinkReport::Evidence& e = report.evidence;
  const bool few = 2 * e.agreeing() < e.comparable();
  const bool differ = pids_differ(from) || ranks_differ(from);
  const bool refuse = differ && (few || (e.comparable() == 0 && e.operators != 0 && pids_differ(from)));
  const Location where{.file = from.device_file};
  const std::string other = (pids_differ(from) ? "another process than " : "another rank than ") + from.host_file +
                            " (" + differences(from) + "): ";
  if (refuse && !mismatched) {
    throw input_error(where,
                      "is from " + other + agreement(e) +
                          "; pass the two files of one process, or force linking with --mismatched "
                          "(et-convert: -f pytorch,mismatched=yes)",
                      "mismatched");
  }
  if (refuse || pids_differ(from)) {
    diagnostics.warning(where, "mismatched", "is from " + other + agreement(e));
  } else if (few && !e.another_step && 2 * e.agree_by_sequence <= e.with_sequence &&
             !part_agrees(report.coverage)) {
    diagnostics.warning(
        where, "mismatched",
        "few operators match " + from.host_file + ": " + agreement(e) + "; check that the files are from one run");
  }
}

// Without a reliable match, the part of the profile that the host trace observed is unknown.
void check_anchored(const Origins& from, const LinkReport& report, bool mismatched, Diagnostics& diagnostics) {
  const LinkReport::Coverage& c = report.coverage;
  const bool sure = report.matched_by_id + report.matched_by_anchor + report.matched_by_order != 0;
  if (sure || 2 * c.with_event >= c.operators || from.operators + from.calls + from.device_ops == 0) return;
  if (from.operators != 0 && 2 * c.with_event >= from.operators) return;  // the whole profile was observed
  const Location where{.file = from.device_file};
  const std::string message =
      (from.operators == 0 ? "contains no operators (cpu_op): " : "contains other operators: ") +
      std::string("none of the ") + std::to_string(c.operators) + " operators of " + from.host_file +
      " is matched reliably, so it is unknown which of " + counted(from.calls, "call") + " and " +
      counted(from.device_ops, "device operation") + " belong to them";
  if (mismatched) return diagnostics.warning(where, "mismatched", message);
  throw input_error(where,
                    message + "; " +
                        (from.operators == 0 ? "profile with activities=[ProfilerActivity.CPU, …]"
                                             : "pass two files that were recorded together") +
                        ", or link everything with --mismatched (et-convert: -f pytorch,mismatched=yes)",
                    "mismatched");
}

std::string nodes_text(const LinkReport::Range& nodes) {
  return (nodes.low == nodes.high ? "node " : "nodes ") + range(nodes);
}

// Returns whether too many items between matched operators have no partner: more than 5 % and more than three. A
// few are usual: they were running when a recording began, or one recorder does not record them.
bool many_inside(std::uint64_t without, std::uint64_t all) { return without > 3 && 20 * without > all; }

// Operators that the host trace lacks although it was observing: the profile is of another step or run.
void check_foreign(const Origins& from, const LinkReport& report, Diagnostics& diagnostics) {
  const LinkReport::Coverage& c = report.coverage;
  if (!many_inside(c.foreign, c.profiled_inside)) return;
  diagnostics.warning(
      {.file = from.device_file}, "coverage",
      std::to_string(c.foreign) + " of " + std::to_string(c.profiled_inside) +
          " operators between matched operators of their thread have no counterpart in " + from.host_file,
      {"hint: they become nodes without tensors; check that the files belong together and that the observer "
       "recorded the whole time"});
}

// Operators of threads that were not profiled are usual; a step that the profile covers only in part is not.
void check_coverage(const Origins& from, const LinkReport& report, Diagnostics& diagnostics) {
  const LinkReport::Coverage& c = report.coverage;
  const std::uint64_t without = c.operators - c.with_event, ends = c.before + c.behind;
  if (c.with_event == 0) return;
  if (2 * without <= c.operators && 100 * ends <= c.operators && !many_inside(c.inside_without, c.inside)) return;
  std::string parts;
  const auto add = [&](std::uint64_t count, const std::string& place) {
    if (count != 0)
      parts += (parts.empty() ? "" : ", ") + (count == without ? "all" : std::to_string(count)) + ' ' + place;
  };
  add(c.before, "before the first operator with an event (" + nodes_text(c.before_nodes) + ')');
  add(without - ends, "between operators with events");
  add(c.behind, "after the last operator with an event (" + nodes_text(c.behind_nodes) + ')');
  const bool begins_late = 100 * c.before > c.operators, ends_early = 100 * c.behind > c.operators;
  const char* hint =
      begins_late == ends_early
          ? "let the profiler begin before the observed step and end after it, and record all threads"
      : begins_late ? "let the profiler begin before the observed step, and record all threads"
                    : "let the profiler end after the observed step, and record all threads";
  if (100 * ends <= c.operators)
    hint = "check that the files belong together and that all threads were profiled the whole time";
  diagnostics.warning({.file = from.device_file}, "coverage",
                      std::to_string(without) + " of " + std::to_string(c.operators) + " operators of " +
                          from.host_file + " have no event in this trace: " + parts,
                      {std::string("hint: they have no duration; ") + hint});
}

void check_steps(const Origins& from, const LinkReport& report, Diagnostics& diagnostics) {
  const std::optional<LinkReport::AnotherStep>& other = report.evidence.another_step;
  if (!other || report.matched_by_order + report.matched_by_order_unsure == 0) return;
  const bool apart = other->profile.size() == 1 && other->within == 0;
  std::string here;
  for (const LinkReport::Range& r : other->profile) here += (here.empty() ? "" : " and ") + range(r);
  if (other->within != 0) here += " (including " + std::to_string(other->within) + " of the host trace)";
  diagnostics.warning({.file = from.device_file}, "mismatched",
                      (apart ? "is from another step than " : "lacks the step of ") + from.host_file + ": " +
                          (other->by_sequence ? "sequence numbers " : "ids of record functions ") +
                          range(other->host) + " in the host trace, " + here +
                          " in this trace; operators are matched by name and order, and have the times of " +
                          (apart ? "this step" : "another step"));
}

void check_unsure(const Origins& from, const LinkReport& report, Diagnostics& diagnostics) {
  const LinkReport::Evidence& e = report.evidence;
  const std::uint64_t unsure = report.matched_by_order_unsure;
  if (e.places > 1) {
    diagnostics.warning(
        {.file = from.device_file}, "unsure",
        "the contents of " + from.host_file + " match " + std::to_string(e.places) +
            " places here equally well, and no id or sequence number distinguishes them; using the first");
  }
  if (unsure * 100 <= e.operators) return;
  diagnostics.warning({.file = from.device_file}, "unsure",
                      std::to_string(unsure) + " of " + std::to_string(e.operators) + " operators of " +
                          from.host_file + " are matched by order alone, and other events match equally well",
                      {"hint: record ids to distinguish them: pass the observer to the profiler (argument "
                       "execution_trace_observer)"});
}

}  // namespace

Origins origins(const Trace& host, const Profile& device, std::optional<Rank> rank) {
  Origins o{.host_file = host.name,
            .device_file = device.file,
            .host_pid = {},
            .device_pids = device.pids,
            .rank = rank,
            .device_rank = profiled_rank(device),
            .host_time = {},
            .device_time = begin_of(device),
            .operators = {},
            .calls = device.calls.size(),
            .device_ops = device.device_ops.size()};
  o.operators = static_cast<std::uint64_t>(
      std::count_if(device.cpu_ops.begin(), device.cpu_ops.end(), [](const auto& op) { return !op.annotation; }));
  const AttrTable& table = host.metadata.table;
  for (const Attr& a : table.attrs) {
    if (a.name == Name("pid") && a.kind == Kind::uint64_val) o.host_pid = a.bits;
    if (a.name == Name("time") && a.kind == Kind::string_val) o.host_time = seconds_of(table.string(a));
  }
  return o;
}

void check_belonging(const Origins& from, const LinkReport& report, bool mismatched, bool tell_coverage,
                     Diagnostics& diagnostics) {
  check_origin(from, report, mismatched, diagnostics);
  check_anchored(from, report, mismatched, diagnostics);
  check_steps(from, report, diagnostics);
  if (tell_coverage) {
    check_coverage(from, report, diagnostics);
    check_foreign(from, report, diagnostics);
  }
  check_unsure(from, report, diagnostics);
}

}  // namespace convert
