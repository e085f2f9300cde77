// SPDX-License-Identifier: MIT
// Schedules with increasing numbers of transfers: reading, checking, and the proof; and the search for races in
// MSCCL-IR, in usual and hard cases. Time and memory per transfer or step must stay constant. Floors: the numbers
// of the text alone, and a pass over the steps.
#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "bench/report.h"
#include "bench/steps.h"
#include "formats/format.h"
#include "passes/ten/algorithm.h"
#include "passes/ten/check.h"
#include "passes/verify/races.h"
#include "passes/verify/verify.h"

namespace {

using namespace convert;

// All-reduce on an 8 × 8 mesh: each chunk has a root. Its sums go to the root along the rows, then along the
// column, and return from it. Every transfer starts as soon as its data and its link allow, chunk after chunk.
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
  static constexpr std::int64_t hop = 20'000'000;  // ps; a link needs 19.6 µs

  void add_wires(std::uint32_t a, std::uint32_t b) {
    for (const auto& [src, dst] : {std::pair{a, b}, std::pair{b, a}}) {
      s_.wires.push_back({.src = src, .dst = dst, .bandwidth_gib_per_s = 50, .latency_us = 0.05});
    }
  }
  // The next node on the route to the root: along the row first.
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

// The work of et-validate on such a file.
void prove(const std::string& text, bool dataflow) {
  Diagnostics diagnostics;
  const Schedule s = find_format("ten").read_schedule(text, "mesh_8x8", {}, diagnostics);
  Schedule timed;
  const Flow flow = check_schedule(s, timed, diagnostics);
  const Algorithm a = make_algorithm(s, timed, flow);
  VerifyOptions options;
  options.dataflow = dataflow;
  verify(make_step_graph(a), options, diagnostics);
  bench::check(diagnostics);
}

// Reads each number of a text, and nothing else.
double sum_numbers(const std::string& text) {
  double sum = 0;
  const char* const end = text.data() + text.size();
  for (const char* p = text.data(); p < end;) {
    double number = 0;
    const auto [behind, error] = std::from_chars(p, end, number);
    if (error == std::errc()) sum += number;
    p = std::max(behind, p + 1);
  }
  return sum;
}

void measure_schedule(bench::Report& report, std::uint32_t chunks) {
  std::string text;
  std::size_t transfers = 0;
  {
    const Mesh mesh(chunks);
    transfers = mesh.schedule().transfers.size();
    find_format("ten").write_schedule(
        mesh.schedule(), FormatOptions(std::vector<std::pair<std::string, std::string>>{{"form", "csv"}}), text);
  }
  const std::string what = ", 8x8 mesh of " + std::to_string(transfers);
  const std::string names[] = {"schedule checked / numbers" + what, "schedule proved / numbers" + what,
                               "schedule proved, memory / text" + what};
  if (!report.wants({names[0], names[1], names[2]})) return;
  const auto n = static_cast<double>(transfers);
  double sum = 0;
  for (const bool dataflow : {false, true}) {
    const bench::Best best = bench::best_of_both([&] { sum += sum_numbers(text); }, [&] { prove(text, dataflow); });
    report.add_time(names[dataflow ? 1 : 0], "transfer", n, best, bench::at_most(11'000));
  }
  if (sum == 0) throw Error("the text has no numbers");
  const auto memory = bench::memory_of([] { return 0; }, [&](int) { prove(text, true); });
  report.add({.name = names[2],
              .unit = "B/transfer",
              .figure = (memory.peak - memory.before) * 1048576 / n,
              .floor = static_cast<double>(text.size()) / n,
              .limit = bench::at_most(1000)});
}

// Copies on one rank: threadblock k copies o[from(k, i)] to o[to(k, i)] in step i, with the waits of step_of.
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

void measure_races(bench::Report& report, const std::string& what, const Algorithm& a) {
  const std::string name = "races / a pass, " + what;
  const std::string name_of_memory = "races, memory / steps, " + what;
  if (!report.wants({name, name_of_memory})) return;
  const StepGraph p = make_step_graph(a);
  const BufferLayout layout(p, false);
  const Execution e = execute(p, layout, {});
  const auto n = static_cast<double>(p.step_count());
  const auto search = [&] {
    const Races found = find_races(p, layout, {}, e.order);
    if (found.undecided || !e.blocked.empty()) throw Error("races, " + what + ": not decided");
  };
  std::uint64_t sum = 0;
  const bench::Best best = bench::best_of_both([&] { sum += bench::pass_over(a); }, search);
  if (sum == 0) throw Error("no step reads what another wrote");
  report.add_time(name, "step", n, best, bench::at_most(10'000));
  const auto memory = bench::memory_of([] { return 0; }, [&](int) { search(); });
  report.add({.name = name_of_memory,
              .unit = "B/step",
              .figure = (memory.peak - memory.before) * 1048576 / n,
              .floor = sizeof(Step),
              .limit = bench::at_most(1000)});
}

// `side` threadblocks of `side` steps, or variants with as many steps.
void measure_all_races(bench::Report& report, std::int32_t side) {
  const std::int32_t all = side * side;
  measure_races(report, "each step waits for the last", copies(all, 1, all, [](auto k, auto, Step& s) {
                  s.src_off = std::max(0, k - 7);
                  s.dst_off = k;
                  s.depid = k - 1;
                  s.deps = k == 0 ? -1 : 0;
                }));
  measure_races(report, "the third through the second", copies(3, all / 3, all, [all](auto k, auto i, Step& s) {
                  s.src_off = k == 2 ? i : all - 1;
                  s.dst_off = k == 0 ? i : all - 1 - k;
                  s.depid = k > 0 && i == 0 ? k - 1 : -1;
                  s.deps = k > 0 && i == 0 ? all / 3 - 1 : -1;
                }));
  measure_races(report, "a wave of threadblocks", copies(side, side, 3 * side, [](auto k, auto i, Step& s) {
                  s.src_off = k;
                  s.dst_off = k + 1;
                  s.depid = k - 1;
                  s.deps = k == 0 ? -1 : i;
                }));
  measure_races(report, "no order, two share each chunk", copies(side, side, all, [side](auto k, auto i, Step& s) {
                  s.src_off = s.dst_off = k / 2 * side + i;
                }));
}

void measure(bench::Report& report) {
  for (const std::uint32_t chunks : report.smoke ? std::vector{8U} : std::vector{128U, 1024U, 8192U}) {
    measure_schedule(report, chunks);
  }
  measure_all_races(report, report.smoke ? 30 : 1000);
}

}  // namespace

int main(int argc, char** argv) { return bench::run(argc, argv, {}, measure); }
