// SPDX-License-Identifier: MIT
// Format astra-log, read only: ASTRA-sim's log with trace-enabled, and the CSV of Chakra's timeline visualiser.
// Both have a line when a node is issued and a line when it ends:
//
//   issue,sys->id=0,tick=244,node->id=0,node->name=COMM_SEND_NODE_x
//   [2025-01-01 12:00:00.000] [workload] [debug] callback,sys->id=0, tick=900, node->id=0, node->name=x,
//   node->type=5
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/run/totals.h"
#include "core/units.h"
#include "formats/format.h"
#include "formats/timeline/lanes.h"

namespace convert {
namespace {

constexpr std::size_t window = std::size_t{1} << 20U;
constexpr std::size_t longest_line = std::size_t{1} << 24U;

struct Line {
  bool callback = false;
  std::string_view npu, tick, node, name, type;
};

// Returns the trimmed text after "KEY=".
std::optional<std::string_view> value_of(std::string_view field) {
  const std::size_t equals = field.find('=');
  if (equals == std::string_view::npos) return std::nullopt;
  field.remove_prefix(equals + 1);
  while (field.ends_with(' ') || field.ends_with('\r')) field.remove_suffix(1);
  return field;
}

// Returns the line from "issue," or "callback," on, without a logger's prefix; empty if it has neither.
std::string_view event_in(std::string_view line) {
  for (const std::string_view word : {"issue,", "callback,"}) {
    const std::size_t at = line.find(word);
    if (at == 0 || (at != std::string_view::npos && line.starts_with('[') && line[at - 1] == ' '))
      return line.substr(at);
  }
  return {};
}

// Splits an event, whose name may contain commas. Returns nothing if it has another form.
std::optional<Line> parse_line(std::string_view event) {
  Line out;
  out.callback = event.starts_with("callback");
  event.remove_prefix(event.find(',') + 1);
  for (std::string_view* to : {&out.npu, &out.tick, &out.node}) {
    const std::size_t comma = event.find(',');
    if (comma == std::string_view::npos) return std::nullopt;
    const auto value = value_of(event.substr(0, comma));
    if (!value) return std::nullopt;
    *to = *value;
    event.remove_prefix(comma + 1);
  }
  if (const std::size_t type = event.rfind(", "); type != std::string_view::npos) {
    const std::string_view last = event.substr(type + 2);
    if (last.starts_with("node->type=")) {
      out.type = value_of(last).value_or("");
      event = event.substr(0, type);
    }
  }
  const auto name = value_of(event);
  if (!name) return std::nullopt;
  out.name = *name;
  return out;
}

// Conversion of ticks to time.
class LogClock {
 public:
  explicit LogClock(const FormatOptions& options) {
    const auto unit = options.get("unit");
    const auto mhz = options.get("mhz");
    if (unit && mhz) throw usage_error("unit= and mhz= both set the duration of a tick; give only one");
    if (unit) {
      const auto time = parse_time(*unit == "ps" || *unit == "ns" || *unit == "us" ? "1" + *unit : *unit);
      if (!time || *time == 0) throw usage_error("unit=" + *unit + ": expected the time of a tick: ns, us, 2.5ns");
      tick_ps_ = *time;
    }
    if (mhz) {
      const auto value = parse_number(*mhz);
      if (!value || *value <= 0 || *value > 1e6) throw usage_error("mhz=" + *mhz + ": expected a frequency in MHz");
      const double ps = static_cast<double>(ps_per_us) / *value;
      fraction_ps_ = ps;
      tick_ps_ = ps == std::floor(ps) && ps < 1e15 ? static_cast<Picoseconds>(ps) : 0;
    }
  }
  [[nodiscard]] std::optional<Picoseconds> time(std::uint64_t tick) const {
    if (tick_ps_ != 0) {
      Picoseconds out = 0;
      if (__builtin_mul_overflow(tick, tick_ps_, &out)) return std::nullopt;
      return out;
    }
    const double ps = std::round(static_cast<double>(tick) * fraction_ps_);
    return ps < 9e18 ? std::optional(static_cast<Picoseconds>(ps)) : std::nullopt;
  }

 private:
  Picoseconds tick_ps_ = ps_per_ns;  // 0: not a whole number of ps
  double fraction_ps_ = 0;
};

class LogReader {
 public:
  explicit LogReader(const ReadContext& context)
      : input_(context.input), diagnostics_(context.diagnostics), clock_(context.options) {
    run_.recorded = true;
  }

  Run read() {
    while (next_line()) {
      const std::string_view event = event_in(line_);
      if (!event.empty()) take(event);
    }
    if (run_.timeline.slices.empty())
      throw input_error({.file = input_.name()},
                        "has no line 'issue,…' or 'callback,…'; ASTRA-sim writes them to log/log.log with "
                        "\"trace-enabled\": 1 in "
                        "its system file");
    close_open();
    add_totals(run_);
    return std::move(run_);
  }

 private:
  // Returns false at the end of the text.
  bool next_line() {
    if (rest_.empty()) {
      input_.skip(used_);
      used_ = 0;
      rest_ = input_.peek(window);
      if (rest_.empty()) return false;
    }
    std::size_t end = rest_.find('\n');
    if (end == std::string_view::npos) {  // possibly the end of the window
      const std::size_t size = rest_.size();
      input_.skip(used_);
      used_ = 0;
      rest_ = input_.peek(std::max(window, size + window));
      end = rest_.find('\n');
      if (end == std::string_view::npos && rest_.size() > longest_line)
        throw input_error(place(number_ + 1), "a line longer than 16 MiB");
    }
    line_ = rest_.substr(0, end);
    const std::size_t taken = end == std::string_view::npos ? rest_.size() : end + 1;
    used_ += taken;
    rest_.remove_prefix(taken);
    ++number_;
    return true;
  }

  [[nodiscard]] Location place(std::uint64_t line) const {
    return {.file = input_.name(), .line = static_cast<std::uint32_t>(line)};
  }
  [[noreturn]] void fail(const std::string& what) const { throw input_error(place(number_), what); }

  void take(std::string_view event) {
    const auto line = parse_line(event);
    if (!line) fail("expected '" + std::string(event.substr(0, event.find(','))) + ",…=NPU,…=TICK,…=NODE,…=NAME'");
    const auto npu = parse_plain(line->npu, largest_rank);
    const auto tick = parse_unsigned(line->tick);
    const auto node = parse_unsigned(line->node);
    if (!npu) fail("the NPU is not a number");
    if (!node) fail("the node's id is not a number");
    const auto time = tick ? clock_.time(*tick) : std::nullopt;
    if (!time) fail("the tick is not a number, or exceeds 106 days");
    if (line->callback) {
      end(static_cast<Rank>(*npu), *node, *time, *line);
    } else {
      begin(static_cast<Rank>(*npu), *node, *time, *line);
    }
  }

  void begin(Rank npu, NodeId node, Picoseconds time, const Line& line) {
    auto& slices = run_.timeline.slices;
    if (slices.size() == no_index - 1) fail("more than 4 billion nodes");
    open_[{npu, node}].push_back(static_cast<std::uint32_t>(slices.size()));
    slices.push_back({.begin_ps = time,
                      .end_ps = time,
                      .node = node,
                      .rank = npu,
                      .name = run_.timeline.names.add(line.name),
                      .lane = lane(line),
                      .open = true});
  }

  void end(Rank npu, NodeId node, Picoseconds time, const Line& line) {
    const auto at = open_.find({npu, node});
    if (at == open_.end()) {
      if (lone_ends_++ == 0) first_lone_end_ = number_;
      return;
    }
    Slice& s = run_.timeline.slices[at->second.front()];
    if (time < s.begin_ps) fail("node " + std::string(line.node) + " ends before it was issued");
    s.end_ps = time;
    s.open = false;
    at->second.erase(at->second.begin());
    if (at->second.empty()) open_.erase(at);
  }

  static Lane lane(const Line& line) {
    if (const auto type = parse_plain(line.type, 7)) {
      if (const auto lane = lane_of(static_cast<NodeType>(*type))) return *lane;
    }
    return lane_by_node_name(line.name).value_or(Lane::compute);
  }

  void close_open() {
    if (lone_ends_ != 0)
      diagnostics_.warning(place(first_lone_end_), "events",
                           "callbacks of nodes that were not issued are ignored: " + std::to_string(lone_ends_) +
                               "; this is the first");
    Picoseconds last = 0;
    for (const Slice& s : run_.timeline.slices) last = std::max({last, s.begin_ps, s.end_ps});
    std::uint64_t open = 0;
    for (Slice& s : run_.timeline.slices) {
      if (!s.open) continue;
      s.end_ps = last;
      ++open;
    }
    if (open == 0) return;
    run_.status = RunStatus::stopped;
    diagnostics_.warning({.file = input_.name()}, "events",
                         counted(open, "node") + " had not ended at the end of the log; " +
                             (open == 1 ? "it is" : "they are") + " drawn up to its end");
  }

  struct Key {
    Rank npu;
    NodeId node;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& k) const {
      return std::hash<std::uint64_t>()(k.node * 0x9e3779b97f4a7c15U ^ k.npu);
    }
  };

  Input& input_;
  Diagnostics& diagnostics_;
  LogClock clock_;
  Run run_;
  std::unordered_map<Key, std::vector<std::uint32_t>, Hash> open_;  // slices in issue order
  std::uint64_t lone_ends_ = 0;
  std::uint64_t first_lone_end_ = 0;
  std::string_view rest_;  // unread text of the window
  std::size_t used_ = 0;   // bytes of the window to be consumed
  std::string_view line_;
  std::uint64_t number_ = 0;
};

Run read_log(const ReadContext& context) { return LogReader(context).read(); }

bool sniff_log(std::string_view head) {
  while (!head.empty()) {
    const std::size_t end = head.find('\n');
    const std::string_view event = event_in(head.substr(0, end));
    if (!event.empty() && parse_line(event)) return true;
    head = end == std::string_view::npos ? std::string_view() : head.substr(end + 1);
  }
  return false;
}

}  // namespace

extern const Format astra_log_format;
const Format astra_log_format = {
    .name = "astra-log",
    .summary = "ASTRA-sim's log with trace-enabled, and the CSV of Chakra's timeline visualiser",
    .suffixes = {".log"},
    .read_options = {{"mhz", "NUMBER", "ticks per microsecond (default: 1000, 1 tick = 1 ns)"},
                     {"unit", "TIME", "duration of a tick, instead of mhz: ns, us, 2.5ns"}},
    .sniff = sniff_log,
    .read_run = read_log,
};

}  // namespace convert
