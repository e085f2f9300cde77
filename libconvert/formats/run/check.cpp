// SPDX-License-Identifier: MIT
#include "formats/run/check.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string_view>

#include "core/diagnostic.h"

namespace convert {
namespace {

// The longest time, 106 days: sums of a few times do not overflow.
constexpr Picoseconds most_ps = INT64_MAX / 4;

class Checker {
 public:
  Checker(const Run& run, const std::string& file) : run_(run), file_(file) {}

  void check() {
    table("meta", 0);
    times(0, run_.total_ps);
    times(0, run_.reached_ps);
    require(run_.total_ps <= run_.reached_ps, "ends after the time that the run reached");
    slices();
    collectives();
    path();
    network();
    others();
  }

 private:
  void table(std::string_view name, std::size_t row) {
    table_ = name;
    row_ = row;
  }
  void require(bool good, std::string_view what) const {
    if (good) return;
    throw input_error(
        {.file = file_},
        "damaged run: row " + std::to_string(row_) + " of table " + std::string(table_) + ' ' + std::string(what),
        "run");
  }
  void times(Picoseconds begin, Picoseconds end) const {
    require(begin >= 0 && end <= most_ps, "has a time that is out of range");
    require(begin <= end, "ends before it begins");
  }
  // Checks a time that may be missing.
  void optional_time(Picoseconds time) const {
    require(time >= -1 && time <= most_ps, "has a time that is out of range");
  }
  void name(std::uint32_t name) const { require(name < run_.timeline.names.size(), "has an invalid name"); }
  void text(std::uint32_t text) const { require(text < run_.texts.size(), "has an invalid text"); }
  void npu(Rank rank) const { require(rank <= largest_rank, "has an invalid NPU"); }
  void call(std::uint32_t call) const {
    require(call == no_index || call < run_.calls.size(), "has an invalid call");
  }
  void optional_text(std::uint32_t t) const {
    if (t != no_index) text(t);
  }
  void optional_name(std::uint32_t n) const {
    if (n != no_index) name(n);
  }
  template <class Row, class Fn>
  void each(std::string_view table_name, const std::vector<Row>& rows, const Fn& fn) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      table(table_name, i);
      fn(rows[i]);
    }
  }

  void slices() {
    each("slices", run_.timeline.slices, [&](const Slice& s) {
      times(s.begin_ps, s.end_ps);
      require(s.end_ps <= run_.reached_ps, "ends after the time that the run reached");
      require(static_cast<std::size_t>(s.lane) < lane_names.size(), "has an invalid lane");
      require(s.bytes >= -1, "has a negative size");
      require(s.peer >= -1, "has an invalid peer");
      require(s.stream >= -1, "has an invalid stream");
      npu(s.rank);
      name(s.name);
      call(s.call);
    });
    each("deps", run_.deps, [&](const Run::Dep& d) {
      require(std::max(d.from, d.to) < run_.timeline.slices.size(), "has an invalid slice");
    });
    table("slack", run_.slack_ps.size());
    require(run_.slack_ps.empty() || run_.slack_ps.size() == run_.timeline.slices.size(),
            "does not belong to a slice");
    each("slack", run_.slack_ps, [&](Picoseconds slack) { optional_time(slack); });
  }

  void collectives() {
    each("groups", run_.groups, [&](const Run::Group& g) { text(g.name); });
    each("calls", run_.calls, [&](const Run::Call& c) {
      require(!convert::name(c.op).empty(), "has an invalid collective");
      times(c.begin_ps, c.last_begin_ps);
      optional_time(c.end_ps);
      optional_time(c.bound_ps);
      require(c.end_ps == -1 || c.end_ps >= c.last_begin_ps, "ends before it begins");
      require(c.size_bytes >= -1, "has a negative size");
      optional_text(c.algorithm);
      optional_text(c.type);
      optional_text(c.source);
      require(c.error_pct == -1 || (c.error_pct >= 0 && std::isfinite(c.error_pct)),
              "has an invalid expected error");
      require(c.root >= -1 && c.root <= largest_rank, "has an invalid root");
      npu(c.first_npu);
    });
    each("call_npus", run_.call_npus, [&](const Run::CallNpu& c) {
      require(c.call < run_.calls.size(), "has an invalid call");
      npu(c.npu);
      times(c.begin_ps, c.end_ps == -1 ? c.begin_ps : c.end_ps);
    });
  }

  void path() {
    Picoseconds next = -1;
    each("causes", run_.path, [&](const Run::Step& s) {
      require(s.kind <= Run::StepKind::unexplained, "has an invalid kind");
      times(s.begin_ps, most_ps);
      times(0, s.time_ps);
      require(next == -1 || s.begin_ps == next, "does not begin at the end of the previous step");
      next = s.begin_ps + s.time_ps;
      optional_name(s.name);
      optional_text(s.then);
      call(s.call);
      npu(s.npu);
      require(s.bytes >= -1 && s.peer >= -1, "has a negative size");
    });
  }

  void network() {
    const auto rate = [&](double value) { require(std::isfinite(value) && value >= 0, "has an invalid rate"); };
    each("links", run_.links, [&](const Run::Link& l) {
      text(l.from);
      text(l.to);
      rate(l.gb_per_s);
      rate(l.latency_ns);
      times(0, l.busy_ps);
      require(l.bytes >= 0, "has a negative size");
    });
    table("link_bins", run_.link_bins.size());
    require(run_.link_bins.empty() || run_.link_bins.size() == run_.links.size() * run_.link_bins_each,
            "does not belong to a link");
    each("dims", run_.dims, [&](const Run::Dim& d) {
      text(d.topology);
      rate(d.gb_per_s);
      rate(d.latency_ns);
    });
    each("matrix", run_.matrix, [&](const Run::Traffic& t) {
      npu(t.src);
      npu(t.dst);
      require(t.bytes >= 0, "has a negative size");
    });
  }

  void others() {
    each("npus", run_.npus, [&](const Run::Npu& n) {
      npu(n.rank);
      optional_time(n.finish_ps);
      require(n.bytes_sent >= 0, "has a negative size");
    });
    each("whatif", run_.whatif, [&](const Run::WhatIf& w) {
      require(w.change <= Run::Change::no_nvls, "has an invalid change");
      text(w.what);
      text(w.setting);
      optional_time(w.total_ps);
    });
    each("classes", run_.classes, [&](const Run::Class& c) {
      npu(c.npu);
      npu(c.like);
    });
    each("waits", run_.waits, [&](const Run::Wait& w) {
      npu(w.npu);
      optional_name(w.name);
      optional_time(w.since_ps);
      text(w.text);
    });
    each("memory", run_.memory, [&](const Run::Memory& m) {
      npu(m.npu);
      times(0, m.time_ps);
    });
    each("alive", run_.alive, [&](const Run::Alive& a) {
      npu(a.npu);
      text(a.tensor);
      require(a.bytes >= 0, "has a negative size");
    });
  }

  const Run& run_;
  const std::string& file_;
  std::string_view table_;
  std::size_t row_ = 0;
};

}  // namespace

void check_run(const Run& run, const std::string& file) { Checker(run, file).check(); }

}  // namespace convert
