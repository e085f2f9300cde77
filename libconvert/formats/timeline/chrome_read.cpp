// SPDX-License-Identifier: MIT
#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "core/run/totals.h"
#include "core/units.h"
#include "formats/format.h"
#include "formats/json/head.h"
#include "formats/kineto/names.h"
#include "formats/timeline/chrome.h"
#include "formats/timeline/chrome_events.h"
#include "formats/timeline/lanes.h"
#include "formats/timeline/part.h"

namespace convert {
namespace {

using EventKind = ChromeEvents::Kind;
using Event = ChromeEvents::Event;

// Returns the rank at the end of a process name: "rank 3", "measured: NPU 3".
std::optional<Rank> rank_of_process(std::string_view name) {
  for (const std::string_view word : {"rank ", "NPU "}) {
    const std::size_t at = name.rfind(word);
    if (at == std::string_view::npos || (at != 0 && name[at - 1] != ' ')) continue;
    const auto rank = parse_plain(name.substr(at + word.size()), largest_rank);
    if (rank) return static_cast<Rank>(*rank);
  }
  return std::nullopt;
}

// Gives each process a rank: the rank in its name, if no earlier process has that rank; otherwise the lowest free
// rank, in the order of process numbers.
std::vector<Rank> ranks_of(const std::vector<ChromeEvents::Process>& processes) {
  std::vector<Rank> ranks(processes.size());
  std::vector<std::uint32_t> rest;
  std::set<Rank> taken;
  for (std::uint32_t i = 0; i < processes.size(); ++i) {
    const auto rank = rank_of_process(processes[i].name);
    if (rank && taken.insert(*rank).second) {
      ranks[i] = *rank;
    } else {
      rest.push_back(i);
    }
  }
  const auto key = [&](std::uint32_t i) {
    const auto number = parse_int(processes[i].id);
    return std::tuple(!number, number.value_or(0), processes[i].id);
  };
  std::ranges::sort(rest, {}, key);
  Rank next = 0;
  for (const std::uint32_t i : rest) {
    while (taken.contains(next)) ++next;
    ranks[i] = next++;
  }
  return ranks;
}

class RunMaker {
 public:
  RunMaker(ChromeEvents events, const std::string& file, Diagnostics& diagnostics)
      : in_(std::move(events)), file_(file), diagnostics_(diagnostics), ranks_(ranks_of(in_.processes)) {
    run_.recorded = true;
  }

  Run make() {
    find_base();
    add_completes();
    pair_begins();
    draw_arrows();
    number_nodes();
    add_totals(run_);
    tell_of_rest();
    return std::move(run_);
  }

 private:
  struct ArrowEnd {
    std::uint32_t event;
    std::uint32_t slice;  // no_index: unknown
  };

  // Keeps the times if the run begins near 0; otherwise subtracts the time of the first event.
  void find_base() {
    WidePicoseconds first = std::numeric_limits<WidePicoseconds>::max();
    WidePicoseconds last = std::numeric_limits<WidePicoseconds>::min();
    for (const Event& e : in_.events) {
      first = std::min(first, e.time);
      last = std::max(last, e.time + e.duration);
    }
    if (in_.events.empty()) return;
    base_ = first < 0 || first > last - first ? first : 0;
    if (last - base_ > std::numeric_limits<Picoseconds>::max())
      throw input_error({.file = file_}, "the trace spans more than 106 days");
  }
  [[nodiscard]] Picoseconds time(const Event& e) const { return static_cast<Picoseconds>(e.time - base_); }

  // If an arrow's end follows its slice in the file, it belongs to that slice, even if other slices include its
  // time.
  void add_completes() {
    std::vector<std::uint32_t> last(in_.threads.size(), no_index);
    for (std::uint32_t i = 0; i < in_.events.size(); ++i) {
      const Event& e = in_.events[i];
      if (e.kind == EventKind::complete) {
        last[e.thread] = static_cast<std::uint32_t>(run_.timeline.slices.size());
        add(e, time(e) + e.duration);
      } else if (e.arrow != 0) {
        const std::uint32_t s = last[e.thread];
        const auto& slices = run_.timeline.slices;
        const bool around = s != no_index && slices[s].begin_ps <= time(e) && time(e) <= slices[s].end_ps;
        arrows_.push_back({i, around && e.kind != EventKind::arrow_into ? s : no_index});
      }
    }
  }

  Slice& add(const Event& e, Picoseconds end) {
    const std::string_view name = e.name == no_index ? std::string_view() : in_.names[e.name];
    Slice& s = run_.timeline.slices.emplace_back();
    s.begin_ps = time(e);
    s.end_ps = end;
    s.node = e.node;
    s.bytes = e.bytes;
    s.peer = e.peer;
    s.rank = ranks_[in_.threads[e.thread].process];
    s.name = run_.timeline.names.add(name);
    s.lane = lane(e, name);
    if (s.lane != Lane::cpu) s.stream = stream_by_name(in_.threads[e.thread].name);
    threads_.push_back(e.thread);
    has_node_.push_back(e.has_node);
    return s;
  }

  [[nodiscard]] Lane lane(const Event& e, std::string_view name) const {
    std::optional<Lane> lane;
    if (e.category != no_index) lane = lane_by_name(in_.names[e.category]);
    if (!lane) lane = lane_by_node_name(name);
    if (!lane && e.category != no_index) lane = lane_by_category(in_.names[e.category]);
    if (!lane) lane = lane_by_name(in_.threads[e.thread].name);
    if (lane == Lane::compute &&
        (name.starts_with("nccl") || name.find("ncclDevKernel") != std::string_view::npos ||
         name.find("ncclKernel") != std::string_view::npos))
      return Lane::collective;
    return lane.value_or(Lane::compute);
  }

  // Pairs the begins and ends of each thread: an end closes the latest open begin.
  void pair_begins() {
    std::vector<std::uint32_t> order;
    for (std::uint32_t i = 0; i < in_.events.size(); ++i) {
      if (in_.events[i].kind == EventKind::begin || in_.events[i].kind == EventKind::end) order.push_back(i);
    }
    std::ranges::sort(order, {},
                      [&](std::uint32_t i) { return std::tuple(in_.events[i].thread, in_.events[i].time, i); });
    std::vector<std::uint32_t> open;
    std::uint64_t lone_ends = 0;
    const auto leave_open = [&] {
      for (const std::uint32_t i : open) add(in_.events[i], time(in_.events[i])).open = true;
      open.clear();
    };
    for (std::size_t k = 0; k < order.size(); ++k) {
      const Event& e = in_.events[order[k]];
      if (k != 0 && in_.events[order[k - 1]].thread != e.thread) leave_open();
      if (e.kind == EventKind::begin) {
        open.push_back(order[k]);
      } else if (open.empty()) {
        ++lone_ends;
      } else {
        end_slice(in_.events[open.back()], e);
        open.pop_back();
      }
    }
    leave_open();
    Picoseconds last = 0;
    for (const Slice& s : run_.timeline.slices) last = std::max(last, s.end_ps);
    for (Slice& s : run_.timeline.slices) {
      if (s.open) s.end_ps = last;
    }
    if (lone_ends != 0) warn("ends (E) without a begin are ignored", lone_ends);
  }
  // Arguments that only the end has are used too.
  void end_slice(Event begin, const Event& end) {
    if (!begin.has_node && end.has_node) {
      begin.node = end.node;
      begin.has_node = true;
    }
    if (begin.bytes < 0) begin.bytes = end.bytes;
    if (begin.peer < 0) begin.peer = end.peer;
    add(begin, time(end));
  }

  // Gives the two slices of an arrow from a send to a receive the number of the arrow. Other arrows become
  // dependencies.
  void draw_arrows() {
    if (arrows_.empty()) return;
    index_slices();
    const auto arrow = [&](const ArrowEnd& a) { return in_.events[a.event].arrow; };
    std::ranges::sort(arrows_, {}, [&](const ArrowEnd& a) { return std::pair(arrow(a), a.event); });
    std::uint64_t lost = 0;
    for (std::size_t begin = 0, end = 0; begin < arrows_.size(); begin = end) {
      std::uint32_t from = no_index, to = no_index;
      for (; end < arrows_.size() && arrow(arrows_[end]) == arrow(arrows_[begin]); ++end) {
        const EventKind kind = in_.events[arrows_[end].event].kind;
        if (kind == EventKind::arrow_from) from = slice_at(arrows_[end]);
        if (kind == EventKind::arrow_to || kind == EventKind::arrow_into) to = slice_at(arrows_[end]);
      }
      if (from == no_index || to == no_index || from == to) {
        ++lost;
      } else if (!draw_message(from, to)) {
        run_.deps.push_back({from, to});
      }
    }
    std::ranges::sort(run_.deps);
    const auto twice = std::ranges::unique(run_.deps);
    run_.deps.erase(twice.begin(), twice.end());
    if (lost != 0)
      run_.limits.push_back(counted(lost, "arrow") + " of the file, not from one slice to another, " +
                            (lost == 1 ? "is" : "are") + " omitted");
  }

  bool draw_message(std::uint32_t from, std::uint32_t to) {
    Slice& send = run_.timeline.slices[from];
    Slice& receive = run_.timeline.slices[to];
    if (send.lane != Lane::send || receive.lane != Lane::recv || send.flow != 0 || receive.flow != 0) return false;
    send.flow = receive.flow = ++flows_;
    return true;
  }

  void index_slices() {
    by_thread_.resize(run_.timeline.slices.size());
    std::iota(by_thread_.begin(), by_thread_.end(), 0U);
    std::ranges::sort(by_thread_, {}, [&](std::uint32_t i) {
      return std::tuple(threads_[i], run_.timeline.slices[i].begin_ps, i);
    });
  }
  // Returns the innermost slice of the thread around an arrow's end; for an arrow into the next slice, that slice.
  [[nodiscard]] std::uint32_t slice_at(const ArrowEnd& arrow) const {
    if (arrow.slice != no_index) return arrow.slice;
    const Event& e = in_.events[arrow.event];
    const Picoseconds at = time(e);
    const auto key = [&](std::uint32_t i) { return std::pair(threads_[i], run_.timeline.slices[i].begin_ps); };
    const bool next = e.kind == EventKind::arrow_into;
    const auto behind = next ? std::ranges::lower_bound(by_thread_, std::pair(e.thread, at), {}, key)
                             : std::ranges::upper_bound(by_thread_, std::pair(e.thread, at), {}, key);
    if (next) return behind != by_thread_.end() && threads_[*behind] == e.thread ? *behind : no_index;
    constexpr int most_looked_at = 64;  // nested or ended slices
    auto i = behind;
    for (int looked = 0; i != by_thread_.begin() && looked < most_looked_at; ++looked) {
      --i;
      if (threads_[*i] != e.thread) break;
      if (run_.timeline.slices[*i].end_ps >= at) return *i;
    }
    return no_index;
  }

  // Slices of other tools have no node. They are numbered from 0 within their rank, in file order.
  void number_nodes() {
    if (std::ranges::any_of(has_node_, [](bool has) { return has; })) return;
    std::map<Rank, NodeId> next;
    for (Slice& s : run_.timeline.slices) s.node = next[s.rank]++;
  }

  void warn(const char* what, std::uint64_t count) {
    diagnostics_.warning({.file = file_}, "events", std::string(what) + ": " + std::to_string(count));
  }
  void tell_of_rest() {
    const auto skipped = [&](std::uint64_t count, const char* what) {
      if (count != 0)
        run_.limits.push_back(counted(count, what) + " of the file " + (count == 1 ? "is" : "are") + " omitted");
    };
    skipped(in_.counters, "counter event");
    skipped(in_.instants, "instant event");
    skipped(in_.others, "event");
    if (in_.negative != 0) warn("negative durations are set to 0", in_.negative);
  }

  ChromeEvents in_;
  const std::string& file_;
  Diagnostics& diagnostics_;
  std::vector<Rank> ranks_;  // by process
  WidePicoseconds base_ = 0;
  Run run_;
  std::vector<std::uint32_t> threads_;  // by slice
  std::vector<bool> has_node_;          // by slice
  std::vector<ArrowEnd> arrows_;
  std::uint64_t flows_ = 0;
  std::vector<std::uint32_t> by_thread_;  // slices sorted by thread and begin
};

Picoseconds unit_of(const FormatOptions& options) {
  const auto text = options.get("unit");
  if (!text || *text == "us") return ps_per_us;
  if (*text == "ns") return ps_per_ns;
  if (*text == "ms") return 1000 * ps_per_us;
  throw usage_error("unit=" + *text + ": expected ns, us or ms");
}

Run read_chrome_run(const ReadContext& context) {
  ChromeEvents events = read_chrome_events(context.input, unit_of(context.options));
  if (events.written_by == "aras" && !context.options.get("unit"))
    context.diagnostics.warning({.file = context.input.name()}, "times",
                                "written by Chakra's timeline visualiser, which writes milliseconds, but Chrome "
                                "expects microseconds",
                                {"hint: read it with -f chrome,unit=ms"});
  return RunMaker(std::move(events), context.input.name(), context.diagnostics).make();
}

}  // namespace

// `value` includes its quotes.
static bool is_category_of_kineto(std::string_view value) {
  if (value.size() < 2) return false;
  const std::string_view name = value.substr(1, value.size() - 2);
  return lane_by_category(name).has_value() && !lane_by_name(name);
}

bool sniff_chrome(std::string_view head) {
  JsonHead in(head);
  if (in.open('{')) {
    if (!in.has_key({"traceEvents"})) return false;
    if (JsonHead marks(head);
        marks.open('{') && marks.has_key({"deviceProperties", "distributedInfo", "schemaVersion"}))
      return false;
  }
  if (!in.open('[')) return false;
  // Kineto's events have their own categories.
  const bool bare = head.find("traceEvents") == std::string_view::npos;
  for (bool first = true;; first = false) {
    const std::string_view event = in.skip();
    if (!event.starts_with('{')) return !(first && bare);
    JsonHead fields(event);
    bool phase = false;
    (void)fields.open('{');
    for (auto key = fields.key(); key; key = fields.key()) {
      const std::string_view value = fields.skip();
      phase = phase || *key == "ph";
      if (*key == "cat" && is_category_of_kineto(value)) return false;
    }
    if (first && !phase) return false;
    if (!in.open(',')) return true;
  }
}

extern const Format chrome_format;
const Format chrome_format = {
    .name = "chrome",
    .summary = "Chrome trace JSON of runs, for ui.perfetto.dev and chrome://tracing",
    .suffixes = {".json"},
    .read_options = {{"unit", "ns|us|ms", "unit of ts and dur (default: us, as in Chrome)"}},
    .write_options = part_format_options(),
    .sniff = sniff_chrome,
    .read_run = read_chrome_run,
    .write_runs = write_chrome,
};

}  // namespace convert
