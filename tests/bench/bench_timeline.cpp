// SPDX-License-Identifier: MIT
// Speed of timelines: a run of 10 M slices, half of them messages with arrows, as Perfetto trace and as Chrome
// trace.
#include <sys/resource.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <span>
#include <string>

#include "bench/measure.h"
#include "bench/table.h"
#include "core/run.h"
#include "formats/format.h"
#include "io/output.h"

namespace {

using namespace convert;

// Counts what is written.
class Counter final : public Output {
 public:
  Counter() : Output("count") {}
  void write(std::string_view bytes) override { bytes_ += bytes.size(); }
  void close() override {}
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

 private:
  std::uint64_t bytes_ = 0;
};

// Ranks in turn: each computes, sends to the next, receives from the one before.
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

void measure(const Run& run, const std::string& to, const char* target) {
  const FormatChoice choice = parse_format_choice(to, Direction::write);
  std::uint64_t bytes = 0;
  const double best_s = bench::best_seconds([&] {
    Counter out;
    choice.format->write_runs(std::span(&run, 1), choice.options, out);
    bytes = out.bytes();
  });
  const auto n = static_cast<double>(run.timeline.slices.size());
  bench::print_row(to + ", " + std::to_string(bytes / run.timeline.slices.size()) + " bytes a slice", n, "slice",
                   best_s * 1e9 / n, static_cast<double>(bytes) / best_s / 1e6, 0, target);
}

}  // namespace

int main(int argc, char** argv) {
  const auto slices = argc > 1 ? static_cast<std::uint32_t>(std::strtoul(argv[1], nullptr, 10)) : 10'000'000U;
  bench::print_head();
  const Run run = make_run(slices, 1024);
  measure(run, "perfetto,counters=none", "1000 ns");
  measure(run, "perfetto", "1000 ns");
  measure(run, "chrome", "");
  rusage use{};
  getrusage(RUSAGE_SELF, &use);
  std::printf("peak %ld MiB, of which the run %zu\n", use.ru_maxrss / 1024, slices * sizeof(Slice) >> 20U);
  return 0;
}
