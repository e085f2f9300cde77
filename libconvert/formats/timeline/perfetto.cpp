// SPDX-License-Identifier: MIT
// Format perfetto, write only: Perfetto's protobuf trace, which ui.perfetto.dev and trace_processor open.
#include <algorithm>
#include <array>
#include <deque>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/units.h"
#include "formats/format.h"
#include "formats/timeline/align.h"
#include "formats/timeline/counters.h"
#include "formats/timeline/moment.h"
#include "formats/timeline/part.h"
#include "formats/timeline/perfetto_fields.h"
#include "formats/timeline/proto_writer.h"
#include "formats/timeline/run_names.h"
#include "formats/timeline/tracks.h"
#include "util/utf8.h"

namespace convert {
namespace {

using namespace perfetto;

constexpr std::size_t perfetto_flush_bytes = 1 << 16;

// Annotations, numbered from 1.
enum Argument : std::uint8_t { node = 1, bytes, peer, rest, count, sum };
constexpr std::array<std::string_view, 6> argument_names = {"node", "bytes", "peer", "rest_ps", "count", "sum_ps"};

std::uint64_t nanoseconds(Picoseconds ps) {
  return ps <= 0 ? 0 : (static_cast<std::uint64_t>(ps) + ps_per_ns / 2) / ps_per_ns;
}

// Time span of a slice in ns, the unit of the file.
struct Nanoseconds {
  std::uint64_t begin;
  std::uint64_t end;
};
// Returns the slice with its duration rounded down to whole ns (Argument::rest has the remainder). It starts at the
// begin, or for a receive stops at the end, rounded half up. Thus slices that did not overlap still do not overlap,
// and a receive does not end before the send of its arrow.
Nanoseconds in_nanoseconds(const Slice& s) {
  const std::uint64_t begin = nanoseconds(s.begin_ps);
  const std::uint64_t end = nanoseconds(s.end_ps);
  const auto whole = static_cast<std::uint64_t>(s.end_ps - s.begin_ps) / ps_per_ns;
  return s.lane == Lane::recv ? Nanoseconds(end - std::min(whole, end), end) : Nanoseconds(begin, begin + whole);
}

// Returns text that is valid in a protobuf string.
std::string utf8(std::string_view text) {
  std::string out;
  for (std::size_t bad = find_invalid_utf8(text); bad != std::string_view::npos; bad = find_invalid_utf8(text)) {
    out += text.substr(0, bad);
    out += "\xEF\xBF\xBD";
    text.remove_prefix(bad + 1);
  }
  return out += text;
}

// Value of a counter from a time on.
struct Value {
  std::uint64_t time;
  std::uint64_t track;
  std::int64_t value;
};

// Process of a rank.
struct Process {
  Rank rank = 0;
  std::uint64_t uuid = 0;
  std::uint64_t in_flight_track = 0;  // 0: none
  std::int64_t in_flight = 0;
  bool changed = false;
};

struct Part {
  explicit Part(const Run& run, const PartOptions& options, Picoseconds delay) : shown(run, options, delay) {}
  ShownRun shown;
  Tracks tracks;
  std::uint64_t first_slice = 0;
  std::vector<std::uint64_t> track_uuids;
  std::vector<Process> processes;            // by rank
  std::vector<std::uint32_t> track_process;  // by track: index into processes
  std::vector<std::uint32_t> name_ids;       // by name; 0: not written yet
};

class PerfettoWriter {
 public:
  PerfettoWriter(std::span<const Run> runs, const FormatOptions& options, Output& out)
      : options_(part_options(options)), counters_(counter_options(options)), titles_(run_titles(runs)), out_(out) {
    check_part(runs, options_);
    const std::vector<Picoseconds> delays = delays_of(runs, options_.align);
    for (std::size_t i = 0; i < runs.size(); ++i) {
      Part& part = parts_.emplace_back(runs[i], options_, delays[i]);
      part.first_slice = slices_;
      slices_ += part.shown.slices().size();
    }
  }

  void write() {
    head();
    for (std::size_t i = 0; i < parts_.size(); ++i) describe(parts_[i], i);
    std::ranges::sort(values_, [](const Value& a, const Value& b) {
      return std::pair(a.time, a.track) < std::pair(b.time, b.track);
    });
    events();
    flush(0);
  }

 private:
  // ---- packets ----

  void head() {
    PerfettoMessage data;
    const auto intern = [&](std::uint32_t list, std::size_t number, std::string_view text) {
      data.message(list, PerfettoMessage().number(interned::iid, number + 1).text(interned::text, text));
    };
    for (std::size_t i = 0; i < argument_names.size(); ++i) intern(interned::annotations, i, argument_names[i]);
    const PerfettoMessage boot =
        PerfettoMessage().number(packet::clock_id, packet::boot_clock).number(packet::clock_time, 0);
    const PerfettoMessage own = PerfettoMessage()
                                    .number(packet::clock_id, packet::own_clock)
                                    .number(packet::clock_time, 0)
                                    .number(packet::clock_incremental, 1);
    PerfettoMessage first;
    first
        .message(packet::clock_snapshot,
                 PerfettoMessage().message(packet::snapshot_clocks, boot).message(packet::snapshot_clocks, own))
        .number(packet::sequence_id, 1)
        .message(packet::interned_data, data)
        .number(packet::sequence_flags, packet::state_cleared | packet::needs_state)
        .message(packet::defaults, PerfettoMessage().number(packet::defaults_clock, packet::own_clock));
    file_.message(trace_packet, first);
    track(PerfettoMessage()
              .number(descriptor::uuid, 0)
              .number(descriptor::processes_order, descriptor::explicit_processes));
  }

  void track(const PerfettoMessage& description) {
    file_.message(trace_packet,
                  PerfettoMessage().number(packet::sequence_id, 1).message(packet::track_descriptor, description));
    flush(perfetto_flush_bytes);
  }

  // Writes event_ and the names it uses for the first time. Omits the flag needs_state, which the first packet has:
  // it matters only to readers that may have lost packets.
  void write_event(std::uint64_t time) {
    packet_.clear();
    packet_.number(packet::timestamp, time - last_time_)
        .number(packet::sequence_id, 1)
        .message(packet::track_event, event_);
    if (!new_names_.empty()) packet_.message(packet::interned_data, new_names_);
    file_.message(trace_packet, packet_);
    last_time_ = time;
    new_names_.clear();
    flush(perfetto_flush_bytes);
  }

  void flush(std::size_t from) {
    if (file_.bytes().size() <= from) return;
    out_.write(file_.bytes());
    file_.clear();
  }

  // ---- tracks ----

  void describe(Part& part, std::size_t run) {
    const bool memory = counters_.npus && !part.shown.run().memory.empty();
    part.tracks = place_on_tracks(part.shown.slices());
    part.tracks.order = {};
    part.name_ids.resize(part.shown.names());
    std::uint64_t place = 0;  // position among the tracks of a process
    for (const Track& t : part.tracks.tracks) {
      if (part.processes.empty() || part.processes.back().rank != t.rank) {
        add_process(part, run, t.rank);
        place = 0;
      }
      part.track_process.push_back(static_cast<std::uint32_t>(part.processes.size() - 1));
      part.track_uuids.push_back(next_uuid_++);
      track(PerfettoMessage()
                .number(descriptor::uuid, part.track_uuids.back())
                .text(descriptor::name, track_name(t))
                .number(descriptor::parent, part.processes.back().uuid)
                .number(descriptor::place, place++));
      if (t.sends && counters_.npus && part.processes.back().in_flight_track == 0)
        part.processes.back().in_flight_track = counter("bytes in flight", part.processes.back().uuid, true);
    }
    if (memory) add_memory(part);
    add_links(part, run);
  }

  void add_process(Part& part, std::size_t run, Rank rank) {
    Process& process = part.processes.emplace_back();
    process.rank = rank;
    process.uuid = next_uuid_++;
    const PerfettoMessage about = PerfettoMessage()
                                      .number(descriptor::pid, ++pid_)
                                      .text(descriptor::process_name, utf8(process_name(run, rank)));
    track(PerfettoMessage()
              .number(descriptor::uuid, process.uuid)
              .message(descriptor::process, about)
              .number(descriptor::children_order, descriptor::explicit_children)
              .number(descriptor::place, process_place(run, rank)));
  }

  [[nodiscard]] std::string process_name(std::size_t run, Rank rank) const {
    const std::uint32_t alike = parts_[run].shown.alike(rank);
    return (parts_.size() == 1 ? "" : titles_[run] + ": ") + "NPU " + std::to_string(rank) +
           (alike == 0 ? "" : " (+ " + std::to_string(alike) + " like it)");
  }
  // The processes of the same NPU in all runs are adjacent.
  [[nodiscard]] std::uint64_t process_place(std::size_t run, Rank rank) const {
    return std::uint64_t{rank} * parts_.size() + run;
  }

  // Returns the track of a new counter, in bytes or percent.
  std::uint64_t counter(std::string_view name, std::uint64_t parent, bool is_bytes) {
    PerfettoMessage unit;
    if (is_bytes) {
      unit.number(descriptor::counter_unit, descriptor::bytes);
    } else {
      unit.text(descriptor::counter_unit_name, "%");
    }
    track(PerfettoMessage()
              .number(descriptor::uuid, next_uuid_)
              .text(descriptor::name, utf8(name))
              .number(descriptor::parent, parent)
              .message(descriptor::counter, unit)
              .number(descriptor::place, 1U << 20U));  // after all lanes
    return next_uuid_++;
  }

  void add_memory(Part& part) {
    std::uint64_t track = 0;
    const Process* process = nullptr;
    for (const Run::Memory& m : part.shown.run().memory) {
      if (process == nullptr || process->rank != m.npu) {
        const auto at = std::ranges::lower_bound(part.processes, m.npu, {}, &Process::rank);
        if (at == part.processes.end() || at->rank != m.npu) continue;  // not shown
        process = &*at;
        track = counter("local memory", process->uuid, true);
      }
      const Picoseconds time = part.shown.drawn(m.time_ps);
      if (time <= options_.to_ps) values_.push_back({nanoseconds(time), track, m.bytes});
    }
  }

  void add_links(const Part& part, std::size_t run) {
    const LinkCounters links = link_counters(part.shown.run(), counters_.links);
    if (links.names.empty()) return;
    const std::uint64_t parent = next_uuid_++;
    track(PerfettoMessage()
              .number(descriptor::uuid, parent)
              .text(descriptor::name, utf8(parts_.size() == 1 ? "links" : titles_[run] + ": links")));
    const std::uint64_t first = next_uuid_;
    for (const std::string& name : links.names) (void)counter(name, parent, false);
    for (const CounterPoint& p : links.percent) {
      const Picoseconds time = part.shown.drawn(p.time_ps);
      if (time <= options_.to_ps && time >= options_.from_ps)
        values_.push_back({nanoseconds(time), first + p.track, p.value});
    }
  }

  // ---- events ----

  [[nodiscard]] std::vector<Moment> moments() const {
    std::vector<Moment> out;
    out.reserve(slices_ * 2);
    for (const Part& part : parts_) {
      std::uint64_t number = part.first_slice;
      for (const Slice& s : part.shown.slices()) {
        const auto [begin, end] = in_nanoseconds(s);
        const bool receive = s.lane == Lane::recv;
        out.emplace_back(begin, receive, begin == end ? Moment::empty : Moment::begins, number, false);
        out.emplace_back(end, receive, begin == end ? Moment::empty : Moment::ends, number, true);
        ++number;
      }
    }
    std::sort(out.begin(), out.end());
    return out;
  }

  void events() {
    auto value = values_.begin();
    const auto counters_to = [&](std::uint64_t time) {
      flush_in_flight(time);
      for (; value != values_.end() && value->time <= time; ++value)
        write_counter(value->time, value->track, value->value);
    };
    for (const Moment& m : moments()) {
      counters_to(m.time);
      write_moment(m);
    }
    counters_to(UINT64_MAX);
  }

  void write_moment(const Moment& m) {
    std::size_t run = parts_.size() - 1;
    while (parts_[run].first_slice > m.slice()) --run;
    Part& part = parts_[run];
    const auto i = static_cast<std::size_t>(m.slice() - part.first_slice);
    const Slice& s = part.shown.slices()[i];
    const bool arrow = part.shown.has_arrow(s);
    const std::uint64_t flow = s.flow ^ std::uint64_t{run} << 56U;
    event_.clear();
    event_.number(event::type, m.is_end() ? event::end : event::begin)
        .number(event::track, part.track_uuids[part.tracks.of[i]]);
    if (!m.is_end()) describe_slice(part, s, i);
    const auto id = [&](std::uint32_t number) { return number | std::uint64_t{run} << 56U; };
    if (!m.is_end()) {
      for (const std::uint32_t number : part.shown.arrows_from(i)) event_.fixed64(event::flow, id(number));
    } else {
      for (const std::uint32_t number : part.shown.arrows_to(i)) event_.fixed64(event::last_flow, id(number));
    }
    if (arrow && s.lane == Lane::send && !m.is_end()) event_.fixed64(event::flow, flow);
    if (arrow && s.lane == Lane::recv && m.is_end()) event_.fixed64(event::last_flow, flow);
    write_event(m.time);
    if (counters_.npus) count_message(part, part.track_process[part.tracks.of[i]], s, m, arrow ? flow : 0);
  }

  void describe_slice(Part& part, const Slice& s, std::size_t i) {
    event_.number(event::name, name_id(part, s));
    if (s.call != no_index) event_.number(event::correlation, std::uint64_t{s.call} + 1);
    if (!options_.arguments) return;
    argument(Argument::node, event::annotation_uint, s.node);
    if (s.bytes >= 0) argument(Argument::bytes, event::annotation_uint, static_cast<std::uint64_t>(s.bytes));
    if (s.peer >= 0) argument(Argument::peer, event::annotation_uint, static_cast<std::uint64_t>(s.peer));
    if (const auto rest = static_cast<std::uint64_t>(s.end_ps - s.begin_ps) % ps_per_ns; rest != 0)
      argument(Argument::rest, event::annotation_uint, rest);
    const Joined joined = part.shown.joined(i);
    if (joined.count == 1) return;
    argument(Argument::count, event::annotation_uint, joined.count);
    argument(Argument::sum, event::annotation_int, static_cast<std::uint64_t>(joined.sum_ps));
  }

  void argument(Argument name, std::uint32_t kind, std::uint64_t value) {
    argument_.clear();
    event_.message(event::annotation, argument_.number(event::annotation_name, name).number(kind, value));
  }

  std::uint64_t name_id(Part& part, const Slice& s) {
    std::uint32_t& id = part.name_ids[s.name];
    if (id != 0) return id;
    const std::uint32_t known = names_.size();
    const std::string text = utf8(part.shown.name(s));
    id = names_.add(text) + 1;
    if (id > known)
      new_names_.message(interned::names, PerfettoMessage().number(interned::iid, id).text(interned::text, text));
    return id;
  }

  // ---- counters of messages ----

  struct Sent {
    Process* by;
    std::int64_t bytes;
  };

  // Counts a message from the start of its send to the end of its receive, or of the send if the receive is
  // unknown.
  void count_message(Part& part, std::uint32_t process, const Slice& s, const Moment& m, std::uint64_t flow) {
    if (s.lane == Lane::send && s.bytes > 0 && (flow == 0 || !m.is_end())) {
      if (flow != 0) sent_[flow] = {&part.processes[process], s.bytes};
      change(part.processes[process], m.is_end() ? -s.bytes : s.bytes);
    } else if (s.lane == Lane::recv && flow != 0 && m.is_end()) {
      const auto at = sent_.find(flow);
      if (at == sent_.end()) return;
      change(*at->second.by, -at->second.bytes);
      sent_.erase(at);
    }
  }
  void change(Process& process, std::int64_t by) {
    process.in_flight += by;
    if (!std::exchange(process.changed, true)) changed_.push_back(&process);
  }
  // Writes the values of the last time once a later time begins.
  void flush_in_flight(std::uint64_t time) {
    if (time == last_time_ || changed_.empty()) return;
    for (Process* process : changed_) {
      process->changed = false;
      write_counter(last_time_, process->in_flight_track, process->in_flight);
    }
    changed_.clear();
  }
  void write_counter(std::uint64_t time, std::uint64_t track, std::int64_t value) {
    event_.clear();
    event_.number(event::type, event::counter)
        .number(event::track, track)
        .number(event::counter_value, static_cast<std::uint64_t>(value));
    write_event(time);
  }

  PartOptions options_;
  CounterOptions counters_;
  std::vector<std::string> titles_;  // by run
  Output& out_;
  std::deque<Part> parts_;  // by run
  std::uint64_t slices_ = 0;
  std::uint64_t next_uuid_ = 1;
  std::uint64_t pid_ = 0;
  std::uint64_t last_time_ = 0;
  TextSet names_;
  std::vector<Value> values_;
  std::unordered_map<std::uint64_t, Sent> sent_;  // by flow: messages in flight
  std::vector<Process*> changed_;
  PerfettoMessage file_, packet_, event_, argument_, new_names_;
};

void write_perfetto(std::span<const Run> runs, const FormatOptions& options, Output& out) {
  PerfettoWriter(runs, options, out).write();
}

std::vector<FormatOption> perfetto_options() {
  std::vector<FormatOption> options = part_format_options();
  options.push_back(counter_format_option());
  return options;
}

}  // namespace

extern const Format perfetto_format;
const Format perfetto_format = {
    .name = "perfetto",
    .summary = "Perfetto trace of runs, for ui.perfetto.dev",
    .suffixes = {".pftrace", ".perfetto-trace"},
    .write_options = perfetto_options(),
    .write_runs = write_perfetto,
};

}  // namespace convert
