// SPDX-License-Identifier: MIT
// Schedules of more and more transfers: reading, checking, and the proof; and the search for races in MSCCL-IR, of
// what is usual and of what is hard. Time and memory per transfer or step must stay what they are.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "bench/measure.h"
#include "bench/table.h"
#include "formats/format.h"
#include "passes/ten/algorithm.h"
#include "passes/ten/check.h"
#include "passes/verify/races.h"
#include "passes/verify/verify.h"

namespace {

using namespace convert;

// All-reduce on an 8 × 8 mesh: each chunk has a root, to which its sums go along the rows, then along the column,
// and from which they come back. Every transfer starts as soon as its data and its wire allow, chunk after chunk.
class Mesh {
 public:
  explicit Mesh(std::uint32_t chunks) : free_(nodes, {0, 0, 0, 0}) {
    s_.file = s_.name = "mesh_8x8";
    s_.collective = Collective::all_reduce;
    s_.nodes = nodes;
    s_.chunk_bytes = 1 << 20;
    for (std::uint32_t n = 0; n < nodes; ++n) {
      if (n % side + 1 < side) add_wires(n, n + 1);
      if (n + side < nodes) add_wires(n, n + side);
    }
    for (std::uint32_t c = 0; c < chunks; ++c) {
      s_.chunks.push_back({.id = c, .bytes = {}, .pre = {.all = true}, .post = {.all = true}});
      add_chunk(c, c % nodes);
    }
    s_.claimed_ps = *std::max_element(ends_.begin(), ends_.end());
  }
  [[nodiscard]] const Schedule& schedule() const { return s_; }

 private:
  static constexpr std::uint32_t side = 8;
  static constexpr std::uint32_t nodes = side * side;
  static constexpr std::int64_t hop = 20'000'000;  // ps; a wire needs 19.6 us

  void add_wires(std::uint32_t a, std::uint32_t b) {
    for (const auto& [src, dst] : {std::pair{a, b}, std::pair{b, a}}) {
      s_.wires.push_back({.src = src, .dst = dst, .bandwidth_gib_per_s = 50, .latency_us = 0.05});
    }
  }
  // The next node on the way to the root: along the row first.
  static std::uint32_t towards(std::uint32_t root, std::uint32_t n) {
    if (n % side != root % side) return n % side < root % side ? n + 1 : n - 1;
    return n < root ? n + side : n - side;
  }
  static std::uint32_t distance(std::uint32_t a, std::uint32_t b) {
    const auto apart = [](std::uint32_t x, std::uint32_t y) { return x > y ? x - y : y - x; };
    return apart(a % side, b % side) + apart(a / side, b / side);
  }
  std::int64_t move(std::uint32_t src, std::uint32_t dst, std::uint32_t chunk, std::int64_t ready,
                    Schedule::Op op) {
    const std::size_t direction = dst == src + 1 ? 0 : src == dst + 1 ? 1 : dst > src ? 2 : 3;
    std::int64_t& free = free_[src].at(direction);
    const std::int64_t start = std::max(free, ready);
    free = start + hop;
    s_.transfers.push_back({.start = start,
                            .end = free,
                            .id = static_cast<std::int32_t>(s_.transfers.size()),
                            .src = src,
                            .dst = dst,
                            .chunk = chunk,
                            .op = op});
    ends_.push_back(free);
    return free;
  }
  void add_chunk(std::uint32_t chunk, std::uint32_t root) {
    std::vector<std::uint32_t> order(nodes);
    for (std::uint32_t n = 0; n < nodes; ++n) order[n] = n;
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return distance(a, root) < distance(b, root); });
    std::vector<std::int64_t> ready(nodes, 0);
    for (std::size_t i = nodes; i-- > 1;) {
      const std::uint32_t to = towards(root, order[i]);
      ready[to] = std::max(ready[to], move(order[i], to, chunk, ready[order[i]], Schedule::Op::reduce));
    }
    for (std::size_t i = 1; i < nodes; ++i) {
      const std::uint32_t from = towards(root, order[i]);
      ready[order[i]] = move(from, order[i], chunk, ready[from], Schedule::Op::copy);
    }
  }

  Schedule s_;
  std::vector<std::array<std::int64_t, 4>> free_;  // by node and direction
  std::vector<std::int64_t> ends_;
};

// What et-validate does with a file of it.
void prove(const std::string& text, bool dataflow) {
  Diagnostics diagnostics;
  const Schedule s = find_format("ten").read_schedule(text, "mesh_8x8", {}, diagnostics);
  Schedule timed;
  const Flow flow = check_schedule(s, timed, diagnostics);
  const Algorithm a = make_algorithm(s, timed, flow);
  VerifyOptions options;
  options.dataflow = dataflow;
  verify(make_step_graph(a), options, diagnostics);
  if (diagnostics.errors() != 0) std::exit(1);
}

void bench_schedule(std::uint32_t chunks) {
  std::string text;
  std::size_t transfers = 0;
  {
    const Mesh mesh(chunks);
    transfers = mesh.schedule().transfers.size();
    find_format("ten").write_schedule(
        mesh.schedule(), FormatOptions(std::vector<std::pair<std::string, std::string>>{{"form", "csv"}}), text);
  }
  const auto n = static_cast<double>(transfers);
  for (const bool dataflow : {false, true}) {
    const double seconds = bench::best_seconds([&] { prove(text, dataflow); });
    bench::print_row(std::string("schedule, 8x8 mesh, read and ") + (dataflow ? "proved" : "checked"), n,
                     "transfer", seconds / n * 1e9, static_cast<double>(text.size()) / seconds / 1e6, 0,
                     "11000 ns");
  }
  const auto [before, peak] = bench::memory_of([] { return 0; }, [&](int) { prove(text, true); });
  bench::print_row("memory of that, bytes/transfer", n, "transfer", 0, 0, (peak - before) * 1048576 / n,
                   "ratio 1000");
}

constexpr std::int32_t million = 1'000'000;

// Copies on one rank: threadblock k copies o[from(k, i)] to o[to(k, i)] in step i, and waits as it says.
template <typename StepOf>
Algorithm copies(std::int32_t tbs, std::int32_t steps, std::int32_t chunks, const StepOf& step_of) {
  Algorithm a;
  a.file = a.name = "copies";
  a.protocol = Protocol::ll;
  a.gpus.push_back({.o_chunks = chunks, .tb_count = static_cast<std::uint32_t>(tbs), .copies = {}, .other = {}});
  for (std::int32_t k = 0; k < tbs; ++k) {
    a.tbs.push_back({.first_step = static_cast<std::uint32_t>(a.steps.size()),
                     .step_count = static_cast<std::uint32_t>(steps)});
    for (std::int32_t i = 0; i < steps; ++i) {
      Step s{.type = StepType::cpy, .src_buf = Buffer::output, .hasdep = true, .cnt = 1};
      step_of(k, i, s);
      a.steps.push_back(s);
    }
  }
  return a;
}

void bench_races(const std::string& what, const Algorithm& a) {
  const StepGraph p = make_step_graph(a);
  const BufferLayout layout(p, false);
  const Execution e = execute(p, layout, {});
  const auto n = static_cast<double>(p.step_count());
  std::size_t races = 0;
  const auto search = [&] {
    const Races found = find_races(p, layout, {}, e.order);
    if (found.undecided || !e.blocked.empty()) std::exit(1);
    races = found.real.size();
  };
  const double seconds = bench::best_seconds(search);
  bench::print_row("races, " + what + " (" + std::to_string(races) + ")", n, "step", seconds / n * 1e9, 0, 0,
                   "10000 ns");
  const auto [before, peak] = bench::memory_of([] { return 0; }, [&](int) { search(); });
  bench::print_row("memory of that, bytes/step", n, "step", 0, 0, (peak - before) * 1048576 / n, "ratio 1000");
}

}  // namespace

int main() {
  bench::print_head();
  for (const std::uint32_t chunks : {128U, 1024U, 8192U}) bench_schedule(chunks);
  bench_races("1 threadblock a step, each waits for the last",
              copies(million, 1, million, [](auto k, auto, Step& s) {
                s.src_off = std::max(0, k - 7);
                s.dst_off = k;
                s.depid = k - 1;
                s.deps = k == 0 ? -1 : 0;
              }));
  bench_races("3 threadblocks, the third through the second",
              copies(3, million / 3, million, [](auto k, auto i, Step& s) {
                constexpr std::int32_t last = million / 3 - 1;
                s.src_off = k == 2 ? i : million - 1;
                s.dst_off = k == 0 ? i : million - 1 - k;
                s.depid = k > 0 && i == 0 ? k - 1 : -1;
                s.deps = k > 0 && i == 0 ? last : -1;
              }));
  bench_races("1,000 threadblocks, a wave", copies(1000, 1000, 3000, [](auto k, auto i, Step& s) {
                s.src_off = k;
                s.dst_off = k + 1;
                s.depid = k - 1;
                s.deps = k == 0 ? -1 : i;
              }));
  bench_races("no order, 2 threadblocks share each chunk", copies(1000, 1000, million, [](auto k, auto i, Step& s) {
                s.src_off = s.dst_off = k / 2 * 1000 + i;
              }));
  return 0;
}
