// SPDX-License-Identifier: MIT
// Speed and memory of the MSCCL-IR path, each metric compared with its floor in the same process: conversion of
// files and of two rings, and the dataflow proof of three rings. Floor of a conversion: pugixml's parse of the text
// plus protozero's encoding of the same nodes into one buffer. Floor of a proof: a pass over the steps.
#include <algorithm>
#include <pugixml.hpp>
#include <string>
#include <utility>
#include <vector>

#include "bench/protozero_nodes.h"
#include "bench/report.h"
#include "bench/steps.h"
#include "formats/format.h"
#include "formats/msccl/msccl.h"
#include "io/input.h"
#include "io/sha256.h"
#include "passes/lower/lower.h"
#include "passes/verify/verify.h"

namespace {

using namespace convert;

// Ring all-reduce, in place: N chunks, one threadblock per rank, fused as by MSCCLang.
Algorithm ring(std::int32_t n) {
  Algorithm a;
  a.name = "ring";
  a.collective = Collective::all_reduce;
  a.collective_text = "allreduce";
  a.protocol = Protocol::ll128;
  a.chunks = n;
  a.inplace = true;
  for (std::int32_t r = 0; r < n; ++r) {
    a.gpus.push_back(
        {.i_chunks = n, .first_tb = static_cast<std::uint32_t>(r), .tb_count = 1, .copies = {}, .other = {}});
    a.tbs.push_back({.send = (r + 1) % n,
                     .recv = (r + n - 1) % n,
                     .first_step = static_cast<std::uint32_t>(a.steps.size()),
                     .step_count = static_cast<std::uint32_t>(2 * n - 1)});
    for (std::int32_t s = 0; s < 2 * n - 1; ++s) {
      const std::int32_t chunk = ((r - s) % n + n) % n;
      StepType type = s == 0          ? StepType::send
                      : s < n - 1     ? StepType::rrs
                      : s == n - 1    ? StepType::rrcs
                      : s < 2 * n - 2 ? StepType::rcs
                                      : StepType::recv;
      a.steps.push_back({.type = type,
                         .src_buf = Buffer::input,
                         .dst_buf = Buffer::input,
                         .src_off = chunk,
                         .dst_off = chunk,
                         .cnt = 1});
    }
  }
  return a;
}

struct Converted {
  std::size_t steps = 0;
  std::size_t nodes = 0;
  std::size_t bytes = 0;
};

// The work of et-convert between input and output, without files.
Converted convert_in_memory(const std::string& name, std::string text, std::string& out) {
  Converted result;
  Diagnostics diagnostics;
  const std::string hash = sha256_hex(text);
  const Algorithm a = read_msccl(std::move(text), name, diagnostics);
  check_structure(a, diagnostics);
  bench::check(diagnostics);
  VerifyOptions options;
  options.dataflow = true;
  options.soft = Severity::warning;
  verify(make_step_graph(a), options, diagnostics);
  const Lowering lowering(a, std::int64_t{1} << 30, diagnostics);
  const auto writer = find_format("chakra").write({});
  Trace trace;
  for (Rank r = 0; r < a.gpus.size(); ++r) {
    out.clear();
    lowering.lower(r, trace);
    trace.metadata.table.add_string(attr::source_sha256, hash);
    writer->begin_rank(trace, 0, true, out);
    writer->nodes(trace, out);
    result.nodes += trace.nodes.nodes.size();
    result.bytes += out.size();
  }
  result.steps = a.steps.size();
  return result;
}

void measure_conversion(bench::Report& report, const std::string& path, const std::string& text) {
  const std::string name = "msccl / parse + encode, " + bench::file_name(path);
  if (!report.wants({name})) return;
  Diagnostics diagnostics;
  const Algorithm a = read_msccl(text, path, diagnostics);
  check_structure(a, diagnostics);
  bench::check(diagnostics);
  const Lowering lowering(a, std::int64_t{1} << 30, diagnostics);
  std::vector<Trace> traces(a.gpus.size());
  for (Rank r = 0; r < traces.size(); ++r) lowering.lower(r, traces[r]);
  std::string message;
  std::string out;
  Converted c;
  std::string copy;
  const bench::Best best = bench::best_of_both(
      [&] {
        copy = text;
        pugi::xml_document d;
        if (!d.load_buffer_inplace(copy.data(), copy.size())) throw Error("pugixml cannot read it");
        for (const Trace& t : traces) {
          out.clear();
          bench::encode_nodes(t.nodes, message, out);
        }
      },
      [&] {
        copy = text;
        c = convert_in_memory(path, std::move(copy), out);
      });
  report.add_time(name, "step", static_cast<double>(c.steps), best, bench::times_floor(2.5));
}

void measure_memory(bench::Report& report, const std::string& path) {
  const std::string name = "msccl, memory beyond 16 MiB / XML, " + bench::file_name(path);
  std::size_t size = 0;
  {
    std::string text = open_input(path)->read_rest();
    size = text.size();
    std::string out;
    convert_in_memory(path, std::move(text), out);  // throws the errors of the file
  }
  if (!report.wants({name})) return;
  const double peak = bench::peak_of([&] {
    std::string out;
    convert_in_memory(path, open_input(path)->read_rest(), out);
  });
  report.add({.name = name,
              .unit = "MiB",
              .figure = std::max(peak - 16, 0.0),
              .floor = static_cast<double>(size) / 1048576,
              .limit = bench::times_floor(6.5)});
}

void measure_proof(bench::Report& report, std::int32_t n) {
  const std::string name = "proof / a pass, ring of " + std::to_string(n);
  const std::string name_of_memory = "proof, memory / steps, ring of " + std::to_string(n);
  if (!report.wants({name, name_of_memory})) return;
  const Algorithm a = ring(n);
  const auto steps = static_cast<double>(a.steps.size());
  VerifyOptions options;
  options.dataflow = true;
  const auto prove = [&] {
    Diagnostics diagnostics;
    verify(make_step_graph(a), options, diagnostics);
    bench::check(diagnostics);
  };
  std::uint64_t sum = 0;
  const bench::Best best = bench::best_of_both([&] { sum += bench::pass_over(a); }, prove);
  if (sum == 0) throw Error("no step reads what another wrote");
  report.add_time(name, "step", steps, best, bench::at_most(2500));
  const auto memory = bench::memory_of([] { return 0; }, [&](int) { prove(); });
  report.add({.name = name_of_memory,
              .unit = "B/step",
              .figure = (memory.peak - memory.before) * 1048576 / steps,
              .floor = sizeof(Step),
              .limit = bench::at_most(200)});
}

void measure(bench::Report& report) {
  std::vector<std::pair<std::string, std::string>> inputs;
  // Memory is measured first, since a child process starts with the memory of this one.
  for (const std::string& path : report.files) measure_memory(report, path);
  for (const std::string& path : report.files) inputs.emplace_back(path, open_input(path)->read_rest());
  for (const std::int32_t n : report.smoke ? std::vector{4, 8} : std::vector{128, 256}) {
    std::string text;
    write_msccl(ring(n), text);
    inputs.emplace_back("ring of " + std::to_string(n), std::move(text));
  }
  for (const auto& [path, text] : inputs) measure_conversion(report, path, text);
  for (const std::int32_t n : report.smoke ? std::vector{8} : std::vector{128, 256, 1024}) measure_proof(report, n);
}

}  // namespace

int main(int argc, char** argv) { return bench::run(argc, argv, {"[FILE.xml...]", 0, 99}, measure); }
