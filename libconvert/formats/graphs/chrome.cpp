// SPDX-License-Identifier: MIT
#include "formats/graphs/chrome.h"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <numeric>
#include <queue>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "util/json_writer.h"

namespace convert {
namespace {

constexpr std::size_t flush_bytes = 1 << 16;

std::string microseconds(Picoseconds ps) { return format_exact(ps, ps_per_us); }

// Gives each slice of a lane, taken in order of begin, the lowest track on which nothing runs.
class Tracks {
 public:
  std::uint32_t place(const Slice& s) {
    while (!busy_.empty() && busy_.top().first <= s.begin_ps) {
      free_.push(busy_.top().second);
      busy_.pop();
    }
    if (free_.empty()) free_.push(count_++);
    const std::uint32_t track = free_.top();
    free_.pop();
    busy_.emplace(s.end_ps, track);
    return track;
  }
  [[nodiscard]] std::uint32_t count() const { return count_; }

 private:
  template <typename T>
  using MinHeap = std::priority_queue<T, std::vector<T>, std::greater<>>;
  MinHeap<std::pair<Picoseconds, std::uint32_t>> busy_;  // end, track
  MinHeap<std::uint32_t> free_;
  std::uint32_t count_ = 0;
};

class ChromeWriter {
 public:
  ChromeWriter(const Timeline& timeline, Output& out) : timeline_(timeline), out_(out), json_(text_) {}

  void run() {
    std::vector<std::uint32_t> order(timeline_.slices.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::sort(order, [this](std::uint32_t a, std::uint32_t b) {
      const Slice& x = timeline_.slices[a];
      const Slice& y = timeline_.slices[b];
      return std::tie(x.rank, x.lane, x.begin_ps, a) < std::tie(y.rank, y.lane, y.begin_ps, b);
    });
    json_.begin_object().member("displayTimeUnit", "ns").key("traceEvents").begin_array();
    std::uint32_t first_tid = 0;  // of the lane
    for (std::size_t begin = 0; begin < order.size();) {
      const Slice& head = timeline_.slices[order[begin]];
      if (begin == 0 || timeline_.slices[order[begin - 1]].rank != head.rank) {
        first_tid = 0;
        metadata("process_name", head.rank, 0, "rank " + std::to_string(head.rank));
      }
      Tracks tracks;
      std::size_t end = begin;
      for (; end < order.size(); ++end) {
        const Slice& s = timeline_.slices[order[end]];
        if (s.rank != head.rank || s.lane != head.lane) break;
        slice(s, first_tid + tracks.place(s));
      }
      for (std::uint32_t t = 0; t < tracks.count(); ++t) {
        metadata("thread_name", head.rank, first_tid + t,
                 std::string(lane_name(head.lane)) + (t == 0 ? "" : " " + std::to_string(t + 1)));
      }
      first_tid += tracks.count();
      begin = end;
    }
    json_.line().end_array().end_object();
    text_ += '\n';
    out_.write(text_);
  }

 private:
  void metadata(const char* what, Rank rank, std::uint32_t tid, const std::string& label) {
    json_.line().begin_object().member("name", what).member("ph", "M").member("pid", rank).member("tid", tid);
    json_.key("args").begin_object().member("name", label).end_object().end_object();
  }

  void slice(const Slice& s, std::uint32_t tid) {
    json_.line()
        .begin_object()
        .member("name", timeline_.name(s))
        .member("cat", lane_name(s.lane))
        .member("ph", "X");
    json_.member("pid", s.rank).member("tid", tid).key("ts").raw(microseconds(s.begin_ps));
    json_.key("dur").raw(microseconds(s.end_ps - s.begin_ps));
    json_.key("args").begin_object().member("node", s.node);
    if (s.bytes >= 0) json_.member("bytes", s.bytes);
    if (s.peer >= 0) json_.member("peer", s.peer);
    json_.end_object().end_object();
    if (s.flow != 0) flow(s, tid);
    if (text_.size() < flush_bytes) return;
    out_.write(text_);
    text_.clear();
  }

  // An arrow begins and ends inside its slices: the last picosecond of a receive still belongs to it.
  void flow(const Slice& s, std::uint32_t tid) {
    const bool from = s.lane == Lane::send;
    char id[24];
    std::snprintf(id, sizeof id, "0x%llx", static_cast<unsigned long long>(s.flow));
    json_.line().begin_object().member("name", "message").member("cat", "message").member("ph", from ? "s" : "f");
    if (!from) json_.member("bp", "e");
    json_.member("id", static_cast<const char*>(id)).member("pid", s.rank).member("tid", tid);
    json_.key("ts").raw(microseconds(from ? s.begin_ps : std::max(s.begin_ps, s.end_ps - 1))).end_object();
  }

  const Timeline& timeline_;
  Output& out_;
  std::string text_;
  JsonWriter json_;
};

}  // namespace

void write_chrome(const Timeline& timeline, Output& out) { ChromeWriter(timeline, out).run(); }

}  // namespace convert
