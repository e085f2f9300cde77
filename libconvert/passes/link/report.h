// SPDX-License-Identifier: MIT
// Reports the results of linking: counts of linked and unlinked items by kind and reason, and the operations
// concerned.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace convert {

// Reason why an item has no partner, or was placed without an id.
enum class Unmatched : std::uint8_t {
  host_not_profiled,      // host operator without an event: no event has its id
  host_outside_profile,   // …: its id is outside the profiled ids
  no_host_profiled,       // …: the profile contains no operator of the host trace
  host_name_differs,      // …: the event with its id has another name
  host_id_repeated,       // host node with the id of an earlier one
  caller_missing,         // host node whose caller is missing from the trace
  caller_later,           // …: follows it, or calls it in a cycle
  event_without_host,     // profiled operator missing from the host trace
  kernel_by_external_id,  // device operation whose call was not profiled, placed by its External id
  kernel_by_time,         // …: placed only by its time
  launch_shared,          // device operation with the launch of an earlier one, though the call launches one only
  launch_without_operation,    // call that launches a kernel missing from the profile
  kernel_before_launch,        // device operation that begins before the call that launched it
  duration_impossible,         // … that ends after all events, including later operations of its stream
  duration_past_sync,          // … that ends clearly after the return of a synchronisation with it
  stream_overlap,              // … that begins before the previous one on its stream ends
  synchronisation_unresolved,  // synchronisation whose target is unknown
  communication_unknown,       // device operation of an unknown collective
  communication_size,          // … of unknown size
  communication_peer,          // send or receive with an unknown peer
  communication_peer_assumed,  // … in a group of unknown ranks, assumed to be consecutive
  communication_group,         // collective of an unknown group, assumed to be the group of all ranks
  communication_kernel,        // call of a backend with kernels, but without a kernel; it takes the time of the CPU
  communication_missing,       // operator that calls a collective whose communication is missing from the profile
  count_
};
inline constexpr auto unmatched_kinds = static_cast<std::size_t>(Unmatched::count_);
struct UnmatchedInfo {
  std::string_view name;  // "host_outside_profile"
  std::string_view text;  // "host operators outside the profiled interval"
  bool of_host = false;   // about the host trace, else about the device trace
  // users should look at it; otherwise it is usual if a profiler ran for part of the program
  bool warned = false;
};
// Returns the name and the text of a reason, the file that it concerns, and whether to warn about it.
[[nodiscard]] const UnmatchedInfo& unmatched_info(Unmatched kind);

enum class DepRule : std::uint8_t {
  program_order,
  launch,
  stream_order,
  event,            // recorded on one stream, waited for by another
  synchronisation,  // stream, device, event synchronisation and blocking copies
  hand_over,        // from thread to thread
  data,
  count_
};
inline constexpr auto dep_rule_kinds = static_cast<std::size_t>(DepRule::count_);
[[nodiscard]] std::string_view dep_rule_name(DepRule rule);  // "program_order"

struct LinkReport {
  struct Item {
    static constexpr auto no_id = static_cast<std::uint64_t>(-1);
    Unmatched kind{};
    std::uint64_t id = no_id;  // of the host node, or the External id or correlation of the event
    std::string name;
  };
  struct Communication {
    std::uint64_t count = 0;
    std::uint64_t bytes = 0;
    std::uint64_t nanoseconds = 0;
  };

  struct Range {
    std::int64_t low = std::numeric_limits<std::int64_t>::max();
    std::int64_t high = std::numeric_limits<std::int64_t>::min();
    void add(std::int64_t value) {
      low = std::min(low, value);
      high = std::max(high, value);
    }
    [[nodiscard]] bool empty() const { return low > high; }
    [[nodiscard]] bool holds(std::int64_t value) const { return low <= value && value <= high; }
    // Returns whether the ranges share at most an eighth of the shorter one, as the last operators of a step may
    // have the number that the next step begins with. Returns false if one is empty.
    [[nodiscard]] bool apart(const Range& other) const {
      if (empty() || other.empty()) return false;
      const auto length = [](std::int64_t from, std::int64_t to) {
        return from > to ? 0.0 : static_cast<double>(to) - static_cast<double>(from) + 1;
      };
      const double shared = length(std::max(low, other.low), std::min(high, other.high));
      return 8 * shared <= std::min(length(low, high), length(other.low, other.high));
    }
  };
  // Evidence that the profile covers another step than the host trace, or lacks that step, with the numbers of
  // both.
  struct AnotherStep {
    bool by_sequence = true;  // the numbers are sequence numbers; else ids of record functions
    Range host;
    // one range with all numbers of the profile; or the ranges below and above the host's
    std::vector<Range> profile;
    std::uint64_t within = 0;  // number of profile numbers in `host`
  };
  // Counts of agreements between the two files.
  struct Evidence {
    std::uint64_t operators = 0;      // of the host trace
    std::uint64_t with_id = 0;        // operators with an id of a record function, in the file with fewer
    std::uint64_t agree_by_id = 0;    // … with the same name and sequence number in both
    std::uint64_t with_sequence = 0;  // operators with a sequence number, in the file with fewer
    // operators whose name, number and role occur equally often in both; if ids hold, only operators without a
    // partner by id
    std::uint64_t agree_by_sequence = 0;
    Range profile_ids, host_sequences;
    std::uint64_t places = 1;  // places of the profile that fit a thread of the host trace equally well
    std::optional<AnotherStep> another_step;  // nothing agrees, and the number ranges do not overlap

    [[nodiscard]] std::uint64_t comparable() const { return std::max(with_id, with_sequence); }
    [[nodiscard]] std::uint64_t agreeing() const {
      const bool by_id = 2 * agree_by_id >= with_id;
      return std::min(comparable(), agree_by_sequence + (by_id ? agree_by_id : 0));
    }
  };
  // Numbers of operators of the host trace, without announcements of process groups: all, and the ones with an
  // event. Operators before the first and after the last one with an event are counted by node id, as ids count the
  // begins.
  struct Coverage {
    std::uint64_t operators = 0;
    std::uint64_t with_event = 0;
    std::uint64_t before = 0, behind = 0;
    Range before_nodes, behind_nodes;
    std::uint64_t numbered = 0;  // operators with a sequence number, from the first to the last one with an event
    std::uint64_t agreeing = 0;  // … whose event has the same number
    // From the first to the last operator of each thread in both files, without annotations that have no partner.
    std::uint64_t inside = 0, inside_without = 0;  // operators of the host trace; operators without an event
    // operators of the profile; operators missing from the host trace
    std::uint64_t profiled_inside = 0, foreign = 0;
  };
  // Time observed by the host trace, in ns since the profile's first event, and the numbers of omitted events.
  struct Window {
    std::int64_t begin_ns = 0, end_ns = 0;
    std::int64_t profile_ns = 0;  // from the first to the last event
    std::uint64_t cpu_events = 0, calls = 0, device_events = 0;
  };

  std::uint32_t rank = 0;
  std::uint64_t host_nodes = 0;      // in the host trace
  std::uint64_t profile_events = 0;  // in the profile, of all categories
  std::uint64_t cpu_events = 0;      // operators and annotations
  std::uint64_t device_events = 0;   // kernels, copies and fills
  std::uint64_t matched_by_id = 0;
  std::uint64_t matched_by_anchor = 0;        // by name, sequence number and role
  std::uint64_t matched_by_order = 0;         // equally many with a name on both sides, between two known pairs
  std::uint64_t matched_by_order_unsure = 0;  // more with a name on one side
  Evidence evidence;
  Coverage coverage;
  std::optional<Window> window;  // nullopt: the whole profile was observed
  std::uint64_t launched_by_correlation = 0;
  std::uint64_t cpu_nodes = 0, delay_nodes = 0, kernel_nodes = 0, memcpy_nodes = 0, memset_nodes = 0;
  std::uint64_t metadata_nodes = 0;
  std::uint64_t metadata_left_out = 0;  // announcements of process groups without a node
  std::uint64_t estimated_nodes = 0;
  std::array<std::uint64_t, unmatched_kinds> unmatched{};
  std::array<std::uint64_t, unmatched_kinds> unmatched_ns{};  // of communication: time of its device operations
  std::array<Item, unmatched_kinds> first;                    // of each kind
  std::array<std::uint64_t, dep_rule_kinds> deps{};
  std::uint64_t span_ns = 0;         // from the first begin to the last end of operators and device operations
  std::uint64_t cpu_delay_ns = 0;    // in delay nodes
  std::uint64_t blocked_ns = 0;      // of CPU threads, expressed by dependencies
  std::uint64_t start_delay_ns = 0;  // of device operations, after all their dependencies
  std::uint64_t device_busy_ns = 0;  // some device operation runs
  std::uint64_t device_ns = 0;       // sum over device operations
  std::map<std::pair<std::string, std::string>, Communication> communication;  // by collective and group
  std::vector<Item> items;  // all unmatched items, if `list` is set
  bool list = false;

  void add(Unmatched kind, std::uint64_t id, std::string_view name) {
    const auto i = static_cast<std::size_t>(kind);
    if (unmatched[i]++ == 0) first[i] = {kind, id, std::string(name)};
    if (list) items.push_back({kind, id, std::string(name)});
  }
};

// Appends one JSON object: counts, times, communication, counts of unmatched items and, if listed, each item.
void append_json(const LinkReport& report, std::string& out);
// Returns "host operators outside the profiled interval: 3; the first is aten::mm (7)"; for communication, with the
// share of `nanoseconds` in the time of all device operations.
[[nodiscard]] std::string unmatched_message(std::uint64_t count, const LinkReport::Item& first,
                                            std::uint64_t nanoseconds = 0, std::uint64_t device_ns = 0);
// Returns a summary of a few lines.
[[nodiscard]] std::vector<std::string> summary(const LinkReport& report);

}  // namespace convert
