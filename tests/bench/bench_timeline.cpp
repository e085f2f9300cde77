// SPDX-License-Identifier: MIT
// Speed of timelines: a run of 2 M slices (10 M with --slow), half of these slices messages with arrows, as
// Perfetto trace and as Chrome trace, compared with protozero's writer and the formatting of as many slices with
// the same arguments.
#include <charconv>
#include <cstdint>
#include <protozero/pbf_writer.hpp>
#include <random>
#include <span>
#include <string>

#include "bench/report.h"
#include "core/run.h"
#include "formats/format.h"
#include "io/output.h"

namespace {

using namespace convert;

// Counts written bytes.
class Counter final : public Output {
 public:
  Counter() : Output("count") {}
  void write(std::string_view bytes) override { bytes_ += bytes.size(); }
  void close() override {}
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

 private:
  std::uint64_t bytes_ = 0;
};

// Ranks alternate: each computes, sends to the next, receives from the preceding one.
Run make_run(std::uint32_t slices, std::uint32_t ranks) {
  Run run;
  const std::uint32_t names[] = {run.timeline.names.add("compute"), run.timeline.names.add("send"),
                                 run.timeline.names.add("recv")};
  std::minstd_rand engine(1);
  run.timeline.slices.reserve(slices);
  for (std::uint32_t i = 0; i + 4 <= slices; i += 4) {
    const Rank rank = i / 4 % ranks;
    const Picoseconds at = Picoseconds{i / 4 / ranks} * 10'000'000 + static_cast<Picoseconds>(engine() % 1'000'000);
    Slice s{.begin_ps = at, .end_ps = at + 5'000'000, .node = i, .rank = rank, .name = names[0]};
    run.timeline.slices.push_back(s);
    s.begin_ps = s.end_ps;
    s.end_ps += 2'000'000;
    run.timeline.slices.push_back(s);
    Slice send{.begin_ps = at,
               .end_ps = at + 3'000'123,
               .node = i + 1,
               .bytes = 65536,
               .flow = i + 1ULL,
               .rank = rank,
               .name = names[1],
               .peer = static_cast<std::int32_t>((rank + 1) % ranks),
               .lane = Lane::send};
    run.timeline.slices.push_back(send);
    send.rank = (rank + 1) % ranks;
    send.begin_ps += 100'000;
    send.end_ps += 500'000;
    send.name = names[2];
    send.peer = static_cast<std::int32_t>(rank);
    send.lane = Lane::recv;
    run.timeline.slices.push_back(send);
  }
  run.total_ps = run.reached_ps = run.timeline.slices.back().end_ps;
  return run;
}

// A packet for the start of each slice, with its name, flow and arguments, and one for its end, with the field
// numbers of perfetto's TracePacket and TrackEvent.
void encode_slices(const Run& run, std::string& packet, Counter& out) {
  const auto event = [&](std::uint64_t at, const Slice& s, bool begin) {
    packet.clear();
    protozero::pbf_writer w(packet);
    w.add_uint64(8, at);
    w.add_uint32(10, 1);
    {
      protozero::pbf_writer e(w, 11);
      e.add_enum(9, begin ? 1 : 2);
      e.add_uint64(11, s.rank * 4U + static_cast<unsigned>(s.lane));
      if (begin) {
        e.add_uint64(10, s.name);
        if (s.flow != 0) e.add_fixed64(47, s.flow);
        for (const std::uint64_t argument : {std::uint64_t{s.node}, static_cast<std::uint64_t>(s.bytes)}) {
          protozero::pbf_writer a(e, 4);
          a.add_uint64(1, 1);
          a.add_uint64(3, argument);
        }
      }
    }
    out.write(packet);
  };
  for (const Slice& s : run.timeline.slices) {
    event(s.begin_ps, s, true);
    event(s.end_ps, s, false);
  }
}

// A line for each slice, and one for its end of the arrow.
void format_slices(const Run& run, std::string& line, Counter& out) {
  const auto put = [&](std::string_view before, std::uint64_t number) {
    char digits[24];
    line += before;
    line.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
  };
  for (const Slice& s : run.timeline.slices) {
    line = R"({"name":")";
    line += run.timeline.names[s.name];
    put(R"(","cat":"compute","ph":"X","pid":)", s.rank);
    put(R"(,"tid":)", static_cast<std::uint64_t>(s.lane));
    put(R"(,"ts":)", s.begin_ps / 1'000'000);
    put(".", s.begin_ps % 1'000'000);
    put(R"(,"dur":)", (s.end_ps - s.begin_ps) / 1'000'000);
    put(R"(,"args":{"node":)", s.node);
    if (s.flow != 0) {
      put(R"(,"bytes":)", static_cast<std::uint64_t>(s.bytes));
      put(R"(,"peer":)", static_cast<std::uint64_t>(s.peer));
      put("}},\n"
          R"({"name":"message","cat":"message","ph":"s","id":)",
          s.flow);
      put(R"(,"pid":)", s.rank);
      put(R"(,"tid":)", static_cast<std::uint64_t>(s.lane));
      put(R"(,"ts":)", s.begin_ps / 1'000'000);
    }
    line += "}},\n";
    out.write(line);
  }
}

void measure_format(bench::Report& report, std::uint32_t slices, Run& run, const std::string& to, double limit) {
  const bool text = to == "chrome";
  const std::string name = to + (text ? " / formatting alone" : " / protozero's writer");
  if (!report.wants({name, "size of " + name})) return;
  if (run.timeline.slices.empty()) run = make_run(slices, 1024);
  const FormatChoice choice = parse_format_choice(to, Direction::write);
  std::uint64_t bytes = 0;
  std::uint64_t floor_bytes = 0;
  std::string buffer;
  const bench::Best best = bench::best_of_both(
      [&] {
        Counter out;
        text ? format_slices(run, buffer, out) : encode_slices(run, buffer, out);
        floor_bytes = out.bytes();
      },
      [&] {
        Counter out;
        choice.format->write_runs(std::span(&run, 1), choice.options, out);
        bytes = out.bytes();
      });
  const auto n = static_cast<double>(run.timeline.slices.size());
  report.add_time(name, "slice", n, best, bench::at_most(limit));
  report.add({.name = "size of " + name,
              .unit = "B/slice",
              .figure = static_cast<double>(bytes) / n,
              .floor = static_cast<double>(floor_bytes) / n});
}

void measure(bench::Report& report) {
  const std::uint32_t slices = report.smoke ? 4096 : report.slow ? 10'000'000 : 2'000'000;
  const std::string name = "perfetto, memory / run";
  if (report.wants({name})) {
    const auto memory = bench::memory_of([&] { return make_run(slices, 1024); },
                                         [](const Run& run) {
                                           Counter out;
                                           find_format("perfetto").write_runs(std::span(&run, 1), {}, out);
                                         });
    report.add({.name = name, .unit = "B/slice", .figure = memory.peak * 1048576 / slices, .floor = sizeof(Slice)});
  }
  Run run;  // made on demand
  measure_format(report, slices, run, "perfetto,counters=none", 1000);
  measure_format(report, slices, run, "perfetto", 1000);
  measure_format(report, slices, run, "chrome",
                 375);  // 250 per event: one of two slices has an arrow, a separate event
}

}  // namespace

int main(int argc, char** argv) { return bench::run(argc, argv, {}, measure); }
