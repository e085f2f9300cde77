// SPDX-License-Identifier: MIT
// Writes pages of hand-made data for the browser tests: "samples NAME OUT.html", or "samples A+B OUT.html" for two
// runs.
#include <functional>
#include <iostream>
#include <map>
#include <string>

#include "analyze/diff/difference.h"
#include "common/sample_runs.h"
#include "io/output.h"
#include "page/compare/compare.h"
#include "page/page.h"
#include "page/report/report.h"

namespace {

using namespace convert;

void write_columns(Output& out) {
  const Column columns[] = {
      {"raw_u8", std::vector<std::uint8_t>{0, 1, 255}, Column::Code::raw},
      {"raw_f64", std::vector<double>{0.5, -1e300, 9007199254740992}, Column::Code::raw},
      {"delta_i32", std::vector<std::int32_t>{5, 5, -2147483648, 2147483647, 0}, Column::Code::delta},
      {"delta_f64", std::vector<double>{0, 9007199254740992, -9007199254740992, 1, 64, 63, 128},
       Column::Code::delta},
      {"dict_i32", std::vector<std::int32_t>{0, 200, 3}, Column::Code::dict},
      {"none", std::vector<double>{}, Column::Code::delta},
  };
  write_page(PageKind::report, "columns", R"({"texts":["</script><script>alert(1)</script>"]})", columns, out);
}

Run one_npu() {
  Run run = sample::training({1, 1, 2, 9});
  run.links.clear();
  run.link_bins.clear();
  run.matrix.clear();
  run.whatif.clear();
  return run;
}

Run no_time() {
  Run run;
  run.title = "no time";
  run.npus = {{.rank = 0, .finish_ps = 0}, {.rank = 1, .finish_ps = 0}};
  run.timeline.slices.push_back({.name = run.timeline.names.add("nothing"), .lane = Lane::compute});
  return run;
}

Run tracked() {
  Run run = sample::training({4, 4, 12, 5});
  for (const Run::Npu& npu : run.npus) {
    for (std::int64_t i = 0; i < 24; ++i) {
      run.memory.push_back({npu.rank, i * 900 * sample::us, ((i < 12 ? i : 24 - i) << 30) + (npu.rank << 26)});
    }
  }
  for (const Slice& s : run.timeline.slices) run.slack_ps.push_back(s.rank == 5 ? 0 : s.begin_ps / 3);
  return run;
}

Run stopped() {
  Run run = sample::training({4, 2, 4, 9});
  run.status = RunStatus::stopped;
  run.reached_ps = run.total_ps / 2;
  run.path.clear();
  run.whatif.clear();
  std::erase_if(run.timeline.slices, [&](const Slice& s) { return s.begin_ps >= run.reached_ps; });
  for (Slice& s : run.timeline.slices) {
    s.open = s.end_ps > run.reached_ps;
    s.end_ps = std::min(s.end_ps, run.reached_ps);
  }
  return run;
}

Run many_calls() {
  Run run = sample::training({4, 2, 40, 3});
  for (Run::Call& c : run.calls) c.group = c.number % 3, c.size_bytes = c.number % 2 == 0 ? 1 << 20 : 64 << 20;
  return run;
}

// Eight NPUs that compute, and make two million calls of collectives of three sizes, with four groups in turn.
Run calls2m() {
  constexpr std::uint32_t calls = 2'000'000;
  constexpr Picoseconds each = 9 * sample::us;
  Run run;
  run.title = "calls2m";
  run.total_ps = run.reached_ps = calls * each;
  for (Rank r = 0; r < 8; ++r) run.npus.push_back({.rank = r, .finish_ps = run.total_ps});
  const std::uint32_t reduce = run.timeline.names.add("reduce gradients"),
                      matmul = run.timeline.names.add("matmul");
  for (std::uint32_t i = 0; i < calls; ++i) {
    const Picoseconds begin = i * each, last = begin + (1 + i % 7) * sample::us / 2, end = begin + each;
    run.calls.push_back({.op = i % 5 == 0 ? Collective::all_gather : Collective::all_reduce,
                         .group = i % 4,
                         .number = i / 4,
                         .npus = 8,
                         .size_bytes = std::int64_t{1} << (20 + i % 3),
                         .bound_ps = 3 * sample::us,
                         .begin_ps = begin,
                         .last_begin_ps = last,
                         .end_ps = end});
    run.timeline.slices.push_back(
        {.begin_ps = begin, .end_ps = end, .node = 2 * i, .name = reduce, .call = i, .lane = Lane::collective});
    run.timeline.slices.push_back(
        {.begin_ps = begin, .end_ps = last, .node = 2 * i + 1, .name = matmul, .lane = Lane::compute});
    run.path.push_back({.kind = Run::StepKind::compute,
                        .npu = i % 8,
                        .node = 2 * i + 1,
                        .name = matmul,
                        .begin_ps = begin,
                        .time_ps = last - begin});
    run.path.push_back({.kind = Run::StepKind::collective,
                        .node = 2 * i,
                        .name = reduce,
                        .begin_ps = last,
                        .time_ps = end - last,
                        .call = i});
  }
  return run;
}

const std::map<std::string, std::function<Run()>> runs = {
    {"train16", [] { return sample::training({}); }},
    {"tracked", tracked},
    {"ring8", [] { return sample::ring(8, 14); }},
    {"deadlock", sample::deadlock},
    {"hostile", sample::hostile},
    {"empty", [] { return Run(); }},
    {"no_time", no_time},
    {"one_npu", one_npu},
    {"stopped", stopped},
    {"many_calls", many_calls},
    {"train16_even",
     [] {
       return sample::training({4, 4, 12, 99});
     }},
    {"no_slices",
     [] {
       Run run = sample::training({});
       run.timeline.slices.clear();
       return run;
     }},
    {"npus48",
     [] {
       return sample::training({8, 6, 12, 5});
     }},
    {"npus1024",
     [] {
       return sample::training({32, 32, 12, 5});
     }},
    {"classes1024", [] { return sample::classes(1024); }},
    {"slices12k", [] { return sample::ring(64, 96); }},
    {"slices124k", [] { return sample::ring(128, 484); }},
    {"slices2m", [] { return sample::ring(1024, 1000); }},
    {"calls2m", calls2m},
};

// Writes the page of two runs, "A+B"; returns false if one of the runs does not exist.
bool write_pair(const std::string& name, Output& out) {
  const std::size_t plus = name.find('+');
  if (plus == std::string::npos) return false;
  const auto a = runs.find(name.substr(0, plus)), b = runs.find(name.substr(plus + 1));
  if (a == runs.end() || b == runs.end()) return false;
  const Run first = a->second(), second = b->second();
  write_compare_page(first, second, compare_runs(first, second, {}), {}, out);
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const auto run = runs.find(argv[1]);
  OutputFiles files;
  const auto out = files.create(argv[2]);
  if (run != runs.end()) {
    write_report_page(run->second(), *out);
  } else if (argv[1] == std::string("columns")) {
    write_columns(*out);
  } else if (!write_pair(argv[1], *out)) {
    std::cerr << "samples: no " << argv[1] << '\n';
    return 2;
  }
  out->close();
  files.commit();
  return 0;
}
