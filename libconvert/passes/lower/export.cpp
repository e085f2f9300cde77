// SPDX-License-Identifier: MIT
#include "passes/lower/export.h"

#include <algorithm>
#include <optional>
#include <tuple>

#include "core/algorithm/named_net.h"
#include "core/units.h"
#include "passes/lower/call_range.h"
#include "passes/lower/lower.h"
#include "passes/provenance.h"
#include "passes/verify/verify.h"

namespace convert {
namespace {

void warn_of_nets(std::span<const Trace> traces, Diagnostics& diagnostics) {
  std::uint64_t sends = 0;
  for (const Trace& t : traces) {
    for (const Node& n : t.nodes.nodes) {
      const auto attributes = t.nodes.attributes(n);
      if (find(attributes, named_net) != nullptr || find(attributes, named_net_to) != nullptr) ++sends;
    }
  }
  if (sends == 0) return;
  diagnostics.warning({.file = traces[0].name}, "provenance",
                      "MSCCL-IR cannot represent network devices (net), which " + counted(sends, "send") +
                          (sends == 1 ? " names" : " name") + "; they are dropped");
}

void refuse_errors(const Diagnostics& findings, const std::string& file) {
  if (findings.errors() == 0) return;
  const std::string message = "the steps of these traces cannot be exported: ";
  for (const Diagnostic& d : findings.all()) {
    if (d.severity == Severity::error) throw input_error(d.where, message + d.message, d.rule);
  }
  throw input_error({.file = file}, message + "et-validate --dataflow reports its errors");
}

// Returns whether the threadblock attributes still match the nodes and describe a runnable algorithm.
bool still_true(const Algorithm& a, std::span<const Trace> traces, Diagnostics& diagnostics) {
  Diagnostics structure;
  check_structure(a, structure);
  if (structure.errors() > 0) return false;
  const auto waits = [](const Step& s) { return receives(s.type) && s.depid >= 0; };
  if (a.scheduled && std::ranges::any_of(a.steps, waits)) return false;  // schedules have no such dependencies
  const Lowering lowering(a, std::nullopt, diagnostics);
  return std::ranges::all_of(traces, [&](const Trace& t) { return same_graph(lowering, t); });
}

// Warns about differing chunk sizes, which MSCCL-IR cannot express; the sizes of a schedule's chunks are only a
// note.
void warn_of_sizes(const Algorithm& a, Diagnostics& diagnostics) {
  std::optional<std::int64_t> least;
  std::int64_t most = 0;
  for (const Step& s : a.steps) {
    if (s.transfer == no_index || s.cnt < 1 || !a.transfers[s.transfer].bytes) continue;
    const std::int64_t bytes = *a.transfers[s.transfer].bytes;
    least = std::min(least.value_or(bytes / s.cnt), bytes / s.cnt);
    most = std::max(most, (bytes + s.cnt - 1) / s.cnt);
  }
  if (!least || *least == most) return;
  diagnostics.warning({.file = a.file}, "sizes",
                      "MSCCL-IR has chunks of one size; the sizes of these chunks (" + std::to_string(*least) +
                          " to " + std::to_string(most) + " bytes) are dropped");
}

// Orders the sums into each chunk of a rank by the order of transfers, as runtimes do not add atomically. All steps
// of an algorithm can run in that order, so the new dependencies cannot block.
void order_sums(const Algorithm& a, const Gpu& gpu, std::vector<Step>& steps) {
  struct Sum {
    Buffer buffer;
    std::int32_t begin;  // of the chunks that it adds to
    std::int32_t end;
    std::uint32_t transfer;
    std::int32_t tb;
    std::uint32_t position;
  };
  std::vector<Sum> sums;
  const auto tbs = a.threadblocks(gpu);
  for (std::size_t t = 0; t < tbs.size(); ++t) {
    for (std::uint32_t i = 0; i < tbs[t].step_count; ++i) {
      const Step& s = a.steps[tbs[t].first_step + i];
      if (s.type == StepType::rrc) {
        sums.push_back({s.dst_buf, s.dst_off, s.dst_off + s.cnt, s.transfer, static_cast<std::int32_t>(t), i});
      }
    }
  }
  std::ranges::sort(sums, [](const Sum& x, const Sum& y) {
    return std::tie(x.buffer, x.begin, x.transfer) < std::tie(y.buffer, y.begin, y.transfer);
  });
  const auto step_of = [&](const Sum& s) -> Step& {
    return steps[tbs[static_cast<std::size_t>(s.tb)].first_step + s.position];
  };
  for (std::size_t first = 0, last = 0; first < sums.size(); first = last) {
    // Sums that overlap, directly or through other sums, are ordered.
    std::int32_t end = sums[first].end;
    for (last = first + 1; last < sums.size(); ++last) {
      if (sums[last].buffer != sums[first].buffer || sums[last].begin >= end) break;
      end = std::max(end, sums[last].end);
    }
    std::ranges::sort(sums.begin() + static_cast<std::ptrdiff_t>(first),
                      sums.begin() + static_cast<std::ptrdiff_t>(last), {}, &Sum::transfer);
    for (std::size_t k = first + 1; k < last; ++k) {
      const Sum& before = sums[k - 1];
      if (before.tb == sums[k].tb) continue;
      step_of(before).hasdep = true;
      step_of(sums[k]).depid = before.tb;
      step_of(sums[k]).deps = static_cast<std::int32_t>(before.position);
    }
  }
}

Algorithm without_hangs(Algorithm a, Diagnostics& diagnostics) {
  const CallRange calls{a.min_bytes.value_or(0), written_max_bytes(a)};
  if (const auto most = set_calls(a, calls))
    diagnostics.warning({.file = a.file}, "fifo",
                        "steps of several chunks hang in calls of more than " + std::to_string(*most) +
                            " bytes; maxBytes is set to that size instead of " + std::to_string(calls.max));
  return a;
}

Algorithm schedule_traces(std::span<const Trace> traces, Diagnostics& diagnostics) {
  Algorithm header;
  std::vector<Gpu> gpus;
  for (const Trace& t : traces) {
    Algorithm own;
    Gpu gpu;
    if (!read_header(t, own, gpu)) break;  // make_step_graph() reports it
    if (t.rank == 0) header = std::move(own);
    gpus.push_back(std::move(gpu));
  }
  header.gpus = std::move(gpus);
  header.scheduled = false;  // pack_threadblocks() orders the sums
  Diagnostics findings;
  const StepGraph graph = make_step_graph(traces, findings);
  // Verify before packing: threadblocks add an order between steps, which may hide defects of the traces.
  verify(graph, {.dataflow = true, .collective = {}, .soft = Severity::warning}, findings);
  refuse_errors(findings, graph.file);
  header.file = graph.file;
  Algorithm out = without_hangs(pack_threadblocks(graph, std::move(header)), diagnostics);
  // Prove the algorithm before it is run.
  Diagnostics proof;
  check_structure(out, proof);
  verify(make_step_graph(out), {.dataflow = true, .collective = {}, .soft = Severity::error}, proof);
  refuse_errors(proof, graph.file);
  diagnostics.append(findings);
  diagnostics.append(proof);
  return out;
}

Algorithm of_schedule(const Algorithm& a, Diagnostics& diagnostics) {
  warn_of_sizes(a, diagnostics);
  std::vector<Step> steps = a.steps;
  for (const Gpu& gpu : a.gpus) order_sums(a, gpu, steps);
  Algorithm out = a;
  out.scheduled = false;
  out.transfers.clear();
  out.steps.clear();
  out.tbs.clear();
  for (Gpu& gpu : out.gpus) {
    const auto tbs = a.threadblocks(gpu);
    gpu.first_tb = static_cast<std::uint32_t>(out.tbs.size());
    for (Threadblock tb : tbs) {
      const auto first = steps.begin() + tb.first_step;
      tb.first_step = static_cast<std::uint32_t>(out.steps.size());
      out.steps.insert(out.steps.end(), first, first + tb.step_count);
      out.tbs.push_back(tb);
    }
    if (gpu.copies.empty()) continue;
    // The runtimes ignore <copy>.
    out.tbs.push_back({.first_step = static_cast<std::uint32_t>(out.steps.size()),
                       .step_count = static_cast<std::uint32_t>(gpu.copies.size())});
    ++gpu.tb_count;
    for (const Copy& c : gpu.copies) {
      out.steps.push_back({.type = StepType::cpy, .src_off = c.i_off, .dst_off = c.o_off, .cnt = 1});
    }
    gpu.copies.clear();
  }
  for (Step& s : out.steps) s.transfer = no_index;
  check_structure(out, diagnostics);
  return out;
}

}  // namespace

Algorithm runnable(const Algorithm& a, Diagnostics& diagnostics) {
  return a.scheduled ? without_hangs(of_schedule(a, diagnostics), diagnostics) : a;
}

Algorithm export_algorithm(std::span<const Trace> traces, Diagnostics& diagnostics) {
  require_all_ranks(traces);
  Provenance provenance = Provenance::full;
  for (const Trace& t : traces) {
    const Provenance own = provenance_of(t);
    if (own == Provenance::none) {
      throw input_error({.file = t.name, .rank = static_cast<std::int64_t>(t.rank)},
                        "the trace carries no chunk provenance (the chunks of each message), so it cannot be "
                        "exported to MSCCL-IR",
                        "provenance");
    }
    if (own == Provenance::chunks) provenance = own;
  }
  warn_of_nets(traces, diagnostics);
  if (provenance == Provenance::full) {
    Algorithm a = raise_algorithm(traces);
    if (still_true(a, traces, diagnostics)) return runnable(a, diagnostics);
    diagnostics.warning(
        {.file = traces[0].name}, "provenance",
        "nodes and their threadblock attributes disagree; the steps are assigned to new threadblocks");
  }
  return schedule_traces(traces, diagnostics);
}

}  // namespace convert
