// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "formats/timeline/align.h"
#include "formats/timeline/chrome.h"
#include "formats/timeline/part.h"
#include "formats/timeline/run_names.h"
#include "formats/timeline/tracks.h"
#include "util/json_writer.h"

namespace convert {
namespace {

constexpr std::size_t chrome_flush_bytes = 1 << 16;

std::string microseconds(Picoseconds ps) { return format_exact(ps, ps_per_us); }

class ChromeWriter {
 public:
  ChromeWriter(PartOptions options, Output& out) : options_(std::move(options)), out_(out), json_(text_) {}

  void run(std::span<const Run> runs) {
    if (runs.size() > 1) titles_ = run_titles(runs);
    check_part(runs, options_);
    const std::vector<Picoseconds> delays = delays_of(runs, options_.align);
    json_.begin_object().member("displayTimeUnit", "ns").key("traceEvents").begin_array();
    for (run_ = 0; run_ < runs.size(); ++run_) {
      write(ShownRun(runs[run_], options_, delays[run_]), runs.size());
      first_pid_ = next_pid_;
    }
    json_.line().end_array().end_object();
    text_ += '\n';
    out_.write(text_);
  }

 private:
  void write(const ShownRun& shown, std::size_t runs) {
    const Tracks tracks = place_on_tracks(shown.slices());
    std::uint32_t first_track = 0;  // first track of the rank
    for (std::uint32_t t = 0, next = 0; t < tracks.tracks.size();) {
      const Track& head = tracks.tracks[t];
      if (t == 0 || tracks.tracks[t - 1].rank != head.rank) {
        first_track = t;
        process(head.rank, runs, shown.alike(head.rank));
      }
      std::uint32_t end = t;  // end of the lane
      for (; end < tracks.tracks.size(); ++end) {
        const Track& track = tracks.tracks[end];
        if (track.rank != head.rank || track.lane != head.lane || track.stream != head.stream) break;
      }
      for (; next < tracks.order.size() && tracks.of[tracks.order[next]] < end; ++next) {
        const std::uint32_t i = tracks.order[next];
        slice(shown, i, tracks.of[i] - first_track);
      }
      for (; t < end; ++t) metadata("thread_name", pid(head.rank), t - first_track, track_name(tracks.tracks[t]));
    }
  }

  // The pids of a run are its ranks, offset by the last pid of the previous run.
  [[nodiscard]] std::uint64_t pid(Rank rank) const { return first_pid_ + rank; }

  // The number of equal NPUs is a label, because readers take the rank from the end of the process name.
  void process(Rank rank, std::size_t runs, std::uint32_t alike) {
    const std::string name = "rank " + std::to_string(rank);
    metadata("process_name", pid(rank), 0, titles_.empty() ? name : titles_[run_] + ": " + name);
    next_pid_ = pid(rank) + 1;
    if (alike != 0) {
      json_.line().begin_object().member("name", "process_labels").member("ph", "M").member("pid", pid(rank));
      json_.member("tid", 0).key("args").begin_object();
      json_.member("labels", "+ " + std::to_string(alike) + " like it").end_object().end_object();
    }
    if (runs == 1) return;
    json_.line().begin_object().member("name", "process_sort_index").member("ph", "M").member("pid", pid(rank));
    json_.member("tid", 0).key("args").begin_object();
    json_.member("sort_index", std::uint64_t{rank} * runs + run_).end_object().end_object();
  }

  void metadata(const char* what, std::uint64_t pid, std::uint32_t tid, const std::string& label) {
    json_.line().begin_object().member("name", what).member("ph", "M").member("pid", pid).member("tid", tid);
    json_.key("args").begin_object().member("name", label).end_object().end_object();
  }

  void slice(const ShownRun& shown, std::uint32_t i, std::uint32_t tid) {
    const Slice& s = shown.slices()[i];
    json_.line().begin_object().member("name", shown.name(s)).member("cat", lane_name(s.lane)).member("ph", "X");
    json_.member("pid", pid(s.rank)).member("tid", tid).key("ts").raw(microseconds(s.begin_ps));
    json_.key("dur").raw(microseconds(s.end_ps - s.begin_ps));
    if (options_.arguments) {
      json_.key("args").begin_object().member("node", s.node);
      if (s.bytes >= 0) json_.member("bytes", s.bytes);
      if (s.peer >= 0) json_.member("peer", s.peer);
      if (const Joined joined = shown.joined(i); joined.count > 1)
        json_.member("count", joined.count).key("sum").raw(microseconds(joined.sum_ps));
      json_.end_object();
    }
    json_.end_object();
    if (shown.has_arrow(s)) message(s, tid);
    for (const std::uint32_t number : shown.arrows_from(i))
      arrow_end("dependency", "s", number, s, tid, s.begin_ps);
    for (const std::uint32_t number : shown.arrows_to(i)) arrow_end("dependency", "f", number, s, tid, s.begin_ps);
    if (text_.size() < chrome_flush_bytes) return;
    out_.write(text_);
    text_.clear();
  }

  // An arrow begins and ends inside its slices: the last picosecond of a receive still belongs to the receive.
  void message(const Slice& s, std::uint32_t tid) {
    if (s.lane == Lane::send)
      arrow_end("message", "s", s.flow, s, tid, s.begin_ps);
    else
      arrow_end("message", "f", s.flow, s, tid, std::max(s.begin_ps, s.end_ps - 1));
  }
  // `phase`: "s" for the start of the arrow, "f" for its end.
  void arrow_end(const char* what, std::string_view phase, std::uint64_t number, const Slice& s, std::uint32_t tid,
                 Picoseconds time) {
    char id[24];
    std::snprintf(id, sizeof id, "0x%llx", static_cast<unsigned long long>(number ^ std::uint64_t{run_} << 56U));
    json_.line().begin_object().member("name", what).member("cat", what).member("ph", phase);
    if (phase == "f") json_.member("bp", "e");
    json_.member("id", static_cast<const char*>(id)).member("pid", pid(s.rank)).member("tid", tid);
    json_.key("ts").raw(microseconds(time)).end_object();
  }

  PartOptions options_;
  Output& out_;
  std::string text_;
  JsonWriter json_;
  std::vector<std::string> titles_;  // by run, if there are several
  std::size_t run_ = 0;
  std::uint64_t first_pid_ = 0;  // first pid of the run
  std::uint64_t next_pid_ = 0;
};

}  // namespace

void write_chrome(std::span<const Run> runs, const FormatOptions& options, Output& out) {
  ChromeWriter(part_options(options), out).run(runs);
}

void write_chrome(const Timeline& timeline, Output& out) {
  Run run;
  run.timeline = timeline;
  write_chrome(std::span<const Run>(&run, 1), {}, out);
}

}  // namespace convert
