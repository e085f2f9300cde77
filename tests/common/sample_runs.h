// SPDX-License-Identifier: MIT
// Hand-made runs, for tests of displays of runs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "core/run.h"

namespace convert::sample {

inline constexpr Picoseconds us = ps_per_us;

// A training step on a torus of `columns` × `rows` NPUs: `layers` forward, and as many backward, each followed by a
// reduce-scatter that overlaps with the next ones. One NPU computes 1.2 times as long.
struct Training {
  std::uint32_t columns = 4;
  std::uint32_t rows = 4;
  std::uint32_t layers = 12;
  std::uint32_t slow = 5;  // this NPU; beyond the last NPU: none
};

inline void add_links(Run& run, const Training& t) {
  const auto npu = [&](std::uint32_t x, std::uint32_t y) {
    return run.texts.add("npu" + std::to_string(y % t.rows * t.columns + x % t.columns));
  };
  run.link_bins_each = 64;
  run.link_bin_ps = run.total_ps / 64 + 1;
  const auto add = [&](std::uint32_t from, std::uint32_t to, std::int32_t dim, Picoseconds busy) {
    run.links.push_back({from, to, dim, 100, 700, busy / 10, 96, busy, 3});
    for (std::uint32_t b = 0; b < run.link_bins_each; ++b) {
      run.link_bins.push_back(static_cast<std::uint8_t>(b < 20 ? 0 : dim == 0 ? 200 : 50));
    }
  };
  for (std::uint32_t y = 0; y < t.rows; ++y) {
    for (std::uint32_t x = 0; x < t.columns; ++x) {
      const Picoseconds extra = x + y == 0 ? 30 * us : 0;
      add(npu(x, y), npu(x + 1, y), 0, run.total_ps / 2 + extra);
      add(npu(x + 1, y), npu(x, y), 0, run.total_ps / 2);
      add(npu(x, y), npu(x, y + 1), 1, run.total_ps / 8);
      add(npu(x, y + 1), npu(x, y), 1, run.total_ps / 8);
    }
  }
  for (const std::uint32_t n : {t.columns, t.rows}) run.dims.push_back({run.texts.add("ring"), n, 100, 700});
}

inline void add_traffic(Run& run, const Training& t) {
  const std::uint32_t n = t.columns * t.rows;
  for (Rank src = 0; src < n; ++src) {
    std::vector<Rank> to = {src / t.columns * t.columns + (src + 1) % t.columns, (src + t.columns) % n};
    std::sort(to.begin(), to.end());
    for (const Rank dst : to) run.matrix.push_back({src, dst, dst == src + 1 ? 900 << 20 : 200 << 20, 288});
  }
}

inline Run training(const Training& t) {
  Run run;
  const std::uint32_t n = t.columns * t.rows;
  run.title = "train" + std::to_string(n);
  run.settings = {{"tool", "et-replay 0.1.0"},
                  {"command", "et-replay -n torus:4x4,bw=100GB/s,lat=700ns --network links --slow 5=1.2x train16"},
                  {"network", "torus " + std::to_string(t.columns) + "×" + std::to_string(t.rows)},
                  {"model", "links"}};
  run.inputs = {{"train16.0.et", std::string(64, 'a')}};
  run.limits = {"Switches are not modelled: each link has its own queue."};
  const Picoseconds transfer = 537 * us + 600'000;
  std::vector<Picoseconds> compute_end(n, 0);
  std::vector<std::vector<Picoseconds>> issued(t.layers, std::vector<Picoseconds>(n));
  for (Rank npu = 0; npu < n; ++npu) {
    Picoseconds now = 0;
    NodeId node = 0;
    const auto compute = [&](const std::string& name, Picoseconds time) {
      if (npu == t.slow) time = time * 6 / 5;
      run.timeline.slices.push_back({.begin_ps = now,
                                     .end_ps = now + time,
                                     .node = node++,
                                     .rank = npu,
                                     .name = run.timeline.names.add(name),
                                     .lane = Lane::compute});
      now += time;
    };
    for (std::uint32_t l = 0; l < t.layers; ++l)
      compute("forward layer " + std::to_string(l) + " iteration 0", 500 * us);
    for (std::uint32_t l = t.layers; l-- > 0;) {
      compute("backward layer " + std::to_string(l) + " iteration 0", 1000 * us);
      issued[l][npu] = now;
    }
    compute_end[npu] = now;
    run.npus.push_back({.rank = npu,
                        .finish_ps = 0,
                        .astra_exposed_ps = -1,
                        .compute_ps = now,
                        .sends = 576,
                        .bytes_sent = 1'509'949'440,
                        .nodes = 3 * t.layers,
                        .nodes_done = 3 * t.layers,
                        .peak_memory_bytes = -1});
  }
  Picoseconds free = 0;
  for (std::uint32_t l = t.layers; l-- > 0;) {
    const Picoseconds last = *std::max_element(issued[l].begin(), issued[l].end());
    const Picoseconds begin = std::max(last, free);
    free = begin + transfer;
    const auto call = static_cast<std::uint32_t>(run.calls.size());
    run.calls.push_back({.op = Collective::reduce_scatter,
                         .group = 0,
                         .number = call,
                         .npus = n,
                         .size_bytes = 64 << 20,
                         .algorithm = run.texts.add("ring"),
                         .bound_ps = transfer / 4,
                         .begin_ps = *std::min_element(issued[l].begin(), issued[l].end()),
                         .last_begin_ps = last,
                         .end_ps = free,
                         .first_npu = 0,
                         .first_node = 0});
    for (Rank npu = 0; npu < n; ++npu) {
      run.call_npus.push_back({call, npu, issued[l][npu], free});
      run.timeline.slices.push_back(
          {.begin_ps = issued[l][npu],
           .end_ps = free,
           .node = 2 * t.layers + call,
           .rank = npu,
           .name = run.timeline.names.add("reduce_scatter layer " + std::to_string(l) + " iteration 0"),
           .call = call,
           .lane = Lane::collective});
    }
  }
  run.total_ps = run.reached_ps = free;
  for (Run::Npu& npu : run.npus) npu.finish_ps = free, npu.astra_exposed_ps = free - npu.compute_ps;
  const Rank last = t.slow < n ? t.slow : 0;
  for (const Slice& s : run.timeline.slices) {
    if (s.rank != last || s.lane != Lane::compute) continue;
    run.path.push_back({.kind = Run::StepKind::compute,
                        .npu = last,
                        .node = s.node,
                        .name = s.name,
                        .begin_ps = s.begin_ps,
                        .time_ps = s.end_ps - s.begin_ps});
  }
  const auto rs = static_cast<std::uint32_t>(run.calls.size()) - 1;
  run.path.push_back({.kind = Run::StepKind::collective,
                      .npu = 0,
                      .node = 2 * t.layers + rs,
                      .name = run.timeline.names.add("reduce_scatter layer 0 iteration 0"),
                      .begin_ps = compute_end[last],
                      .time_ps = free - compute_end[last],
                      .call = rs});
  const std::pair<const char*, double> lines[] = {{"NPU 5 computes like the median NPU", 0.847},
                                                  {"network free", 0.95},
                                                  {"bandwidth of dimension 1 ×2", 0.975},
                                                  {"chunks take dimensions in balanced order", 0.978},
                                                  {"latency 0", 0.9998},
                                                  {"all_reduce direct", 1.02}};
  for (const auto& [what, share] : lines) {
    run.whatif.push_back({.what = run.texts.add(what),
                          .setting = run.texts.add("--slow 5=1x"),
                          .total_ps = static_cast<Picoseconds>(static_cast<double>(free) * share)});
  }
  add_links(run, t);
  add_traffic(run, t);
  return run;
}

// An all-reduce in a ring without collectives: sends and receives, with receives posted at the start.
inline Run ring(std::uint32_t n, std::uint32_t rounds) {
  Run run;
  run.title = "ring" + std::to_string(n);
  run.settings = {{"network", "ring " + std::to_string(n)}, {"model", "links"}};
  const Picoseconds step = 3'121'440;
  for (Rank npu = 0; npu < n; ++npu) {
    for (std::uint32_t r = 0; r < rounds; ++r) {
      const Picoseconds begin = r * step;
      const std::uint64_t flow = 1 + npu * std::uint64_t{rounds} + r;
      const Rank next = (npu + 1) % n;
      const std::uint64_t taken = 1 + (npu + n - 1) % n * std::uint64_t{rounds} + r;
      run.timeline.slices.push_back({.begin_ps = begin,
                                     .end_ps = begin + step,
                                     .node = 2 * r,
                                     .bytes = 131'072,
                                     .flow = flow,
                                     .rank = npu,
                                     .name = run.timeline.names.add("send chunk"),
                                     .peer = static_cast<std::int32_t>(next),
                                     .lane = Lane::send});
      run.timeline.slices.push_back({.begin_ps = r == 0 ? 0 : begin - step / 2,
                                     .end_ps = begin + step,
                                     .node = 2 * r + 1,
                                     .bytes = 131'072,
                                     .flow = taken,
                                     .rank = npu,
                                     .name = run.timeline.names.add("recv chunk"),
                                     .peer = static_cast<std::int32_t>((npu + n - 1) % n),
                                     .lane = Lane::recv});
    }
    run.npus.push_back({.rank = npu,
                        .finish_ps = rounds * step,
                        .sends = rounds,
                        .bytes_sent = rounds * 131'072,
                        .nodes = 2 * rounds,
                        .nodes_done = 2 * rounds});
  }
  run.total_ps = run.reached_ps = rounds * step;
  for (std::uint32_t r = 0; r < rounds; ++r) {
    run.path.push_back({.kind = Run::StepKind::message,
                        .npu = (n - 1 + r) % n,
                        .node = 2 * r,
                        .name = run.timeline.names.add("send chunk"),
                        .begin_ps = r * step,
                        .time_ps = step,
                        .bytes = 131'072,
                        .peer = static_cast<std::int32_t>((n + r) % n)});
  }
  run.dims.push_back({run.texts.add("ring"), n, 50, 500});
  for (Rank npu = 0; npu < n && n <= 1024; ++npu) {
    const Rank next = (npu + 1) % n;
    run.links.push_back({run.texts.add("npu" + std::to_string(npu)), run.texts.add("npu" + std::to_string(next)), 0,
                         50, 500, rounds * 131'072, rounds, rounds * step * 5 / 6, 1});
    run.matrix.push_back({npu, next, rounds * 131'072, rounds});
  }
  return run;
}

// Two NPUs that each wait for the other's message.
inline Run deadlock() {
  Run run;
  run.title = "deadlock";
  run.status = RunStatus::deadlock;
  run.reached_ps = 12 * us;
  for (Rank npu = 0; npu < 2; ++npu) {
    run.npus.push_back({.rank = npu, .finish_ps = -1, .compute_ps = 10 * us, .nodes = 3, .nodes_done = 1});
    run.timeline.slices.push_back({.begin_ps = 0,
                                   .end_ps = (10 + 2 * npu) * us,
                                   .node = 0,
                                   .rank = npu,
                                   .name = run.timeline.names.add("matmul"),
                                   .lane = Lane::compute});
    run.timeline.slices.push_back({.begin_ps = 2 * us,
                                   .end_ps = 12 * us,
                                   .node = 1,
                                   .bytes = 1024,
                                   .rank = npu,
                                   .name = run.timeline.names.add("recv"),
                                   .peer = static_cast<std::int32_t>(1 - npu),
                                   .lane = Lane::recv,
                                   .open = true});
    run.waits.push_back(
        {npu, 1, run.timeline.names.add("recv"), 2 * us,
         run.texts.add("a message of NPU " + std::to_string(1 - npu) + " with tag 0, which never sends it")});
  }
  run.hints = {"Both receive before they send: let one send first."};
  return run;
}

// Hostile names, in every field that has a name.
inline Run hostile() {
  Run run = training({2, 2, 2, 9});
  const std::string attack = "</script><script>document.title='owned'</script><img src=x onerror=alert(1)>\"'&";
  run.title = attack + std::string("\0nul", 4) + " \xE2\x80\xAE right to left \xff";
  run.settings = {{"command", attack}, {"network", attack}, {"model", attack}, {attack, attack}};
  run.inputs = {{attack, ""}};
  run.limits = {attack};
  run.hints = {attack};
  Timeline renamed;
  renamed.slices = run.timeline.slices;
  for (Slice& s : renamed.slices) s.name = renamed.names.add(attack + std::to_string(s.node));
  renamed.slices[0].name = renamed.names.add(std::string(65'536, 'n'));
  renamed.slices[1].name = renamed.names.add("\xD7\xA9\xD7\x9C\xD7\x95\xD7\x9D \xE2\x80\xAE");
  renamed.slices[2].node = 0xFFFFFFFFFFFFFFFF;
  run.timeline = std::move(renamed);
  for (Run::Step& s : run.path) s.name = 0;
  run.whatif = {{.what = run.texts.add(attack), .setting = run.texts.add(attack), .total_ps = 1},
                {.what = run.texts.add("deadlocks"), .total_ps = -1}};
  run.links[0].from = run.texts.add(attack);
  return run;
}

// The same time in groups of NPUs, as in a symmetric replay: slices of one in 32.
inline Run classes(std::uint32_t n) {
  Run run = training({n, 1, 6, 33});
  std::erase_if(run.timeline.slices, [](const Slice& s) { return s.rank % 32 > 1; });
  for (Rank npu = 0; npu < n; ++npu) {
    if (npu % 32 > 1) run.classes.push_back({npu, npu / 32 * 32});
  }
  return run;
}

}  // namespace convert::sample
