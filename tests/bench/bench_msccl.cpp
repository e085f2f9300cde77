// SPDX-License-Identifier: MIT
// Speed and memory of the MSCCL-IR path, each figure beside its floor in the same process.
//   bench_msccl [FILE...]     conversion of these files, of two rings, and the dataflow proof of three rings
// Floor of a conversion: pugixml's parse of the text plus protozero's encoding of the same nodes into one buffer.
#include <algorithm>
#include <cstdlib>
#include <pugixml.hpp>
#include <string>
#include <vector>

#include "bench/measure.h"
#include "bench/protozero_nodes.h"
#include "bench/table.h"
#include "formats/format.h"
#include "formats/msccl/msccl.h"
#include "io/input.h"
#include "io/sha256.h"
#include "passes/lower/lower.h"
#include "passes/verify/verify.h"

namespace {

using namespace convert;

// Ring all-reduce, in place: N chunks, one threadblock a rank, as MSCCLang fuses it.
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

// What et-convert does between its input and its output, without the files.
Converted convert_in_memory(std::string text, std::string& out) {
  Converted result;
  Diagnostics diagnostics;
  const std::string hash = sha256_hex(text);
  const Algorithm a = read_msccl(std::move(text), "bench.xml", diagnostics);
  check_structure(a, diagnostics);
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

void bench_conversion(const std::string& name, const std::string& text) {
  Diagnostics diagnostics;
  const Algorithm a = read_msccl(text, name, diagnostics);
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
        if (!d.load_buffer_inplace(copy.data(), copy.size())) std::exit(1);
        for (const Trace& t : traces) {
          out.clear();
          bench::encode_nodes(t.nodes, message, out);
        }
      },
      [&] {
        copy = text;
        c = convert_in_memory(std::move(copy), out);
      });
  const auto steps = static_cast<double>(c.steps);
  bench::print_row("convert " + name + " / parse + encode", steps, "step", best.work / steps * 1e9,
                   static_cast<double>(text.size()) / best.work / 1e6, best.work / best.floor, "ratio 2.5");
}

void bench_memory(const std::string& name, const std::string& path, std::size_t size) {
  const auto [before, peak] = bench::memory_of([] { return 0; },
                                               [&](int) {
                                                 std::string out;
                                                 convert_in_memory(open_input(path)->read_rest(), out);
                                               });
  const double mb = static_cast<double>(size) / 1048576;
  bench::print_row("memory beyond 16 MB, " + name + " / XML", static_cast<double>(size), "byte", 0, 0,
                   (peak - 16) / mb, "ratio 6.5");
}

void bench_proof(std::int32_t n) {
  const Algorithm a = ring(n);
  const auto steps = static_cast<double>(a.steps.size());
  VerifyOptions options;
  options.dataflow = true;
  const double seconds = bench::best_seconds([&] {
    Diagnostics diagnostics;
    verify(make_step_graph(a), options, diagnostics);
    if (diagnostics.errors() != 0) std::exit(1);
  });
  const auto [before, peak] = bench::memory_of([] { return 0; },
                                               [&](int) {
                                                 Diagnostics diagnostics;
                                                 verify(make_step_graph(a), options, diagnostics);
                                               });
  const std::string what = "ring of " + std::to_string(n);
  bench::print_row("proof, " + what, steps, "step", seconds / steps * 1e9, 0, 0, "2500 ns");
  bench::print_row("memory of the proof, " + what + ", bytes/step", steps, "step", 0, 0,
                   (peak - before) * 1048576 / steps, "ratio 200");
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::pair<std::string, std::string>> inputs;
  bench::print_head();
  for (int i = 1; i < argc; ++i) {
    const std::string path = argv[i];
    const std::string name = path.substr(path.rfind('/') + 1);
    const std::size_t size = convert::open_input(path)->read_rest().size();
    bench_memory(name, path, size);
  }
  for (int i = 1; i < argc; ++i) {
    const std::string path = argv[i];
    inputs.emplace_back(path.substr(path.rfind('/') + 1), convert::open_input(path)->read_rest());
  }
  for (const std::int32_t n : {128, 256}) {
    std::string text;
    convert::write_msccl(ring(n), text);
    inputs.emplace_back("ring of " + std::to_string(n), std::move(text));
  }
  for (const auto& [name, text] : inputs) bench_conversion(name, text);
  for (const std::int32_t n : {128, 256, 1024}) bench_proof(n);
  return 0;
}
